"""Paths of lattices that are nearest to a reference whatever the order of words: PMED and GPER, with a certificate.

For a path with l words, h of which are hits (each reference word can be hit as often as it stands in the reference of m
words), PMED = max(m, l) - h. What is minimised is PMED - rho * l, with rho = 0 for PMED and the best quotient PMED / l
so far for GPER. As min(x, n) <= mu * x + (1 - mu) * n and max(m, l) >= theta * m + (1 - theta) * l for all mu, theta in
[0, 1], a shortest path under

    cost(edge) = (1 - theta - rho) * words(edge) - sum of mu[w] over its hits w

bounds it from below by theta * m - sum of (1 - mu[w]) * n[w] + cost(path). The bound is raised by subgradient steps;
where it meets the best path seen, that is proven. Else all partial paths are followed that the bound allows, of those
with as many hits of every word and no more words (GPER: as many words) one: the best of them is proven if room
suffices.

Sources: Bernreuther 2005, Lattice evaluation techniques, 2.1 (PMED, GPER); Held & Karp 1971 (subgradient steps);
Dumitrescu & Boland 2003 (labels with dominance behind Lagrangian bounds).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from treesql.kernels.lattices import Batch, Ints, by_node

Masks = NDArray[np.uint64]
Reals = NDArray[np.float64]

STAGES = ((30, 20), (200, 20), (1000, 50), (500, 1000))
"""By stage: so many steps raise the bound, then so many partial paths are followed from a node."""

GREED = 1.0
"""How much it counts, beside the bound, what a partial path comes to if it goes on by the edges of least cost."""

_WIDEST = 64
_SMALL = 1e-9
_WORDS, _HITS, _PARENT, _EDGE, _NEXT = range(5)


Stages = tuple[tuple[int, int], ...]


class Found(NamedTuple):
    """By lattice: PMED of its path (-1 where there is none), the words of the path, whether nothing is better, and a
    lower bound of what is minimised (PMED, or PMED / words). offsets: (lattices + 1,), where the edges of each path
    begin and end in `edges`, numbered in the lattice.
    """

    errors: Ints
    n_words: Ints
    proven: NDArray[np.bool_]
    bound: Reals
    offsets: Ints
    edges: Ints


def nearest_bag(batch: Batch, *, quotient: bool = False, stages: Stages = STAGES) -> Found:
    """The path of every lattice with the smallest PMED or, with `quotient`, the smallest PMED per word (GPER).

    Paths without words have no quotient. Any one of the best paths is given.
    """
    n = len(batch.n_nodes)
    found = np.full((2, n), -1, dtype=np.int64)
    proven = np.zeros(n, dtype=np.bool_)
    bound = np.full(n, np.nan)
    offsets = np.concatenate([[0], np.cumsum(batch.n_nodes)]).astype(np.int64)
    path = np.empty(int(offsets[-1]), dtype=np.int64)
    lengths = np.zeros(n, dtype=np.int64)
    n_numbers = 1 + int(max(batch.words.max(initial=0), batch.references.max(initial=0)))
    slot_of = np.full(n_numbers, -1, dtype=np.int64)
    settings = np.array(stages, dtype=np.int64).reshape(-1, 2)
    _bags(*batch, quotient, settings, slot_of, found, proven, bound, offsets, path, lengths)
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(int(ends[-1])) + np.repeat(offsets[:-1] - ends[:-1], lengths)
    return Found(found[0], found[1], proven, bound, ends, path[places])


@numba.njit(nogil=True, cache=True)
def _bags(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, word_offsets: Ints, words: Ints,
    reference_offsets: Ints, references: Ints, quotient: bool, stages: Ints, slot_of: Ints, found: Ints,
    proven: NDArray[np.bool_], bound: Reals, path_offsets: Ints, path: Ints, lengths: Ints,
) -> None:  # fmt: skip
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        reference = references[reference_offsets[lattice] : reference_offsets[lattice + 1]]
        to = to_node[first:last]
        offsets = word_offsets[first : last + 1]
        order, starts, alive = _alive(n, from_node[first:last], to)
        if not alive:
            continue
        times, hit_offsets, hits = _hits(to, offsets, words, reference, slot_of)
        order, starts = _undominated(n, to, order, starts, offsets, hit_offsets, hits, times, quotient)
        here = path[path_offsets[lattice] : path_offsets[lattice + 1]]
        errors, n_words, done, below, n_path = _search(
            n, to, order, starts, offsets, hit_offsets, hits, times, len(reference), quotient, stages, here
        )
        found[0, lattice], found[1, lattice] = errors, n_words
        proven[lattice], bound[lattice], lengths[lattice] = done, below, n_path


@numba.njit(nogil=True, cache=True)
def _alive(n_nodes: int, from_node: Ints, to_node: Ints) -> tuple[Ints, Ints, bool]:
    """The edges on complete paths in the order of their first nodes, where each node's begin, and if there is a
    path.
    """
    order, starts = by_node(n_nodes, from_node)
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


@numba.njit(nogil=True, cache=True)
def _hits(to_node: Ints, word_offsets: Ints, words: Ints, reference: Ints, slot_of: Ints) -> tuple[Ints, Ints, Ints]:
    """The reference words that the lattice has, by slots: how often each stands in the reference; and by edge the slots
    of its words, none more often than in the reference, in ascending order.

    slot_of: by word, -1 throughout; left as it was.
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
    offsets = np.zeros(n_edges + 1, dtype=np.int64)
    hits = np.empty(word_offsets[-1] - word_offsets[0], dtype=np.int64)
    n = 0
    for edge in range(n_edges):
        first = n
        for position in range(word_offsets[edge], word_offsets[edge + 1]):
            slot = slot_of[words[position]]
            if slot < 0:
                continue
            there = 0
            for at in range(first, n):
                there += hits[at] == slot
            if there < times[slot]:
                at = n
                while at > first and hits[at - 1] > slot:
                    hits[at] = hits[at - 1]
                    at -= 1
                hits[at] = slot
                n += 1
        offsets[edge + 1] = n
    for word in reference:
        slot_of[word] = -1
    return times, offsets, hits[:n]


