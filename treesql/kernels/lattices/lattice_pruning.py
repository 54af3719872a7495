"""Lattices without some of their edges, chosen by their effect on the standard word count distance (see edge_effects).

Words are integers. The lattices of a batch are concatenated; edges lead from a lower to a higher node, paths from node
0 to the last, and every lattice has at least one. Source: Bernreuther 2005, Lattice evaluation techniques, 3.4.

Effect of single lattice edges on the standard word count distance.

Words are integers. The lattices of a batch are concatenated; edges lead from a lower to a higher node, paths from node
0 to the last, and every lattice has at least one. Source: Bernreuther 2005, Lattice evaluation techniques, 3.4.

With P, Q, D the sums over words of N_L * N_R, N_L^2, N_R^2, and N = max(P, low * D) for a minimum redundancy `low`, the
redundancy is N / D and the sum of squared differences T / D with T = Q D - 2 N P + N^2. With N' and T' for the lattice
without an edge, tau (3.47) is T'/T - (N'/N)^2. Its numerator T' N^2 - T N'^2 is an integer if `low` is one, exact up to
2^53: comparing numerators decides without rounding errors which tau are 0 and which is the smallest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.kernels.compiling import NONE, ZERO, compiled
from treesql.kernels.lattices.lattices import sort_by_node


class EdgeWords(NamedTuple):
    """Words of edges, and of one or several references of every lattice.

    edge_offsets: (lattices + 1,); word_offsets: (edges + 1,); words: numbers from 0 to n_words - 1. reference_offsets:
    (lattices + 1,), the start and end of each lattice's references; text_offsets: (references + 1,); references: their
    words.
    """

    n_words: int
    edge_offsets: Ints
    word_offsets: Ints
    words: Ints
    reference_offsets: Ints
    text_offsets: Ints
    references: Ints


class EdgeTaus(NamedTuple):
    """By edge: tau (3.47), and its numerator over the common denominator of a lattice's edges, so that sums along paths
    are sums of integers; 0 where tau is infinite. tau is NaN where the references of a lattice have no words."""

    tau: Floats
    numerator: Floats


def edge_taus(texts: EdgeWords, low: float) -> EdgeTaus:
    """Return tau of every edge: the effect of removing that edge alone. O(words). Of several references, each word's
    largest count is used."""
    n = len(texts.word_offsets) - 1
    taus = EdgeTaus(np.empty(n), np.empty(n))
    _edge_taus(*texts, low, *taus)
    return taus


@compiled
def count_references(first: int, last: int, text_offsets: Ints, references: Ints, most: Ints, scratch: Ints) -> int:
    """Write into `most` the largest count of each word in any reference; return the sum of squares of these counts."""
    for text in range(first, last):
        for place in range(text_offsets[text], text_offsets[text + 1]):
            scratch[references[place]] += 1
        for place in range(text_offsets[text], text_offsets[text + 1]):
            word = references[place]
            most[word] = max(most[word], scratch[word])
            scratch[word] = 0
    squares = 0
    for place in range(text_offsets[first], text_offsets[last]):
        word = references[place]
        if scratch[word] == 0:
            scratch[word] = 1
            squares += most[word] * most[word]
    for place in range(text_offsets[first], text_offsets[last]):
        scratch[references[place]] = 0
    return squares


@compiled
def count_words(first: int, last: int, words: Ints, counts: Ints, most: Ints) -> tuple[int, int]:
    """Add the words of a lattice to `counts`, which holds zeros; return P and Q."""
    products, squares = ZERO, ZERO
    for place in range(first, last):
        word = words[place]
        products += most[word]
        squares += 2 * counts[word] + 1
        counts[word] += 1
    return products, squares


@compiled
def clear_counts(first: int, last: int, words: Ints, counts: Ints) -> None:
    """Reset the counts of some words to zero."""
    for place in range(first, last):
        counts[words[place]] = 0


@compiled
def decreases(first: int, last: int, words: Ints, counts: Ints, most: Ints, scratch: Ints) -> tuple[int, int]:
    """Return the decrease of P and Q when an edge, with words `first` to `last`, is removed."""
    products, squares = 0, 0
    for place in range(first, last):
        word = words[place]
        products += most[word]
        squares += 2 * (counts[word] - scratch[word]) - 1
        scratch[word] += 1
    for place in range(first, last):
        scratch[words[place]] = 0
    return products, squares


@compiled
def redundancy_terms(products: float, squares: float, reference_squares: float, low: float) -> tuple[float, float]:
    """Return N and T of the module's equations."""
    taken = max(products, low * reference_squares)
    return taken, squares * reference_squares - 2 * taken * products + taken * taken


