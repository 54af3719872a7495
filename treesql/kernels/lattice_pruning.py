"""What the edges of lattices are worth to standard word count distance, and lattices without some of their edges.

Words are integers. The lattices of a batch stand one after the other; edges lead from a lower to a higher node, paths
from node 0 to the last, and every lattice has one. Source: Bernreuther 2005, Lattice evaluation techniques, 3.4.

With P, Q, D the sums over words of N_L * N_R, N_L^2, N_R^2, and N = max(P, low * D) for a least redundancy `low`, the
redundancy is N / D and the sum of squared differences T / D with T = Q D - 2 N P + N^2. So with N' and T' for the
lattice without an edge tau (3.47) is T'/T - (N'/N)^2, and its numerator T' N^2 - T N'^2 is a whole number, exact up to
2^53, if `low` is one: it tells for certain which tau are 0, and which of several is the smallest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.compiling import NONE, ZERO, compiled
from treesql.kernels.lattices import by_node

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Fates = NDArray[np.int8]

STAYS, SPARED, PRUNED, TRIMMED = range(4)
"""What becomes of an edge: it stays; it fails but stays for the sake of a path; it fails; it is on no path any more."""


class Texts(NamedTuple):
    """The words of edges, and those of one or several references of every lattice.

    edge_offsets: (lattices + 1,); word_offsets: (edges + 1,); words: numbers from 0 to n_words - 1.
    reference_offsets: (lattices + 1,), where the references of each begin and end; text_offsets: (references + 1,);
    references: their words.
    """

    n_words: int
    edge_offsets: Ints
    word_offsets: Ints
    words: Ints
    reference_offsets: Ints
    text_offsets: Ints
    references: Ints


class Worth(NamedTuple):
    """By edge: tau (3.47), and its numerator over what all edges of a lattice have in common, so that sums along paths
    are sums of whole numbers; 0 where tau is infinite. tau is NaN where the references of a lattice have no words.
    """

    tau: Floats
    numerator: Floats


class Pruned(NamedTuple):
    """By edge: what becomes of it, and whether it lies on a path that is kept because none was left."""

    fate: Fates
    on_kept_path: Flags


def worth(texts: Texts, low: float) -> Worth:
    """What taking each edge out of its lattice does. O(words). Several references: of each word the largest count."""
    n = len(texts.word_offsets) - 1
    found = Worth(np.empty(n), np.empty(n))
    _worth(*texts, low, *found)
    return found


def prune(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, failing: Flags, preference: Floats
) -> Pruned:
    """Lattices without edges that fail, and without those that are then on no path.

    Where no path is left, one is kept: that with fewest failing edges, of several that with the largest sum of
    preferences, then that whose edges have the smallest numbers, the first edge first. O(nodes + edges).
    """
    n = len(from_node)
    found = Pruned(np.empty(n, dtype=np.int8), np.zeros(n, dtype=np.bool_))
    _prune(n_nodes, edge_offsets, from_node, to_node, failing, preference, *found)
    return found


def prune_greedily(
    n_nodes: Ints, from_node: Ints, to_node: Ints, texts: Texts, low: float, threshold: float, normalised: bool
) -> Fates:
    """Edges taken out one by one, always the one of the smallest tau of those that fail, of several the first.

    An edge fails where its tau, in the lattice as it then is, is below the threshold, or, normalised, below the
    threshold for each edge that is then there. One that all paths take is spared. Edges that are on no path count on,
    and are trimmed when no other edge fails. O(edges * words) for each lattice.
    """
    fate = np.zeros(len(from_node), dtype=np.int8)
    _prune_greedily(n_nodes, from_node, to_node, *texts, low, threshold, normalised, fate)
    return fate


@compiled
def _count_references(first: int, last: int, text_offsets: Ints, references: Ints, most: Ints, scratch: Ints) -> int:
    """Count the words of references into `most`, the largest count of any; returns the sum of its squares."""
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
def _losses(first: int, last: int, words: Ints, own: Ints, most: Ints, scratch: Ints) -> tuple[int, int]:
    """What P and Q lose without an edge, whose words are `first` to `last`."""
    products, squares = 0, 0
    for place in range(first, last):
        word = words[place]
        products += most[word]
        squares += 2 * (own[word] - scratch[word]) - 1
        scratch[word] += 1
    for place in range(first, last):
        scratch[words[place]] = 0
    return products, squares


@compiled
def _distance(products: float, squares: float, reference_squares: float, low: float) -> tuple[float, float]:
    """N and T of the module's equations."""
    taken = max(products, low * reference_squares)
    return taken, squares * reference_squares - 2 * taken * products + taken * taken


