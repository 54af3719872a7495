"""The nearest paths of lattices against all their paths."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels import lattices as slow
from treesql.kernels.lattices import lattice_oracles as kernel
from treesql.kernels.lattices.lattice_oracles import MAX_CELLS


@pytest.mark.parametrize("cells", [MAX_CELLS, 3])
@given(items=slow.items)
@settings(deadline=None)
def test_fewest_edits_then_most_substitutions_then_smallest_edges(
    cells: int, items: list[tuple[slow.Lattice, slow.Words]]
) -> None:
    found = kernel.nearest_paths(slow.packed(items), cells)
    for at, (lattice, reference) in enumerate(items):
        best = min((slow.distance(slow.text(lattice, path), reference), path) for path in slow.paths(lattice))
        path = tuple(found.edges[found.offsets[at] : found.offsets[at + 1]].tolist())
        assert (slow.distance(slow.text(lattice, path), reference), path) == best
        assert found.edits[at] == best[0][0]
        assert found.n_words[at] == len(slow.text(lattice, path))


@pytest.mark.parametrize("cells", [MAX_CELLS, 3])
@given(items=slow.items)
@settings(deadline=None)
def test_fewest_edits_for_each_word(cells: int, items: list[tuple[slow.Lattice, slow.Words]]) -> None:
    found = kernel.nearest_paths_per_word(slow.packed(items), cells)
    for at, (lattice, reference) in enumerate(items):
        texts = [slow.text(lattice, path) for path in slow.paths(lattice)]
        quotients = [(Fraction(slow.distance(one, reference)[0], len(one)), one) for one in texts if one]
        if not quotients:
            assert found.edits[at] == -1
            continue
        path = tuple(found.edges[found.offsets[at] : found.offsets[at + 1]].tolist())
        least = min(quotients)[0]
        assert Fraction(int(found.edits[at]), int(found.n_words[at])) == least
        assert slow.distance(slow.text(lattice, path), reference)[0] == found.edits[at]
        assert found.edits[at] == min(slow.distance(one, reference)[0] for share, one in quotients if share == least)


def chain(n_words: int, wide: int = 1) -> slow.Lattice:
    """A lattice that is a row of nodes, with `wide` words from each to the next."""
    edges = [(node, node + 1, (word,)) for node in range(n_words) for word in range(node % 7, node % 7 + wide)]
    return n_words + 1, tuple(edges)


@pytest.mark.compiled
def test_costs_that_take_64_bits() -> None:
    lattice, reference = chain(40_000), (1, 2, 3)
    found = kernel.nearest_paths(slow.packed([(lattice, reference)]))
    assert found.edits[0] == 40_000 - 3
    assert len(found.edges) == 40_000
    quotient = kernel.nearest_paths_per_word(slow.packed([(lattice, reference)]))
    assert (quotient.edits[0], quotient.n_words[0]) == (40_000 - 3, 40_000)


def test_segments_find_what_a_whole_table_finds() -> None:
    generator = np.random.default_rng(1)
    reference = tuple(generator.integers(0, 8, 60).tolist())
    batch = slow.packed([(chain(300, 3), reference)])
    whole, parts = kernel.nearest_paths(batch), kernel.nearest_paths(batch, 500)
    assert whole.edits.tolist() == parts.edits.tolist()
    assert whole.edges.tolist() == parts.edges.tolist()


def test_lattices_without_a_path_have_no_errors() -> None:
    batch = slow.packed([((3, ((0, 1, (1,)),)), (1,)), ((1, ()), (1, 2)), ((1, ()), ())])
    found = kernel.nearest_paths(batch)
    assert found.edits.tolist() == [-1, 2, 0]
    assert kernel.nearest_paths_per_word(batch).edits.tolist() == [-1, -1, -1]


def test_a_table_too_large_for_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the bound longer segments are chosen, as fewer rows are kept then; the result stays."""
    batch = slow.packed([(chain(60, wide=2), tuple(range(10)))])
    usual = kernel.nearest_paths(batch)
    monkeypatch.setattr(kernel, "MAX_TABLE_BYTES", 200 * 11 * 4)
    bounded = kernel.nearest_paths(batch, 3)
    assert (bounded.edits.tolist(), bounded.edges.tolist()) == (usual.edits.tolist(), usual.edges.tolist())
    monkeypatch.setattr(kernel, "MAX_TABLE_BYTES", 100)
    with pytest.raises(ValueError, match="lattice 0 of the batch, counted from 0: 120 edges and 10 reference words"):
        kernel.nearest_paths(batch, 3)