@compiled
def numerator_of_tau(taken: float, total: float, taken_without: float, without: float) -> float:
    """Return the numerator of tau over T N^2."""
    return without * (taken * taken) - total * (taken_without * taken_without)


@compiled
def tau_of_edge(taken: float, total: float, taken_without: float, without: float) -> float:
    """Return tau (3.47), where neither N nor T is 0."""
    if numerator_of_tau(taken, total, taken_without, without) == 0:
        return 0.0
    return without / total - (taken_without / taken) * (taken_without / taken)


@compiled
def _edge_taus(
    n_words: int, edge_offsets: Ints, word_offsets: Ints, words: Ints, reference_offsets: Ints, text_offsets: Ints,
    references: Ints, low: float, tau: Floats, numerator: Floats,
) -> None:  # fmt: skip
    counts, most, scratch = np.zeros(n_words, np.int64), np.zeros(n_words, np.int64), np.zeros(n_words, np.int64)
    for lattice in range(len(edge_offsets) - 1):
        first, last = edge_offsets[lattice], edge_offsets[lattice + 1]
        texts = reference_offsets[lattice], reference_offsets[lattice + 1]
        reference_squares = count_references(texts[0], texts[1], text_offsets, references, most, scratch)
        products, squares = count_words(word_offsets[first], word_offsets[last], words, counts, most)
        taken, total = redundancy_terms(products, squares, reference_squares, low)
        for edge in range(first, last):
            less, fewer = decreases(word_offsets[edge], word_offsets[edge + 1], words, counts, most, scratch)
            taken_without, without = redundancy_terms(products - less, squares - fewer, reference_squares, low)
            if reference_squares == 0:
                tau[edge], numerator[edge] = np.nan, 0
            elif taken <= 0:
                tau[edge], numerator[edge] = -np.inf, 0
            elif total <= 0:
                tau[edge], numerator[edge] = np.inf, 0
            else:
                tau[edge] = tau_of_edge(taken, total, taken_without, without)
                numerator[edge] = numerator_of_tau(taken, total, taken_without, without)
        clear_counts(word_offsets[first], word_offsets[last], words, counts)
        clear_counts(text_offsets[texts[0]], text_offsets[texts[1]], references, most)


Outcomes = NDArray[np.int8]

KEPT, KEPT_FOR_PATH, PRUNED, TRIMMED = range(4)
"""Outcomes for an edge: it is kept; it fails the test but is kept so that a path remains; it fails and is removed; it
is removed because it lies on no path any more."""


class PrunedLattices(NamedTuple):
    """By edge: its outcome (KEPT, KEPT_FOR_PATH, PRUNED, TRIMMED), and whether it is on a path kept because no
    other was left."""

    outcome: Outcomes
    on_kept_path: Flags


def prune(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, failing: Flags, preference: Floats
) -> PrunedLattices:
    """Remove failing edges, and those that then lie on no path.

    Where no path is left, one is kept: the path with the fewest failing edges, then with the largest sum of
    preferences, then with the smallest edge numbers, compared from the first edge on. O(nodes + edges).
    """
    n = len(from_node)
    pruned = PrunedLattices(np.empty(n, dtype=np.int8), np.zeros(n, dtype=np.bool_))
    _prune(n_nodes, edge_offsets, from_node, to_node, failing, preference, *pruned)
    return pruned


