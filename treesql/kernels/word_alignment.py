"""Alignment of the words of two versions of a sentence by the characters that they have in common.

Words at both ends of the sentence that are equal are aligned at once. Between them, an alignment of characters with
the most matches, counted with a bonus for neighbouring ones, decides: two words are aligned if all their matched
characters are each other's and these are at least half of the longer word. Where a single word of either side remains
between the same aligned words, the two are aligned as well: one stands in the place of the other.
"""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Ints, SmallInts
from treesql.kernels.compiling import compiled

MAX_CELLS = 1 << 24
"""Maximum number of cells in the table of one sentence. Beyond it whole words are matched instead of characters, and
none where these are too many as well."""

MATCH, MATCHED_BOUNDARY, NEIGHBOUR = 2, 1, 1
"""Value of a matched character, of a matched boundary between words, and what is added if the items before the two are
matched with each other as well."""

NONE, SEVERAL = -1, -2
"""In place of the one word that a word shares characters with."""

BOUNDARY = 0
"""Item after every word, which is no character: matched boundaries favour alignments of whole words."""


def align_words(
    left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, characters: Ints, ends: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return the aligned words of every pair of sentences: the 0-based positions left and right, and offsets.

    left, right: the words of all sentences as numbers of distinct words; offsets: (sentences + 1,), where each sentence
    begins. characters, ends: the characters of the distinct words as positive numbers, and (words + 1,), where each
    word begins. The result is ordered by sentence and position; its offsets are (sentences + 1,). O(l r) time and
    memory for l and r characters of a sentence that are not in equal words at its ends.

    Source: Needleman & Wunsch 1970 for the alignment of characters.
    """
    room = min(len(left), len(right))
    found = np.empty((2, room), dtype=np.int64)
    offsets = np.zeros(len(left_offsets), dtype=np.int64)
    n = _align_all(left, left_offsets, right, right_offsets, characters, ends, found, offsets)
    return found[0, :n], found[1, :n], offsets


@compiled
def _align_all(
    left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, characters: Ints, ends: Ints, found: Ints,
    offsets: Ints,
) -> int:  # fmt: skip
    n = 0
    for sentence in range(len(left_offsets) - 1):
        one = left[left_offsets[sentence] : left_offsets[sentence + 1]]
        other = right[right_offsets[sentence] : right_offsets[sentence + 1]]
        shorter = min(len(one), len(other))
        head = 0
        while head < shorter and one[head] == other[head]:
            head += 1
        tail = 0
        while tail < shorter - head and one[len(one) - 1 - tail] == other[len(other) - 1 - tail]:
            tail += 1
        partner = np.full(len(one), NONE, dtype=np.int64)
        for at in range(head):
            partner[at] = at
        for at in range(tail):
            partner[len(one) - 1 - at] = len(other) - 1 - at
        _align_middle(one, other, head, tail, characters, ends, partner)
        for at in range(len(one)):
            if partner[at] >= 0:
                found[0, n], found[1, n] = at, partner[at]
                n += 1
        offsets[sentence + 1] = n
    return n


@compiled
def _align_middle(one: Ints, other: Ints, head: int, tail: int, characters: Ints, ends: Ints, partner: Ints) -> None:
    """Align the words that are not among the first `head` and the last `tail` ones."""
    rows, columns = len(one) - head - tail, len(other) - head - tail
    if rows == 0 or columns == 0:
        return
    items, words = _spell(one, head, len(one) - tail, characters, ends)
    others, other_words = _spell(other, head, len(other) - tail, characters, ends)
    if (len(items) + 1) * (len(others) + 1) <= MAX_CELLS:
        matched = _match(items, others)
        _pair_by_characters(items, words, other_words, matched, one, other, ends, partner)
    elif (rows + 1) * (columns + 1) <= MAX_CELLS:
        matched = _match(one[head : head + rows] + 1, other[head : head + columns] + 1)
        for at in range(rows):
            if matched[at] >= 0:
                partner[head + at] = head + matched[at]
    _pair_single_words(partner, len(other))


@compiled
def _spell(words: Ints, start: int, stop: int, characters: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """The characters of words, a boundary after each, and the word of every item."""
    length = 0
    for word in range(start, stop):
        length += ends[words[word] + 1] - ends[words[word]] + 1
    items, of_word = np.empty(length, np.int64), np.empty(length, np.int64)
    at = 0
    for word in range(start, stop):
        for place in range(ends[words[word]], ends[words[word] + 1]):
            items[at], of_word[at] = characters[place], word
            at += 1
        items[at], of_word[at] = BOUNDARY, word
        at += 1
    return items, of_word


@compiled
def _match(one: Ints, other: Ints) -> Ints:
    """The place in the other sequence of every item, NONE where it is not matched, by an alignment of highest value.

    best[i, j]: the value of the first i and j items; joined[i, j]: of alignments that match items i and j, 0 if they
    differ.
    """
    best = np.zeros((len(one) + 1, len(other) + 1), dtype=np.int32)
    joined = np.zeros((len(one) + 1, len(other) + 1), dtype=np.int32)
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            if one[i - 1] == other[j - 1]:
                value = MATCHED_BOUNDARY if one[i - 1] == BOUNDARY else MATCH
                joined[i, j] = best[i - 1, j - 1] + value
                if joined[i - 1, j - 1] > 0:
                    joined[i, j] = max(joined[i, j], joined[i - 1, j - 1] + value + NEIGHBOUR)
            best[i, j] = max(joined[i, j], best[i - 1, j], best[i, j - 1])
    return _walk_back(one, best, joined)


@compiled
def _walk_back(one: Ints, best: SmallInts, joined: SmallInts) -> Ints:
    """The matched items of an alignment of highest value, from the end: a match wherever it loses nothing."""
    i, j = best.shape[0] - 1, best.shape[1] - 1
    matched = np.full(i, NONE, dtype=np.int64)
    neighbour = False
    while i > 0 and j > 0:
        if neighbour or (joined[i, j] > 0 and joined[i, j] == best[i, j]):
            matched[i - 1] = j - 1
            value = MATCHED_BOUNDARY if one[i - 1] == BOUNDARY else MATCH
            neighbour = joined[i - 1, j - 1] > 0 and joined[i, j] == joined[i - 1, j - 1] + value + NEIGHBOUR
            i -= 1
            j -= 1
        elif best[i, j] == best[i - 1, j]:
            i -= 1
        else:
            j -= 1
    return matched


@compiled
def _pair_by_characters(
    items: Ints, words: Ints, other_words: Ints, matched: Ints, one: Ints, other: Ints, ends: Ints, partner: Ints
) -> None:
    """Align words whose matched characters are each other's, and half of the longer word."""
    of_left = np.full(len(one), NONE, dtype=np.int64)
    of_right = np.full(len(other), NONE, dtype=np.int64)
    shared = np.zeros(len(one), dtype=np.int64)
    for at in range(len(items)):
        if matched[at] < 0 or items[at] == BOUNDARY:
            continue
        word, their = words[at], other_words[matched[at]]
        shared[word] += 1
        of_left[word] = their if of_left[word] in (NONE, their) else SEVERAL
        of_right[their] = word if of_right[their] in (NONE, word) else SEVERAL
    for word in range(len(one)):
        their = of_left[word]
        if their >= 0 and of_right[their] == word:
            length = ends[one[word] + 1] - ends[one[word]]
            longer = max(length, ends[other[their] + 1] - ends[other[their]])
            if 2 * shared[word] >= longer:
                partner[word] = their


@compiled
def _pair_single_words(partner: Ints, n_others: int) -> None:
    """Align the single words of both sides that remain between the same aligned words, or at an end."""
    before, their_before, at = -1, -1, 0
    while at <= len(partner):
        if at == len(partner) or partner[at] >= 0:
            their = n_others if at == len(partner) else partner[at]
            if at - before == 2 and their - their_before == 2:
                partner[before + 1] = their_before + 1
            before, their_before = at, their
        at += 1
