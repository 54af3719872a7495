"""Paths of lattices that are nearest to a reference, word by word in order: graph error rate, graph word error rate.

Words are integers. The lattices of a batch stand one after the other; edges lead from a lower to a higher node, paths
from node 0 to the last. Sources: Bernreuther 2005, Lattice evaluation techniques, 2.1 (definitions); Wagner & Fischer
1974 (recurrence); Dinkelbach 1967, On nonlinear fractional programming (quotients).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from treesql.kernels.lattices import by_node

Ints = NDArray[np.int64]
Cells = NDArray[Any]
"""Integers of 32 or 64 bits."""

CELLS = 1 << 25
"""So many cells of a table are held of one lattice; a larger one is filled in segments of its nodes, twice."""

_ROOM = 1 << 30
_FAR = 1 << 29
_FAR_64 = 1 << 61


class Batch(NamedTuple):
    """Lattices and a reference for each.

    n_nodes: (lattices,); edge_offsets, reference_offsets: (lattices + 1,); from_node, to_node: (edges,); word_offsets:
    (edges + 1,); words, references: the numbers of all words.
    """

    n_nodes: Ints
    edge_offsets: Ints
    from_node: Ints
    to_node: Ints
    word_offsets: Ints
    words: Ints
    reference_offsets: Ints
    references: Ints


class Paths(NamedTuple):
    """By lattice: the edits of its path (-1 where there is none), insertions and deletions among them, and the words of
    the path. offsets: (lattices + 1,), where the edges of each path begin and end in `edges`, numbered in the lattice.
    """

    edits: Ints
    indels: Ints
    n_words: Ints
    offsets: Ints
    edges: Ints


def nearest(batch: Batch, cells: int = CELLS) -> Paths:
    """The path of every lattice with the smallest edit distance to the reference (GER, equation 2.3).

    Of several the one with most substitutions, then that whose edges have the smallest numbers, the first edge first.
    B(node, j) = the least cost of the words of a path from node to the end against reference words j + 1 .. m, costs
    being pairs (edits, insertions + deletions); O(words of edges * m) time. Memory: 4 or 8 bytes a cell of at most
    max(`cells`, one node's row) at once, and for a larger lattice the rows still needed at every border of its
    segments.
    """
    return _run(batch, quotient=False, cells=cells)


def nearest_quotient(batch: Batch, cells: int = CELLS) -> Paths:
    """The path of every lattice with the smallest edit distance per word of the path (GWER, equation 2.1).

    Paths without words are none: edits are -1 where a lattice has no other. Exact: for a bound a/b the least value of
    b * edits - a * words is found as above; where it is below 0 its path has a smaller quotient, which is the next
    bound (Dinkelbach 1967). Of several the path with fewest edits, then smallest edge numbers.
    """
    return _run(batch, quotient=True, cells=cells)


def _run(batch: Batch, *, quotient: bool, cells: int) -> Paths:
    n = len(batch.n_nodes)
    sizes = batch.n_nodes * (np.diff(batch.reference_offsets) + 1)
    large = sizes > cells
    found = np.full((3, n), -1, dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(batch.n_nodes)]).astype(np.int64)
    path = np.empty(int(offsets[-1]), dtype=np.int64)
    lengths = np.zeros(n, dtype=np.int64)
    room = int(sizes[~large].max(initial=0))
    _small(*batch, large, quotient, np.empty(room, dtype=np.int32), found, offsets, path, lengths)
    for lattice in np.flatnonzero((found[0] == -2) | large).tolist():
        one = _one(batch, lattice)
        edits, indels, n_words, edges = _large(one, quotient, cells)
        found[0, lattice], found[1, lattice], found[2, lattice] = edits, indels, n_words
        lengths[lattice] = len(edges)
        path[offsets[lattice] : offsets[lattice] + len(edges)] = edges
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(int(ends[-1])) + np.repeat(offsets[:-1] - ends[:-1], lengths)
    return Paths(found[0], found[1], found[2], ends, path[places])


class Lattice(NamedTuple):
    """One lattice: its edges, where the edges that leave each node begin in `order`, its words and its reference."""

    n_nodes: int
    to_node: Ints
    order: Ints
    starts: Ints
    word_offsets: Ints
    words: Ints
    reference: Ints


def _one(batch: Batch, lattice: int) -> Lattice:
    first, last = batch.edge_offsets[lattice], batch.edge_offsets[lattice + 1]
    order, starts = by_node(int(batch.n_nodes[lattice]), batch.from_node[first:last])
    return Lattice(
        int(batch.n_nodes[lattice]),
        batch.to_node[first:last],
        order,
        starts,
        batch.word_offsets[first : last + 1],
        batch.words,
        batch.references[batch.reference_offsets[lattice] : batch.reference_offsets[lattice + 1]],
    )


@numba.njit(nogil=True, cache=True)
def _longest(n_nodes: int, to_node: Ints, order: Ints, starts: Ints, word_offsets: Ints) -> int:
    """The most words that a path to the end has."""
    longest = np.full(n_nodes, -1, dtype=np.int64)
    longest[n_nodes - 1] = 0
    for node in range(n_nodes - 2, -1, -1):
        for at in range(starts[node], starts[node + 1]):
            edge = order[at]
            if longest[to_node[edge]] >= 0:
                n_words = word_offsets[edge + 1] - word_offsets[edge]
                longest[node] = max(longest[node], longest[to_node[edge]] + n_words)
    return int(longest[0])


@numba.njit(nogil=True, cache=True)
def _fewest_words(
    n_nodes: int, to_node: Ints, order: Ints, starts: Ints, word_offsets: Ints, path: Ints
) -> tuple[int, int]:
    """The path with fewest words, but one at least, by the edges of smallest numbers: its words and edges.

    What is nearest to an empty reference where paths without words are none. One row has the fewest words of a path to
    the end, the other the same of paths that have words.
    """
    least = np.full((2, n_nodes), _FAR_64, dtype=np.int64)
    least[0, n_nodes - 1] = 0
    for node in range(n_nodes - 2, -1, -1):
        for at in range(starts[node], starts[node + 1]):
            to, more = to_node[order[at]], word_offsets[order[at] + 1] - word_offsets[order[at]]
            least[0, node] = min(least[0, node], least[0, to] + more)
            least[1, node] = min(least[1, node], least[0 if more > 0 else 1, to] + more)
    node, level, n_path = 0, 1, 0
    while node < n_nodes - 1:
        for at in range(starts[node], starts[node + 1]):
            edge = order[at]
            more = word_offsets[edge + 1] - word_offsets[edge]
            below = 0 if more > 0 else level
            if least[below, to_node[edge]] + more == least[level, node]:
                path[n_path] = edge
                n_path += 1
                node, level = to_node[edge], below
                break
    return least[1, 0], n_path


@numba.njit(nogil=True, cache=True)
def _fill(
    low: int, high: int, n_nodes: int, to_node: Ints, order: Ints, starts: Ints, word_offsets: Ints, words: Ints,
    reference: Cells, costs: Cells, far: int, rows: Cells, row_of: Ints, scratch: Cells,
) -> None:  # fmt: skip
    """The rows of nodes low .. high - 1, from the last to the first. row_of: where each node's row is, -1 for none.

    costs: of a match, a substitution, a word of the path too many, a reference word left out. A row has a cell for
    every place in the reference; `far` fills the rows of nodes from which no path leads on.
    """
    m = len(reference)
    kind = costs.dtype.type
    match, substitution, extra, skip = costs[0], costs[1], costs[2], costs[3]
    for node in range(high - 1, low - 1, -1):
        row = rows[row_of[node]]
        if node == n_nodes - 1:
            row[m] = 0
            for j in range(m - 1, -1, -1):
                row[j] = row[j + 1] + skip
            continue
        row[:] = far
        for at in range(starts[node], starts[node + 1]):
            edge = order[at]
            below = rows[row_of[to_node[edge]]]
            if below[m] >= far:
                continue
            first, last = word_offsets[edge], word_offsets[edge + 1]
            if first == last:
                for j in range(m + 1):
                    row[j] = min(row[j], below[j])
                continue
            for position in range(last - 1, first, -1):
                word = words[position]
                above = scratch[position & 1]
                above[m] = below[m] + extra
                for j in range(m):
                    step = kind(below[j + 1] + (match if reference[j] == word else substitution))
                    above[j] = min(step, kind(below[j] + extra))
                for j in range(m - 1, -1, -1):
                    above[j] = min(above[j], above[j + 1] + skip)
                below = above
            word = words[first]
            row[m] = min(row[m], below[m] + extra)
            for j in range(m):
                step = kind(below[j + 1] + (match if reference[j] == word else substitution))
                row[j] = min(row[j], min(step, kind(below[j] + extra)))
        if row[m] < far:
            for j in range(m - 1, -1, -1):
                row[j] = min(row[j], row[j + 1] + skip)


@numba.njit(nogil=True, cache=True)
def _trace(
    node: int, high: int, best: int, ahead: Cells, to_node: Ints, order: Ints, starts: Ints, word_offsets: Ints,
    words: Ints, reference: Cells, costs: Cells, far: int, rows: Cells, row_of: Ints, scratch: Cells, path: Ints,
    n_path: int,
) -> tuple[int, int]:  # fmt: skip
    """Go along the path of cost `best`, by the edges of smallest numbers, to a node from `high` on.

    ahead: the costs of the words so far against the first words of the reference, changed on the way. Returns the node
    and the number of edges gone.
    """
    m = len(reference)
    match, substitution, extra, skip = costs[0], costs[1], costs[2], costs[3]
    while node < high:
        chosen = -1
        for at in range(starts[node], starts[node + 1]):
            edge = order[at]
            below = rows[row_of[to_node[edge]]]
            if below[m] >= far:
                continue
            now = ahead
            for position in range(word_offsets[edge], word_offsets[edge + 1]):
                word = words[position]
                then = scratch[position & 1]
                then[0] = now[0] + extra
                for j in range(m):
                    then[j + 1] = min(now[j] + (match if reference[j] == word else substitution), now[j + 1] + extra)
                for j in range(m):
                    then[j + 1] = min(then[j + 1], then[j] + skip)
                now = then
            for j in range(m + 1):
                if now[j] + below[j] == best:
                    chosen = edge
                    break
            if chosen >= 0:
                for j in range(m + 1):
                    ahead[j] = now[j]
                break
        path[n_path] = chosen
        n_path += 1
        node = to_node[chosen]
    return node, n_path


@numba.njit(nogil=True, cache=True)
def _small(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, word_offsets: Ints, words: Ints,
    reference_offsets: Ints, references: Ints, passed_over: NDArray[np.bool_], quotient: bool, room: NDArray[np.int32],
    found: Ints, path_offsets: Ints, path: Ints, lengths: Ints,
) -> None:  # fmt: skip
    """Lattices whose tables are held as a whole, with costs of 32 bits; edits become -2 where these do not do."""
    for lattice in range(len(n_nodes)):
        if passed_over[lattice]:
            continue
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        reference = references[reference_offsets[lattice] : reference_offsets[lattice + 1]].astype(np.int32)
        m = len(reference)
        to = to_node[first:last]
        order, starts = by_node(n, from_node[first:last])
        offsets = word_offsets[first : last + 1]
        longest = _longest(n, to, order, starts, offsets)
        if longest < 0 or (quotient and longest == 0):
            continue
        unit = m + longest + 1
        if unit * unit >= _ROOM or (quotient and longest * unit * unit >= _ROOM):
            found[0, lattice] = -2
            continue
        here = path[path_offsets[lattice] : path_offsets[lattice + 1]]
        if quotient and m == 0:
            n_words, n_path = _fewest_words(n, to, order, starts, offsets, here)
            found[0, lattice] = found[1, lattice] = found[2, lattice] = n_words
            lengths[lattice] = n_path
            continue
        rows = room[: n * (m + 1)].reshape(n, m + 1)
        row_of = np.arange(n)
        scratch = np.empty((2, m + 1), dtype=np.int32)
        ahead = np.empty(m + 1, dtype=np.int32)
        costs = np.array([0, unit, unit + 1, unit + 1], dtype=np.int32)
        edits, indels, n_words, a, b = 0, 0, 0, 0, 0
        while True:
            _fill(0, n, n, to, order, starts, offsets, words, reference, costs, _FAR, rows, row_of, scratch)
            best = rows[0, 0]
            if a > 0:
                value = best // unit
                edits = best - value * unit
                if value < 0:
                    n_words = (b * edits - value) // a
                    a, b, costs = _next(edits, n_words, unit, costs)
                    continue
            for j in range(m + 1):
                ahead[j] = j * costs[3]
            _, n_path = _trace(
                0, n - 1, best, ahead, to, order, starts, offsets, words, reference, costs, _FAR, rows, row_of, scratch,
                here, 0,
            )  # fmt: skip
            n_words = 0
            for at in range(n_path):
                n_words += offsets[here[at] + 1] - offsets[here[at]]
            if a == 0:
                edits, indels = best // unit, best % unit
                if quotient and (n_words == 0 or edits > 0):
                    if n_words == 0:
                        edits, n_words = max(m, longest), longest
                    a, b, costs = _next(edits, n_words, unit, costs)
                    continue
            lengths[lattice] = n_path
            break
        found[0, lattice], found[1, lattice], found[2, lattice] = edits, indels, n_words


@numba.njit(nogil=True, cache=True)
def _next(edits: int, n_words: int, unit: int, costs: Cells) -> tuple[int, int, Cells]:
    """The bound edits / n_words in lowest terms, and the costs of b * edits - a * words, then edits."""
    a, b = edits, n_words
    while b:
        a, b = b, a % b
    a, b = edits // a, n_words // a
    costs[0], costs[1], costs[2], costs[3] = -a * unit, (b - a) * unit + 1, (b - a) * unit + 1, b * unit + 1
    return a, b, costs


def _large(one: Lattice, quotient: bool, cells: int) -> tuple[int, int, int, Ints]:
    """One lattice, in segments of its nodes: edits, insertions and deletions among them, words, and edges."""
    nothing = np.zeros(0, dtype=np.int64)
    m = len(one.reference)
    longest = int(_longest(one.n_nodes, one.to_node, one.order, one.starts, one.word_offsets))
    if longest < 0 or (quotient and longest == 0):
        return -1, -1, -1, nothing
    if quotient and m == 0:
        path = np.empty(one.n_nodes, dtype=np.int64)
        n_words, n_path = _fewest_words(one.n_nodes, one.to_node, one.order, one.starts, one.word_offsets, path)
        return n_words, n_words, n_words, path[:n_path]
    unit = m + longest + 1
    costs = np.array([0, unit, unit + 1, unit + 1], dtype=np.int64)
    best, path = _segments(one, costs, cells, trace=True)
    edits, indels, n_words = best // unit, best % unit, _count(one, path)
    if not quotient or (n_words and edits == 0):
        return edits, indels, n_words, path
    if n_words == 0:
        edits, n_words = max(m, longest), longest
    while True:
        a, b, costs = _next(edits, n_words, unit, costs)
        best, _ = _segments(one, costs, cells, trace=False)
        value, edits = divmod(best, unit)
        if value == 0:
            _, path = _segments(one, costs, cells, trace=True)
            return edits, indels, _count(one, path), path
        n_words = (b * edits - value) // a


def _count(one: Lattice, path: Ints) -> int:
    return int((one.word_offsets[path + 1] - one.word_offsets[path]).sum())


def _segments(one: Lattice, costs: Ints, cells: int, *, trace: bool) -> tuple[int, Ints]:
    """The least cost of a path and, with `trace`, the path; the table is filled segment by segment."""
    n, m = one.n_nodes, len(one.reference)
    small = int(np.abs(costs).max()) * (m + n + len(one.words)) < _FAR
    kind, far = (np.int32, _FAR) if small else (np.int64, _FAR_64)
    size = max(cells // (m + 1), 1)
    lows = list(range(0, n, size))
    needed = np.full(n, n, dtype=np.int64)  # the lowest node from which an edge leads to each
    np.minimum.at(needed, one.to_node[one.order], np.repeat(np.arange(n), np.diff(one.starts)))
    typed: tuple[Any, ...] = (one.reference.astype(kind), costs.astype(kind), far)
    graph = (one.to_node, one.order, one.starts, one.word_offsets, one.words)
    scratch = np.empty((2, m + 1), dtype=kind)
    fill: Any = _fill
    follow: Any = _trace
    kept: dict[int, tuple[Ints, Cells]] = {n: (np.zeros(0, dtype=np.int64), np.zeros((0, m + 1), dtype=kind))}

    def filled(low: int, high: int) -> tuple[Cells, Ints]:
        nodes, old = kept[high]
        rows = np.empty((high - low + len(nodes), m + 1), dtype=kind)
        rows[high - low :] = old
        row_of = np.full(n, -1, dtype=np.int64)
        row_of[low:high] = np.arange(high - low)
        row_of[nodes] = np.arange(high - low, len(rows))
        fill(low, high, n, *graph, *typed, rows, row_of, scratch)
        return rows, row_of

    for low in reversed(lows):
        rows, row_of = filled(low, min(low + size, n))
        if low:
            nodes = np.flatnonzero((np.arange(n) >= low) & (needed < low))
            kept[low] = nodes, rows[row_of[nodes]]
    best = int(rows[row_of[0], 0])
    path = np.empty(n, dtype=np.int64)
    node, n_path = 0, 0
    ahead = (np.arange(m + 1) * costs[3]).astype(kind)
    while trace and node < n - 1:
        low = node // size * size
        high = min(low + size, n)
        if low:
            rows, row_of = filled(low, high)
        node, n_path = follow(
            node, min(high, n - 1), best, ahead, *graph, *typed, rows, row_of, scratch, path, n_path
        )  # fmt: skip
    return best, path[:n_path]
