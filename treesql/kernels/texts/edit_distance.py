"""Edit distances of many pairs of sequences, and an alignment for each.

Sources: Levenshtein 1966; Wagner & Fischer 1974.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import compiled, count_cells, largest_difference, read_only

MATCH, SUBSTITUTION, INSERTION, DELETION = range(4)
"""Kinds of steps. An insertion is an item of the left sequence without a counterpart; a deletion, one of the right."""


class EditSteps(NamedTuple):
    """Steps of all alignments: the kind, and the 0-based positions in the left and the right sequence, -1 where there
    is no item. offsets: (pairs + 1,), the start and end of each pair's steps."""

    offsets: Ints
    kind: NDArray[np.int8]
    left: Ints
    right: Ints


def edit_distances(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints) -> Ints:
    """Return the Levenshtein distance of every pair of sequences: (pairs,).

    left, right: the items of all sequences, concatenated; offsets: (pairs + 1,). O(m n) time, O(n) memory per pair.
    """
    return np.asarray(_edit_distances(*read_only(left, left_offsets, right, right_offsets)))


def alignments(
    left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, substitution: int = 1, gap: int = 1
) -> EditSteps:
    """Return an alignment with the least weight for every pair of integer sequences.

    substitution: the weight of a substitution; gap: that of an insertion or deletion. Ties: the alignment with most
    matches; among those, from the front, a match or substitution before an insertion, and an insertion before a
    deletion. Offsets: (pairs + 1,). C(i, j) = the least cost of left items i + 1 .. against right items j + 1 .., a
    cost being a pair (weight, - matches); O(left * right) time and memory per pair.
    """
    room = int((left_offsets[-1] - left_offsets[0]) + (right_offsets[-1] - right_offsets[0]))
    offsets = np.zeros(len(left_offsets), dtype=np.int64)
    kind, places = np.empty(room, dtype=np.int8), np.empty((2, room), dtype=np.int64)
    left, left_offsets, right, right_offsets = read_only(left, left_offsets, right, right_offsets)
    n = _align_each(left, left_offsets, right, right_offsets, substitution, gap, offsets, kind, places)
    return EditSteps(offsets, kind[:n], places[0, :n], places[1, :n])


@compiled
def edit_distance(left: Ints, right: Ints, row: Ints) -> int:
    """Return the Levenshtein distance of two sequences. row: (len(right) + 1 or more,), overwritten."""
    for j in range(len(right) + 1):
        row[j] = j
    for item in left:
        corner = row[0]
        row[0] = corner + 1
        for j in range(1, len(right) + 1):
            best = corner + (0 if item == right[j - 1] else 1)
            corner = row[j]
            row[j] = min(best, corner + 1, row[j - 1] + 1)
    return int(row[len(right)])


@compiled(cost=count_cells)
def _edit_distances(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints) -> Ints:
    pairs = len(left_offsets) - 1
    distances = np.empty(pairs, np.int64)
    row = np.empty(largest_difference(right_offsets) + 1, np.int64)
    for pair in range(pairs):
        sequence = left[left_offsets[pair] : left_offsets[pair + 1]]
        distances[pair] = edit_distance(sequence, right[right_offsets[pair] : right_offsets[pair + 1]], row)
    return distances


@compiled(cost=count_cells)
def _align_each(
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
        left_items = left[left_offsets[pair] : left_offsets[pair + 1]]
        right_items = right[right_offsets[pair] : right_offsets[pair + 1]]
        height, width = len(left_items), len(right_items)
        unit = height + width + 1
        replaced, indel = substitution * unit, gap * unit
        cost = np.empty((height + 1, width + 1), dtype=np.int64)
        for j in range(width + 1):
            cost[height, j] = (width - j) * indel
        for i in range(height - 1, -1, -1):
            cost[i, width] = (height - i) * indel
            for j in range(width - 1, -1, -1):
                least = cost[i + 1, j + 1] + (-1 if left_items[i] == right_items[j] else replaced)
                cost[i, j] = min(least, cost[i + 1, j] + indel, cost[i, j + 1] + indel)
        i, j = 0, 0
        while i < height or j < width:
            here = cost[i, j]
            if (
                i < height
                and j < width
                and here == cost[i + 1, j + 1] + (-1 if left_items[i] == right_items[j] else replaced)
            ):
                kind[n] = MATCH if left_items[i] == right_items[j] else SUBSTITUTION
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
