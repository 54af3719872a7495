"""Equality of lattices: the same graph but for the numbers of nodes, or the same word sequences of paths.

Lattices come in pairs, those of each side concatenated. Edges lead from a lower to a higher node, paths from node 0
to the last.

Sources: Weisfeiler & Leman 1968, The reduction of a graph to canonical form (colours); McKay 1981, Practical graph
isomorphism (individualisation); Hopcroft & Karp 1971, A linear algorithm for testing equivalence of finite automata
(pairs of states), here of sets of states.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treesql.kernels.arrays import Flags, Ints, Keys
from treesql.kernels.compiling import compiled, inlined
from treesql.kernels.lattices.lattices import LatticeBatch, edges_on_paths, sort_by_node

DIFFERS, SAME, UNKNOWN = 0, 1, -1

MAX_ROUNDS = 1 << 28
"""Maximum number of edges that colours of nodes are computed from, for a pair of graphs."""

MAX_SETS = 1 << 16
"""Maximum number of sets of nodes that are compared for a pair of lattices."""

MAX_MEMBERS = 1 << 23
"""Maximum number of nodes in all of these sets."""


def compare_graphs(batch: LatticeBatch, labels: Ints, other: LatticeBatch, other_labels: Ints) -> Ints:
    """Return by pair whether nodes can be numbered so that the lattices have the same edges, each as often: SAME,
    DIFFERS or UNKNOWN. labels: (edges,) numbers that are equal where edges are. Nodes without edges are not compared.

    By colour refinement: first nodes have one colour, last ones another; a node's new colour depends on those of its
    neighbours, until the number of colours stays the same. A node of a colour that several have is then given one of
    its own, in both lattices; where that fails after an
    earlier choice, or takes more than MAX_ROUNDS, the answer is UNKNOWN. SAME is checked edge by edge. O(edges *
    rounds), mostly few rounds.
    """
    found = np.empty(len(batch.n_nodes), dtype=np.int64)
    sides = [
        (*each[:4], each_labels.astype(np.uint64)) for each, each_labels in ((batch, labels), (other, other_labels))
    ]
    _compare_graphs(sides[0], sides[1], MAX_ROUNDS, found)
    return found


def _count_steps(one: Any, other: Any, *others: Any) -> float:
    """Return about as many steps as `_compare_graphs` makes."""
    return 16.0 * (len(one[2]) + len(other[2]))


@compiled(wraps=True, cost=_count_steps)
def _compare_graphs(
    one: tuple[Ints, Ints, Ints, Ints, Keys], other: tuple[Ints, Ints, Ints, Ints, Keys], most: int, found: Ints
) -> None:
    for pair in range(len(found)):
        first, last = one[1][pair], one[1][pair + 1]
        other_first, other_last = other[1][pair], other[1][pair + 1]
        if one[0][pair] != other[0][pair] or last - first != other_last - other_first:
            found[pair] = DIFFERS
            continue
        found[pair] = _match_nodes(
            one[0][pair],
            (one[2][first:last], one[3][first:last], one[4][first:last]),
            (other[2][other_first:other_last], other[3][other_first:other_last], other[4][other_first:other_last]),
            most,
        )


@compiled(wraps=True)
def _match_nodes(n: int, one: tuple[Ints, Ints, Keys], other: tuple[Ints, Ints, Keys], most: int) -> int:
    """Compare two lattices of n nodes each by the colours of their nodes."""
    used, other_used = _used_nodes(n, one), _used_nodes(n, other)
    colours, other_colours = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    colours[0] += np.uint64(1)
    colours[n - 1] += np.uint64(2)
    other_colours[:] = colours
    n_used, chosen, spent = used.sum(), 0, 0
    if n_used != other_used.sum():
        return DIFFERS
    distinct, rounds = _refine(one, used, colours, other, other_used, other_colours)
    while True:
        spent += rounds * (len(one[0]) + n)
        if distinct < 0:
            return DIFFERS if chosen == 0 else UNKNOWN
        if distinct == n_used:
            return SAME if _have_same_edges(n, one, colours, other, other_colours) else UNKNOWN
        colour = _repeated_colour(colours[used])
        node = 0
        while not used[node] or colours[node] != colour:
            node += 1
        before, other_before = colours.copy(), other_colours.copy()
        distinct = -1
        for candidate in range(n):
            if not other_used[candidate] or other_before[candidate] != colour:
                continue
            if spent > most:
                return UNKNOWN
            colours[:], other_colours[:] = before, other_before
            colours[node] += np.uint64(3)
            other_colours[candidate] += np.uint64(3)
            distinct, rounds = _refine(one, used, colours, other, other_used, other_colours)
            if distinct >= 0:
                break
            spent += rounds * (len(one[0]) + n)
        if distinct < 0:
            return DIFFERS if chosen == 0 else UNKNOWN
        chosen += 1


@compiled
def _used_nodes(n: int, edges: tuple[Ints, Ints, Keys]) -> Flags:
    """Return which nodes have edges."""
    used = np.zeros(n, np.bool_)
    for edge in range(len(edges[0])):
        used[edges[0][edge]] = used[edges[1][edge]] = True
    return used


@compiled(wraps=True)
def _refine(
    one: tuple[Ints, Ints, Keys], used: Flags, colours: Keys, other: tuple[Ints, Ints, Keys], other_used: Flags,
    other_colours: Keys,
) -> tuple[int, int]:  # fmt: skip
    """Compute colours from those of neighbours until there are no more; return how many, and the rounds. -1 where the
    lattices have different ones."""
    distinct, rounds = 0, 0
    while True:
        rounds += 1
        _recolour(one, colours)
        _recolour(other, other_colours)
        known, others = np.sort(colours[used]), np.sort(other_colours[other_used])
        now = 1 if len(known) > 0 else 0
        for at in range(len(known)):
            if known[at] != others[at]:
                return -1, rounds
            if at > 0 and known[at] != known[at - 1]:
                now += 1
        if now <= distinct or now == len(known):
            return now, rounds
        distinct = now


@compiled(wraps=True)
def _recolour(edges: tuple[Ints, Ints, Keys], colours: Keys) -> None:
    """Replace the colour of every node by one that depends on it and on its edges with those at their other ends."""
    fresh = colours * np.uint64(0x9E3779B97F4A7C15)
    for edge in range(len(edges[0])):
        start, end, label = edges[0][edge], edges[1][edge], edges[2][edge]
        fresh[start] += _mixed(colours[end] + _mixed(label + label + np.uint64(1)))
        fresh[end] += _mixed(colours[start] + _mixed(label + label))
    for node in range(len(colours)):
        colours[node] = _mixed(fresh[node])


@inlined(wraps=True)
def _mixed(state: np.uint64) -> np.uint64:
    """Numbers of 64 bits that look random (splitmix64, Steele et al. 2014)."""
    bits = (state + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0x94D049BB133111EB)
    mixed: np.uint64 = bits ^ (bits >> np.uint64(31))
    return mixed


@compiled
def _repeated_colour(colours: Keys) -> np.uint64:
    """Return the smallest colour that several nodes have."""
    known = np.sort(colours)
    at = 1
    while known[at] != known[at - 1]:
        at += 1
    colour: np.uint64 = known[at]
    return colour


@compiled
def _have_same_edges(
    n: int, one: tuple[Ints, Ints, Keys], colours: Keys, other: tuple[Ints, Ints, Keys], other_colours: Keys
) -> bool:
    """Whether the edges are the same where nodes are numbered by their colours, which are distinct for those with
    edges."""
    places, other_places = np.empty(n, np.int64), np.empty(n, np.int64)
    places[np.argsort(colours)] = np.arange(n)
    other_places[np.argsort(other_colours)] = np.arange(n)
    keys = places[one[0]] * n + places[one[1]]
    other_keys = other_places[other[0]] * n + other_places[other[1]]
    order = np.argsort(one[2], kind="mergesort")
    order = order[np.argsort(keys[order], kind="mergesort")]
    other_order = np.argsort(other[2], kind="mergesort")
    other_order = other_order[np.argsort(other_keys[other_order], kind="mergesort")]
    same = True
    for at in range(len(order)):
        same = same and keys[order[at]] == other_keys[other_order[at]]
        same = same and one[2][order[at]] == other[2][other_order[at]]
    return same


def compare_word_sets(batch: LatticeBatch, other: LatticeBatch, known: Flags) -> Ints:
    """Return by pair whether the paths of both lattices have the same word sequences: SAME, DIFFERS, or UNKNOWN where
    more than MAX_SETS sets of nodes, or MAX_MEMBERS nodes in them, have to be compared. known: (pairs,), those that are
    SAME without being compared.

    Sets of nodes that paths with the same words reach are made word by word, of both lattices at once: sequences differ
    where a set has nodes of one lattice alone, or the last node of one alone.
    """
    found = np.where(known, SAME, UNKNOWN)
    _compare_word_sets(batch, other, MAX_SETS, MAX_MEMBERS, found)
    return found


def _count_set_steps(batch: LatticeBatch, other: LatticeBatch, *others: Any) -> float:
    """Return about as many steps as `_compare_word_sets` makes."""
    return 64.0 * (len(batch.words) + len(other.words) + len(batch.from_node) + len(other.from_node))


@compiled(wraps=True, cost=_count_set_steps)
def _compare_word_sets(batch: LatticeBatch, other: LatticeBatch, most: int, most_members: int, found: Ints) -> None:
    for pair in range(len(found)):
        if found[pair] == SAME:
            continue
        places, targets, words, last = _join(batch, other, pair)
        found[pair] = _determinise(places, targets, words, batch.n_nodes[pair], last, most, most_members)


@compiled
def _join(batch: LatticeBatch, other: LatticeBatch, pair: int) -> tuple[Ints, Ints, Ints, int]:
    """Return the arcs of both lattices of a pair as one graph with a word, or -1, on each: where those of each node
    begin, the nodes that they lead to, and their words; and the last node of the second lattice.

    Its nodes follow those of the first, nodes inside of phrases those of both. Edges on no complete path are left out.
    """
    n = batch.n_nodes[pair]
    last = n + other.n_nodes[pair] - 1
    n_arcs, n_states = 0, last + 1
    for side in range(2):
        lattices = batch if side == 0 else other
        low, high = lattices.edge_offsets[pair], lattices.edge_offsets[pair + 1]
        n_words = lattices.word_offsets[high] - lattices.word_offsets[low]
        n_arcs, n_states = n_arcs + high - low + n_words, n_states + n_words
    starts, ends, words = np.empty(n_arcs, np.int64), np.empty(n_arcs, np.int64), np.empty(n_arcs, np.int64)
    filled, state = 0, last + 1
    for side in range(2):
        lattices = batch if side == 0 else other
        low, high = lattices.edge_offsets[pair], lattices.edge_offsets[pair + 1]
        shift = 0 if side == 0 else n
        kept, _, _ = edges_on_paths(lattices.n_nodes[pair], lattices.from_node[low:high], lattices.to_node[low:high])
        for edge in kept:
            node = lattices.from_node[low + edge] + shift
            begin, stop = lattices.word_offsets[low + edge], lattices.word_offsets[low + edge + 1]
            for position in range(begin, max(stop, begin + 1)):
                starts[filled], ends[filled] = node, lattices.to_node[low + edge] + shift
                words[filled] = lattices.words[position] if stop > begin else -1
                if position + 1 < stop:
                    ends[filled] = node = state
                    state += 1
                filled += 1
    order, places = sort_by_node(n_states, starts[:filled])
    return places, ends[order], words[order], last


@compiled(wraps=True)
def _determinise(
    places: Ints, targets: Ints, words: Ints, other_first: int, last: int, most: int, most_members: int
) -> int:  # fmt: skip
    """Compare the word sequences of both lattices of a graph, as `_join` makes it. other_first: the first node of the
    second lattice."""
    n_states = len(places) - 1
    stamps, n_sets = np.zeros(n_states, np.int64), 1
    is_other = np.zeros(n_states, np.bool_)
    is_other[other_first : last + 1] = True
    for state in range(n_states):  # nodes inside of phrases are behind those of their lattice
        for arc in range(places[state], places[state + 1]):
            is_other[targets[arc]] = is_other[state]
    members, offsets = np.empty(2 * n_states, np.int64), np.zeros(most + 2, np.int64)
    table = np.full(4 * most, -1, np.int64)
    queue = np.empty(n_states, np.int64)
    queue[0], queue[1] = 0, other_first
    size = _close(places, targets, words, queue, 2, stamps, 1)
    stamp = 1
    if not _agree(queue[:size], is_other, other_first - 1, last):
        return DIFFERS
    members[:size] = np.sort(queue[:size])
    offsets[1] = size
    _find(members, offsets, table, 0)
    at = 0
    while at < n_sets:
        n_arcs = 0
        for place in range(offsets[at], offsets[at + 1]):
            n_arcs += places[members[place] + 1] - places[members[place]]
        next_words, next_states, filled = np.empty(n_arcs, np.int64), np.empty(n_arcs, np.int64), 0
        for place in range(offsets[at], offsets[at + 1]):
            for arc in range(places[members[place]], places[members[place] + 1]):
                if words[arc] >= 0:
                    next_words[filled], next_states[filled] = words[arc], targets[arc]
                    filled += 1
        order = np.argsort(next_words[:filled], kind="mergesort")
        begin = 0
        while begin < filled:
            stop, size, stamp = begin, 0, stamp + 1
            while stop < filled and next_words[order[stop]] == next_words[order[begin]]:
                state = next_states[order[stop]]
                if stamps[state] != stamp:
                    stamps[state], queue[size] = stamp, state
                    size += 1
                stop += 1
            begin = stop
            size = _close(places, targets, words, queue, size, stamps, stamp)
            if not _agree(queue[:size], is_other, other_first - 1, last):
                return DIFFERS
            first = offsets[n_sets]
            if n_sets == most or first + size > most_members:
                return UNKNOWN
            if first + size > len(members):
                members = np.concatenate((members, np.empty(first + size, np.int64)))
            members[first : first + size] = np.sort(queue[:size])
            offsets[n_sets + 1] = first + size
            if _find(members, offsets, table, n_sets):
                n_sets += 1
        at += 1
    return SAME


@compiled
def _close(places: Ints, targets: Ints, words: Ints, queue: Ints, size: int, stamps: Ints, stamp: int) -> int:
    """Add the nodes to which arcs without words lead from those of a queue; return the new size."""
    for at in range(size):
        stamps[queue[at]] = stamp
    at = 0
    while at < size:
        for arc in range(places[queue[at]], places[queue[at] + 1]):
            if words[arc] < 0 and stamps[targets[arc]] != stamp:
                stamps[targets[arc]], queue[size] = stamp, targets[arc]
                size += 1
        at += 1
    return size


@compiled
def _agree(states: Ints, is_other: Flags, last: int, other_last: int) -> bool:
    """Whether a set has nodes of both lattices, and the last node of both or of none."""
    one, other, ends, other_ends = False, False, False, False
    for state in states:
        one, other = one or not is_other[state], other or is_other[state]
        ends, other_ends = ends or state == last, other_ends or state == other_last
    return one and other and ends == other_ends


@compiled(wraps=True)
def _find(members: Ints, offsets: Ints, table: Ints, number: int) -> bool:
    """Add the set of this number, which stands last, to a hash table; whether it was not there."""
    first, stop = offsets[number], offsets[number + 1]
    key = np.uint64(stop - first)
    for place in range(first, stop):
        key = _mixed(key + np.uint64(members[place]))
    at = np.int64(key % np.uint64(len(table)))
    while table[at] >= 0:
        begin = offsets[table[at]]
        same = offsets[table[at] + 1] - begin == stop - first
        for place in range(stop - first):
            if not same or members[begin + place] != members[first + place]:
                same = False
                break
        if same:
            return False
        at = (at + 1) % len(table)
    table[at] = number
    return True
