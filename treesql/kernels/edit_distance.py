"""Edit distances of many pairs of sequences, and an alignment for each.

Sources: Levenshtein 1966; Wagner & Fischer 1974.
"""

from __future__ import annotations

import numpy as np

from treesql.kernels import edit_steps
from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import compiled, largest_difference, read_only
from treesql.kernels.edit_steps import EditSteps


def edit_distances(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints) -> Ints:
    """Return the Levenshtein distance of every pair of sequences: (pairs,).

    left, right: the items of all sequences, concatenated; offsets: (pairs + 1,). O(m n) time, O(n) memory per pair.
    """
    return np.asarray(_edit_distances(*read_only(left, left_offsets, right, right_offsets)))


def alignments(
    left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, substitution: int = 1, gap: int = 1
) -> EditSteps:
    """Return an alignment with the least weight for every pair of sequences; see `edit_steps.alignments`."""
    one, one_offsets, other, other_offsets = read_only(left, left_offsets, right, right_offsets)
    return edit_steps.alignments(one, one_offsets, other, other_offsets, substitution, gap, _align_each)


@compiled
def edit_distance(one: Ints, other: Ints, row: Ints) -> int:
    """Return the Levenshtein distance of two sequences. row: (len(other) + 1 or more,), overwritten."""
    for j in range(len(other) + 1):
        row[j] = j
    for item in one:
        corner = row[0]
        row[0] = corner + 1
        for j in range(1, len(other) + 1):
            best = corner + (0 if item == other[j - 1] else 1)
            corner = row[j]
            row[j] = min(best, corner + 1, row[j - 1] + 1)
    return int(row[len(other)])


@compiled
def _edit_distances(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints) -> Ints:
    pairs = len(left_offsets) - 1
    found = np.empty(pairs, np.int64)
    row = np.empty(largest_difference(right_offsets) + 1, np.int64)
    for pair in range(pairs):
        one = left[left_offsets[pair] : left_offsets[pair + 1]]
        found[pair] = edit_distance(one, right[right_offsets[pair] : right_offsets[pair + 1]], row)
    return found


_align_each = compiled(edit_steps.align_each)