@numba.njit(nogil=True, cache=True)
def _undominated(
    n_nodes: int, to_node: Ints, order: Ints, starts: Ints, word_offsets: Ints, hit_offsets: Ints, hits: Ints,
    times: Ints, quotient: bool,
) -> tuple[Ints, Ints]:  # fmt: skip
    """The edges without those beside which another one between the same nodes has all their hits and no more words
    (with `quotient`: as many words).
    """
    kept, kept_starts, n_kept = np.empty_like(order), np.zeros_like(starts), 0
    head = np.full(n_nodes, -1, dtype=np.int64)  # of the kept edges to a node the place of the last
    before = np.empty(len(order), dtype=np.int64)
    dropped = np.zeros(len(order), dtype=np.bool_)
    for node in range(n_nodes):
        first = n_kept
        for at in range(starts[node], starts[node + 1]):
            edge = order[at]
            n_words = word_offsets[edge + 1] - word_offsets[edge]
            other, worse = head[to_node[edge]], False
            while other >= 0:
                if not dropped[other]:
                    rival = kept[other]
                    rival_words = word_offsets[rival + 1] - word_offsets[rival]
                    if (rival_words == n_words or (rival_words < n_words and not quotient)) and _within(
                        edge, rival, hit_offsets, hits
                    ):
                        worse = True
                        break
                    if (rival_words == n_words or (rival_words > n_words and not quotient)) and _within(
                        rival, edge, hit_offsets, hits
                    ):
                        dropped[other] = True
                other = before[other]
            if not worse:
                kept[n_kept], before[n_kept] = edge, head[to_node[edge]]
                head[to_node[edge]] = n_kept
                n_kept += 1
        n_left = first
        for at in range(first, n_kept):
            head[to_node[kept[at]]] = -1
            if not dropped[at]:
                kept[n_left] = kept[at]
                n_left += 1
            dropped[at] = False
        kept_starts[node], n_kept = first, n_left
    kept_starts[n_nodes] = n_kept
    return kept[:n_kept], kept_starts


@numba.njit(nogil=True, cache=True)
def _within(one: int, other: int, hit_offsets: Ints, hits: Ints) -> bool:
    """Whether all hits of one edge are hits of the other, as often."""
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


