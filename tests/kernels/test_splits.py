"""Skeletons, clusters and splits against sets of leaves."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.kernels.nested import Leaves, Tree, batch, below, chain, clusters, ints, pairs, trees
from treesql.kernels import skeletons, splits


def members(tree: Tree, n: int, unrooted: bool) -> set[Leaves]:
    everything = frozenset(range(n))
    if not unrooted:
        return {node for node in clusters(tree) if 2 <= len(node) < n}
    return {node if 0 in node else everything - node for node in clusters(tree) if 2 <= len(node) <= n - 2}


def conflict(a: Leaves, b: Leaves, n: int, unrooted: bool) -> bool:
    return bool(a & b and a - b and b - a) and not (unrooted and len(a | b) == n)


def twin(n: int, gold: Tree, test: Tree, unrooted: bool) -> list[int]:
    one, other = members(gold, n, unrooted), members(test, n, unrooted)
    return [
        len(one),
        len(other),
        len(one & other),
        sum(any(conflict(a, b, n, unrooted) for b in other) for a in one),
        sum(any(conflict(a, b, n, unrooted) for a in one) for b in other),
    ]


def compared(gold: list[Tree], test: list[Tree], unrooted: bool) -> list[list[int]]:
    return np.array(splits.compare_splits(batch(gold), batch(test), unrooted)).T.tolist()


@given(st.lists(pairs(), max_size=4), st.booleans())
@example([(5, [[0, [1, 2]], [3, 4]], [2, [4, 0], [3, 1]])], True)
@example([(1, 0, 0), (1, [0], [[0]]), (0, [], []), (2, [0, 1], [[1, 0]])], False)
@settings(deadline=None, max_examples=300)
def test_compare(cases: list[tuple[int, Tree, Tree]], unrooted: bool) -> None:
    found = compared([gold for _, gold, _ in cases], [test for _, _, test in cases], unrooted)
    assert found == [twin(*case, unrooted) for case in cases]


@given(st.integers(1, 7).flatmap(lambda n: st.lists(trees(list(range(n))), max_size=5)), st.booleans(), st.randoms())
@settings(deadline=None)
def test_keys_of_all_pairs(several: list[Tree], unrooted: bool, chance: Random) -> None:
    n = len(below(several[0])) if several else 0
    order = list(range(n))
    chance.shuffle(order)
    sets = [{frozenset(order[leaf] for leaf in node) for node in members(tree, n, False)} for tree in several]
    forest = batch(several)
    moved = forest._replace(leaves=ints(order)[forest.leaves])
    if unrooted:
        everything = frozenset(range(n))
        sets = [{a if 0 in a else everything - a for a in one if len(a) <= n - 2} for one in sets]
    keyed = splits.split_keys(moved, unrooted)
    assert splits.count_common_keys(keyed).tolist() == [[len(a & b) for b in sets] for a in sets]
    assert np.diff(keyed.offsets).tolist() == [len(one) for one in sets]


def test_keys_are_the_same_in_every_batch_and_process() -> None:
    """A key depends on its leaves alone; the numbers are written down so that a change of them is seen."""
    (key,) = splits.split_keys(batch([[[0, 1], 2, 3]])).keys
    alone = splits.split_keys(batch([list(range(9)), [2, 3, 4, 5, [1, 0], 6, 7, 8]]))
    assert alone.offsets.tolist() == [0, 0, 1]
    assert alone.keys[0] == key == 0xE220A8397B1DCDAF ^ 0x6E789E6AA1B965F4  # the first two of splitmix64 from state 0
    assert splits.split_keys(batch([[[0, 1], 2, 3]]), seed=1).keys[0] != key
    one, other = splits.split_keys(batch([[[0, 1], 2, 3], [0, 1, [2, 3]]]), unrooted=True).keys
    assert one == other


@pytest.mark.parametrize(
    ("gold", "test", "rooted", "unrooted"),
    [
        ([[0, 1], [2, 3]], [[0, 1], [2, 3]], [2, 2, 2, 0, 0], [1, 1, 1, 0, 0]),
        ([[0, 1], 2], [0, [1, 2]], [1, 1, 0, 1, 1], [0, 0, 0, 0, 0]),
        ([[0, 1], [2, 3]], [0, 1, 2, 3], [2, 0, 0, 0, 0], [1, 0, 0, 0, 0]),
        ([[0, 1], [2, 3]], [[0, 2], [1, 3]], [2, 2, 0, 2, 2], [1, 1, 0, 1, 1]),
        (chain([0, 1, 2, 3, 4, 5]), chain([5, 4, 3, 2, 1, 0]), [4, 4, 0, 4, 4], [3, 3, 3, 0, 0]),
        ([0], [[0]], [0] * 5, [0] * 5),
    ],
)
def test_small_trees(gold: Tree, test: Tree, rooted: list[int], unrooted: list[int]) -> None:
    assert compared([gold], [test], False) == [rooted]
    assert compared([gold], [test], True) == [unrooted]


@pytest.mark.parametrize("unrooted", [False, True])
def test_many_leaves(unrooted: bool) -> None:
    n = 5000
    order = list(range(n))
    swapped = [*order[: n - 2], n - 1, n - 2]
    size = n - 3 if unrooted else n - 2
    expected = [size, size, n - 3, int(not unrooted), int(not unrooted)]
    assert compared([chain(order)], [chain(swapped)], unrooted) == [expected]
    odd = [*order[::2], *order[1::2]]
    found = compared([chain(order)], [chain(odd)], unrooted)[0]
    assert found[:3] == [size, size, int(not unrooted)]
    assert found[3] > n - 10


def test_nothing() -> None:
    empty = batch([])
    assert [len(column) for column in splits.compare_splits(empty, empty)] == [0] * 5
    assert splits.count_common_keys(splits.split_keys(empty)).shape == (0, 0)
    assert splits.count_common_keys(splits.split_keys(batch([0, [0]]))).tolist() == [[0, 0], [0, 0]]


def test_trees_of_different_sizes() -> None:
    with pytest.raises(ValueError, match="same number of leaves"):
        splits.compare_splits(batch([[0, 1]]), batch([[0, 1, 2]]))


Spans = list[tuple[int, int]]


def spans(tree: Tree, start: int = 1) -> Spans:
    """The spans of all inner nodes in preorder, words counted from 1."""
    if not isinstance(tree, list):
        return []
    found: Spans = [(start, start + len(below(tree)) - 1)]
    for child in tree:
        found += spans(child, start)
        start += len(below(child))
    return found


def without(tree: Tree, gone: set[int]) -> Tree:
    """A tree without some leaves, the others numbered anew; inner nodes that lose all stay, empty."""
    if isinstance(tree, list):
        return [without(child, gone) for child in tree if isinstance(child, list) or child not in gone]
    return tree - sum(leaf < tree for leaf in gone)


def same(one: skeletons.Skeletons, other: skeletons.Skeletons) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@given(st.lists(st.integers(1, 7).flatmap(lambda n: trees(list(range(n)))), max_size=3), st.data())
@settings(deadline=None)
def test_skeletons_of_spans(several: list[Tree], data: st.DataObject) -> None:
    """Spans and parents give the same skeletons, also when words are deleted; the span over all may be missing."""
    lengths = [len(below(tree)) for tree in several]
    gone = [data.draw(st.sets(st.integers(0, n - 1))) for n in lengths]
    nodes = [spans(tree)[data.draw(st.integers(0, 1)) :] for tree in several]
    offsets = ints([0, *np.cumsum([len(one) for one in nodes])]) if nodes else ints([0])
    first, last = (ints([span[side] for one in nodes for span in one]) for side in (0, 1))
    kept = np.array([word not in out for n, out in zip(lengths, gone, strict=True) for word in range(n)], dtype=bool)
    assert same(skeletons.from_spans(first, last, offsets, ints(lengths)), batch(several))
    left = batch([without(tree, out) for tree, out in zip(several, gone, strict=True)])
    assert same(skeletons.from_spans(first, last, offsets, ints(lengths), kept), left)


def test_a_skeleton() -> None:
    """Unary nodes are contracted, one root is put above a forest."""
    made = skeletons.from_spans(ints([1, 1, 2, 2, 4, 1]), ints([3, 3, 3, 2, 4, 1]), ints([0, 5, 6]), ints([5, 1]))
    assert made.node_offsets.tolist() == [0, 3, 3]
    assert list(zip(made.first.tolist(), made.end.tolist(), strict=True)) == [(0, 5), (0, 3), (1, 3)]
    assert made.leaf_offsets.tolist() == [0, 5, 6]
    assert made.leaves.tolist() == [0, 1, 2, 3, 4, 0]


@pytest.mark.parametrize(
    "bad",
    [[(1, 2), (2, 3)], [(1, 3), (2, 4)], [(2, 3), (1, 3)], [(0, 2)], [(1, 5)], [(3, 2)], [(1, 4), (3, 4), (1, 2)]],
)
def test_spans_that_are_no_tree(bad: Spans) -> None:
    good: Spans = [(1, 4), (1, 2)]
    first, last = (ints([span[side] for span in good + bad]) for side in (0, 1))
    with pytest.raises(ValueError, match=r"tree 1 .* nest"):
        skeletons.from_spans(first, last, ints([0, 2, 2 + len(bad)]), ints([4, 4]))


@pytest.mark.parametrize(
    ("parents", "leaves", "what"),
    [
        ([-1, 2, 0], [-1, 0, 1], "preorder"),
        ([-1, 0, 0, 1], [-1, -1, 0, 1], "preorder"),
        ([-1, 0, 0], [-1, 0, 0], "numbered"),
        ([-1, 0, 0], [-1, 0, 2], "numbered"),
        ([-1, 0, 1], [-1, 1, 0], "numbered"),
        ([0], [0], "preorder"),
    ],
)
def test_nodes_that_are_no_tree(parents: list[int], leaves: list[int], what: str) -> None:
    with pytest.raises(ValueError, match=rf"tree 0 .* {what}"):
        skeletons.from_parents(ints(parents), ints(leaves), ints([0, len(parents)]))
