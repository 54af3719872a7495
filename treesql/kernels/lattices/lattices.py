"""Structure of lattices: topological order of their nodes, and edges and nodes on complete paths.

The edges of all lattices are concatenated; offsets: (lattices + 1,), the start and end of each. Nodes are numbered from
0 in each lattice.

Lattices reduced to the reference words that their edges hit, regardless of word order.

Source: Bernreuther 2005, Lattice evaluation techniques, equation 2.13.

Sums over all paths of lattices by the scores of their edges, posteriors of edges, and the paths with the best score.

The edges of all lattices are concatenated; edges lead from a lower to a higher node, paths from node 0 to the last.
Source: Wessel et al. 2001, Confidence measures for large vocabulary continuous speech recognition.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Floats, Ints, positions_in_list
from treesql.kernels.compiling import NO, NONE, YES, compiled


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


def places_on_paths(batch: LatticeBatch, lattice: Ints, offsets: Ints, edges: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the places of the edges of paths and of their words in a batch, and where the words of each path end.

    lattice: (paths,), of each; offsets: (paths + 1,); edges: of all paths, numbered within their lattice.
    """
    places = np.repeat(batch.edge_offsets[lattice], np.diff(offsets)) + edges
    lengths = np.diff(batch.word_offsets)[places]
    word_places = np.repeat(batch.word_offsets[places], lengths) + positions_in_list(lengths)
    return places, word_places, np.append(0, np.cumsum(lengths))[offsets]


class LatticeStructure(NamedTuple):
    """By lattice: whether it has a complete path (first node to last), and the edges on no such path."""

    complete: Ints
    dead_edges: Ints


def lattice_structure(n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints) -> LatticeStructure:
    """Return the structure of lattices whose edges all lead from a lower to a higher number. O(nodes + edges)."""
    structure = np.empty((2, len(n_nodes)), dtype=np.int64)
    _lattice_structure(n_nodes, edge_offsets, from_node, to_node, structure)
    return LatticeStructure(*structure)


