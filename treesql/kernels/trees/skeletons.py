"""Skeletons: the shapes of trees over leaves, without labels and with unary nodes contracted, for a batch of trees.

A tree over n leaves is the order of its leaves and, for every node of two or more leaves, the span of positions it
covers in that order. Of nodes that cover the same leaves one is kept; a root over all leaves is added where there is
none, so that a forest has a common root.

Correspondence between the leaves of two trees, for a batch of pairs: by order, or by name.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Flags, Ints, Keys
from treesql.kernels.compiling import NO, YES, compiled, read_only

_GOOD, _NOT_PREORDER, _NOT_LEAVES = 0, 1, 2
_FAULTS = {
    _NOT_PREORDER: "its nodes are not in preorder",
    _NOT_LEAVES: "its words are below phrases that it does not have",
}


class Skeletons(NamedTuple):
    """A batch of trees.

    node_offsets: (trees + 1,), the start and end of each tree's nodes; first, end: (nodes,), the positions
    first..end-1, 0-based, which a node covers; in preorder, the root first; leaf_offsets: (trees + 1,), the start and
    end of each tree's leaves; leaves: (leaves,), the number, 0..n-1, of the leaf at each position.
    """

    node_offsets: Ints
    first: Ints
    end: Ints
    leaf_offsets: Ints
    leaves: Ints


def from_phrases(parents: Ints, node_offsets: Ints, phrases: Ints, word_offsets: Ints, numbers: Ints) -> Skeletons:
    """Return the skeletons of trees as the tables have them, whose phrases may be discontinuous.

    parents: (nodes,), the parent phrase of each, 0 for none, in preorder and counted from 1 within its tree;
    node_offsets: (trees + 1,), the start and end of each tree's nodes; phrases: (words,), the parent phrase of each
    word, likewise; word_offsets: (trees + 1,); numbers: (words,), the number 0..n-1 of the word as a leaf, -1 for a
    word that is left out. Leaves are in the order of the words where all phrases are continuous, otherwise grouped
    below their phrases.

    ValueError: phrases that are not in preorder, or words of phrases that are not there. O(phrases + words).
    """
    return _checked(_from_phrases(parents, node_offsets, phrases, word_offsets, numbers))


def _checked(outcome: tuple[int, int, Ints, Ints, Ints, Ints, Ints]) -> Skeletons:
    fault, tree, *arrays = outcome
    if fault != _GOOD:
        raise ValueError(f"tree {tree} of the batch, counted from 0: {_FAULTS[fault]}")
    return Skeletons(*arrays)


@compiled
def _from_phrases(
    parents: Ints, offsets: Ints, phrases: Ints, word_offsets: Ints, numbers: Ints
) -> tuple[int, int, Ints, Ints, Ints, Ints, Ints]:
    trees = len(offsets) - 1
    node_offsets, leaf_offsets = np.zeros(trees + 1, np.int64), np.zeros(trees + 1, np.int64)
    begins, ends = np.empty(len(parents) + trees, np.int64), np.empty(len(parents) + trees, np.int64)
    leaves = np.empty(len(phrases), np.int64)
    most, longest = 0, 0
    for tree in range(trees):
        most = max(most, offsets[tree + 1] - offsets[tree])
        longest = max(longest, word_offsets[tree + 1] - word_offsets[tree])
    count, free = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    begin, end = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    order, starts = np.zeros(most + 1, np.int64), np.zeros(longest + 1, np.int64)
    fault, at_fault = _GOOD, -1
    nodes, positions = 0, 0
    for tree in range(trees):
        above = parents[offsets[tree] : offsets[tree + 1]]
        below = phrases[word_offsets[tree] : word_offsets[tree + 1]]
        number = numbers[word_offsets[tree] : word_offsets[tree + 1]]
        size = len(above)
        for node in range(size):
            before = node  # in preorder, a parent is the preceding node or an ancestor of it
            while before > 0 and before != above[node]:
                before = above[before - 1]
            if before != above[node]:
                fault, at_fault = _NOT_PREORDER, tree
                break
        for word in range(len(below)):
            if not 0 <= below[word] <= size:
                fault, at_fault = _NOT_LEAVES, tree
        if fault != _GOOD:
            break
        count[: size + 1] = 0
        n = 0
        begin[: size + 1], end[: size + 1] = len(below), 0
        for word in range(len(below)):
            if number[word] >= 0:
                node = below[word]
                count[node] += 1
                begin[node], end[node] = min(begin[node], n), n + 1
                n += 1
        for node in range(size, 0, -1):
            parent = above[node - 1]
            count[parent] += count[node]
            begin[parent], end[parent] = min(begin[parent], begin[node]), max(end[parent], end[node])
        continuous = True
        for node in range(1, size + 1):
            continuous = continuous and (count[node] == 0 or end[node] - begin[node] == count[node])
        n = 0
        if continuous:
            for word in range(len(below)):
                if number[word] >= 0:
                    leaves[positions + n] = number[word]
                    n += 1
        else:  # every phrase has a block: first its phrases, then its words
            begin[0], free[0] = 0, 0
            for node in range(1, size + 1):
                parent = above[node - 1]
                begin[node] = free[node] = free[parent]
                free[parent] += count[node]
                end[node] = begin[node] + count[node]
            for word in range(len(below)):
                if number[word] >= 0:
                    leaves[positions + free[below[word]]] = number[word]
                    free[below[word]] += 1
                    n += 1
        last_begin, last_end = 0, n
        if n >= 2:
            begins[nodes], ends[nodes] = 0, n
            nodes += 1
        starts[: n + 1] = 0
        for node in range(1, size + 1):
            if count[node] >= 2:
                starts[begin[node] + 1] += 1
        for position in range(n):
            starts[position + 1] += starts[position]
        several = starts[n]
        for node in range(1, size + 1):  # stable: of nodes that begin at one position, ancestors stay first
            if count[node] >= 2:
                order[starts[begin[node]]] = node
                starts[begin[node]] += 1
        for at in range(several):
            node = order[at]
            if begin[node] != last_begin or end[node] != last_end:
                last_begin, last_end = begin[node], end[node]
                begins[nodes], ends[nodes] = last_begin, last_end
                nodes += 1
        positions += n
        node_offsets[tree + 1], leaf_offsets[tree + 1] = nodes, positions
    return (
        fault,
        at_fault,
        node_offsets,
        begins[:nodes].copy(),
        ends[:nodes].copy(),
        leaf_offsets,
        leaves[:positions].copy(),
    )


ORDER, NAME, COMMON = 0, 1, 2
"""How leaves correspond: ORDER, by position, with equal names; NAME, by unique names that both trees have; COMMON, by
unique names, ignoring those that only one tree has."""

WORD, LEFT_OUT, TRACE = 0, 1, 2
"""Kinds of leaves. Traces are ignored; a word that is LEFT_OUT in the gold tree is left out of both trees."""


class Leaves(NamedTuple):
    """Leaves of a batch of trees: offsets (trees + 1,), names (leaves,) and kinds (leaves,)."""

    offsets: Ints
    names: Keys
    kinds: Bytes


class LeafNumbers(NamedTuple):
    """Numbers of the leaves of both sides.

    gold, test: (leaves,), the same number for the same leaf on both sides, 0..n-1 in the order of the gold tree, -1 for
    a leaf that is left out; comparable: (pairs,), whether two trees have the same leaves; where they do not, all
    numbers are -1.
    """

    gold: Ints
    test: Ints
    comparable: Flags


def number_leaves(gold: Leaves, test: Leaves, by: int) -> LeafNumbers:
    """Number the leaves of the i-th tree of one batch and the i-th tree of the other. O(n); by names O(n log n)."""
    if len(gold.offsets) != len(test.offsets):
        raise ValueError("both batches must have the same number of trees")
    common = None if by == ORDER else YES if by == COMMON else NO
    return LeafNumbers(*_number_leaves(*Leaves(*read_only(*gold)), *Leaves(*read_only(*test)), common))


@compiled
def _number_leaves(
    offsets: Ints,
    names: Keys,
    kinds: Bytes,
    test_offsets: Ints,
    test_names: Keys,
    test_kinds: Bytes,
    common: bool | None,
) -> tuple[Ints, Ints, Flags]:
    """common: whether names that only one tree has are ignored; None: by order, for which no sorting is compiled."""
    pairs = len(offsets) - 1
    numbers, test_numbers = np.full(len(names), -1, np.int64), np.full(len(test_names), -1, np.int64)
    comparable = np.zeros(pairs, np.bool_)
    for pair in range(pairs):
        leaves, test_leaves = slice(offsets[pair], offsets[pair + 1]), slice(test_offsets[pair], test_offsets[pair + 1])
        if common is None:
            same = _number_by_order(
                names[leaves],
                kinds[leaves],
                test_names[test_leaves],
                test_kinds[test_leaves],
                numbers[leaves],
                test_numbers[test_leaves],
            )
        else:
            same = _number_by_name(
                names[leaves],
                kinds[leaves],
                test_names[test_leaves],
                test_kinds[test_leaves],
                common,
                numbers[leaves],
                test_numbers[test_leaves],
            )
        comparable[pair] = same
        if not same:
            numbers[leaves] = -1
            test_numbers[test_leaves] = -1
    return numbers, test_numbers, comparable


@compiled
def _number_by_order(
    names: Keys, kinds: Bytes, test_names: Keys, test_kinds: Bytes, numbers: Ints, test_numbers: Ints
) -> bool:
    number, j = 0, 0
    for i in range(len(names)):
        if kinds[i] == TRACE:
            continue
        while j < len(test_names) and test_kinds[j] == TRACE:
            j += 1
        if j == len(test_names) or names[i] != test_names[j]:
            return False
        if kinds[i] != LEFT_OUT:
            numbers[i] = test_numbers[j] = number
            number += 1
        j += 1
    while j < len(test_names) and test_kinds[j] == TRACE:
        j += 1
    return j == len(test_names)


@compiled
def _number_by_name(
    names: Keys, kinds: Bytes, test_names: Keys, test_kinds: Bytes, common: bool, numbers: Ints, test_numbers: Ints
) -> bool:
    leaves, test_leaves = np.flatnonzero(kinds != TRACE), np.flatnonzero(test_kinds != TRACE)
    order, test_order = leaves[np.argsort(names[leaves])], test_leaves[np.argsort(test_names[test_leaves])]
    for k in range(1, len(order)):
        if names[order[k]] == names[order[k - 1]]:
            return False
    for k in range(1, len(test_order)):
        if test_names[test_order[k]] == test_names[test_order[k - 1]]:
            return False
    i, j = 0, 0
    while i < len(order) or j < len(test_order):
        if i < len(order) and j < len(test_order) and names[order[i]] == test_names[test_order[j]]:
            if kinds[order[i]] != LEFT_OUT:
                numbers[order[i]], test_numbers[test_order[j]] = 0, order[i]
            i, j = i + 1, j + 1
        elif not common:
            return False
        elif j == len(test_order) or (i < len(order) and names[order[i]] < test_names[test_order[j]]):
            i += 1
        else:
            j += 1
    number = 0
    for k in range(len(numbers)):
        if numbers[k] == 0:
            numbers[k] = number
            number += 1
    for k in range(len(test_numbers)):
        if test_numbers[k] >= 0:
            test_numbers[k] = numbers[test_numbers[k]]
    return True
