"""Upper envelopes of lattices: the best path for every value of one weight of the scores of edges.

The score of an edge is intercept + weight * slope, so that that of a path is a line over the weight, and the best score
for every weight is a convex, piecewise linear function, mostly of few lines.

Source: Macherey et al. 2008, Lattice-based minimum error rate training for statistical machine translation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.compiling import NONE, compiled
from treesql.kernels.lattices.lattices import LatticeBatch, sort_by_node

MAX_LINES = 1 << 22
"""Maximum number of lines of all nodes of a lattice, 40 bytes each."""


class Envelopes(NamedTuple):
    """line_offsets: (lattices + 1,); starts: (lines,) the weight from which on the path of a line is best, ascending
    in a lattice, -inf for its first; offsets: (lines + 1,); edges: of the paths, numbered within their lattice."""

    line_offsets: Ints
    starts: Floats
    offsets: Ints
    edges: Ints


def find_envelopes(batch: LatticeBatch, intercepts: Floats, slopes: Floats) -> Envelopes:
    """Return the best paths of every lattice for all weights; none for a lattice without a path.

    intercepts, slopes: (edges,), finite. From the last node to the first, the lines of a node are the upper envelope of
    those of its edges: O(edges * lines * log). Of equal lines the first edge's is kept. ValueError: a lattice has more
    than MAX_LINES lines.
    """
    lattice, line_offsets, starts, offsets, edges = _find_envelopes(batch, intercepts, slopes, MAX_LINES)
    if lattice >= 0:
        what = f"its best paths change too often with this weight; split it, or prune it ({MAX_LINES:,} lines at most)"
        raise ValueError(f"lattice {lattice} of the batch, counted from 0: {what}")
    return Envelopes(line_offsets, starts, offsets, edges)


@compiled
def _find_envelopes(
    batch: LatticeBatch, intercepts: Floats, slopes: Floats, most: int
) -> tuple[int, Ints, Floats, Ints, Ints]:
    """Return the first lattice with more than `most` lines, -1 without one, and the arrays of Envelopes."""
    n_lattices = len(batch.n_nodes)
    line_offsets, n_lines, n_edges = np.zeros(n_lattices + 1, np.int64), 0, 0
    starts, offsets, edges = np.empty(16, np.float64), np.zeros(17, np.int64), np.empty(16, np.int64)
    for lattice in range(n_lattices):
        n, first, last = batch.n_nodes[lattice], batch.edge_offsets[lattice], batch.edge_offsets[lattice + 1]
        order, places = sort_by_node(n, batch.from_node[first:last])
        lines, links, begins, filled = np.zeros((16, 3)), np.full((16, 2), -1), np.zeros((2, n), np.int64), 1
        begins[1, n - 1] = 1
        lines[0, 2] = -np.inf
        for node in range(n - 2, -1, -1):
            size = 0
            for at in range(places[node], places[node + 1]):
                end = batch.to_node[first + order[at]]
                size += begins[1, end] - begins[0, end]
            if filled + size > most:
                return lattice, line_offsets, starts[:0].copy(), offsets[:1].copy(), edges[:0].copy()
            new, new_links = np.empty((size, 2)), np.empty((size, 2), np.int64)
            size = 0
            for at in range(places[node], places[node + 1]):
                edge = order[at]
                end = batch.to_node[first + edge]
                for line in range(begins[0, end], begins[1, end]):
                    new[size, 0] = lines[line, 0] + slopes[first + edge]
                    new[size, 1] = lines[line, 1] + intercepts[first + edge]
                    new_links[size, 0], new_links[size, 1] = edge, line
                    size += 1
            if filled + size > len(lines):
                more = filled + size
                lines = np.concatenate((lines[:filled], np.zeros((more, 3))))
                links = np.concatenate((links[:filled], np.full((more, 2), -1)))
            begins[0, node] = filled
            filled = _keep_upper(new, new_links, lines, links, filled)
            begins[1, node] = filled
        for line in range(begins[0, 0], begins[1, 0]):
            if n_lines + 1 > len(starts):
                starts = np.concatenate((starts, np.empty(len(starts), np.float64)))
                offsets = np.concatenate((offsets, np.zeros(len(starts), np.int64)))
            starts[n_lines] = lines[line, 2]
            at = line
            while links[at, 0] >= 0:
                if n_edges == len(edges):
                    edges = np.concatenate((edges, np.empty(len(edges), np.int64)))
                edges[n_edges] = links[at, 0]
                n_edges += 1
                at = links[at, 1]
            n_lines += 1
            offsets[n_lines] = n_edges
        line_offsets[lattice + 1] = n_lines
    return NONE, line_offsets, starts[:n_lines].copy(), offsets[: n_lines + 1].copy(), edges[:n_edges].copy()


@compiled
def _keep_upper(new: Floats, new_links: Ints, lines: Floats, links: Ints, first: int) -> int:
    """Write the lines that are greatest somewhere behind the first ones, by slope; return the number of all lines.

    new: slopes and intercepts; lines: these, and the weight from which on each is the greatest.
    """
    order = np.argsort(-new[:, 1], kind="mergesort")
    order = order[np.argsort(new[order, 0], kind="mergesort")]
    filled = first
    for place in range(len(order)):
        at = order[place]
        slope, intercept = new[at, 0], new[at, 1]
        if filled > first and lines[filled - 1, 0] == slope:
            continue
        start = -np.inf
        while filled > first:
            start = (lines[filled - 1, 1] - intercept) / (slope - lines[filled - 1, 0])
            if start > lines[filled - 1, 2]:
                break
            filled -= 1
            start = -np.inf
        lines[filled, 0], lines[filled, 1], lines[filled, 2] = slope, intercept, start
        links[filled, 0], links[filled, 1] = new_links[at, 0], new_links[at, 1]
        filled += 1
    return filled