@numba.njit(nogil=True, cache=True)
def _search(
    n_nodes: int, to_node: Ints, order: Ints, starts: Ints, word_offsets: Ints, hit_offsets: Ints, hits: Ints,
    times: Ints, m: int, quotient: bool, stages: Ints, path: Ints,
) -> tuple[int, int, bool, float, int]:  # fmt: skip
    """One lattice: PMED and words of its path, whether that is proven, the bound, and the number of edges of `path`.

    What is minimised takes values a `grain` apart, and is `target` for the best path so far; the bound is rounded up to
    such a value, the `level`, and partial paths are followed that may reach it. If all were and none does, the level
    rises.
    """
    n_slots = len(times)
    mu, best_mu = np.ones(n_slots), np.ones(n_slots)
    theta, best_theta = 0.5, 0.5
    distance, best_distance = np.empty(n_nodes), np.empty(n_nodes)
    choice, best_choice = np.empty(n_nodes, dtype=np.int64), np.empty(n_nodes, dtype=np.int64)
    counts = np.zeros(n_slots, dtype=np.int64)
    trial = np.empty(n_nodes, dtype=np.int64)
    errors, n_words, n_path = -1, -1, 0
    if quotient:  # a path to begin with, of most words
        _shortest(n_nodes, to_node, order, starts, word_offsets, hit_offsets, hits, mu * 0, -1.0, distance, choice)
        n_hits, now_words, n_path = _follow(
            n_nodes, to_node, choice, word_offsets, hit_offsets, hits, times, counts, path
        )
        if now_words == 0:
            return -1, -1, True, np.nan, 0
        errors, n_words = max(m, now_words) - n_hits, now_words
    bound, best_bound, level, step, stale = -np.inf, -np.inf, -np.inf, 1.0, 0
    target, grain = 0.0, 1.0
    for stage in range(len(stages)):
        for _ in range(stages[stage, 0]):
            per_word = 1.0 - theta - (errors / n_words if quotient else 0.0)
            _shortest(n_nodes, to_node, order, starts, word_offsets, hit_offsets, hits, mu, per_word, distance, choice)
            n_hits, length, n_trial = _follow(
                n_nodes, to_node, choice, word_offsets, hit_offsets, hits, times, counts, trial
            )
            bound = _bound(theta, mu, times, m, distance)
            value = max(m, length) - n_hits
            better = value * n_words < errors * length if quotient else errors < 0 or value < errors
            if better and (length > 0 or not quotient):
                errors, n_words, n_path = value, length, n_trial
                path[:n_trial] = trial[:n_trial]
                if quotient:
                    best_bound, stale = -np.inf, 0  # it was of another rho
                    continue
            if bound > best_bound:
                best_bound, best_theta, stale = bound, theta, 0
                best_mu[:] = mu
                best_distance[:] = distance
                best_choice[:] = choice
            else:
                stale += 1
            target, grain = (0.0, 1.0 / n_words) if quotient else (float(errors), 1.0)
            if max(best_bound, level) > target - grain + _SMALL:
                return errors, n_words, True, errors / n_words if quotient else target, n_path
            if stale > 4:
                step, stale = step * 0.7, 0
            norm = float((m - length) ** 2)
            for slot in range(n_slots):
                norm += (times[slot] - counts[slot]) ** 2
            if norm == 0:
                break
            size = step * (target - bound) / norm
            theta = min(max(theta + size * (m - length), 0.0), 1.0)
            for slot in range(n_slots):
                mu[slot] = min(max(mu[slot] + size * (times[slot] - counts[slot]), 0.0), 1.0)
        while True:
            if best_bound == -np.inf:  # a better path has changed rho
                target, grain, level = 0.0, 1.0 / n_words, -np.inf
                per_word = 1.0 - best_theta - errors / n_words
                _shortest(
                    n_nodes, to_node, order, starts, word_offsets, hit_offsets, hits, best_mu, per_word, best_distance,
                    best_choice,
                )  # fmt: skip
                best_bound = _bound(best_theta, best_mu, times, m, best_distance)
            level = max(level, np.ceil((best_bound - _SMALL) / grain) * grain)
            if level > target - grain + _SMALL:
                return errors, n_words, True, errors / n_words if quotient else target, n_path
            whole, now_errors, now_words, n_path = _enumerate(
                n_nodes, to_node, order, starts, word_offsets, hit_offsets, hits, times, m, quotient, best_theta,
                best_mu, best_distance, best_choice, stages[stage, 1], level + _SMALL, errors, n_words, path, n_path,
            )  # fmt: skip
            improved = now_errors != errors or now_words != n_words
            errors, n_words = now_errors, now_words
            if improved and quotient:
                best_bound = -np.inf
            elif improved:
                target = float(errors)  # which is the level, or the bound would not be one
            elif whole:
                level += grain
            else:
                break
        step = 1.0
    # Of PMED - rho * words >= level, words > 0: PMED / words >= rho + level / words >= rho + min(level, 0).
    return errors, n_words, False, max(errors / n_words + level if quotient else level, 0.0), n_path


