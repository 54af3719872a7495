"""The scanners of treesql.kernels.text, compiled: for files so large that loading or compiling them pays.

Functions of the same names take the same arguments and return the same values, in a third to a tenth of the time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Bytes, Flags, Ints, Keys
from treesql.kernels.compiling import compiled, read_only
from treesql.kernels.text import KEPT, SPACES, Windows

_MAX_PARTS = 64
"""Maximum number of features of a string whose names are compared pair by pair."""

_KEPT = KEPT.reshape(-1)


def string_views(windows: Windows, starts: Ints, lengths: Ints) -> Keys:
    """Return Arrow's string views of fields, 16 bytes each."""
    words = np.ndarray((len(windows) + 8,), np.uint64, windows.base, strides=(1,))
    found = np.empty((len(starts), 2), np.uint64)
    words, kept, starts, lengths = read_only(words, _KEPT, starts, lengths)
    _string_views(words, kept, starts, lengths, found)
    return found


def integers(text: Bytes, starts: Ints, lengths: Ints) -> tuple[Ints, Flags]:
    """Return the values of fields that are decimal numbers of 1 to 9 digits, 0 for others, and which fields are."""
    values, are_numbers = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.bool_)
    text, starts, lengths = read_only(text, starts, lengths)
    _integers(text, starts, lengths, values, are_numbers)
    return values, are_numbers


def find_byte(text: Bytes, byte: int, starts: Ints, lengths: Ints, within: int = 20) -> Ints:
    """Return the position of the first `byte` among the first `within` bytes of each field, -1 where there is none."""
    found = np.full(len(starts), -1, np.int64)
    text, starts, lengths = read_only(text, starts, lengths)
    _find_byte(text, np.int64(byte), starts, lengths, np.int64(within), found)
    return found


