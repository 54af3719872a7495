"""Lattice paths with the fewest errors against a reference regardless of word order: PMED and GPER, with a certificate.

For a path with l words, h of which are hits (each reference word can be hit as often as it occurs in the reference of m
words), PMED = max(m, l) - h. PMED is minimised over all paths, or over those with at least L words. A quotient PMED / l
is smallest for some number of errors and the most words that a path with no more errors has, so that GPER is found by a
few such searches. As min(x, n) <= mu * x + (1 - mu) * n and max(m, l) >= theta * m + (1 - theta) * l for all mu, theta
in [0, 1], a shortest path under

    cost(edge) = (1 - theta - nu) * words(edge) - sum of mu[w] over its hits w

bounds PMED from below by theta * m + nu * L - sum of (1 - mu[w]) * n[w] + cost(path), for any nu >= 0. Subgradient
steps raise the bound; where it equals the PMED of the best known path, that path is proven optimal. Otherwise the
partial paths that the bound admits are extended, a limited number per node, best first; this finds better paths and, if
none had to be dropped, proves the best one. Finally some words are counted exactly, which tightens the bound
(treesql.kernels.lattices.state_space).

Sources: Bernreuther 2005, Lattice evaluation techniques, 2.1 (PMED, GPER); Held & Karp 1971 (subgradient steps).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.kernels.compiling import NO, NONE, YES, ZERO, compiled, copy, inlined
from treesql.kernels.lattices.lattices import (
    Hits,
    LatticeBatch,
    compute_least_costs,
    edges_on_paths,
    find_hits,
    follow_choice,
    sort_by_node,
)
from treesql.kernels.lattices.state_space import enumerate_paths, prove


class Effort(NamedTuple):
    """Limits of the search for a proof.

    stages: pairs of a maximum number of subgradient steps and a maximum number of partial paths per node, tried in
    turn; states: maximum number of states per node when words are counted exactly; transitions: maximum number of
    transitions then. paths: maximum number of partial paths per node in the last attempt. operations: maximum number of
    elementary steps of all searches for a lattice, each about a nanosecond; the others bound one search.
    """

    stages: tuple[tuple[int, int], ...] = ((30, 20), (200, 20), (300, 50), (200, 400))
    states: int = 1 << 17
    transitions: int = 1 << 29
    paths: int = 1500
    operations: int = 1 << 32


DEFAULT_EFFORT = Effort()

OPERATIONS_PER_CALL = 1 << 30
"""Number of operations after which a kernel call ends with the current lattice, so that Python can respond to an
interrupt."""

_STEP_WEIGHT = 8
"""Operations of a subgradient step for each node, edge, hit and slot, whose loops are not vectorised."""

STEPS_PER_PAIR_OF_EDGES = 60
"""Steps of the search for each pair of edges of a lattice."""

_SMALL = 1e-9
_NOTHING, _UNBOUNDED = ZERO, NONE
_ANY_LENGTH, _SAME_LENGTH = NO, YES


class BagPaths(NamedTuple):
    """By lattice: PMED of its path (-1 where there is none), the words of the path, whether it is proven optimal, and a
    lower bound of the objective (PMED, or PMED / words). offsets: (lattices + 1,), the start and end of each path in
    `edges`; edges are numbered within the lattice."""

    errors: Ints
    n_words: Ints
    proven: Flags
    bound: Floats
    offsets: Ints
    edges: Ints


def nearest_paths_as_bags(batch: LatticeBatch, *, quotient: bool = False, effort: Effort = DEFAULT_EFFORT) -> BagPaths:
    """Return for every lattice the path with the smallest PMED or, with `quotient`, the smallest PMED per word (GPER).

    Paths without words have no quotient. Any one of several best paths is returned.
    """
    n = len(batch.n_nodes)
    best_counts = np.full((2, n), -1, dtype=np.int64)
    proven = np.zeros(n, dtype=np.bool_)
    bound = np.full(n, np.nan)
    offsets = np.concatenate([[0], np.cumsum(batch.n_nodes)]).astype(np.int64)
    path = np.empty(int(offsets[-1]), dtype=np.int64)
    lengths = np.zeros(n, dtype=np.int64)
    n_numbers = 1 + int(max(batch.words.max(initial=0), batch.references.max(initial=0)))
    slot_of = np.full(n_numbers, -1, dtype=np.int64)
    stages = np.array(effort.stages, dtype=np.int64).reshape(-1, 2)
    done = 0
    while done < n:
        done = _search_lattices(
            done, OPERATIONS_PER_CALL, *batch, stages, effort.states, effort.transitions, effort.paths,
            effort.operations, quotient, slot_of, best_counts, proven, bound, offsets, path, lengths,
        )  # fmt: skip
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(int(ends[-1])) + np.repeat(offsets[:-1] - ends[:-1], lengths)
    return BagPaths(best_counts[0], best_counts[1], proven, bound, ends, path[places])


def _cost(first: int, most_operations: int, n_nodes: Ints, edge_offsets: Ints, *others: object) -> float:
    """What a search takes is not known before, and grows faster than the lattices."""
    return STEPS_PER_PAIR_OF_EDGES * float((np.diff(edge_offsets[first:]) ** 2).sum())


@compiled(cost=_cost)
def _search_lattices(
    first: int, most_operations: int, n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints,
    word_offsets: Ints, words: Ints, reference_offsets: Ints, references: Ints, stages: Ints, room: int, work: int,
    many: int, operations: int, quotient: bool, slot_of: Ints, best_counts: Ints, proven: Flags, bound: Floats,
    path_offsets: Ints, path: Ints, lengths_of: Ints,
) -> int:  # fmt: skip
    """Search the lattices from `first` on, until the operations done exceed a maximum; return the next one."""
    left = np.empty(1, dtype=np.int64)
    for lattice in range(first, len(n_nodes)):
        if most_operations < 0:
            return lattice
        left[0] = operations
        hits = _select_lattice(
            lattice,
            n_nodes,
            edge_offsets,
            from_node,
            to_node,
            word_offsets,
            words,
            reference_offsets,
            references,
            slot_of,
        )
        if len(hits.starts) == 0:
            continue
        best = np.empty(hits.n_nodes, dtype=np.int64)
        graph = without_dominated_edges(hits, _ANY_LENGTH)
        if quotient:
            errors, n_best, done, level, n_path = _search_quotient(
                graph, without_dominated_edges(hits, _SAME_LENGTH), stages, room, work, many, left, best
            )
        else:
            errors, n_best, done, level, n_path = _search(
                graph, _NOTHING, _UNBOUNDED, stages, room, work, many, left, best
            )
        best_counts[0, lattice], best_counts[1, lattice], proven[lattice], bound[lattice] = errors, n_best, done, level
        lengths_of[lattice] = n_path
        copy(best, path[path_offsets[lattice] :], n_path)
        most_operations -= operations - left[0]
    return len(n_nodes)


@inlined
def _select_lattice(
    lattice: int, n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, word_offsets: Ints, words: Ints,
    reference_offsets: Ints, references: Ints, slot_of: Ints,
) -> Hits:  # fmt: skip
    """Return one of the lattices; `starts` is empty where it has no complete path."""
    first, last = edge_offsets[lattice], edge_offsets[lattice + 1]
    reference = references[reference_offsets[lattice] : reference_offsets[lattice + 1]]
    to, offsets = to_node[first:last], word_offsets[first : last + 1]
    order, starts, complete = edges_on_paths(n_nodes[lattice], from_node[first:last], to)
    times, hit_offsets, hits = find_hits(to, offsets, words, reference, slot_of)
    return Hits(
        n_nodes[lattice],
        to,
        order,
        starts if complete else starts[:0],
        offsets,
        hit_offsets,
        hits,
        times,
        len(reference),
    )


@inlined
def _search_quotient(
    graph: Hits, same_length: Hits, stages: Ints, room: int, work: int, many: int, left: Ints, path: Ints
) -> tuple[int, int, bool, float, int]:  # fmt: skip
    """Find the path with the smallest PMED per word; return PMED and words, whether they are proven, a bound, and its
    edges.

    graph: without dominated edges; same_length: without edges that are dominated by one of the same length. A path is
    better than one of a errors and b words if, for some number of errors e, it has at most e errors and more than e * b
    / a words; e is at least the smallest PMED, and words are at most m + e.
    Without common words a path's PMED is max(m, words), so that the longest path is best. left: the operations that are
    left for the lattice, reduced by those done; without any, numbers of errors not searched are open.
    """
    m = graph.m
    distance, choice = np.empty(graph.n_nodes), np.empty(graph.n_nodes, dtype=np.int64)
    compute_least_costs(same_length, np.zeros(len(graph.times)), -1.0, distance, choice)  # the path with most words
    n_hits, n_words, n_path = follow_choice(same_length, choice, np.zeros(len(graph.times), dtype=np.int64), path)
    if n_words == 0:
        return -1, -1, True, np.nan, 0
    longest = n_words
    errors = max(m, n_words) - n_hits
    if len(graph.times) == 0:
        return errors, n_words, True, errors / n_words, n_path
    trial = np.empty(graph.n_nodes, dtype=np.int64)
    value, length, done, level, n_trial = _search(graph, _NOTHING, _UNBOUNDED, stages, room, work, many, left, trial)
    open_errors = -1 if done else level
    allowed = value
    while True:
        if n_trial and value * n_words < errors * length:
            errors, n_words, n_path = value, length, n_trial
            copy(trial, path, n_trial)
        if errors == 0:
            return 0, n_words, True, 0.0, n_path
        least_words = allowed * n_words // errors + 1
        if least_words > min(longest, m + allowed):
            break
        if left[0] < 0:
            open_errors = allowed if open_errors < 0 else open_errors
            break
        value, length, done, level, n_trial = _search(
            same_length, least_words, allowed, stages, room, work, many, left, trial
        )
        if not done and open_errors < 0:
            open_errors = level if left[0] >= 0 else max(level, allowed)
        if value > allowed:  # no path has at least `least_words` words, with fewer errors than `level` or more
            allowed = max(allowed + 1, level)
    bound = errors / n_words
    if open_errors >= 0:
        bound = min(bound, open_errors / (m + open_errors))
    return errors, n_words, open_errors < 0, bound, n_path


@compiled
def _search(
    graph: Hits, least_words: int, allowed: int, stages: Ints, room: int, work: int, many: int, left: Ints, path: Ints
) -> tuple[int, int, bool, int, int]:  # fmt: skip
    """Find the path with the smallest PMED among those with at least `least_words` words and, unless `allowed` is -1,
    at most `allowed` errors. The returned value exceeds `allowed` if there is none.

    Returns also its words, whether it is proven, a lower bound for all such paths, and the number of edges of `path`.
    The bound is rounded up to `level`, and partial paths that may attain it are extended. If all were and none attains
    it, the level rises. left: the operations that are left for the lattice, reduced by those done.
    """
    m, n_slots = graph.m, len(graph.times)
    mu, best_mu = np.ones(n_slots), np.ones(n_slots)
    theta, nu, best_theta, best_nu = 0.5, 0.0, 0.5, 0.0
    distance, best_distance = np.empty(graph.n_nodes), np.empty(graph.n_nodes)
    choice, best_choice = np.empty(graph.n_nodes, dtype=np.int64), np.empty(graph.n_nodes, dtype=np.int64)
    counts = np.zeros(n_slots, dtype=np.int64)
    trial = np.empty(graph.n_nodes, dtype=np.int64)
    errors, n_words, n_path = allowed + 1 if allowed >= 0 else _UNBOUNDED, _UNBOUNDED, _NOTHING
    best_bound, level, step, stale = -np.inf, 0, 1.0, 0
    operations = graph.n_nodes + 2 * n_slots
    for edge in graph.order:
        operations += 1 + graph.hit_offsets[edge + 1] - graph.hit_offsets[edge]
    operations *= _STEP_WEIGHT
    for stage in range(len(stages)):
        for _ in range(stages[stage, 0]):
            left[0] -= operations
            compute_least_costs(graph, mu, 1.0 - theta - nu, distance, choice)
            n_hits, length, n_trial = follow_choice(graph, choice, counts, trial)
            bound = _lower_bound(graph, theta, nu, mu, least_words, distance)
            value = max(m, length) - n_hits
            if length >= least_words and (errors < 0 or value < errors):
                errors, n_words, n_path = value, length, n_trial
                copy(trial, path, n_trial)
            if bound > best_bound:
                best_bound, best_theta, best_nu, stale = bound, theta, nu, 0
                copy(mu, best_mu, n_slots)
                copy(distance, best_distance, graph.n_nodes)
                copy(choice, best_choice, graph.n_nodes)
                level = max(level, int(np.ceil(best_bound - _SMALL)))
            else:
                stale += 1
            if level >= errors:
                return errors, n_words, True, errors, n_path
            if left[0] < 0:
                return errors, n_words, False, level, n_path
            if stale > 4:
                step, stale = step * 0.7, 0
            norm = float((m - length) ** 2)
            for slot in range(n_slots):
                norm += (graph.times[slot] - counts[slot]) ** 2
            if norm == 0 and length >= least_words:
                break
            size = step * (errors - bound) / max(norm, 1.0)
            theta = min(max(theta + size * (m - length), 0.0), 1.0)
            nu = max(nu + size * (least_words - length), 0.0)
            for slot in range(n_slots):
                mu[slot] = min(max(mu[slot] + size * (graph.times[slot] - counts[slot]), 0.0), 1.0)
        whole = True
        while whole:
            whole, errors, n_words, n_path = enumerate_paths(
                graph, best_theta, best_nu, best_mu, least_words, best_distance, best_choice, stages[stage, 1],
                level + _SMALL, left, errors, n_words, path, n_path,
            )  # fmt: skip
            level += whole and level < errors
            if level >= errors:
                return errors, n_words, True, errors, n_path
        step = 1.0
    done, errors, n_words, n_path = prove(
        graph, best_mu, best_theta, best_nu, least_words, room, work, left, errors, n_words, path, n_path
    )
    if not done:
        done, errors, n_words, n_path = enumerate_paths(
            graph, best_theta, best_nu, best_mu, least_words, best_distance, best_choice, many, errors - 1 + _SMALL,
            left, errors, n_words, path, n_path,
        )  # fmt: skip
    return errors, n_words, done, errors if done else min(level, errors), n_path


@compiled
def _lower_bound(graph: Hits, theta: float, nu: float, mu: Floats, least_words: int, distance: Floats) -> float:
    """Return a lower bound of PMED for paths with at least `least_words` words, from the least cost of a path."""
    bound = theta * graph.m + nu * least_words + distance[0]
    for slot in range(len(graph.times)):
        bound -= (1.0 - mu[slot]) * graph.times[slot]
    return float(bound)


@compiled
def without_dominated_edges(graph: Hits, same_length: bool) -> Hits:
    """Return the lattice without dominated edges: those for which another edge between the same nodes has all their
    hits and no more words (with `same_length`: as many words); of equal edges the first one is kept.

    Edges between the same nodes are compared in an order in which an edge comes after those that may dominate it, and
    only with edges that have its rarest hit: words that edges do not share cost nothing.

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
def _are_comparable(graph: Hits, edge: int, other_edge: int, same_length: bool) -> bool:
    """Whether edges from one node may dominate each other."""
    if graph.to_node[edge] != graph.to_node[other_edge]:
        return False
    offsets = graph.word_offsets
    return not same_length or offsets[edge + 1] - offsets[edge] == offsets[other_edge + 1] - offsets[other_edge]


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
def _is_submultiset(edge: int, other_edge: int, hit_offsets: Ints, hits: Ints) -> bool:
    """Whether the hits of one edge are a sub-multiset of those of the other."""
    at, end = hit_offsets[other_edge], hit_offsets[other_edge + 1]
    if hit_offsets[edge + 1] - hit_offsets[edge] > end - at:
        return False
    for place in range(hit_offsets[edge], hit_offsets[edge + 1]):
        while at < end and hits[at] < hits[place]:
            at += 1
        if at == end or hits[at] != hits[place]:
            return False
        at += 1
    return True
