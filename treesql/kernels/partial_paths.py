"""Enumeration of partial lattice paths that may lead to fewer errors, regardless of word order: labelling with
dominance.

Source: Dumitrescu & Boland 2003, Improved preprocessing, labeling and scaling algorithms (labels with bounds).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.compiling import compiled, copy, inlined
from treesql.kernels.hits import Hits, path_lengths

COMPLETION_WEIGHT = 1.0
"""Weight, relative to the bound, of the errors of a partial path that is completed by its least-cost edges."""

MAX_LABELS = 1 << 22
"""Maximum number of partial paths that are held."""

MAX_MASKS = 1 << 24
"""Maximum number of bit masks of 64 bits that are held, of nodes and of partial paths: 0.13 gigabytes each."""

_MAX_WIDTH = 64
_PER_NODE, _PER_LABEL, _PER_EDGE = 400, 40, 4
"""Operations for each node with partial paths, each partial path sorted there, and each edge looked at or taken."""

_WORDS, _HITS, _PARENT, _EDGE, _NEXT = range(5)


@inlined(wraps=True)
def _count_ones(mask: Any) -> Any:
    """Return the number of 1 bits."""
    mask -= (mask >> np.uint64(1)) & np.uint64(0x5555555555555555)
    mask = (mask & np.uint64(0x3333333333333333)) + ((mask >> np.uint64(2)) & np.uint64(0x3333333333333333))
    mask = (mask + (mask >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((mask * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def enumerate_paths(
    graph: Hits, theta: float, nu: float, mu: Floats, least_words: int, distance: Floats, choice: Ints, width: int,
    limit: float, left: Ints, errors: int, n_words: int, path: Ints, n_path: int,
) -> tuple[bool, int, int, int]:  # fmt: skip
    """Extend the partial paths whose bound does not exceed a limit, at most `width` per node. Return whether all were
    extended, and the best path of at least `least_words` words.

    Partial paths are preferred by the errors that result if they are completed by `choice`, the edges of least cost.
    One dominates another if it has as many hits, not counting hits that only the other can still obtain, each
    additional word being counted as an error. The hits of a partial path are a bit mask: for every slot a run of as
    many bits as it can be hit, filled from the lowest.

    left: the operations that are left for the lattice, reduced by those done; without any, not all are extended.
    """
    n_slots = len(graph.times)
    part, low = np.empty(n_slots, dtype=np.int64), np.empty(n_slots, dtype=np.int64)
    n_parts, used = 1, 0
    for slot in range(n_slots):
        if graph.times[slot] > _MAX_WIDTH:
            return False, errors, n_words, n_path
        if used + graph.times[slot] > _MAX_WIDTH:
            n_parts, used = n_parts + 1, 0
        part[slot], low[slot] = n_parts - 1, used
        used += graph.times[slot]
    left[0] -= (graph.n_nodes * n_parts + len(graph.order) * (n_parts + 1) + len(graph.hits)) * _PER_EDGE
    if left[0] < 0 or graph.n_nodes * n_parts > MAX_MASKS:
        return False, errors, n_words, n_path
    one = np.uint64(1)
    fewest, most = path_lengths(graph)
    furthest = graph.m + errors - 1  # words beyond the length of the reference are errors
    rest, rest_words = np.zeros((graph.n_nodes, n_parts), dtype=np.uint64), np.zeros(graph.n_nodes, dtype=np.int64)
    live = np.zeros((graph.n_nodes, n_parts), dtype=np.uint64)
    for node in range(graph.n_nodes - 2, -1, -1):
        for at in range(graph.starts[node], graph.starts[node + 1]):
            for p in range(n_parts):
                live[node, p] |= live[graph.to_node[graph.order[at]], p]
            for place in range(graph.hit_offsets[graph.order[at]], graph.hit_offsets[graph.order[at] + 1]):
                slot = graph.hits[place]
                full = ~np.uint64(0) if graph.times[slot] == _MAX_WIDTH else (one << np.uint64(graph.times[slot])) - one
                live[node, part[slot]] |= full << np.uint64(low[slot])
        edge = choice[node]
        copy(rest[graph.to_node[edge]], rest[node], n_parts)
        rest_words[node] = rest_words[graph.to_node[edge]] + graph.word_offsets[edge + 1] - graph.word_offsets[edge]
        for place in range(graph.hit_offsets[edge], graph.hit_offsets[edge + 1]):
            slot = graph.hits[place]
            full = ~np.uint64(0) if graph.times[slot] == _MAX_WIDTH else (one << np.uint64(graph.times[slot])) - one
            run = (rest[node, part[slot]] >> np.uint64(low[slot])) & full
            rest[node, part[slot]] |= (((run << one) | one) & full) << np.uint64(low[slot])
    room = 1 << 10
    masks = np.zeros((room, n_parts), dtype=np.uint64)
    labels = np.zeros((5, room), dtype=np.int32)
    cost = np.zeros(room)
    head = np.full(graph.n_nodes, -1, dtype=np.int64)
    labels[_PARENT, 0] = labels[_NEXT, 0] = -1
    cost[0] = theta * graph.m + nu * least_words
    for slot in range(n_slots):
        cost[0] -= (1.0 - mu[slot]) * graph.times[slot]
    head[0], n_labels, whole = 0, 1, True
    mask = np.empty(n_parts, dtype=np.uint64)
    for node in range(graph.n_nodes):
        n_here, label = 0, head[node]
        while label >= 0:
            n_here += 1
            label = labels[_NEXT, label]
        if n_here == 0:
            continue
        left[0] -= _PER_NODE + n_here * (n_parts + _PER_LABEL)
        if left[0] < 0:
            return False, errors, n_words, n_path
        here = np.empty(n_here, dtype=np.int64)
        costs = np.empty(n_here)
        n_here, label = 0, head[node]
        while label >= 0:
            n_hits, length = 0, labels[_WORDS, label] + rest_words[node]
            for p in range(n_parts):
                n_hits += _count_ones(masks[label, p] | rest[node, p])
            here[n_here] = label
            value = max(graph.m, length) - n_hits + max(least_words - length, 0)
            costs[n_here] = cost[label] + distance[node] + COMPLETION_WEIGHT * value
            n_here += 1
            label = labels[_NEXT, label]
        if node == graph.n_nodes - 1:
            for label in here:
                length = labels[_WORDS, label]
                value = max(graph.m, length) - labels[_HITS, label]
                if value < errors and length >= least_words:
                    errors, n_words = value, length
                    n_path = 0
                    while labels[_PARENT, label] >= 0:
                        path[n_path] = labels[_EDGE, label]
                        n_path += 1
                        label = labels[_PARENT, label]
                    for at in range(n_path // 2):
                        path[at], path[n_path - 1 - at] = path[n_path - 1 - at], path[at]
            break
        here = here[np.argsort(costs, kind="mergesort")]
        n_kept = 0
        for label in here:
            covered = False
            if left[0] < 0:
                return False, errors, n_words, n_path
            left[0] -= n_kept
            for at in range(n_kept):
                other = here[at]
                ahead = labels[_WORDS, other] - labels[_WORDS, label]
                lead = labels[_HITS, other] - labels[_HITS, label]
                if ahead < 0 and labels[_WORDS, other] + fewest[node] < least_words:
                    continue
                lead -= max(ahead, 0)
                for p in range(n_parts):
                    if lead < 0:
                        break
                    left[0] -= 1
                    lead -= _count_ones(masks[other, p] & ~masks[label, p] & live[node, p])
                if lead >= 0:
                    covered = True
                    break
            if covered:
                continue
            if n_kept == width:
                whole = False
                break
            here[n_kept] = label
            n_kept += 1
        n_leaving = graph.starts[node + 1] - graph.starts[node]
        for label in here[:n_kept]:
            left[0] -= n_leaving * (n_parts + 1) * _PER_EDGE
            if left[0] < 0:
                return False, errors, n_words, n_path
            for at in range(graph.starts[node], graph.starts[node + 1]):
                edge = graph.order[at]
                to = graph.to_node[edge]
                more = graph.word_offsets[edge + 1] - graph.word_offsets[edge]
                now = cost[label] + (1.0 - theta - nu) * more
                n_hits = labels[_HITS, label]
                copy(masks[label], mask, n_parts)
                for place in range(graph.hit_offsets[edge], graph.hit_offsets[edge + 1]):
                    slot = graph.hits[place]
                    full = (
                        ~np.uint64(0)
                        if graph.times[slot] == _MAX_WIDTH
                        else (one << np.uint64(graph.times[slot])) - one
                    )
                    run = (mask[part[slot]] >> np.uint64(low[slot])) & full
                    if run != full:
                        mask[part[slot]] |= ((run << one) | one) << np.uint64(low[slot])
                        now -= mu[slot]
                        n_hits += 1
                words = labels[_WORDS, label] + more
                if now + distance[to] > limit or words + most[to] < least_words or words + fewest[to] > furthest:
                    continue
                left[0] -= graph.hit_offsets[edge + 1] - graph.hit_offsets[edge]
                if n_labels == MAX_LABELS or (n_labels + 1) * n_parts > MAX_MASKS:
                    return False, errors, n_words, n_path
                if n_labels == room:
                    masks = np.concatenate((masks, np.empty_like(masks)))
                    labels = np.concatenate((labels, np.empty_like(labels)), axis=1)
                    cost = np.concatenate((cost, np.empty_like(cost)))
                    room *= 2
                copy(mask, masks[n_labels], n_parts)
                cost[n_labels] = now
                labels[_WORDS, n_labels], labels[_HITS, n_labels] = words, n_hits
                labels[_PARENT, n_labels], labels[_EDGE, n_labels] = label, edge
                labels[_NEXT, n_labels], head[to] = head[to], n_labels
                n_labels += 1
    return whole, errors, n_words, n_path
