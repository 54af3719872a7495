"""Scanner of word links as aligners write them, `0-0 1-2 2p3`, and of columns of links, over text as one byte array.

All functions work on whole arrays with NumPy, so that scoring an alignment needs no compilation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Flags, Ints, SmallInts

NEWLINE, TAB, SPACE, ZERO, COLON = (ord(sign) for sign in "\n\t 0:")

MAX_DIGITS = 9
"""Maximum number of digits of a number."""

_BLANK = np.zeros(256, dtype=bool)
_BLANK[[NEWLINE, TAB, SPACE]] = True
_SEPARATOR = np.zeros(256, dtype=bool)
_SEPARATOR[list(b"-sSpP?")] = True
_POSSIBLE = np.zeros(256, dtype=bool)
_POSSIBLE[list(b"pP?")] = True
_LETTER = np.zeros(256, dtype=bool)
_LETTER[list(b"sSpP")] = True


class LinkPairs(NamedTuple):
    """Links in the order of the text: both numbers as written, whether each is sure, and the number of links
    per line."""

    left: SmallInts
    right: SmallInts
    sure: Flags
    per_line: Ints


def parse_pairs(text: Bytes) -> LinkPairs | None:
    """Return the links of lines such as `0-0 1-2 2p3 3?4 4-5:P`; the text ends with a newline. O(bytes).

    A link consists of two numbers of up to 9 digits joined by `-` or `s` (sure), by `p` or `?` (possible), or by `-`
    and followed by `:S` or `:P`. Returns None if the text contains anything else.
    """
    value = np.subtract(text, ZERO, dtype=np.uint8)
    digit = value < 10
    end = np.flatnonzero(digit[:-1] & ~digit[1:])  # the last byte of every number; the text ends with a newline
    left, right = end[0::2].copy(), end[1::2].copy()
    if len(end) % 2:
        return None
    between, behind = text.take(left + 1), text.take(right + 1)
    if not _SEPARATOR[between].all() or not digit.take(np.minimum(left + 2, len(text) - 1)).all():
        return None
    sure = ~_POSSIBLE[between]
    marked = np.flatnonzero(~_BLANK[behind])
    if len(marked) and not _read_marks(text, right[marked] + 1, between[marked], sure, marked):
        return None
    n_blank = sum(np.count_nonzero(text == byte) for byte in (NEWLINE, TAB, SPACE))
    if np.count_nonzero(digit) + len(right) + 2 * len(marked) + n_blank != len(text):
        return None
    values = _parse_digits(value, digit, end)
    if values is None:
        return None
    newlines = np.flatnonzero(text == NEWLINE)
    per_line = np.diff(np.searchsorted(right, newlines), prepend=0)
    return LinkPairs(values[0::2], values[1::2], sure, per_line)


def split_probabilities(text: Bytes) -> tuple[Bytes, Ints, Ints, Ints] | None:
    """Return a text with blanks for all that stands behind links, `0-0:0.93`, and what stands there.

    That is the field of every number by place, where it begins, and its length. Returns None if no link has one.
    """
    starts, lengths, _ = find_fields(text)
    colon = np.flatnonzero(text == COLON)
    field = np.searchsorted(starts, colon, side="right") - 1
    first = np.append(True, field[1:] != field[:-1])[: len(colon)]
    letter = _LETTER[text[np.minimum(colon + 1, len(text) - 1)]] & (colon + 2 == (starts + lengths)[field])
    colon, field = colon[first & ~letter], field[first & ~letter]
    if not len(colon):
        return None
    ends = (starts + lengths)[field]
    edges = np.zeros(len(text) + 1, dtype=np.int8)
    edges[colon] = 1
    edges[ends] = -1
    cut = text.copy()
    cut[np.cumsum(edges[:-1]) > 0] = SPACE
    return cut, field, colon + 1, ends - colon - 1


def _read_marks(text: Bytes, colon: Ints, between: Bytes, sure: Flags, which: Ints) -> bool:
    """Write into `sure` what `:S` or `:P` after a link says; return False if anything else follows one."""
    if colon[-1] + 2 >= len(text):
        return False
    letter = text[colon + 1]
    sure[which] = ~_POSSIBLE[letter]
    signs = (text[colon] == COLON) & (between == ord("-"))
    return bool(signs.all() and _LETTER[letter].all() and _BLANK[text[colon + 2]].all())


def _parse_digits(value: Bytes, digit: Flags, end: Ints) -> SmallInts | None:
    """Return the values of the numbers whose last digits are at `end`, None if one has more than MAX_DIGITS digits."""
    known = value * digit
    known[1:] += known[:-1] * np.uint8(10)
    values = known.take(end).astype(np.int32)
    three = digit[2:] & digit[1:-1] & digit[:-2]
    if not three.any():
        return values
    fields = np.flatnonzero(np.append([False, False], three)[end])
    place, power = 2, 100
    while len(fields):
        if place == MAX_DIGITS:
            return None
        values[fields] += value[end[fields] - place].astype(np.int32) * power
        place, power = place + 1, power * 10
        fields = fields[end[fields] >= place]
        fields = fields[digit[end[fields] - place]]
    return values


def parse_numbers(text: Bytes, starts: Ints, lengths: Ints) -> SmallInts | None:
    """Return the values of fields of 1 to 9 digits, leading zeros allowed; None if any field is not such a number."""
    if len(lengths) and not 1 <= int(lengths.min()) <= int(lengths.max()) <= MAX_DIGITS:
        return None
    digit = np.subtract(text.take(starts), ZERO, dtype=np.uint8)
    wrong = (digit > 9).any()
    values = digit.astype(np.int32)
    fields, position = np.flatnonzero(lengths > 1), 1
    while len(fields) and not wrong:
        digit = np.subtract(text.take(starts[fields] + position), ZERO, dtype=np.uint8)
        wrong = (digit > 9).any()
        values[fields] = values[fields] * 10 + digit
        position += 1
        fields = fields[lengths[fields] > position]
    return None if wrong else values


def find_fields(text: Bytes) -> tuple[Ints, Ints, Ints]:
    """Return the start and length of every blank-separated field, and the number of fields per line.

    The text ends with a newline.
    """
    newline = text == NEWLINE
    filled = ~(newline | (text == SPACE) | (text == TAB))
    edges = np.flatnonzero(filled[1:] != filled[:-1]) + 1
    if len(text) and filled[0]:
        edges = np.append(0, edges)
    starts, ends = edges[0::2], edges[1::2]
    last_of_line = np.flatnonzero(newline.take(ends))
    if len(last_of_line) == np.count_nonzero(newline):  # every line ends with a field
        return starts, ends - starts, np.diff(last_of_line, prepend=-1)
    return starts, ends - starts, np.diff(np.searchsorted(starts, np.flatnonzero(newline)), prepend=0)


def find_letters(text: Bytes, starts: Ints, lengths: Ints) -> tuple[Flags, Flags]:
    """Return which fields are `S` or `P`, and which are `P`, ignoring case."""
    first = text.take(starts)
    letter = _LETTER[first] & (lengths == 1)
    return letter, letter & _POSSIBLE[first]


def sort_order(sentence: Ints, source: Ints | SmallInts, target: Ints | SmallInts) -> tuple[Ints | None, Flags | None]:
    """Return the permutation that sorts links stably by sentence, source and target, and which sorted links equal their
    predecessor. The first is None if the links are sorted already, the second if there are no duplicates."""
    if not len(sentence):
        return None, None
    if max(int(source.max()), int(target.max())) < 1 << 16 and int(sentence[-1]) < 1 << 31:
        key = (sentence.astype(np.int64) << 32) | (source.astype(np.int64) << 16) | target
        if (key[1:] > key[:-1]).all():
            return None, None
        order = np.argsort(key, kind="stable")
        key = key[order]
        again = np.append(False, key[1:] == key[:-1])
    else:
        order = np.lexsort((target, source, sentence))
        same = [np.append(False, values[order][1:] == values[order][:-1]) for values in (sentence, source, target)]
        again = same[0] & same[1] & same[2]
    return order, again if again.any() else None
