"""Algorithm for lattices with one path: its edit distance to the reference, by bit vectors of 64 words.

Sources: Myers 1999, A fast bit-vector algorithm for approximate string matching; Hyyro 2003, A bit-vector algorithm for
computing Levenshtein and Damerau edit distances (blocks, global distance).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Flags, Ints, SmallInts
from treesql.kernels.compiling import compiled
from treesql.kernels.phrase_ends import INSIDE, NO_WORD

_BITS = 64


@compiled
def follow_single_paths(
    most_cells: int, reference_offsets: Ints, offsets: Ints, group_offsets: Ints, below: SmallInts,
    choice_offsets: Ints, word: SmallInts, edge: SmallInts, codes: SmallInts, n_codes: Ints, longest: Ints,
    wanted: Flags, single: Flags, edits: Ints, n_words: Ints, n_path: Ints, path_offsets: Ints, path: Ints,
) -> None:  # fmt: skip
    """Follow the paths of lattices that have only one, equivalent edges left out, unless the words of the path times
    those of the reference exceed `most_cells`.

    offsets to longest: as in treesql.kernels.phrase_ends; single and edits: results, with those of the path.
    O(words of the path * words of the reference / 64) time, O(both) memory.
    """
    for lattice in range(len(offsets) - 1):
        low, high = offsets[lattice], offsets[lattice + 1]
        reference = codes[reference_offsets[lattice] : reference_offsets[lattice + 1]]
        if not wanted[lattice] or longest[lattice] * len(reference) > most_cells:
            continue
        n_choices = choice_offsets[group_offsets[high]] - choice_offsets[group_offsets[low]]
        if n_choices > high - low - 1:  # every row but the first has a choice
            continue
        text = np.empty(longest[lattice], dtype=np.int32)
        row = high - low - 1
        while row > 0:
            choice = choice_offsets[group_offsets[low + row]]
            if edge[choice] != INSIDE:
                path[path_offsets[lattice] + n_path[lattice]] = edge[choice]
                n_path[lattice] += 1
            if word[choice] != NO_WORD:
                text[n_words[lattice]] = word[choice]
                n_words[lattice] += 1
            row = below[group_offsets[low + row]]
        single[lattice], edits[lattice] = True, edit_distance(text, reference, n_codes[lattice])


@compiled
def edit_distance(text: SmallInts, pattern: SmallInts, n_codes: int) -> int:
    """Return the Levenshtein distance of two sequences of codes from 0 to n_codes - 1.

    64 rows of the table, for words of the pattern, are computed at a time; their differences to the next row are bits.
    change: by column, the difference of the last row of the rows done so far.
    """
    masks = np.zeros(n_codes, dtype=np.uint64)  # by code, its positions in the block
    change = np.ones(len(text), dtype=np.int8)
    one, distance = np.uint64(1), len(text)
    for start in range(0, len(pattern), _BITS):
        block = pattern[start : start + _BITS]
        for at in range(len(block)):
            masks[block[at]] |= one << np.uint64(at)
        last = np.uint64(len(block) - 1)
        _fill_block(text, masks, last, change)
        for code in block:
            masks[code] = np.uint64(0)
    if len(pattern) > 0:
        distance = len(pattern)
        for at in range(len(text)):
            distance += int(change[at])
    return distance


@compiled(wraps=True)
def _fill_block(text: SmallInts, masks: NDArray[np.uint64], last: Any, change: NDArray[np.int8]) -> None:
    """Compute a block of rows, given the differences of the row before it; write those of its row number `last`."""
    one = np.uint64(1)
    up, down = ~np.uint64(0), np.uint64(0)  # where a cell is one more, or less, than that above it
    for at in range(len(text)):
        equal = masks[text[at]]
        rises, falls = np.uint64(change[at] > 0), np.uint64(change[at] < 0)
        vertical = equal | down
        equal |= falls
        horizontal = (((equal & up) + up) ^ up) | equal
        plus, minus = down | ~(horizontal | up), up & horizontal
        change[at] = np.int8((plus >> last) & one) - np.int8((minus >> last) & one)
        plus, minus = (plus << one) | rises, (minus << one) | falls
        up, down = minus | ~(vertical | plus), plus & vertical
