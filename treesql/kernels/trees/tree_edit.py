"""Edit distance of ordered labelled trees: the fewest nodes to insert, delete or rename, for a batch of pairs.

Batches of ordered labelled trees in postorder, from constituents, parses, skeletons and dependency trees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Flags, Ints, SmallInts
from treesql.kernels.compiling import compiled, read_only
from treesql.kernels.trees.skeletons import Skeletons


class OrderedTrees(NamedTuple):
    """A batch of ordered trees (or forests), with nodes in postorder: children before parents, from left to right.

    offsets: (trees + 1,), the start and end of each tree's nodes; labels: (nodes,), any integers; parents: (nodes,),
    the parent of each node, counted from 0 within its tree, -1 for a root.
    """

    offsets: Ints
    parents: Ints
    labels: Ints


def to_postorder(offsets: Ints, parents: Ints, labels: Ints) -> OrderedTrees:
    """Return trees whose nodes are given in preorder, as in `constituents`; arrays as in OrderedTrees. O(nodes).

    ValueError: nodes that are not in preorder.
    """
    tree, new_parents, new_labels = _to_postorder(offsets, parents, labels)
    if tree >= 0:
        raise ValueError(f"tree {tree} of the batch, counted from 0: its nodes are not in preorder")
    return OrderedTrees(offsets, new_parents, new_labels)


def from_parses(
    node_offsets: Ints,
    parents: Ints,
    labels: Ints,
    word_offsets: Ints,
    phrases: Ints,
    tags: Ints,
    words: Ints,
    kept: Flags,
) -> OrderedTrees:
    """Return parses in which phrases, tags and words are all nodes, with children in the order of their first words.

    parents, labels: (phrases,), the parent of each phrase, 0 for none, in preorder and counted from 1 within its tree;
    phrases, tags, words: (words,), the parent phrase of each word, its tag and its form; kept: (words,), whether a word
    is kept; phrases without kept words are dropped. O(phrases + words).

    ValueError: phrases that are not in preorder.
    """
    columns = read_only(node_offsets, parents, labels, word_offsets, phrases, tags, words, kept)
    tree, offsets, above, names = _from_parses(*columns)
    if tree >= 0:
        raise ValueError(f"tree {tree} of the batch, counted from 0: its phrases are not in preorder")
    return to_postorder(offsets, above, names)


def from_skeletons(trees: Skeletons) -> OrderedTrees:
    """Return skeletons with leaves labelled by their numbers and all inner nodes by -1. O(n)."""
    return OrderedTrees(*_from_skeletons(*trees))


def from_dependencies(offsets: Ints, heads: Ints, labels: Ints) -> tuple[OrderedTrees, Ints]:
    """Return dependency trees with the dependents of each word in order, below an artificial root; and each word's
    node.

    offsets: (trees + 1,), the start and end of each tree's words; heads: (words,), position of each word's head in its
    sentence, counted from 1, 0 for a root; labels: (words,), integers from 0 on. The root is the last node of its tree,
    with the label -1; the node of a word is counted from 0 within its tree. O(words).

    ValueError: a head outside its sentence, or a cycle.
    """
    tree, *arrays, places = _from_dependencies(offsets, heads, labels)
    if tree >= 0:
        raise ValueError(f"tree {tree} of the batch, counted from 0: its heads do not make a tree")
    return OrderedTrees(*arrays), places


@compiled
def _to_postorder(offsets: Ints, parents: Ints, labels: Ints) -> tuple[int, Ints, Ints]:
    new_parents, new_labels = np.empty(len(parents), np.int64), np.empty(len(labels), np.int64)
    most = 0
    for tree in range(len(offsets) - 1):
        most = max(most, offsets[tree + 1] - offsets[tree])
    place = np.empty(most, np.int64)
    for tree in range(len(offsets) - 1):
        start, size = offsets[tree], offsets[tree + 1] - offsets[tree]
        finished, latest = 0, -1
        for i in range(size + 1):  # a node is complete when the next one is not its descendant
            parent = parents[start + i] if i < size else -1
            while latest >= 0 and latest != parent:
                place[latest] = finished
                finished += 1
                latest = parents[start + latest]
            if latest != parent:
                return tree, new_parents, new_labels
            latest = i
        for i in range(size):
            parent = parents[start + i]
            new_parents[start + place[i]] = place[parent] if parent >= 0 else -1
            new_labels[start + place[i]] = labels[start + i]
    return -1, new_parents, new_labels


@compiled
def _from_parses(
    node_offsets: Ints,
    parents: Ints,
    labels: Ints,
    word_offsets: Ints,
    phrases: Ints,
    tags: Ints,
    words: Ints,
    kept: Flags,
) -> tuple[int, Ints, Ints, Ints]:
    """Return the parents and labels of nodes in preorder. Of a tree with p phrases items 1..p are these, later ones
    words."""
    trees = len(node_offsets) - 1
    offsets = np.zeros(trees + 1, np.int64)
    above = np.empty(len(parents) + 2 * len(phrases), np.int64)
    names = np.empty(len(parents) + 2 * len(phrases), np.int64)
    most, longest = 0, 0
    for tree in range(trees):
        most = max(most, node_offsets[tree + 1] - node_offsets[tree])
        longest = max(longest, word_offsets[tree + 1] - word_offsets[tree])
    first = np.empty(most + 1, np.int64)
    child, sibling = np.empty(most + 1, np.int64), np.empty(most + longest + 1, np.int64)
    last_child = np.empty(most + 1, np.int64)
    at_word = np.empty(longest, np.int64)
    inner = np.empty(most + 1, np.int64)
    waiting = np.empty(most + longest + 1, np.int64)
    filled = 0
    for tree in range(trees):
        parent = parents[node_offsets[tree] : node_offsets[tree + 1]]
        phrase = phrases[word_offsets[tree] : word_offsets[tree + 1]]
        stays = kept[word_offsets[tree] : word_offsets[tree + 1]]
        p, n = len(parent), len(phrase)
        first[: p + 1] = n
        for word in range(n - 1, -1, -1):
            if not 0 <= phrase[word] <= p:
                return tree, offsets, above, names
            if stays[word]:
                first[phrase[word]] = word
        for node in range(p, 0, -1):
            if not 0 <= parent[node - 1] < node:
                return tree, offsets, above, names
            first[parent[node - 1]] = min(first[parent[node - 1]], first[node])
        child[: p + 1], sibling[: p + n + 1], last_child[: p + 1] = -1, -1, -1
        at_word[:n] = -1  # the phrases that begin at each word, innermost first
        for node in range(1, p + 1):
            if first[node] < n:
                inner[node] = at_word[first[node]]
                at_word[first[node]] = node
        for word in range(n):
            item = p + 1 + word if stays[word] else -1
            node = phrase[word] if item >= 0 else -1
            step = at_word[word]
            while item >= 0 or step >= 0:
                if item < 0:
                    item, node, step = step, parent[step - 1], inner[step]
                if child[node] < 0:
                    child[node] = item
                else:
                    sibling[last_child[node]] = item
                last_child[node] = item
                item = -1
        start, depth = filled, 0
        item = child[0]
        place = -1
        while item >= 0 or depth > 0:
            if item < 0:
                depth -= 1
                item = sibling[waiting[depth]]
                place = -1 if depth == 0 else inner[waiting[depth - 1]]
                continue
            above[filled] = place
            if item > p:
                word = word_offsets[tree] + item - p - 1
                names[filled] = tags[word]
                above[filled + 1], names[filled + 1] = filled - start, words[word]
                filled += 2
                item = sibling[item]
            else:
                names[filled] = labels[node_offsets[tree] + item - 1]
                inner[item] = place = filled - start
                filled += 1
                waiting[depth] = item
                depth += 1
                item = child[item]
        offsets[tree + 1] = filled
    return -1, offsets, above[:filled].copy(), names[:filled].copy()


@compiled
def _from_skeletons(
    node_offsets: Ints, first: Ints, end: Ints, leaf_offsets: Ints, leaves: Ints
) -> tuple[Ints, Ints, Ints]:
    offsets = node_offsets + leaf_offsets
    parents, labels = np.empty(offsets[-1], np.int64), np.full(offsets[-1], -1, np.int64)
    places = np.empty(len(first), np.int64)  # position of each inner node in postorder, from 0 within the tree
    open_nodes = np.empty(len(first) + 1, np.int64)
    for tree in range(len(node_offsets) - 1):
        start, size, depth, k = offsets[tree], 0, 0, node_offsets[tree]
        for position in range(leaf_offsets[tree + 1] - leaf_offsets[tree]):
            while k < node_offsets[tree + 1] and first[k] == position:
                open_nodes[depth] = k
                depth += 1
                k += 1
            labels[start + size] = leaves[leaf_offsets[tree] + position]
            parents[start + size] = open_nodes[depth - 1] if depth > 0 else -1
            size += 1
            while depth > 0 and end[open_nodes[depth - 1]] == position + 1:
                depth -= 1
                places[open_nodes[depth]] = size
                parents[start + size] = open_nodes[depth - 1] if depth > 0 else -1
                size += 1
        for i in range(start, start + size):
            if parents[i] >= 0:
                parents[i] = places[parents[i]]
    return offsets, parents, labels


@compiled
def _from_dependencies(offsets: Ints, heads: Ints, labels: Ints) -> tuple[int, Ints, Ints, Ints, Ints]:
    trees, most = len(offsets) - 1, 0
    for tree in range(trees):
        most = max(most, offsets[tree + 1] - offsets[tree])
    new_offsets = offsets + np.arange(trees + 1)
    parents, new_labels = np.empty(new_offsets[trees], np.int64), np.empty(new_offsets[trees], np.int64)
    places = np.empty(len(heads), np.int64)
    dependent, sibling = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)  # the next to visit
    for tree in range(trees):
        start, new_start, n = offsets[tree], new_offsets[tree], offsets[tree + 1] - offsets[tree]
        for word in range(n + 1):
            dependent[word] = 0
        for word in range(n, 0, -1):
            head = heads[start + word - 1]
            if head < 0 or head > n:
                return tree, new_offsets, parents, new_labels, places
            sibling[word], dependent[head] = dependent[head], word
        word, finished = 0, 0
        while True:
            below = dependent[word]
            if below > 0:
                dependent[word] = sibling[below]
                word = below
                continue
            if word == 0:
                break
            places[start + word - 1], new_labels[new_start + finished] = finished, labels[start + word - 1]
            finished += 1
            word = heads[start + word - 1]
        if finished < n:  # words not reachable from the root are on a cycle or below one
            return tree, new_offsets, parents, new_labels, places
        new_labels[new_start + n], parents[new_start + n] = -1, -1
        for i in range(start, start + n):
            parents[new_start + places[i]] = places[start + heads[i] - 1] if heads[i] > 0 else n
    return -1, new_offsets, parents, new_labels, places


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
    pair, distances = _distances(*gold, *test, rename, *equal)
    if pair >= 0:
        raise ValueError(f"pair {pair} of the batch, counted from 0: the nodes of a tree are not in postorder")
    return distances


def _distances_one_by_one(
    gold: OrderedTrees, test: OrderedTrees, rename: int, counterparts: Counterparts | None
) -> Ints:
    """The same with tables for every pair, where the largest tree of one side and of the other make no pair."""
    distances = np.empty(len(gold.offsets) - 1, np.int64)
    for pair in range(len(distances)):
        gold_tree, test_tree = (
            OrderedTrees(*_part(trees.offsets, pair, trees.parents, trees.labels)) for trees in (gold, test)
        )
        equal = counterparts and Counterparts(*_part(counterparts.offsets, pair, counterparts.gold, counterparts.test))
        distances[pair] = tree_edit_distances(gold_tree, test_tree, rename, equal)[0]
    return distances


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
    distances = np.empty(pairs, np.int64)
    most, most_other = 0, 0
    for pair in range(pairs):
        most = max(most, gold_offsets[pair + 1] - gold_offsets[pair])
        most_other = max(most_other, test_offsets[pair + 1] - test_offsets[pair])
    gold_index, test_index = np.empty((6, most + 1), np.int64), np.empty((6, most_other + 1), np.int64)
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
            distances[pair] = max(last - first, other_last - other_first)
            continue
        labels = numbers[: last - first] if linked else gold_labels[first:last]
        other_labels = numbers[: other_last - other_first] if linked else test_labels[other_first:other_last]
        cells = _index_tree(gold_parents[first:last], labels, gold_index)
        other_cells = _index_tree(test_parents[other_first:other_last], other_labels, test_index)
        if cells[0] < 0 or other_cells[0] < 0:
            return pair, distances
        side = 0 if cells[0] * other_cells[0] <= cells[1] * other_cells[1] else 3
        if linked:
            costs[: last - first, : other_last - other_first] = rename
            for node in range(last - first):
                places[gold_index[side, node]] = node
            for node in range(other_last - other_first):
                other_places[test_index[side, node]] = node
            for i in range(counterpart_offsets[pair], counterpart_offsets[pair + 1]):
                costs[places[gold_counterparts[i]], other_places[test_counterparts[i]]] = 0
        else:
            for node in range(last - first):
                for other_node in range(other_last - other_first):
                    costs[node, other_node] = 0 if gold_index[side, node] == test_index[side, other_node] else rename
        distances[pair] = _tree_distance(
            gold_index[side + 1], gold_index[side + 2], last - first,
            test_index[side + 1], test_index[side + 2], other_last - other_first,
            costs, subtrees, forests,
        )  # fmt: skip
    return -1, distances


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
