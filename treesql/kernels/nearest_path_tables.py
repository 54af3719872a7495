"""Tables of edit distances between the paths of a lattice and a reference; see lattice_oracles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Flags, Ints, SmallInts
from treesql.kernels.compiling import NONE, ZERO, compiled
from treesql.kernels.lattices import sort_by_node
from treesql.kernels.phrase_ends import INSIDE, NO_WORD

Cells = NDArray[Any]
"""Integers of 32 or 64 bits."""

_COLUMNS = 1 << 11
"""Columns that are computed for all rows of a segment before the next ones, so that they stay in the cache."""

FAR = 1 << 61
_FAR_IN_32_BITS = 1 << 30


@compiled
def search_in_memory(
    first: int, last: int, reference_offsets: Ints, offsets: Ints, group_offsets: Ints, below: SmallInts,
    choice_offsets: Ints, word: SmallInts, edge: SmallInts, codes: SmallInts, n_codes: Ints, longest: Ints, costs: Ints,
    wanted: Flags, traced_from: int, room: SmallInts, cost: Ints, n_words: Ints, n_path: Ints, path_offsets: Ints,
    path: Ints,
) -> None:  # fmt: skip
    """Process lattices whose tables fit in memory as a whole, with costs of 32 bits. traced_from: the least cost whose
    path is followed."""
    for lattice in range(first, last):
        if not wanted[lattice]:
            continue
        low, high = offsets[lattice], offsets[lattice + 1]
        reference = codes[reference_offsets[lattice] : reference_offsets[lattice + 1]]
        prices = costs[lattice].astype(np.int32)
        table = room[: (high - low) * (len(reference) + 1)].reshape(high - low, len(reference) + 1)
        graph = group_offsets[low : high + 1], below, choice_offsets, word
        marked = np.zeros(n_codes[lattice], dtype=np.bool_)
        fill_rows(0, *graph, reference, prices, marked, table)
        cost[lattice] = table[-1, 0]
        if cost[lattice] < traced_from:
            continue
        ahead = np.zeros(len(reference) + 1, dtype=np.int32)
        _, n_words[lattice], n_path[lattice] = trace_path(
            high - low - 1, 0, *graph, edge, reference, prices, marked, table, table[-1, 0], ahead,
            path[path_offsets[lattice] :], 0, 0,
        )  # fmt: skip


@compiled
def fill_rows(
    first: int, group_offsets: Ints, below: SmallInts, choice_offsets: Ints, word: SmallInts, reference: SmallInts,
    costs: Cells, marked: Flags, table: Cells,
) -> None:  # fmt: skip
    """Fill the rows of a table from `first` on; group_offsets are those of these rows.

    A cell contains B(row, j) + j * (cost of skipping a reference word), which does not increase from j + 1 to j. The
    code of absent words equals no reference word's. All words of a group have the same cost but where they match.
    marked: by code, False throughout; restored before returning.
    """
    m = len(reference)
    for high in range(m + 1, 0, -_COLUMNS):
        low = max(high - _COLUMNS, 0)
        words = reference[low : min(high, m)]
        for at in range(len(group_offsets) - 1):
            row = table[first + at, low:high]
            row[:] = FAR if costs.itemsize == 8 else _FAR_IN_32_BITS
            for group in range(group_offsets[at], group_offsets[at + 1]):
                codes = word[choice_offsets[group] : choice_offsets[group + 1]]
                _add_group(table[below[group], low : high + 1], codes, words, costs, marked, row)
            if group_offsets[at] == group_offsets[at + 1]:
                row[:] = m * costs[3]
            elif high <= m:
                row[-1] = min(row[-1], table[first + at, high])
            for j in range(len(row) - 2, -1, -1):
                row[j] = min(row[j], row[j + 1])


@compiled
def _add_group(below: Cells, codes: SmallInts, words: SmallInts, costs: Cells, marked: Flags, row: Cells) -> None:
    """Reduce the cells of a row by the choices of a group with these codes, given the cells of the row below."""
    kind = costs.dtype.type
    match, substitution, extra = kind(costs[0] - costs[3]), kind(costs[1] - costs[3]), costs[2]
    if codes[0] == NO_WORD:
        for j in range(len(row)):
            row[j] = min(row[j], below[j])
        return
    if len(codes) == 1:
        code = codes[0]
        for j in range(len(words)):
            step = match if words[j] == code else substitution
            row[j] = min(row[j], min(kind(below[j + 1] + step), kind(below[j] + extra)))
    else:
        for code in codes:
            marked[code] = True
        for j in range(len(words)):
            step = match if marked[words[j]] else substitution
            row[j] = min(row[j], min(kind(below[j + 1] + step), kind(below[j] + extra)))
        for code in codes:
            marked[code] = False
    if len(row) > len(words):
        row[-1] = min(row[-1], kind(below[-1] + extra))


@compiled
def trace_path(
    row: int, first: int, group_offsets: Ints, below: SmallInts, choice_offsets: Ints, word: SmallInts, edge: SmallInts,
    reference: SmallInts, costs: Cells, marked: Flags, table: Cells, best: int, ahead: Cells, path: Ints, n_path: int,
    n_words: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Follow the path of cost `best`, by the edges of smallest numbers, to a row before `first` or to the last.

    ahead: the cost of the words so far against the first j words of the reference, less j * (cost of skipping one);
    modified. Returns the row, and the numbers of words and edges followed so far.
    """
    m = len(reference)
    extra = costs[2]
    match, substitution = costs[0] - costs[3], costs[1] - costs[3]
    columns = np.empty(m + 1, dtype=np.int64)
    while row >= first:
        group, last_group = group_offsets[row - first], group_offsets[row - first + 1]
        if group == last_group:
            break
        choice = choice_offsets[group]
        if edge[choice] != INSIDE:
            n_columns = 0
            for j in range(m + 1):
                if ahead[j] + table[row, j] == best:
                    columns[n_columns] = j
                    n_columns += 1
            least = FAR
            for other in range(group, last_group):
                start, end = choice_offsets[other], choice_offsets[other + 1]
                if edge[start] < least:
                    found = _find_choice(
                        word[start:end], table[below[other]], columns[:n_columns], reference, costs, marked, best, ahead
                    )
                    if found >= 0 and edge[start + found] < least:
                        group, choice, least = other, start + found, edge[start + found]
            path[n_path] = least
            n_path += 1
        if word[choice] != NO_WORD:
            last, code = ahead[0], word[choice]
            ahead[0] += extra
            for j in range(m):
                step = match if reference[j] == code else substitution
                new = min(last + step, ahead[j + 1] + extra)
                last, ahead[j + 1] = ahead[j + 1], min(new, ahead[j])
            n_words += 1
        row = below[group]
    return row, n_words, n_path