@compiled
def _numerator(taken: float, total: float, taken_without: float, without: float) -> float:
    """That of tau over T N^2."""
    return without * (taken * taken) - total * (taken_without * taken_without)


@compiled
def _tau(taken: float, total: float, taken_without: float, without: float) -> float:
    """3.47, where neither N nor T is 0."""
    if _numerator(taken, total, taken_without, without) == 0:
        return 0.0
    return without / total - (taken_without / taken) * (taken_without / taken)


@compiled
def _worth(
    n_words: int, edge_offsets: Ints, word_offsets: Ints, words: Ints, reference_offsets: Ints, text_offsets: Ints,
    references: Ints, low: float, tau: Floats, numerator: Floats,
) -> None:  # fmt: skip
    own, most, scratch = np.zeros(n_words, np.int64), np.zeros(n_words, np.int64), np.zeros(n_words, np.int64)
    for lattice in range(len(edge_offsets) - 1):
        first, last = edge_offsets[lattice], edge_offsets[lattice + 1]
        texts = reference_offsets[lattice], reference_offsets[lattice + 1]
        reference_squares = _count_references(texts[0], texts[1], text_offsets, references, most, scratch)
        products, squares = ZERO, ZERO
        for place in range(word_offsets[first], word_offsets[last]):
            word = words[place]
            products += most[word]
            squares += 2 * own[word] + 1
            own[word] += 1
        taken, total = _distance(products, squares, reference_squares, low)
        for edge in range(first, last):
            less, fewer = _losses(word_offsets[edge], word_offsets[edge + 1], words, own, most, scratch)
            taken_without, without = _distance(products - less, squares - fewer, reference_squares, low)
            if reference_squares == 0:
                tau[edge], numerator[edge] = np.nan, 0
            elif taken <= 0:
                tau[edge], numerator[edge] = -np.inf, 0
            elif total <= 0:
                tau[edge], numerator[edge] = np.inf, 0
            else:
                tau[edge] = _tau(taken, total, taken_without, without)
                numerator[edge] = _numerator(taken, total, taken_without, without)
        for place in range(word_offsets[first], word_offsets[last]):
            own[words[place]] = 0
        for place in range(text_offsets[texts[0]], text_offsets[texts[1]]):
            most[references[place]] = 0


@compiled
def _prune(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, failing: Flags, preference: Floats, fate: Fates,
    on_kept_path: Flags,
) -> None:  # fmt: skip
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        order, starts = by_node(n, from_node[first:last])
        for edge in range(first, last):
            fate[edge] = PRUNED if failing[edge] else STAYS
        if not _trim(n, to_node[first:last], order, starts, fate[first:last]):
            _keep_a_path(
                n, to_node[first:last], order, starts, failing[first:last], preference[first:last], fate[first:last],
                on_kept_path[first:last],
            )  # fmt: skip
            _trim(n, to_node[first:last], order, starts, fate[first:last])


@compiled
def _trim(n: int, to_node: Ints, order: Ints, starts: Ints, fate: Fates) -> bool:
    """Trim edges of a lattice that stay and lie on no path; returns False, and trims none, where no path is left."""
    ahead = np.zeros(n, dtype=np.bool_)  # reached from the first node
    behind = np.zeros(n, dtype=np.bool_)  # reaches the last node
    ahead[0] = behind[n - 1] = True
    for node in range(n):
        if ahead[node]:
            for at in range(starts[node], starts[node + 1]):
                if fate[order[at]] <= SPARED:
                    ahead[to_node[order[at]]] = True
    if not ahead[n - 1]:
        return False
    for node in range(n - 1, -1, -1):
        for at in range(starts[node], starts[node + 1]):
            edge = order[at]
            if fate[edge] <= SPARED:
                if behind[to_node[edge]]:
                    behind[node] = True
                if not (ahead[node] and behind[to_node[edge]]):
                    fate[edge] = TRIMMED
    return True


@compiled
def _keep_a_path(
    n: int, to_node: Ints, order: Ints, starts: Ints, failing: Flags, preference: Floats, fate: Fates,
    on_kept_path: Flags,
) -> None:  # fmt: skip
    """The best path from every node to the last one, its edge of the smallest number first, from the last node on."""
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
        fate[edge] = SPARED if failing[edge] else STAYS
        node = to_node[edge]


