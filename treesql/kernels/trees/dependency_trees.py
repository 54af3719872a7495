"""Batches of dependency trees: depths of words, their lowest common ancestors, and labels on their way to the root.

Paths from one word to another in dependency trees, as the words whose labels encode them.

A path from word n to word m goes up from n to their lowest common ancestor p and down to m. It is encoded as the labels
on the way up, whether n precedes m, and the labels on the way down; p's own label is in neither part, and an artificial
root dominates all roots. Source: McCaffery 2017.

Algorithm for label distances of paths in deep trees, for all pairs of links, by bit vectors of 64 table cells.

Source: Myers 1999 and Hyyrö 2003.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Flags, Ints, SmallInts
from treesql.kernels.compiling import compiled

GOOD, NO_HEAD, CYCLE, NO_WORD, TOO_DEEP = range(5)
FAULT_MESSAGES = {
    NO_HEAD: "a head is no word of the sentence",
    CYCLE: "its heads form a cycle",
    NO_WORD: "a link is to no word of the sentence",
    TOO_DEEP: "it has too many links for trees so deep",
}


class DependencyTrees(NamedTuple):
    """A batch of dependency trees.

    offsets: (trees + 1,), the start and end of each tree's words; heads: (words,), position of each word's head in its
    sentence, counted from 1, 0 for a root; labels: (words,), integers from 0 on.
    """

    offsets: Ints
    heads: Ints
    labels: Ints


@compiled
def sort_by_depth(heads: Ints, depth: Ints, order: Ints, starts: Ints) -> int:
    """Compute the depth of every word, 1 for a root, and the words sorted by depth. Words are counted from 1."""
    n = len(heads)
    deepest = 0
    depth[0] = 0
    for word in range(1, n + 1):
        depth[word] = -1
    for word in range(1, n + 1):
        above, steps = word, 0
        while depth[above] < 0:
            steps += 1
            if steps > n:
                return CYCLE
            above = heads[above - 1]
            if above < 0 or above > n:
                return NO_HEAD
        steps += depth[above]
        deepest = max(deepest, steps)
        above = word
        while depth[above] < 0:
            depth[above] = steps
            steps -= 1
            above = heads[above - 1]
    for level in range(deepest + 2):
        starts[level] = 0
    for word in range(1, n + 1):
        starts[depth[word] + 1] += 1
    for level in range(2, deepest + 2):
        starts[level] += starts[level - 1]
    for word in range(1, n + 1):
        order[starts[depth[word]]] = word
        starts[depth[word]] += 1
    return GOOD


@compiled
def common_depths(word: int, heads: Ints, depth: Ints, order: Ints, common: Ints) -> None:
    """Compute the depth of the lowest common ancestor of one word and each other word. O(words)."""
    n = len(heads)
    for other in range(n + 1):
        common[other] = 0
    above = word
    while above > 0:
        common[above] = depth[above]
        above = heads[above - 1]
    for i in range(n):
        other = order[i]
        if common[other] == 0:
            common[other] = common[heads[other - 1]]


@compiled
def labels_to_root(word: int, heads: Ints, labels: Ints, path: Ints) -> int:
    """Write the labels from a word up to its root; return their number."""
    length = 0
    while word > 0:
        path[length] = labels[word - 1]
        length += 1
        word = heads[word - 1]
    return length


class PathEncodings(NamedTuple):
    """A batch of encoded paths.

    ascending, descending: the words whose labels a path has on its way up and down, counted from 0 in the whole batch;
    their offsets: (paths + 1,); rightwards: (paths,), whether the first word precedes the last.
    """

    ascending_offsets: Ints
    ascending: Ints
    rightwards: Flags
    descending_offsets: Ints
    descending: Ints


def path_encodings(offsets: Ints, heads: Ints, first: Ints, last: Ints) -> PathEncodings:
    """Return the path from one word to another in every tree of a batch.

    offsets, heads: as in DependencyTrees; first, last: (trees,), positions, counted from 1. O(depth) per path.

    ValueError: a head or a word outside its sentence, or a cycle.
    """
    fault, tree, up_offsets, up, rightwards, down_offsets, down = _path_encodings(offsets, heads, first, last)
    if fault != GOOD:
        if fault == NO_WORD:
            n = offsets[tree + 1] - offsets[tree]
            word = last[tree] if 1 <= first[tree] <= n else first[tree]
            what = f"there is no word {word} in the sentence, which has {n}"
        else:
            what = FAULT_MESSAGES[fault]
        raise ValueError(f"path {tree} of the batch, counted from 0: {what}")
    return PathEncodings(up_offsets, up, rightwards, down_offsets, down)


@compiled
def _path_encodings(
    offsets: Ints, heads: Ints, first: Ints, last: Ints
) -> tuple[int, int, Ints, Ints, Flags, Ints, Ints]:
    trees = len(offsets) - 1
    up_offsets, down_offsets = np.zeros(trees + 1, np.int64), np.zeros(trees + 1, np.int64)
    rightwards = first < last
    up, down = np.empty(0, np.int64), np.empty(0, np.int64)
    for tree in range(trees):
        start, n = offsets[tree], offsets[tree + 1] - offsets[tree]
        fault = GOOD
        depths = [0, 0]
        for side in range(2):
            word = first[tree] if side == 0 else last[tree]
            if word < 1 or word > n:
                fault = NO_WORD
                break
            while word > 0:
                depths[side] += 1
                word = heads[start + word - 1]
                if word < 0 or word > n or depths[side] > n:
                    fault = NO_HEAD if word < 0 or word > n else CYCLE
                    break
            if fault != GOOD:
                break
        if fault != GOOD:
            return fault, tree, up_offsets, up, rightwards, down_offsets, down
        n_up, n_down = _steps_to_ancestor(heads[start : start + n], first[tree], depths[0], last[tree], depths[1])
        up_offsets[tree + 1], down_offsets[tree + 1] = up_offsets[tree] + n_up, down_offsets[tree] + n_down
    up, down = np.empty(up_offsets[trees], np.int64), np.empty(down_offsets[trees], np.int64)
    for tree in range(trees):
        start = offsets[tree]
        word = first[tree]
        for at in range(up_offsets[tree], up_offsets[tree + 1]):
            up[at] = start + word - 1
            word = heads[start + word - 1]
        word = last[tree]
        for at in range(down_offsets[tree + 1] - 1, down_offsets[tree] - 1, -1):
            down[at] = start + word - 1
            word = heads[start + word - 1]
    return GOOD, -1, up_offsets, up, rightwards, down_offsets, down


@compiled
def _steps_to_ancestor(heads: Ints, word: int, depth: int, other_word: int, other_depth: int) -> tuple[int, int]:
    """Return how many steps two words are below their lowest common ancestor."""
    up, down = 0, 0
    while depth > other_depth:
        word, depth, up = heads[word - 1], depth - 1, up + 1
    while other_depth > depth:
        other_word, other_depth, down = heads[other_word - 1], other_depth - 1, down + 1
    while word != other_word:
        word, other_word, up, down = heads[word - 1], heads[other_word - 1], up + 1, down + 1
    return up, down


_ONE, _ALL = np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_PAIRS, _FOURS, _BYTES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)


@compiled(wraps=True)
def weights_of_deep_trees(
    d_heads: Ints,
    d_labels: Ints,
    d_depth: Ints,
    d_order: Ints,
    h_heads: Ints,
    h_labels: Ints,
    h_depth: Ints,
    h_order: Ints,
    d_links: Ints,
    h_links: Ints,
    weights: SmallInts,
) -> None:
    """Compute the label distances of all pairs of links, l > k at weights[l (l - 1) / 2 + k].

    `d_` denotes references, `h_` hypotheses; depth and order: see sort_by_depth.

    Each link takes one pass over the columns of its table. Only the differences of neighbouring cells are stored, 64
    per word; cells that other links need are read from their column.
    """
    k_links = len(d_links)
    deepest, columns = d_depth.max(), h_depth.max()
    blocks = (deepest + 63) // 64
    numbers = np.full(max(d_labels.max(), h_labels.max()) + 1, -1, np.int64)
    equal = np.zeros((deepest + 1, blocks), np.uint64)  # the last row is for labels that the pattern lacks
    left, right = np.empty(deepest, np.int64), np.empty(columns, np.int64)
    d_common, h_common = np.empty(len(d_heads) + 1, np.int64), np.empty(len(h_heads) + 1, np.int64)
    plus, minus, score = np.empty(blocks, np.uint64), np.empty(blocks, np.uint64), np.empty(blocks, np.int64)
    first, after, rows = np.empty(columns + 1, np.int64), np.empty(k_links, np.int64), np.empty(k_links, np.int64)
    high = np.uint64(63)
    for pair in range(len(weights)):
        weights[pair] = 0
    for k in range(k_links):
        m = labels_to_root(d_links[k], d_heads, d_labels, left)
        n = labels_to_root(h_links[k], h_heads, h_labels, right)
        common_depths(d_links[k], d_heads, d_depth, d_order, d_common)
        common_depths(h_links[k], h_heads, h_depth, h_order, h_common)
        for j in range(n + 1):
            first[j] = -1
        for other in range(k_links):
            if d_links[other] == d_links[k] or h_links[other] == h_links[k]:
                continue
            j = n - h_common[h_links[other]]
            rows[other] = m - d_common[d_links[other]]
            after[other] = first[j]
            first[j] = other
        used = (m + 63) // 64
        distinct = 0
        for i in range(m):
            if numbers[left[i]] < 0:
                numbers[left[i]] = distinct
                for b in range(used):
                    equal[distinct, b] = 0
                distinct += 1
            equal[numbers[left[i]], i // 64] |= _ONE << np.uint64(i % 64)
        for b in range(used):
            plus[b], minus[b], score[b] = _ALL, 0, 64 * (b + 1)
        for j in range(n + 1):
            if j > 0:
                symbol = numbers[right[j - 1]]
                if symbol < 0:
                    symbol = deepest
                carry = np.int64(1)
                for b in range(used):
                    same, up, down = equal[symbol, b], plus[b], minus[b]
                    vertical = same | down
                    if carry < 0:
                        same |= _ONE
                    horizontal = (((same & up) + up) ^ up) | same
                    more, less = down | ~(horizontal | up), up & horizontal
                    out = np.int64(more >> high) - np.int64(less >> high)
                    more, less = more << _ONE, less << _ONE
                    if carry < 0:
                        less |= _ONE
                    elif carry > 0:
                        more |= _ONE
                    plus[b], minus[b] = less | ~(vertical | more), more & vertical
                    score[b] += out
                    carry = out
            other = first[j]
            while other >= 0:
                row = rows[other]
                b = row // 64
                value = score[b - 1] if b > 0 else j
                if row % 64 > 0:
                    below = (_ONE << np.uint64(row % 64)) - _ONE
                    value += _count_ones(plus[b] & below) - _count_ones(minus[b] & below)
                low, top = min(k, other), max(k, other)
                weights[top * (top - 1) // 2 + low] += np.int32(value)
                other = after[other]
        for i in range(m):
            numbers[left[i]] = -1


@compiled(wraps=True)
def _count_ones(bits: np.uint64) -> np.int64:
    """Return the number of 1 bits."""
    bits = bits - ((bits >> _ONE) & _PAIRS)
    bits = (bits & _FOURS) + ((bits >> np.uint64(2)) & _FOURS)
    bits = (bits + (bits >> np.uint64(4))) & _BYTES
    return np.int64((bits * _SUM) >> np.uint64(56))