@numba.njit(nogil=True, cache=True)
def _bound(theta: float, mu: Reals, times: Ints, m: int, distance: Reals) -> float:
    """What no path lies below, from the least cost of a path."""
    bound = theta * m + distance[0]
    for slot in range(len(times)):
        bound -= (1.0 - mu[slot]) * times[slot]
    return float(bound)


@numba.njit(nogil=True, cache=True)
def _shortest(
    n_nodes: int, to_node: Ints, order: Ints, starts: Ints, word_offsets: Ints, hit_offsets: Ints, hits: Ints, mu:
    Reals, per_word: float, distance: Reals, choice: Ints,
) -> None:  # fmt: skip
    """The least cost from every node to the end, and the edge that it begins with; all edges are on complete paths."""
    distance[n_nodes - 1] = 0.0
    for node in range(n_nodes - 2, -1, -1):
        least, chosen = np.inf, -1
        for at in range(starts[node], starts[node + 1]):
            edge = order[at]
            cost = per_word * (word_offsets[edge + 1] - word_offsets[edge]) + distance[to_node[edge]]
            for place in range(hit_offsets[edge], hit_offsets[edge + 1]):
                cost -= mu[hits[place]]
            if cost < least:
                least, chosen = cost, edge
        distance[node], choice[node] = least, chosen


@numba.njit(nogil=True, cache=True)
def _follow(
    n_nodes: int, to_node: Ints, choice: Ints, word_offsets: Ints, hit_offsets: Ints, hits: Ints, times: Ints,
    counts: Ints, path: Ints,
) -> tuple[int, int, int]:  # fmt: skip
    """The path of the chosen edges: its hits, words and edges. counts: becomes how often it has each slot."""
    counts[:] = 0
    node, n_words, n_path = 0, 0, 0
    while node < n_nodes - 1:
        edge = choice[node]
        path[n_path] = edge
        n_path += 1
        n_words += word_offsets[edge + 1] - word_offsets[edge]
        for place in range(hit_offsets[edge], hit_offsets[edge + 1]):
            counts[hits[place]] += 1
        node = to_node[edge]
    n_hits = 0
    for slot in range(len(times)):
        n_hits += min(counts[slot], times[slot])
    return n_hits, n_words, n_path


