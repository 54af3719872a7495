"""Paths of lattices that are nearest to a reference, word by word in order: graph error rate, graph word error rate.

Words are integers. The lattices of a batch stand one after the other; edges lead from a lower to a higher node, paths
from node 0 to the last. Sources: Bernreuther 2005, Lattice evaluation techniques, 2.1 (definitions); Wagner & Fischer
1974 (recurrence); Dinkelbach 1967, On nonlinear fractional programming (quotients).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.compiling import compiled, copy
from treesql.kernels.lattices import Batch, by_node
from treesql.kernels.phrase_ends import ABSENT, Rows, Shorts, rows_of

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Cells = NDArray[Any]
"""Integers of 32 or 64 bits."""

CELLS = 1 << 22
"""So many cells of a table are held of one lattice; a larger one is filled in segments of its rows, twice."""

AT_ONCE = 1 << 28
"""So many cells are filled before Python has its turn, which may have been told to stop."""

_FAR = 1 << 61


class Paths(NamedTuple):
    """By lattice: the edits of its path, -1 where there is none, and the words of the path. offsets: (lattices + 1,),
    where the edges of each path begin and end in `edges`, numbered in the lattice.
    """

    edits: Ints
    n_words: Ints
    offsets: Ints
    edges: Ints


class _Found(NamedTuple):
    """By lattice the cost of its path, its words and its edges, the latter in `path` from where `offsets` says."""

    cost: Ints
    n_words: Ints
    n_path: Ints
    offsets: Ints
    path: Ints


def nearest(batch: Batch, cells: int = CELLS) -> Paths:
    """The path of every lattice with the smallest edit distance to the reference (GER, equation 2.3).

    Of several the one with most substitutions, then that whose edges have the smallest numbers, the first edge first.
    B(row, j) = the least cost of the words of a path from a row (of treesql.kernels.phrase_ends) to the end against
    reference words j + 1 .. m, costs being pairs (edits, insertions + deletions); O(rows * m) time. Memory: that of the
    rows, and 4 or 8 bytes a cell of at most max(`cells`, one row) at once; for a larger lattice also the rows that are
    still needed at every border of its segments.
    """
    rows = rows_of(batch)
    m = np.diff(batch.reference_offsets)
    there = np.diff(rows.offsets) > 0
    unit = m + rows.longest + 1
    found = _none(batch)
    _search(batch, rows, _costs(0 * unit, unit, unit + 1, unit + 1), there, cells, found)
    return _paths(np.where(there, found.cost // unit, -1), found)


def nearest_quotient(batch: Batch, cells: int = CELLS) -> Paths:
    """The path of every lattice with the smallest edit distance per word of the path (GWER, equation 2.1).

    Paths without words are none: edits are -1 where a lattice has no other. Exact: for a bound a/b the least value of
    b * edits - a * words is found as above; where it is below 0 its path has a smaller quotient, which is the next
    bound (Dinkelbach 1967). Of several the path with fewest edits, then smallest edge numbers.
    """
    rows = rows_of(batch)
    m = np.diff(batch.reference_offsets)
    there = rows.longest > 0
    unit = m + rows.longest + 1
    found = _none(batch)
    _search(batch, rows, _costs(0 * unit, unit, unit + 1, unit + 1), there & (m > 0), cells, found)
    edits = found.cost // unit
    wordless = found.n_words == 0
    above, below = (
        np.where(wordless, np.maximum(m, rows.longest), edits),
        np.where(wordless, rows.longest, found.n_words),
    )
    left = there & (m > 0) & (above > 0)
    while left.any():
        shared = np.maximum(np.gcd(above, below), 1)
        a, b = above // shared, below // shared
        wrong = (b - a) * unit + 1
        _search(batch, rows, _costs(-a * unit, wrong, wrong, b * unit + 1), left, cells, found)
        edits = np.where(left, found.cost % unit, edits)
        left &= found.cost < 0
        above, below = np.where(left, edits, above), np.where(left, found.n_words, below)
    _fewest_words(*batch[:5], there & (m == 0), edits, *found)
    return _paths(np.where(there, edits, -1), found)


def _none(batch: Batch) -> _Found:
    """Room for the paths of all lattices."""
    n = len(batch.n_nodes)
    offsets = np.concatenate([[0], np.cumsum(batch.n_nodes)]).astype(np.int64)
    nothing = np.zeros((3, n), dtype=np.int64)
    return _Found(nothing[0], nothing[1], nothing[2], offsets, np.empty(int(offsets[-1]), dtype=np.int64))


def _paths(edits: Ints, found: _Found) -> Paths:
    ends = np.concatenate([[0], np.cumsum(found.n_path)]).astype(np.int64)
    places = np.arange(int(ends[-1])) + np.repeat(found.offsets[:-1] - ends[:-1], found.n_path)
    return Paths(edits, np.where(edits < 0, -1, found.n_words), ends, found.path[places])


def _costs(match: Ints, substitution: Ints, extra: Ints, skip: Ints) -> Ints:
    """What a match costs in every lattice, a substitution, a word of the path too many, a reference word left out."""
    return np.stack([match, substitution, extra, skip], axis=1).astype(np.int64)


def _search(batch: Batch, rows: Rows, costs: Ints, wanted: Flags, cells: int, found: _Found) -> None:
    """The paths of least cost of the lattices that are wanted. ValueError: a path has too many words to count."""
    width = np.diff(batch.reference_offsets) + 1
    size = np.diff(rows.offsets) * width
    furthest = np.abs(costs).max(axis=1, initial=0) * (2.0 * width + rows.longest)
    if (furthest[wanted] >= _FAR).any():
        raise ValueError("a path of this lattice has too many words for its errors to be divided by them")
    plain = wanted & (size <= cells) & (furthest < 1 << 30)
    room = np.empty(int(size[plain].max(initial=0)), dtype=np.int32)
    for first, last in _pieces(np.where(plain, size, 0)):
        _whole(first, last, batch.reference_offsets, *rows, costs, plain, room, *found)
    for lattice in np.flatnonzero(wanted & ~plain).tolist():
        kind = np.int32 if furthest[lattice] < 1 << 30 else np.int64
        path = found.path[found.offsets[lattice] : found.offsets[lattice + 1]]
        one = _one(batch, rows, lattice)
        found.cost[lattice], found.n_words[lattice], found.n_path[lattice] = _segments(
            one, costs[lattice].astype(kind), cells, path
        )


def _pieces(sizes: Ints) -> list[list[int]]:
    """Where runs of lattices with about AT_ONCE cells begin and end."""
    borders = np.flatnonzero(np.diff(np.cumsum(sizes) // AT_ONCE, prepend=-1, append=-2))
    runs: list[list[int]] = np.stack([borders[:-1], borders[1:]], axis=1).tolist()
    return runs


@compiled
def _whole(
    first: int, last: int, reference_offsets: Ints, offsets: Ints, rest: Shorts, word: Shorts, choice_offsets: Ints,
    choice: Shorts, edge: Shorts, codes: Shorts, n_codes: Ints, longest: Ints, costs: Ints, wanted: Flags,
    room: Shorts, cost: Ints, n_words: Ints, n_path: Ints, path_offsets: Ints, path: Ints,
) -> None:  # fmt: skip
    """Lattices whose tables are held as a whole, with costs of 32 bits."""
    for lattice in range(first, last):
        if not wanted[lattice]:
            continue
        low, high = offsets[lattice], offsets[lattice + 1]
        reference = codes[reference_offsets[lattice] : reference_offsets[lattice + 1]]
        prices = costs[lattice].astype(np.int32)
        steps = _steps(reference, n_codes[lattice], prices)
        table = room[: (high - low) * (len(reference) + 1)].reshape(high - low, len(reference) + 1)
        graph = rest[low:high], word[low:high], choice_offsets[low : high + 1], choice
        _fill(0, *graph, steps, prices, table)
        ahead = np.zeros(len(reference) + 1, dtype=np.int32)
        cost[lattice] = table[-1, 0]
        _, n_words[lattice], n_path[lattice] = _trace(
            high - low - 1,
            0,
            *graph,
            edge,
            steps,
            prices,
            table,
            table[-1, 0],
            ahead,
            path[path_offsets[lattice] :],
            0,
            0,
        )


@compiled
def _steps(reference: Shorts, n_codes: int, costs: Cells) -> Cells:
    """By code and reference word, what it costs more to take one for the other than to leave out the latter."""
    steps = np.empty((n_codes, len(reference)), dtype=costs.dtype)
    for code in range(n_codes):
        for j in range(len(reference)):
            steps[code, j] = costs[0 if code != ABSENT and reference[j] == code else 1] - costs[3]
    return steps


@compiled
def _fill(
    first: int, rest: Shorts, word: Shorts, choice_offsets: Ints, choice: Shorts, steps: Cells, costs: Cells,
    table: Cells,
) -> None:  # fmt: skip
    """The rows of a table from `first` on; rest, word and choice_offsets are those of these rows.

    A cell holds B(row, j) + j * (what it costs to leave out a reference word), which does not rise from j + 1 to j.
    """
    m = steps.shape[1]
    kind = costs.dtype.type
    extra, skip = costs[2], costs[3]
    for at in range(len(rest)):
        row = table[first + at]
        if rest[at] >= 0:
            below, step = table[rest[at]], steps[word[at]]
            for j in range(m):
                row[j] = min(kind(below[j + 1] + step[j]), kind(below[j] + extra))
            row[m] = least = kind(below[m] + extra)
            for j in range(m - 1, -1, -1):
                least = min(least, row[j])
                row[j] = least
        elif choice_offsets[at] == choice_offsets[at + 1]:
            row[:] = m * skip
        else:
            copy(table[choice[choice_offsets[at]]], row, m + 1)
            for place in range(choice_offsets[at] + 1, choice_offsets[at + 1]):
                below = table[choice[place]]
                for j in range(m + 1):
                    row[j] = min(row[j], below[j])


@compiled
def _trace(
    row: int, first: int, rest: Shorts, word: Shorts, choice_offsets: Ints, choice: Shorts, edge: Shorts, steps: Cells,
    costs: Cells, table: Cells, best: int, ahead: Cells, path: Ints, n_path: int, n_words: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Go along the path of cost `best`, by the edges of smallest numbers, to a row before `first` or to the last.

    ahead: what the words so far cost against the first j words of the reference, less j * (leaving out one); changed on
    the way. Returns the row, and the words and edges gone so far.
    """
    m = steps.shape[1]
    extra = costs[2]
    columns = np.empty(m + 1, dtype=np.int64)
    while row >= first:
        at = row - first
        if rest[at] >= 0:
            last, step = ahead[0], steps[word[at]]
            ahead[0] += extra
            for j in range(m):
                new = min(last + step[j], ahead[j + 1] + extra)
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


