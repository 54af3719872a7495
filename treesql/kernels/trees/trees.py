"""Depth, preorder and projectivity of dependency trees, for all sentences of a batch at once.

A batch of trees is one flat array: parents[i] is the index of word i's head in the same array, -1 for a root; the words
of a sentence are adjacent. Plain NumPy: a walk to the root is done in jumps of 1, 2, 4, ... heads, so that a chain of n
words takes log2(n) rounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Flags, Ints


class TreeIndex(NamedTuple):
    """Per word: depth (1 for a root), preorder interval [enter, leave] (1-based in its sentence), projectivity."""

    depth: Ints
    enter: Ints
    leave: Ints
    projective: Flags


class AncestorJumps(NamedTuple):
    """Rounds of all walks to the root: per round, the words with an ancestor 2**round heads away, and that ancestor."""

    rounds: list[tuple[Ints, Ints]]
    endless: Ints


def ancestor_jumps(parents: Ints, longest: int) -> AncestorJumps:
    """Compute pointer doubling over `parents`; `longest` is the number of words of the longest sentence.

    `endless` are the words whose walk never ends: those on a cycle or below one. O(n log longest).
    """
    rounds: list[tuple[Ints, Ints]] = []
    up = parents.copy()
    words = np.flatnonzero(up >= 0)
    while len(words) and len(rounds) <= longest.bit_length():
        targets = up[words]
        rounds.append((words, targets))
        up[words] = up[targets]
        words = words[up[words] >= 0]
    return AncestorJumps(rounds, words)


def index_trees(parents: Ints, offsets: Ints, rounds: list[tuple[Ints, Ints]]) -> TreeIndex:
    """Return the tree index of trees without cycles.

    parents: (n,), head of each word as an index into the same array, -1 for a root; offsets: (sentences + 1,), the
    start and end of sentences; rounds: of `ancestor_jumps(parents, ...)`. Children come in word order. O(n log n).
    """
    n = len(parents)
    depth, size = np.ones(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    for words, targets in rounds:
        depth[words] += depth[targets]
        below = size[words]
        np.add.at(size, targets, below)
    enter = 1 + _sizes_of_earlier_siblings(parents, offsets, size)
    left_steps = (parents > np.arange(n)).astype(np.int64)
    on_left = np.flatnonzero(left_steps)
    size_on_left = np.zeros(n, dtype=np.int64)
    np.add.at(size_on_left, parents[on_left], size[on_left])
    for words, targets in rounds:
        enter[words] += enter[targets]
        left_steps[words] += left_steps[targets]
    leave = enter + size - 1
    inorder = enter - left_steps + size_on_left
    return TreeIndex(depth, enter, leave, _projective_edges(parents, offsets, enter, leave, inorder))


def phrase_spans(n: int, above: Ints, position: Ints, rounds: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints, Ints]:
    """Return the first and the last word of n phrases, and the number of words below each.

    above, position: of every word, the phrase that it hangs on and its position; rounds: of `ancestor_jumps` over the
    parents of phrases. O(words + n log depth).
    """
    first, last = np.full(n, np.iinfo(np.int32).max, dtype=np.int64), np.zeros(n, dtype=np.int64)
    np.minimum.at(first, above, position)
    np.maximum.at(last, above, position)
    below = np.bincount(above, minlength=n).astype(np.int64)
    for lower, targets in rounds:
        np.minimum.at(first, targets, first[lower].copy())
        np.maximum.at(last, targets, last[lower].copy())
        np.add.at(below, targets, below[lower].copy())
    return first, last, below


def _sizes_of_earlier_siblings(parents: Ints, offsets: Ints, size: Ints) -> Ints:
    """Return per word the number of words in the subtrees of its earlier siblings; roots of a sentence are siblings."""
    n = len(parents)
    sentence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    families = np.where(parents < 0, n + sentence, parents) << 32 | np.arange(n)
    families.sort()  # by family, and by word: in half the time of a stable argsort
    order, families = families & 0xFFFFFFFF, families >> 32
    sizes = size[order]
    before = np.cumsum(sizes) - sizes
    first = np.ones(n, dtype=bool)
    first[1:] = families[1:] != families[:-1]
    earlier = np.empty(n, dtype=np.int64)
    earlier[order] = before - np.maximum.accumulate(np.where(first, before, 0))
    return earlier


def _projective_edges(parents: Ints, offsets: Ints, enter: Ints, leave: Ints, inorder: Ints) -> Flags:
    """Return which words' edges are projective, given the numbers of words in inorder: left children, the word, right
    children. Where it is the order of the words, each subtree is an interval of the sentence, as in most sentences."""
    n, lengths = len(parents), np.diff(offsets)
    moved = inorder + np.repeat(offsets[:-1], lengths) != np.arange(1, n + 1)
    n_moved = np.concatenate([[0], np.cumsum(moved)])
    further = np.repeat(n_moved[offsets[1:]] > n_moved[offsets[:-1]], lengths)
    words, place = np.flatnonzero(further), np.cumsum(further) - 1
    projective = np.ones(n, dtype=bool)
    heads = np.where(parents[words] < 0, -1, place[parents[words]])
    projective[words] = _are_words_between_dominated(heads, enter[words], leave[words])
    return projective


def _are_words_between_dominated(parents: Ints, enter: Ints, leave: Ints) -> Flags:
    """Return which words' heads dominate every word strictly between the two.

    The words between are dominated if the smallest and the largest of their preorder numbers lie in the head's
    interval: two range queries, answered from tables of the extremes over 1, 2, 4, ... words.
    """
    projective = np.ones(len(parents), dtype=bool)
    words = np.flatnonzero(parents >= 0)
    heads = parents[words]
    left, right = np.minimum(words, heads) + 1, np.maximum(words, heads)
    between = np.flatnonzero(right > left)
    words, heads, left, right = words[between], heads[between], left[between], right[between]
    level = np.frexp(right - left)[1] - 1
    low = high = enter
    for step in range(int(level.max(initial=-1)) + 1):
        width = 1 << step
        at = np.flatnonzero(level == step)
        a, b, head = left[at], right[at] - width, heads[at]
        inside = (np.minimum(low[a], low[b]) >= enter[head]) & (np.maximum(high[a], high[b]) <= leave[head])
        projective[words[at]] = inside
        low, high = np.minimum(low[:-width], low[width:]), np.maximum(high[:-width], high[width:])
    return projective
