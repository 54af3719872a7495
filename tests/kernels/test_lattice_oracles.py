"""The nearest paths of lattices against all their paths."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
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


Costs = tuple[int, int, int, int]


def cheapest(one: slow.Words, other: slow.Words, costs: Costs, swaps: bool) -> tuple[int, int]:
    """The least cost of edits, and fewest insertions and deletions of these. costs: of a substitution, an insertion, a
    deletion and an exchange of two words."""
    substitution, insertion, deletion, swap = costs

    @cache
    def rest(i: int, j: int) -> tuple[int, int]:
        if i == len(one) and j == len(other):
            return 0, 0
        found = []

        def add(i: int, j: int, cost: int, indels: int = 0) -> None:
            found.append((rest(i, j)[0] + cost, rest(i, j)[1] + indels))

        if i < len(one):
            add(i + 1, j, insertion, 1)
        if j < len(other):
            add(i, j + 1, deletion, 1)
        if i < len(one) and j < len(other):
            add(i + 1, j + 1, 0 if one[i] == other[j] else substitution)
        if swaps and one[i : i + 2] == other[j : j + 2][::-1] and len(one[i : i + 2]) == 2:
            add(i + 2, j + 2, swap)
        return min(found)

    return rest(0, 0)


cost = st.one_of(st.just(100), st.integers(0, 300))


@given(items=slow.items, costs=st.tuples(cost, cost, cost, cost), swaps=st.booleans())
@settings(deadline=None)
def test_least_costs_then_fewest_insertions_and_deletions_then_smallest_edges(
    items: list[tuple[slow.Lattice, slow.Words]], costs: Costs, swaps: bool
) -> None:
    of_edits = kernel.EditCosts(*costs[:3])
    batch = slow.packed(items)
    found = (
        kernel.nearest_paths_with_swaps(batch, of_edits, costs[3]) if swaps
        else kernel.nearest_paths(batch, costs=of_edits)
    )  # fmt: skip
    for at, (lattice, reference) in enumerate(items):
        (least, _), path = min(
            (cheapest(slow.text(lattice, path), reference, costs, swaps), path) for path in slow.paths(lattice)
        )
        assert found.edits[at] == least
        assert tuple(found.edges[found.offsets[at] : found.offsets[at + 1]].tolist()) == path
        assert found.n_words[at] == len(slow.text(lattice, path))


def test_exchanges_have_no_edit_between_them() -> None:
    """`b a` for `a b` costs 1, also across an edge without words; `b x a` is no exchange, nor are three words."""
    a, b, c, x = 1, 2, 3, 4
    lattices = [
        ((4, ((0, 1, (b,)), (1, 2, ()), (2, 3, (a,)))), (a, b)),
        ((2, ((0, 1, (b, x, a)),)), (a, b)),
        ((2, ((0, 1, (c, a, b)),)), (a, b, c)),
        ((2, ((0, 1, (b, a)),)), (a, x, b)),
        ((1, ()), (a, b)),
        ((3, ((0, 1, (a,)),)), (a,)),
    ]
    batch = slow.packed(lattices)  # type: ignore[arg-type]
    assert kernel.nearest_paths_with_swaps(batch).edits.tolist() == [1, 3, 2, 3, 2, -1]
    assert kernel.nearest_paths_with_swaps(batch, swap=2).edits.tolist() == [2, 3, 2, 3, 2, -1]


def test_costs_and_exchanges_beyond_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = slow.packed([(chain(3), (1,)), (chain(60, wide=2), tuple(range(10)))])
    huge = kernel.EditCosts(10**9, 10**9, 1)
    assert kernel.nearest_paths(batch, costs=huge).edits[0] > 10**9
    with pytest.raises(ValueError, match="too many words for what its errors cost"):
        kernel.nearest_paths(batch, costs=kernel.EditCosts(1 << 58, 1, 1))
    with pytest.raises(ValueError, match="too many words for what its errors cost"):
        kernel.nearest_paths_with_swaps(batch, kernel.EditCosts(1 << 58, 1, 1))
    monkeypatch.setattr(kernel, "MAX_TABLE_CELLS", 500)
    for search in (kernel.nearest_paths_with_swaps, partial(kernel.nearest_paths, costs=huge)):
        with pytest.raises(
            ValueError, match=r"lattice 1 of the batch.*: 120 edges .* 10 reference words need [\d,]+ comp"
        ):
            search(batch)
    monkeypatch.setattr(kernel, "MAX_TABLE_CELLS", 10**6)
    monkeypatch.setattr(kernel, "MAX_TABLE_BYTES", 9000)
    with pytest.raises(ValueError, match=r"lattice 1 of the batch.* 10 reference words need a table of more than"):
        kernel.nearest_paths_with_swaps(batch)


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
