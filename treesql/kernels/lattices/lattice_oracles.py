"""Oracle paths of lattices: those with the fewest word errors against a reference (graph error rate, graph word error
rate), with other costs of edits, or with exchanges of neighbouring words.

Words are integers. The lattices of a batch are concatenated; edges lead from a lower to a higher node, paths from node
0 to the last. Sources: Bernreuther 2005, Lattice evaluation techniques, 2.1 (definitions); Wagner & Fischer 1974
(recurrence); Dinkelbach 1967, On nonlinear fractional programming (quotients); Lowrance & Wagner 1975, An extension of
the string-to-string correction problem (exchanges).
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Flags, Ints, SmallInts
from treesql.kernels.compiling import NONE, ZERO, compiled
from treesql.kernels.lattices.lattices import LatticeBatch, sort_by_node
from treesql.kernels.lattices.phrase_ends import INSIDE, NO_WORD, LatticeTable, follow_single_paths, lattice_rows

Cells = NDArray[Any]
"""Integers of 32 or 64 bits."""

_COLUMNS = 1 << 11
"""Columns that are computed for all rows of a segment before the next ones, so that they stay in the cache."""

FAR = 1 << 61
NOWHERE = cast(int, np.int64(FAR))
"""The same, typed as a NumPy scalar, as cells are."""

_FAR_IN_32_BITS = 1 << 30


MAX_CELLS = 1 << 22
"""Maximum number of table cells in memory per lattice; a larger table is computed in segments of its rows, twice."""

CELLS_PER_CALL = 1 << 28
"""Maximum number of cells computed per kernel call, so that Python can respond to an interrupt between calls."""

MAX_TABLE_BYTES = 200_000_000
"""Maximum memory, in bytes, of the rows that are held at once for a lattice whose table is computed in segments."""

MAX_TABLE_CELLS = 1 << 27
"""Maximum number of cells of the table of a lattice with several paths, in groups of edges times reference words. GER
and GWER of such a lattice take up to six seconds together, on a slow core ten."""

MAX_SINGLE_PATH_CELLS = 1 << 36
"""The same for a lattice with one path, of which 64 cells are computed at a time."""


class LatticeTooLarge(ValueError):
    """A lattice that takes too much time or memory. lattice: its number in the batch, from 0; what: size and remedy."""

    def __init__(self, lattice: int, what: str) -> None:
        self.lattice, self.what = lattice, what
        super().__init__(f"lattice {lattice} of the batch, counted from 0: {what}")


class EditCosts(NamedTuple):
    """Costs of a substitution, an extra word of the path and a skipped word of the reference, in any unit."""

    substitution: int
    insertion: int
    deletion: int


UNIT_COSTS = EditCosts(1, 1, 1)


class OraclePaths(NamedTuple):
    """By lattice: the edits of its path, or what they cost, -1 where there is none, and the path's number of words.
    offsets: (lattices + 1,), the start and end of each path in `edges`; edges are numbered within the lattice."""

    edits: Ints
    n_words: Ints
    offsets: Ints
    edges: Ints


class _PathBuffers(NamedTuple):
    """By lattice: the cost of its path, its words and its edges; the edges are in `path`, from `offsets` on."""

    cost: Ints
    n_words: Ints
    n_path: Ints
    offsets: Ints
    path: Ints


def nearest_paths(batch: LatticeBatch, cells: int = MAX_CELLS, costs: EditCosts = UNIT_COSTS) -> OraclePaths:
    """Return for every lattice the path with the smallest edit distance to the reference (GER, equation 2.3).

    With other costs than 1, the path whose edits cost least. Ties: the path with fewest insertions and deletions (of as
    many edits, most substitutions), then with the smallest edge numbers, compared from the first edge on. B(row,
    j) = the least cost of the words of a path from a row (of treesql.kernels.lattices.phrase_ends) to the end against
    reference words j + 1 .. m, costs being pairs (edits, insertions + deletions); O(rows * m) time. Memory: that of the
    rows, and 4 or 8 bytes per cell for at most max(`cells`, one row) cells; for a larger lattice also the rows that are
    needed at every segment boundary, together at most MAX_TABLE_BYTES; one row for a lattice with one path.
    LatticeTooLarge: a lattice needs more than that, or more than MAX_TABLE_CELLS cells.
    """
    rows = lattice_rows(batch)
    m = np.diff(batch.reference_offsets)
    has_path = np.diff(rows.offsets) > 0
    unit = m + rows.longest + 1
    paths = _allocate(batch)
    counted = has_path if costs == UNIT_COSTS else np.zeros_like(has_path)  # bit vectors count edits
    edits, single = _follow_single_paths(batch, rows, counted, paths)
    if costs != UNIT_COSTS:
        _check_sizes(batch, rows, has_path)
    substitution, insertion, deletion = costs
    table_costs = _edit_costs(0 * unit, substitution * unit, insertion * unit + 1, deletion * unit + 1)
    _search(batch, rows, table_costs, has_path & ~single, cells, paths)
    edits = np.where(single, edits, paths.cost // unit)
    return _collect_paths(np.where(has_path, edits, -1), paths)


def nearest_paths_per_word(batch: LatticeBatch, cells: int = MAX_CELLS) -> OraclePaths:
    """Return for every lattice the path with the smallest edit distance per word of the path (GWER, equation 2.1).

    Paths without words are excluded: edits are -1 where a lattice has no other path. Exact: for a bound a/b the least
    value of b * edits - a * words is found as in nearest_paths; if it is negative, its path has a smaller quotient,
    which becomes the next bound (Dinkelbach 1967). Ties: the path with fewest edits, then with the smallest edge
    numbers.
    """
    rows = lattice_rows(batch)
    m = np.diff(batch.reference_offsets)
    has_words = rows.longest > 0
    unit = m + rows.longest + 1
    paths = _allocate(batch)
    edits, single = _follow_single_paths(batch, rows, has_words & (m > 0), paths)
    left = has_words & (m > 0) & ~single
    # The fewest edits, then the most words, are found first, as a bound; a path is followed when the bound is attained.
    _search(batch, rows, _edit_costs(0 * unit - 1, unit - 1, unit - 1, unit), left, cells, paths, FAR)
    fewest = -(-paths.cost // unit)
    words = fewest * unit - paths.cost
    wordless = words == 0
    above, below = np.where(wordless, np.maximum(m, rows.longest), fewest), np.where(wordless, rows.longest, words)
    while left.any():
        shared = np.maximum(np.gcd(above, below), 1)
        a, b = above // shared, below // shared
        wrong = (b - a) * unit + 1
        _search(batch, rows, _edit_costs(-a * unit, wrong, wrong, b * unit + 1), left, cells, paths, 0)
        edits = np.where(left, paths.cost % unit, edits)
        left &= paths.cost < 0
        words = (b * edits - paths.cost // unit) // np.maximum(a, 1)
        above, below = np.where(left, edits, above), np.where(left, words, below)
    find_fewest_words(*batch[:5], has_words & (m == 0), edits, *paths)
    return _collect_paths(np.where(has_words, edits, -1), paths)


def nearest_paths_with_swaps(batch: LatticeBatch, costs: EditCosts = UNIT_COSTS, swap: int = 1) -> OraclePaths:
    """Return for every lattice the path whose edits cost least, where also two neighbouring words of a path may be
    exchanged for those of the reference, with no edit between them, for the cost `swap`.

    Exact, by B(node, j) as in nearest_paths, and P(node, j) where the next word of the path is the second one of an
    exchange and has to match reference word j + 1, before j + 3. Ties as there, an exchange being no insertion or
    deletion. O(words * m) time, 16 bytes per node and word of the reference. LatticeTooLarge: a table has more than
    MAX_TABLE_CELLS cells, or MAX_TABLE_BYTES.
    """
    m = np.diff(batch.reference_offsets)
    words = np.diff(batch.word_offsets[batch.edge_offsets])
    for lattice in np.flatnonzero((words + batch.n_nodes) * (m + 1) > MAX_TABLE_CELLS).tolist():
        size = int((words[lattice] + batch.n_nodes[lattice]) * (m[lattice] + 1))
        raise _too_large(batch, lattice, f"{size:,} comparisons, of which {MAX_TABLE_CELLS:,} are the most")
    for lattice in np.flatnonzero(16 * batch.n_nodes * (m + 1) > MAX_TABLE_BYTES).tolist():
        raise _too_large(batch, lattice, f"a table of more than {MAX_TABLE_BYTES // 1_000_000:,} MB")
    unit = m + words + batch.n_nodes + 1
    if max(*costs, swap) * float(unit.max(initial=1)) ** 2 * 2 >= FAR:
        raise ValueError("a path of this lattice has too many words for what its errors cost")
    paths = _allocate(batch)
    _search_with_swaps(batch, unit, np.array([*costs, swap], dtype=np.int64), *paths)
    return _collect_paths(np.where(paths.cost < FAR, paths.cost // unit, -1), paths)


def _follow_single_paths(
    batch: LatticeBatch, rows: LatticeTable, wanted: Flags, paths: _PathBuffers
) -> tuple[Ints, Flags]:
    """Follow the paths of lattices that have only one; return their edits, and which lattices these are.

    Raises LatticeTooLarge for one of the others.
    """
    edits, single = np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    follow_single_paths(MAX_SINGLE_PATH_CELLS, batch.reference_offsets, *rows, wanted, single, edits, *paths[1:])
    _check_sizes(batch, rows, wanted & ~single)
    return edits, single


def _allocate(batch: LatticeBatch) -> _PathBuffers:
    """Allocate empty results for the paths of all lattices."""
    n = len(batch.n_nodes)
    offsets = np.concatenate([[0], np.cumsum(batch.n_nodes)]).astype(np.int64)
    nothing = np.zeros((3, n), dtype=np.int64)
    return _PathBuffers(nothing[0], nothing[1], nothing[2], offsets, np.empty(int(offsets[-1]), dtype=np.int64))


def _collect_paths(edits: Ints, paths: _PathBuffers) -> OraclePaths:
    ends = np.concatenate([[0], np.cumsum(paths.n_path)]).astype(np.int64)
    places = np.arange(int(ends[-1])) + np.repeat(paths.offsets[:-1] - ends[:-1], paths.n_path)
    return OraclePaths(edits, np.where(edits < 0, -1, paths.n_words), ends, paths.path[places])


def _edit_costs(match: Ints, substitution: Ints, extra: Ints, skip: Ints) -> Ints:
    """Return the costs, per lattice, of a match, a substitution, an extra word of the path and a skipped reference
    word."""
    return np.stack([match, substitution, extra, skip], axis=1).astype(np.int64)


def _search(
    batch: LatticeBatch, rows: LatticeTable, costs: Ints, wanted: Flags, cells: int, paths: _PathBuffers,
    traced_from: int = -FAR,
) -> None:  # fmt: skip
    """Find the least costs of a path of the `wanted` lattices, and the paths whose cost is at least `traced_from`.

    ValueError: a path has too many words to count; LatticeTooLarge: a table takes too much memory.
    """
    width = np.diff(batch.reference_offsets) + 1
    size = np.diff(rows.offsets) * width
    furthest = np.abs(costs).max(axis=1, initial=0) * (2.0 * width + rows.longest)
    if (furthest[wanted] >= FAR).any():
        raise ValueError("a path of this lattice has too many words for what its errors cost")
    plain = wanted & (size <= cells) & (furthest < 1 << 30)
    room = np.empty(int(size[plain].max(initial=0)), dtype=np.int32)
    for first, last in _runs_of_lattices(np.where(plain, size, 0)):
        search_in_memory(first, last, batch.reference_offsets, *rows, costs, plain, traced_from, room, *paths)
    for lattice in np.flatnonzero(wanted & ~plain).tolist():
        kind = np.int32 if furthest[lattice] < 1 << 30 else np.int64
        path = paths.path[paths.offsets[lattice] : paths.offsets[lattice + 1]]
        selected = _select_lattice(batch, rows, lattice)
        needed = _last_uses(selected)
        length = _segment_length(needed, len(selected.reference) + 1, cells, np.dtype(kind).itemsize)
        if length == 0:
            raise _too_large(batch, lattice, f"a table of more than {MAX_TABLE_BYTES // 1_000_000:,} MB")
        paths.cost[lattice], paths.n_words[lattice], paths.n_path[lattice] = _search_in_segments(
            selected, needed, costs[lattice].astype(kind), length, traced_from, path
        )


def _check_sizes(batch: LatticeBatch, rows: LatticeTable, wanted: Flags) -> None:
    """Check that no table of a `wanted` lattice has more than MAX_TABLE_CELLS cells. Raises LatticeTooLarge."""
    cells = np.diff(rows.group_offsets[rows.offsets]) * np.diff(batch.reference_offsets)
    for lattice in np.flatnonzero(wanted & (cells > MAX_TABLE_CELLS)).tolist():
        raise _too_large(batch, lattice, f"{cells[lattice]:,} comparisons, of which {MAX_TABLE_CELLS:,} are the most")


def _too_large(batch: LatticeBatch, lattice: int, needs: str) -> LatticeTooLarge:
    n_edges, n_words = (int(np.diff(offsets)[lattice]) for offsets in (batch.edge_offsets, batch.reference_offsets))
    return LatticeTooLarge(
        lattice,
        f"{n_edges:,} edges and {n_words:,} reference words need {needs}; split the lattice and its reference, or "
        "leave out the measures of nearest paths",
    )


def _runs_of_lattices(sizes: Ints) -> list[list[int]]:
    """Return the start and end of runs of lattices with about CELLS_PER_CALL cells each."""
    borders = np.flatnonzero(np.diff(np.cumsum(sizes) // CELLS_PER_CALL, prepend=-1, append=-2))
    runs: list[list[int]] = np.stack([borders[:-1], borders[1:]], axis=1).tolist()
    return runs


class _LatticeRows(NamedTuple):
    """Rows of one lattice, and its reference."""

    group_offsets: Ints
    below: SmallInts
    choice_offsets: Ints
    word: SmallInts
    edge: SmallInts
    reference: SmallInts
    n_codes: int


def _select_lattice(batch: LatticeBatch, rows: LatticeTable, lattice: int) -> _LatticeRows:
    """Select one lattice of a batch."""
    group_offsets = rows.group_offsets[rows.offsets[lattice] : rows.offsets[lattice + 1] + 1]
    groups = slice(int(group_offsets[0]), int(group_offsets[-1]))
    choice_offsets = rows.choice_offsets[groups.start : groups.stop + 1]
    choices = slice(int(choice_offsets[0]), int(choice_offsets[-1]))
    reference = rows.codes[batch.reference_offsets[lattice] : batch.reference_offsets[lattice + 1]]
    return _LatticeRows(
        group_offsets - groups.start, rows.below[groups], choice_offsets - choices.start, rows.word[choices],
        rows.edge[choices], reference, int(rows.n_codes[lattice]),
    )  # fmt: skip


def _last_uses(lattice: _LatticeRows) -> Ints:
    """Return, by row, the last row that depends on it."""
    n = len(lattice.group_offsets) - 1
    needed = np.zeros(n, dtype=np.int64)
    np.maximum.at(needed, lattice.below, np.repeat(np.arange(n), np.diff(lattice.group_offsets)))
    return needed


def _segment_length(needed: Ints, width: int, cells: int, item_size: int) -> int:
    """Return the number of rows of a segment, 0 if none keeps the table in MAX_TABLE_BYTES.

    Short segments need little memory themselves, but rows are kept at every boundary: the length is that of `cells`
    cells, doubled until both together fit.
    """
    n = len(needed)
    used = np.flatnonzero(needed > np.arange(n))
    live = np.zeros(n + 1, dtype=np.int64)  # by boundary, the rows before it that a row after it needs
    np.add.at(live, used + 1, 1)
    np.add.at(live, needed[used] + 1, -1)
    live = np.cumsum(live)
    most_rows = MAX_TABLE_BYTES // (width * item_size)
    length = max(cells // width, 1)
    while True:
        kept = live[:n:length]
        if length + int(kept.max()) + int(kept.sum()) <= most_rows:
            return length
        if length >= n:
            return 0
        length *= 2


def _search_in_segments(
    lattice: _LatticeRows, needed: Ints, costs: Cells, size: int, traced_from: int, path: Ints
) -> tuple[int, int, int]:  # fmt: skip
    """Process one lattice whose table is filled segment by segment; return the cost, words and edges of its path.

    needed: by row, the last row that depends on it; size: rows of a segment; traced_from: the least cost whose path is
    followed.
    """
    fill: Any = fill_rows
    follow: Any = trace_path
    n, width = len(lattice.group_offsets) - 1, len(lattice.reference) + 1
    kept: dict[int, tuple[Ints, Cells]] = {0: (np.zeros(0, dtype=np.int64), np.zeros((0, width), dtype=costs.dtype))}
    marked = np.zeros(lattice.n_codes, dtype=np.bool_)
    room = kept[0][1]

    def filled(low: int) -> tuple[tuple[Cells, ...], Cells]:
        """Return the rows from `low` on, numbered as in the table, and the table, with the kept rows in front."""
        high = min(low + size, n)
        rows, old = kept[low]
        nonlocal room
        if len(room) < len(rows) + high - low:
            room = np.empty((len(rows) + high - low, width), dtype=costs.dtype)
        table = room[: len(rows) + high - low]
        table[: len(rows)] = old
        offsets = lattice.group_offsets[low : high + 1]
        below = _table_positions(lattice.below[offsets[0] : offsets[-1]], low, rows)
        graph = offsets - offsets[0], below, lattice.choice_offsets[offsets[0] : offsets[-1] + 1], lattice.word
        fill(len(rows), *graph, lattice.reference, costs, marked, table)
        return graph, table

    for low in range(0, n, size):
        graph, table = filled(low)
        over = np.flatnonzero(needed[: low + size] >= low + size)
        kept[low + size] = over, table[_table_positions(over, low, kept[low][0])]
    best = table[-1, 0]
    if best < traced_from:
        return int(best), 0, 0
    row, n_words, n_path = n - 1, 0, 0
    ahead = np.zeros(width, dtype=costs.dtype)
    while row > 0:
        low = row // size * size
        if low + size < n:
            graph, table = filled(low)
        rows = kept[low][0]
        place, n_words, n_path = follow(
            row - low + len(rows), len(rows), *graph, lattice.edge, lattice.reference, costs, marked, table, best,
            ahead, path, n_path, n_words,
        )  # fmt: skip
        row = int(rows[place]) if place < len(rows) else 0
    return int(best), n_words, n_path


def _table_positions(rows: Ints | SmallInts, low: int, kept: Ints) -> SmallInts:
    """Return the positions of rows in a table of the kept rows followed by those from `low` on."""
    return np.where(rows < low, np.searchsorted(kept, rows), rows - low + len(kept)).astype(np.int32)


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
                    chosen = _find_choice(
                        word[start:end], table[below[other]], columns[:n_columns], reference, costs, marked, best, ahead
                    )
                    if chosen >= 0 and edge[start + chosen] < least:
                        group, choice, least = other, start + chosen, edge[start + chosen]
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
    m, choice = len(reference), NONE
    match, substitution, extra = costs[0] - costs[3], costs[1] - costs[3], costs[2]
    wordless = codes[0] == NO_WORD
    for j in columns:  # where all choices are equal
        if wordless:
            if ahead[j] + below[j] == best:
                return ZERO
        elif ahead[j] + below[j] + extra == best or (j < m and ahead[j] + below[j + 1] + substitution == best):
            return ZERO
    if wordless:
        return choice
    for j in columns:
        if j < m and ahead[j] + below[j + 1] + match == best:
            marked[reference[j]] = True
    for at in range(len(codes)):
        if marked[codes[at]]:
            choice = at
            break
    for j in columns:
        if j < m:
            marked[reference[j]] = False
    return choice


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


def _count_swap_cells(batch: LatticeBatch, unit: Ints, *others: Any) -> float:
    """Return the number of cells that `_search_with_swaps` computes."""
    words = np.diff(batch.word_offsets[batch.edge_offsets]) + np.diff(batch.edge_offsets)
    return float(2 * (words + batch.n_nodes) @ (np.diff(batch.reference_offsets) + 1))


@compiled(cost=_count_swap_cells)
def _search_with_swaps(
    batch: LatticeBatch, unit: Ints, costs: Ints, cost: Ints, n_words: Ints, n_path: Ints, path_offsets: Ints,
    path: Ints,
) -> None:  # fmt: skip
    """Find the paths of nearest_paths_with_swaps, by the edges of smallest numbers. costs: of a substitution, an
    insertion, a deletion and an exchange."""
    for lattice in range(len(batch.n_nodes)):
        n, first, last = batch.n_nodes[lattice], batch.edge_offsets[lattice], batch.edge_offsets[lattice + 1]
        reference = batch.references[batch.reference_offsets[lattice] : batch.reference_offsets[lattice + 1]]
        m = len(reference)
        substitution, insertion = costs[0] * unit[lattice], costs[1] * unit[lattice] + 1
        deletion, swap = costs[2] * unit[lattice] + 1, costs[3] * unit[lattice]
        prices = substitution, insertion, deletion, swap
        order, starts = sort_by_node(n, batch.from_node[first:last])
        table = np.full((n, 2, m + 1), FAR, dtype=np.int64)
        for j in range(m + 1):
            table[n - 1, 0, j] = (m - j) * deletion
        row, spare = np.empty((2, m + 1), dtype=np.int64), np.empty((2, m + 1), dtype=np.int64)
        for node in range(n - 2, -1, -1):
            for at in range(starts[node], starts[node + 1]):
                edge = first + order[at]
                row[:] = table[batch.to_node[edge]]
                for position in range(batch.word_offsets[edge + 1] - 1, batch.word_offsets[edge] - 1, -1):
                    _step_back(batch.words[position], reference, prices, row, spare)
                    row, spare = spare, row
                for j in range(m + 1):
                    table[node, 0, j] = min(table[node, 0, j], row[0, j])
                    table[node, 1, j] = min(table[node, 1, j], row[1, j])
        best = table[0, 0, 0]
        cost[lattice] = best
        ahead = np.full((2, m + 1), FAR, dtype=np.int64)
        for j in range(m + 1):
            ahead[0, j] = j * deletion
        node = 0
        while best < FAR and node < n - 1:
            for at in range(starts[node], starts[node + 1]):
                edge = first + order[at]
                row[:] = ahead
                for position in range(batch.word_offsets[edge], batch.word_offsets[edge + 1]):
                    _step_ahead(batch.words[position], reference, prices, row, spare)
                    row, spare = spare, row
                if _least_sum(row, table[batch.to_node[edge]]) == best:
                    ahead[:] = row
                    path[path_offsets[lattice] + n_path[lattice]] = order[at]
                    n_path[lattice] += 1
                    n_words[lattice] += batch.word_offsets[edge + 1] - batch.word_offsets[edge]
                    node = batch.to_node[edge]
                    break


@compiled
def _step_back(word: int, reference: Ints, prices: tuple[int, int, int, int], below: Ints, row: Ints) -> None:
    """Compute the cells of a row before a word of a path from those behind it."""
    substitution, insertion, deletion, swap = prices
    m = len(reference)
    for j in range(m, -1, -1):
        least, second = below[0, j] + insertion, NOWHERE
        if j < m:
            least = min(
                least, below[0, j + 1] + (0 if reference[j] == word else substitution), row[0, j + 1] + deletion
            )
        if j + 1 < m:
            if reference[j + 1] == word:
                least = min(least, below[1, j] + swap)
            if reference[j] == word:
                second = below[0, j + 2]
        row[0, j], row[1, j] = min(least, FAR), second


@compiled
def _step_ahead(word: int, reference: Ints, prices: tuple[int, int, int, int], before: Ints, row: Ints) -> None:
    """Compute the costs of a path so far against the first j words of the reference (0), and with a word in front of an
    exchange behind them (1), from those without its last word."""
    substitution, insertion, deletion, swap = prices
    m = len(reference)
    for j in range(m + 1):
        least, first = before[0, j] + insertion, NOWHERE
        if j > 0:
            least = min(least, before[0, j - 1] + (0 if reference[j - 1] == word else substitution))
            least = min(least, row[0, j - 1] + deletion)
        if j > 1 and reference[j - 2] == word:
            least = min(least, before[1, j - 2])
        if j + 1 < m and reference[j + 1] == word:
            first = before[0, j] + swap
        row[0, j], row[1, j] = min(least, FAR), min(first, FAR)


@compiled
def _least_sum(one: Ints, other: Ints) -> int:
    """Return the least sum of two cells in the same place."""
    least = NOWHERE
    for j in range(one.shape[1]):
        least = min(least, one[0, j] + other[0, j], one[1, j] + other[1, j])
    return least
