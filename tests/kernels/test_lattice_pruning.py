"""Pruned lattices against slow definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels import pruning as slow
from tests.kernels.lattices import Lattice, Words, ints, lattices, offsets, packed, words
from treesql.kernels.lattices.lattice_pruning import (
    KEPT,
    KEPT_FOR_PATH,
    PRUNED,
    TRIMMED,
    EdgeWords,
    edge_taus,
    prune,
    prune_greedily,
)

Item = tuple[Lattice, list[Words]]

items = st.lists(st.tuples(lattices(), st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=4)
# No tau is just one of these but 0, where rounding would decide.
thresholds = st.sampled_from(
    [Fraction(0), Fraction(-1000003, 10**6), Fraction(500009, 10**6), Fraction(2000003, 10**6)]
)
lows = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2)])


def texts(batch: Sequence[Item]) -> EdgeWords:
    edges = packed([(lattice, ()) for lattice, _ in batch])
    references = [reference for _, of_one in batch for reference in of_one]
    return EdgeWords(
        5,
        edges.edge_offsets,
        edges.word_offsets,
        edges.words,
        offsets([len(of_one) for _, of_one in batch]),
        offsets([len(reference) for reference in references]),
        ints([word for reference in references for word in reference]),
    )


def shape(batch: Sequence[Item]) -> tuple[np.ndarray, ...]:
    edges = packed([(lattice, ()) for lattice, _ in batch])
    return edges.n_nodes, edges.edge_offsets, edges.from_node, edges.to_node


def fates(kept: set[int], stays: set[int], spared: set[int], n: int) -> list[int]:
    """kept: the edges before trimming; stays: those after it; spared: those of them that fail."""
    return [
        PRUNED if edge not in kept else TRIMMED if edge not in stays else KEPT_FOR_PATH if edge in spared else KEPT
        for edge in range(n)
    ]


@given(items, lows)
def test_worth(batch: list[Item], low: Fraction) -> None:
    found = edge_taus(texts(batch), float(low))
    at = 0
    for lattice, references in batch:
        numerators = []
        for edge in range(len(lattice[1])):
            if any(references):
                tau = slow.tau(lattice, references, low, edge)
                assert found.tau[at] == pytest.approx(float(tau), rel=1e-12, abs=1e-12)
                assert (found.tau[at] < 0, found.tau[at] > 0) == (tau < 0, tau > 0)
                numerators.append((tau, Fraction(float(found.numerator[at]))))
            else:
                assert math.isnan(found.tau[at])
            at += 1
        finite = [(tau, numerator) for tau, numerator in numerators if not math.isinf(tau)]
        for tau, numerator in finite:  # all are the same multiple of tau
            assert numerator * finite[0][0] == finite[0][1] * tau
        assert all(numerator == 0 for tau, numerator in numerators if math.isinf(tau))
    assert at == len(found.tau)


@given(items, st.randoms(use_true_random=False), st.floats(0, 1))
def test_prune(batch: list[Item], random: object, share: float) -> None:
    n = [len(lattice[1]) for lattice, _ in batch]
    chance = np.random.default_rng(random.randrange(1 << 30))  # type: ignore[attr-defined]
    failing = chance.random(sum(n)) < share
    preference = chance.integers(-2, 3, sum(n)).astype(np.float64)
    found = prune(*shape(batch), failing, preference)
    first = 0
    for (lattice, _), many in zip(batch, n, strict=True):
        fails = {edge for edge in range(many) if failing[first + edge]}
        kept, path = slow.prune(lattice, fails, [float(one) for one in preference[first : first + many]])
        expected = fates(kept, slow.trimmed(lattice, kept), kept & fails, many)
        assert found.outcome[first : first + many].tolist() == expected
        on_path = np.flatnonzero(found.on_kept_path[first : first + many]).tolist()
        assert on_path == sorted(path or ())
        first += many


@given(items, lows, thresholds, st.booleans())
def test_prune_greedily(batch: list[Item], low: Fraction, threshold: Fraction, normalised: bool) -> None:
    n_nodes, _, from_node, to_node = shape(batch)
    found = prune_greedily(n_nodes, from_node, to_node, texts(batch), float(low), float(threshold), normalised)
    first = 0
    for lattice, references in batch:
        many = len(lattice[1])
        kept, spared = set(range(many)), set[int]()
        if any(references):
            kept, spared = slow.greedy(lattice, references, low, threshold, normalised)
        expected = fates(kept, slow.trimmed(lattice, kept), spared, many)
        assert found[first : first + many].tolist() == expected
        first += many


def test_of_several_best_paths_the_one_with_the_smallest_edges_is_kept() -> None:
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ as floats; numerators are whole, and do not."""
    first, second = [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]
    edges = [(0, 1), (1, 3), (3, 5), (0, 2), (2, 4), (4, 5)]
    from_node, to_node = ints([a for a, _ in edges]), ints([b for _, b in edges])
    found = prune(ints([6]), ints([0, 6]), from_node, to_node, np.ones(6, dtype=bool), np.array([*first, *second]))
    assert found.outcome.tolist() == [KEPT_FOR_PATH] * 3 + [PRUNED] * 3
    fewer = prune(
        ints([6]),
        ints([0, 6]),
        from_node,
        to_node,
        np.array([1, 1, 1, 1, 0, 1], dtype=bool),
        np.array([*first, *second]),
    )
    assert fewer.outcome.tolist() == [PRUNED] * 3 + [KEPT_FOR_PATH, KEPT, KEPT_FOR_PATH]
    assert fewer.on_kept_path.tolist() == [False] * 3 + [True] * 3


def test_the_only_path_is_never_lost() -> None:
    """All edges fail, one by one or at once; edges that lie on no path are pruned like others."""
    edges = [(0, 1), (1, 3), (2, 3)]
    from_node, to_node = ints([a for a, _ in edges]), ints([b for _, b in edges])
    found = prune(ints([4]), ints([0, 3]), from_node, to_node, np.ones(3, dtype=bool), np.zeros(3))
    assert found.outcome.tolist() == [KEPT_FOR_PATH, KEPT_FOR_PATH, PRUNED]
    # a b c against a: all words but a cost, and a threshold above all of tau takes them, too
    word = EdgeWords(3, ints([0, 3]), ints([0, 1, 2, 3]), ints([0, 1, 2]), ints([0, 1]), ints([0, 1]), ints([0]))
    for threshold in (0.0, 1e6):
        fate = prune_greedily(ints([4]), from_node, to_node, word, 1.0, threshold, True)
        assert fate.tolist()[1:] == [KEPT_FOR_PATH, PRUNED]
        assert fate.tolist()[0] == (KEPT if threshold == 0 else KEPT_FOR_PATH)


def test_a_lattice_without_edges() -> None:
    none = ints([])
    found = prune(ints([1]), ints([0, 0]), none, none, np.zeros(0, dtype=bool), np.zeros(0))
    assert len(found.outcome) == 0
