"""Symmetrisation of two directional alignments, source to target and target to source: the grow-diag heuristics.

Links of both alignments are taken first, then links of either that neighbour a taken link, in eight directions, and
include a word not linked yet, in a variant two (grow-diag), then links of the forward and of the backward alignment
that include one unlinked word (final) or two (final-and).

Sources: Koehn et al. 2005, Edinburgh system description for the 2005 IWSLT speech translation evaluation. The result
depends on the order in which links are visited, which the paper leaves open: here, as in atools (Dyer, Chahuneau &
Smith 2013), links not taken yet are visited by source and target, each compared with all links taken so far, until none
is added.
"""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.compiling import ZERO, compiled

FORWARD, BACKWARD, BOTH = 1, 2, 3

NO_FINAL, FINAL, FINAL_AND = 0, 1, 2
"""Whether links with one unlinked word (FINAL) or two (FINAL_AND) are added at the end."""


def grow_diag(
    source: Ints, target: Ints, direction: Ints, offsets: Ints, final: int, *, both_new: bool = False
) -> Flags:
    """Return which links of the union of two alignments are taken.

    source, target: positions, sorted within every sentence, without repeats; direction: FORWARD, BACKWARD or BOTH;
    offsets: (sentences + 1,), the start and end of each sentence's links; both_new: whether a link beside a taken one
    is taken only if neither of its words is linked yet. O(rounds * links * log links) per sentence.
    """
    taken: Flags = direction == BOTH
    _grow_diag(taken, source, target, direction, offsets, final, both_new)
    return taken


@compiled
def _lower_bound(target: Ints, first: int, last: int, wanted: int) -> int:
    """Return the index of the first of the ascending targets that is at least `wanted`."""
    while first < last:
        middle = (first + last) // 2
        if target[middle] < wanted:
            first = middle + 1
        else:
            last = middle
    return first


@compiled
def _grow_diag(
    taken: Flags, source: Ints, target: Ints, direction: Ints, offsets: Ints, final: int, both_new: bool
) -> None:
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    row = np.empty(longest, dtype=np.int64)  # the rank of each link's source word
    column = np.empty(longest, dtype=np.int64)  # the rank of each link's target word
    begin = np.empty(longest + 1, dtype=np.int64)  # the first link of each source word
    row_linked = np.empty(longest, dtype=np.bool_)
    column_linked = np.empty(longest, dtype=np.bool_)
    for s in range(len(offsets) - 1):
        base, n = offsets[s], offsets[s + 1] - offsets[s]
        if n == 0:
            continue
        words = np.unique(target[base : base + n])
        n_rows = 0
        for k in range(n):
            if k == 0 or source[base + k] != source[base + k - 1]:
                begin[n_rows] = k
                n_rows += 1
            row[k] = n_rows - 1
            column[k] = _lower_bound(words, ZERO, len(words), target[base + k])
        begin[n_rows] = n
        row_linked[:n_rows] = False
        column_linked[: len(words)] = False
        for k in range(n):
            if taken[base + k]:
                row_linked[row[k]] = True
                column_linked[column[k]] = True

        growing = True
        while growing:
            growing = False
            for k in range(n):
                at = base + k
                linked = int(row_linked[row[k]]) + int(column_linked[column[k]])
                if taken[at] or linked == 2 or (linked == 1 and both_new):
                    continue
                beside = False
                for other in range(max(row[k] - 1, 0), min(row[k] + 2, n_rows)):
                    if abs(source[base + begin[other]] - source[at]) > 1:
                        continue
                    end = base + begin[other + 1]
                    i = _lower_bound(target, base + begin[other], end, target[at] - 1)
                    while i < end and target[i] <= target[at] + 1:
                        beside = beside or taken[i]
                        i += 1
                if beside:
                    taken[at] = growing = True
                    row_linked[row[k]] = True
                    column_linked[column[k]] = True

        if final == NO_FINAL:
            continue
        for way in (FORWARD, BACKWARD):
            for k in range(n):
                at = base + k
                if taken[at] or direction[at] != way:
                    continue
                linked = int(row_linked[row[k]]) + int(column_linked[column[k]])
                if linked == 0 or (linked == 1 and final == FINAL):
                    taken[at] = True
                    row_linked[row[k]] = True
                    column_linked[column[k]] = True
