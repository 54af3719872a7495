"""Paths between aligned trees against their definition, and spanning trees against all spanning trees."""

from __future__ import annotations

import resource
import sys
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.kernels import dependencies
from tests.kernels.dependencies import Aligned, aligned, arrays, dependency_trees, encoding, levenshtein, trees, weight
from tests.kernels.nested import ints
from treesql.kernels.trees import spanning_trees
from treesql.kernels.trees.dependency_trees import DependencyTrees, path_encodings
from treesql.kernels.trees.spanning_trees import LinkBatch

DET, NSUBJ, AUX, ROOT, CMP, DOBJ = range(6)
FIGURE = Aligned(  # the detective is becoming a Sherlock Holmes; a Sherlock becomes the detective
    [(2, DET), (4, NSUBJ), (4, AUX), (0, ROOT), (6, DET), (7, CMP), (4, DOBJ)],
    [(2, DET), (3, NSUBJ), (0, ROOT), (5, DET), (3, DOBJ)],
    [(1, 4), (2, 5), (4, 3), (5, 1), (6, 2)],
)
XCOMP = Aligned([(2, 0), (3, 0), (0, 1)], [(2, 0), (3, 0), (0, 1)], [(1, 3), (3, 1)])
Found = list[tuple[int, int, int, int]]


