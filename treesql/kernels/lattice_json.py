"""Scanner of JSON lattices, one object per line: `{"id": "a", "n_nodes": 2, "edges": [[0, 1, ["the", "cat"], -0.5]]}`.

Other keys are ignored. A single pass over the bytes that creates no strings; O(bytes).
"""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Bytes, Ints  # fmt: skip
from treesql.kernels.compiling import ZERO, compiled
from treesql.kernels.text import (
    INTEGER,
    MAX_FAULTS,
    NO_NUMBER,
    NOT_FINITE,
    LatticeScan,
    parse_integer,
    scan_number,
    skip_blanks,
)

(
    NOT_JSON, NOT_OBJECT, EDGES_MISSING, NODES_MISSING, NODES_WRONG, EDGE_WRONG, NODE_WRONG, WORDS_WRONG, WORD_EMPTY,
    SCORE_WRONG, BACKWARDS, BEYOND, TWICE, ID_WRONG, NODES_UNUSED,
) = range(15)  # fmt: skip
"""Kinds of faults, at most one per line. The third column of a BEYOND fault is the number of the missing node."""

_FROM, _TO, _WORDS, _SCORES, _PLACE = range(5)
_NOTHING = -1
_MAX_NODES = 1 << 31
_NODES_PER_BYTE = 16
"""Maximum number of nodes for each byte of a line: pruning leaves nodes without edges, and memory is taken for all."""
_ID = np.frombuffer(b"id", dtype=np.uint8)
_N_NODES = np.frombuffer(b"n_nodes", dtype=np.uint8)
_EDGES = np.frombuffer(b"edges", dtype=np.uint8)
QUOTE, BACKSLASH, COMMA, COLON, OPEN, CLOSE, CURLY_OPEN, CURLY_CLOSE = (ord(sign) for sign in '"\\,:[]{}')
NEWLINE = ord("\n")


