"""Edit distance of ordered labelled trees: the fewest nodes to insert, delete or rename, for a batch of pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Ints, SmallInts
from treesql.kernels.compiling import compiled
from treesql.kernels.ordered_trees import OrderedTrees

Costs = NDArray[np.int8]

STEPS_PER_PAIR = 8
"""Steps for each pair of nodes, in trees of usual depth."""

AT_ONCE = 1 << 26
"""Maximum number of cells in the tables that pairs of trees share; where they need more, each pair has its own."""

LABELLED, SHAPE_ONLY, NO_RENAMING = 1, 0, 2
"""Cost of renaming a node: one step, nothing, or as much as a deletion and an insertion."""


class Counterparts(NamedTuple):
    """Pairs of nodes that count as equal, whatever their labels.

    offsets: (trees + 1,), the start and end of each pair's counterparts; gold, test: (counterparts,), numbers of nodes,
    counted from 0 within their tree.
    """

    offsets: Ints
    gold: Ints
    test: Ints


def tree_edit_distances(
    gold: OrderedTrees, test: OrderedTrees, rename: int = LABELLED, counterparts: Counterparts | None = None
) -> Ints:
    """Return the distance of the i-th tree of one batch and the i-th of the other: (trees,).

    Insertions and deletions cost 1; renaming costs nothing where labels are equal and `rename` where they differ; with
    `counterparts`, nothing for these and `rename` for all other nodes. For forests F, G whose last trees have the roots
    v, w, and - removing a node or the tree below it:

        d(F, G) = min(d(F - v, G) + 1, d(F, G - w) + 1, d(F - tree(v), G - tree(w)) + d(tree(v), tree(w))),

    the last term being d(F - v, G - w) + rename(v, w) if both are trees. Forests are filled for pairs of key roots, the
    nodes with a sibling to their left or, in mirrored trees, to their right, whichever of the two needs fewer cells.
    O(nodes * nodes' * min(depth, leaves) * min(depth', leaves')) time, O(nodes * nodes') memory. Either tree may be a
    forest or empty.

    ValueError: parents that are not in postorder. Source: Zhang & Shasha 1989.
    """
    if len(gold.offsets) != len(test.offsets):
        raise ValueError("both batches must have the same number of trees")
    nothing = np.zeros(0, np.int64)
    equal = counterparts or Counterparts(nothing, nothing, nothing)
    if counterparts:
        _check_counterparts(counterparts, gold.offsets, test.offsets)
    largest, other_largest = (int(np.diff(trees.offsets).max(initial=0)) for trees in (gold, test))
    if largest * other_largest > AT_ONCE and len(gold.offsets) > 2:
        return _distances_one_by_one(gold, test, rename, counterparts)
    pair, found = _distances(*gold, *test, rename, *equal)
    if pair >= 0:
        raise ValueError(f"pair {pair} of the batch, counted from 0: the nodes of a tree are not in postorder")
    return found


def _distances_one_by_one(
    gold: OrderedTrees, test: OrderedTrees, rename: int, counterparts: Counterparts | None
) -> Ints:
    """The same with tables for every pair, where the largest tree of one side and of the other make no pair."""
    found = np.empty(len(gold.offsets) - 1, np.int64)
    for pair in range(len(found)):
        one, other = (OrderedTrees(*_part(trees.offsets, pair, trees.parents, trees.labels)) for trees in (gold, test))
        equal = counterparts and Counterparts(*_part(counterparts.offsets, pair, counterparts.gold, counterparts.test))
        found[pair] = tree_edit_distances(one, other, rename, equal)[0]
    return found


def _part(offsets: Ints, pair: int, *arrays: Ints) -> list[Ints]:
    """Offsets and items of one pair."""
    first, last = offsets[pair], offsets[pair + 1]
    return [np.array([0, last - first]), *(array[first:last] for array in arrays)]


def _check_counterparts(counterparts: Counterparts, gold_offsets: Ints, test_offsets: Ints) -> None:
    """Raise ValueError for a counterpart that is not a node of its tree."""
    sizes = np.diff(counterparts.offsets)
    for nodes, offsets in ((counterparts.gold, gold_offsets), (counterparts.test, test_offsets)):
        wrong = np.flatnonzero((nodes < 0) | (nodes >= np.repeat(np.diff(offsets), sizes)))
        if len(wrong):
            pair = int(np.searchsorted(counterparts.offsets, wrong[0], side="right")) - 1
            raise ValueError(f"pair {pair} of the batch, counted from 0: a counterpart is no node of its tree")


def _cost(gold_offsets: Ints, _: Ints, __: Ints, test_offsets: Ints, *others: object) -> float:
    """As many steps for each pair of nodes as trees of usual depth take."""
    return STEPS_PER_PAIR * float(np.diff(gold_offsets) @ np.diff(test_offsets))


@compiled(cost=_cost)
def _distances(
    gold_offsets: Ints,
    gold_parents: Ints,
    gold_labels: Ints,
    test_offsets: Ints,
    test_parents: Ints,
    test_labels: Ints,
    rename: int,
    counterpart_offsets: Ints,
    gold_counterparts: Ints,
    test_counterparts: Ints,
) -> tuple[int, Ints]:
    pairs = len(gold_offsets) - 1
    found = np.empty(pairs, np.int64)
    most, most_other = 0, 0
    for pair in range(pairs):
        most = max(most, gold_offsets[pair + 1] - gold_offsets[pair])
        most_other = max(most_other, test_offsets[pair + 1] - test_offsets[pair])
    one, other = np.empty((6, most + 1), np.int64), np.empty((6, most_other + 1), np.int64)
    subtrees = np.empty((most, most_other), np.int32)
    forests = np.empty((most + 1, most_other + 1), np.int32)
    costs = np.empty((most, most_other), np.int8)
    places, other_places = np.empty(most, np.int64), np.empty(most_other, np.int64)
    linked = len(counterpart_offsets) > 0
    numbers = np.arange(max(most, most_other))
    for pair in range(pairs):
        first, last = gold_offsets[pair], gold_offsets[pair + 1]
        other_first, other_last = test_offsets[pair], test_offsets[pair + 1]
        if first == last or other_first == other_last:
            found[pair] = max(last - first, other_last - other_first)
            continue
        labels = numbers[: last - first] if linked else gold_labels[first:last]
        other_labels = numbers[: other_last - other_first] if linked else test_labels[other_first:other_last]
        cells = _index_tree(gold_parents[first:last], labels, one)
        other_cells = _index_tree(test_parents[other_first:other_last], other_labels, other)
        if cells[0] < 0 or other_cells[0] < 0:
            return pair, found
        side = 0 if cells[0] * other_cells[0] <= cells[1] * other_cells[1] else 3
        if linked:
            costs[: last - first, : other_last - other_first] = rename
            for node in range(last - first):
                places[one[side, node]] = node
            for node in range(other_last - other_first):
                other_places[other[side, node]] = node
            for i in range(counterpart_offsets[pair], counterpart_offsets[pair + 1]):
                costs[places[gold_counterparts[i]], other_places[test_counterparts[i]]] = 0
        else:
            for node in range(last - first):
                for other_node in range(other_last - other_first):
                    costs[node, other_node] = 0 if one[side, node] == other[side, other_node] else rename
        found[pair] = _tree_distance(
            one[side + 1], one[side + 2], last - first,
            other[side + 1], other[side + 2], other_last - other_first,
            costs, subtrees, forests,
        )  # fmt: skip
    return -1, found


@compiled
def _index_tree(parents: Ints, labels: Ints, tree: Ints) -> tuple[int, int]:
    """Write a tree into rows 0-2 of `tree`, and its mirror image into rows 3-5: labels, leftmost leaves, key roots.

    The leftmost leaf below each node in postorder; for each leaf the highest node of which it is the leftmost leaf, its
    key root, -1 for other nodes. In a forest the last root is the key root of the first leaf. Returns the sums of the
    sizes below key roots, (-1, -1) if the nodes are not in postorder.
    """
    n = len(parents)
    size, depth = tree[2], tree[5]
    for i in range(n):
        size[i] = 1
    for i in range(n):
        parent = parents[i]
        if parent >= 0:
            if parent <= i or parent >= n:
                return -1, -1
            size[parent] += size[i]
    for i in range(n - 1, -1, -1):
        parent = parents[i]
        depth[i] = depth[parent] + 1 if parent >= 0 else 0
        if parent >= 0 and i - size[i] < parent - size[parent]:  # a descendant precedes the subtree's first node
            return -1, -1
        tree[0, i], tree[1, i] = labels[i], i - size[i] + 1
    for i in range(n):
        mirrored = n - 1 - (i - size[i] + 1 + depth[i])
        tree[3, mirrored], tree[4, mirrored] = labels[i], mirrored - size[i] + 1
    return _key_roots(tree[1], tree[2], n), _key_roots(tree[4], tree[5], n)


@compiled
def _key_roots(leftmost: Ints, roots: Ints, n: int) -> int:
    for i in range(n):
        roots[i] = -1
    for i in range(n):
        roots[leftmost[i]] = i
    roots[0] = n - 1
    cells = 0
    for i in range(n):
        if roots[i] >= 0:
            cells += roots[i] - i + 1
    return cells


@compiled
def _tree_distance(
    leftmost: Ints,
    roots: Ints,
    n: int,
    other_leftmost: Ints,
    other_roots: Ints,
    m: int,
    costs: Costs,
    subtrees: SmallInts,
    forests: SmallInts,
) -> int:
    """costs[v, w]: of renaming v to w; subtrees[v, w]: of the trees below them; forests[i, j]: of the first i and j
    nodes below two key roots."""
    step = np.int32(1)
    for low in range(n - 1, -1, -1):
        if roots[low] < 0:
            continue
        for other_low in range(m - 1, -1, -1):
            if other_roots[other_low] < 0:
                continue
            height, width = roots[low] - low + 1, other_roots[other_low] - other_low + 1
            for j in range(width + 1):
                forests[0, j] = j
            for i in range(1, height + 1):
                v = low + i - 1
                is_tree, before = leftmost[v] == low, leftmost[v] - low
                forests[i, 0] = i
                left, corner = np.int32(i), np.int32(i - 1)
                for j in range(1, width + 1):
                    w = other_low + j - 1
                    above = forests[i - 1, j]
                    best = min(left, above) + step
                    if is_tree and other_leftmost[w] == other_low:
                        best = min(best, corner + np.int32(costs[v, w]))
                        subtrees[v, w] = best
                    else:
                        best = min(best, forests[before, other_leftmost[w] - other_low] + subtrees[v, w])
                    forests[i, j] = best
                    left, corner = best, above
    return int(forests[n, m])
