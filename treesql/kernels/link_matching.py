"""Links of two alignments that can be changed into each other: a maximum matching of links that share a word."""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import NONE, compiled


def match_links(words: Ints, other_words: Ints) -> Ints:
    """Return the partner of every link in a largest set of pairs that share a word; -1 for none.

    words, other_words: (2, links) and (2, others), the source and target words of two lists of links, numbered from 0
    over all sentences and both sides. A link is in one pair at most. Of several largest sets it is the one that takes
    links in their order, each by a shortest augmenting path: O(links) time per link in the worst case, in practice the
    number of links of a few words. Source: Kuhn 1955, The Hungarian method for the assignment problem.
    """
    n_words = int(max(words.max(initial=-1), other_words.max(initial=-1))) + 1
    ends = other_words.ravel()
    order = np.argsort(ends, kind="stable")
    starts = np.searchsorted(ends[order], np.arange(n_words + 1))
    partners = np.full(words.shape[1], -1, dtype=np.int64)
    if words.shape[1] and other_words.shape[1]:
        _match(np.ascontiguousarray(words), order % other_words.shape[1], starts, partners)
    return partners


@compiled
def _match(words: Ints, others: Ints, starts: Ints, partners: Ints) -> None:
    """Set the partners. others: the other links of every word, which begin at `starts`."""
    n = len(others) // 2
    taken_by = np.full(n, NONE, dtype=np.int64)  # by other link
    reached_from = np.full(n, NONE, dtype=np.int64)  # by other link, on the way of the search
    seen = np.full(len(starts) - 1, NONE, dtype=np.int64)  # by word, the round in which it was last searched
    reached = np.full(n, NONE, dtype=np.int64)  # by other link, that round
    queue = np.empty(words.shape[1], dtype=np.int64)
    rounds = 0
    for link in range(words.shape[1]):
        queue[0] = link
        first, last, free = 0, 1, -1
        while first < last and free < 0:
            at = queue[first]
            first += 1
            for side in range(2):
                word = words[side, at]
                if seen[word] == rounds:
                    continue
                seen[word] = rounds
                for place in range(starts[word], starts[word + 1]):
                    other = others[place]
                    if free >= 0 or reached[other] == rounds:
                        continue
                    reached[other], reached_from[other] = rounds, at
                    if taken_by[other] < 0:
                        free = other
                    else:
                        queue[last] = taken_by[other]
                        last += 1
        if free >= 0:  # words searched in vain stay so until links change partners
            rounds += 1
        while free >= 0:
            at = reached_from[free]
            before = partners[at]
            partners[at], taken_by[free] = free, at
            free = before
