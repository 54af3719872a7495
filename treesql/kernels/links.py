"""Word links as aligners write them, `0-0 1-2 2p3`, and columns of links, from a text held as one array of bytes.

All work on whole arrays with NumPy, so that scoring an alignment needs no compiler.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.text import Bytes, Flags, Ints

Numbers = NDArray[np.int32]
Fractions = NDArray[np.float64]

NEWLINE, TAB, SPACE, ZERO, COLON = (ord(sign) for sign in "\n\t 0:")

LONGEST = 9
"""So many digits has a number at most."""

_BLANK = np.zeros(256, dtype=bool)
_BLANK[[NEWLINE, TAB, SPACE]] = True
_SEPARATOR = np.zeros(256, dtype=bool)
_SEPARATOR[list(b"-sSpP?")] = True
_POSSIBLE = np.zeros(256, dtype=bool)
_POSSIBLE[list(b"pP?")] = True
_LETTER = np.zeros(256, dtype=bool)
_LETTER[list(b"sSpP")] = True


class Pairs(NamedTuple):
    """Links in the order of the text: both numbers as they are written, whether sure, and how many each line has."""

    left: Numbers
    right: Numbers
    sure: Flags
    per_line: Ints


def pairs(text: Bytes) -> Pairs | None:
    """The links of lines such as `0-0 1-2 2p3 3?4 4-5:P`; the text ends with a newline. O(bytes).

    A link is two numbers of up to 9 digits around `-` or `s` (sure), `p` or `?` (possible), or around `-` with `:S` or
    `:P` behind. None if anything else stands in the text.
    """
    value = np.subtract(text, ZERO, dtype=np.uint8)
    digit = value < 10
    end = np.flatnonzero(digit[:-1] & ~digit[1:])  # of numbers, their last bytes; the last byte of all is a newline
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
    values = _last_digits(value, digit, end)
    if values is None:
        return None
    newlines = np.flatnonzero(text == NEWLINE)
    per_line = np.diff(np.searchsorted(right, newlines), prepend=0)
    return Pairs(values[0::2], values[1::2], sure, per_line)


def _read_marks(text: Bytes, colon: Ints, between: Bytes, sure: Flags, which: Ints) -> bool:
    """Write into `sure` what `:S` or `:P` behind links says; False if anything else stands there."""
    if colon[-1] + 2 >= len(text):
        return False
    letter = text[colon + 1]
    sure[which] = ~_POSSIBLE[letter]
    signs = (text[colon] == COLON) & (between == ord("-"))
    return bool(signs.all() and _LETTER[letter].all() and _BLANK[text[colon + 2]].all())


def _last_digits(value: Bytes, digit: Flags, end: Ints) -> Numbers | None:
    """The values of numbers that end at these bytes; None if one has more than LONGEST digits."""
    known = value * digit
    known[1:] += known[:-1] * np.uint8(10)
    values = known.take(end).astype(np.int32)
    three = digit[2:] & digit[1:-1] & digit[:-2]
    if not three.any():
        return values
    here = np.flatnonzero(np.append([False, False], three)[end])
    place, power = 2, 100
    while len(here):
        if place == LONGEST:
            return None
        values[here] += value[end[here] - place].astype(np.int32) * power
        place, power = place + 1, power * 10
        here = here[end[here] >= place]
        here = here[digit[end[here] - place]]
    return values


def numbers(text: Bytes, starts: Ints, lengths: Ints) -> Numbers | None:
    """The values of fields that are numbers of 1 to 9 digits, zeros in front allowed; None if one is no such number."""
    if len(lengths) and not 1 <= int(lengths.min()) <= int(lengths.max()) <= LONGEST:
        return None
    digit = np.subtract(text.take(starts), ZERO, dtype=np.uint8)
    wrong = (digit > 9).any()
    values = digit.astype(np.int32)
    here, position = np.flatnonzero(lengths > 1), 1
    while len(here) and not wrong:
        digit = np.subtract(text.take(starts[here] + position), ZERO, dtype=np.uint8)
        wrong = (digit > 9).any()
        values[here] = values[here] * 10 + digit
        position += 1
        here = here[lengths[here] > position]
    return None if wrong else values


def fields(text: Bytes) -> tuple[Ints, Ints, Ints]:
    """What stands between blanks: where it starts, its length, and how many fields each line has.

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


def places(per_line: Ints) -> Ints:
    """Of every field its 0-based place in its line."""
    return np.arange(int(per_line.sum())) - np.repeat(np.cumsum(per_line) - per_line, per_line)


def letters(text: Bytes, starts: Ints, lengths: Ints) -> tuple[Flags, Flags]:
    """Which fields are `S` or `P`, and which are `P`, in either case."""
    first = text.take(starts)
    letter = _LETTER[first] & (lengths == 1)
    return letter, letter & _POSSIBLE[first]


def in_order(sentence: Ints, source: Ints | Numbers, target: Ints | Numbers) -> tuple[Ints | None, Flags | None]:
    """How links are sorted by sentence, source and target, equal ones in the order given, and which then equal the one
    before; None in place of either if they are sorted as they stand, or if none does."""
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
