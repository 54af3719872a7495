"""Nodes of lattices that have edges: NumPy alone, without the compiler."""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Ints


def used_nodes(n_nodes: Ints, lattice: Ints, from_node: Ints, to_node: Ints) -> tuple[Ints, Ints, Ints]:
    """Lattices without the nodes that no edge touches, but for the first and the last: paths are the same.

    n_nodes: (lattices,), below 2**31; lattice, from_node, to_node: (edges,). Returns the numbers of nodes and both ends
    of the edges, in the order that the nodes had. O(edges log edges), whatever the number of nodes.
    """
    of = np.arange(len(n_nodes)) << 32
    start, end = lattice << 32 | from_node, lattice << 32 | to_node
    nodes = np.unique(np.concatenate([start, end, of, of | (n_nodes - 1)]))
    first = np.searchsorted(nodes, of)
    sizes = np.diff(np.append(first, len(nodes)))
    return sizes, np.searchsorted(nodes, start) - first[lattice], np.searchsorted(nodes, end) - first[lattice]