def test_an_incomplete_lattice_leaves_nothing_to_others() -> None:
    """Its node 1 leads to the end, but no edge leads there from node 0."""
    complete, incomplete = (2, ((0, 1, (1,)),)), (3, ((1, 2, (2,)), (1, 2, (3, 2))))
    batch = slow.packed([(complete, (2,)), (incomplete, (2,)), (complete, (1,))])
    assert kernel.nearest_paths(batch).edits.tolist() == [1, -1, 0]
    assert kernel.nearest_paths_per_word(batch).edits.tolist() == [1, -1, 0]


long_texts = st.integers(0, 3).flatmap(lambda most: st.lists(st.integers(0, most), min_size=0, max_size=200).map(tuple))


@given(text=long_texts, reference=long_texts, cuts=st.sets(st.integers(1, 199)))
def test_one_path_and_the_same_twice(text: slow.Words, reference: slow.Words, cuts: set[int]) -> None:
    """64 reference words at a time for one path; a table for two that differ in a word that no reference has."""
    borders = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    phrases = [text[low:high] for low, high in pairwise(borders)]
    edges = tuple((node, node + 1, phrase) for node, phrase in enumerate(phrases))
    single = (len(edges) + 1, edges)
    other = (len(edges) + 1, (*edges, (0, len(edges), (9,) * (len(text) + len(reference) + 1))))
    batch = slow.packed([(single, reference), (other, reference)])
    found = kernel.nearest_paths(batch)
    assert found.edits[0] == found.edits[1]
    assert found.n_words.tolist() == [len(text)] * 2
    assert found.edges.tolist() == [*range(len(edges))] * 2
    if text:
        quotient = kernel.nearest_paths_per_word(slow.packed([(single, reference)]))
        assert (quotient.edits[0], quotient.n_words[0]) == (found.edits[0], len(text))
        assert quotient.edges.tolist() == [*range(len(edges))]


def test_many_parallel_words() -> None:
    """Each matches the reference at another place; of those that match, the edge of the smallest number is chosen."""
    words, reference = tuple(range(100, 20_100)), tuple(range(15_000, 25_000))
    lattice = (3, (*((0, 1, (word,)) for word in words), (1, 2, (15_000,))))
    found = kernel.nearest_paths(slow.packed([(lattice, reference), (lattice, reference[::-1])]))
    assert found.edits.tolist() == [9_999, 9_998]
    assert found.edges.tolist() == [14_900, 20_000, 14_901, 20_000]


def test_lattices_that_take_too_long_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One path takes less than two; the sizes are those of the refused lattice."""
    one, two = chain(200), chain(200, wide=2)
    batch = slow.packed([(one, (1, 2)), (two, (1, 2))])
    assert len(kernel.nearest_paths(batch).edits) == 2
    monkeypatch.setattr(kernel, "MAX_TABLE_CELLS", 399)
    for search in (kernel.nearest_paths, kernel.nearest_paths_per_word):
        with pytest.raises(
            kernel.LatticeTooLarge, match="400 edges and 2 reference words need 400 comparisons"
        ) as error:
            search(batch)
        assert error.value.lattice == 1
    monkeypatch.setattr(kernel, "MAX_SINGLE_PATH_CELLS", 399)
    with pytest.raises(kernel.LatticeTooLarge, match="200 edges and 2 reference words need 400 comparisons"):
        kernel.nearest_paths(batch)
