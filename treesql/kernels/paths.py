"""Paths in aligned dependency trees: their disparity, and spanning trees of links with the least disparity.

A path from word n to word m goes up from n to their lowest common ancestor p and down to m. It is encoded as the labels
on the way up, whether n precedes m, and the labels on the way down; p's own label is in neither part, and an artificial
root dominates all roots. The two paths of a pair of links, one in each tree, differ by

    L = lev(up, up') + lev(side, side') + lev(down, down'),    at most by
    Lmax = max(|up|, |up'|) + 1 + max(|down|, |down'|);

both are 0 where the links share a word. Source: McCaffery 2017, equations 5.3 to 5.6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.compiling import compiled, largest_difference

Ints = NDArray[np.int64]
SmallInts = NDArray[np.int32]
Words64 = NDArray[np.uint64]
Flags = NDArray[np.bool_]

MAX_CELLS_PER_LINK = 1 << 15
"""Maximum number of cells in the tables of a link. Deeper trees are compared with bit vectors, which is faster."""

MAX_CELLS = 1 << 27
"""Maximum number of table cells, or of weights of pairs of links, in memory: half a gigabyte."""

GOOD, NO_HEAD, CYCLE, NO_WORD, TOO_DEEP = range(5)
FAULT_MESSAGES = {
    NO_HEAD: "a head is no word of the sentence",
    CYCLE: "its heads form a cycle",
    NO_WORD: "a link is to no word of the sentence",
    TOO_DEEP: "it has too many links for trees so deep",
}

_ONE, _ALL = np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_PAIRS, _FOURS, _BYTES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)


class DependencyTrees(NamedTuple):
    """A batch of dependency trees.

    offsets: (trees + 1,), the start and end of each tree's words; heads: (words,), position of each word's head in its
    sentence, counted from 1, 0 for a root; labels: (words,), integers from 0 on.
    """

    offsets: Ints
    heads: Ints
    labels: Ints


class LinkBatch(NamedTuple):
    """A batch of alignments. offsets: (pairs + 1,); reference, hypothesis: (links,), positions, counted from 1."""

    offsets: Ints
    reference: Ints
    hypothesis: Ints


class SpanningTrees(NamedTuple):
    """A batch of spanning trees.

    offsets: (pairs + 1,), the start and end of each tree's edges; first, second: (edges,), the two links of an edge,
    counted from 0 within their pair of trees; disparity, maximum: (edges,), L and Lmax.
    """

    offsets: Ints
    first: Ints
    second: Ints
    disparity: Ints
    maximum: Ints


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


def spanning_trees(reference: DependencyTrees, hypothesis: DependencyTrees, links: LinkBatch) -> SpanningTrees:
    """Return, for every pair of trees, a spanning tree of its links with least total L and, among those, least total
    Lmax.

    Both totals are the same for all such trees; Prim's algorithm builds this one from the first link, with ties
    resolved by link order. A tree of k links has k - 1 edges. One Levenshtein table per link, over the labels from its
    words up to the roots, contains the distances of all prefixes, so that the L of two links is read from two cells, at
    the depths of the common ancestors. O(k (k + n + depth * depth')) time, O(k (depth * depth' + 1) + n) memory; trees
    too deep for that (MAX_CELLS_PER_LINK) are processed 64 cells at a time, in O(k * k) memory.

    ValueError: a head or a link outside its sentence, a cycle, or trees that need more than MAX_CELLS. Source:
    McCaffery 2017, section 5.4 (spanning tree); Prim 1957; Myers 1999 and Hyyrö 2003 (bit vectors).
    """
    if not len(reference.offsets) == len(hypothesis.offsets) == len(links.offsets):
        raise ValueError("there must be as many references as hypotheses and alignments")
    fault, pair, *found = _spanning_trees(*reference, *hypothesis, *links, MAX_CELLS_PER_LINK, MAX_CELLS)
    if fault != GOOD:
        raise ValueError(f"pair {pair} of the batch, counted from 0: {FAULT_MESSAGES[fault]}")
    return SpanningTrees(*found)


def path_encodings(offsets: Ints, heads: Ints, first: Ints, last: Ints) -> PathEncodings:
    """Return the path from one word to another in every tree of a batch.

    offsets, heads: as in DependencyTrees; first, last: (trees,), positions, counted from 1. O(depth) per path.

    ValueError: a head or a word outside its sentence, or a cycle.
    """
    fault, tree, up_offsets, up, rightwards, down_offsets, down = _path_encodings(offsets, heads, first, last)
    if fault != GOOD:
        what = "there is no such word in the sentence" if fault == NO_WORD else FAULT_MESSAGES[fault]
        raise ValueError(f"path {tree} of the batch, counted from 0: {what}")
    return PathEncodings(up_offsets, up, rightwards, down_offsets, down)


def edit_distances(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints) -> Ints:
    """Return the Levenshtein distance of every pair of sequences: (pairs,).

    left, right: the items of all sequences, concatenated; offsets: (pairs + 1,). O(m n) time, O(n) memory per pair.
    Source: Levenshtein 1966; Wagner & Fischer 1974.
    """
    return _edit_distances(left, left_offsets, right, right_offsets)


@compiled
def _sort_by_depth(heads: Ints, depth: Ints, order: Ints, starts: Ints) -> int:
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
def _common_depths(word: int, heads: Ints, depth: Ints, order: Ints, common: Ints) -> None:
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
def _labels_to_root(word: int, heads: Ints, labels: Ints, path: Ints) -> int:
    """Write the labels from a word up to its root; return their number."""
    length = 0
    while word > 0:
        path[length] = labels[word - 1]
        length += 1
        word = heads[word - 1]
    return length


@compiled
def _fill_table(left: Ints, m: int, right: Ints, n: int, table: SmallInts) -> None:
    """Fill table[i * (n + 1) + j] with the edit distance of the first i and the first j labels."""
    width = n + 1
    for j in range(width):
        table[j] = j
    for i in range(1, m + 1):
        above, here = (i - 1) * width, i * width
        label, corner, before = left[i - 1], np.int32(i - 1), np.int32(i)
        table[here] = before
        for j in range(1, width):
            up = table[above + j]
            best = corner if label == right[j - 1] else corner + np.int32(1)
            best = min(best, min(up, before) + np.int32(1))
            table[here + j] = best
            corner, before = up, best


@compiled
def _count_ones(bits: np.uint64) -> np.int64:
    """Return the number of 1 bits."""
    bits = bits - ((bits >> _ONE) & _PAIRS)
    bits = (bits & _FOURS) + ((bits >> np.uint64(2)) & _FOURS)
    bits = (bits + (bits >> np.uint64(4))) & _BYTES
    return np.int64((bits * _SUM) >> np.uint64(56))


@compiled
def _weights_of_deep_trees(
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
        m = _labels_to_root(d_links[k], d_heads, d_labels, left)
        n = _labels_to_root(h_links[k], h_heads, h_labels, right)
        _common_depths(d_links[k], d_heads, d_depth, d_order, d_common)
        _common_depths(h_links[k], h_heads, h_depth, h_order, h_common)
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


@compiled
def _spanning_trees(
    d_offsets: Ints,
    d_heads: Ints,
    d_labels: Ints,
    h_offsets: Ints,
    h_heads: Ints,
    h_labels: Ints,
    link_offsets: Ints,
    d_links: Ints,
    h_links: Ints,
    cells_in_tables: int,
    most_cells: int,
) -> tuple[int, int, Ints, Ints, Ints, Ints, Ints]:
    """`d_` denotes references, `h_` hypotheses."""
    pairs = len(link_offsets) - 1
    offsets = np.zeros(pairs + 1, np.int64)
    for pair in range(pairs):
        offsets[pair + 1] = offsets[pair] + max(link_offsets[pair + 1] - link_offsets[pair] - 1, 0)
    edges = offsets[pairs]
    first, second = np.empty(edges, np.int64), np.empty(edges, np.int64)
    disparity, maximum = np.empty(edges, np.int64), np.empty(edges, np.int64)
    d_most, h_most, most = (
        largest_difference(d_offsets),
        largest_difference(h_offsets),
        largest_difference(link_offsets),
    )
    d_depth, h_depth = np.empty(d_most + 1, np.int64), np.empty(h_most + 1, np.int64)
    d_order, h_order = np.empty(d_most + 1, np.int64), np.empty(h_most + 1, np.int64)
    d_common, h_common = np.empty(d_most + 1, np.int64), np.empty(h_most + 1, np.int64)
    left, right = np.empty(d_most + 2, np.int64), np.empty(h_most + 2, np.int64)
    table_starts = np.empty(most, np.int64)
    table = np.empty(0, np.int32)
    weights = np.empty(0, np.int32)
    waiting, best, nearest = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    for pair in range(pairs):
        start, k_links = link_offsets[pair], link_offsets[pair + 1] - link_offsets[pair]
        d_from, h_from = d_offsets[pair], h_offsets[pair]
        heads, other_heads = d_heads[d_from : d_offsets[pair + 1]], h_heads[h_from : h_offsets[pair + 1]]
        labels, other_labels = d_labels[d_from : d_offsets[pair + 1]], h_labels[h_from : h_offsets[pair + 1]]
        n, n_other = len(heads), len(other_heads)
        fault = _sort_by_depth(heads, d_depth, d_order, left)
        if fault == GOOD:
            fault = _sort_by_depth(other_heads, h_depth, h_order, right)
        cells = 0
        for k in range(k_links):
            word, counterpart = d_links[start + k], h_links[start + k]
            if word < 1 or word > n or counterpart < 1 or counterpart > n_other:
                fault = NO_WORD
                break
            if fault == GOOD:
                table_starts[k] = cells
                cells += (d_depth[word] + 1) * (h_depth[counterpart] + 1)
        weighed = k_links * (k_links - 1) // 2
        deep = cells > cells_in_tables and weighed <= most_cells
        if fault == GOOD and not deep and cells > most_cells:
            fault = TOO_DEEP
        if fault != GOOD:
            return fault, pair, offsets, first, second, disparity, maximum
        if k_links < 2:
            continue
        if deep:
            if len(weights) < weighed:
                weights = np.empty(weighed, np.int32)
            _weights_of_deep_trees(
                heads, labels, d_depth[: n + 1], d_order, other_heads, other_labels, h_depth[: n_other + 1], h_order,
                d_links[start : start + k_links], h_links[start : start + k_links],
                weights[:weighed],
            )  # fmt: skip
        else:
            if len(table) < cells:
                table = np.empty(cells, np.int32)
            for k in range(k_links):
                m_up = _labels_to_root(d_links[start + k], heads, labels, left)
                n_up = _labels_to_root(h_links[start + k], other_heads, other_labels, right)
                _fill_table(left, m_up, right, n_up, table[table_starts[k] :])
        for i in range(1, k_links):
            waiting[i - 1], best[i] = i, np.iinfo(np.int64).max
        k = 0
        for edge in range(k_links - 1):
            word, counterpart = d_links[start + k], h_links[start + k]
            _common_depths(word, heads, d_depth, d_order, d_common)
            _common_depths(counterpart, other_heads, h_depth, h_order, h_common)
            d_up, h_up, rest = d_depth[word], h_depth[counterpart], k_links - 1 - edge
            width, own = h_up + 1, table_starts[k]
            next_at = 0
            for at in range(rest):
                other = waiting[at]
                end, other_end = d_links[start + other], h_links[start + other]
                if end == word or other_end == counterpart:
                    key = 0
                else:
                    up, up_other = d_up - d_common[end], h_up - h_common[other_end]
                    down, down_other = d_depth[end] - d_common[end], h_depth[other_end] - h_common[other_end]
                    if deep:
                        low, top = min(k, other), max(k, other)
                        length = np.int64(weights[top * (top - 1) // 2 + low])
                    else:
                        place = table_starts[other] + down * (h_depth[other_end] + 1) + down_other
                        length = np.int64(table[own + up * width + up_other]) + np.int64(table[place])
                    if (word < end) != (counterpart < other_end):
                        length += 1
                    key = (length << 32) + max(up, up_other) + 1 + max(down, down_other)
                if key < best[other]:
                    best[other], nearest[other] = key, k
                if best[other] < best[waiting[next_at]]:
                    next_at = at
            k = waiting[next_at]
            for at in range(next_at, rest - 1):  # keep the order of the links not reached yet
                waiting[at] = waiting[at + 1]
            place = offsets[pair] + edge
            first[place], second[place] = min(nearest[k], k), max(nearest[k], k)
            disparity[place], maximum[place] = best[k] >> 32, best[k] & 0xFFFFFFFF
    return GOOD, -1, offsets, first, second, disparity, maximum


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
def _steps_to_ancestor(heads: Ints, one: int, depth: int, other: int, other_depth: int) -> tuple[int, int]:
    """Return how many steps two words are below their lowest common ancestor."""
    up, down = 0, 0
    while depth > other_depth:
        one, depth, up = heads[one - 1], depth - 1, up + 1
    while other_depth > depth:
        other, other_depth, down = heads[other - 1], other_depth - 1, down + 1
    while one != other:
        one, other, up, down = heads[one - 1], heads[other - 1], up + 1, down + 1
    return up, down


@compiled
def _edit_distances(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints) -> Ints:
    pairs = len(left_offsets) - 1
    found = np.empty(pairs, np.int64)
    row = np.empty(largest_difference(right_offsets) + 1, np.int64)
    for pair in range(pairs):
        start, n = right_offsets[pair], right_offsets[pair + 1] - right_offsets[pair]
        for j in range(n + 1):
            row[j] = j
        for i in range(left_offsets[pair], left_offsets[pair + 1]):
            corner = row[0]
            row[0] = corner + 1
            for j in range(1, n + 1):
                best = corner + (0 if left[i] == right[start + j - 1] else 1)
                corner = row[j]
                row[j] = min(best, corner + 1, row[j - 1] + 1)
        found[pair] = row[n]
    return found
