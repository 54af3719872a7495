"""Sums over all paths of lattices by the scores of their edges, and the posteriors of edges.

The edges of all lattices are concatenated; edges lead from a lower to a higher node, paths from node 0 to the last.
Source: Wessel et al. 2001, Confidence measures for large vocabulary continuous speech recognition.
"""

from __future__ import annotations

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


def path_sums(batch: LatticeBatch, scores: Floats) -> PathSums:
    """Return sums over all paths by the forward-backward algorithm. scores: (edges,), finite, logarithms.

    Sums are made in the order of edges of each lattice, in the logarithmic domain. O(nodes + edges).
    """
    sums = PathSums(np.empty(len(batch.n_nodes)), np.zeros(len(scores)))
    _path_sums(*batch[:4], scores, *sums)
    return sums


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
                posteriors[first + edge] = min(1.0, np.exp(share))


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
        total += np.exp(scores[edge] + sums[nodes[edge]] - largest)
    return float(largest + np.log(total))
