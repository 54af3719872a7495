"""Lattices reduced to the reference words that their edges hit, regardless of word order.

Source: Bernreuther 2005, Lattice evaluation techniques, equation 2.13.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.compiling import compiled
from treesql.kernels.lattices import sort_by_node

_FEW = 16
"""Maximum number of hits of an edge that are sorted by insertion."""


class Hits(NamedTuple):
    """One lattice and its reference. The distinct words that both contain are numbered; their numbers are called slots.

    to_node: (edges,); order: edges on complete paths, sorted by their first node, those of node v from starts[v] to
    starts[v + 1]; word_offsets: (edges + 1,), whose differences are numbers of words; hits: the slots of each edge's
    words, from hit_offsets[edge] on, ascending, none more often than in the reference. times: (slots,), the number of
    occurrences of each in the reference; m: the number of reference words.
    """

    n_nodes: int
    to_node: Ints
    order: Ints
    starts: Ints
    word_offsets: Ints
    hit_offsets: Ints
    hits: Ints
    times: Ints
    m: int


@compiled
def edges_on_paths(n_nodes: int, from_node: Ints, to_node: Ints) -> tuple[Ints, Ints, bool]:
    """Return the edges on complete paths, sorted by their first node, where each node's edges begin, and whether there
    is a complete path."""
    order, starts = sort_by_node(n_nodes, from_node)
    ahead, behind = np.zeros(n_nodes, dtype=np.bool_), np.zeros(n_nodes, dtype=np.bool_)
    ahead[0] = behind[n_nodes - 1] = True
    for node in range(n_nodes):
        if ahead[node]:
            for at in range(starts[node], starts[node + 1]):
                ahead[to_node[order[at]]] = True
    for node in range(n_nodes - 1, -1, -1):
        for at in range(starts[node], starts[node + 1]):
            behind[node] = behind[node] or behind[to_node[order[at]]]
    kept, kept_starts, n_kept = np.empty_like(order), np.zeros_like(starts), 0
    for node in range(n_nodes):
        kept_starts[node] = n_kept
        for at in range(starts[node], starts[node + 1]):
            if ahead[node] and behind[to_node[order[at]]]:
                kept[n_kept] = order[at]
                n_kept += 1
    kept_starts[n_nodes] = n_kept
    return kept[:n_kept], kept_starts, ahead[n_nodes - 1]


@compiled
def find_hits(
    to_node: Ints, word_offsets: Ints, words: Ints, reference: Ints, slot_of: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return the words that the lattice shares with the reference, as slots: the number of occurrences of each in the
    reference; and per edge the slots of its words, none more often than in the reference, ascending.

    slot_of: by word, -1 throughout; restored before returning.
    """
    for word in reference:
        slot_of[word] = -2
    n_slots = 0
    for position in range(word_offsets[0], word_offsets[-1]):
        if slot_of[words[position]] == -2:
            slot_of[words[position]] = n_slots
            n_slots += 1
    times = np.zeros(n_slots, dtype=np.int64)
    for word in reference:
        if slot_of[word] >= 0:
            times[slot_of[word]] += 1
    n_edges = len(to_node)
    seen = np.zeros(n_slots, dtype=np.int64)  # by slot, its hits of the current edge
    offsets = np.zeros(n_edges + 1, dtype=np.int64)
    hits = np.empty(word_offsets[-1] - word_offsets[0], dtype=np.int64)
    n = 0
    for edge in range(n_edges):
        first = n
        for position in range(word_offsets[edge], word_offsets[edge + 1]):
            slot = slot_of[words[position]]
            if slot >= 0 and seen[slot] < times[slot]:
                seen[slot] += 1
                hits[n] = slot
                n += 1
        for at in range(first, n):
            seen[hits[at]] = 0
        if n - first > _FEW:
            hits[first:n].sort()
        else:
            for last in range(first + 1, n):
                slot, at = hits[last], last
                while at > first and hits[at - 1] > slot:
                    hits[at] = hits[at - 1]
                    at -= 1
                hits[at] = slot
        offsets[edge + 1] = n
    for word in reference:
        slot_of[word] = -1
    return times, offsets, hits[:n]


@compiled
def compute_least_costs(graph: Hits, mu: Floats, per_word: float, distance: Floats, choice: Ints) -> None:
    """Compute the least cost from every node to the end, and the edge that achieves it; all edges are on complete
    paths."""
    distance[graph.n_nodes - 1] = 0.0
    for node in range(graph.n_nodes - 2, -1, -1):
        least, chosen = np.inf, -1
        for at in range(graph.starts[node], graph.starts[node + 1]):
            edge = graph.order[at]
            cost = per_word * (graph.word_offsets[edge + 1] - graph.word_offsets[edge]) + distance[graph.to_node[edge]]
            for place in range(graph.hit_offsets[edge], graph.hit_offsets[edge + 1]):
                cost -= mu[graph.hits[place]]
            if cost < least:
                least, chosen = cost, edge
        distance[node], choice[node] = least, chosen


@compiled
def follow_choice(graph: Hits, choice: Ints, counts: Ints, path: Ints) -> tuple[int, int, int]:
    """Follow the chosen edges from the first node; return the path's hits, words and edges. counts: receives the number
    of hits per slot."""
    counts[:] = 0
    node, n_words, n_path = 0, 0, 0
    while node < graph.n_nodes - 1:
        edge = choice[node]
        path[n_path] = edge
        n_path += 1
        n_words += graph.word_offsets[edge + 1] - graph.word_offsets[edge]
        for place in range(graph.hit_offsets[edge], graph.hit_offsets[edge + 1]):
            counts[graph.hits[place]] += 1
        node = graph.to_node[edge]
    n_hits = 0
    for slot in range(len(graph.times)):
        n_hits += min(counts[slot], graph.times[slot])
    return n_hits, n_words, n_path


@compiled
def path_lengths(graph: Hits) -> tuple[Ints, Ints]:
    """Return the fewest and the most words of a path from every node to the end."""
    fewest, most = np.zeros(graph.n_nodes, dtype=np.int64), np.zeros(graph.n_nodes, dtype=np.int64)
    for node in range(graph.n_nodes - 2, -1, -1):
        for at in range(graph.starts[node], graph.starts[node + 1]):
            edge = graph.order[at]
            more = graph.word_offsets[edge + 1] - graph.word_offsets[edge]
            low, high = more + fewest[graph.to_node[edge]], more + most[graph.to_node[edge]]
            fewest[node] = low if at == graph.starts[node] else min(fewest[node], low)
            most[node] = max(most[node], high)
    return fewest, most