@numba.njit(nogil=True, cache=True, inline="always")
def _ones(mask: Any) -> Any:
    """The number of bits that are 1."""
    mask -= (mask >> np.uint64(1)) & np.uint64(0x5555555555555555)
    mask = (mask & np.uint64(0x3333333333333333)) + ((mask >> np.uint64(2)) & np.uint64(0x3333333333333333))
    mask = (mask + (mask >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((mask * np.uint64(0x0101010101010101)) >> np.uint64(56))


@numba.njit(nogil=True, cache=True)
def _enumerate(
    n_nodes: int, to_node: Ints, order: Ints, starts: Ints, word_offsets: Ints, hit_offsets: Ints, hits: Ints,
    times: Ints, m: int, quotient: bool, theta: float, mu: Reals, distance: Reals, choice: Ints,
    width: int, limit: float, errors: int, n_words: int, path: Ints, n_path: int,
) -> tuple[bool, int, int, int]:  # fmt: skip
    """Follow the partial paths whose bound is not above a limit, from each node `width` at most; whether these were
    all, and the best path. Those are preferred that come out best if they go on by `choice`, the edges of least cost.

    The hits of a partial path are bits, a run of as many bits for every slot as it can be hit, filled from below.
    """
    n_slots = len(times)
    part, low = np.empty(n_slots, dtype=np.int64), np.empty(n_slots, dtype=np.int64)
    n_parts, used = 1, 0
    for slot in range(n_slots):
        if times[slot] > _WIDEST:
            return False, errors, n_words, n_path
        if used + times[slot] > _WIDEST:
            n_parts, used = n_parts + 1, 0
        part[slot], low[slot] = n_parts - 1, used
        used += times[slot]
    one = np.uint64(1)
    rho = errors / n_words if quotient else 0.0
    rest, rest_words = np.zeros((n_nodes, n_parts), dtype=np.uint64), np.zeros(n_nodes, dtype=np.int64)
    for node in range(n_nodes - 2, -1, -1):
        edge = choice[node]
        rest[node] = rest[to_node[edge]]
        rest_words[node] = rest_words[to_node[edge]] + word_offsets[edge + 1] - word_offsets[edge]
        for place in range(hit_offsets[edge], hit_offsets[edge + 1]):
            slot = hits[place]
            full = ~np.uint64(0) if times[slot] == _WIDEST else (one << np.uint64(times[slot])) - one
            run = (rest[node, part[slot]] >> np.uint64(low[slot])) & full
            rest[node, part[slot]] |= (((run << one) | one) & full) << np.uint64(low[slot])
    room = 1 << 10
    masks = np.zeros((room, n_parts), dtype=np.uint64)
    labels = np.zeros((5, room), dtype=np.int64)
    cost = np.zeros(room)
    head = np.full(n_nodes, -1, dtype=np.int64)
    labels[_PARENT, 0] = labels[_NEXT, 0] = -1
    cost[0] = theta * m
    for slot in range(n_slots):
        cost[0] -= (1.0 - mu[slot]) * times[slot]
    head[0], n_labels, whole = 0, 1, True
    mask = np.empty(n_parts, dtype=np.uint64)
    for node in range(n_nodes):
        n_here, label = 0, head[node]
        while label >= 0:
            n_here += 1
            label = labels[_NEXT, label]
        if n_here == 0:
            continue
        here = np.empty(n_here, dtype=np.int64)
        costs = np.empty(n_here)
        n_here, label = 0, head[node]
        while label >= 0:
            n_hits, length = 0, labels[_WORDS, label] + rest_words[node]
            for p in range(n_parts):
                n_hits += _ones(masks[label, p] | rest[node, p])
            here[n_here] = label
            costs[n_here] = cost[label] + distance[node] + GREED * (max(m, length) - n_hits - rho * length)
            n_here += 1
            label = labels[_NEXT, label]
        if node == n_nodes - 1:
            for label in here:
                length = labels[_WORDS, label]
                value = max(m, length) - labels[_HITS, label]
                if (value * n_words < errors * length and length > 0) if quotient else value < errors:
                    errors, n_words = value, length
                    n_path = 0
                    while labels[_PARENT, label] >= 0:
                        path[n_path] = labels[_EDGE, label]
                        n_path += 1
                        label = labels[_PARENT, label]
                    path[:n_path] = path[:n_path][::-1].copy()
            break
        # What is dominated does not come out better than what dominates it, has no smaller bound, and so comes later.
        here = here[np.argsort(costs, kind="mergesort")]
        n_kept = 0
        for label in here:
            words, covered = labels[_WORDS, label], False
            for at in range(n_kept):
                other = here[at]
                if labels[_WORDS, other] == words or (labels[_WORDS, other] < words and not quotient):
                    covered = True
                    for p in range(n_parts):
                        if masks[label, p] & ~masks[other, p] != 0:
                            covered = False
                            break
                    if covered:
                        break
            if covered:
                continue
            if n_kept == width:
                whole = False
                break
            here[n_kept] = label
            n_kept += 1
        for label in here[:n_kept]:
            for at in range(starts[node], starts[node + 1]):
                edge = order[at]
                to = to_node[edge]
                more = word_offsets[edge + 1] - word_offsets[edge]
                now = cost[label] + (1.0 - theta - rho) * more
                n_hits = labels[_HITS, label]
                mask[:] = masks[label]
                for place in range(hit_offsets[edge], hit_offsets[edge + 1]):
                    slot = hits[place]
                    full = ~np.uint64(0) if times[slot] == _WIDEST else (one << np.uint64(times[slot])) - one
                    run = (mask[part[slot]] >> np.uint64(low[slot])) & full
                    if run != full:
                        mask[part[slot]] |= ((run << one) | one) << np.uint64(low[slot])
                        now -= mu[slot]
                        n_hits += 1
                if now + distance[to] > limit:
                    continue
                if n_labels == room:
                    masks = np.concatenate((masks, np.zeros_like(masks)))
                    labels = np.concatenate((labels, np.zeros_like(labels)), axis=1)
                    cost = np.concatenate((cost, np.zeros_like(cost)))
                    room *= 2
                masks[n_labels] = mask
                cost[n_labels] = now
                labels[_WORDS, n_labels], labels[_HITS, n_labels] = labels[_WORDS, label] + more, n_hits
                labels[_PARENT, n_labels], labels[_EDGE, n_labels] = label, edge
                labels[_NEXT, n_labels], head[to] = head[to], n_labels
                n_labels += 1
    return whole, errors, n_words, n_path
