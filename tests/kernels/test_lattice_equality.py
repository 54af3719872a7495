"""Equality of graphs against all numberings of their nodes, and of word sequences against all paths."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels import lattices as slow
from treesql.kernels.lattices import lattice_equality as kernel
from treesql.kernels.lattices.lattice_equality import DIFFERS, SAME, UNKNOWN
from treesql.kernels.lattices.lattices import LatticeBatch

A, B, C = (1,), (2,), (3,)


def are_same_graphs(one: slow.Lattice, other: slow.Lattice) -> bool:
    """Whether an order of the inner nodes that have edges makes the edges the same."""

    def inner(lattice: slow.Lattice) -> list[int]:
        n, edges = lattice
        return sorted({node for edge in edges for node in edge[:2]} - {0, n - 1})

    nodes, others = inner(one), inner(other)
    if len(nodes) != len(others):
        return False
    for order in itertools.permutations(others):
        places = {0: 0, one[0] - 1: other[0] - 1} | dict(zip(nodes, order, strict=True))
        if Counter((places[start], places[end], words) for start, end, words in one[1]) == Counter(other[1]):
            return True
    return False


def batch(*lattices: slow.Lattice) -> LatticeBatch:
    return slow.packed([(lattice, ()) for lattice in lattices])


def compared(*pairs: tuple[slow.Lattice, slow.Lattice]) -> list[int]:
    known: dict[slow.Words, int] = {}
    labels = [
        slow.ints([known.setdefault(edge[2], len(known)) for pair in pairs for edge in pair[side][1]])
        for side in range(2)
    ]
    one, other = (batch(*(pair[side] for pair in pairs)) for side in range(2))
    return kernel.compare_graphs(one, labels[0], other, labels[1]).tolist()


def same_words(*pairs: tuple[slow.Lattice, slow.Lattice]) -> list[int]:
    one, other = (batch(*(pair[side] for pair in pairs)) for side in range(2))
    return kernel.compare_word_sets(one, other, np.zeros(len(pairs), dtype=np.bool_)).tolist()


@st.composite
def renumbered(draw: st.DrawFn, lattice: slow.Lattice) -> slow.Lattice:
    """The same graph with inner nodes in another topological order where that is possible, and edges in any."""
    n, edges = lattice
    order = [0, *draw(st.permutations(range(1, n - 1))), n - 1][:n]
    moved = [(order[start], order[end], words) for start, end, words in edges]
    return (n, tuple(draw(st.permutations(moved)))) if all(start < end for start, end, _ in moved) else lattice


@given(st.data())
@settings(deadline=None)
def test_graphs(data: st.DataObject) -> None:
    """A renumbered lattice, one with an edge changed, and any other."""
    one, any_other = data.draw(slow.lattices()), data.draw(slow.lattices())
    other = data.draw(renumbered(one))
    changed = (other[0], ((*other[1][0][:2], (*other[1][0][2], 4)), *other[1][1:])) if other[1] else other
    found = compared((one, other), (one, changed), (one, any_other))
    assert found == [SAME, *(int(are_same_graphs(one, each)) for each in (changed, any_other))]


@given(st.data())
@settings(deadline=None)
def test_word_sequences(data: st.DataObject) -> None:
    """Few words, so that different graphs often have the same sequences."""
    pairs = data.draw(st.lists(st.tuples(slow.lattices(), slow.lattices()), min_size=1, max_size=3))
    coarse = data.draw(st.booleans())
    pairs = [
        tuple(
            (n, tuple((a, b, tuple(w % 2 for w in words[: 1 + coarse])) for a, b, words in edges)) for n, edges in pair
        )
        for pair in pairs
    ]  # type: ignore[misc]
    expected = [
        int(len({frozenset(slow.text(lattice, path) for path in slow.paths(lattice)) for lattice in pair}) == 1)
        for pair in pairs
    ]
    assert same_words(*pairs) == expected


def test_worked_examples() -> None:
    """A phrase is a chain of words for sequences, and not for graphs; so is an edge twice, or without words."""
    phrase: slow.Lattice = (2, ((0, 1, (1, 2)),))
    chain: slow.Lattice = (3, ((0, 1, A), (1, 2, B)))
    twice: slow.Lattice = (2, ((0, 1, (1, 2)), (0, 1, (1, 2))))
    empty: slow.Lattice = (3, ((0, 1, ()), (1, 2, (1, 2))))
    dead: slow.Lattice = (4, ((0, 1, A), (1, 3, B), (1, 2, C)))
    none: slow.Lattice = (1, ())
    pairs = [(phrase, other) for other in (chain, twice, empty, dead, none)]
    assert compared(*pairs) == [DIFFERS] * 5
    assert same_words(*pairs) == [SAME, SAME, SAME, SAME, DIFFERS]
    assert (compared((none, none)), same_words((none, none))) == ([SAME], [SAME])
    assert same_words((none, (2, ((0, 1, ()),)))) == [SAME]


def test_nodes_that_neighbours_do_not_tell_apart() -> None:
    """Two equal branches; and two squares against an octagon, whose nodes have the same neighbours everywhere."""
    branches = [(0, 1, A), (0, 2, A), (1, 3, B), (2, 4, B), (3, 5, C), (4, 5, C)]
    exchanged = [(0, 2, A), (0, 1, A), (1, 4, B), (2, 3, B), (3, 5, C), (4, 5, C)]
    assert compared(((6, tuple(branches)), (6, tuple(exchanged)))) == [SAME]

    def crown(pairs: list[tuple[int, int]]) -> slow.Lattice:
        """Nodes 1 to 4 lead to some of 5 to 8."""
        outer = [(0, node, A) for node in range(1, 5)] + [(node, 9, A) for node in range(5, 9)]
        return 10, (*outer, *((start, end, B) for start, end in pairs))

    squares = crown([(1, 5), (1, 6), (2, 5), (2, 6), (3, 7), (3, 8), (4, 7), (4, 8)])
    other_squares = crown([(1, 7), (1, 6), (3, 7), (3, 6), (2, 5), (2, 8), (4, 5), (4, 8)])
    octagon = crown([(1, 5), (1, 6), (2, 6), (2, 7), (3, 7), (3, 8), (4, 8), (4, 5)])
    assert compared((squares, octagon), (squares, other_squares), (octagon, octagon)) == [DIFFERS, SAME, SAME]


def test_what_takes_too_long_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sequences of two words, and some that begin with any number of them left out; nodes that are all alike."""
    n = 9
    loose = [(node, node + 1, words) for node in range(n) for words in (A, B)]
    one: slow.Lattice = (n + 2, (*loose, (n, n + 1, A)))
    ways = [(0, 1, A), (0, 1, B), *((0, start, A) for start in range(1, n))]
    other: slow.Lattice = (n + 2, (*loose[2:], *ways, (n, n + 1, A)))
    assert same_words((one, one), (other, other), (one, other)) == [SAME, SAME, DIFFERS]
    monkeypatch.setattr(kernel, "MAX_SETS", 4)
    assert same_words((one, one), (other, other)) == [UNKNOWN, UNKNOWN]
    monkeypatch.setattr(kernel, "MAX_SETS", 1 << 16)
    monkeypatch.setattr(kernel, "MAX_MEMBERS", 4)
    assert same_words((one, one), (other, other)) == [UNKNOWN, UNKNOWN]
    twins = tuple((0, node, A) for node in range(1, 30)) + tuple((node, 30, B) for node in range(1, 30))
    assert compared(((31, twins), (31, twins))) == [SAME]
    monkeypatch.setattr(kernel, "MAX_ROUNDS", 100)
    assert compared(((31, twins), (31, twins))) == [UNKNOWN]