@compiled
def _prune_greedily(
    n_nodes: Ints, from_node: Ints, to_node: Ints, n_words: int, edge_offsets: Ints, word_offsets: Ints, words: Ints,
    reference_offsets: Ints, text_offsets: Ints, references: Ints, low: float, threshold: float, normalised: bool,
    fate: Fates,
) -> None:  # fmt: skip
    own, most, scratch = np.zeros(n_words, np.int64), np.zeros(n_words, np.int64), np.zeros(n_words, np.int64)
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        texts = reference_offsets[lattice], reference_offsets[lattice + 1]
        reference_squares = _count_references(texts[0], texts[1], text_offsets, references, most, scratch)
        products, squares = ZERO, ZERO
        for place in range(word_offsets[first], word_offsets[last]):
            word = words[place]
            products += most[word]
            squares += 2 * own[word] + 1
            own[word] += 1
        order, starts = by_node(n, from_node[first:last])
        if reference_squares > 0:
            _take_out(
                n, from_node[first:last], to_node[first:last], order, starts, word_offsets[first : last + 1], words,
                own, most, scratch, products, squares, reference_squares, low, threshold, normalised, fate[first:last],
            )  # fmt: skip
        _trim(n, to_node[first:last], order, starts, fate[first:last])
        for place in range(word_offsets[first], word_offsets[last]):
            own[words[place]] = 0
        for place in range(text_offsets[texts[0]], text_offsets[texts[1]]):
            most[references[place]] = 0


@compiled
def _take_out(
    n: int, from_node: Ints, to_node: Ints, order: Ints, starts: Ints, word_offsets: Ints, words: Ints, own: Ints,
    most: Ints, scratch: Ints, products: int, squares: int, reference_squares: int, low: float, threshold: float,
    normalised: bool, fate: Fates,
) -> None:  # fmt: skip
    """Prune one lattice edge by edge.

    An edge is one that all paths take if no other edge of a path leads over the gap behind the node that it leaves.
    """
    into, into_starts = by_node(n, to_node)
    n_edges = len(from_node)
    n_left = n_edges
    usable, leaving, arriving, over = _usable(n, from_node, to_node, order, starts)
    queue = np.empty(n_edges, dtype=np.int64)
    while True:
        limit = threshold / n_left if normalised and n_left else threshold
        taken, total = _distance(products, squares, reference_squares, low)
        worst, least, tau, lost_products, lost_squares = NONE, 0.0, -np.inf, ZERO, ZERO
        endless = taken <= 0  # tau is -infinity
        if total <= 0 and not endless:
            break
        for edge in range(n_edges):
            if fate[edge] != STAYS:
                continue
            less, fewer = _losses(word_offsets[edge], word_offsets[edge + 1], words, own, most, scratch)
            taken_without, without = _distance(products - less, squares - fewer, reference_squares, low)
            numerator = 0.0 if endless else _numerator(taken, total, taken_without, without)
            if worst < 0 or numerator < least:
                worst, least, lost_products, lost_squares = edge, numerator, less, fewer
                tau = -np.inf if endless else _tau(taken, total, taken_without, without)
        if worst < 0 or not tau < limit:
            break
        if usable[worst] and over[from_node[worst]] == 1:
            fate[worst] = SPARED
            continue
        fate[worst] = PRUNED
        n_left -= 1
        products, squares = products - lost_products, squares - lost_squares
        for place in range(word_offsets[worst], word_offsets[worst + 1]):
            own[words[place]] -= 1
        if usable[worst]:
            _unusable(
                worst, from_node, to_node, order, starts, into, into_starts, usable, leaving, arriving, over, queue
            )
    for edge in range(n_edges):  # those spared may have become better since
        if fate[edge] == SPARED and total > 0 and taken > 0:
            less, fewer = _losses(word_offsets[edge], word_offsets[edge + 1], words, own, most, scratch)
            taken_without, without = _distance(products - less, squares - fewer, reference_squares, low)
            if not _tau(taken, total, taken_without, without) < limit:
                fate[edge] = STAYS
        elif fate[edge] == SPARED and taken > 0:
            fate[edge] = STAYS


@compiled
def _usable(n: int, from_node: Ints, to_node: Ints, order: Ints, starts: Ints) -> tuple[Flags, Ints, Ints, Ints]:
    """Which edges lie on a path, and of those: how many leave each node, arrive at it, lead over the gap behind it."""
    fate = np.zeros(len(from_node), dtype=np.int8)
    _trim(n, to_node, order, starts, fate)
    usable = fate == STAYS
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
def _unusable(
    edge: int, from_node: Ints, to_node: Ints, order: Ints, starts: Ints, into: Ints, into_starts: Ints, usable: Flags,
    leaving: Ints, arriving: Ints, over: Ints, queue: Ints,
) -> None:  # fmt: skip
    """Take an edge from those on paths, and all that lie on none without it."""
    queue[0], n_queue, done = edge, 1, 0
    usable[edge] = False
    while done < n_queue:
        one = queue[done]
        done += 1
        start, to = from_node[one], to_node[one]
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
