"""Quartets against all sets of four leaves, looked at one by one."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.kernels.nested import Tree, batch, chain, clusters, of_spans, pairs, quartet_side, trees
from treesql.kernels.trees import quartets, skeletons
from treesql.kernels.trees.quartets import TOO_LARGE, count_quartets


def twin(n: int, gold: Tree, test: Tree) -> list[int]:
    if n < 4:
        return [-1] * 6
    one, other = clusters(gold), clusters(test)
    both = [(quartet_side(one, four), quartet_side(other, four)) for four in combinations(range(n), 4)]
    return [
        comb(n, 4),
        sum(a is not None for a, _ in both),
        sum(b is not None for _, b in both),
        sum(a is not None and a == b for a, b in both),
        sum(a is not None and b is not None and a != b for a, b in both),
        sum(a is None and b is None for a, b in both),
    ]


def counted(gold: list[Tree], test: list[Tree]) -> list[list[int]]:
    return np.array(count_quartets(batch(gold), batch(test))).T.tolist()


@given(st.lists(pairs(), max_size=4))
@example([(4, [0, 1, 2, 3], [[0, 1], [2, 3]]), (3, [0, [1, 2]], [[0, 1], 2]), (4, [[0, 1], 2, 3], [[0, 2], 1, 3])])
def test_quartets(cases: list[tuple[int, Tree, Tree]]) -> None:
    found = counted([gold for _, gold, _ in cases], [test for _, _, test in cases])
    assert found == [twin(*case) for case in cases]


def flat(n: int, cuts: set[int]) -> Tree:
    """A root over phrases of leaves only, which begin at the cuts."""
    bounds = [0, *sorted(cuts), n]
    return [list(range(a, b)) if b - a > 1 else a for a, b in pairwise(bounds)]


@given(st.data())
def test_leaves_in_the_same_order(data: st.DataObject) -> None:
    """Trees of any shape, and flat ones, in all combinations."""
    n = data.draw(st.integers(4, 14))
    cuts = st.sets(st.integers(1, n - 1))
    sides = [data.draw(trees(list(range(n))) | cuts.map(lambda chosen: flat(n, chosen))) for _ in range(2)]
    assert counted([sides[0]], [sides[1]]) == [twin(n, *sides)]


@given(st.data())
@settings(deadline=None, max_examples=8)
def test_polytomies(data: st.DataObject) -> None:
    """Nodes of more than a dozen children, whose tables are made sparse."""
    n = data.draw(st.integers(16, 22))
    sides: list[Tree] = []
    for _ in range(2):
        order = list(data.draw(st.permutations(range(n))))
        cuts = sorted(data.draw(st.sets(st.integers(1, n - 1), min_size=11)))
        sides.append([order[a:b] for a, b in zip([0, *cuts], [*cuts, n], strict=True)])
    assert counted([sides[0]], [sides[1]]) == [twin(n, *sides)]


@in_turn(
    ("gold", "test", "expected"),
    [
        ([[0, 1], [2, 3]], [[0, 1], [2, 3]], [1, 1, 1, 1, 0, 0]),
        ([[0, 1], [2, 3]], [0, 1, 2, 3], [1, 1, 0, 0, 0, 0]),
        ([0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 0, 0, 0, 1]),
        ([[0, 1], [2, 3]], [[0, [1, 2]], 3], [1, 1, 1, 0, 1, 0]),
        ([[0, 1], [2, 3]], [[0, 2], [1, 3]], [1, 1, 1, 0, 1, 0]),
        ([[0, 1], [2, 3]], [[0, 1], 2, 3], [1, 1, 1, 1, 0, 0]),
        ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5], [15, 0, 0, 0, 0, 15]),
        ([[0, 1], 2, 3, 4, 5], [0, 1, 2, 3, 4, 5], [15, 6, 0, 0, 0, 9]),
        ([[0, 1], 2, 3, 4, 5], [0, 1, 2, 3, [4, 5]], [15, 6, 6, 1, 0, 4]),
        ([[0, 1], 2, 3, 4, 5], [0, [1, 2], 3, 4, 5], [15, 6, 6, 0, 3, 6]),
        ([[0, 1, 2], 3, 4, 5], [0, 1, 2, [3, 4, 5]], [15, 9, 9, 9, 0, 6]),
        ([0, [1, 2]], [0, [1, 2]], [-1] * 6),
        (0, 0, [-1] * 6),
        ([], [], [-1] * 6),
    ],
)
def test_small_trees(gold: Tree, test: Tree, expected: list[int]) -> None:
    """The worked cases: alike, resolved against a star, two stars, resolved otherwise, a root of two children, and
    stars with a phrase."""
    assert counted([gold], [test]) == [expected]


@pytest.mark.parametrize("n", [5, 40, pytest.param(500, marks=pytest.mark.compiled)])
def test_left_and_right_branching_are_one_unrooted_tree(n: int) -> None:
    left, right = chain(list(range(n))), chain(list(range(n))[::-1])
    assert counted([left], [right]) == [[comb(n, 4)] * 4 + [0, 0]]


def test_both_ways_of_counting_agree() -> None:
    """In the same order by intervals, whatever the leaves are called; with one tree turned over by tables."""
    rng = np.random.default_rng(7)
    gold, test = parses(rng, 60, 20), parses(rng, 60, 20)
    by_intervals = np.array(count_quartets(gold, test))
    order = rng.permutation(60)
    moved = np.concatenate([order] * 20)
    assert np.array_equal(
        np.array(count_quartets(gold._replace(leaves=moved), test._replace(leaves=moved))), by_intervals
    )
    turned = [turned_over(gold), turned_over(test)]
    assert np.array_equal(np.array(count_quartets(*turned)), by_intervals)
    assert np.array_equal(np.array(count_quartets(gold, turned[1])), by_intervals)


def parses(rng: np.random.Generator, n: int, trees: int) -> skeletons.Skeletons:
    """Random binary trees over n leaves in order."""
    several: list[list[tuple[int, int]]] = []
    for _ in range(trees):
        spans, waiting = [], [(0, n)]
        while waiting:
            low, high = waiting.pop()
            spans.append((low, high))
            if high - low > 1:
                cut = int(rng.integers(low + 1, high))
                waiting += [(cut, high), (low, cut)]
        several.append(spans)
    return of_spans(several, [list(range(n))] * trees)


def turned_over(trees: skeletons.Skeletons) -> skeletons.Skeletons:
    """The same unordered trees with the children of every node in reverse order."""
    first, end, leaves = trees.first.copy(), trees.end.copy(), trees.leaves.copy()
    for tree, (low, high) in enumerate(zip(trees.node_offsets, trees.node_offsets[1:], strict=False)):
        start, stop = trees.leaf_offsets[tree], trees.leaf_offsets[tree + 1]
        begins, ends = (stop - start) - trees.end[low:high], (stop - start) - trees.first[low:high]
        order = np.lexsort((-ends, begins))
        first[low:high], end[low:high] = begins[order], ends[order]
        leaves[start:stop] = trees.leaves[start:stop][::-1]
    return trees._replace(first=first, end=end, leaves=leaves)


@pytest.mark.compiled
def test_many_leaves() -> None:
    """C(5000, 4) = 2.6e13: products stay below 2**63, and two nodes that never meet are passed over."""
    rng = np.random.default_rng(11)
    n, total = 5000, comb(5000, 4)
    star = batch([list(range(n))])
    gold = parses(rng, n, 1)
    test = parses(rng, n, 1)._replace(leaves=rng.permutation(n))
    assert [int(count[0]) for count in count_quartets(gold, gold)] == [total, total, total, total, 0, 0]
    assert [int(count[0]) for count in count_quartets(gold, star)] == [total, total, 0, 0, 0, 0]
    found = [int(count[0]) for count in count_quartets(gold, test)]
    assert found[:3] == [total] * 3
    assert found[3] + found[4] == total
    assert 0.32 < found[3] / total < 0.35  # by chance one in three is resolved alike


@pytest.mark.compiled
def test_many_children() -> None:
    """A star of 50,000 leaves, and flat trees: pairs of leaves, pairs that begin one leaf later, halves."""
    n = 50_000
    star, pairs, later, halves = (
        flat(n, cuts) for cuts in (set(range(1, n)), set(range(2, n, 2)), {*range(1, n, 2)}, {n // 2})
    )
    butterflies, others = n // 2 * comb(n - 2, 2) - comb(n // 2, 2), n // 2 - 1
    assert counted([star], [star]) == [[comb(n, 4), 0, 0, 0, 0, comb(n, 4)]]
    assert counted([star], [pairs]) == [[comb(n, 4), 0, butterflies, 0, 0, comb(n, 4) - butterflies]]
    assert counted([pairs], [pairs])[0][1:5] == [butterflies, butterflies, butterflies, 0]
    assert counted([pairs], [halves])[0][2:4] == [comb(n // 2, 2) ** 2, n // 2 * comb(n // 2, 2) - (n // 4) ** 2]
    found = counted([pairs], [later])[0]
    assert found[2] == others * comb(n - 2, 2) - comb(others, 2)
    assert found[3] == others * (n // 2 - 2)  # a pair of each tree, without a leaf in common
    assert counted([later], [pairs])[0] == [found[0], found[2], found[1], *found[3:]]


def test_nothing() -> None:
    assert [len(count) for count in count_quartets(batch([]), batch([]))] == [0] * 6


def test_trees_of_different_sizes() -> None:
    with pytest.raises(ValueError, match="same number of leaves"):
        count_quartets(batch([[0, 1, 2, 3]]), batch([[0, 1, 2, 3, 4]]))


def test_nodes_of_too_many_children() -> None:
    """Two stars whose leaves are in different orders would need a table of 20,000 by 20,000."""
    n = 20_000
    one, other = list(range(n)), list(range(n))[::-1]
    assert counted([one], [one])[0][5] == comb(n, 4)
    found = counted([[0, 1, 2], one, [0, 1, 2, 3]], [[0, 1, 2], other, [0, 1, 2, 3]])
    assert found == [[-1] * 6, [TOO_LARGE, *[-1] * 5], [1, 0, 0, 0, 0, 1]]


def test_trees_of_too_many_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quartets, "MAX_LEAVES", 4)
    assert counted([[0, 1, 2, 3, 4], [0, 1, 2, 3]], [[0, 1, 2, 3, 4], [0, 1, 2, 3]]) == [
        [TOO_LARGE, *[-1] * 5],
        [1, 0, 0, 0, 0, 1],
    ]
