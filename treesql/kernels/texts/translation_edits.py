"""Translation edit rate: the edits of many pairs of texts, among them shifts of runs of words.

Sources: Snover et al. 2006, A study of translation edit rate with targeted human annotation; the limits, the beam and
the ties are those of sacrebleu 2.6, which follows Tercom.

Matchings of the words of many pairs of texts that favour runs: of several matchings, long runs weigh more.

Source: Melamed, Green & Turian 2003, Precision and recall of machine translation.
"""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Flags, Floats, Ints, SmallInts
from treesql.kernels.compiling import ZERO, compiled, copy, count_cells, largest_difference, read_only


def match_sizes(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, exponent: float) -> Floats:
    """Return the size of a matching of equal words for every pair: (pairs,), the sum of length ** exponent over its
    runs, to the power of 1 / exponent.

    left, right: the words of all texts as numbers, concatenated; offsets: (pairs + 1,). With the exponent 1 the size is
    the number of words of a largest matching. Otherwise the longest run of words that are not matched yet is taken
    first, of several the leftmost in the left text, then in the right one: O(left * right) time for each run.
    """
    left, left_offsets, right, right_offsets = read_only(left, left_offsets, right, right_offsets)
    return np.asarray(_match_sizes(left, left_offsets, right, right_offsets, float(exponent)))


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


_LONGEST_SHIFT = 10
"""Maximum number of words of a shift."""

_FARTHEST_SHIFT = 50
"""Maximum distance between the positions of equal words that a shift brings together."""

_BEAM = 25
"""Cells on either side of the diagonal that are compared, unless one text is much longer."""

_MOST_CANDIDATES = 1000
"""Number of candidates of a pair after which no further shift is applied."""

_INFINITE = 1 << 30
"""Cost of a cell outside the beam."""

_UNKNOWN, _MATCH, _SUBSTITUTION, _DELETION, _INSERTION = range(5)
"""How a cell is reached. A deletion passes a word of the hypothesis, an insertion one of the reference."""

Tables = tuple[SmallInts, SmallInts, Ints, Ints, Ints, Ints, Flags, Flags]
"""Tables of costs, words, and words that are not matched, of one pair at a time."""


def translation_edits(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints) -> Ints:
    """Return the fewest edits found that turn each left text into the right one: (pairs,).

    left, right: the words of all texts as numbers, concatenated; offsets: (pairs + 1,). An edit inserts, deletes or
    replaces a word, or shifts a run of words. Shifts are chosen one by one, each the one that saves most edits:
    O(left * right) time for every candidate, O(left * right) memory.
    """
    return np.asarray(_translation_edits(*read_only(left, left_offsets, right, right_offsets)))


@compiled(cost=count_cells)
def _translation_edits(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints) -> Ints:
    pairs = len(left_offsets) - 1
    edits = np.empty(pairs, np.int64)
    tables = make_tables(largest_difference(left_offsets), largest_difference(right_offsets))
    for pair in range(pairs):
        words = left[left_offsets[pair] : left_offsets[pair + 1]]
        edits[pair] = edits_of_pair(words, right[right_offsets[pair] : right_offsets[pair + 1]], tables)
    return edits


@compiled
def make_tables(longest_left: int, longest_right: int) -> Tables:
    """Return the arrays that `edits_of_pair` writes to, for texts of up to this many words."""
    height, width = longest_left + 1, longest_right + 1
    return (
        np.empty(height * width, np.int32), np.empty(height * width, np.int32), np.empty(height, np.int64),
        np.empty(height, np.int64), np.empty(height, np.int64), np.empty(width, np.int64), np.empty(height, np.bool_),
        np.empty(width, np.bool_),
    )  # fmt: skip


@compiled
def edits_of_pair(left: Ints, reference: Ints, tables: Tables) -> int:
    """Return the fewest edits found for one pair of texts."""
    base, tried, words, shifted, best, align, wrong_left, wrong_right = tables
    n = len(left)
    copy(left, words, n)
    shifts, candidates = 0, ZERO
    cost = _fill_table(words, n, reference, base, ZERO)
    while len(reference) > 0 and cost > 0:
        _align_words(words, n, reference, base, align, wrong_left, wrong_right)
        gain, candidates = _find_shift(
            words, n, reference, cost, candidates, align, wrong_left, wrong_right, base, tried, shifted, best
        )
        if candidates >= _MOST_CANDIDATES or gain <= 0:
            break
        copy(best, words, n)
        shifts += 1
        cost = _fill_table(words, n, reference, base, ZERO)
    return shifts + cost


@compiled
def _beam_width(ratio: float) -> int:
    return int(np.ceil(ratio / 2 + _BEAM)) if ratio / 2 > _BEAM else _BEAM


