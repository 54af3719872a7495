"""Phrase pairs that are consistent with a word alignment.

A pair of runs of words is consistent if a link is between them, and none is from a word of either to a word outside of
the other. Unlinked words at the ends of a target run belong to it or not. Source: Koehn, Och & Marcu 2003, Statistical
phrase-based translation.
"""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import ZERO, compiled, read_only


def consistent_pairs(
    source: Ints, target: Ints, offsets: Ints, n_source: Ints, n_target: Ints, longest: int
) -> tuple[Ints, Ints]:
    """Return the pairs, (4, pairs): first and last word of the source and of the target run, from 1, and their offsets.

    source, target: the words of links, from 1; offsets: (sentences + 1,) of links; n_source, n_target: words of every
    sentence; longest: maximum number of words of a run. O(words * longest * links) for every sentence.
    """
    given = read_only(source, target, offsets, n_source, n_target)
    counts = np.zeros(len(n_source) + 1, np.int64)
    _find_pairs(*(*given, longest, counts, np.zeros((4, 0), np.int64)))
    ends = np.cumsum(counts)
    found = np.zeros((4, int(ends[-1])), np.int64)
    _find_pairs(*(*given, longest, counts, found))
    return found, ends


@compiled
def _find_pairs(
    source: Ints, target: Ints, offsets: Ints, n_source: Ints, n_target: Ints, longest: int, counts: Ints, found: Ints
) -> None:
    """Count the pairs of every sentence, and write them if there is room for any."""
    written = ZERO
    for sentence in range(len(n_source)):
        first, last = offsets[sentence], offsets[sentence + 1]
        linked = np.zeros(n_target[sentence] + 2, np.bool_)
        for link in range(first, last):
            linked[target[link]] = True
        n = ZERO
        for start in range(1, n_source[sentence] + 1):
            for end in range(start, min(start + longest, n_source[sentence] + 1)):
                low, high = n_target[sentence] + 1, ZERO
                for link in range(first, last):
                    if start <= source[link] <= end:
                        low, high = min(low, target[link]), max(high, target[link])
                consistent = 0 < high < low + longest
                for link in range(first, last):
                    if low <= target[link] <= high and not start <= source[link] <= end:
                        consistent = False
                if not consistent:
                    continue
                left = low
                while left >= 1 and (left == low or not linked[left]) and high - left < longest:
                    right = high
                    while (
                        right <= n_target[sentence] and (right == high or not linked[right]) and right - left < longest
                    ):
                        if found.shape[1]:
                            found[0, written], found[1, written] = start, end
                            found[2, written], found[3, written] = left, right
                            written += 1
                        n += 1
                        right += 1
                    left -= 1
        counts[sentence + 1] = n
