"""The nearest paths whatever the order of words, against all paths of lattices."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings

from tests.kernels import lattices as slow
from treesql.kernels.lattices import position_independent as kernel

# With few steps and partial paths little is proven; what is must be true all the same.
POOR = kernel.Effort(((2, 1),), states=1, transitions=0, paths=1)
# With few partial paths, and room, words are counted as they are.
EXACT = kernel.Effort(((2, 1),), paths=1)


@pytest.mark.parametrize("effort", [kernel.DEFAULT_EFFORT, POOR, EXACT], ids=["usual", "poor", "exact"])
@given(items=slow.items)
@settings(deadline=None)
def test_fewest_errors(effort: kernel.Effort, items: list[tuple[slow.Lattice, slow.Words]]) -> None:
    found = kernel.nearest_paths_as_bags(slow.packed(items), effort=effort)
    for at, (lattice, reference) in enumerate(items):
        least = min(slow.bag_distance(slow.text(lattice, path), reference) for path in slow.paths(lattice))
        path = tuple(found.edges[found.offsets[at] : found.offsets[at + 1]].tolist())
        assert path in set(slow.paths(lattice))
        assert found.errors[at] == slow.bag_distance(slow.text(lattice, path), reference)
        assert found.n_words[at] == len(slow.text(lattice, path))
        assert found.bound[at] <= least <= found.errors[at]
        if found.proven[at] or effort is not POOR:
            assert found.errors[at] == least


@pytest.mark.parametrize("effort", [kernel.DEFAULT_EFFORT, POOR, EXACT], ids=["usual", "poor", "exact"])
@given(items=slow.items)
@settings(deadline=None)
def test_fewest_errors_for_each_word(effort: kernel.Effort, items: list[tuple[slow.Lattice, slow.Words]]) -> None:
    found = kernel.nearest_paths_as_bags(slow.packed(items), quotient=True, effort=effort)
    for at, (lattice, reference) in enumerate(items):
        texts = [slow.text(lattice, path) for path in slow.paths(lattice)]
        least = min((Fraction(slow.bag_distance(one, reference), len(one)) for one in texts if one), default=None)
        if least is None:
            assert found.errors[at] == -1
            continue
        path = tuple(found.edges[found.offsets[at] : found.offsets[at + 1]].tolist())
        assert found.errors[at] == slow.bag_distance(slow.text(lattice, path), reference)
        here = Fraction(int(found.errors[at]), int(found.n_words[at]))
        assert found.bound[at] - 1e-9 <= least <= here
        if found.proven[at] or effort is not POOR:
            assert here == least


def test_a_reference_of_more_words_than_bits() -> None:
    reference = tuple(range(100)) * 2
    edges = [(node, node + 1, (node,)) for node in range(100)] + [(node, node + 1, (node, node)) for node in range(100)]
    found = kernel.nearest_paths_as_bags(slow.packed([((101, tuple(edges)), reference)]))
    assert (found.errors[0], found.n_words[0], found.proven[0]) == (0, 200, True)


def test_a_word_that_the_reference_has_more_often_than_a_word_has_bits() -> None:
    lattice = (3, ((0, 1, (5,) * 70), (0, 1, (5,) * 60), (1, 2, (5,) * 10)))
    found = kernel.nearest_paths_as_bags(slow.packed([(lattice, (5,) * 80)]))
    assert (found.errors[0], found.n_words[0]) == (0, 80)


def test_all_searches_for_a_lattice_share_their_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number of errors from 30 on takes a search; without operations the best path is returned, not proven."""
    edges = [edge for node in range(60) for edge in ((node, node + 1, (1,)), (node, min(node + 2, 60), (2,)))]
    batch = slow.packed([((61, tuple(edges)), (1, 3))] * 2)
    monkeypatch.setattr(kernel, "OPERATIONS_PER_CALL", 0)
    full = kernel.nearest_paths_as_bags(batch, quotient=True)
    assert full.proven.all()
    few = kernel.nearest_paths_as_bags(batch, quotient=True, effort=kernel.Effort(operations=1))
    assert not few.proven.any()
    assert (few.bound <= full.errors / full.n_words).all()
    assert (few.errors * full.n_words >= full.errors * few.n_words).all()