def scan(text: Bytes, line: int) -> LatticeScan:
    """Scan the lattices of a text. line: number of its first line. A faulty line contributes no edges."""
    count = {sign: int(np.count_nonzero(text == sign)) for sign in (OPEN, COMMA, QUOTE, NEWLINE)}
    n_lines = count[NEWLINE] + bool(len(text) and text[-1] != NEWLINE)
    lattices = np.zeros((6, n_lines + 1), dtype=np.int64)
    edges = np.zeros((5, count[OPEN] + 1), dtype=np.int64)
    words = np.zeros((3, count[QUOTE] // 2 + 1), dtype=np.int64)
    scores = np.zeros((2, count[COMMA] + 1), dtype=np.int64)
    faults = np.zeros((MAX_FAULTS, 3), dtype=np.int64)
    n_edges, n_words, n_scores, n_faults = _scan(text, line, lattices, edges, words, scores, faults)
    return LatticeScan(
        lattices[0, :n_lines], lattices[1, :n_lines], lattices[3:, :n_lines], lattices[2],
        edges[_FROM, :n_edges], edges[_TO, :n_edges], edges[_WORDS, : n_edges + 1], edges[_SCORES, : n_edges + 1],
        words[:, :n_words], scores[:, :n_scores], faults[:n_faults],
    )  # fmt: skip


@compiled
def _scan(
    text: Bytes, line: int, lattices: Ints, edges: Ints, words: Ints, scores: Ints, faults: Ints
) -> tuple[int, int, int, int]:
    counts = np.zeros(3, dtype=np.int64)  # edges, words, scores
    at, n, n_lattices, n_faults = ZERO, len(text), 0, 0
    while at < n:
        end = at
        while end < n and text[end] != NEWLINE:
            end += 1
        n_edges, n_words, n_scores = counts
        fault, place, n_nodes = _scan_line(text, at, end, lattices[3:, n_lattices], edges, words, scores, counts)
        other = 0
        if fault == _NOTHING:
            for edge in range(n_edges, counts[0]):
                if edges[_TO, edge] >= n_nodes:
                    fault, place, other = BEYOND, edges[_PLACE, edge], edges[_TO, edge]
                    break
            most = _NODES_PER_BYTE * (end - at)
            if fault == _NOTHING and n_nodes > most:
                fault, place, other = NODES_UNUSED, place - 1, most
        if fault != _NOTHING:
            if n_faults < MAX_FAULTS:
                faults[n_faults, 0], faults[n_faults, 1], faults[n_faults, 2] = fault, place, other
                n_faults += 1
            counts[0], counts[1], counts[2] = n_edges, n_words, n_scores
            n_nodes = 1
        lattices[0, n_lattices], lattices[1, n_lattices] = line, n_nodes
        n_lattices += 1
        lattices[2, n_lattices] = counts[0]
        line += 1
        at = end + 1
    edges[_WORDS, counts[0]], edges[_SCORES, counts[0]] = counts[1], counts[2]
    return counts[0], counts[1], counts[2], n_faults


@compiled
def _code(text: Bytes, at: int, end: int) -> int:
    """The value of four hexadecimal digits, -1 where others stand."""
    value = 0
    for place in range(at, at + 4):
        sign = int(text[place]) if place < end else 0
        if 48 <= sign <= 57:
            value = value * 16 + sign - 48
        elif 97 <= (sign | 32) <= 102 and sign >= 65:
            value = value * 16 + (sign | 32) - 87
        else:
            return -1
    return value


@compiled
def _scan_string(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return the offset of a string's closing quote, -1 if there is none, and whether the string has escapes.

    -1 also for half of a surrogate pair or a NUL (`\\u0000`), which a text cannot have.
    """
    at += 1
    escapes = 0
    while at < end and text[at] != QUOTE:
        if text[at] < 32:
            return -1, 0
        if text[at] == BACKSLASH:
            escapes = 1
            at += 1
            sign = text[at] if at < end else 0
            if sign == 117:  # u and four digits
                code = _code(text, at + 1, end)
                at += 4
                if 0xD800 <= code < 0xDC00 and at + 2 < end and text[at + 1] == BACKSLASH and text[at + 2] == 117:
                    low = _code(text, at + 3, end)
                    code = 0xFFFD if 0xDC00 <= low < 0xE000 else -1  # any character: both halves of one are there
                    at += 6
                if code <= 0 or 0xD800 <= code < 0xE000:
                    return -1, 0
            elif sign not in (QUOTE, BACKSLASH, 47, 98, 102, 110, 114, 116):
                return -1, 0
        at += 1
    return (at if at < end else -1), escapes


@compiled
def _is(text: Bytes, start: int, end: int, name: Bytes) -> bool:
    if end - start != len(name):
        return False
    for i in range(len(name)):  # noqa: SIM110 (numba compiles no generator)
        if text[start + i] != name[i]:
            return False
    return True


@compiled
def _skip_value(text: Bytes, at: int, end: int) -> int:
    """Return the offset after a value of any kind, -1 if there is none. The contents of brackets are not checked."""
    depth = 0
    start = at
    while at < end:
        sign = text[at]
        if sign == QUOTE:
            at, _ = _scan_string(text, at, end)
            if at < 0:
                return -1
        elif sign in (OPEN, CURLY_OPEN):
            depth += 1
        elif sign in (CLOSE, CURLY_CLOSE):
            if depth == 0:
                return at if at > start else -1
            depth -= 1
        elif sign == COMMA and depth == 0:
            return at if at > start else -1
        at += 1
    return -1


@compiled
def _json_number(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """What kind of number stands here, and the place behind it; `+1`, `01` and `.5` are none in JSON."""
    kind, behind = scan_number(text, at, end)
    first = at + 1 if at < end and text[at] == 45 else at
    if kind == NO_NUMBER or first >= end or not 48 <= text[first] <= 57:
        return (kind if kind == NOT_FINITE else NO_NUMBER), at
    if text[first] == 48 and first + 1 < behind and 48 <= text[first + 1] <= 57:
        return NO_NUMBER, at
    for place in range(first, behind):
        if text[place] == 46 and (place + 1 >= behind or not 48 <= text[place + 1] <= 57):
            return NO_NUMBER, at
    return kind, behind


@compiled
def _scan_line(
    text: Bytes, at: int, end: int, name: Ints, edges: Ints, words: Ints, scores: Ints, counts: Ints
) -> tuple[int, int, int]:
    """Scan one lattice: return the kind and offset of its fault, if any, and its number of nodes."""
    n_nodes, has_edges, has_name = -1, False, False
    at = skip_blanks(text, at, end)
    if at == end or text[at] != CURLY_OPEN:
        return NOT_OBJECT, max(min(at, end - 1), 0), 0
    opened = at
    at += 1
    while True:
        at = skip_blanks(text, at, end)
        if at == end or text[at] != QUOTE:
            if at < end and text[at] == CURLY_CLOSE and n_nodes < 0 and not has_edges and not has_name:
                at += 1
                break
            return NOT_JSON, min(at, end - 1), 0
        start = at + 1
        at, _ = _scan_string(text, at, end)
        if at < 0:
            return NOT_JSON, start - 1, 0
        stop = at
        at = skip_blanks(text, at + 1, end)
        if at == end or text[at] != COLON:
            return NOT_JSON, min(at, end - 1), 0
        at = skip_blanks(text, at + 1, end)
        place = min(at, end - 1)
        if _is(text, start, stop, _EDGES):
            if has_edges:
                return TWICE, start - 1, 0
            has_edges = True
            fault, at = _scan_edges(text, at, end, edges, words, scores, counts)
            if fault != _NOTHING:
                return fault, min(at, end - 1), 0
        elif _is(text, start, stop, _N_NODES):
            if n_nodes >= 0:
                return TWICE, start - 1, 0
            kind, behind = _json_number(text, at, end)
            if kind != INTEGER:
                return NODES_WRONG, place, 0
            n_nodes = parse_integer(text, at, behind)
            if n_nodes < 1 or n_nodes >= _MAX_NODES:
                return NODES_WRONG, place, 0
            at = behind
        elif _is(text, start, stop, _ID):
            if has_name:
                return TWICE, start - 1, 0
            has_name = True
            if at < end and text[at] == QUOTE:
                behind, escapes = _scan_string(text, at, end)
                if behind < 0:
                    return NOT_JSON, place, 0
                name[0], name[1], name[2] = at + 1, behind - at - 1, escapes
                at = behind + 1
            else:
                kind, behind = _json_number(text, at, end)
                if kind != INTEGER:
                    return ID_WRONG, place, 0
                name[0], name[1], name[2] = at, behind - at, 0
                at = behind
        else:
            at = _skip_value(text, at, end)
            if at < 0:
                return NOT_JSON, place, 0
        at = skip_blanks(text, at, end)
        if at < end and text[at] == COMMA:
            at += 1
        elif at < end and text[at] == CURLY_CLOSE:
            at += 1
            break
        else:
            return NOT_JSON, min(at, end - 1), 0
    at = skip_blanks(text, at, end)
    if at < end:
        return NOT_JSON, at, 0
    if not has_edges:
        return EDGES_MISSING, opened, 0
    if n_nodes < 0:
        return NODES_MISSING, opened, 0
    return _NOTHING, at, n_nodes


@compiled
def _scan_edges(
    text: Bytes, at: int, end: int, edges: Ints, words: Ints, scores: Ints, counts: Ints
) -> tuple[int, int]:
    """Scan a lattice's edges: return the kind of their fault, if any, with its offset, or the offset after them."""
    if at == end or text[at] != OPEN:
        return EDGE_WRONG, at
    at = skip_blanks(text, at + 1, end)
    if at < end and text[at] == CLOSE:
        return _NOTHING, at + 1
    while True:
        at = skip_blanks(text, at, end)
        fault, at = _scan_edge(text, at, end, edges, words, scores, counts)
        if fault != _NOTHING:
            return fault, at
        at = skip_blanks(text, at, end)
        if at < end and text[at] == COMMA:
            at += 1
        elif at < end and text[at] == CLOSE:
            return _NOTHING, at + 1
        else:
            return NOT_JSON, at


@compiled
def _scan_edge(text: Bytes, at: int, end: int, edges: Ints, words: Ints, scores: Ints, counts: Ints) -> tuple[int, int]:
    edge, place = counts[0], at
    if at == end or text[at] != OPEN:
        return EDGE_WRONG, at
    at += 1
    for side in range(2):
        start = skip_blanks(text, at, end)
        kind, behind = _json_number(text, start, end)
        node = parse_integer(text, start, behind) if kind == INTEGER else -1
        if node < 0:
            return NODE_WRONG, start
        edges[_FROM + side, edge] = node
        at = skip_blanks(text, behind, end)
        if at == end or text[at] != COMMA:
            return EDGE_WRONG, place
        at += 1
    if edges[_TO, edge] <= edges[_FROM, edge]:
        return BACKWARDS, place
    edges[_WORDS, edge], edges[_SCORES, edge], edges[_PLACE, edge] = counts[1], counts[2], place
    at = skip_blanks(text, at, end)
    if at == end or text[at] != OPEN:
        return WORDS_WRONG, at
    at = skip_blanks(text, at + 1, end)
    if at < end and text[at] == CLOSE:
        at += 1
    else:
        while True:
            at = skip_blanks(text, at, end)
            if at == end or text[at] != QUOTE:
                return WORDS_WRONG, at
            start = at + 1
            at, escapes = _scan_string(text, at, end)
            if at < 0:
                return NOT_JSON, start - 1
            if at == start:
                return WORD_EMPTY, start - 1
            words[0, counts[1]], words[1, counts[1]], words[2, counts[1]] = start, at - start, escapes
            counts[1] += 1
            at = skip_blanks(text, at + 1, end)
            if at < end and text[at] == COMMA:
                at += 1
            elif at < end and text[at] == CLOSE:
                at += 1
                break
            else:
                return WORDS_WRONG, at
    while True:
        at = skip_blanks(text, at, end)
        if at < end and text[at] == CLOSE:
            counts[0] += 1
            return _NOTHING, at + 1
        if at == end or text[at] != COMMA:
            return EDGE_WRONG, place
        start = skip_blanks(text, at + 1, end)
        kind, at = _json_number(text, start, end)
        if kind in (NO_NUMBER, NOT_FINITE):
            return SCORE_WRONG, start
        scores[0, counts[2]], scores[1, counts[2]] = start, at - start
        counts[2] += 1