def split(text: Bytes, byte: int, starts: Ints, lengths: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the parts of fields between separators: for each the index of its field, its start and its length."""
    text, starts, lengths = read_only(text, starts, lengths)
    n_parts = np.ones(len(starts), np.int64)
    n = int(_count_parts(text, starts, lengths, np.int64(byte), n_parts))
    found = np.empty((3, n), np.int64)
    _split(text, starts, lengths, np.int64(byte), found)
    return found[0], found[1], found[2]


def starts_with(windows: Windows, prefix: bytes, starts: Ints, lengths: Ints) -> Flags:
    """Return which fields begin with `prefix`, of at most 12 bytes."""
    found = np.zeros(len(starts), np.bool_)
    padded = np.frombuffer(windows.base, np.uint8)  # type: ignore[arg-type]
    padded, wanted, starts, lengths = read_only(padded, np.frombuffer(prefix, np.uint8), starts, lengths)
    _starts_with(padded, wanted, starts, lengths, found)
    return found


def trim(text: Bytes, starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Return the fields without the blanks at their ends."""
    found = np.empty((2, len(starts)), np.int64)
    text, starts, lengths = read_only(text, starts, lengths)
    _trim(text, starts, lengths, found)
    return found[0], found[1]


def character_widths(text: Bytes, starts: Ints, lengths: Ints, views: Keys) -> Ints:
    """Return the number of Unicode characters of each field without those of category Zs."""
    found = np.empty(len(starts), np.int64)
    text, spaces, starts, lengths = read_only(text, SPACES, starts, lengths)
    _character_widths(text, spaces, starts, lengths, found)
    return found


def repeated_names(text: Bytes, starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Return the fields `A=1|B=2` that name a feature twice, and those with too many features to be compared here."""
    found = np.zeros(len(starts), np.int8)
    text, starts, lengths = read_only(text, starts, lengths)
    _repeated_names(text, starts, lengths, found)
    return np.flatnonzero(found == 1), np.flatnonzero(found == 2)


@compiled
def _string_views(words: Keys, kept: Keys, starts: Ints, lengths: Ints, found: NDArray[np.uint64]) -> None:
    for at in range(len(starts)):
        start, length = starts[at], lengths[at]
        row = 2 * min(length, 13)
        found[at, 0] = (words[start] & kept[row]) | np.uint64(length)
        if length <= 12:
            found[at, 1] = words[start + 8] & kept[row + 1]
        else:
            found[at, 1] = np.uint64(start) << np.uint64(32)


@compiled
def _integers(text: Bytes, starts: Ints, lengths: Ints, values: Ints, are_numbers: Flags) -> None:
    for at in range(len(starts)):
        start, length = starts[at], lengths[at]
        if length < 1 or length > 9 or (length > 1 and text[start] == 48):
            continue
        value, n_digits = np.int64(0), 0
        for place in range(start, start + length):
            digit = np.int64(text[place]) - 48
            if 0 <= digit <= 9:
                n_digits += 1
            value = 10 * value + digit
        if n_digits == length:
            values[at], are_numbers[at] = value, True


@compiled
def _find_byte(text: Bytes, byte: np.int64, starts: Ints, lengths: Ints, within: np.int64, found: Ints) -> None:
    for at in range(len(starts)):
        for place in range(min(lengths[at], within)):
            if text[starts[at] + place] == byte:
                found[at] = place
                break


@compiled
def _count_parts(text: Bytes, starts: Ints, lengths: Ints, byte: np.int64, n_parts: Ints) -> int:
    n = 0
    for at in range(len(starts)):
        for place in range(starts[at], starts[at] + lengths[at]):
            n_parts[at] += text[place] == byte
        n += n_parts[at]
    return n


@compiled
def _split(text: Bytes, starts: Ints, lengths: Ints, byte: np.int64, found: NDArray[np.int64]) -> None:
    n = 0
    for at in range(len(starts)):
        begin, end = starts[at], starts[at] + lengths[at]
        for place in range(begin, end + 1):
            if place == end or text[place] == byte:
                found[0, n], found[1, n], found[2, n] = at, begin, place - begin
                begin = place + 1
                n += 1


@compiled
def _starts_with(padded: Bytes, prefix: Bytes, starts: Ints, lengths: Ints, found: Flags) -> None:
    for at in range(len(starts)):
        same = lengths[at] >= len(prefix)
        for place in range(len(prefix)):
            same = same and padded[starts[at] + 4 + place] == prefix[place]
        found[at] = same


@compiled
def _trim(text: Bytes, starts: Ints, lengths: Ints, found: NDArray[np.int64]) -> None:
    for at in range(len(starts)):
        begin, end = starts[at], starts[at] + lengths[at]
        while begin < end and text[begin] == 32:
            begin += 1
        while begin < end and text[end - 1] == 32:
            end -= 1
        found[0, at], found[1, at] = begin, end - begin


@compiled
def _character_widths(text: Bytes, spaces: Ints, starts: Ints, lengths: Ints, found: Ints) -> None:
    for at in range(len(starts)):
        end = starts[at] + lengths[at]
        width = 0
        for place in range(starts[at], end):
            byte = text[place]
            if byte == 32 or 0x80 <= byte < 0xC0:
                continue
            width += 1
            if (byte == 0xC2 or 0xE1 <= byte <= 0xE3) and place + 1 < end:  # the first bytes of SPACES
                code = np.int64(byte) << 16 | np.int64(text[place + 1]) << 8
                if byte >= 0xE0 and place + 2 < end:
                    code |= np.int64(text[place + 2])
                for space in spaces:
                    if space == code:
                        width -= 1
        found[at] = width


@compiled
def _repeated_names(text: Bytes, starts: Ints, lengths: Ints, found: NDArray[np.int8]) -> None:
    begins, ends = np.empty(_MAX_PARTS, np.int64), np.empty(_MAX_PARTS, np.int64)
    for at in range(len(starts)):
        end = starts[at] + lengths[at]
        n, begin, name_end = 0, starts[at], -1
        for place in range(begin, end + 1):
            is_end = place == end or text[place] == 124  # |
            if name_end < 0 and (is_end or text[place] == 61):  # =
                name_end = place
            if not is_end:
                continue
            if place > begin and n == _MAX_PARTS:
                found[at] = 2
                break
            if place > begin:
                for other in range(n):
                    if _same(text, begins[other], ends[other], begin, name_end):
                        found[at] = 1
                begins[n], ends[n] = begin, name_end
                n += 1
            begin, name_end = place + 1, -1


@compiled
def _same(text: Bytes, begin: int, end: int, other: int, other_end: int) -> bool:
    """Return whether two pieces of a text are equal."""
    if end - begin != other_end - other:
        return False
    for place in range(end - begin):  # noqa: SIM110 (generators are not compiled)
        if text[begin + place] != text[other + place]:
            return False
    return True