def prune_greedily(
    n_nodes: Ints, from_node: Ints, to_node: Ints, texts: EdgeWords, low: float, threshold: float, normalised: bool
) -> Outcomes:
    """Remove failing edges one by one, always the one with the smallest tau, then with the smallest number.

    An edge fails if its tau in the current lattice is below the threshold or, with `normalised`, below the threshold
    divided by the current number of edges. An edge that all paths contain is kept. Edges on no path still count until
    no edge fails; then they are trimmed. O(edges ^ 2) per lattice, and for every pruned edge its words' occurrences.
    """
    outcome = np.zeros(len(from_node), dtype=np.int8)
    _prune_greedily(n_nodes, from_node, to_node, *texts, low, threshold, normalised, outcome)
    return outcome


@compiled
def _prune(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, failing: Flags, preference: Floats,
    outcome: Outcomes, on_kept_path: Flags,
) -> None:  # fmt: skip
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        order, starts = sort_by_node(n, from_node[first:last])
        for edge in range(first, last):
            outcome[edge] = PRUNED if failing[edge] else KEPT
        if not _trim(n, to_node[first:last], order, starts, outcome[first:last]):
            _keep_a_path(
                n, to_node[first:last], order, starts, failing[first:last], preference[first:last], outcome[first:last],
                on_kept_path[first:last],
            )  # fmt: skip
            _trim(n, to_node[first:last], order, starts, outcome[first:last])


@compiled
def _trim(n: int, to_node: Ints, order: Ints, starts: Ints, outcome: Outcomes) -> bool:
    """Trim kept edges of a lattice that lie on no path; if no path is left, trim none and return False."""
    ahead = np.zeros(n, dtype=np.bool_)  # reachable from the first node
    behind = np.zeros(n, dtype=np.bool_)  # the last node is reachable
    ahead[0] = behind[n - 1] = True
    for node in range(n):
        if ahead[node]:
            for at in range(starts[node], starts[node + 1]):
                if outcome[order[at]] <= KEPT_FOR_PATH:
                    ahead[to_node[order[at]]] = True
    if not ahead[n - 1]:
        return False
    for node in range(n - 1, -1, -1):
        for at in range(starts[node], starts[node + 1]):
            edge = order[at]
            if outcome[edge] <= KEPT_FOR_PATH:
                if behind[to_node[edge]]:
                    behind[node] = True
                if not (ahead[node] and behind[to_node[edge]]):
                    outcome[edge] = TRIMMED
    return True


@compiled
def _keep_a_path(
    n: int, to_node: Ints, order: Ints, starts: Ints, failing: Flags, preference: Floats, outcome: Outcomes,
    on_kept_path: Flags,
) -> None:  # fmt: skip
    """Keep the best path, found from the last node backwards; ties go to the edge with the smallest number."""
    far = len(to_node) + 1
    fails = np.full(n, far, dtype=np.int64)
    prefers = np.zeros(n, dtype=np.float64)
    along = np.full(n, -1, dtype=np.int64)
    fails[n - 1] = 0
    for node in range(n - 2, -1, -1):
        for at in range(starts[node], starts[node + 1]):
            edge = order[at]
            to = to_node[edge]
            if fails[to] == far:
                continue
            count, total = fails[to] + (1 if failing[edge] else 0), prefers[to] + preference[edge]
            if count < fails[node] or (count == fails[node] and total > prefers[node]):
                fails[node], prefers[node], along[node] = count, total, edge
    node = 0
    while along[node] >= 0:
        edge = along[node]
        on_kept_path[edge] = True
        outcome[edge] = KEPT_FOR_PATH if failing[edge] else KEPT
        node = to_node[edge]


