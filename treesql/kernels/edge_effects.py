"""Effect of single lattice edges on the standard word count distance.

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

from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.compiling import ZERO, compiled


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
    found = EdgeTaus(np.empty(n), np.empty(n))
    _edge_taus(*texts, low, *found)
    return found


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
def count_words(first: int, last: int, words: Ints, own: Ints, most: Ints) -> tuple[int, int]:
    """Add the words of a lattice to `own`, which holds zeros; return P and Q."""
    products, squares = ZERO, ZERO
    for place in range(first, last):
        word = words[place]
        products += most[word]
        squares += 2 * own[word] + 1
        own[word] += 1
    return products, squares


@compiled
def clear_counts(first: int, last: int, words: Ints, counts: Ints) -> None:
    """Reset the counts of some words to zero."""
    for place in range(first, last):
        counts[words[place]] = 0


@compiled
def decreases(first: int, last: int, words: Ints, own: Ints, most: Ints, scratch: Ints) -> tuple[int, int]:
    """Return the decrease of P and Q when an edge, with words `first` to `last`, is removed."""
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
    own, most, scratch = np.zeros(n_words, np.int64), np.zeros(n_words, np.int64), np.zeros(n_words, np.int64)
    for lattice in range(len(edge_offsets) - 1):
        first, last = edge_offsets[lattice], edge_offsets[lattice + 1]
        texts = reference_offsets[lattice], reference_offsets[lattice + 1]
        reference_squares = count_references(texts[0], texts[1], text_offsets, references, most, scratch)
        products, squares = count_words(word_offsets[first], word_offsets[last], words, own, most)
        taken, total = redundancy_terms(products, squares, reference_squares, low)
        for edge in range(first, last):
            less, fewer = decreases(word_offsets[edge], word_offsets[edge + 1], words, own, most, scratch)
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
        clear_counts(word_offsets[first], word_offsets[last], words, own)
        clear_counts(text_offsets[texts[0]], text_offsets[texts[1]], references, most)
