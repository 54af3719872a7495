"""Spanning trees of links between aligned dependency trees, with the least disparity of paths.

The two paths of a pair of links, one in each tree (see path_encodings), differ by

    L = lev(up, up') + lev(side, side') + lev(down, down'),    at most by
    Lmax = max(|up|, |up'|) + 1 + max(|down|, |down'|);

both are 0 where the links share a word. Source: McCaffery 2017, equations 5.3 to 5.6.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treesql.kernels.arrays import Ints, SmallInts
from treesql.kernels.compiling import compiled, largest_difference
from treesql.kernels.trees.dependency_trees import (
    FAULT_MESSAGES,
    GOOD,
    NO_WORD,
    TOO_DEEP,
    DependencyTrees,
    common_depths,
    labels_to_root,
    sort_by_depth,
    weights_of_deep_trees,
)

MAX_CELLS_PER_LINK = 1 << 15
"""Maximum number of cells in the tables of a link. Deeper trees are compared with bit vectors, which is faster."""

MAX_CELLS = 1 << 27
"""Maximum number of table cells, or of weights of pairs of links, in memory: half a gigabyte."""


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
    fault, pair, *arrays = _spanning_trees(*reference, *hypothesis, *links, MAX_CELLS_PER_LINK, MAX_CELLS)
    if fault != GOOD:
        raise ValueError(f"pair {pair} of the batch, counted from 0: {FAULT_MESSAGES[fault]}")
    return SpanningTrees(*arrays)


def _cost(d_offsets: Ints, _: Ints, __: Ints, h_offsets: Ints, *others: Any) -> float:
    """A step for each link and each link or word of its pair."""
    links = np.diff(others[2])
    return float(links @ (links + np.diff(d_offsets) + np.diff(h_offsets)))


@compiled(cost=_cost)
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
        fault = sort_by_depth(heads, d_depth, d_order, left)
        if fault == GOOD:
            fault = sort_by_depth(other_heads, h_depth, h_order, right)
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
            weights_of_deep_trees(
                heads, labels, d_depth[: n + 1], d_order, other_heads, other_labels, h_depth[: n_other + 1], h_order,
                d_links[start : start + k_links], h_links[start : start + k_links],
                weights[:weighed],
            )  # fmt: skip
        else:
            if len(table) < cells:
                table = np.empty(cells, np.int32)
            for k in range(k_links):
                m_up = labels_to_root(d_links[start + k], heads, labels, left)
                n_up = labels_to_root(h_links[start + k], other_heads, other_labels, right)
                _fill_table(left, m_up, right, n_up, table[table_starts[k] :])
        for i in range(1, k_links):
            waiting[i - 1], best[i] = i, np.iinfo(np.int64).max
        k = 0
        for edge in range(k_links - 1):
            word, counterpart = d_links[start + k], h_links[start + k]
            common_depths(word, heads, d_depth, d_order, d_common)
            common_depths(counterpart, other_heads, h_depth, h_order, h_common)
            d_up, h_up, rest = d_depth[word], h_depth[counterpart], k_links - 1 - edge
            width, table_start = h_up + 1, table_starts[k]
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
                        length = np.int64(table[table_start + up * width + up_other]) + np.int64(table[place])
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