@compiled
def _prune_greedily(
    n_nodes: Ints, from_node: Ints, to_node: Ints, n_words: int, edge_offsets: Ints, word_offsets: Ints, words: Ints,
    reference_offsets: Ints, text_offsets: Ints, references: Ints, low: float, threshold: float, normalised: bool,
    outcome: Outcomes,
) -> None:  # fmt: skip
    counts, most, scratch = np.zeros(n_words, np.int64), np.zeros(n_words, np.int64), np.zeros(n_words, np.int64)
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        texts = reference_offsets[lattice], reference_offsets[lattice + 1]
        reference_squares = count_references(texts[0], texts[1], text_offsets, references, most, scratch)
        products, squares = count_words(word_offsets[first], word_offsets[last], words, counts, most)
        order, starts = sort_by_node(n, from_node[first:last])
        if reference_squares > 0:
            _prune_lattice_greedily(
                n, from_node[first:last], to_node[first:last], order, starts, word_offsets[first : last + 1],
                words, counts, most, scratch, products, squares, reference_squares, low, threshold, normalised,
                outcome[first:last],
            )  # fmt: skip
        _trim(n, to_node[first:last], order, starts, outcome[first:last])
        clear_counts(word_offsets[first], word_offsets[last], words, counts)
        clear_counts(text_offsets[texts[0]], text_offsets[texts[1]], references, most)


@compiled
def _prune_lattice_greedily(
    n: int, from_node: Ints, to_node: Ints, order: Ints, starts: Ints, word_offsets: Ints, words: Ints, counts: Ints,
    most: Ints, scratch: Ints, products: int, squares: int, reference_squares: int, low: float, threshold: float,
    normalised: bool, outcome: Outcomes,
) -> None:  # fmt: skip
    """Prune one lattice edge by edge.

    All paths contain an edge if no other edge on a path spans the gap after its first node. The decreases of P and
    Q are kept by edge, and change only for edges that share a word with the pruned one.
    """
    into, into_starts = sort_by_node(n, to_node)
    n_edges = len(from_node)
    n_left = n_edges
    usable, leaving, arriving, over = _find_usable(n, from_node, to_node, order, starts)
    queue = np.empty(n_edges, dtype=np.int64)
    less, fewer = np.empty(n_edges, dtype=np.int64), np.empty(n_edges, dtype=np.int64)
    for edge in range(n_edges):
        less[edge], fewer[edge] = decreases(word_offsets[edge], word_offsets[edge + 1], words, counts, most, scratch)
    number, occurrences, ends = _find_occurrences(word_offsets, words, scratch)
    undecided, n_undecided = np.arange(n_edges), n_edges
    while True:
        limit = threshold / n_left if normalised and n_left else threshold
        taken, total = redundancy_terms(products, squares, reference_squares, low)
        worst, least, n_left_undecided = NONE, 0.0, ZERO
        endless = taken <= 0  # tau is -infinity
        if total <= 0 and not endless:
            break
        for edge in undecided[:n_undecided]:
            if outcome[edge] != KEPT:
                continue
            undecided[n_left_undecided] = edge
            n_left_undecided += 1
            taken_without, without = redundancy_terms(
                products - less[edge], squares - fewer[edge], reference_squares, low
            )
            numerator = 0.0 if endless else numerator_of_tau(taken, total, taken_without, without)
            if worst < 0 or numerator < least:
                worst, least = edge, numerator
        n_undecided = n_left_undecided
        if worst < 0:
            break
        taken_without, without = redundancy_terms(
            products - less[worst], squares - fewer[worst], reference_squares, low
        )
        if not (-np.inf if endless else tau_of_edge(taken, total, taken_without, without)) < limit:
            break
        if usable[worst] and over[from_node[worst]] == 1:
            outcome[worst] = KEPT_FOR_PATH
            continue
        outcome[worst] = PRUNED
        n_left -= 1
        products, squares = products - less[worst], squares - fewer[worst]
        for place in range(word_offsets[worst], word_offsets[worst + 1]):
            counts[words[place]] -= 1
            scratch[words[place]] += 1
        for place in range(word_offsets[worst], word_offsets[worst + 1]):
            times = scratch[words[place]]
            scratch[words[place]] = 0
            if times > 0:
                word = number[place - word_offsets[0]]
                for at in range(ends[word], ends[word + 1]):
                    fewer[occurrences[at]] -= 2 * times
        if usable[worst]:
            _mark_unusable(
                worst, from_node, to_node, order, starts, into, into_starts, usable, leaving, arriving, over, queue
            )
    for edge in range(n_edges):  # the tau of edges kept for a path may have changed
        if outcome[edge] == KEPT_FOR_PATH and total > 0 and taken > 0:
            taken_without, without = redundancy_terms(
                products - less[edge], squares - fewer[edge], reference_squares, low
            )
            if not tau_of_edge(taken, total, taken_without, without) < limit:
                outcome[edge] = KEPT
        elif outcome[edge] == KEPT_FOR_PATH and taken > 0:
            outcome[edge] = KEPT


