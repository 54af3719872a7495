"""An alignment with fewest edits of many pairs of sequences, for the compiler, and for a few short pairs without it.

Sources: Levenshtein 1966; Wagner & Fischer 1974.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Ints

MATCH, SUBSTITUTION, INSERTION, DELETION = range(4)
"""Kinds of steps. An insertion is an item of the left sequence without a counterpart; a deletion, one of the right."""


class EditSteps(NamedTuple):
    """Steps of all alignments: the kind, and the 0-based positions in the left and the right sequence, -1 where there
    is no item. offsets: (pairs + 1,), the start and end of each pair's steps."""

    offsets: Ints
    kind: NDArray[np.int8]
    left: Ints
    right: Ints


Align = Callable[..., int]
"""Writes the steps of all pairs, as `align_each` does."""

MAX_CELLS = 4096
"""Maximum number of cells, pairs of items, that are filled in without the compiler, whose start takes longer."""


def alignments(
    left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, substitution: int, gap: int, align: Align
) -> EditSteps:
    """Return an alignment with the least weight for every pair of integer sequences. align: `align_each`, or compiled.

    substitution: the weight of a substitution; gap: that of an insertion or deletion. Ties: the alignment with most
    matches; among those, from the front, a match or substitution before an insertion, and an insertion before a
    deletion. Offsets: (pairs + 1,). C(i, j) = the least cost of left items i + 1 .. against right items j + 1 .., a
    cost being a pair (weight, - matches); O(left * right) time and memory per pair.
    """
    room = int((left_offsets[-1] - left_offsets[0]) + (right_offsets[-1] - right_offsets[0]))
    offsets = np.zeros(len(left_offsets), dtype=np.int64)
    kind, places = np.empty(room, dtype=np.int8), np.empty((2, room), dtype=np.int64)
    n = align(left, left_offsets, right, right_offsets, substitution, gap, offsets, kind, places)
    return EditSteps(offsets, kind[:n], places[0, :n], places[1, :n])


def is_small(left_offsets: Ints, right_offsets: Ints) -> bool:
    """Whether pairs of sequences are aligned sooner than the compiler would be started, which has not been yet."""
    return "numba" not in sys.modules and bool(np.diff(left_offsets) @ np.diff(right_offsets) <= MAX_CELLS)


def align_each(
    left: Ints,
    left_offsets: Ints,
    right: Ints,
    right_offsets: Ints,
    substitution: int,
    gap: int,
    offsets: Ints,
    kind: NDArray[np.int8],
    places: Ints,
) -> int:
    """Write the steps of all pairs, and where those of each end; return their number. See `alignments`."""
    n = 0
    for pair in range(len(left_offsets) - 1):
        one = left[left_offsets[pair] : left_offsets[pair + 1]]
        other = right[right_offsets[pair] : right_offsets[pair + 1]]
        height, width = len(one), len(other)
        unit = height + width + 1
        replaced, indel = substitution * unit, gap * unit
        cost = np.empty((height + 1, width + 1), dtype=np.int64)
        for j in range(width + 1):
            cost[height, j] = (width - j) * indel
        for i in range(height - 1, -1, -1):
            cost[i, width] = (height - i) * indel
            for j in range(width - 1, -1, -1):
                least = cost[i + 1, j + 1] + (-1 if one[i] == other[j] else replaced)
                cost[i, j] = min(least, cost[i + 1, j] + indel, cost[i, j + 1] + indel)
        i, j = 0, 0
        while i < height or j < width:
            here = cost[i, j]
            if i < height and j < width and here == cost[i + 1, j + 1] + (-1 if one[i] == other[j] else replaced):
                kind[n] = MATCH if one[i] == other[j] else SUBSTITUTION
                places[0, n], places[1, n] = i, j
                i += 1
                j += 1
            elif i < height and here == cost[i + 1, j] + indel:
                kind[n], places[0, n], places[1, n] = INSERTION, i, -1
                i += 1
            else:
                kind[n], places[0, n], places[1, n] = DELETION, -1, j
                j += 1
            n += 1
        offsets[pair + 1] = n
    return n
