"""Scanners of n-best lists, a hypothesis a line: those of Moses, `0 ||| the cat ||| LM0= -9.5 ||| -4.2`, and of Kaldi,
`utt-1 the cat`.

A single pass over the bytes that creates no strings; O(bytes). Fields of Moses's lists are found eight bytes at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Ints, Keys
from treesql.kernels.compiling import compiled, read_only
from treesql.kernels.scanning.text import MAX_FAULTS, NO_NUMBER, NOT_FINITE, scan_number

(
    FIELDS, ID_WRONG, LIST_MISSING, LIST_TWICE, FEATURES_FEWER, FEATURES_MORE, FEATURE_OTHER, VALUE_WRONG, SCORE_WRONG,
    KEY_WRONG, RANK_WRONG,
) = range(11)  # fmt: skip
"""Kinds of faults, at most one per line. The third column is a number: of the fields, of the list before, of the
features, or of the hypothesis that is expected."""

_BAR, _SPACE, _TAB, _NEWLINE, _EQUALS, _HYPHEN = (ord(sign) for sign in "| \t\n=-")
_MAX_DIGITS = 9

_LOW_BITS, _HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_NEWLINES, _BARS = _LOW_BITS * np.uint64(_NEWLINE), _LOW_BITS * np.uint64(_BAR)


class NbestScan(NamedTuple):
    """Hypotheses found in a text, one per line. Offsets are of bytes.

    number: of the list (Moses), or of the hypothesis in its list (Kaldi); -1 in a faulty line. text, score, key: start
    and length, (2, lines); score is of length 0 where there is none. values: (2, lines * features). faults: (n, 3), the
    kind, the offset, and a detail that depends on the kind.
    """

    number: Ints
    text: Ints
    score: Ints
    key: Ints
    values: Ints
    faults: Ints


def scan_moses(text: Bytes, last: int, fields: int, has_score: bool, names: list[bytes]) -> NbestScan:
    """Scan lines that end with a newline. last: the number of the list before, -1 for none; fields: those of a line,
    between |||; has_score: whether one of them is a score; names: the name of every feature of a hypothesis."""
    n_lines = int(np.count_nonzero(text == _NEWLINE))
    number = np.full(n_lines, -1, np.int64)
    spans = np.zeros((6, n_lines), np.int64)
    values = np.zeros((2, n_lines * len(names)), np.int64)
    faults = np.zeros((MAX_FAULTS, 3), np.int64)
    joined = np.frombuffer(b"".join(names) + b"\0", np.uint8)
    offsets = np.concatenate([[0], np.cumsum([len(name) for name in names])]).astype(np.int64)
    words = np.require(text[: len(text) // 8 * 8].view(np.uint64), requirements="A")
    given, eights, known, known_offsets = read_only(text, words, joined, offsets)
    n_faults = _scan_moses(given, eights, last, fields, has_score, known, known_offsets, number, spans, values, faults)
    return NbestScan(number, spans[0:2], spans[2:4], spans[4:6], values, faults[:n_faults])


def scan_kaldi(text: Bytes, key: bytes, rank: int) -> NbestScan:
    """Scan lines that end with a newline. key, rank: of the hypothesis before, empty and 0 for none."""
    n_lines = int(np.count_nonzero(text == _NEWLINE))
    number = np.full(n_lines, -1, np.int64)
    spans = np.zeros((6, n_lines), np.int64)
    faults = np.zeros((MAX_FAULTS, 3), np.int64)
    given, before = read_only(text, np.frombuffer(key + b"\0", np.uint8))
    n_faults = _scan_kaldi(given, before, rank, number, spans, faults)
    return NbestScan(number, spans[0:2], spans[2:4], spans[4:6], np.zeros((2, 0), np.int64), faults[:n_faults])


@compiled
def _is_blank(byte: int) -> bool:
    return byte in (_SPACE, _TAB)


@compiled(wraps=True)
def _next_mark(text: Bytes, eights: Keys, at: int) -> int:
    """Return the offset of the next newline or `|`. eights: the bytes of the text, eight at a time.

    A byte is zero if subtracting one borrows from its highest bit, which was not set before.
    """
    while at & 7:
        if text[at] == _NEWLINE or text[at] == _BAR:
            return at
        at += 1
    place = at >> 3
    while place < len(eights):
        newlines, bars = eights[place] ^ _NEWLINES, eights[place] ^ _BARS
        newlines = (newlines - _LOW_BITS) & ~newlines
        bars = (bars - _LOW_BITS) & ~bars
        if (newlines | bars) & _HIGH_BITS:
            break
        place += 1
    at = place << 3
    while text[at] != _NEWLINE and text[at] != _BAR:
        at += 1
    return at


@compiled
def _is_bar(text: Bytes, at: int, start: int) -> bool:
    """Whether a `|` begins `|||`, between blanks or at an end of its line. start: of the line, which has a newline."""
    return bool(
        text[at + 1] == _BAR
        and text[at + 2] == _BAR
        and (at == start or _is_blank(text[at - 1]))
        and (text[at + 3] == _NEWLINE or _is_blank(text[at + 3]))
    )


@compiled
def _trim(text: Bytes, start: int, end: int) -> tuple[int, int]:
    """Return the start and end of a field without the blanks at its ends."""
    while start < end and _is_blank(text[start]):
        start += 1
    while end > start and _is_blank(text[end - 1]):
        end -= 1
    return start, end


@compiled
def _line_end(text: Bytes, at: int) -> int:
    while text[at] != _NEWLINE:
        at += 1
    return at


@compiled
def _number(text: Bytes, start: int, end: int) -> int:
    """Return the value of a field of one to nine digits, -1 for any other."""
    if end <= start or end - start > _MAX_DIGITS:
        return -1
    value = 0
    for at in range(start, end):
        if text[at] < 48 or text[at] > 57:
            return -1
        value = value * 10 + text[at] - 48
    return value


@compiled
def _is_finite(text: Bytes, start: int, end: int) -> bool:
    kind, behind = scan_number(text, start, end)
    return bool(kind != NO_NUMBER and kind != NOT_FINITE and behind == end)


@compiled
def _scan_moses(
    text: Bytes, eights: Keys, last: int, fields: int, has_score: bool, names: Bytes, offsets: Ints, number: Ints,
    spans: Ints, values: Ints, faults: Ints,
) -> int:  # fmt: skip
    n_faults, at, n_features = 0, 0, len(offsets) - 1
    places = np.zeros((2, 4), np.int64)
    for line in range(len(number)):
        start, n_fields, begin = at, 0, at
        while True:
            end = _next_mark(text, eights, at)
            ends = text[end] == _NEWLINE
            at = end + 1
            if ends or _is_bar(text, end, start):
                if n_fields < 4:
                    places[0, n_fields], places[1, n_fields] = _trim(text, begin, end)
                n_fields += 1
                begin = end + 3
                at = end + (1 if ends else 3)
            if ends:
                break
        kind, where, detail = -1, start, 0
        list_number = _number(text, places[0, 0], places[1, 0])
        if n_fields != fields:
            kind, detail = FIELDS, n_fields
        elif list_number < 0:
            kind, where = ID_WRONG, places[0, 0]
        elif list_number > last + 1:
            kind, where, detail = LIST_MISSING, places[0, 0], last
        elif list_number < last:
            kind, where, detail = LIST_TWICE, places[0, 0], last
        if list_number >= 0:
            last = list_number
        if kind < 0 and has_score:
            place = 3 if fields > 3 else 2
            if not _is_finite(text, places[0, place], places[1, place]):
                kind, where = SCORE_WRONG, places[0, place]
            spans[2, line], spans[3, line] = places[0, place], places[1, place] - places[0, place]
        if kind < 0 and fields - has_score > 2:
            first = line * n_features
            kind, where, detail = _scan_features(text, places[0, 2], places[1, 2], names, offsets, values, first)
        if kind < 0:
            number[line] = list_number
            spans[0, line], spans[1, line] = places[0, 1], places[1, 1] - places[0, 1]
        elif n_faults < len(faults):
            faults[n_faults, 0], faults[n_faults, 1], faults[n_faults, 2] = kind, where, detail
            n_faults += 1
    return n_faults


@compiled
def _scan_features(
    text: Bytes, at: int, end: int, names: Bytes, offsets: Ints, values: Ints, first: int
) -> tuple[int, int, int]:
    """Scan the features of a hypothesis, and return the kind, the offset and the detail of a fault, -1 for none."""
    n, n_values, begin = len(offsets) - 1, 0, at
    name, length = at, 0
    while True:
        while at < end and _is_blank(text[at]):
            at += 1
        if at == end:
            break
        start, equals = at, -1
        kind, at = scan_number(text, start, end)
        if kind in (NO_NUMBER, NOT_FINITE) or (at < end and not _is_blank(text[at])):
            at = start
            while at < end and not _is_blank(text[at]):
                if text[at] == _EQUALS:
                    equals = at
                at += 1
            if equals >= 0:
                name, length = start, equals - start
                if equals == at - 1:
                    continue
                start = equals + 1
            if not _is_finite(text, start, at):
                return VALUE_WRONG, start, 0
        if n_values < n:
            same = length == offsets[n_values + 1] - offsets[n_values]
            if same:
                for place in range(length):
                    if text[name + place] != names[offsets[n_values] + place]:
                        same = False
                        break
            if not same:
                return FEATURE_OTHER, name if length else start, n_values
            values[0, first + n_values], values[1, first + n_values] = start, at - start
        n_values += 1
    if n_values != n:
        return (FEATURES_FEWER if n_values < n else FEATURES_MORE), begin, n_values
    return -1, 0, 0


@compiled
def _scan_kaldi(text: Bytes, before: Bytes, rank: int, number: Ints, spans: Ints, faults: Ints) -> int:
    n_faults, at = 0, 0
    key, length, in_before = 0, len(before) - 1, True
    for line in range(len(number)):
        start, end = _trim(text, at, _line_end(text, at))
        stop = start
        while stop < end and not _is_blank(text[stop]):
            stop += 1
        hyphen = stop - 1
        while hyphen > start and text[hyphen] != _HYPHEN:
            hyphen -= 1
        this_rank = _number(text, hyphen + 1, stop) if hyphen > start else -1
        kind, where, detail = -1, start, 0
        if this_rank < 1:
            kind = KEY_WRONG
        else:
            same = length == hyphen - start and length > 0
            if same:
                for place in range(length):
                    if (before[key + place] if in_before else text[key + place]) != text[start + place]:
                        same = False
                        break
            expected = rank + 1 if same else 1
            if this_rank != expected:
                kind, where, detail = RANK_WRONG, start, expected
            key, length, in_before, rank = start, hyphen - start, False, this_rank
        if kind < 0:
            number[line] = this_rank
            spans[0, line], spans[1, line] = _trim(text, stop, end)
            spans[1, line] -= spans[0, line]
            spans[4, line], spans[5, line] = start, hyphen - start
        elif n_faults < len(faults):
            faults[n_faults, 0], faults[n_faults, 1], faults[n_faults, 2] = kind, where, detail
            n_faults += 1
        at = _line_end(text, end) + 1
    return n_faults
