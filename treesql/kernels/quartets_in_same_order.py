"""Butterflies of two trees whose leaves are in the same order, such as two parses, from the spans of their nodes."""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import compiled

_LOW, _HIGH, _BEGIN, _END = range(4)
"""Rows of a table of boundaries: see _find_boundary_nodes."""


@compiled
def count_in_same_order(
    one_first: Ints, one_end: Ints, other_first: Ints, other_end: Ints, n: int, one: Ints, other: Ints
) -> tuple[int, int, int, int]:
    """Count the butterflies of both trees, same and different ones, where both have the leaves in the same order.

    Of four leaves a < b < c < d only ab|cd and ad|bc can be butterflies. Let [l, r) be the span of the lowest node x
    above b and c, A the beginning of the child of x above b, D the end of the child of x above c (l <= A <= b < c < D
    <= r, positions from 0). Then ad|bc holds if a < l and d >= r; otherwise the four form a star if neither a >= A nor
    d < D, and else ab|cd. So each pair b, c contributes l (n-r) butterflies ad|bc and b (n-1-c) - A (n-D) butterflies
    ab|cd, and the butterflies that two trees share are the same products with smaller and larger bounds. For the pairs
    b, c of one node x in each tree, A depends on b alone and D on c alone, so that sums over b serve all c: O(n) for
    each tree, and for both O(children in the common span) per pair of nodes above a pair b, c.

    one, other: room for 4 rows of n + 1 numbers.
    """
    _find_boundary_nodes(one_first, one_end, n, one)
    _find_boundary_nodes(other_first, other_end, n, other)
    one_outer, one_split = _sum_products(one, n)
    other_outer, other_split = _sum_products(other, n)
    same, crossed = _sum_shared(one, other, n)
    total = n * (n - 1) // 2 * (n - 2) // 3 * (n - 3) // 4
    return (
        total + one_outer - one_split,
        total + other_outer - other_split,
        total + same - one_split - other_split,
        one_outer + other_outer - crossed,
    )


@compiled
def _find_boundary_nodes(first: Ints, end: Ints, n: int, tree: Ints) -> None:
    """Compute the nodes around each boundary between positions p-1 and p, for p = 1..n-1.

    _LOW, _HIGH: the span of the lowest node above both; _BEGIN: where its child that ends at p begins; _END: where its
    child that begins at p ends. O(n).
    """
    for p in range(n + 1):
        tree[_BEGIN, p], tree[_END, p] = p - 1, p + 1
    for k in range(len(first)):
        tree[_BEGIN, end[k]] = min(tree[_BEGIN, end[k]], first[k])
        tree[_END, first[k]] = max(tree[_END, first[k]], end[k])
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
        tree[_LOW, p], tree[_HIGH, p] = first[stack[depth - 1]], end[stack[depth - 1]]


@compiled
def _sum_products(tree: Ints, n: int) -> tuple[int, int]:
    """Return the sums of l (n-r) and of A (n-D) over all pairs b, c of a tree. O(n)."""
    outer, split = 0, 0
    for p in range(1, n):
        low, high = tree[_LOW, p], tree[_HIGH, p]
        if tree[_BEGIN, p] > low:
            continue  # only from the first child of a node on
        before, begins, c = p - low, (p - low) * low, p
        while c < high:
            end = tree[_END, c]
            outer += (end - c) * before * low * (n - high)
            split += (end - c) * begins * (n - end)
            before += end - c
            begins += (end - c) * c
            c = end
    return outer, split


@compiled
def _sum_shared(one: Ints, other: Ints, n: int) -> tuple[int, int]:
    """Return the sums, over all pairs b, c, of the products with the smaller bounds of both trees: of the same kind,
    and of different kinds.

    Let x and y be the lowest nodes above b and c in the two trees. A boundary p of children of x lies inside y, so that
    y is the lowest node of the other tree above p-1 and p, or an ancestor of it; x and y are processed at the first
    such p. Ancestors of a y that contains x have no b, c with x. In their common span, leaves that share a child of x
    and a child of y form a block. Per c, the sums over all b before the children of c are read from running sums.
    """
    same, crossed = 0, 0
    for p in range(1, n):
        l1, r1, first1 = one[_LOW, p], one[_HIGH, p], one[_BEGIN, p]
        at, inner_low, inner_high = p, p, p
        while True:
            l2, r2 = other[_LOW, at], other[_HIGH, at]
            if l1 < first1 and l2 < first1:
                break
            start, stop = max(l1, l2), min(r1, r2)
            first2, end2 = inner_low, inner_high  # the child of y around the first leaf; that of x ends at p
            while first2 > start:
                first2, end2 = other[_BEGIN, first2], first2
            if end2 < stop:
                low, high = min(l1, l2), n - max(r1, r2)
                b, a1, e1, a2, e2 = start, first1, p, first2, end2  # e: the ends of the children of b
                c, begin1, d1, begin2, d2 = max(p, end2), first1, p, first2, end2
                before, sum_same, sum1, sum2 = 0, 0, 0, 0
                while c < stop:
                    while d1 <= c:
                        begin1, d1 = d1, one[_END, d1]
                    while d2 <= c:
                        begin2, d2 = d2, other[_END, d2]
                    while b < min(begin1, begin2):
                        width = min(e1, e2) - b
                        before += width
                        sum_same += width * min(a1, a2)
                        sum1 += width * min(a1, l2)
                        sum2 += width * min(l1, a2)
                        b += width
                        if b == e1:
                            a1, e1 = e1, one[_END, e1]
                        if b == e2:
                            a2, e2 = e2, other[_END, e2]
                    width = min(d1, d2, stop) - c
                    same += width * (before * low * high + sum_same * (n - max(d1, d2)))
                    crossed += width * (sum1 * (n - max(d1, r2)) + sum2 * (n - max(r1, d2)))
                    c += width
            if l2 <= l1 and r1 <= r2:
                break
            at = l2 if l2 > 0 and other[_END, l2] == r2 else r2  # a boundary of the parent
            inner_low, inner_high = l2, r2
    return same, crossed
