"""Relaxation of the state space, which bounds errors regardless of word order: some words count exactly, others at a
price.

The objective, over paths of at least so many words, is max(m, words) - hits. A state gives the number of hits of each
*followed* slot and, if length is followed, the number of words; hits of other slots, and words, have prices as in
treesql.kernels.lattices.position_independent. While the bound does not suffice, the slot with the largest shortfall is
followed as well; with all slots and the length followed the bound is exact. Source: Righini & Salani 2008, New dynamic
programming algorithms for the resource constrained elementary shortest path problem (decremental state space
relaxation).

Enumeration of partial lattice paths that may lead to fewer errors, regardless of word order: labelling with
dominance.

Source: Dumitrescu & Boland 2003, Improved preprocessing, labeling and scaling algorithms (labels with bounds).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treesql.kernels.arrays import Floats, Ints, SmallInts
from treesql.kernels.compiling import ONE, ZERO, compiled, copy, inlined
from treesql.kernels.lattices.lattices import Hits, path_lengths, sort_by_node

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


MAX_STEPS = 60
"""Maximum number of subgradient steps before a further slot is followed."""

STEP_TARGET = 6.0
"""How far above the required bound the subgradient steps aim; the closer the aim, the shorter the steps."""

MAX_CELLS = 1 << 26
"""Maximum number of cells, of nodes and states, in a table of choices: 0.27 gigabytes."""

MAX_COSTS = 1 << 25
"""Maximum number of costs held at once, of the nodes that edges still lead to: 0.27 gigabytes."""

_PER_STATE_AND_EDGE = 10
"""Operations of a subgradient step for each node and edge, besides one for each state."""

_SMALL = 1e-9


@compiled
def prove(
    graph: Hits, mu: Floats, theta: float, nu: float, least_words: int, room: int, work: int, left: Ints, errors: int,
    n_words: int, path: Ints, n_path: int,
) -> tuple[bool, int, int, int]:  # fmt: skip
    """Try to prove that no path of at least `least_words` words has fewer errors; return the result and the best path's
    errors, words and edges.

    mu, theta, nu: initial prices; mu is modified. room: maximum number of states per node; work: maximum number of
    transitions; left: the operations that are left for the lattice, reduced by those done.
    """
    n_slots, m = len(graph.times), graph.m
    least, most = _word_ranges(graph, least_words, m + errors - 1)
    furthest = max(most[-1], 0)
    followed = np.full(n_slots, -1, dtype=np.int64)  # by slot, its position among the followed ones
    n_followed, n_states, by_length = ZERO, ONE, least_words > 1
    best_mu, best_theta, best_nu = mu.copy(), theta, nu
    counts, trial = np.zeros(n_slots, dtype=np.int64), np.empty(graph.n_nodes, dtype=np.int64)
    row_of, n_rows = _assign_rows(graph)
    n_hits_of = np.zeros(n_slots, dtype=np.int64)
    for edge in graph.order:
        for place in range(graph.hit_offsets[edge], graph.hit_offsets[edge + 1]):
            n_hits_of[graph.hits[place]] += 1
    while True:
        size = n_states * (furthest + 1 if by_length else 1)
        if size > room or size * graph.n_nodes > MAX_CELLS or size * n_rows > MAX_COSTS:
            return False, errors, n_words, n_path
        operations = (size + _PER_STATE_AND_EDGE) * (graph.n_nodes + len(graph.order)) + n_slots
        for slot in range(n_slots):
            operations += n_hits_of[slot] * (n_states if followed[slot] >= 0 else 1)
        left[0] -= n_states * n_followed
        moves = _transitions(graph.times, followed, n_followed, n_states)
        costs, choice = np.empty((0, 0)), np.empty((0, 0), dtype=np.int32)  # frees the tables before
        costs, choice = np.empty((n_rows, size)), np.empty((graph.n_nodes, size), dtype=np.int32)
        costs[-1] = 0.0
        if by_length:
            for state in range(size):
                length = state // n_states
                costs[-1, state] = max(m, length) if length >= least_words else np.inf
        stride = n_states if by_length else 0
        lost, step, stale, best_bound = np.zeros(n_slots), 1.0, 0, -np.inf
        copy(best_mu, mu, n_slots)
        theta, nu = best_theta, best_nu
        for _ in range(MAX_STEPS):
            work -= size * len(graph.order)
            if work < 0 or left[0] < operations:
                return False, errors, n_words, n_path
            left[0] -= operations
            _compute_costs(
                graph, mu, 0.0 if by_length else 1.0 - theta - nu, followed, moves, stride, least, most, row_of, costs,
                choice,
            )  # fmt: skip
            bound = costs[row_of[0], 0] + (0.0 if by_length else theta * m + nu * least_words)
            for slot in range(n_slots):
                if followed[slot] < 0:
                    bound -= (1.0 - mu[slot]) * graph.times[slot]
            if bound > errors - 1 + _SMALL:
                return True, errors, n_words, n_path
            n_hits, length, n_trial = _follow_choice(graph, choice, followed, moves, stride, counts, trial)
            value = max(m, length) - n_hits
            if value < errors and length >= least_words:
                errors, n_words, n_path = value, length, n_trial
                copy(trial, path, n_trial)
            if bound > best_bound + _SMALL:
                best_bound, best_theta, best_nu, stale = bound, theta, nu, 0
                copy(mu, best_mu, n_slots)
            else:
                stale += 1
            norm = 0.0 if by_length else float((m - length) ** 2)
            for slot in range(n_slots):
                if followed[slot] < 0:
                    here = mu[slot] * counts[slot] + (1.0 - mu[slot]) * graph.times[slot]
                    lost[slot] = 0.9 * lost[slot] + here - min(counts[slot], graph.times[slot])
                    norm += (graph.times[slot] - counts[slot]) ** 2
            if norm == 0:
                break
            if stale > 4:
                step, stale = step * 0.7, 0
            far = step * (errors + STEP_TARGET - bound) / norm
            theta = min(max(theta + far * (m - length), 0.0), 1.0)
            nu = max(nu + far * (least_words - length), 0.0)
            for slot in range(n_slots):
                mu[slot] = min(max(mu[slot] + far * (graph.times[slot] - counts[slot]), 0.0), 1.0)
        worst, loss = -1, _SMALL
        for slot in range(n_slots):
            if followed[slot] < 0 and lost[slot] / math.log(graph.times[slot] + 1.0) > loss:
                worst, loss = slot, lost[slot] / math.log(graph.times[slot] + 1.0)
        if worst >= 0:
            followed[worst] = n_followed
            n_followed += 1
            n_states *= graph.times[worst] + 1
        elif by_length:
            return False, errors, n_words, n_path
        else:
            by_length = True


@compiled
def _assign_rows(graph: Hits) -> tuple[Ints, int]:
    """Assign a row of the table of costs to every node, and return these and the number of rows.

    Costs are computed from the last node to the first; a row is used again after the first node with an edge to its
    node. The last node keeps the last row.
    """
    first_user = np.full(graph.n_nodes, -1, dtype=np.int64)
    for node in range(graph.n_nodes - 1, -1, -1):
        for at in range(graph.starts[node], graph.starts[node + 1]):
            first_user[graph.to_node[graph.order[at]]] = node
    row_of, free = np.zeros(graph.n_nodes, dtype=np.int64), np.empty(graph.n_nodes, dtype=np.int64)
    into, into_starts = sort_by_node(graph.n_nodes, np.maximum(first_user[:-1], 0))
    n_free, n_rows = 0, 0
    for node in range(graph.n_nodes - 2, -1, -1):
        if n_free > 0:
            n_free -= 1
            row_of[node] = free[n_free]
        else:
            row_of[node] = n_rows
            n_rows += 1
        for at in range(into_starts[node], into_starts[node + 1]):
            if into[at] > node:
                free[n_free] = row_of[into[at]]
                n_free += 1
    row_of[-1] = n_rows
    return row_of, n_rows + 1


@compiled
def _word_ranges(graph: Hits, least_words: int, most_words: int) -> tuple[Ints, Ints]:
    """Return, by node, the fewest and the most words before it on paths of `least_words` to `most_words` words; an
    empty range excludes the node."""
    fewest, most = path_lengths(graph)
    low, high = np.full(graph.n_nodes, most_words), np.zeros(graph.n_nodes, dtype=np.int64)
    low[0] = 0
    for node in range(graph.n_nodes):
        for at in range(graph.starts[node], graph.starts[node + 1]):
            edge = graph.order[at]
            more = graph.word_offsets[edge + 1] - graph.word_offsets[edge]
            to = graph.to_node[edge]
            low[to], high[to] = min(low[to], low[node] + more), max(high[to], high[node] + more)
    for node in range(graph.n_nodes):
        low[node] = max(low[node], least_words - most[node])
        high[node] = min(high[node], most_words - fewest[node])
    return low, high


@compiled
def _transitions(times: Ints, followed: Ints, n_followed: int, n_states: int) -> SmallInts:
    """Return, by followed slot and state, the state after a hit of that slot; unchanged if it cannot be hit again."""
    moves = np.empty((n_followed, n_states), dtype=np.int32)
    stride = 1
    for place in range(n_followed):
        for slot in range(len(times)):
            if followed[slot] == place:
                for state in range(n_states):
                    full = (state // stride) % (times[slot] + 1) == times[slot]
                    moves[place, state] = state if full else state + stride
                stride *= times[slot] + 1
                break
    return moves


@compiled
def _compute_costs(
    graph: Hits,
    mu: Floats,
    per_word: float,
    followed: Ints,
    moves: SmallInts,
    length_stride: int,
    least: Ints,
    most: Ints,
    row_of: Ints,
    costs: Floats,
    choice: SmallInts,
) -> None:
    """Compute the least cost from every node and state to the end, given that of the last node, and the edge to take.

    row_of: by node, its row of `costs`, which a node before it may use again.
    A state is one of `moves`, plus length_stride per word so far; `least` and `most` limit the words by node. Other
    numbers of words have infinite cost.
    """
    n_states = moves.shape[1]
    to = np.empty(n_states, dtype=np.int32)
    gain = np.empty(n_states)
    for node in range(graph.n_nodes - 2, -1, -1):
        row, chosen = costs[row_of[node]], choice[node]
        row[:] = np.inf
        low, high = least[node] * length_stride, max(most[node], -1) * length_stride + n_states
        for at in range(graph.starts[node], graph.starts[node + 1]):
            edge = graph.order[at]
            below = costs[row_of[graph.to_node[edge]]]
            more = graph.word_offsets[edge + 1] - graph.word_offsets[edge]
            cost, plain = per_word * more, True
            for place in range(graph.hit_offsets[edge], graph.hit_offsets[edge + 1]):
                slot = graph.hits[place]
                if followed[slot] < 0:
                    cost -= mu[slot]
                elif plain:
                    plain = False
                    for state in range(n_states):
                        to[state] = moves[followed[slot], state]
                        gain[state] = to[state] != state
                else:
                    for state in range(n_states):
                        then = moves[followed[slot], to[state]]
                        gain[state] += then != to[state]
                        to[state] = then
            ahead = more * length_stride
            if plain:
                for state in range(low, min(high, len(row) - ahead)):
                    now = cost + below[state + ahead]
                    if now < row[state]:
                        row[state], chosen[state] = now, edge
            else:
                for first in range(low, min(high, len(row) - ahead), n_states):
                    for state in range(n_states):
                        now = cost - gain[state] + below[first + ahead + to[state]]
                        if now < row[first + state]:
                            row[first + state], chosen[first + state] = now, edge


@compiled
def _follow_choice(
    graph: Hits, choice: SmallInts, followed: Ints, moves: SmallInts, length_stride: int, counts: Ints, path: Ints
) -> tuple[int, int, int]:  # fmt: skip
    """Follow the chosen edges; return the path's hits, words and edges. counts: receives the hits per slot."""
    counts[:] = 0
    node, state, n_words, n_path = 0, 0, 0, 0
    while node < graph.n_nodes - 1:
        edge = choice[node, state + length_stride * n_words]
        path[n_path] = edge
        n_path += 1
        n_words += graph.word_offsets[edge + 1] - graph.word_offsets[edge]
        for place in range(graph.hit_offsets[edge], graph.hit_offsets[edge + 1]):
            slot = graph.hits[place]
            counts[slot] += 1
            if followed[slot] >= 0:
                state = moves[followed[slot], state]
        node = graph.to_node[edge]
    n_hits = 0
    for slot in range(len(graph.times)):
        n_hits += min(counts[slot], graph.times[slot])
    return n_hits, n_words, n_path