class _Lattice(NamedTuple):
    """The rows of one lattice, and its reference."""

    rest: Shorts
    word: Shorts
    choice_offsets: Ints
    choice: Shorts
    edge: Shorts
    reference: Shorts
    n_codes: int


def _one(batch: Batch, rows: Rows, lattice: int) -> _Lattice:
    low, high = rows.offsets[lattice], rows.offsets[lattice + 1]
    offsets = rows.choice_offsets[low : high + 1]
    choices = slice(int(offsets[0]), int(offsets[-1]))
    reference = rows.codes[batch.reference_offsets[lattice] : batch.reference_offsets[lattice + 1]]
    return _Lattice(
        rows.rest[low:high], rows.word[low:high], offsets - offsets[0], rows.choice[choices], rows.edge[choices],
        reference, int(rows.n_codes[lattice]),
    )  # fmt: skip


def _segments(one: _Lattice, costs: Cells, cells: int, path: Ints) -> tuple[int, int, int]:
    """One lattice, its table being filled segment by segment: the cost of its path, words and edges."""
    fill: Any = _fill
    follow: Any = _trace
    n, width = len(one.rest), len(one.reference) + 1
    size = max(cells // width, 1)
    steps = _steps(one.reference, one.n_codes, costs)
    needed = np.zeros(n, dtype=np.int64)  # by each row, the last one that is made from it
    words = np.flatnonzero(one.rest >= 0)
    np.maximum.at(needed, one.rest[words], words)
    np.maximum.at(needed, one.choice, np.repeat(np.arange(n), np.diff(one.choice_offsets)))
    kept: dict[int, tuple[Ints, Cells]] = {0: (np.zeros(0, dtype=np.int64), np.zeros((0, width), dtype=costs.dtype))}

    room = kept[0][1]

    def filled(low: int) -> tuple[tuple[Cells, ...], Cells]:
        """The rows from `low` on, numbered as in the table, and the table, with the kept rows in front."""
        high = min(low + size, n)
        rows, old = kept[low]
        nonlocal room
        if len(room) < len(rows) + high - low:
            room = np.empty((len(rows) + high - low, width), dtype=costs.dtype)
        table = room[: len(rows) + high - low]
        table[: len(rows)] = old
        offsets = one.choice_offsets[low : high + 1]
        rest, choice = one.rest[low:high], one.choice[offsets[0] : offsets[-1]]
        graph = (
            np.where(rest < 0, -1, _places(rest, low, rows)), one.word[low:high], offsets - offsets[0],
            _places(choice, low, rows),
        )  # fmt: skip
        fill(len(rows), *graph, steps, costs, table)
        return (*graph, one.edge[offsets[0] : offsets[-1]]), table

    for low in range(0, n, size):
        graph, table = filled(low)
        over = np.flatnonzero(needed[: low + size] >= low + size)
        kept[low + size] = over, table[_places(over, low, kept[low][0])]
    best = table[-1, 0]
    row, n_words, n_path = n - 1, 0, 0
    ahead = np.zeros(width, dtype=costs.dtype)
    while row > 0:
        low = row // size * size
        if low + size < n:
            graph, table = filled(low)
        rows = kept[low][0]
        place, n_words, n_path = follow(
            row - low + len(rows), len(rows), *graph, steps, costs, table, best, ahead, path, n_path, n_words
        )
        row = int(rows[place]) if place < len(rows) else 0
    return int(best), n_words, n_path


def _places(rows: Ints | Shorts, low: int, kept: Ints) -> Shorts:
    """Where rows stand in a table that holds those kept, and behind them all from `low` on."""
    return np.where(rows < low, np.searchsorted(kept, rows), rows - low + len(kept)).astype(np.int32)


@compiled
def _fewest_words(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, word_offsets: Ints, wanted: Flags, edits: Ints,
    cost: Ints, n_words: Ints, n_path: Ints, path_offsets: Ints, path: Ints,
) -> None:  # fmt: skip
    """The paths with fewest words, but one at least, by the edges of smallest numbers.

    They are what is nearest to an empty reference where paths without words are none. One row has the fewest words of
    a path to the end, the other the same of paths that have words.
    """
    for lattice in range(len(n_nodes)):
        if not wanted[lattice]:
            continue
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        order, starts = by_node(n, from_node[first:last])
        least = np.full((2, n), _FAR, dtype=np.int64)
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
