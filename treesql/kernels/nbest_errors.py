"""Errors of the hypotheses of n-best lists, each against the reference with fewest.

Edits are computed for 64 words of a reference at a time, as bits of a machine word: O(words * reference / 64). Sources:
Myers 1999, A fast bit-vector algorithm for approximate string matching based on dynamic programming; Hyyrö 2003, A
bit-vector algorithm for computing Levenshtein and Damerau edit distances.
"""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Ints, Keys
from treesql.kernels.compiling import compiled, largest_difference, read_only
from treesql.kernels.nbest_texts import Texts
from treesql.kernels.translation_edits import edits_of_pair, make_tables

_ONE, _ZERO, _ALL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
_TOP, _BITS = np.uint64(63), 64

UNKNOWN = 1 << 40
"""The errors of a hypothesis that cannot have fewer than one before it in its list."""


def word_edits(hypotheses: Texts, references: Texts) -> Ints:
    """Return the fewest words to insert, delete or replace in every hypothesis: (hypotheses,). O(words)."""
    found = np.full(len(hypotheses.offsets) - 1, UNKNOWN, np.int64)
    _word_edits(*(*read_only(*hypotheses, *references), found))
    return found


def word_differences(hypotheses: Texts, references: Texts) -> Ints:
    """Return the larger number of words that a hypothesis or its reference has beyond the other: (hypotheses,)."""
    found = np.full(len(hypotheses.offsets) - 1, UNKNOWN, np.int64)
    _word_differences(*(*read_only(*hypotheses, *references), found))
    return found


def shift_edits(hypotheses: Texts, references: Texts) -> Ints:
    """Return the edits of TER of every hypothesis, UNKNOWN where one before it has no more: (hypotheses,).

    Shifts change no word, so that there are at least as many edits as words that differ; those that have more of these
    than the best one before has edits are passed over.
    """
    found = np.full(len(hypotheses.offsets) - 1, UNKNOWN, np.int64)
    _shift_edits(*(*read_only(*hypotheses, *references), found))
    return found


@compiled
def _largest(numbers: Ints) -> int:
    largest = 0
    for number in numbers:
        largest = max(largest, number)
    return largest


@compiled
def _differences(words: Ints, reference_length: int, counts: Ints, own: Ints) -> int:
    """Return the words that differ. counts: of the reference's words, by number; own: zeros, which it leaves so."""
    shared = 0
    for word in words:
        if word > 0:
            own[word] += 1
            shared += own[word] <= counts[word]
    for word in words:
        own[word] = 0
    return int(max(len(words), reference_length) - shared)


@compiled
def _word_differences(
    words: Ints, offsets: Ints, lists: Ints, references: Ints, reference_offsets: Ints, reference_lists: Ints,
    found: Ints,
) -> None:  # fmt: skip
    n_numbers = _largest(references) + 1
    counts, own = np.zeros(n_numbers, np.int64), np.zeros(n_numbers, np.int64)
    for one in range(len(lists) - 1):
        for row in range(reference_lists[one], reference_lists[one + 1]):
            reference = references[reference_offsets[row] : reference_offsets[row + 1]]
            for word in reference:
                counts[word] += 1
            for at in range(lists[one], lists[one + 1]):
                hypothesis = words[offsets[at] : offsets[at + 1]]
                found[at] = min(found[at], _differences(hypothesis, len(reference), counts, own))
            for word in reference:
                counts[word] = 0


@compiled
def _word_edits(
    words: Ints, offsets: Ints, lists: Ints, references: Ints, reference_offsets: Ints, reference_lists: Ints,
    found: Ints,
) -> None:  # fmt: skip
    blocks = largest_difference(reference_offsets) // _BITS + 1
    places = np.zeros((_largest(references) + 1, blocks), np.uint64)
    more, less = np.empty(blocks, np.uint64), np.empty(blocks, np.uint64)
    for one in range(len(lists) - 1):
        for row in range(reference_lists[one], reference_lists[one + 1]):
            start = reference_offsets[row]
            n = reference_offsets[row + 1] - start
            for place in range(n):
                places[references[start + place], place // _BITS] |= _ONE << np.uint64(place % _BITS)
            for at in range(lists[one], lists[one + 1]):
                hypothesis = words[offsets[at] : offsets[at + 1]]
                found[at] = min(found[at], _edits(hypothesis, n, places, more, less))
            for place in range(n):
                places[references[start + place], place // _BITS] = _ZERO


@compiled(wraps=True)
def _edits(words: Ints, n: int, places: Keys, more: Keys, less: Keys) -> int:
    """Return the edits of a hypothesis against a reference of n words.

    places: by number of a word and block, the places where the reference has it; more, less: by block, the places after
    which the cost of the column grows and falls by one.
    """
    if n == 0:
        return len(words)
    n_blocks = (n + _BITS - 1) // _BITS
    for block in range(n_blocks):
        more[block], less[block] = _ALL, _ZERO
    cost, last = n, np.uint64((n - 1) % _BITS)
    for word in words:
        carry_more, carry_less = _ONE, _ZERO
        for block in range(n_blocks):
            equal = places[word, block]
            vertical = equal | less[block]
            equal |= carry_less
            across = (((equal & more[block]) + more[block]) ^ more[block]) | equal
            grows = less[block] | ~(across | more[block])
            falls = more[block] & across
            top = last if block == n_blocks - 1 else _TOP
            next_more, next_less = (grows >> top) & _ONE, (falls >> top) & _ONE
            grows = (grows << _ONE) | carry_more
            falls = (falls << _ONE) | carry_less
            more[block] = falls | ~(vertical | grows)
            less[block] = grows & vertical
            carry_more, carry_less = next_more, next_less
        cost += int(np.int64(carry_more) - np.int64(carry_less))
    return cost


@compiled
def _shift_edits(
    words: Ints, offsets: Ints, lists: Ints, references: Ints, reference_offsets: Ints, reference_lists: Ints,
    found: Ints,
) -> None:  # fmt: skip
    n_numbers = _largest(references) + 1
    counts, own = np.zeros(n_numbers, np.int64), np.zeros(n_numbers, np.int64)
    tables = make_tables(largest_difference(offsets), largest_difference(reference_offsets))
    for one in range(len(lists) - 1):
        best = UNKNOWN
        for at in range(lists[one], lists[one + 1]):
            hypothesis = words[offsets[at] : offsets[at + 1]]
            for row in range(reference_lists[one], reference_lists[one + 1]):
                reference = references[reference_offsets[row] : reference_offsets[row + 1]]
                for word in reference:
                    counts[word] += 1
                differences = _differences(hypothesis, len(reference), counts, own)
                for word in reference:
                    counts[word] = 0
                if differences < min(best, found[at]):
                    found[at] = min(found[at], edits_of_pair(hypothesis, reference, tables))
            best = min(best, found[at])
