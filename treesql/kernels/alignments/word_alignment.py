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
    pairs = np.empty((2, room), dtype=np.int64)
    offsets = np.zeros(len(left_offsets), dtype=np.int64)
    n = _align_all(left, left_offsets, right, right_offsets, characters, ends, pairs, offsets)
    return pairs[0, :n], pairs[1, :n], offsets


@compiled
def _align_all(
    left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints, characters: Ints, ends: Ints, pairs: Ints,
    offsets: Ints,
) -> int:  # fmt: skip
    n = 0
    for sentence in range(len(left_offsets) - 1):
        left_words = left[left_offsets[sentence] : left_offsets[sentence + 1]]
        right_words = right[right_offsets[sentence] : right_offsets[sentence + 1]]
        shorter = min(len(left_words), len(right_words))
        head = 0
        while head < shorter and left_words[head] == right_words[head]:
            head += 1
        tail = 0
        while (
            tail < shorter - head and left_words[len(left_words) - 1 - tail] == right_words[len(right_words) - 1 - tail]
        ):
            tail += 1
        partner = np.full(len(left_words), NONE, dtype=np.int64)
        for at in range(head):
            partner[at] = at
        for at in range(tail):
            partner[len(left_words) - 1 - at] = len(right_words) - 1 - at
        _align_middle(left_words, right_words, head, tail, characters, ends, partner)
        for at in range(len(left_words)):
            if partner[at] >= 0:
                pairs[0, n], pairs[1, n] = at, partner[at]
                n += 1
        offsets[sentence + 1] = n
    return n


@compiled
def _align_middle(
    left_words: Ints, right_words: Ints, head: int, tail: int, characters: Ints, ends: Ints, partner: Ints
) -> None:
    """Align the words that are not among the first `head` and the last `tail` ones."""
    rows, columns = len(left_words) - head - tail, len(right_words) - head - tail
    if rows == 0 or columns == 0:
        return
    items, words = _spell(left_words, head, len(left_words) - tail, characters, ends)
    others, other_words = _spell(right_words, head, len(right_words) - tail, characters, ends)
    if (len(items) + 1) * (len(others) + 1) <= MAX_CELLS:
        matched = _match(items, others)
        _pair_by_characters(items, words, other_words, matched, left_words, right_words, ends, partner)
    elif (rows + 1) * (columns + 1) <= MAX_CELLS:
        matched = _match(left_words[head : head + rows] + 1, right_words[head : head + columns] + 1)
        for at in range(rows):
            if matched[at] >= 0:
                partner[head + at] = head + matched[at]
    _pair_single_words(partner, len(right_words))


@compiled
def _spell(words: Ints, start: int, stop: int, characters: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """The characters of words, a boundary after each, and the word of every item."""
    length = 0
    for word in range(start, stop):
        length += ends[words[word] + 1] - ends[words[word]] + 1
    items, word_of_item = np.empty(length, np.int64), np.empty(length, np.int64)
    at = 0
    for word in range(start, stop):
        for place in range(ends[words[word]], ends[words[word] + 1]):
            items[at], word_of_item[at] = characters[place], word
            at += 1
        items[at], word_of_item[at] = BOUNDARY, word
        at += 1
    return items, word_of_item


@compiled
def _match(left: Ints, right: Ints) -> Ints:
    """The place in the other sequence of every item, NONE where it is not matched, by an alignment of highest value.

    best[i, j]: the value of the first i and j items; joined[i, j]: of alignments that match items i and j, 0 if they
    differ.
    """
    best = np.zeros((len(left) + 1, len(right) + 1), dtype=np.int32)
    joined = np.zeros((len(left) + 1, len(right) + 1), dtype=np.int32)
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            if left[i - 1] == right[j - 1]:
                value = MATCHED_BOUNDARY if left[i - 1] == BOUNDARY else MATCH
                joined[i, j] = best[i - 1, j - 1] + value
                if joined[i - 1, j - 1] > 0:
                    joined[i, j] = max(joined[i, j], joined[i - 1, j - 1] + value + NEIGHBOUR)
            best[i, j] = max(joined[i, j], best[i - 1, j], best[i, j - 1])
    return _walk_back(left, best, joined)


@compiled
def _walk_back(left: Ints, best: SmallInts, joined: SmallInts) -> Ints:
    """The matched items of an alignment of highest value, from the end: a match wherever it loses nothing."""
    i, j = best.shape[0] - 1, best.shape[1] - 1
    matched = np.full(i, NONE, dtype=np.int64)
    neighbour = False
    while i > 0 and j > 0:
        if neighbour or (joined[i, j] > 0 and joined[i, j] == best[i, j]):
            matched[i - 1] = j - 1
            value = MATCHED_BOUNDARY if left[i - 1] == BOUNDARY else MATCH
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
    items: Ints,
    words: Ints,
    other_words: Ints,
    matched: Ints,
    left_words: Ints,
    right_words: Ints,
    ends: Ints,
    partner: Ints,
) -> None:
    """Align words whose matched characters are each other's, and half of the longer word."""
    left_partner = np.full(len(left_words), NONE, dtype=np.int64)
    right_partner = np.full(len(right_words), NONE, dtype=np.int64)
    shared = np.zeros(len(left_words), dtype=np.int64)
    for at in range(len(items)):
        if matched[at] < 0 or items[at] == BOUNDARY:
            continue
        word, counterpart = words[at], other_words[matched[at]]
        shared[word] += 1
        left_partner[word] = counterpart if left_partner[word] in (NONE, counterpart) else SEVERAL
        right_partner[counterpart] = word if right_partner[counterpart] in (NONE, word) else SEVERAL
    for word in range(len(left_words)):
        counterpart = left_partner[word]
        if counterpart >= 0 and right_partner[counterpart] == word:
            length = ends[left_words[word] + 1] - ends[left_words[word]]
            longer = max(length, ends[right_words[counterpart] + 1] - ends[right_words[counterpart]])
            if 2 * shared[word] >= longer:
                partner[word] = counterpart


@compiled
def _pair_single_words(partner: Ints, n_others: int) -> None:
    """Align the single words of both sides that remain between the same aligned words, or at an end."""
    before, counterpart_before, at = -1, -1, 0
    while at <= len(partner):
        if at == len(partner) or partner[at] >= 0:
            counterpart = n_others if at == len(partner) else partner[at]
            if at - before == 2 and counterpart - counterpart_before == 2:
                partner[before + 1] = counterpart_before + 1
            before, counterpart_before = at, counterpart
        at += 1
