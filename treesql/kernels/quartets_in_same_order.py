"""Butterflies of two trees whose leaves are in the same order, such as two parses, from the spans of their nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.compiling import compiled

Ints = NDArray[np.int64]


@compiled
def count_in_same_order(
    one_first: Ints,
    one_end: Ints,
    other_first: Ints,
    other_end: Ints,
    n: int,
    bounds: Ints,
    cells: Ints,
    sums: Ints,
) -> tuple[int, int, int, int]:
    """Count the butterflies of both trees, same and different ones, where both have the leaves in the same order.

    Of four leaves a < b < c < d only ab|cd and ad|bc can be butterflies. Let [l, r) be the span of the lowest node x
    above b and c, A the beginning of the child of x above b, D the end of the child of x above c (l <= A <= b < c < D
    <= r, positions from 0). Then ad|bc holds if a < l and d >= r; otherwise the four form a star if neither a >= A nor
    d < D, and else ab|cd. So each pair b, c contributes l (n-r) butterflies ad|bc and b (n-1-c) - A (n-D) butterflies
    ab|cd, and the butterflies that two trees share are the same products with smaller and larger bounds.

    Rows b are processed from right to left. The row of b differs from that of b+1 only at c < r(b, b+1), so the sums
    over c are stored as sums from the right, and only the changed ones are recomputed.
    """
    _find_boundary_nodes(one_first, one_end, n, bounds[0], bounds[1], bounds[2], bounds[3])
    _find_boundary_nodes(other_first, other_end, n, bounds[4], bounds[5], bounds[6], bounds[7])
    for column in range(4):
        sums[column, n] = 0
    one, other, same, different = 0, 0, 0, 0
    for p in range(n - 1, 0, -1):
        for tree in range(2):
            low, high = bounds[4 * tree, p], bounds[4 * tree + 1, p]
            begin, end = bounds[4 * tree + 2, p], bounds[4 * tree + 3, p]
            for c in range(p, end):
                cells[4 * tree, c] = low
                cells[4 * tree + 1, c] = n - high
                cells[4 * tree + 2, c] = begin
                cells[4 * tree + 3, c] = n - end
            for c in range(end, high):
                cells[4 * tree + 2, c] = begin
        changed = max(bounds[1, p], bounds[5, p])
        sum_one, sum_other = sums[0, changed], sums[1, changed]
        sum_same, sum_different = sums[2, changed], sums[3, changed]
        for c in range(changed - 1, p - 1, -1):
            l1, r1, a1, d1 = cells[0, c], cells[1, c], cells[2, c], cells[3, c]
            l2, r2, a2, d2 = cells[4, c], cells[5, c], cells[6, c], cells[7, c]
            outer1, outer2, split1, split2 = l1 * r1, l2 * r2, a1 * d1, a2 * d2
            sum_one += outer1 - split1
            sum_other += outer2 - split2
            sum_same += min(l1, l2) * min(r1, r2) + min(a1, a2) * min(d1, d2) - split1 - split2
            sum_different += outer1 + outer2 - min(l1, a2) * min(r1, d2) - min(l2, a1) * min(r2, d1)
            sums[0, c], sums[1, c], sums[2, c], sums[3, c] = sum_one, sum_other, sum_same, sum_different
        one += sum_one
        other += sum_other
        same += sum_same
        different += sum_different
    total = n * (n - 1) // 2 * (n - 2) // 3 * (n - 3) // 4
    return total + one, total + other, total + same, different


@compiled
def _find_boundary_nodes(
    first: Ints, end: Ints, n: int, low: Ints, high: Ints, widest_first: Ints, widest_end: Ints
) -> None:
    """Compute the nodes around each boundary between positions p-1 and p, for p = 1..n-1.

    low, high: the span of the lowest node above both; widest_first: where its child that ends at p begins; widest_end:
    where its child that begins at p ends. O(n).
    """
    for p in range(n + 1):
        widest_first[p], widest_end[p] = p - 1, p + 1
    for k in range(len(first)):
        widest_first[end[k]] = min(widest_first[end[k]], first[k])
        widest_end[first[k]] = max(widest_end[first[k]], end[k])
    nodes = len(first)
    stack = np.empty(nodes + 1, np.int64)
    depth, k = 0, 0
    for p in range(1, n):
        while k < nodes and first[k] < p:
            stack[depth] = k
            depth += 1
            k += 1
        while end[stack[depth - 1]] <= p:
            depth -= 1
        low[p], high[p] = first[stack[depth - 1]], end[stack[depth - 1]]
