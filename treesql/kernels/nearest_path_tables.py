"""Tables of edit distances between the paths of a lattice and a reference; see lattice_oracles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Flags, Ints, SmallInts
from treesql.kernels.compiling import compiled, copy
from treesql.kernels.lattices import sort_by_node

Cells = NDArray[Any]
"""Integers of 32 or 64 bits."""

_COLUMNS = 1 << 11
"""Columns that are computed for all rows of a segment before the next ones, so that they stay in the cache."""

FAR = 1 << 61


@compiled
def search_in_memory(
    first: int,
    last: int,
    reference_offsets: Ints,
    offsets: Ints,
    rest: SmallInts,
    word: SmallInts,
    choice_offsets: Ints,
    choice: SmallInts,
    edge: SmallInts,
    codes: SmallInts,
    n_codes: Ints,
    longest: Ints,
    costs: Ints,
    wanted: Flags,
    room: SmallInts,
    cost: Ints,
    n_words: Ints,
    n_path: Ints,
    path_offsets: Ints,
    path: Ints,
) -> None:
    """Process lattices whose tables fit in memory as a whole, with costs of 32 bits."""
    for lattice in range(first, last):
        if not wanted[lattice]:
            continue
        low, high = offsets[lattice], offsets[lattice + 1]
        reference = codes[reference_offsets[lattice] : reference_offsets[lattice + 1]]
        prices = costs[lattice].astype(np.int32)
        table = room[: (high - low) * (len(reference) + 1)].reshape(high - low, len(reference) + 1)
        graph = rest[low:high], word[low:high], choice_offsets[low : high + 1], choice
        fill_rows(0, *graph, reference, prices, table)
        ahead = np.zeros(len(reference) + 1, dtype=np.int32)
        cost[lattice] = table[-1, 0]
        _, n_words[lattice], n_path[lattice] = trace_path(
            high - low - 1,
            0,
            *graph,
            edge,
            reference,
            prices,
            table,
            table[-1, 0],
            ahead,
            path[path_offsets[lattice] :],
            0,
            0,
        )


@compiled
def fill_rows(
    first: int,
    rest: SmallInts,
    word: SmallInts,
    choice_offsets: Ints,
    choice: SmallInts,
    reference: SmallInts,
    costs: Cells,
    table: Cells,
) -> None:
    """Fill the rows of a table from `first` on; rest, word and choice_offsets are those of these rows.

    A cell contains B(row, j) + j * (cost of skipping a reference word), which does not increase from j + 1 to j. The
    code of absent words equals no reference word's. Skipped words are counted in the rows of nodes, and in those of a
    word only if another word precedes it: taking the minimum from j + 1 to j is the slow part, as its steps depend on
    each other. Before an edge, B of the node is what counts.
    """
    m = len(reference)
    kind = costs.dtype.type
    extra, skip = costs[2], costs[3]
    match, substitution = kind(costs[0] - skip), kind(costs[1] - skip)
    for high in range(m + 1, 0, -_COLUMNS):
        low = max(high - _COLUMNS, 0)
        words = reference[low : min(high, m)]
        for at in range(len(rest)):
            row = table[first + at, low:high]
            if rest[at] >= 0:
                if rest[at] < first or rest[rest[at] - first] >= 0:
                    _count_skipped_words(table[rest[at]], low, high)
                below, code = table[rest[at], low : high + 1], word[at]
                for j in range(len(words)):
                    step = match if words[j] == code else substitution
                    row[j] = min(kind(below[j + 1] + step), kind(below[j] + extra))
                if high > m:
                    row[-1] = kind(below[-1] + extra)
            elif choice_offsets[at] == choice_offsets[at + 1]:
                row[:] = m * skip
            else:
                copy(table[choice[choice_offsets[at]], low:high], row, len(row))
                for place in range(choice_offsets[at] + 1, choice_offsets[at + 1]):
                    below = table[choice[place], low:high]
                    for j in range(len(row)):
                        row[j] = min(row[j], below[j])
                _count_skipped_words(table[first + at], low, high)


@compiled
def _count_skipped_words(row: Cells, low: int, high: int) -> None:
    """Replace cells `low` to `high` - 1 by the minimum from each to the end of the row, given that of the next ones."""
    least = row[min(high, len(row) - 1)]
    part = row[low:high]
    for j in range(len(part) - 1, -1, -1):
        least = min(least, part[j])
        part[j] = least


@compiled
def trace_path(
    row: int, first: int, rest: SmallInts, word: SmallInts, choice_offsets: Ints, choice: SmallInts, edge: SmallInts,
    reference: SmallInts, costs: Cells, table: Cells, best: int, ahead: Cells, path: Ints, n_path: int, n_words: int,
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
        at = row - first
        if rest[at] >= 0:
            last, code = ahead[0], word[at]
            ahead[0] += extra
            for j in range(m):
                step = match if reference[j] == code else substitution
                new = min(last + step, ahead[j + 1] + extra)
                last, ahead[j + 1] = ahead[j + 1], min(new, ahead[j])
            row = rest[at]
            n_words += 1
            continue
        if choice_offsets[at] == choice_offsets[at + 1]:
            break
        n_columns = 0
        for j in range(m + 1):
            if ahead[j] + table[row, j] == best:
                columns[n_columns] = j
                n_columns += 1
        place, found = choice_offsets[at] - 1, False
        while not found:
            place += 1
            for column in columns[:n_columns]:
                found = found or ahead[column] + table[choice[place], column] == best
        path[n_path] = edge[place]
        row = choice[place]
        n_path += 1
    return row, n_words, n_path


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
