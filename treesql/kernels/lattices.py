"""Structure of lattices: topological order of their nodes, and edges and nodes on complete paths.

The edges of all lattices are concatenated; offsets: (lattices + 1,), the start and end of each. Nodes are numbered from
0 in each lattice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import compiled


class LatticeBatch(NamedTuple):
    """Lattices, with one reference each.

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


class LatticeStructure(NamedTuple):
    """By lattice: whether it has a complete path (first node to last), and the edges on no such path."""

    complete: Ints
    dead_edges: Ints


def lattice_structure(n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints) -> LatticeStructure:
    """Return the structure of lattices whose edges all lead from a lower to a higher number. O(nodes + edges)."""
    found = np.empty((2, len(n_nodes)), dtype=np.int64)
    _lattice_structure(n_nodes, edge_offsets, from_node, to_node, found)
    return LatticeStructure(*found)


@compiled
def _lattice_structure(n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, found: Ints) -> None:
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        order, starts = sort_by_node(n, from_node[first:last])
        ahead = np.zeros(n, dtype=np.bool_)  # reachable from the first node
        behind = np.zeros(n, dtype=np.bool_)  # the last node is reachable
        ahead[0] = behind[n - 1] = True
        for node in range(n):
            if ahead[node]:
                for at in range(starts[node], starts[node + 1]):
                    ahead[to_node[first + order[at]]] = True
        for node in range(n - 1, -1, -1):
            for at in range(starts[node], starts[node + 1]):
                if behind[to_node[first + order[at]]]:
                    behind[node] = True
                    break
        dead = 0
        for edge in range(first, last):
            dead += not (ahead[from_node[edge]] and behind[to_node[edge]])
        found[0, lattice], found[1, lattice] = ahead[n - 1], dead


@compiled
def sort_by_node(n_nodes: int, node: Ints) -> tuple[Ints, Ints]:
    """Return the edges sorted by one of their nodes, then by number, and the position where each node's edges begin."""
    starts = np.zeros(n_nodes + 1, dtype=np.int64)
    for edge in range(len(node)):
        starts[node[edge] + 1] += 1
    for at in range(n_nodes):
        starts[at + 1] += starts[at]
    order = np.empty(len(node), dtype=np.int64)
    place = starts[:-1].copy()
    for edge in range(len(node)):
        order[place[node[edge]]] = edge
        place[node[edge]] += 1
    return order, starts


def sort_topologically(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, first_node: Ints
) -> tuple[Ints, Ints, Ints]:
    """Renumber nodes so that all edges lead from a lower to a higher number.

    first_node: by lattice, the node that becomes 0 if no edge leads to it. No edge may leave a lattice's last node,
    which remains last. Lattices that are already in order keep their numbers; otherwise a node follows all its
    predecessors, and nodes that become ready earlier come first. Returns the numbers of all lattices' nodes,
    concatenated, the offsets of the lattices, and by lattice a node on a cycle, -1 where there is none. O(nodes +
    edges). Source: Kahn 1962.
    """
    node_offsets = np.concatenate([[0], np.cumsum(n_nodes)]).astype(np.int64)
    numbers = np.empty(int(node_offsets[-1]), dtype=np.int64)
    cycle = np.full(len(n_nodes), -1, dtype=np.int64)
    _sort_topologically(n_nodes, edge_offsets, from_node, to_node, first_node, node_offsets, numbers, cycle)
    return numbers, node_offsets, cycle


@compiled
def _sort_topologically(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, first_node: Ints, node_offsets: Ints,
    numbers: Ints, cycle: Ints,
) -> None:  # fmt: skip
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        number = numbers[node_offsets[lattice] : node_offsets[lattice + 1]]
        plain = first_node[lattice] == 0
        for edge in range(first, last):
            plain = plain and from_node[edge] < to_node[edge]
        if plain:
            for node in range(n):
                number[node] = node
            continue
        order, starts = sort_by_node(n, from_node[first:last])
        waiting = np.zeros(n, dtype=np.int64)
        for edge in range(first, last):
            waiting[to_node[edge]] += 1
        queue = np.empty(n, dtype=np.int64)
        done, ready = 0, 0
        if waiting[first_node[lattice]] == 0:
            queue[0], ready = first_node[lattice], 1
        for node in range(n - 1):
            if waiting[node] == 0 and node != first_node[lattice]:
                queue[ready] = node
                ready += 1
        while done < ready:
            node = queue[done]
            number[node] = done
            done += 1
            for at in range(starts[node], starts[node + 1]):
                other = to_node[first + order[at]]
                waiting[other] -= 1
                if waiting[other] == 0 and other != n - 1:
                    queue[ready] = other
                    ready += 1
        if done == n - 1 and waiting[n - 1] == 0:
            number[n - 1] = done
        elif done < n:
            cycle[lattice] = _find_cycle(n, waiting, from_node[first:last], to_node[first:last])


@compiled
def _find_cycle(n_nodes: int, waiting: Ints, from_node: Ints, to_node: Ints) -> int:
    """Return a node on a cycle: every unordered node has an unordered predecessor, so walking back must return to a
    node."""
    order, starts = sort_by_node(n_nodes, to_node)
    node = 0
    while waiting[node] == 0:
        node += 1
    for _ in range(n_nodes):
        for at in range(starts[node], starts[node + 1]):
            if waiting[from_node[order[at]]] > 0:
                node = from_node[order[at]]
                break
    return node


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
