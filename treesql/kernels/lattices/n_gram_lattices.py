"""Lattices unfolded so that every edge matches the same n-grams of references on all paths that take it.

A state is a node of the lattice and the words before it that can still grow into an n-gram of a reference: the longest
of the last three words that occur in one. The automaton of the references' n-grams (a trie with links from each n-gram
to its longest suffix) follows the words of an edge from there; an n-gram of a reference ends in n-grams that are too.
Source: Aho & Corasick 1975, Efficient string matching.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import ZERO, compiled
from treesql.kernels.keys import SPREAD
from treesql.kernels.lattices.lattices import edges_on_paths

ORDERS = 4
"""Most words of an n-gram."""

MAX_STATES = 1 << 16
"""Maximum number of states of a lattice; one that has more is unfolded by fewer words than three."""

MAX_STEPS = 1 << 21
"""Maximum number of words of all edges of all states, for the same purpose."""


class NGrams(NamedTuple):
    """The n-grams of the references of a lattice, numbered from 1; 0 is the empty one.

    order: number of words; suffix: the n-gram without its first word; times: most occurrences in a reference; keys,
    numbers: a hash table of the n-grams that follow on one by a word; n_codes: number of distinct words, and 1.
    """

    order: Ints
    suffix: Ints
    times: Ints
    keys: Ints
    numbers: Ints
    n_codes: int


class NGramLattice(NamedTuple):
    """An unfolded lattice. States are in topological order, 0 is the first node's; no arc leaves the last node's.

    arc_offsets: (states + 1,), the arcs of each state; target, edge, length: (arcs,), where they lead to, and the edge
    of the lattice and its number of words; match_offsets: (arcs + 1,), the start and end of each arc's `matches`: the
    longest n-gram that ends in each of its words. Of equal arcs only the one of the first edge is there. low, high:
    (states,), the fewest and the most words of a path to the end. context: number of words by which states differ, 3
    unless the lattice is too large.
    """

    arc_offsets: Ints
    target: Ints
    edge: Ints
    length: Ints
    match_offsets: Ints
    matches: Ints
    low: Ints
    high: Ints
    context: int


class Phrases(NamedTuple):
    """The words of a lattice's edges: word_offsets: (edges + 1,); code_of: by word, 0 for those that no reference
    has."""

    word_offsets: Ints
    words: Ints
    code_of: Ints


@compiled
def find_n_grams(codes: Ints, offsets: Ints, n_codes: int) -> NGrams:
    """Return the n-grams of references. codes: of their words, from 1; offsets: (references + 1,). O(words)."""
    room = ORDERS * len(codes) + 1
    bits = 4
    while 1 << bits < 2 * room:
        bits += 1
    keys, numbers = np.full(1 << bits, -1, dtype=np.int64), np.zeros(1 << bits, dtype=np.int64)
    order, suffix, times = (
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
    )
    seen, seen_in = np.zeros(room, dtype=np.int64), np.full(room, -1, dtype=np.int64)
    before, last = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    n = 1
    for reference in range(len(offsets) - 1):
        for start in range(offsets[reference], offsets[reference + 1]):
            gram = ZERO
            for at in range(start, min(start + ORDERS, offsets[reference + 1])):
                key = gram * n_codes + codes[at]
                place = _place_of(keys, key)
                if keys[place] < 0:
                    keys[place], numbers[place] = key, n
                    order[n], before[n], last[n] = order[gram] + 1, gram, codes[at]
                    n += 1
                gram = numbers[place]
                if seen_in[gram] != reference:
                    seen_in[gram], seen[gram] = reference, 0
                seen[gram] += 1
                times[gram] = max(times[gram], seen[gram])
    n_grams = NGrams(order[:n], suffix[:n], times[:n], keys, numbers, n_codes)
    for words in range(2, ORDERS + 1):
        for gram in range(1, n):
            if order[gram] == words:
                suffix[gram] = follow_word(n_grams, suffix[before[gram]], last[gram])
    return n_grams


@compiled(wraps=True)
def _place_of(keys: Ints, key: int) -> int:
    """Return the place of a key in a hash table with open addressing, or the free place where it belongs."""
    around = len(keys) - 1
    place = np.int64((np.uint64(key) * SPREAD) >> np.uint64(32)) & around
    while keys[place] >= 0 and keys[place] != key:
        place = (place + 1) & around
    return int(place)


@compiled
def follow_word(n_grams: NGrams, gram: int, code: int) -> int:
    """Return the longest n-gram that ends in a word, 0 if no reference has it. gram: the longest that ends before."""
    if code == 0:
        return 0
    while True:
        if n_grams.order[gram] < ORDERS:
            place = _place_of(n_grams.keys, gram * n_grams.n_codes + code)
            if n_grams.keys[place] >= 0:
                return int(n_grams.numbers[place])
        if gram == 0:
            return 0
        gram = n_grams.suffix[gram]


@compiled
def unfold_lattice(
    n_nodes: int, from_node: Ints, to_node: Ints, phrases: Phrases, n_grams: NGrams, max_states: int, max_steps: int
) -> NGramLattice:
    """Return the unfolded lattice; it has no states if the lattice has no complete path.

    O(arcs and their words); by fewer words of context where there are more than `max_states` or `max_steps` of these.
    """
    order, starts, complete = edges_on_paths(n_nodes, from_node, to_node)
    context = ORDERS
    n_states, n_steps = 0, 0
    states = np.zeros((2, 0), dtype=np.int64)
    keys, numbers = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    while complete and n_states == 0:
        context -= 1
        room = n_nodes if context == 0 else min(n_nodes * len(n_grams.order), max_states)
        bits = 4
        while 1 << bits < 2 * room:
            bits += 1
        keys, numbers = np.full(1 << bits, -1, dtype=np.int64), np.zeros(1 << bits, dtype=np.int64)
        states = np.zeros((2, room), dtype=np.int64)
        n_states, n_steps = _find_states(
            n_nodes, to_node, order, starts, phrases, n_grams, context, max_steps, keys, numbers, states
        )
    return _connect_states(
        states[:, :n_states], n_steps, to_node, order, starts, phrases, n_grams, context, keys, numbers
    )


@compiled
def _find_states(
    n_nodes: int, to_node: Ints, order: Ints, starts: Ints, phrases: Phrases, n_grams: NGrams, context: int,
    max_steps: int, keys: Ints, numbers: Ints, states: Ints,
) -> tuple[int, int]:  # fmt: skip
    """Find the states, by node, and their numbers; return how many there are, and how many arcs and words of arcs.

    states: their nodes and n-grams; keys, numbers: a hash table of them. Without states if they or their arcs are too
    many and `context` is not 0.
    """
    word_offsets, words, code_of = phrases
    room, n_contexts = states.shape[1], len(n_grams.order)
    gram_of, following = np.zeros(room, dtype=np.int64), np.full(room, -1, dtype=np.int64)
    rank, newest = np.zeros(room, dtype=np.int64), np.full(n_nodes, -1, dtype=np.int64)
    newest[0], keys[_place_of(keys, ZERO)] = 0, 0
    n_states, n_ranked, n_steps = 1, 0, 0
    for node in range(n_nodes):
        state = newest[node]
        while state >= 0:
            rank[state], states[0, n_ranked], states[1, n_ranked] = n_ranked, node, gram_of[state]
            n_ranked += 1
            for at in range(starts[node], starts[node + 1]):
                edge, gram = order[at], gram_of[state]
                for place in range(word_offsets[edge], word_offsets[edge + 1]):
                    gram = follow_word(n_grams, gram, code_of[words[place]])
                gram = _shorten(n_grams, gram, context)
                key = to_node[edge] * n_contexts + gram
                place = _place_of(keys, key)
                if keys[place] < 0:
                    if n_states == room:
                        return 0, 0
                    keys[place], numbers[place], gram_of[n_states] = key, n_states, gram
                    following[n_states], newest[to_node[edge]] = newest[to_node[edge]], n_states
                    n_states += 1
                n_steps += 1 + word_offsets[edge + 1] - word_offsets[edge]
            if n_steps > max_steps and context > 0:
                return 0, 0
            state = following[state]
    for place in range(len(keys)):
        numbers[place] = rank[numbers[place]]
    return n_states, n_steps


@compiled
def _shorten(n_grams: NGrams, gram: int, context: int) -> int:
    """Return the longest suffix of an n-gram that has no more words than `context`."""
    while n_grams.order[gram] > context:
        gram = n_grams.suffix[gram]
    return gram


@compiled
def _connect_states(
    states: Ints, n_steps: int, to_node: Ints, order: Ints, starts: Ints, phrases: Phrases, n_grams: NGrams,
    context: int, keys: Ints, numbers: Ints,
) -> NGramLattice:  # fmt: skip
    """Return the lattice of these states. n_steps: the arcs and words of arcs, equal ones included."""
    word_offsets, words, code_of = phrases
    n_states, n_contexts = states.shape[1], len(n_grams.order)
    arc_offsets, arcs = np.zeros(n_states + 1, dtype=np.int64), np.empty((3, n_steps), dtype=np.int64)
    match_offsets, matches = np.zeros(n_steps + 1, dtype=np.int64), np.empty(n_steps, dtype=np.int64)
    equal = np.empty(64, dtype=np.int64)
    n_arcs = 0
    for state in range(n_states):
        node, around = states[0, state], 63
        while around < 2 * (starts[node + 1] - starts[node]):
            around = 2 * around + 1
        if around >= len(equal):
            equal = np.empty(around + 1, dtype=np.int64)
        for at in range(around + 1 if starts[node + 1] > starts[node] else 0):
            equal[at] = -1
        for at in range(starts[node], starts[node + 1]):
            edge, gram, end = order[at], states[1, state], match_offsets[n_arcs]
            for place in range(word_offsets[edge], word_offsets[edge + 1]):
                gram = follow_word(n_grams, gram, code_of[words[place]])
                matches[end], end = gram, end + 1
            key = to_node[edge] * n_contexts + _shorten(n_grams, gram, context)
            arcs[0, n_arcs], arcs[1, n_arcs] = numbers[_place_of(keys, key)], edge
            arcs[2, n_arcs], match_offsets[n_arcs + 1] = end - match_offsets[n_arcs], end
            n_arcs += _is_new(n_arcs, arcs[0], match_offsets, matches, equal[: around + 1])
        arc_offsets[state + 1] = n_arcs
    low, high = np.zeros(n_states, dtype=np.int64), np.zeros(n_states, dtype=np.int64)
    for state in range(n_states - 1, -1, -1):
        for at in range(arc_offsets[state], arc_offsets[state + 1]):
            least, most = low[arcs[0, at]] + arcs[2, at], high[arcs[0, at]] + arcs[2, at]
            low[state] = least if at == arc_offsets[state] else min(low[state], least)
            high[state] = max(high[state], most)
    return NGramLattice(arc_offsets, arcs[0, :n_arcs], arcs[1, :n_arcs], arcs[2, :n_arcs], match_offsets[: n_arcs + 1],
                        matches[: match_offsets[n_arcs]], low, high, context)  # fmt: skip


@compiled(wraps=True)
def _is_new(arc: int, target: Ints, match_offsets: Ints, matches: Ints, equal: Ints) -> bool:
    """Whether no earlier arc of the state leads to the same state with the same n-grams; it is then added to `equal`, a
    hash table of such arcs."""
    first, last = match_offsets[arc], match_offsets[arc + 1]
    key = np.uint64(target[arc])
    for at in range(first, last):
        key = (key + np.uint64(matches[at]) + np.uint64(1)) * SPREAD
    place = np.int64((key * SPREAD) >> np.uint64(32)) & (len(equal) - 1)
    while equal[place] >= 0:
        other = equal[place]
        same = target[other] == target[arc] and match_offsets[other + 1] - match_offsets[other] == last - first
        at = 0
        while same and at < last - first:
            same = matches[match_offsets[other] + at] == matches[first + at]
            at += 1
        if same:
            return False
        place = (place + 1) & (len(equal) - 1)
    equal[place] = arc
    return True


@compiled
def count_matches(path: Ints, phrases: Phrases, n_grams: NGrams, seen: Ints, matches: Ints) -> int:
    """Count the matches of each order on a path, given by its edges; return its number of words.

    seen: by n-gram, how often it occurs on the path, whether or not it matches so often; matches: (ORDERS,).
    """
    word_offsets, words, code_of = phrases
    for gram in range(len(seen)):
        seen[gram] = 0
    for order in range(ORDERS):
        matches[order] = 0
    length, gram = 0, ZERO
    for edge in path:
        for place in range(word_offsets[edge], word_offsets[edge + 1]):
            gram = follow_word(n_grams, gram, code_of[words[place]])
            length += 1
            ended = gram
            while ended > 0:
                seen[ended] += 1
                matches[n_grams.order[ended] - 1] += seen[ended] <= n_grams.times[ended]
                ended = n_grams.suffix[ended]
    return length