@pytest.fixture(params=["tables", "bit vectors"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to hold the distances of prefixes."""
    monkeypatch.setattr(spanning_trees, "MAX_CELLS_PER_LINK", 1 << 40 if request.param == "tables" else 0)
    return str(request.param)


def found(several: list[Aligned]) -> list[Found]:
    """The edges of each spanning tree: two links, L, Lmax."""
    made = spanning_trees.spanning_trees(*arrays(several))
    edges = list(zip(*(column.tolist() for column in made[1:]), strict=True))
    return [edges[start:end] for start, end in zip(made.offsets[:-1], made.offsets[1:], strict=True)]


def totals(several: list[Aligned]) -> list[tuple[int, int]]:
    return [(sum(edge[2] for edge in edges), sum(edge[3] for edge in edges)) for edges in found(several)]


both_ways = pytest.mark.usefixtures("way")


@both_ways
def test_no_tree_is_better(way: str) -> None:
    @given(st.lists(aligned(most=5), max_size=4))
    @example([FIGURE, XCOMP])
    @settings(deadline=None)
    def check(cases: list[Aligned]) -> None:
        for case, edges, total in zip(cases, found(cases), totals(cases), strict=True):
            assert total == dependencies.least(case)
            assert len(edges) == max(len(case.links) - 1, 0)
            assert dependencies.spans(len(case.links), [(one, other) for one, other, _, _ in edges])
            for one, other, disparity, maximum in edges:
                assert (disparity, maximum) == weight(case, case.links[one], case.links[other])
                assert one < other

    check()


@both_ways
def test_what_is_called_reference_makes_no_difference(way: str) -> None:
    @given(st.lists(aligned(most=12), max_size=3))
    @settings(deadline=None)
    def check(cases: list[Aligned]) -> None:
        exchanged = [Aligned(h, r, [(j, i) for i, j in links]) for r, h, links in cases]
        backwards = [case._replace(links=case.links[::-1]) for case in cases]
        expected = totals(cases)
        assert totals(exchanged) == totals(backwards) == expected
        assert totals(cases[::-1]) == expected[::-1]

    check()


@given(st.lists(trees(70), min_size=2, max_size=2), st.data())
@settings(deadline=None, max_examples=25)
def test_both_ways_agree(pair: list[list[tuple[int, int]]], data: st.DataObject) -> None:
    """In deeper trees than all spanning trees could be tried for."""
    links = st.tuples(st.integers(1, max(len(pair[0]), 1)), st.integers(1, max(len(pair[1]), 1)))
    case = Aligned(*pair, data.draw(st.lists(links, unique=True)) if all(pair) else [])
    with pytest.MonkeyPatch.context() as patch:
        results = []
        for cells in (1 << 40, 0):
            patch.setattr(spanning_trees, "MAX_CELLS_PER_LINK", cells)
            results.append(found([case]))
    assert results[0] == results[1]


def line(n: int, labels: int = 1, seed: int = 1) -> list[tuple[int, int]]:
    """A chain: every word hangs on the one before it."""
    return [(word, (seed * word * word) % labels) for word in range(n)]


@both_ways
@pytest.mark.parametrize(
    "n", [63, 64, 65, *(pytest.param(n, marks=pytest.mark.compiled) for n in (127, 128, 129, 150))]
)
def test_deep_trees(n: int, way: str) -> None:
    """Every edge against its own Levenshtein distances, around the widths of bit vectors."""
    sys.setrecursionlimit(20_000)
    case = Aligned(line(n, 7), line(n - 3, 5, 3), [(1 + (5 * i) % n, 1 + (7 * i) % (n - 3)) for i in range(0, n, 9)])
    for one, other in combinations(range(len(case.links)), 2):
        alone = case._replace(links=[case.links[one], case.links[other]])
        ((_, _, disparity, maximum),) = found([alone])[0]
        (up, side, down), (other_up, other_side, other_down) = (
            encoding(tree, alone.links[0][at], alone.links[1][at]) for at, tree in enumerate(alone[:2])
        )
        distances = [rows(up, other_up), rows(down, other_down), int(side != other_side)]
        shared = alone.links[0][0] == alone.links[1][0] or alone.links[0][1] == alone.links[1][1]
        assert disparity == (0 if shared else sum(distances))
        assert maximum == (0 if shared else max(len(up), len(other_up)) + 1 + max(len(down), len(other_down)))


def rows(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    before = list(range(len(other) + 1))
    for i, item in enumerate(one, 1):
        here = [i]
        for j, counterpart in enumerate(other, 1):
            here.append(min(before[j - 1] + (item != counterpart), before[j] + 1, here[-1] + 1))
        before = here
    return before[-1]


def test_the_figure_of_the_source() -> None:
    """The paths of `the` and `Sherlock`, and all weights, worked by hand in docs/paths.md."""
    assert encoding(FIGURE.hypothesis, 4, 2) == ((DET, DOBJ), False, (NSUBJ,))
    assert encoding(FIGURE.reference, 1, 6) == ((DET, NSUBJ), True, (DOBJ, CMP))
    weights = {
        (one, other): found([FIGURE._replace(links=[FIGURE.links[one], FIGURE.links[other]])])[0][0][2:]
        for one, other in combinations(range(5), 2)
    }
    assert weights == {
        (0, 1): (0, 2), (0, 2): (2, 3), (0, 3): (4, 6), (0, 4): (4, 5), (1, 2): (2, 2),
        (1, 3): (4, 5), (1, 4): (4, 4), (2, 3): (3, 4), (2, 4): (3, 3), (3, 4): (0, 2),
    }  # fmt: skip
    assert totals([FIGURE]) == [(5, 9)]
    assert totals([XCOMP]) == [(5, 5)]


@both_ways
@in_turn(
    ("case", "expected"),
    [
        (Aligned([], [], []), (0, 0)),
        (Aligned([(0, 0)], [], []), (0, 0)),
        (Aligned([(0, 0)], [(0, 1)], [(1, 1)]), (0, 0)),
        (Aligned([(0, 0), (1, 1)], [(0, 0), (1, 1)], [(1, 1), (2, 2)]), (0, 2)),  # perfect
        (Aligned([(0, 0), (1, 1)], [(2, 1), (0, 0)], [(1, 2), (2, 1)]), (1, 2)),  # the side alone
        (Aligned([(0, 0), (1, 1)], [(0, 2), (1, 3)], [(1, 2), (2, 1)]), (3, 3)),  # up and down exchanged: L = Lmax
        (Aligned([(0, 0), (0, 0)], [(0, 0), (0, 0)], [(1, 1), (2, 2)]), (0, 3)),  # by way of the artificial root
        (Aligned([(0, 0), (1, 1)], [(0, 0)], [(1, 1), (2, 1)]), (0, 0)),  # both share a word
        (Aligned([(0, 0), (1, 1)], [(0, 0), (1, 1)], [(1, 1), (2, 2), (2, 2)]), (0, 2)),  # a link given twice
        (Aligned([(0, 0), (1, 1)], [(0, 0), (1, 1)], [(1, 1), (1, 2), (2, 1), (2, 2)]), (0, 0)),  # all with all
    ],
)
def test_small_cases(case: Aligned, expected: tuple[int, int], way: str) -> None:
    assert totals([FIGURE, case, FIGURE]) == [(5, 9), expected, (5, 9)]


@pytest.mark.compiled
def test_chains_of_five_thousand_words() -> None:
    """Every fifth word linked; memory is far from a gigabyte."""
    n = 5000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    one, other = line(n, 40), line(n, 37)
    words = ints(range(1, n + 1, 5))
    made = spanning_trees.spanning_trees(
        dependency_trees([one]), dependency_trees([other]), LinkBatch(ints([0, 1000]), words, words)
    )
    assert made.maximum.tolist() == [6] * 999
    found_by_neighbours = [
        levenshtein(*(tuple(label for _, label in tree[i + 1 : i + 6]) for tree in (one, other)))
        for i in range(0, n - 5, 5)
    ]
    assert made.disparity.sum() == sum(found_by_neighbours)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000


@both_ways
@in_turn(
    ("bad", "what"),
    [
        (Aligned([(2, 0)], [(0, 0)], []), "a head is no word"),
        (Aligned([(-1, 0)], [(0, 0)], []), "a head is no word"),
        (Aligned([(0, 0)], [(1, 0)], []), "cycle"),
        (Aligned([(0, 0), (3, 0), (2, 0)], [(0, 0)], [(1, 1)]), "cycle"),
        (Aligned([(0, 0)], [(0, 0)], [(2, 1)]), "a link is to no word"),
        (Aligned([(0, 0)], [(0, 0)], [(1, 0)]), "a link is to no word"),
        (Aligned([], [], [(1, 1)]), "a link is to no word"),
    ],
)
def test_what_is_no_tree_or_link(bad: Aligned, what: str, way: str) -> None:
    with pytest.raises(ValueError, match=f"pair 1 .*{what}"):
        spanning_trees.spanning_trees(*arrays([FIGURE, bad]))


def test_trees_too_deep_for_so_many_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spanning_trees, "MAX_CELLS_PER_LINK", 0)
    monkeypatch.setattr(spanning_trees, "MAX_CELLS", 9)
    with pytest.raises(ValueError, match=r"pair 0 .*too many links"):
        spanning_trees.spanning_trees(*arrays([FIGURE]))
    monkeypatch.setattr(spanning_trees, "MAX_CELLS", 10)
    assert totals([FIGURE]) == [(5, 9)]


def test_batches_of_different_lengths() -> None:
    _, other, links = arrays([FIGURE])
    with pytest.raises(ValueError, match="as many references"):
        spanning_trees.spanning_trees(arrays([FIGURE, FIGURE])[0], other, links)


def encodings(tree: list[tuple[int, int]], *pairs: tuple[int, int]) -> list[tuple[list[int], bool, list[int]]]:
    """The 1-based words of paths in one tree."""
    given_trees: DependencyTrees = dependency_trees([tree] * len(pairs))
    made = path_encodings(
        given_trees.offsets, given_trees.heads, ints([a for a, _ in pairs]), ints([b for _, b in pairs])
    )
    ways = [(made.ascending, made.ascending_offsets), (made.descending, made.descending_offsets)]
    up, down = (
        [(words - i * len(tree) + 1)[at[i] : at[i + 1]].tolist() for i in range(len(pairs))] for words, at in ways
    )
    return list(zip(up, made.rightwards.tolist(), down, strict=True))


@given(trees(12))
def test_encodings(tree: list[tuple[int, int]]) -> None:
    pairs = [(i, j) for i in range(1, len(tree) + 1) for j in range(1, len(tree) + 1)]
    for (i, j), (up, right, down) in zip(pairs, encodings(tree, *pairs), strict=True):
        labels = tuple(tuple(tree[word - 1][1] for word in part) for part in (up, down))
        assert (labels[0], right, labels[1]) == encoding(tree, i, j)


@in_turn(
    ("tree", "pair", "what"),
    [
        ([(0, 0)], (1, 2), "no word 2 in the sentence, which has 1"),
        ([(0, 0)], (0, 1), "no word 0 in the sentence"),
        ([(2, 0), (1, 0)], (1, 2), "cycle"),
        ([(5, 0), (0, 0)], (1, 2), "a head is no word"),
    ],
)
def test_paths_that_are_not_there(tree: list[tuple[int, int]], pair: tuple[int, int], what: str) -> None:
    with pytest.raises(ValueError, match=f"path 0 .*{what}"):
        encodings(tree, pair)
