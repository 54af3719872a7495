"""Texts of n-best lists as numbers: of every list its references, and its hypotheses by the words of these.

Words stand between blanks or tabs. A word that no reference of the list has is 0, for it matches nothing. Expected
O(bytes), by a hash table for every list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Ints, Keys
from treesql.kernels.compiling import ZERO, compiled, read_only
from treesql.kernels.keys import BASIS, PRIME, SPREAD


class Texts(NamedTuple):
    """Texts of lists. numbers: of all items, one after the other; offsets: (texts + 1,); lists: (lists + 1,), the first
    and last text of every list."""

    numbers: Ints
    offsets: Ints
    lists: Ints


def number_words(
    text: Bytes, offsets: Ints, lists: Ints, references: Bytes, reference_offsets: Ints, reference_lists: Ints
) -> tuple[Texts, Texts]:
    """Return the words of hypotheses and of references as numbers from 1 on, by list.

    text, references: the bytes of all texts, concatenated; offsets: (texts + 1,); lists: (lists + 1,).
    """
    given = read_only(text, offsets, lists, references, reference_offsets, reference_lists)
    ends = _word_offsets(*given[:2]), _word_offsets(*given[3:5])
    found = np.zeros(int(ends[0][-1]), np.int64), np.zeros(int(ends[1][-1]), np.int64)
    _number_words(*(*given, *found))
    return Texts(found[0], ends[0], lists), Texts(found[1], ends[1], reference_lists)


@compiled
def _is_blank(byte: int) -> bool:
    return byte == 32 or byte == 9


@compiled
def _word_offsets(text: Bytes, offsets: Ints) -> Ints:
    """Return the number of words before every text, and of all."""
    found = np.zeros(len(offsets), np.int64)
    for row in range(len(offsets) - 1):
        n, inside = 0, False
        for at in range(offsets[row], offsets[row + 1]):
            blank = _is_blank(text[at])
            n += not blank and not inside
            inside = not blank
        found[row + 1] = found[row] + n
    return found


@compiled(wraps=True)
def _next_word(text: Bytes, at: int, end: int) -> tuple[int, int, np.uint64]:
    """Return where the next word begins and ends, and its key; it is empty at the end of the text."""
    while at < end and _is_blank(text[at]):
        at += 1
    start, key = at, BASIS
    while at < end and not _is_blank(text[at]):
        key = (key ^ np.uint64(text[at])) * PRIME
        at += 1
    return start, at, key


@compiled(wraps=True)
def _find_word(
    slots: Ints, words: Ints, keys: Keys, known: Bytes, text: Bytes, start: int, end: int, key: np.uint64
) -> int:
    """Return the slot of a word of a text, or the free slot for it.

    slots: numbers of words, 0 in free ones; words: (2, words), where they begin and end in `known`; keys: (words,).
    """
    last = len(slots) - 1
    slot = np.int64((key * SPREAD) >> np.uint64(32)) & last
    while slots[slot] > 0:
        word = slots[slot] - 1
        if keys[word] == key and words[1, word] - words[0, word] == end - start:
            same = True
            for at in range(end - start):
                if known[words[0, word] + at] != text[start + at]:
                    same = False
                    break
            if same:
                break
        slot = (slot + 1) & last
    return int(slot)


@compiled
def _number_words(
    text: Bytes, offsets: Ints, lists: Ints, references: Bytes, reference_offsets: Ints, reference_lists: Ints,
    found: Ints, found_references: Ints,
) -> None:  # fmt: skip
    written, written_references = ZERO, ZERO
    table, words, keys = np.zeros(8, np.int64), np.zeros((2, 4), np.int64), np.zeros(4, np.uint64)
    for one in range(len(lists) - 1):
        first, last = reference_lists[one], reference_lists[one + 1]
        room = (reference_offsets[last] - reference_offsets[first]) // 2 + last - first + 1
        if room > len(keys):
            words, keys = np.zeros((2, 2 * room), np.int64), np.zeros(2 * room, np.uint64)
        size = 8
        while size < 2 * room:
            size *= 2
        if size > len(table):
            table = np.zeros(size, np.int64)
        slots = table[:size]
        slots[:] = 0
        distinct = 0
        for row in range(first, last):
            at = reference_offsets[row]
            while True:
                start, at, key = _next_word(references, at, reference_offsets[row + 1])
                if start == at:
                    break
                slot = _find_word(slots, words, keys, references, references, start, at, key)
                if slots[slot] == 0:
                    words[0, distinct], words[1, distinct], keys[distinct] = start, at, key
                    distinct += 1
                    slots[slot] = distinct
                found_references[written_references] = slots[slot]
                written_references += 1
        for row in range(lists[one], lists[one + 1]):
            at = offsets[row]
            while True:
                start, at, key = _next_word(text, at, offsets[row + 1])
                if start == at:
                    break
                found[written] = slots[_find_word(slots, words, keys, references, text, start, at, key)]
                written += 1