@compiled
def _fill_table(words: Ints, n: int, reference: Ints, table: SmallInts, first: int) -> int:
    """Compute the rows of the table of costs after `first`, and return the cost of the last cell.

    table[i * (m + 1) + j]: the least cost of turning the first i words into the first j reference words.
    """
    m = len(reference)
    width = m + 1
    if first == 0:
        for j in range(width):
            table[j] = j
    ratio = m / n if n else 1.0
    beam = _beam_width(ratio)
    for i in range(first + 1, n + 1):
        diagonal = int(i * ratio)
        low = max(0, diagonal - beam)
        high = width if i == n else min(width, diagonal + beam)
        row, above, word = i * width, (i - 1) * width, words[i - 1]
        for j in range(low):
            table[row + j] = _INFINITE
        before = _INFINITE
        for j in range(low, high):
            cost = table[above + j] + 1
            if j > 0:
                cost = min(cost, before + 1, table[above + j - 1] + (0 if word == reference[j - 1] else 1))
            before = min(cost, _INFINITE)
            table[row + j] = before
        for j in range(high, width):
            table[row + j] = _INFINITE
    return int(table[n * width + m])


@compiled
def _align_words(
    words: Ints, n: int, reference: Ints, table: SmallInts, align: Ints, wrong_left: Flags, wrong_right: Flags
) -> None:
    """Trace an alignment back from the last cell; of several, a match or substitution comes first, then a deletion.

    align: by reference word, the word at or before it, -1 for none; wrong: words that are not matched.
    """
    i, j = n, len(reference)
    width = j + 1
    while i > 0 or j > 0:
        here = table[i * width + j]
        same = i > 0 and j > 0 and words[i - 1] == reference[j - 1]
        if i > 0 and j > 0 and here == table[(i - 1) * width + j - 1] + (0 if same else 1):
            i -= 1
            j -= 1
            align[j] = i
            wrong_left[i] = wrong_right[j] = not same
        elif i > 0 and here == table[(i - 1) * width + j] + 1:
            i -= 1
            wrong_left[i] = True
        else:
            j -= 1
            align[j] = i - 1
            wrong_right[j] = True


@compiled
def _find_shift(
    words: Ints, n: int, reference: Ints, cost: int, candidates: int, align: Ints, wrong_left: Flags,
    wrong_right: Flags, base: SmallInts, tried: SmallInts, shifted: Ints, best: Ints,
) -> tuple[int, int]:  # fmt: skip
    """Return the edits that the best shift saves, and the number of candidates so far. best: receives its words.

    Of shifts that save as much, the longest comes first, then that of the earliest words, then the earliest target.
    """
    m = len(reference)
    most, best_length, best_start, best_target = -_INFINITE, 0, 0, 0
    for start in range(n):
        for at in range(max(0, start - _FARTHEST_SHIFT), min(m, start + _FARTHEST_SHIFT + 1)):
            any_left = any_right = False
            for length in range(1, min(_LONGEST_SHIFT, n - start, m - at) + 1):
                if words[start + length - 1] != reference[at + length - 1]:
                    break
                any_left |= wrong_left[start + length - 1]
                any_right |= wrong_right[at + length - 1]
                if not any_left or not any_right or start <= align[at] < start + length:
                    continue
                previous = -1
                for place in range(at - 1, min(at + length, m)):
                    target = align[place] + 1 if place >= 0 else 0
                    if target == previous:
                        continue
                    previous = target
                    candidates += 1
                    first = _shift_words(words, n, start, length, target, shifted)
                    gain = cost - _fill_from(shifted, n, reference, base, tried, first)
                    better = gain > most or (gain == most and length > best_length)
                    if gain == most and length == best_length:
                        better = start < best_start or (start == best_start and target < best_target)
                    if better:
                        most, best_length, best_start, best_target = gain, length, start, target
                        copy(shifted, best, n)
                if candidates >= _MOST_CANDIDATES:
                    return most, candidates
    return most, candidates


@compiled
def _fill_from(words: Ints, n: int, reference: Ints, base: SmallInts, table: SmallInts, first: int) -> int:
    """Return the cost of texts whose first words have known rows in `base`, of which the last one is copied."""
    width = len(reference) + 1
    copy(base[first * width : (first + 1) * width], table[first * width : (first + 1) * width], width)
    return _fill_table(words, n, reference, table, first) if first < n else base[n * width + width - 1]


@compiled
def _shift_words(words: Ints, n: int, start: int, length: int, target: int, shifted: Ints) -> int:
    """Move a run of words to a target, and return the number of first words that stay.

    Inside and right behind the run, a target moves the run by its distance from the start.
    """
    if start <= target <= start + length:
        target = min(target + length, n)
    low, high = min(start, target), max(start + length, target)
    copy(words, shifted, low)
    at = low
    if target < start:
        at = _append(words, start, start + length, shifted, at)
        _append(words, target, start, shifted, at)
    else:
        at = _append(words, start + length, target, shifted, at)
        _append(words, start, start + length, shifted, at)
    _append(words, high, n, shifted, high)
    return low


@compiled
def _append(words: Ints, start: int, end: int, shifted: Ints, at: int) -> int:
    for place in range(start, end):
        shifted[at] = words[place]
        at += 1
    return at
