"""Scanner of GIZA++ A3.final files, three lines per sentence pair, over text as one byte array.

    # Sentence pair (1) source length 3 target length 4 alignment score : 0.0012
    das Haus ist klein
    NULL ({ }) the ({ 1 }) house ({ 2 }) small ({ 3 4 })

The numbers after a source word are the positions of its target words; target words listed after NULL are unaligned.
O(bytes).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Ints
from treesql.kernels.compiling import ZERO, compiled

HEADER, TURN, TARGET, NULL, BRACES, OUTSIDE, SOURCE, CUT_OFF = range(8)
"""Kinds of faults, at most one per sentence pair."""

MAX_FAULTS = 64
"""Maximum number of faults reported per block of text."""

_OPENING = np.frombuffer(b"# Sentence pair (", dtype=np.uint8)
_SOURCE = np.frombuffer(b") source length ", dtype=np.uint8)
_TARGET = np.frombuffer(b" target length ", dtype=np.uint8)
_NULL = np.frombuffer(b"NULL", dtype=np.uint8)


class GizaScan(NamedTuple):
    """Links found in a text. Per link: sentence pair, source (0 for NULL) and target; per pair: its number.

    faults: (n, 4), the kind, the offset, and the two numbers that differ.
    """

    sentence: Ints
    source: Ints
    target: Ints
    number: Ints
    faults: Ints


def scan(text: Bytes, last: int) -> GizaScan:
    """Scan the sentence pairs of a text that consists of whole lines, including the last.

    last: number of the preceding pair, -1 if there is none.
    """
    lines = int(np.count_nonzero(text == 10))
    room = int(np.count_nonzero(text == 32)) + int(np.count_nonzero(text == 9)) + 1
    links, number, faults, n_links, n_pairs, n_faults = _scan(
        text, _OPENING, _SOURCE, _TARGET, _NULL, lines // 3 + 1, room, last
    )
    sentence, source, target = links[:, :n_links]
    return GizaScan(sentence, source, target, number[:n_pairs], faults[:n_faults])


@compiled
def _literal(text: Bytes, at: int, expected: Bytes) -> int:
    """Return the offset after the expected bytes, -1 if the text differs from them."""
    if at < 0 or at + len(expected) > len(text):
        return -1
    for i in range(len(expected)):
        if text[at + i] != expected[i]:
            return -1
    return at + len(expected)


@compiled
def _number(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return a number of 1 to 9 digits and the offset after it, -1 if there is none."""
    value, start = 0, at
    while 0 <= at < end and 48 <= text[at] <= 57 and at - start < 10:
        value = value * 10 + text[at] - 48
        at += 1
    return value, at if start >= 0 and 0 < at - start < 10 else -1


@compiled
def _token(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return the start and end of the next token of a line; both are `end` if there is none."""
    while at < end and (text[at] == 32 or text[at] == 9):
        at += 1
    start = at
    while at < end and text[at] != 32 and text[at] != 9:
        at += 1
    return start, at


@compiled
def _is(text: Bytes, start: int, end: int, first: int, second: int) -> bool:
    """Whether a token consists of two given bytes."""
    return end - start == 2 and text[start] == first and text[start + 1] == second


@compiled
def _scan(
    text: Bytes, opening: Bytes, of_source: Bytes, of_target: Bytes, null: Bytes, pairs: int, room: int, last: int
) -> tuple[Ints, Ints, Ints, int, int, int]:
    links = np.empty((3, room), dtype=np.int64)
    number = np.empty(pairs, dtype=np.int64)
    faults = np.zeros((MAX_FAULTS, 4), dtype=np.int64)
    n_links, n_pairs, n_faults = 0, 0, 0
    line, n = ZERO, len(text)
    while line < n:
        ends = (n, n, n)
        at, n_lines = line, 0
        while n_lines < 3 and at < n:
            while text[at] != 10:
                at += 1
            ends = (at if n_lines == 0 else ends[0], at if n_lines == 1 else ends[1], at if n_lines == 2 else ends[2])
            at += 1
            n_lines += 1
        fault, place, value, expected = -1, line, 0, 0

        pair_number, after = _number(text, _literal(text, line, opening), ends[0])
        source_length, after = _number(text, _literal(text, after, of_source), ends[0])
        target_length, after = _number(text, _literal(text, after, of_target), ends[0])
        if after < 0:
            fault = HEADER
        elif last >= 0 and pair_number != last + 1:
            fault, value, expected = TURN, pair_number, last + 1
        elif n_lines < 3:
            fault = CUT_OFF
        last = pair_number

        if fault < 0:
            words, i = 0, ends[0] + 1
            while True:
                start, i = _token(text, i, ends[1])
                if start == i:
                    break
                words += 1
            if words != target_length:
                fault, place, value, expected = TARGET, ends[0] + 1, words, target_length

        if fault < 0:
            i, source, first = ends[1] + 1, -1, n_links
            while fault < 0:
                start, i = _token(text, i, ends[2])
                if start == i:
                    break
                source += 1
                if source == 0 and _literal(text, start, null) != i:
                    fault, place = NULL, start
                    break
                start, i = _token(text, i, ends[2])
                if not _is(text, start, i, 40, 123):  # ({
                    fault, place = BRACES, start
                    break
                while True:
                    start, i = _token(text, i, ends[2])
                    if _is(text, start, i, 125, 41):  # })
                        break
                    target, after = _number(text, start, i)
                    if after != i or start == i:
                        fault, place = BRACES, start
                        break
                    if target < 1 or target > target_length:
                        fault, place, value, expected = OUTSIDE, start, target, target_length
                        break
                    links[0, n_links], links[1, n_links], links[2, n_links] = n_pairs, source, target
                    n_links += 1
            if fault < 0 and source != source_length:
                fault, place, value, expected = SOURCE, ends[1] + 1, max(source, 0), source_length
            if fault >= 0:
                n_links = first
        if fault >= 0 and n_faults < MAX_FAULTS:
            faults[n_faults, 0], faults[n_faults, 1] = fault, place
            faults[n_faults, 2], faults[n_faults, 3] = value, expected
            n_faults += 1
        number[n_pairs] = pair_number
        n_pairs += 1
        line = at
    return links, number, faults, n_links, n_pairs, n_faults
