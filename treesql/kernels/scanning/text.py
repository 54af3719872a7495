"""Byte scanners over text as one array of UTF-8 bytes; a field is a pair (start, length) of byte offsets.

All functions work on whole arrays with NumPy, so that reading a file needs no compilation. Offsets stay below 2**31.

Shared parts of scanners: blanks, and numbers as Python and C write them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Bytes, Flags, Ints, Keys
from treesql.kernels.compiling import compiled

Windows = NDArray[np.void]

NEWLINE, TAB, SPACE, UNDERSCORE, ZERO = 10, 9, 32, ord("_"), ord("0")
UNDERSCORE_VIEW = UNDERSCORE << 32 | 1
"""First word of the string view of `_`."""

# Unicode category Zs outside ASCII as its 3 bytes of UTF-8 (U+00A0 has 2).
_SPACES = np.array([0xC2A000, 0xE19A80, *range(0xE28080, 0xE2808B), 0xE280AF, 0xE2819F, 0xE38080])

_ONE_EVERYWHERE = np.uint64(0x0101010101010101)
_HIGHEST_BITS = np.uint64(0x8080808080808080)
_SPACE_EVERYWHERE = np.uint64(0x2020202020202020)

# Masks of the 12 bytes from the start of a string that a view stores, by min(length, 13): all of up to 12 bytes, of a
# longer string the first 4. The lowest 32 bits belong to the length.
_KEPT = np.array(
    [[((1 << 8 * min(n, 4)) - 1) << 32, (1 << 8 * max(n - 4, 0)) - 1] for n in range(13)] + [[0xFFFFFFFF << 32, 0]],
    dtype=np.uint64,
)


def lines_and_tabs(text: Bytes) -> tuple[Ints, Ints]:
    """Return the ends of lines and fields.

    Returns `marks`, the offsets of all tabs and newlines, and `ends`, the indices in `marks` of the newlines: line i
    has ends[i] - ends[i - 1] - 1 tabs, the last of them at marks[ends[i] - 1].
    """
    marks = np.flatnonzero((text == TAB) | (text == NEWLINE))
    return marks, np.flatnonzero(text.take(marks) == NEWLINE)


def windows(text: Bytes) -> Windows:
    """Return, for every offset i, the 16 bytes i-4 .. i+11, with zeros outside the text."""
    padded = np.concatenate([np.zeros(4, np.uint8), text, np.zeros(16, np.uint8)])
    return np.ndarray((len(padded) - 15,), dtype="V16", buffer=padded.data, strides=(1,))


def string_views(windows: Windows, starts: Ints, lengths: Ints) -> Keys:
    """Return Arrow's string views of fields, 16 bytes each: (n, 2) words of 64 bits that refer to buffer 0.

    The lowest 32 bits are the length. A string of up to 12 bytes is stored in the view itself; for a longer one the
    view contains its first 4 bytes and, in the highest 32 bits, its offset. (Arrow columnar format, variable-size
    binary view layout.)
    """
    views = windows[starts].view("<u8").reshape(-1, 2)
    views &= np.take(_KEPT, np.minimum(lengths, 13), axis=0)
    views[:, 0] |= lengths.view(np.uint64)
    long = np.flatnonzero(lengths > 12)
    views[long, 1] = starts[long].astype(np.uint64) << np.uint64(32)
    return views


def integers(text: Bytes, starts: Ints, lengths: Ints) -> tuple[Ints, Flags]:
    """Return the values of fields that are decimal numbers of 1 to 9 digits, 0 for others, and which fields are.

    Numbers with leading zeros, such as `07`, do not count.
    """
    if not len(text):
        return np.zeros(len(starts), dtype=np.int64), np.zeros(len(starts), dtype=bool)
    first = text.take(starts, mode="clip") - np.uint8(ZERO)
    plain = (lengths >= 1) & (lengths <= 9) & (first <= 9) & ((first > 0) | (lengths == 1))
    values = first.astype(np.int64)
    fields = np.flatnonzero(plain & (lengths > 1))
    position = 1
    while len(fields):
        digits = text.take(starts.take(fields) + position) - np.uint8(ZERO)
        values[fields] = values.take(fields) * 10 + digits
        plain[fields[digits > 9]] = False
        position += 1
        fields = fields[lengths.take(fields) > position]
    values[~plain] = 0
    return values, plain


def find_byte(text: Bytes, byte: int, starts: Ints, lengths: Ints, within: int = 20) -> Ints:
    """Return the position of the first `byte` among the first `within` bytes of each field, -1 where there is none."""
    positions = np.full(len(starts), -1, dtype=np.int64)
    fields = np.flatnonzero(lengths > 0)
    for position in range(within):
        hit = text[starts[fields] + position] == byte
        positions[fields[hit]] = position
        fields = fields[~hit]
        fields = fields[lengths[fields] > position + 1]
        if not len(fields):
            break
    return positions


def split(text: Bytes, byte: int, starts: Ints, lengths: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the parts of fields between separators: for each the index of its field, its start and its length.

    starts: ascending; fields do not overlap.
    """
    where = np.flatnonzero(text == byte)
    field = np.searchsorted(starts, where, side="right") - 1
    inside = np.flatnonzero((field >= 0) & (where < (starts + lengths)[field])) if len(starts) else where[:0]
    where, field = where[inside], field[inside]
    n = len(starts) + len(where)
    after = np.arange(len(where)) + field + 1
    first = np.ones(n, dtype=bool)
    first[after] = False
    fields = np.cumsum(first) - 1
    part_starts, part_ends = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    part_starts[first], part_starts[after] = starts, where + 1
    part_ends[after - 1] = where
    part_ends[np.append(first[1:], np.ones(min(n, 1), dtype=bool))] = starts + lengths
    return fields, part_starts, part_ends - part_starts


