"""Butterflies of two trees whose leaves are in any order, from the parts into which their nodes split the leaves."""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Ints, SmallInts
from treesql.kernels.compiling import compiled, largest_difference

MAX_CELLS = 1 << 27
"""Maximum number of cells in tables of leaves and children, in 32 bits each: half a gigabyte."""

_MAX_DENSE_ROWS = 12


@compiled
def count_in_any_order(
    one_first: Ints, one_end: Ints, other_first: Ints, other_end: Ints, n: int, order: Ints
) -> tuple[int, int, int, int]:
    """Count the butterflies of both trees, same and different ones; order[q]: the position in one of position q in the
    other.

    A node and its edges split the leaves into parts: one below each child, one outside. The node claims ab -> cd if a,
    b are in one part and c, d in two others; every butterfly is claimed twice, from its two ends. The number of same
    butterflies is a sum, over pairs of nodes, of the claims they share; that of different ones, of claims ab -> cd and
    ac -> bd. Both are polynomials in the table M of the intersection sizes of both nodes' parts (see _count_claims).
    """
    one_skip, one_offsets, one_parts = _children(one_first, one_end, n)
    other_skip, other_offsets, other_parts = _children(other_first, other_end, n)
    one = _count_butterflies(one_first, one_end, one_offsets, one_parts, n)
    other = _count_butterflies(other_first, other_end, other_offsets, other_parts, n)
    degree, other_degree = largest_difference(one_offsets), largest_difference(other_offsets)
    if (min(degree, other_degree) + 1) * (n + 1) > MAX_CELLS:
        return -1, -1, -1, -1
    if degree <= other_degree:
        same, different = _count_shared(
            one_first, one_end, one_offsets, one_parts,
            other_first, other_end, other_offsets, other_parts, other_skip, n, order,
        )  # fmt: skip
    else:
        back = np.empty(n, np.int64)
        for position in range(n):
            back[order[position]] = position
        same, different = _count_shared(
            other_first, other_end, other_offsets, other_parts,
            one_first, one_end, one_offsets, one_parts, one_skip, n, back,
        )  # fmt: skip
    return one, other, same, different


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
    one_first: Ints,
    one_end: Ints,
    one_offsets: Ints,
    one_parts: Ints,
    other_first: Ints,
    other_end: Ints,
    other_offsets: Ints,
    other_parts: Ints,
    other_skip: Ints,
    n: int,
    order: Ints,
) -> tuple[int, int]:
    """Return the same and different butterflies, from all pairs of nodes that interact.

    Two nodes share no claim if a part of one and a part of the other together cover all leaves: if they have no leaf in
    common, or one lies below a child of the other. So for each node of one tree the other is walked from its root,
    skipping all subtrees without common leaves and all below a single child.
    """
    rows, columns = largest_difference(one_offsets), largest_difference(other_offsets)
    counted = np.empty((n + 1, rows), np.int32)  # per child, its leaves among the other tree's first q
    below = np.empty(n + 1, np.int64)  # and per node
    part_of = np.empty(n, np.int64)
    table = np.empty((columns + 1, rows + 1), np.int32)
    row_sizes, column_sizes = np.empty(rows + 1, np.int64), np.empty(columns + 1, np.int64)
    room = np.empty((5, max(rows, columns) + 2), np.int64)
    filled = np.empty((2, (rows + 1) * (columns + 1) if rows + 1 > _MAX_DENSE_ROWS else 0), np.int32)
    same, different = 0, 0
    for u in range(len(one_first)):
        size = one_end[u] - one_first[u]
        inner = one_offsets[u + 1] - one_offsets[u]
        for position in range(n):
            part_of[position] = -1
        for i in range(inner):
            begin, end = one_parts[one_offsets[u] + i, 0], one_parts[one_offsets[u] + i, 1]
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
        while v < len(other_first):
            begin, end = other_first[v], other_end[v]
            common = below[end] - below[begin]
            if common == 0:
                v = other_skip[v]
                continue
            if common == end - begin:
                part = part_of[order[begin]]
                if counted[end, part] - counted[begin, part] == common:
                    v = other_skip[v]
                    continue
            width = other_offsets[v + 1] - other_offsets[v]
            inside_child = False
            for i in range(inner + 1):
                table[width, i] = row_sizes[i]
            for j in range(width):
                a, b = other_parts[other_offsets[v] + j, 0], other_parts[other_offsets[v] + j, 1]
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
