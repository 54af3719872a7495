"""Lattice edges that no best path needs, regardless of word order: another edge between the same nodes has their hits.

Edges between the same nodes are compared in an order in which an edge comes after those that may dominate it, and only
with edges that have its rarest hit: words that edges do not share cost nothing.
"""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.compiling import NONE, compiled
from treesql.kernels.hits import Hits
from treesql.kernels.lattices import sort_by_node


@compiled
def without_dominated_edges(graph: Hits, same_length: bool) -> Hits:
    """Return the lattice without dominated edges: those for which another edge between the same nodes has all their
    hits and no more words (with `same_length`: as many words); of equal edges the first one is kept.

    O(nodes + edges + hits), and for every edge the hits of those kept edges between its nodes that have its rarest hit.
    """
    order = _sort_by_rank(graph)
    kept = np.zeros(len(graph.to_node), dtype=np.bool_)
    head = np.full(len(graph.times), NONE, dtype=np.int64)
    n_members = np.zeros(len(graph.times), dtype=np.int64)
    member, before = np.empty((2, len(graph.hits)), dtype=np.int64)
    for node in range(graph.n_nodes):
        first, end = graph.starts[node], graph.starts[node + 1]
        while first < end:
            last = first
            while last < end and _are_comparable(graph, order[first], order[last], same_length):
                last += 1
            _mark_kept_edges(graph, order[first:last], head, n_members, member, before, kept)
            first = last
    chosen, starts, n_chosen = np.empty_like(graph.order), np.zeros_like(graph.starts), 0
    for node in range(graph.n_nodes):
        starts[node] = n_chosen
        for at in range(graph.starts[node], graph.starts[node + 1]):
            if kept[graph.order[at]]:
                chosen[n_chosen] = graph.order[at]
                n_chosen += 1
    starts[graph.n_nodes] = n_chosen
    return Hits(
        graph.n_nodes, graph.to_node, chosen[:n_chosen], starts, graph.word_offsets, graph.hit_offsets, graph.hits,
        graph.times, graph.m,
    )  # fmt: skip


@compiled
def _sort_by_rank(graph: Hits) -> Ints:
    """Return the edges on paths by their nodes, then fewest words, then most hits, then number.

    An edge that dominates another between the same nodes comes before it, of equal edges the first one.
    """
    order = graph.order
    n = len(order)
    keys = np.empty((4, n), dtype=np.int64)
    for at in range(n):
        edge = order[at]
        keys[0, at] = graph.hit_offsets[edge] - graph.hit_offsets[edge + 1]
        keys[1, at] = graph.word_offsets[edge + 1] - graph.word_offsets[edge]
        keys[2, at] = graph.to_node[edge]
    for node in range(graph.n_nodes):
        keys[3, graph.starts[node] : graph.starts[node + 1]] = node
    ranked = np.arange(n)
    for kind in range(4):
        key = keys[kind][ranked]
        if n > 0:
            least = key.min()
            ranked = ranked[sort_by_node(key.max() - least + 1, key - least)[0]]
    return order[ranked]


@compiled
def _are_comparable(graph: Hits, one: int, other: int, same_length: bool) -> bool:
    """Whether edges from one node may dominate each other."""
    if graph.to_node[one] != graph.to_node[other]:
        return False
    offsets = graph.word_offsets
    return not same_length or offsets[one + 1] - offsets[one] == offsets[other + 1] - offsets[other]


@compiled
def _mark_kept_edges(
    graph: Hits, edges: Ints, head: Ints, n_members: Ints, member: Ints, before: Ints, kept: Flags
) -> None:
    """Mark the edges that no other one dominates.

    edges: those that may dominate each other, by rank. head: by slot, the place in `member` of the last kept edge with
    it, -1 throughout; n_members: by slot, the number of these edges, 0 throughout. Both are restored before returning.
    """
    used = 0
    hit_offsets, hits = graph.hit_offsets, graph.hits
    for at in range(len(edges)):
        edge = edges[at]
        start, end = hit_offsets[edge], hit_offsets[edge + 1]
        if start == end:  # any edge before it dominates it
            kept[edge] = at == 0
            continue
        rarest = hits[start]
        for place in range(start, end):
            if n_members[hits[place]] < n_members[rarest]:
                rarest = hits[place]
        link, dominated = head[rarest], False
        while link >= 0 and not dominated:
            dominated = _is_submultiset(edge, member[link], hit_offsets, hits)
            link = before[link]
        kept[edge] = not dominated
        if dominated:
            continue
        for place in range(start, end):
            if place == start or hits[place] != hits[place - 1]:
                slot = hits[place]
                member[used], before[used], head[slot] = edge, head[slot], used
                n_members[slot] += 1
                used += 1
    for edge in edges:
        for place in range(hit_offsets[edge], hit_offsets[edge + 1]):
            head[hits[place]], n_members[hits[place]] = NONE, 0


@compiled
def _is_submultiset(one: int, other: int, hit_offsets: Ints, hits: Ints) -> bool:
    """Whether the hits of one edge are a sub-multiset of those of the other."""
    at, end = hit_offsets[other], hit_offsets[other + 1]
    if hit_offsets[one + 1] - hit_offsets[one] > end - at:
        return False
    for place in range(hit_offsets[one], hit_offsets[one + 1]):
        while at < end and hits[at] < hits[place]:
            at += 1
        if at == end or hits[at] != hits[place]:
            return False
        at += 1
    return True
