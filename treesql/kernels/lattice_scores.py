"""Sums over all paths of lattices by the scores of their edges, posteriors of edges, and the paths with the best score.

The edges of all lattices are concatenated; edges lead from a lower to a higher node, paths from node 0 to the last.
Source: Wessel et al. 2001, Confidence measures for large vocabulary continuous speech recognition.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.compiling import compiled
from treesql.kernels.lattices import LatticeBatch, sort_by_node


class PathSums(NamedTuple):
    """log_sums: (lattices,) the logarithm of the sum of exp(score) over all paths, -inf without a path; posteriors:
    (edges,) the share of this sum that paths with the edge have, 0 on no complete path."""

    log_sums: Floats
    posteriors: Floats


class BestPaths(NamedTuple):
    """scores: (lattices,) the sum of scores along the best path, -inf without a path; offsets: (lattices + 1,); edges:
    of these paths, in order, numbered within their lattice."""

    scores: Floats
    offsets: Ints
    edges: Ints


def path_sums(batch: LatticeBatch, scores: Floats) -> PathSums:
    """Return sums over all paths by the forward-backward algorithm. scores: (edges,), finite, logarithms.

    Sums are made in the order of edges of each lattice, in the logarithmic domain. O(nodes + edges).
    """
    sums = PathSums(np.empty(len(batch.n_nodes)), np.zeros(len(scores)))
    _path_sums(*batch[:4], scores, *sums)
    return sums


def best_paths(batch: LatticeBatch, scores: Floats) -> BestPaths:
    """Return the path of every lattice with the greatest sum of scores. scores: (edges,), finite.

    Of several best paths, the one whose first edge has the smallest number, then whose second has. Sums are made from
    the last edge to the first, so that ties do not depend on rounding in two directions. O(nodes + edges).
    """
    found = np.empty(len(batch.n_nodes))
    lengths = np.zeros(len(batch.n_nodes), dtype=np.int64)
    edges = np.empty(len(scores), dtype=np.int64)  # a path has no more edges than its lattice
    _best_paths(*batch[:4], scores, found, lengths, edges)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.repeat(batch.edge_offsets[:-1] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return BestPaths(found, offsets, edges[places])


@compiled
def _best_paths(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, scores: Floats, found: Floats, lengths: Ints,
    edges: Ints,
) -> None:  # fmt: skip
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        own, ends = scores[first:last], to_node[first:last]
        order, places = sort_by_node(n, from_node[first:last])
        ahead = np.full(n, -np.inf)
        chosen = np.full(n, -1)
        ahead[n - 1] = 0.0
        for node in range(n - 2, -1, -1):
            for edge in order[places[node] : places[node + 1]]:
                total = own[edge] + ahead[ends[edge]]
                if total > ahead[node]:
                    ahead[node], chosen[node] = total, edge
        found[lattice] = ahead[0]
        node = 0
        while chosen[node] >= 0:
            edges[first + lengths[lattice]] = chosen[node]
            lengths[lattice] += 1
            node = ends[chosen[node]]


@compiled
def _path_sums(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, scores: Floats, log_sums: Floats,
    posteriors: Floats,
) -> None:  # fmt: skip
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        own, ends, starts = scores[first:last], to_node[first:last], from_node[first:last]
        behind = np.full(n, -np.inf)
        ahead = np.full(n, -np.inf)
        behind[0] = ahead[n - 1] = 0.0
        order, places = sort_by_node(n, ends)
        for node in range(1, n):
            behind[node] = _log_sum(order[places[node] : places[node + 1]], own, starts, behind)
        order, places = sort_by_node(n, starts)
        for node in range(n - 2, -1, -1):
            ahead[node] = _log_sum(order[places[node] : places[node + 1]], own, ends, ahead)
        log_sums[lattice] = ahead[0]
        if ahead[0] > -np.inf:
            for edge in range(last - first):
                share = behind[starts[edge]] + own[edge] + ahead[ends[edge]] - ahead[0]
                posteriors[first + edge] = min(1.0, math.exp(share))


@compiled
def _log_sum(edges: Ints, scores: Floats, nodes: Ints, sums: Floats) -> float:
    """Return the logarithm of the sum of exp(score + sum at the other node) over edges."""
    largest = -np.inf
    for edge in edges:
        largest = max(largest, scores[edge] + sums[nodes[edge]])
    if largest == -np.inf:
        return largest
    total = 0.0
    for edge in edges:
        total += math.exp(scores[edge] + sums[nodes[edge]] - largest)
    return float(largest + math.log(total))
