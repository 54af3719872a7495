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

NEWLINE, ZERO, COLON = ord("\n"), ord("0"), ord(":")

LONGEST = 9
"""So many digits has a number at most."""

_BLANK = np.zeros(256, dtype=bool)
_BLANK[[ord("\n"), ord("\t"), ord(" ")]] = True
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
    digit = np.subtract(text, ZERO, dtype=np.uint8) < 10
    edges = np.flatnonzero(np.diff(digit, prepend=False))  # a run begins, a run ends, ...: the last byte is no digit
    starts, ends = edges[0::2], edges[1::2]
    if len(starts) % 2:
        return None
    separator, end = ends[0::2], ends[1::2]
    between = text.take(separator)
    if (starts[1::2] - separator != 1).any() or not _SEPARATOR[between].all():
        return None
    sure = ~_POSSIBLE[between]
    marked = np.flatnonzero(~_BLANK[text.take(end)])
    if len(marked):
        colon = end[marked]
        if colon[-1] + 2 >= len(text):
            return None
        letter = text[colon + 1]
        if (text[colon] != COLON).any() or not _LETTER[letter].all() or not _BLANK[text[colon + 2]].all():
            return None
        if (between[marked] != ord("-")).any():
            return None
        sure[marked] = ~_POSSIBLE[letter]
    n_bytes = int((ends - starts).sum()) + len(end) + 2 * len(marked)
    if n_bytes != len(text) - np.count_nonzero(_BLANK[text]) or (ends - starts > LONGEST).any():
        return None
    values = numbers(text, starts, ends - starts)
    newlines = np.flatnonzero(text == NEWLINE)
    per_line = np.diff(np.searchsorted(end, newlines, side="right"), prepend=0)
    return Pairs(values[0::2], values[1::2], sure, per_line)


def numbers(text: Bytes, starts: Ints, lengths: Ints) -> Numbers:
    """The values of fields that are numbers of 1 to 9 digits, zeros in front allowed."""
    values = text.take(starts).astype(np.int32) - ZERO
    here, position = np.flatnonzero(lengths > 1), 1
    while len(here):
        values[here] = values[here] * 10 + text[starts[here] + position] - ZERO
        position += 1
        here = here[lengths[here] > position]
    return values


def are_numbers(text: Bytes, starts: Ints, lengths: Ints) -> Flags:
    """Which fields are numbers of 1 to 9 digits."""
    other = np.subtract(text, ZERO, dtype=np.uint8) > 9
    before = np.concatenate([[0], np.cumsum(other)])
    found: Flags = (before[starts + lengths] == before[starts]) & (lengths >= 1) & (lengths <= LONGEST)
    return found


def fields(text: Bytes) -> tuple[Ints, Ints, Ints]:
    """What stands between blanks: where it starts, its length, and how many fields each line has.

    The text ends with a newline.
    """
    edges = np.flatnonzero(np.diff(~_BLANK[text], prepend=False))
    starts, ends = edges[0::2], edges[1::2]
    newlines = np.flatnonzero(text == NEWLINE)
    return starts, ends - starts, np.diff(np.searchsorted(starts, newlines), prepend=0)


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