@compiled
def _find_occurrences(word_offsets: Ints, words: Ints, scratch: Ints) -> tuple[Ints, Ints, Ints]:
    """Number the distinct words of a lattice; return the number of every word, the edges of each distinct word, as
    often as it occurs on them, and where its edges begin.

    scratch: by word, 0 throughout; restored before returning.
    """
    first, last = word_offsets[0], word_offsets[-1]
    number, owner, n_words = np.empty(last - first, dtype=np.int64), np.empty(last - first, dtype=np.int64), 0
    for edge in range(len(word_offsets) - 1):
        for place in range(word_offsets[edge], word_offsets[edge + 1]):
            if scratch[words[place]] == 0:
                n_words += 1
                scratch[words[place]] = n_words
            number[place - first], owner[place - first] = scratch[words[place]] - 1, edge
    for place in range(first, last):
        scratch[words[place]] = 0
    order, starts = sort_by_node(n_words, number)
    return number, owner[order], starts


@compiled
def _find_usable(n: int, from_node: Ints, to_node: Ints, order: Ints, starts: Ints) -> tuple[Flags, Ints, Ints, Ints]:
    """Return which edges lie on a path and, by node, how many of them leave it, arrive at it, and span the gap after
    it."""
    outcome = np.zeros(len(from_node), dtype=np.int8)
    _trim(n, to_node, order, starts, outcome)
    usable = outcome == KEPT
    leaving, arriving, over = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    for edge in range(len(from_node)):
        if usable[edge]:
            leaving[from_node[edge]] += 1
            arriving[to_node[edge]] += 1
    crossing = 0
    for node in range(n):
        crossing += leaving[node] - arriving[node]
        over[node] = crossing
    return usable, leaving, arriving, over


@compiled
def _mark_unusable(
    edge: int, from_node: Ints, to_node: Ints, order: Ints, starts: Ints, into: Ints, into_starts: Ints, usable: Flags,
    leaving: Ints, arriving: Ints, over: Ints, queue: Ints,
) -> None:  # fmt: skip
    """Mark an edge as unusable, and all edges that lie on no path without it."""
    queue[0], n_queue, done = edge, 1, 0
    usable[edge] = False
    while done < n_queue:
        removed = queue[done]
        done += 1
        start, to = from_node[removed], to_node[removed]
        for node in range(start, to):
            over[node] -= 1
        leaving[start] -= 1
        arriving[to] -= 1
        if leaving[start] == 0:
            for at in range(into_starts[start], into_starts[start + 1]):
                if usable[into[at]]:
                    usable[into[at]] = False
                    queue[n_queue] = into[at]
                    n_queue += 1
        if arriving[to] == 0:
            for at in range(starts[to], starts[to + 1]):
                if usable[order[at]]:
                    usable[order[at]] = False
                    queue[n_queue] = order[at]
                    n_queue += 1
