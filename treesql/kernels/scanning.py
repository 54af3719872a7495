"""Shared parts of scanners: blanks, and numbers as Python and C write them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Bytes, Ints
from treesql.kernels.compiling import compiled

Counts = NDArray[np.int64]

MAX_FAULTS = 64
"""Maximum number of faults reported per block of text."""

NO_NUMBER, INTEGER, FRACTION, NOT_FINITE = range(4)
"""Kinds of fields where a number is expected."""

_DIGITS = 300
"""Numbers have fewer digits than this before the point, so that sums of them are finite."""


@compiled
def skip_blanks(text: Bytes, at: int, end: int) -> int:
    """Return the first offset that is not a blank, tab or CR."""
    while at < end and (text[at] == 32 or text[at] == 9 or text[at] == 13):
        at += 1
    return at


@compiled
def scan_number(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return the kind of number at an offset, and the offset after it."""
    start = at
    if at < end and (text[at] == 43 or text[at] == 45):  # + -
        at += 1
    digits = at
    while at < end and 48 <= text[at] <= 57:
        at += 1
    n = at - digits
    while digits < at and text[digits] == 48:
        digits += 1
    size = at - digits  # digits before the point
    kind = INTEGER
    if at < end and text[at] == 46:  # .
        kind = FRACTION
        at += 1
        digits = at
        while at < end and 48 <= text[at] <= 57:
            at += 1
        n += at - digits
    if n == 0:
        rest = at if at < end else start
        letter = text[rest] | 32 if rest < end else 0
        return (NOT_FINITE if letter == 110 or letter == 105 else NO_NUMBER), start  # nan, inf
    if size > _DIGITS:
        kind = NOT_FINITE
    if at < end and (text[at] | 32) == 101:  # e
        behind = at + 1
        negative = False
        if behind < end and (text[behind] == 43 or text[behind] == 45):
            negative = text[behind] == 45
            behind += 1
        digits = behind
        exponent = 0
        while behind < end and 48 <= text[behind] <= 57:
            exponent = min(exponent * 10 + text[behind] - 48, 1000)
            behind += 1
        if behind > digits:
            kind = FRACTION
            at = behind
            if (size - exponent if negative else size + exponent) > _DIGITS:
                return NOT_FINITE, at
    return kind, at


@compiled
def parse_integer(text: Bytes, at: int, end: int) -> int:
    """Return the value of an integer, at most 2**40; its digits lie between two offsets."""
    negative = at < end and text[at] == 45
    if at < end and (text[at] == 43 or text[at] == 45):
        at += 1
    value = 0
    while at < end:
        value = min(value * 10 + text[at] - 48, 1 << 40)
        at += 1
    return -value if negative else value


def number_kinds(text: Bytes, starts: Ints, lengths: Ints) -> Ints:
    """Return the kind of number of each field; NO_NUMBER if anything follows the number."""
    found = np.empty(len(starts), dtype=np.int64)
    _number_kinds(text, starts, lengths, found)
    return found


@compiled
def _number_kinds(text: Bytes, starts: Ints, lengths: Ints, found: Ints) -> None:
    for field in range(len(starts)):
        end = starts[field] + lengths[field]
        kind, behind = scan_number(text, starts[field], end)
        found[field] = kind if kind == NOT_FINITE or behind == end else NO_NUMBER
