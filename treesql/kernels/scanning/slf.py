"""Scanner of the `KEY=VALUE` fields of HTK's standard lattice format. A single pass without strings; O(bytes)."""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Bytes, Ints
from treesql.kernels.compiling import compiled

NEWLINE, HASH, EQUALS, QUOTE, APOSTROPHE, BACKSLASH = (ord(sign) for sign in "\n#=\"'\\")


def find_fields(text: Bytes) -> tuple[Ints, Ints]:
    """Return the fields `key=value` of a text, without comments (`#` in the first column).

    Returns (6, n): line, offset of the first byte, length of the key (0 where no `=` follows it), start and length of
    the value, and whether it has escapes; and by line the number of fields before it, with the total. A value may be in
    quotes of either kind, the closing one before a blank or the end of the line; a first quote without one is a sign
    like others. Escapes are allowed inside and outside of quotes.
    """
    n_lines = int(np.count_nonzero(text == NEWLINE)) + bool(len(text) and text[-1] != NEWLINE)
    room = int(np.count_nonzero(np.diff((text > 32).view(np.int8), prepend=np.int8(0)) == 1))
    room += int(np.count_nonzero((text == QUOTE) | (text == APOSTROPHE)))
    fields = np.empty((6, room), dtype=np.int64)
    offsets = np.zeros(n_lines + 1, dtype=np.int64)
    n = _find_fields(text, fields, offsets)
    return fields[:, :n], offsets


@compiled
def _find_fields(text: Bytes, fields: Ints, offsets: Ints) -> int:
    at, n, n_fields, line = 0, len(text), 0, 0
    while at < n:
        end = at
        while end < n and text[end] != NEWLINE:
            end += 1
        if text[at] == HASH:
            at = end
        unclosed = 0  # bits of the quotes that nothing closes in the rest of this line: each is searched for once
        while True:
            while at < end and text[at] <= 32:
                at += 1
            if at >= end:
                break
            place = at
            while at < end and text[at] > 32 and text[at] != EQUALS:
                at += 1
            key = at - place if at < end and text[at] == EQUALS else 0
            start, length, escapes = at, 0, 0
            if key > 0:
                at += 1
                start = at
                quote = int(text[at]) if at < end and (text[at] == QUOTE or text[at] == APOSTROPHE) else 0
                bit = 0 if quote == 0 else 1 if quote == QUOTE else 2
                closing = _closing_quote(text, at + 1, end, quote) if bit & ~unclosed else 0
                if closing > 0:
                    at += 1
                    start = at
                else:
                    unclosed |= bit
                while at < end and (at < closing if closing > 0 else text[at] > 32):
                    if text[at] == BACKSLASH:
                        escapes = 1
                        at += 1
                    at += 1
                at = min(at, end)
                length = at - start
                if closing > 0:
                    at += 1
            fields[0, n_fields], fields[1, n_fields], fields[2, n_fields] = line, place, key
            fields[3, n_fields], fields[4, n_fields], fields[5, n_fields] = start, length, escapes
            n_fields += 1
            while key == 0 and at < end and text[at] > 32:
                at += 1
        line += 1
        offsets[line] = n_fields
        at = end + 1
    return n_fields


@compiled
def _closing_quote(text: Bytes, at: int, end: int, quote: int) -> int:
    """Return the offset of a quote before a blank or the end of a line, 0 where there is none."""
    while at < end:
        if text[at] == BACKSLASH:
            at += 1
        elif text[at] == quote and (at + 1 == end or text[at + 1] <= 32):
            return at
        at += 1
    return 0
