"""How many steps of each kind an alignment of two sequences with fewest edits has, for many pairs.

Sources: Levenshtein 1966; Wagner & Fischer 1974.
"""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import compiled, count_cells, largest_difference, read_only
from treesql.kernels.nbest_texts import Texts


def count_edits(hypotheses: Texts, references: Texts, substitution: int, gap: int) -> Ints:
    """Return for every pair the matches, substitutions, insertions and deletions of an alignment: (pairs, 4).

    substitution, gap: weights of a substitution, and of an insertion or deletion. Of the alignments with the least
    weight, that with most matches; its counts follow from its cost, for matches, substitutions and insertions are the
    items of the hypothesis, matches, substitutions and deletions those of the reference. Equal items at both ends
    match in such an alignment. O(m n) time at most, O(n) memory per pair.
    """
    found = np.zeros((len(hypotheses.offsets) - 1, 4), np.int64)
    left, right = read_only(*hypotheses[:2]), read_only(*references[:2])
    _count_edits(left[0], left[1], right[0], right[1], substitution, gap, found)
    return found


@compiled(cost=count_cells)
def _count_edits(
    left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, substitution: int, gap: int, found: Ints
) -> None:
    row = np.empty(largest_difference(right_offsets) + 1, np.int64)
    for pair in range(len(found)):
        first, other = left_offsets[pair], right_offsets[pair]
        end, other_end = left_offsets[pair + 1], right_offsets[pair + 1]
        n = end - first
        while first < end and other < other_end and left[first] == right[other]:
            first += 1
            other += 1
        while first < end and other < other_end and left[end - 1] == right[other_end - 1]:
            end -= 1
            other_end -= 1
        height, width = end - first, other_end - other
        unit = height + width + 1
        replaced, indel = substitution * unit, gap * unit
        for j in range(width + 1):
            row[j] = j * indel
        for i in range(height):
            item, corner = left[first + i], row[0]
            row[0] = corner + indel
            best = row[0]
            for j in range(width):
                least = corner + (-1 if item == right[other + j] else replaced)
                corner = row[j + 1]
                best = min(min(least, corner + indel), best + indel)
                row[j + 1] = best
        weight = -(-row[width] // unit)
        hits = weight * unit - row[width]
        # height + width = 2 hits + 2 substitutions + gaps, and weight = substitution * substitutions + gap * gaps
        pairs_left = height + width - 2 * hits
        substitutions = (gap * pairs_left - weight) // (2 * gap - substitution)
        found[pair, 0] = hits + n - height
        found[pair, 1] = substitutions
        found[pair, 2] = height - hits - substitutions
        found[pair, 3] = width - hits - substitutions
