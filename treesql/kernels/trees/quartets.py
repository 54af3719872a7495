"""Quartets: how two trees over the same leaves resolve every set of four, counted exactly for trees of any degree.

The trees are treated as unrooted: a root with two children is not a node. Four leaves form a butterfly ab|cd if the
span of some node separates two of them from the others, and a star if none does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Ints, SmallInts
from treesql.kernels.compiling import YES, compiled, inlined, largest_difference
from treesql.kernels.trees.skeletons import Skeletons

MAX_LEAVES = 50_000
"""Maximum number of leaves of a tree: counts of quartets then fit 64 bits."""

TOO_LARGE = -2
"""The total of pairs of trees that are too large to be compared."""

_NOT_COUNTED = -3
"""The total of pairs that are still to be compared."""


class Quartets(NamedTuple):
    """Numbers of quartets per pair of trees; all are negative where there are fewer than 4 leaves, or too many.

    total = C(n, 4) = gold_butterflies + test_butterflies - same - different + both_star.
    """

    total: Ints
    gold_butterflies: Ints
    test_butterflies: Ints
    same: Ints
    different: Ints
    both_star: Ints


def count_quartets(gold: Skeletons, test: Skeletons) -> Quartets:
    """Compare the i-th tree of one batch with the i-th of the other, which must have as many leaves.

    Trees with the same order of leaves, such as two parses, take O(n + sum of the children in the common span, over the
    pairs of nodes above the same two children of each): about O(n log n) for balanced trees and for flat ones, O(n * n)
    at worst, such as for a left-branching and a right-branching tree, and O(n) memory. Others take O(n * n + sum of
    d * d' over the pairs of nodes that interact) and O(n * min(d, d') + d * d') memory, d and d' the degrees of such
    nodes (or the highest in each tree), and for the rectangles of polytomies up to min(d, d') times that. Counts are
    exact. The total is TOO_LARGE for pairs with more than MAX_LEAVES leaves, and in different orders for pairs whose
    nodes have too many children for MAX_CELLS.

    Source: the definitions of Estabrook, McMorris & Meacham 1985; directed quartets as in Christiansen, Mailund,
    Pedersen, Randers & Stissing 2006; pairs in the same order: see count_in_same_order.
    """
    if not np.array_equal(gold.leaf_offsets, test.leaf_offsets):
        raise ValueError("the trees of a pair must have the same number of leaves")
    quartets = np.full((6, len(gold.leaf_offsets) - 1), _NOT_COUNTED, np.int64)
    _count_quartets(*gold, *test, MAX_LEAVES, None, quartets)
    if (quartets[0] == _NOT_COUNTED).any():
        _count_quartets(*gold, *test, MAX_LEAVES, YES, quartets)
    return Quartets(*quartets)


def _cost(gold_nodes: Ints, gold_first: Ints, gold_end: Ints, leaf_offsets: Ints, *others: object) -> float:
    """A step for each pair of leaves, of trees whose leaves are in different orders."""
    return float((np.diff(leaf_offsets) ** 2).sum())


@compiled(cost=_cost)
def _count_quartets(
    gold_nodes: Ints,
    gold_first: Ints,
    gold_end: Ints,
    leaf_offsets: Ints,
    gold_leaves: Ints,
    test_nodes: Ints,
    test_first: Ints,
    test_end: Ints,
    _: Ints,
    test_leaves: Ints,
    most_leaves: int,
    in_any_order: bool | None,
    quartets: Ints,
) -> None:
    """Fill the columns of pairs that are not counted yet. in_any_order: None leaves pairs in other orders out, and what
    counts them is not compiled."""
    pairs = len(leaf_offsets) - 1
    longest = largest_difference(leaf_offsets)
    where = np.empty(longest, np.int64)
    order = np.empty(longest, np.int64)
    left_borders, right_borders = np.empty((4, longest + 1), np.int64), np.empty((4, longest + 1), np.int64)
    for pair in range(pairs):
        if quartets[0, pair] != _NOT_COUNTED:
            continue
        start = leaf_offsets[pair]
        n = leaf_offsets[pair + 1] - start
        if n < 4 or n > most_leaves:
            for column in range(6):
                quartets[column, pair] = -1
            if n >= 4:
                quartets[0, pair] = TOO_LARGE
            continue
        for position in range(n):
            where[gold_leaves[start + position]] = position
        same_order = True
        for position in range(n):
            order[position] = where[test_leaves[start + position]]
            same_order = same_order and order[position] == position
        left_first, left_end = _nodes(gold_nodes, gold_first, gold_end, pair)
        right_first, right_end = _nodes(test_nodes, test_first, test_end, pair)
        total = n * (n - 1) // 2 * (n - 2) // 3 * (n - 3) // 4
        if same_order:
            counts = count_in_same_order(left_first, left_end, right_first, right_end, n, left_borders, right_borders)
        elif in_any_order is None:
            continue
        else:
            counts = count_in_any_order(left_first, left_end, right_first, right_end, n, order)
        quartets[0, pair] = total if counts[0] >= 0 else TOO_LARGE
        for column in range(4):
            quartets[column + 1, pair] = counts[column]
        quartets[5, pair] = total - counts[0] - counts[1] + counts[2] + counts[3] if counts[0] >= 0 else -1


@inlined
def _nodes(offsets: Ints, first: Ints, end: Ints, pair: int) -> tuple[Ints, Ints]:
    """The first and last leaves of the nodes of a tree."""
    here = slice(offsets[pair], offsets[pair + 1])
    return first[here], end[here]


_LOW, _HIGH, _BEGIN, _END = range(4)
"""Rows of a table of boundaries: see _find_boundary_nodes."""


@compiled
def count_in_same_order(
    left_first: Ints,
    left_end: Ints,
    right_first: Ints,
    right_end: Ints,
    n: int,
    left_borders: Ints,
    right_borders: Ints,
) -> tuple[int, int, int, int]:
    """Count the butterflies of both trees, same and different ones, where both have the leaves in the same order.

    Of four leaves a < b < c < d only ab|cd and ad|bc can be butterflies. Let [l, r) be the span of the lowest node x
    above b and c, A the beginning of the child of x above b, D the end of the child of x above c (l <= A <= b < c < D
    <= r, positions from 0). Then ad|bc holds if a < l and d >= r; otherwise the four form a star if neither a >= A nor
    d < D, and else ab|cd. So each pair b, c contributes l (n-r) butterflies ad|bc and b (n-1-c) - A (n-D) butterflies
    ab|cd, and the butterflies that two trees share are the same products with smaller and larger bounds. For the pairs
    b, c of one node x in each tree, A depends on b alone and D on c alone, so that sums over b serve all c: O(n) for
    each tree, and for both O(children in the common span) per pair of nodes above a pair b, c.

    left_borders, right_borders: room for 4 rows of n + 1 numbers.
    """
    _find_boundary_nodes(left_first, left_end, n, left_borders)
    _find_boundary_nodes(right_first, right_end, n, right_borders)
    left_outer, left_split = _sum_products(left_borders, n)
    right_outer, right_split = _sum_products(right_borders, n)
    same, crossed = _sum_shared(left_borders, right_borders, n)
    total = n * (n - 1) // 2 * (n - 2) // 3 * (n - 3) // 4
    return (
        total + left_outer - left_split,
        total + right_outer - right_split,
        total + same - left_split - right_split,
        left_outer + right_outer - crossed,
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
def _sum_shared(left_borders: Ints, right_borders: Ints, n: int) -> tuple[int, int]:
    """Return the sums, over all pairs b, c, of the products with the smaller bounds of both trees: of the same kind,
    and of different kinds.

    Let x and y be the lowest nodes above b and c in the two trees. A boundary p of children of x lies inside y, so that
    y is the lowest node of the other tree above p-1 and p, or an ancestor of it; x and y are processed at the first
    such p. Ancestors of a y that contains x have no b, c with x. In their common span, leaves that share a child of x
    and a child of y form a block. Per c, the sums over all b before the children of c are read from running sums.
    """
    same, crossed = 0, 0
    for p in range(1, n):
        l1, r1, first1 = left_borders[_LOW, p], left_borders[_HIGH, p], left_borders[_BEGIN, p]
        at, inner_low, inner_high = p, p, p
        while True:
            l2, r2 = right_borders[_LOW, at], right_borders[_HIGH, at]
            if l1 < first1 and l2 < first1:
                break
            start, stop = max(l1, l2), min(r1, r2)
            first2, end2 = inner_low, inner_high  # the child of y around the first leaf; that of x ends at p
            while first2 > start:
                first2, end2 = right_borders[_BEGIN, first2], first2
            if end2 < stop:
                low, high = min(l1, l2), n - max(r1, r2)
                b, a1, e1, a2, e2 = start, first1, p, first2, end2  # e: the ends of the children of b
                c, begin1, d1, begin2, d2 = max(p, end2), first1, p, first2, end2
                before, sum_same, sum1, sum2 = 0, 0, 0, 0
                while c < stop:
                    while d1 <= c:
                        begin1, d1 = d1, left_borders[_END, d1]
                    while d2 <= c:
                        begin2, d2 = d2, right_borders[_END, d2]
                    while b < min(begin1, begin2):
                        width = min(e1, e2) - b
                        before += width
                        sum_same += width * min(a1, a2)
                        sum1 += width * min(a1, l2)
                        sum2 += width * min(l1, a2)
                        b += width
                        if b == e1:
                            a1, e1 = e1, left_borders[_END, e1]
                        if b == e2:
                            a2, e2 = e2, right_borders[_END, e2]
                    width = min(d1, d2, stop) - c
                    same += width * (before * low * high + sum_same * (n - max(d1, d2)))
                    crossed += width * (sum1 * (n - max(d1, r2)) + sum2 * (n - max(r1, d2)))
                    c += width
            if l2 <= l1 and r1 <= r2:
                break
            at = l2 if l2 > 0 and right_borders[_END, l2] == r2 else r2  # a boundary of the parent
            inner_low, inner_high = l2, r2
    return same, crossed


MAX_CELLS = 1 << 27
"""Maximum number of cells in tables of leaves and children, in 32 bits each: half a gigabyte."""

_MAX_DENSE_ROWS = 12


@compiled
def count_in_any_order(
    left_first: Ints, left_end: Ints, right_first: Ints, right_end: Ints, n: int, order: Ints
) -> tuple[int, int, int, int]:
    """Count the butterflies of both trees, same and different ones; order[q]: the position in one of position q in the
    other.

    A node and its edges split the leaves into parts: one below each child, one outside. The node claims ab -> cd if a,
    b are in one part and c, d in two others; every butterfly is claimed twice, from its two ends. The number of same
    butterflies is a sum, over pairs of nodes, of the claims they share; that of different ones, of claims ab -> cd and
    ac -> bd. Both are polynomials in the table M of the intersection sizes of both nodes' parts (see _count_claims).
    """
    left_skip, left_offsets, left_parts = _children(left_first, left_end, n)
    right_skip, right_offsets, right_parts = _children(right_first, right_end, n)
    left_butterflies = _count_butterflies(left_first, left_end, left_offsets, left_parts, n)
    right_butterflies = _count_butterflies(right_first, right_end, right_offsets, right_parts, n)
    left_degree, right_degree = largest_difference(left_offsets), largest_difference(right_offsets)
    if (min(left_degree, right_degree) + 1) * (n + 1) > MAX_CELLS:
        return -1, -1, -1, -1
    if left_degree <= right_degree:
        same, different = _count_shared(
            left_first, left_end, left_offsets, left_parts,
            right_first, right_end, right_offsets, right_parts, right_skip, n, order,
        )  # fmt: skip
    else:
        back = np.empty(n, np.int64)
        for position in range(n):
            back[order[position]] = position
        same, different = _count_shared(
            right_first, right_end, right_offsets, right_parts,
            left_first, left_end, left_offsets, left_parts, left_skip, n, back,
        )  # fmt: skip
    return left_butterflies, right_butterflies, same, different


@compiled
def _children(first: Ints, end: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """Return, per node, the next node outside it, where its children begin and end among all, and their spans
    (children, 2)."""
    nodes = len(first)
    skip = np.empty(nodes, np.int64)
    for k in range(nodes - 1, -1, -1):
        after = k + 1
        while after < nodes and first[after] < end[k]:
            after = skip[after]
        skip[k] = after
    offsets = np.zeros(nodes + 1, np.int64)
    parts = np.empty((nodes - 1 + n, 2), np.int64)
    filled = 0
    for k in range(nodes):
        child, position = k + 1, first[k]
        while position < end[k]:
            parts[filled, 0] = position
            if child < nodes and first[child] == position:
                position = end[child]
                child = skip[child]
            else:
                position += 1
            parts[filled, 1] = position
            filled += 1
        offsets[k + 1] = filled
    return skip, offsets, parts


@compiled
def _count_butterflies(first: Ints, end: Ints, offsets: Ints, parts: Ints, n: int) -> int:
    """Return half the claims of all nodes: sum over the parts x of C(x, 2) times the pairs of leaves in two other
    parts."""
    claims = 0
    for k in range(len(first)):
        outside = n - (end[k] - first[k])
        squares = outside * outside
        for part in range(offsets[k], offsets[k + 1]):
            squares += (parts[part, 1] - parts[part, 0]) ** 2
        claims += outside * (outside - 1) // 2 * (((n - outside) ** 2 - squares + outside * outside) // 2)
        for part in range(offsets[k], offsets[k + 1]):
            x = parts[part, 1] - parts[part, 0]
            claims += x * (x - 1) // 2 * (((n - x) ** 2 - squares + x * x) // 2)
    return claims // 2


@compiled
def _count_shared(
    left_first: Ints,
    left_end: Ints,
    left_offsets: Ints,
    left_parts: Ints,
    right_first: Ints,
    right_end: Ints,
    right_offsets: Ints,
    right_parts: Ints,
    right_skip: Ints,
    n: int,
    order: Ints,
) -> tuple[int, int]:
    """Return the same and different butterflies, from all pairs of nodes that interact.

    Two nodes share no claim if a part of one and a part of the other together cover all leaves: if they have no leaf in
    common, or one lies below a child of the other. So for each node of one tree the other is walked from its root,
    skipping all subtrees without common leaves and all below a single child.
    """
    rows, columns = largest_difference(left_offsets), largest_difference(right_offsets)
    counted = np.empty((n + 1, rows), np.int32)  # per child, its leaves among the other tree's first q
    below = np.empty(n + 1, np.int64)  # and per node
    part_of = np.empty(n, np.int64)
    table = np.empty((columns + 1, rows + 1), np.int32)
    row_sizes, column_sizes = np.empty(rows + 1, np.int64), np.empty(columns + 1, np.int64)
    room = np.empty((5, max(rows, columns) + 2), np.int64)
    filled = np.empty((2, (rows + 1) * (columns + 1) if rows + 1 > _MAX_DENSE_ROWS else 0), np.int32)
    same, different = 0, 0
    for u in range(len(left_first)):
        size = left_end[u] - left_first[u]
        inner = left_offsets[u + 1] - left_offsets[u]
        for position in range(n):
            part_of[position] = -1
        for i in range(inner):
            begin, end = left_parts[left_offsets[u] + i, 0], left_parts[left_offsets[u] + i, 1]
            row_sizes[i] = end - begin
            for position in range(begin, end):
                part_of[position] = i
            counted[0, i] = 0
        row_sizes[inner] = n - size
        below[0] = 0
        for q in range(n):
            below[q + 1] = below[q]
            for i in range(inner):
                counted[q + 1, i] = counted[q, i]
            part = part_of[order[q]]
            if part >= 0:
                below[q + 1] += 1
                counted[q + 1, part] += 1
        v = 0
        while v < len(right_first):
            begin, end = right_first[v], right_end[v]
            common = below[end] - below[begin]
            if common == 0:
                v = right_skip[v]
                continue
            if common == end - begin:
                part = part_of[order[begin]]
                if counted[end, part] - counted[begin, part] == common:
                    v = right_skip[v]
                    continue
            width = right_offsets[v + 1] - right_offsets[v]
            inside_child = False
            for i in range(inner + 1):
                table[width, i] = row_sizes[i]
            for j in range(width):
                a, b = right_parts[right_offsets[v] + j, 0], right_parts[right_offsets[v] + j, 1]
                met = below[b] - below[a]
                if met == size:
                    inside_child = True
                    break
                column_sizes[j] = b - a
                for i in range(inner):
                    m = counted[b, i] - counted[a, i]
                    table[j, i] = m
                    table[width, i] -= m
                table[j, inner] = b - a - met
                table[width, inner] -= b - a - met
            if not inside_child:
                column_sizes[width] = n - (end - begin)
                claims = _count_claims(
                    table, width + 1, inner + 1, column_sizes, row_sizes, n, room, filled[0], filled[1]
                )
                same += claims[0]
                different += claims[1]
            v += 1
    return same // 2, different // 4


@compiled
def _count_claims(
    table: SmallInts,
    columns: int,
    rows: int,
    column_sizes: Ints,
    row_sizes: Ints,
    n: int,
    room: Ints,
    by_row: SmallInts,
    by_column: SmallInts,
) -> tuple[int, int]:
    """Return the claims ab -> cd that two nodes share, and the pairs of claims ab -> cd, ac -> bd.

    table[j, i] = M(i, j), the number of leaves in part i of one node and part j of the other; R(i), C(j) its sums.

    Shared: sum over i, j of C(M(i, j), 2) times the pairs of leaves outside i and j that differ in both parts. Crossed:
    sum over i, j of M(i, j) sum over j' != j, i' != i of M(i, j') M(i', j) W, where W is the number of leaves outside
    i, i', j and j'. All terms take O(rows * columns), except the sum of M(i, j) M(i, j') M(i', j) M(i', j'), the
    squared entries of M times its transpose.
    """
    row_squares, row_weights, column_squares, column_weights = room[0], room[1], room[2], room[3]
    row_squared, column_squared, squared = np.int64(0), np.int64(0), np.int64(0)
    for i in range(rows):
        row_squares[i], row_weights[i] = 0, 0
        row_squared += row_sizes[i] * row_sizes[i]
    for j in range(columns):
        squares, weights, column_size = np.int64(0), np.int64(0), column_sizes[j]
        for i in range(rows):
            m = np.int64(table[j, i])
            squares += m * m
            weights += row_sizes[i] * m
            row_squares[i] += m * m
            row_weights[i] += column_size * m
        column_squares[j], column_weights[j] = squares, weights
        column_squared += column_size * column_size
        squared += squares
    shared, crossed = 0, 0
    for j in range(columns):
        column_size, column_square = column_sizes[j], column_squares[j]
        apart = (row_squared - 2 * column_weights[j] + column_square - n + column_size) // 2
        for i in range(rows):
            m = np.int64(table[j, i])
            if m == 0:
                continue
            row_size, row_square = row_sizes[i], row_squares[i]
            row_rest, column_rest = row_size - m, column_size - m
            outside = n - row_size - column_rest
            if m >= 2:
                across = (column_squared - 2 * row_weights[i] + row_square - n + row_size) // 2
                pairs = outside * (outside - 1) // 2
                pairs -= apart - row_rest * (row_rest - 1) // 2 + across - column_rest * (column_rest - 1) // 2
                pairs += (squared - row_square - column_square + m * m - n + row_size + column_rest) // 2
                shared += m * (m - 1) // 2 * pairs
            crossed += m * (
                outside * row_rest * column_rest
                - row_rest * (column_weights[j] - row_size * m)
                - column_rest * (row_weights[i] - column_size * m)
                + column_rest * (row_square - m * m)
                + row_rest * (column_square - m * m)
                - m * (row_square + column_square - m * m)
            )
    return shared, crossed + _sum_rectangles(table, columns, rows, room[4], room[0], room[1], by_row, by_column)


@compiled
def _sum_rectangles(
    table: SmallInts,
    columns: int,
    rows: int,
    sums: Ints,
    starts: Ints,
    ends: Ints,
    by_row: SmallInts,
    by_column: SmallInts,
) -> int:
    """Return the sum over all i, i' of (sum over j of M(i, j) M(i', j)) squared.

    Tables of many rows are made sparse: O(rows * columns + sum over the columns of their filled cells squared).
    """
    total = np.int64(0)
    if rows <= _MAX_DENSE_ROWS:
        for i in range(rows):
            for other in range(i + 1):
                product = np.int64(0)
                for j in range(columns):
                    product += np.int64(table[j, i]) * np.int64(table[j, other])
                total += product * product * (1 if i == other else 2)
        return int(total)
    # The filled cells of all rows, concatenated, then those of each column; the latter begin at j * rows.
    for i in range(rows):
        starts[i], sums[i] = i * columns, 0
        ends[i] = starts[i]
    filled = np.zeros(columns, np.int64)
    for j in range(columns):
        for i in range(rows):
            if table[j, i]:
                by_row[ends[i]] = j
                ends[i] += 1
                by_column[j * rows + filled[j]] = i
                filled[j] += 1
    for i in range(rows):
        for at in range(starts[i], ends[i]):
            j = by_row[at]
            m = np.int64(table[j, i])
            for place in range(j * rows, j * rows + filled[j]):
                other = by_column[place]
                sums[other] += m * table[j, other]
        for at in range(starts[i], ends[i]):
            j = by_row[at]
            for place in range(j * rows, j * rows + filled[j]):
                other = by_column[place]
                total += sums[other] * sums[other]
                sums[other] = 0
    return int(total)
