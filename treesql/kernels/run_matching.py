"""Matchings of the words of many pairs of texts that favour runs: of several matchings, long runs weigh more.

Source: Melamed, Green & Turian 2003, Precision and recall of machine translation.
"""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.compiling import compiled, count_cells, largest_difference, read_only


def match_sizes(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, exponent: float) -> Floats:
    """Return the size of a matching of equal words for every pair: (pairs,), the sum of length ** exponent over its
    runs, to the power of 1 / exponent.

    left, right: the words of all texts as numbers, concatenated; offsets: (pairs + 1,). With the exponent 1 the size is
    the number of words of a largest matching. Otherwise the longest run of words that are not matched yet is taken
    first, of several the leftmost in the left text, then in the right one: O(left * right) time for each run.
    """
    one, one_offsets, other, other_offsets = read_only(left, left_offsets, right, right_offsets)
    return np.asarray(_match_sizes(one, one_offsets, other, other_offsets, float(exponent)))


@compiled(cost=count_cells)
def _match_sizes(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, exponent: float) -> Floats:
    pairs = len(left_offsets) - 1
    sizes = np.empty(pairs, np.float64)
    n_most, m_most = largest_difference(left_offsets), largest_difference(right_offsets)
    free, other_free = np.empty(n_most, np.bool_), np.empty(m_most, np.bool_)
    above, here = np.empty(m_most + 1, np.int64), np.empty(m_most + 1, np.int64)
    for pair in range(pairs):
        start, n = left_offsets[pair], left_offsets[pair + 1] - left_offsets[pair]
        other_start, m = right_offsets[pair], right_offsets[pair + 1] - right_offsets[pair]
        free[:n], other_free[:m] = True, True
        total = 0.0
        while True:
            longest, end, other_end = 0, 0, 0
            above[: m + 1] = 0
            for i in range(1, n + 1):
                here[0] = 0
                for j in range(1, m + 1):
                    same = free[i - 1] and other_free[j - 1] and left[start + i - 1] == right[other_start + j - 1]
                    here[j] = above[j - 1] + 1 if same else 0
                    if here[j] > longest:
                        longest, end, other_end = here[j], i, j
                above, here = here, above
            if longest == 0:
                break
            total += float(longest) ** exponent
            free[end - longest : end] = False
            other_free[other_end - longest : other_end] = False
        sizes[pair] = total ** (1 / exponent)
    return sizes
