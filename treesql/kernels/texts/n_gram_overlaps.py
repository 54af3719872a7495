"""N-grams that the sequences of many pairs share, by their length.

Source: Popović 2015, chrF: character n-gram F-score for automatic MT evaluation.
"""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import compiled, largest_difference, read_only
from treesql.kernels.keys import SPREAD

LEFT, RIGHT, SHARED = range(3)
"""What is counted: n-grams of the left sequence, of the right one, and those of both."""


def n_gram_overlaps(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, longest: int) -> Ints:
    """Return the numbers of n-grams by length: (pairs, longest, 3), the last axis as LEFT, RIGHT, SHARED.

    left, right: the items of all sequences, concatenated; offsets: (pairs + 1,). An n-gram is shared as often as it is
    in both. Expected O(longest * items) time: an n-gram has the number of the one before it and of its last item.
    """
    overlaps = np.zeros((len(left_offsets) - 1, longest, 3), np.int64)
    left, left_offsets, right, right_offsets = read_only(left, left_offsets, right, right_offsets)
    _count_overlaps(left, left_offsets, right, right_offsets, overlaps)
    return overlaps


@compiled(wraps=True)
def _count_overlaps(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, overlaps: Ints) -> None:
    most_left, most_right = largest_difference(left_offsets), largest_difference(right_offsets)
    bits = 4
    while (1 << bits) < 2 * most_left:
        bits += 1
    keys, numbers = np.empty(1 << bits, np.int64), np.empty(1 << bits, np.int64)
    stamps, stamp = np.zeros(1 << bits, np.int64), 0
    counts = np.empty(most_left + 1, np.int64)
    units, n_grams = np.empty(most_left + 1, np.int64), np.empty(most_left + 1, np.int64)
    other_units, other_n_grams = np.empty(most_right + 1, np.int64), np.empty(most_right + 1, np.int64)
    for pair in range(len(left_offsets) - 1):
        start, n = left_offsets[pair], left_offsets[pair + 1] - left_offsets[pair]
        other_start, m = right_offsets[pair], right_offsets[pair + 1] - right_offsets[pair]
        bits = 4
        while (1 << bits) < 2 * n:
            bits += 1
        shift, last = np.uint64(64 - bits), (1 << bits) - 1
        for order in range(1, min(overlaps.shape[1], max(n, m)) + 1):
            in_left, in_right = max(n - order + 1, 0), max(m - order + 1, 0)
            stamp += 1
            distinct, shared = 0, 0
            for at in range(in_left):
                key = left[start + at] if order == 1 else n_grams[at] * (n + 1) + units[at + order - 1]
                slot = np.int64((np.uint64(key) * SPREAD) >> shift)
                while stamps[slot] == stamp and keys[slot] != key:
                    slot = (slot + 1) & last
                if stamps[slot] != stamp:
                    stamps[slot], keys[slot], numbers[slot] = stamp, key, distinct
                    counts[distinct] = 0
                    distinct += 1
                n_grams[at] = numbers[slot]
                counts[numbers[slot]] += 1
                if order == 1:
                    units[at] = numbers[slot]
            for at in range(in_right):
                number = -1
                if order == 1 or (other_n_grams[at] >= 0 and other_units[at + order - 1] >= 0):
                    key = (
                        right[other_start + at]
                        if order == 1
                        else other_n_grams[at] * (n + 1) + other_units[at + order - 1]
                    )
                    slot = np.int64((np.uint64(key) * SPREAD) >> shift)
                    while stamps[slot] == stamp and keys[slot] != key:
                        slot = (slot + 1) & last
                    if stamps[slot] == stamp:
                        number = numbers[slot]
                        if counts[number] > 0:
                            counts[number] -= 1
                            shared += 1
                other_n_grams[at] = number
                if order == 1:
                    other_units[at] = number
            overlaps[pair, order - 1, LEFT] = in_left
            overlaps[pair, order - 1, RIGHT] = in_right
            overlaps[pair, order - 1, SHARED] = shared