@compiled
def _find_choice(
    codes: SmallInts, below: Cells, columns: Ints, reference: SmallInts, costs: Cells, marked: Flags, best: int,
    ahead: Cells,
) -> int:  # fmt: skip
    """Return the first choice of a group on a path of cost `best`, -1 if there is none.

    columns: those where such paths leave the row. marked: as in fill_rows.
    """
    m, found = len(reference), NONE
    match, substitution, extra = costs[0] - costs[3], costs[1] - costs[3], costs[2]
    wordless = codes[0] == NO_WORD
    for j in columns:  # where all choices are equal
        if wordless:
            if ahead[j] + below[j] == best:
                return ZERO
        elif ahead[j] + below[j] + extra == best or (j < m and ahead[j] + below[j + 1] + substitution == best):
            return ZERO
    if wordless:
        return found
    for j in columns:
        if j < m and ahead[j] + below[j + 1] + match == best:
            marked[reference[j]] = True
    for at in range(len(codes)):
        if marked[codes[at]]:
            found = at
            break
    for j in columns:
        if j < m:
            marked[reference[j]] = False
    return found


@compiled
def find_fewest_words(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, word_offsets: Ints, wanted: Flags, edits: Ints,
    cost: Ints, n_words: Ints, n_path: Ints, path_offsets: Ints, path: Ints,
) -> None:  # fmt: skip
    """Find the paths with the fewest words, but at least one, by the edges of smallest numbers.

    These are nearest to an empty reference when paths without words are excluded. least[0]: the fewest words of a path
    to the end; least[1]: the same for paths that have at least one word.
    """
    for lattice in range(len(n_nodes)):
        if not wanted[lattice]:
            continue
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        order, starts = sort_by_node(n, from_node[first:last])
        least = np.full((2, n), FAR, dtype=np.int64)
        least[0, n - 1] = 0
        for node in range(n - 2, -1, -1):
            for at in range(starts[node], starts[node + 1]):
                edge = first + order[at]
                more = word_offsets[edge + 1] - word_offsets[edge]
                least[0, node] = min(least[0, node], least[0, to_node[edge]] + more)
                least[1, node] = min(least[1, node], least[0 if more > 0 else 1, to_node[edge]] + more)
        node, level = 0, 1
        while node < n - 1:
            for at in range(starts[node], starts[node + 1]):
                edge = first + order[at]
                more = word_offsets[edge + 1] - word_offsets[edge]
                below = 0 if more > 0 else level
                if least[below, to_node[edge]] + more == least[level, node]:
                    path[path_offsets[lattice] + n_path[lattice]] = order[at]
                    n_path[lattice] += 1
                    node, level = to_node[edge], below
                    break
        edits[lattice] = n_words[lattice] = least[1, 0]