@compiled
def _lattice_structure(n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, structure: Ints) -> None:
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
        structure[0, lattice], structure[1, lattice] = ahead[n - 1], dead


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
    lattice_keys = np.arange(len(n_nodes)) << 32
    start, end = lattice << 32 | from_node, lattice << 32 | to_node
    nodes = np.unique(np.concatenate([start, end, lattice_keys, lattice_keys | (n_nodes - 1)]))
    first = np.searchsorted(nodes, lattice_keys)
    sizes = np.diff(np.append(first, len(nodes)))
    return sizes, np.searchsorted(nodes, start) - first[lattice], np.searchsorted(nodes, end) - first[lattice]


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
    sums = np.empty(len(batch.n_nodes))
    lengths = np.zeros(len(batch.n_nodes), dtype=np.int64)
    edges = np.empty(len(scores), dtype=np.int64)  # a path has no more edges than its lattice
    _best_paths(*batch[:4], scores, sums, lengths, edges)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.repeat(batch.edge_offsets[:-1] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return BestPaths(sums, offsets, edges[places])


@compiled
def _best_paths(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, scores: Floats, sums: Floats, lengths: Ints,
    edges: Ints,
) -> None:  # fmt: skip
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        lattice_scores, ends = scores[first:last], to_node[first:last]
        order, places = sort_by_node(n, from_node[first:last])
        ahead = np.full(n, -np.inf)
        chosen = np.full(n, -1)
        ahead[n - 1] = 0.0
        for node in range(n - 2, -1, -1):
            for edge in order[places[node] : places[node + 1]]:
                total = lattice_scores[edge] + ahead[ends[edge]]
                if total > ahead[node]:
                    ahead[node], chosen[node] = total, edge
        sums[lattice] = ahead[0]
        node = 0
        while chosen[node] >= 0:
            edges[first + lengths[lattice]] = chosen[node]
            lengths[lattice] += 1
            node = ends[chosen[node]]


MAX_PLACES = 1 << 24
"""Maximum number of pairs of a node and a position that `scores_of_words` holds for a lattice, 16 bytes each."""


def scores_of_words(batch: LatticeBatch, scores: Floats) -> Floats:
    """Return by lattice the greatest sum of scores of a path with the words of its reference, -inf without one.

    scores: (edges,), finite. From the last node to the first, the best sum for every position of the reference from
    which paths have its remaining words: O(edges * positions) time, few positions where words differ. Sums are those of
    best_paths for the same path. ValueError: a lattice has more than MAX_PLACES pairs of a node and a position.
    """
    sums = np.full(len(batch.n_nodes), -np.inf)
    lattice = _scores_of_words(batch, scores, MAX_PLACES, sums)
    if lattice >= 0:
        size = int(np.diff(batch.reference_offsets)[lattice])
        what = f"a text of {size:,} words is in too many places of its {batch.n_nodes[lattice]:,} nodes; split both"
        raise ValueError(f"lattice {lattice} of the batch, counted from 0: {what}")
    return sums


@compiled
def _scores_of_words(batch: LatticeBatch, scores: Floats, most: int, sums: Floats) -> int:
    """Fill `sums`; return the first lattice with more than `most` places, -1 without one."""
    for lattice in range(len(batch.n_nodes)):
        n, first, last = batch.n_nodes[lattice], batch.edge_offsets[lattice], batch.edge_offsets[lattice + 1]
        text = batch.references[batch.reference_offsets[lattice] : batch.reference_offsets[lattice + 1]]
        order, places = sort_by_node(n, batch.from_node[first:last])
        begin, end = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        positions, totals = np.empty(n, dtype=np.int64), np.empty(n)
        best = np.full(len(text) + 1, -np.inf)
        positions[0], totals[0] = len(text), 0.0
        end[n - 1] = filled = 1
        for node in range(n - 2, -1, -1):
            low, high = len(text), -1
            for at in range(places[node], places[node + 1]):
                edge = first + order[at]
                words = batch.words[batch.word_offsets[edge] : batch.word_offsets[edge + 1]]
                for place in range(begin[batch.to_node[edge]], end[batch.to_node[edge]]):
                    start = positions[place] - len(words)
                    if start >= 0 and _are_equal(words, text[start : positions[place]]):
                        best[start] = max(best[start], scores[edge] + totals[place])
                        low, high = min(low, start), max(high, start)
            begin[node] = filled
            if filled + high + 1 - low > len(positions):
                if filled + high + 1 - low > most:
                    return lattice
                more = filled + high + 1 - low
                positions = np.concatenate((positions[:filled], np.empty(more, dtype=np.int64)))
                totals = np.concatenate((totals[:filled], np.empty(more)))
            for start in range(low, high + 1):
                if best[start] > -np.inf:
                    positions[filled], totals[filled] = start, best[start]
                    best[start] = -np.inf
                    filled += 1
            end[node] = filled
        for place in range(begin[0], end[0]):
            if positions[place] == 0:
                sums[lattice] = totals[place]
    return NONE


@compiled
def _are_equal(words: Ints, others: Ints) -> bool:
    """Whether two texts of one length are equal."""
    for at in range(len(words)):
        if words[at] != others[at]:
            return NO
    return YES


@compiled
def _path_sums(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, scores: Floats, log_sums: Floats,
    posteriors: Floats,
) -> None:  # fmt: skip
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        lattice_scores, ends, starts = scores[first:last], to_node[first:last], from_node[first:last]
        behind = np.full(n, -np.inf)
        ahead = np.full(n, -np.inf)
        behind[0] = ahead[n - 1] = 0.0
        order, places = sort_by_node(n, ends)
        for node in range(1, n):
            behind[node] = _log_sum(order[places[node] : places[node + 1]], lattice_scores, starts, behind)
        order, places = sort_by_node(n, starts)
        for node in range(n - 2, -1, -1):
            ahead[node] = _log_sum(order[places[node] : places[node + 1]], lattice_scores, ends, ahead)
        log_sums[lattice] = ahead[0]
        if ahead[0] > -np.inf:
            for edge in range(last - first):
                share = behind[starts[edge]] + lattice_scores[edge] + ahead[ends[edge]] - ahead[0]
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