def starts_with(windows: Windows, prefix: bytes, starts: Ints, lengths: Ints) -> Flags:
    """Return which fields begin with `prefix`, of at most 12 bytes."""
    first = windows[starts].view("u1").reshape(-1, 16)[:, 4 : 4 + len(prefix)]
    same: Flags = (first == np.frombuffer(prefix, dtype=np.uint8)).all(axis=1)
    return same & (lengths >= len(prefix))


def trim(text: Bytes, starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Return the fields without the blanks at their ends."""
    starts, ends = starts.copy(), starts + lengths
    fields = np.flatnonzero(starts < ends)
    while len(
        fields := fields[(starts[fields] < ends[fields]) & (text[np.minimum(starts[fields], len(text) - 1)] == 32)]
    ):
        starts[fields] += 1
    fields = np.flatnonzero(starts < ends)
    while len(fields := fields[(starts[fields] < ends[fields]) & (text[ends[fields] - 1] == 32)]):
        ends[fields] -= 1
    return starts, ends - starts


def utf8_continuation_bytes(text: Bytes) -> Ints:
    """Return the offsets of UTF-8 continuation bytes, and of the first bytes of space separators (Zs), ascending.

    Spans of words count neither.
    """
    offsets = np.flatnonzero((text.view(np.int8) < -64) | (text == 32))  # 0x80 .. 0xBF are -128 .. -65
    lead = offsets[text[offsets] >= 0x80] - 1
    lead = lead[text[lead] >= 0xC0]
    code = (text[lead].astype(np.int64) << 16) | (text[lead + 1].astype(np.int64) << 8)
    code |= np.where(text[lead] < 0xE0, 0, text[np.minimum(lead + 2, len(text) - 1)])
    spaces = lead[_SPACES.take(np.searchsorted(_SPACES, code), mode="clip") == code]
    return np.insert(offsets, np.searchsorted(offsets, spaces), spaces) if len(spaces) else offsets


def count_characters(uncounted: Ints, starts: Ints, lengths: Ints) -> Ints:
    """Return the number of Unicode characters of each field without those of category Zs.

    uncounted: the offsets of `utf8_continuation_bytes`, which count for nothing.
    """
    return lengths - (np.searchsorted(uncounted, starts + lengths) - np.searchsorted(uncounted, starts))


def may_have_uncounted(views: Keys, lengths: Ints) -> Flags:
    """Return which fields may have uncounted bytes: views with a non-ASCII byte or a space, and all long fields."""
    first, rest = views[:, 0] >> np.uint64(32), views[:, 1]
    beyond = ((first | rest) & _HIGHEST_BITS) > 0
    return beyond | _has_space(first) | _has_space(rest) | (lengths > 12)


def _has_space(words: Keys) -> Flags:
    """Return which 8-byte words have a space: exclusive or turns spaces into zero bytes, which a borrow test
    detects."""
    zero = words ^ _SPACE_EVERYWHERE
    flags: Flags = ((zero - _ONE_EVERYWHERE) & ~zero & _HIGHEST_BITS) > 0
    return flags


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
    kinds = np.empty(len(starts), dtype=np.int64)
    _number_kinds(text, starts, lengths, kinds)
    return kinds


@compiled
def _number_kinds(text: Bytes, starts: Ints, lengths: Ints, kinds: Ints) -> None:
    for field in range(len(starts)):
        end = starts[field] + lengths[field]
        kind, behind = scan_number(text, starts[field], end)
        kinds[field] = kind if kind == NOT_FINITE or behind == end else NO_NUMBER
