"""Skeletons, clusters and splits against sets of leaves."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.kernels.lattices import offsets
from tests.kernels.nested import Leaves, Tree, batch, below, chain, clusters, conflict, ints, pairs, trees
from tests.kernels.phrases import Parse, leaf_sets, parses
from treesql.kernels.arrays import Ints, Keys
from treesql.kernels.trees import splits


def members(tree: Tree, n: int, unrooted: bool) -> set[Leaves]:
    everything = frozenset(range(n))
    if not unrooted:
        return {node for node in clusters(tree) if 2 <= len(node) < n}
    return {node if 0 in node else everything - node for node in clusters(tree) if 2 <= len(node) <= n - 2}


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
def test_compare(cases: list[tuple[int, Tree, Tree]], unrooted: bool) -> None:
    found = compared([gold for _, gold, _ in cases], [test for _, _, test in cases], unrooted)
    assert found == [twin(*case, unrooted) for case in cases]


def keys_of(several: list[Tree], names: list[int], unrooted: bool) -> list[list[int]]:
    """The keys of trees over leaves with these names."""
    forest = batch(several)
    found = splits.split_keys_by_names(forest._replace(leaves=ints(names)[forest.leaves]), KEYS, unrooted)
    return [found.keys[low:high].tolist() for low, high in pairwise(found.offsets)]


KEYS: Keys = np.random.default_rng(0).integers(0, 2**64, 9, dtype=np.uint64)


@given(st.integers(1, 7).flatmap(lambda n: st.lists(trees(list(range(n))), max_size=5)), st.booleans(), st.randoms())
def test_keys_of_all_pairs(several: list[Tree], unrooted: bool, chance: Random) -> None:
    n = len(below(several[0])) if several else 0
    order = list(range(n))
    chance.shuffle(order)
    sets = [{frozenset(order[leaf] for leaf in node) for node in members(tree, n, False)} for tree in several]
    if unrooted:
        everything = frozenset(range(n))
        sets = [{a if 0 in a else everything - a for a in one if len(a) <= n - 2} for one in sets]
    keys = keys_of(several, order, unrooted)
    assert [[len({*a} & {*b}) for b in keys] for a in keys] == [[len(a & b) for b in sets] for a in sets]
    assert [len(one) for one in keys] == [len(one) for one in sets]


def test_keys_are_the_same_in_every_batch_and_process() -> None:
    """A key depends on the names of its leaves alone; the number is written down so that a change of it is seen."""
    [[key]] = keys_of([[[0, 1], 2, 3]], list(range(4)), False)
    assert keys_of([list(range(9)), [2, 3, 4, 5, [1, 0], 6, 7, 8]], list(range(9)), False) == [[], [key]]
    assert keys_of([[[0, 1], 2, 3]], [1, 2, 3, 4], False) != [[key]]
    forest = batch([[[0, 1], 2, 3]])
    by_hand = splits.split_keys_by_names(forest, np.array([0, 0x9E3779B97F4A7C15, 5, 6], np.uint64))
    first, second = 0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4  # of splitmix64 from state 0
    assert by_hand.keys.tolist() == [first ^ second]
    [[one], [other]] = keys_of([[[0, 1], 2, 3], [0, 1, [2, 3]]], list(range(4)), True)
    assert one == other


@in_turn(
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


@pytest.mark.compiled
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
    assert keys_of([], [], False) == []
    assert keys_of([0, [0]], [0], False) == [[], []]


def test_trees_of_different_sizes() -> None:
    with pytest.raises(ValueError, match="same number of leaves"):
        splits.compare_splits(batch([[0, 1]]), batch([[0, 1, 2]]))


@st.composite
def named_trees(draw: st.DrawFn, subsets: bool) -> list[tuple[Tree, list[int]]]:
    """Trees over leaves 0..n-1, and the names of these, in other orders or, of all names, others."""
    greatest = draw(st.sampled_from([8, 2**64 - 1]))
    pool = draw(st.lists(st.integers(1, greatest), min_size=1, max_size=7, unique=True))
    found = []
    for _ in range(draw(st.integers(0, 5))):
        names = draw(st.permutations(pool))
        names = names[: draw(st.integers(0, len(pool)))] if subsets else names
        found.append((draw(trees(list(draw(st.permutations(range(len(names))))))), list(names)))
    return found


def keyed(several: list[tuple[Tree, list[int]]], unrooted: bool) -> splits.NamedSplits:
    forest = batch([tree for tree, _ in several])
    starts = np.repeat(forest.leaf_offsets[:-1], np.diff(forest.leaf_offsets))
    names = np.array([name for _, one in several for name in one], dtype=np.uint64)
    return splits.split_keys_by_names(forest._replace(leaves=forest.leaves + starts), names, unrooted)


@pytest.mark.parametrize("unrooted", [False, True])
@given(data=st.data())
def test_keys_by_names(data: st.DataObject, unrooted: bool) -> None:
    """Equal keys, equal names: of clusters of any trees, of splits where the trees have the same leaves."""
    several = data.draw(named_trees(subsets=not unrooted))
    found = keyed(several, unrooted)
    keys = [set(one) for one in split(found.keys, found.offsets)]
    members = [named_sets(tree, names, unrooted) for tree, names in several]
    assert np.diff(found.offsets).tolist() == [len(one) for one in keys] == [len(one) for one in members]
    assert [[len(a & b) for b in keys] for a in keys] == [[len(a & b) for b in members] for a in members]
    wholes = {(key, frozenset(names)) for key, (_, names) in zip(found.leaves.tolist(), several, strict=True)}
    assert len(wholes) == len({key for key, _ in wholes}) == len({names for _, names in wholes})
    for one, key, case in zip(split(found.keys, found.offsets), found.leaves.tolist(), several, strict=True):
        alone = keyed([case], unrooted)
        assert (alone.keys.tolist(), alone.leaves.tolist()) == (one, [key])


def named_sets(tree: Tree, names: list[int], unrooted: bool) -> set[frozenset[object]]:
    """Clusters as sets of names, splits as sets of two sets."""
    n = len(names)
    inner = [node for node in clusters(tree) if 2 <= len(node) < (n - 1 if unrooted else n)]
    sides = [frozenset(names[leaf] for leaf in node) for node in inner]
    return {frozenset([side, frozenset(names) - side]) for side in sides} if unrooted else {*sides}


def split(keys: Keys, offsets: Ints) -> list[list[int]]:
    return [keys[a:b].tolist() for a, b in pairwise(offsets.tolist())]


@st.composite
def labelled(draw: st.DrawFn, n: int) -> tuple[Parse, list[int], list[int]]:
    """A parse, labels of its phrases, and the numbers 0..n-1 of its words in any order, between words that are left
    out."""
    tree = draw(parses().filter(lambda tree: len(tree.phrases) >= n))
    kept = sorted(draw(st.permutations(range(len(tree.phrases))))[:n])
    order = draw(st.one_of(st.just(list(range(n))), st.permutations(range(n))))
    numbers = dict(zip(kept, order, strict=True))
    labels = draw(st.lists(st.integers(0, 2), min_size=len(tree.parents), max_size=len(tree.parents)))
    return tree, labels, [numbers.get(word, -1) for word in range(len(tree.phrases))]


def labels_of_clusters(case: tuple[Parse, list[int], list[int]], n: int) -> dict[frozenset[int], list[int]]:
    """By the leaves of a cluster the labels of its phrases from the top."""
    tree, labels, numbers = case
    found: dict[frozenset[int], list[int]] = {}
    for leaves, label in zip(leaf_sets(tree, numbers), labels, strict=True):
        found.setdefault(leaves, []).append(label)
    return {leaves: chain for leaves, chain in found.items() if 2 <= len(leaves) < n}


def batch_of_labelled(cases: list[tuple[Parse, list[int], list[int]]]) -> splits.LabelledTrees:
    return splits.LabelledTrees(
        offsets([len(tree.parents) for tree, _, _ in cases]),
        ints([parent for tree, _, _ in cases for parent in tree.parents]),
        LABEL_KEYS[[label for _, labels, _ in cases for label in labels]],
        offsets([len(tree.phrases) for tree, _, _ in cases]),
        ints([phrase for tree, _, _ in cases for phrase in tree.phrases]),
        ints([number for _, _, numbers in cases for number in numbers]),
    )


LABEL_KEYS: Keys = np.array([0, 1, 2**64 - 1], dtype=np.uint64)


@given(st.data())
def test_labelled_clusters(data: st.DataObject) -> None:
    """Against sets of leaves with the labels of their phrases, from the top."""
    sizes = data.draw(st.lists(st.integers(0, 6), max_size=4))
    gold, test = ([data.draw(labelled(n)) for n in sizes] for _ in range(2))
    found = splits.compare_labelled_clusters(batch_of_labelled(gold), batch_of_labelled(test))
    for at, n in enumerate(sizes):
        one, other = labels_of_clusters(gold[at], n), labels_of_clusters(test[at], n)
        common = one.keys() & other.keys()
        relabelled = sum(one[leaves] != other[leaves] for leaves in common)
        assert [int(column[at]) for column in found] == [len(one), len(other), len(common), relabelled]
