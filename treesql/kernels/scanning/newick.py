"""Scanner of trees in Newick notation, `((raccoon:0.2,bear)x,'sea lion');`, over text as one byte array.

A single pass that creates no strings: the results are byte offsets. O(bytes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Ints
from treesql.kernels.compiling import compiled

(
    NAMELESS,
    MISPLACED,
    COMMA,
    UNMATCHED_CLOSE,
    UNCLOSED,
    UNENDED,
    NO_NUMBER,
    QUOTE,
    COMMENT,
    BRACKET,
) = range(10)
"""Kinds of faults, at most one per tree."""

MAX_FAULTS = 64
"""Maximum number of faults reported per block of text."""

_TOKEN, _BLANK, _NEWLINE, _OPEN, _CLOSE, _COMMA, _COLON, _END, _QUOTE, _COMMENT, _COMMENT_END = range(11)
_KINDS = np.zeros(256, dtype=np.uint8)
for _kind, _bytes in enumerate(("", " \t\r", "\n", "(", ")", ",", ":", ";", "'", "[", "]")):
    for _byte in _bytes:
        _KINDS[ord(_byte)] = _kind

# What is expected next: a subtree, or what may follow a bracket, a name or a length.
_SUBTREE, _AFTER_BRACKET, _AFTER_NAME, _AFTER_LENGTH = range(4)


class NewickScan(NamedTuple):
    """Trees found in a text.

    Per tree: line (counted from the number of the first line), and the number of leaves and nodes before it, with the
    totals at the end. Per leaf: form (start and length; quoted names without their quotes), quoted (1 if `''` in it
    stands for `'`), phrase (number of its parent node, 0 for none) and line. Per inner node, in preorder: label (length
    0 if it has none), quoted, parent (number of the parent node, 0 for none), first and last leaf and depth, all
    counted from 1. faults: (n, 2), the kind and the offset.
    """

    line: Ints
    leaf_offsets: Ints
    node_offsets: Ints
    form_start: Ints
    form_length: Ints
    form_quoted: Ints
    phrase: Ints
    leaf_line: Ints
    label_start: Ints
    label_length: Ints
    label_quoted: Ints
    parent: Ints
    first: Ints
    last: Ints
    depth: Ints
    faults: Ints


def scan(text: Bytes, line: int) -> NewickScan:
    """Scan a text that begins between two trees. line: number of its first line."""
    n_open = int(np.count_nonzero(text == ord("(")))
    room = n_open + int(np.count_nonzero(text == ord(","))) + int(np.count_nonzero(text == ord(";"))) + 1
    trees, leaves, nodes, faults, counts = _scan(text, _KINDS, room, line)
    n_trees, n_leaves, n_nodes, n_faults = counts
    offsets = trees[1:, : n_trees + 1]
    parts: list[Any] = [trees[0, :n_trees], *offsets, *leaves[:, :n_leaves], *nodes[:, :n_nodes], faults[:n_faults]]
    return NewickScan(*parts)


def find_split(text: Bytes, quoted: bool, comments: int) -> tuple[int, bool, int]:
    """Return the offset at which a block can be split, after the last `;` outside quotes and comments, 0 if there is
    none.

    quoted, comments: whether a quote is open at the beginning of the block, and how many comments are; the same is
    returned for its end.
    """
    place, quoted, comments = _find_split(text, quoted, comments)
    return int(place), bool(quoted), int(comments)


@compiled
def _find_split(text: Bytes, quoted: bool, comments: int) -> tuple[int, bool, int]:
    place = 0
    for i in range(len(text)):
        byte = text[i]
        if byte == 10:
            quoted = False
        elif byte == 39 and comments == 0:  # '
            quoted = not quoted
        elif not quoted:
            if byte == 91:  # [
                comments += 1
            elif byte == 93:  # ]
                comments = max(comments - 1, 0)
            elif byte == 59 and comments == 0:  # ;
                place = i + 1
    return place, quoted, comments


@compiled
def _scan(text: Bytes, kinds: Bytes, room: int, line: int) -> tuple[Ints, Ints, Ints, Ints, tuple[int, int, int, int]]:
    trees = np.empty((3, room + 1), dtype=np.int64)
    leaves = np.empty((5, room), dtype=np.int64)
    nodes = np.empty((7, room), dtype=np.int64)
    faults = np.zeros((MAX_FAULTS, 2), dtype=np.int64)
    stack = np.empty(room + 1, dtype=np.int64)
    n_trees, n_leaves, n_nodes, n_faults = 0, 0, 0, 0
    depth, first_leaf, first_node, start_of_tree = 0, 0, 0, 0
    begun = bad = length = False
    state, closed, last = _SUBTREE, 0, 0
    i, n = 0, len(text)
    while i < n:
        kind = kinds[text[i]]
        fault, place = -1, i
        if kind in (_NEWLINE, _BLANK):
            line += kind == _NEWLINE
            i += 1
            continue
        if kind == _COMMENT:
            open_comments, lines = 1, 0
            i += 1
            while i < n and open_comments > 0:
                open_comments += int(kinds[text[i]] == _COMMENT) - int(kinds[text[i]] == _COMMENT_END)
                lines += text[i] == 10
                i += 1
            line += lines
            if open_comments == 0:
                continue
            fault = COMMENT
        if not begun:
            begun, bad, length = True, False, False
            start_of_tree, first_leaf, first_node = i, n_leaves, n_nodes
            trees[0, n_trees], trees[1, n_trees], trees[2, n_trees] = line, n_leaves, n_nodes
            depth, state = 0, _SUBTREE
        if kind in (_TOKEN, _QUOTE):
            start, end, doubled = i, i, 0
            if kind == _QUOTE:
                i += 1
                start = i
                while i < n and text[i] != 10 and (text[i] != 39 or (i + 1 < n and text[i + 1] == 39)):
                    if text[i] == 39:
                        doubled = 1
                        i += 1
                    i += 1
                end = i
                if i < n and text[i] == 39:
                    i += 1
                else:
                    fault = QUOTE
            else:
                while i < n and kinds[text[i]] == _TOKEN:
                    i += 1
                end = i
            if fault >= 0:
                pass
            elif length:
                digits = False
                for k in range(start, end):
                    byte = text[k]
                    digits |= 48 <= byte <= 57
                    if not (48 <= byte <= 57 or byte in (43, 45, 46, 69, 101)):  # + - . E e
                        fault = NO_NUMBER
                if not digits or kind == _QUOTE:
                    fault = NO_NUMBER
                length = False
                state = _AFTER_LENGTH
            elif state == _SUBTREE:
                if start == end:
                    fault = NAMELESS
                if not bad:
                    leaves[0, n_leaves], leaves[1, n_leaves], leaves[2, n_leaves] = start, end - start, doubled
                    leaves[3, n_leaves] = stack[depth] - first_node + 1 if depth > 0 else 0
                    leaves[4, n_leaves] = line
                    n_leaves += 1
                state = _AFTER_NAME
            elif state == _AFTER_BRACKET:
                nodes[0, closed], nodes[1, closed], nodes[2, closed] = start, end - start, doubled
                state = _AFTER_NAME
            else:
                fault = MISPLACED
        elif length and kind != _COMMENT:
            fault = NO_NUMBER
            i += kind != _END
            length = False
        elif kind == _OPEN:
            if state != _SUBTREE:
                fault = UNENDED if depth == 0 else MISPLACED
            elif not bad:
                above = stack[depth] if depth > 0 else -1
                depth += 1
                stack[depth] = n_nodes
                nodes[0, n_nodes], nodes[1, n_nodes], nodes[2, n_nodes] = i, 0, 0
                nodes[3, n_nodes] = above - first_node + 1 if above >= 0 else 0
                nodes[4, n_nodes], nodes[5, n_nodes], nodes[6, n_nodes] = n_leaves - first_leaf + 1, 0, depth
                n_nodes += 1
            i += 1
        elif kind in (_CLOSE, _COMMA):
            if depth == 0:
                fault = UNMATCHED_CLOSE if kind == _CLOSE else COMMA
            elif state == _SUBTREE:
                fault = NAMELESS
            elif kind == _CLOSE:
                closed = stack[depth]
                nodes[5, closed] = n_leaves - first_leaf
                depth -= 1
                state = _AFTER_BRACKET
            else:
                state = _SUBTREE
            i += 1
        elif kind == _COLON:
            if state == _SUBTREE:
                fault = NAMELESS
            elif state == _AFTER_LENGTH:
                fault = MISPLACED
            length = True
            i += 1
        elif kind == _COMMENT_END:
            fault = BRACKET
            i += 1
        elif kind == _END:
            if depth > 0:
                fault = NAMELESS if state == _SUBTREE else UNCLOSED
            begun = False
            n_trees += 1
            i += 1
        if fault >= 0 and not bad and n_faults < MAX_FAULTS:
            faults[n_faults, 0] = fault
            faults[n_faults, 1] = start_of_tree if fault == UNCLOSED else last if fault == UNENDED else place
            n_faults += 1
        bad = bad or fault >= 0
        last = i
    if begun:
        n_trees += 1
        if not bad and n_faults < MAX_FAULTS:
            faults[n_faults, 0], faults[n_faults, 1] = UNENDED, last
            n_faults += 1
    trees[1, n_trees], trees[2, n_trees] = n_leaves, n_nodes
    return trees, leaves, nodes, faults, (n_trees, n_leaves, n_nodes, n_faults)
