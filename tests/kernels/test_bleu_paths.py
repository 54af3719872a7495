"""Paths with the best BLEU against all paths of lattices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.kernels import lattices as slow
from tests.kernels.bleu import Item, bleu, counts, random_items
from treesql.kernels.arrays import Ints
from treesql.kernels.lattices import bleu_paths as kernel
from treesql.kernels.lattices.bleu_paths import BleuEffort
from treesql.kernels.lattices.lattices import LatticeBatch

GAINS = np.array([0.3, 0.2, 0.5, 0.1, -0.05, -0.03, -0.02, -0.01, -0.1, -0.2])
items = st.lists(st.tuples(slow.lattices(), st.lists(slow.words, min_size=1, max_size=3)), min_size=1, max_size=4)


def few_or_many(few: int, many: int) -> list[Any]:
    """Numbers of lattices: few, and so many that the kernels are compiled for them."""
    return [few, pytest.param(many, marks=pytest.mark.compiled)]


def packed(items: Sequence[Item]) -> tuple[LatticeBatch, Ints]:
    """The lattices with all their references, and where each reference begins and ends."""
    joined = [(lattice, tuple(word for text in texts for word in text)) for lattice, texts in items]
    batch = slow.packed(joined)._replace(reference_offsets=slow.offsets([len(texts) for _, texts in items]))
    return batch, slow.offsets([len(text) for _, texts in items for text in texts])


def path_of(found: kernel.BleuPaths, at: int) -> tuple[int, ...]:
    return tuple(found.edges[found.offsets[at] : found.offsets[at + 1]].tolist())


def check_best(
    items: Sequence[Item], effort: BleuEffort = kernel.DEFAULT_EFFORT, *, always_proven: bool = True
) -> None:
    """The path is one of the lattice, its counts and value are its own; nothing that is proven is beaten."""
    found = kernel.best_paths(*packed(items), effort=effort)
    for at, (lattice, texts) in enumerate(items):
        paths = {path: counts(slow.text(lattice, path), texts) for path in slow.paths(lattice)}
        best = max(map(bleu, paths.values()))
        assert found.counts[at].tolist() == paths[path_of(found, at)]
        assert found.value[at] == pytest.approx(bleu(paths[path_of(found, at)]), abs=1e-12)
        assert found.bound[at] >= best - 1e-9
        assert found.proven[at] or not always_proven
        assert not found.proven[at] or found.value[at] == pytest.approx(best, abs=1e-9)


@pytest.mark.compiled
@given(items=items)
@settings(deadline=None, max_examples=60)
def test_the_best_sentence_bleu(items: list[Item]) -> None:
    check_best(items)


@pytest.mark.parametrize("n", few_or_many(60, 500))
def test_random_lattices_with_all_paths(n: int) -> None:
    check_best(random_items(1, n))


EFFORTS = [
    BleuEffort(stages=((0, 1),)),
    BleuEffort(stages=((1, 1), (2, 2))),
    BleuEffort(labels=2),
    BleuEffort(extended=3),
    BleuEffort(columns=0),
    BleuEffort(columns=1),
    BleuEffort(cells=1),
    BleuEffort(operations=0),
    BleuEffort(states=2),
    BleuEffort(steps=4),
]
"""Efforts that each hit another limit of the search."""


@pytest.mark.parametrize(
    ("effort", "n"),
    [
        *(pytest.param(effort, 40, marks=pytest.mark.slow) for effort in EFFORTS),
        *(pytest.param(effort, 200, marks=pytest.mark.compiled) for effort in EFFORTS[::3]),
        *(pytest.param(effort, 200, marks=pytest.mark.thorough) for effort in (*EFFORTS[1::3], *EFFORTS[2::3])),
    ],
    ids=str,
)
def test_limits_of_the_search_prove_nothing_that_is_wrong(effort: BleuEffort, n: int) -> None:
    check_best(random_items(2, n), effort, always_proven=False)


@pytest.mark.parametrize("n", few_or_many(12, 40))
def test_every_lattice_is_found_alike_in_any_batch(n: int) -> None:
    items = random_items(3, n)
    together = kernel.best_paths(*packed(items))
    for at, item in enumerate(items):
        alone = kernel.best_paths(*packed([item]))
        assert path_of(alone, 0) == path_of(together, at)
        assert (alone.value[0], alone.bound[0]) == (together.value[at], together.bound[at])


@pytest.mark.parametrize("n", few_or_many(40, 200))
def test_the_largest_sum_of_gains(n: int) -> None:
    items = random_items(4, n)
    found = kernel.best_paths(*packed(items), GAINS)
    for at, (lattice, texts) in enumerate(items):
        best = max(np.dot(GAINS, counts(slow.text(lattice, path), texts)) for path in slow.paths(lattice))
        assert found.value[at] == pytest.approx(best, abs=1e-9)
        assert found.proven[at]


@in_turn(
    ("edges", "references", "expected"),
    [
        ([], [(1, 2)], (0.0, ())),
        ([(0, 1, ())], [(1, 2)], (0.0, (0,))),
        ([(0, 1, (1, 2, 3)), (0, 1, (9,))], [()], (0.0, (1,))),
        ([(0, 1, (1, 1, 1)), (0, 1, (1,))], [(1, 2)], (math.exp(-1), (1,))),
        ([(0, 1, (1, 2)), (0, 1, (1, 2, 3))], [(1, 2, 3)], (1.0, (1,))),
        ([(0, 1, (5, 6, 7)), (0, 1, (7, 8))], [(1, 2)], (0.0, (1,))),
    ],
)
def test_small_cases(
    edges: list[slow.Edge], references: list[slow.Words], expected: tuple[float, tuple[int, ...]]
) -> None:
    """Where nothing matches, the fewest words; (1, 1, 1) has 1/3, 1/(2 * 2) and 1/(4 * 1), the cube root of 1/48."""
    lattice = (2 if edges else 1, tuple(edges))
    found = kernel.best_paths(*packed([(lattice, references)]))
    assert (found.value[0], path_of(found, 0)) == (pytest.approx(expected[0]), expected[1])
    assert found.proven[0]


def test_a_lattice_without_a_path_has_none() -> None:
    found = kernel.best_paths(*packed([((3, ((0, 1, (1,)),)), [(1,)]), ((2, ((0, 1, (1,)),)), [(1,)])]))
    assert found.found.tolist() == [False, True]
    assert found.offsets.tolist() == [0, 0, 1]
