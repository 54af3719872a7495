"""Algorithm for label distances of paths in deep trees, for all pairs of links, by bit vectors of 64 table cells.

Source: Myers 1999 and Hyyrö 2003.
"""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Ints, SmallInts
from treesql.kernels.compiling import compiled
from treesql.kernels.dependency_trees import common_depths, labels_to_root

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
