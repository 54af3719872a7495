"""Batches of ordered labelled trees in postorder, from constituents, parses, skeletons and dependency trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.compiling import compiled, read_only
from treesql.kernels.skeletons import Skeletons


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
    tree, *found, places = _from_dependencies(offsets, heads, labels)
    if tree >= 0:
        raise ValueError(f"tree {tree} of the batch, counted from 0: its heads do not make a tree")
    return OrderedTrees(*found), places


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
