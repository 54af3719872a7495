"""Scanner of lattices in Python Lattice Format, one per line: `((('a',0.5,1),('b',0.1,2),),(('c',1,1),),)`.

A tuple per node but the last contains a tuple per edge: the quoted word, scores, and the distance to the edge's last
node. A single pass over the bytes that creates no strings; O(bytes).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Ints  # fmt: skip
from treesql.kernels.compiling import ZERO, compiled
from treesql.kernels.scanning.text import (
    INTEGER,
    MAX_FAULTS,
    NO_NUMBER,
    NOT_FINITE,
    parse_integer,
    scan_number,
    skip_blanks,
)

(
    NOT_OPEN, MISPLACED, UNQUOTED, QUOTE_OPEN, NO_SCORE, INFINITE, STEP_MISSING, STEP_FRACTION, STEP_BACK, UNCLOSED,
    TRAILING, BEYOND,
) = range(12)  # fmt: skip
"""Kinds of faults, at most one per line. The third column of a BEYOND fault is the number of the missing node."""

OPEN, CLOSE, COMMA, COLON, NEWLINE, BACKSLASH, BLANK = (ord(sign) for sign in "(),:\n\\ ")
CURLY_OPEN, CURLY_CLOSE, QUOTE, DOUBLE_QUOTE = (ord(sign) for sign in "{}'\"")

_FROM, _TO, _WORDS, _SCORES, _PLACE = range(5)
_NOTHING = -1


class LatticeScan(NamedTuple):
    """Lattices found in a text, one per line. Offsets are of bytes.

    Per lattice: line, n_nodes, and the number of edges before it, with the total at the end. Per edge: from_node,
    to_node, and the numbers of words and scores before it, with totals. Per word: start, length, and whether it has
    escapes. Per score: start and length. faults: (n, 3), the kind, the offset, and a detail that depends on the kind.
    """

    line: Ints
    n_nodes: Ints
    edge_offsets: Ints
    from_node: Ints
    to_node: Ints
    word_offsets: Ints
    score_offsets: Ints
    words: Ints
    scores: Ints
    faults: Ints


def scan(text: Bytes, line: int, *, phrases: bool) -> LatticeScan:
    """Scan the lattices of a text. line: number of its first line; phrases: whether labels are split at blanks.

    A faulty line contributes no edges. `*EPS*` and empty labels are edges without words.
    """
    count = {sign: int(np.count_nonzero(text == sign)) for sign in (OPEN, COMMA, COLON, NEWLINE)}
    n_lines = count[NEWLINE] + bool(len(text) and text[-1] != NEWLINE)
    lattices = np.zeros((3, n_lines + 1), dtype=np.int64)
    edges = np.zeros((5, count[OPEN] + 1), dtype=np.int64)
    blanks = int(np.count_nonzero(text <= BLANK)) if phrases else 0
    words = np.zeros((3, count[OPEN] + blanks + 1), dtype=np.int64)
    scores = np.zeros((2, count[COMMA] + count[COLON] + 1), dtype=np.int64)
    faults = np.zeros((MAX_FAULTS, 3), dtype=np.int64)
    n_edges, n_words, n_scores, n_faults = _scan(text, line, phrases, lattices, edges, words, scores, faults)
    return LatticeScan(
        lattices[0, :n_lines], lattices[1, :n_lines], lattices[2],
        edges[_FROM, :n_edges], edges[_TO, :n_edges], edges[_WORDS, : n_edges + 1], edges[_SCORES, : n_edges + 1],
        words[:, :n_words], scores[:, :n_scores], faults[:n_faults],
    )  # fmt: skip


@compiled
def _scan(
    text: Bytes, line: int, phrases: bool, lattices: Ints, edges: Ints, words: Ints, scores: Ints, faults: Ints
) -> tuple[int, int, int, int]:
    counts = np.zeros(3, dtype=np.int64)  # edges, words, scores
    at, n, n_lattices, n_faults = ZERO, len(text), 0, 0
    while at < n:
        end = at
        while end < n and text[end] != NEWLINE:
            end += 1
        n_edges, n_words, n_scores = counts
        fault, place, columns = _scan_line(text, at, end, phrases, edges, words, scores, counts)
        other = 0
        if fault == _NOTHING:
            for edge in range(n_edges, counts[0]):
                if edges[_TO, edge] > columns:
                    fault, place, other = BEYOND, edges[_PLACE, edge], edges[_TO, edge]
                    break
        if fault != _NOTHING:
            if n_faults < MAX_FAULTS:
                faults[n_faults, 0], faults[n_faults, 1], faults[n_faults, 2] = fault, place, other
                n_faults += 1
            counts[0], counts[1], counts[2] = n_edges, n_words, n_scores
            columns = 0
        lattices[0, n_lattices], lattices[1, n_lattices] = line, columns + 1
        n_lattices += 1
        lattices[2, n_lattices] = counts[0]
        line += 1
        at = end + 1
    edges[_WORDS, counts[0]], edges[_SCORES, counts[0]] = counts[1], counts[2]
    return counts[0], counts[1], counts[2], n_faults


@compiled
def _scan_line(
    text: Bytes, at: int, end: int, phrases: bool, edges: Ints, words: Ints, scores: Ints, counts: Ints
) -> tuple[int, int, int]:
    """Scan one lattice: return the kind and offset of its fault, if any, and its number of columns. A blank line has
    none."""
    columns = ZERO
    at = skip_blanks(text, at, end)
    if at == end:
        return _NOTHING, at, 0
    if text[at] != OPEN:
        return NOT_OPEN, at, 0
    at += 1
    while True:
        at = skip_blanks(text, at, end)
        if at == end:
            return UNCLOSED, end - 1, 0
        if text[at] == CLOSE:
            at += 1
            break
        if text[at] != OPEN:
            return MISPLACED, at, 0
        at += 1
        while True:
            at = skip_blanks(text, at, end)
            if at == end:
                return UNCLOSED, end - 1, 0
            if text[at] == CLOSE:
                at += 1
                break
            if text[at] != OPEN:
                return MISPLACED, at, 0
            fault, at = _scan_edge(text, at, end, columns, phrases, edges, words, scores, counts)
            if fault != _NOTHING:
                return fault, at, 0
            at = skip_blanks(text, at, end)
            if at < end and text[at] == COMMA:
                at += 1
            elif at < end and text[at] != CLOSE:
                return MISPLACED, at, 0
        columns += 1
        at = skip_blanks(text, at, end)
        if at < end and text[at] == COMMA:
            at += 1
        elif at < end and text[at] != CLOSE:
            return MISPLACED, at, 0
    at = skip_blanks(text, at, end)
    if at < end:
        return TRAILING, at, 0
    return _NOTHING, at, columns


@compiled
def _scan_edge(
    text: Bytes, at: int, end: int, column: int, phrases: bool, edges: Ints, words: Ints, scores: Ints, counts: Ints
) -> tuple[int, int]:
    """Scan one edge: return the kind of its fault, if any, with its offset, or the offset after the edge."""
    edge, first_score, place = counts[0], counts[2], at
    at = skip_blanks(text, at + 1, end)
    if at == end:
        return UNCLOSED, end - 1
    quote = text[at]
    if quote != QUOTE and quote != DOUBLE_QUOTE:
        return UNQUOTED, at
    start = at + 1
    behind = start
    while behind < end and text[behind] != quote:
        behind += 2 if text[behind] == BACKSLASH else 1
    if behind >= end:
        return QUOTE_OPEN, at
    edges[_WORDS, edge], edges[_SCORES, edge] = counts[1], first_score
    _add_words(text, start, behind, phrases, words, counts)
    at = behind + 1
    last, last_start = NO_NUMBER, at
    while True:
        at = skip_blanks(text, at, end)
        if at == end:
            return UNCLOSED, end - 1
        if text[at] == CLOSE:
            break
        if text[at] != COMMA:
            return MISPLACED, at
        at = skip_blanks(text, at + 1, end)
        if at == end:
            return UNCLOSED, end - 1
        if text[at] == CLOSE:
            break
        last = NO_NUMBER
        if text[at] == CURLY_OPEN:
            fault, at = _scan_dictionary(text, at, end, scores, counts)
            if fault != _NOTHING:
                return fault, at
        else:
            last_start = at
            last, at = scan_number(text, at, end)
            if last == NO_NUMBER:
                return NO_SCORE, last_start
            if last == NOT_FINITE:
                return INFINITE, last_start
            scores[0, counts[2]], scores[1, counts[2]] = last_start, at - last_start
            counts[2] += 1
    if last == NO_NUMBER:
        return STEP_MISSING, place
    if last != INTEGER:
        return (STEP_MISSING if counts[2] == first_score + 1 else STEP_FRACTION), last_start
    counts[2] -= 1
    step = parse_integer(text, last_start, last_start + scores[1, counts[2]])
    if step < 1:
        return STEP_BACK, last_start
    edges[_FROM, edge], edges[_TO, edge], edges[_PLACE, edge] = column, column + step, place
    counts[0] += 1
    return _NOTHING, at + 1


@compiled
def _add_words(text: Bytes, start: int, end: int, phrases: bool, words: Ints, counts: Ints) -> None:
    """Add the words of a label: none, one, or with `phrases` one per run without blanks."""
    empty = end - start == 5 and text[start] == 42 and text[start + 4] == 42  # *EPS*
    if end == start or (empty and text[start + 1] == 69 and text[start + 2] == 80 and text[start + 3] == 83):
        return
    while start < end:
        if phrases:
            start = skip_blanks(text, start, end)
        behind, escapes = start, 0
        while behind < end and not (phrases and (text[behind] == BLANK or text[behind] == 9)):
            escapes |= text[behind] == BACKSLASH
            behind += 1
        if behind > start:
            words[0, counts[1]], words[1, counts[1]], words[2, counts[1]] = start, behind - start, escapes
            counts[1] += 1
        start = behind


@compiled
def _scan_dictionary(text: Bytes, at: int, end: int, scores: Ints, counts: Ints) -> tuple[int, int]:
    """Scan the scores of a dictionary, `{'name':0.1, ...}`: return the kind of its fault, if any, and an offset as
    `_edge` does."""
    at += 1
    while True:
        at = skip_blanks(text, at, end)
        if at == end:
            return UNCLOSED, end - 1
        if text[at] == CURLY_CLOSE:
            return _NOTHING, at + 1
        quote = text[at]
        if quote != QUOTE and quote != DOUBLE_QUOTE:
            return UNQUOTED, at
        behind = at + 1
        while behind < end and text[behind] != quote:
            behind += 2 if text[behind] == BACKSLASH else 1
        if behind >= end:
            return QUOTE_OPEN, at
        at = skip_blanks(text, behind + 1, end)
        if at == end:
            return UNCLOSED, end - 1
        if text[at] != COLON:
            return MISPLACED, at
        start = skip_blanks(text, at + 1, end)
        kind, at = scan_number(text, start, end)
        if kind == NO_NUMBER:
            return NO_SCORE, min(start, end - 1)
        if kind == NOT_FINITE:
            return INFINITE, start
        scores[0, counts[2]], scores[1, counts[2]] = start, at - start
        counts[2] += 1
        at = skip_blanks(text, at, end)
        if at < end and text[at] == COMMA:
            at += 1
        elif at < end and text[at] != CURLY_CLOSE:
            return MISPLACED, at
