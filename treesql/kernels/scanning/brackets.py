"""Scanner of bracketed trees, `(S (NP (DT the) (NN cat)) (VP (VBD sat)))`, over text as one byte array.

A single pass that creates no strings: the results are byte offsets. Every array has an entry per node, leaf or tree;
O(bytes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Ints
from treesql.kernels.compiling import compiled

NEWLINE, OPEN, CLOSE = ord("\n"), ord("("), ord(")")

UNKNOWN, INDENTED, FREE = 0, 1, 2
"""Style of a file: whether a `(` in the first column always begins a tree (INDENTED) or may occur inside one (FREE)."""

UNMATCHED_CLOSE, TEXT_OUTSIDE, TEXT_BESIDE_BRACKETS, SECOND_WORD, UNLABELLED, NO_WORD, EMPTY, UNCLOSED, CUT_OFF = range(
    9
)
"""Kinds of faults, at most one per tree; the first two occur outside all trees."""

MAX_FAULTS = 64
"""Maximum number of faults reported per block of text."""

_TOKEN, _BLANK, _NEWLINE, _OPEN, _CLOSE = range(5)
_KINDS = np.zeros(256, dtype=np.uint8)
_KINDS[[ord(" "), ord("\t"), ord("\r")]] = _BLANK
_KINDS[[NEWLINE, OPEN, CLOSE]] = _NEWLINE, _OPEN, _CLOSE


class BracketScan(NamedTuple):
    """Trees found in a text.

    Per tree: line and last_line (counted from the number of the first line), and the number of leaves and nodes before
    it, with the totals at the end. Per leaf (word): form and tag (start and length), phrase (number of its parent node,
    0 for none) and line. Per node (phrase), in preorder: label (start and length, cut at the first `-` or `=` after its
    first byte, unless that byte is `-`), length of the part cut off, parent (number of the parent node, 0 for none),
    first and last leaf and depth, all counted from 1. faults: (n, 3), the kind, the offset and, for UNCLOSED, the
    offset of the bracket before which the tree should end. style: of the text so far. lines: number of newlines.
    """

    line: Ints
    last_line: Ints
    leaf_offsets: Ints
    node_offsets: Ints
    form_start: Ints
    form_length: Ints
    tag_start: Ints
    tag_length: Ints
    phrase: Ints
    leaf_line: Ints
    label_start: Ints
    label_length: Ints
    rest_length: Ints
    parent: Ints
    first: Ints
    last: Ints
    depth: Ints
    faults: Ints
    style: int
    lines: int


def scan(text: Bytes, line: int, style: int) -> BracketScan:
    """Scan a text that begins between two trees. line: number of its first line; style: of the preceding text."""
    room = int(np.count_nonzero(text == OPEN))
    trees, leaves, nodes, faults, counts = _scan(text, _KINDS, room, line, style)
    n_trees, n_leaves, n_nodes, n_faults, last_style, lines = counts
    lines_and_offsets = [*trees[:2, :n_trees], *trees[2:, : n_trees + 1]]
    items = [*leaves[:, :n_leaves], *nodes[:, :n_nodes], faults[:n_faults]]
    parts: list[Any] = [*lines_and_offsets, *items, int(last_style), int(lines)]
    return BracketScan(*parts)


def find_split(text: Bytes, depth: int) -> tuple[int, int]:
    """Return the offset at which a block can be split, and the number of open brackets at the end of the block.

    depth: number of open brackets at the beginning. The offset follows the last newline outside all brackets, else the
    last bracket that closes a tree, else it is 0.
    """
    place, depth = _find_split(text, depth)
    return int(place), int(depth)


@compiled
def _find_split(text: Bytes, depth: int) -> tuple[int, int]:
    lowest, end = depth, depth
    for byte in text:
        if byte == OPEN:
            end += 1
        elif byte == CLOSE:
            end -= 1
            lowest = min(lowest, end)
    if lowest < 0:
        return _find_split_of_unmatched(text, depth)
    after_tree, here = 0, end
    for i in range(len(text) - 1, -1, -1):
        byte = text[i]
        if here == 0 and byte == NEWLINE:
            return i + 1, end
        if here == 0 and byte == CLOSE and after_tree == 0:
            after_tree = i + 1
        here += int(byte == CLOSE) - int(byte == OPEN)
    return after_tree, end


@compiled
def _find_split_of_unmatched(text: Bytes, depth: int) -> tuple[int, int]:
    """Return the same where a bracket closes none, which has no effect."""
    after_line, after_tree = 0, 0
    for i in range(len(text)):
        byte = text[i]
        if byte == OPEN:
            depth += 1
        elif byte == CLOSE:
            depth = max(depth - 1, 0)
            if depth == 0:
                after_tree = i + 1
        elif byte == NEWLINE and depth == 0:
            after_line = i + 1
    return (after_line if after_line > 0 else after_tree), depth


@compiled
def _scan(
    text: Bytes, kinds: Bytes, room: int, line: int, style: int
) -> tuple[Ints, Ints, Ints, Ints, tuple[int, int, int, int, int, int]]:
    trees = np.empty((4, room + 1), dtype=np.int64)
    leaves = np.empty((6, room), dtype=np.int64)
    nodes = np.empty((7, room), dtype=np.int64)
    faults = np.zeros((MAX_FAULTS, 3), dtype=np.int64)
    stack = np.empty(room + 1, dtype=np.int64)  # the node of every open bracket, -1 for an unlabelled one
    n_trees, n_leaves, n_nodes, n_faults, first_line = 0, 0, 0, 0, line
    depth, tree, first_leaf, first_node, outer = 0, 0, 0, 0, 0
    bad = fresh = inner = void = False
    opened, label, label_end, word, word_end = 0, -1, 0, -1, 0
    i, n = 0, len(text)
    while i < n:
        kind = kinds[text[i]]
        fault, place, other = -1, i, 0
        if kind == _TOKEN:
            start = i
            while i < n and kinds[text[i]] == _TOKEN:
                i += 1
            if depth == 0:
                fault = TEXT_OUTSIDE
            elif not fresh:
                fault = TEXT_BESIDE_BRACKETS
            elif label < 0:
                label, label_end = start, i
            elif word < 0:
                word, word_end = start, i
            else:
                fault = SECOND_WORD
        elif kind == _OPEN:
            if depth > 0 and text[i - 1] == NEWLINE:
                if style == INDENTED:
                    if not bad:
                        fault, place, other = UNCLOSED, tree, i
                    trees[1, n_trees] = line
                    n_trees += 1
                    depth = 0
                inner = True
            if depth == 0:
                tree, first_leaf, first_node, outer = i, n_leaves, n_nodes, 0
                trees[0, n_trees], trees[2, n_trees], trees[3, n_trees] = line, n_leaves, n_nodes
                bad = inner = void = False
            elif fresh:
                if word >= 0:
                    fault, place = TEXT_BESIDE_BRACKETS, word
                stack[depth] = -1
                if label >= 0:
                    end = label_end
                    if text[label] != 45:  # -
                        end = label + 1
                        while end < label_end and text[end] != 45 and text[end] != 61:  # - =
                            end += 1
                    above = stack[depth - 1] if depth > 1 else -1
                    nodes[0, n_nodes], nodes[1, n_nodes], nodes[2, n_nodes] = label, end - label, label_end - end
                    nodes[3, n_nodes] = above - first_node + 1 if above >= 0 else 0
                    nodes[4, n_nodes], nodes[5, n_nodes] = n_leaves - first_leaf + 1, 0
                    nodes[6, n_nodes] = depth - outer
                    stack[depth] = n_nodes
                    n_nodes += 1
                elif depth == 1:
                    outer = 1
                else:
                    fault, place = UNLABELLED, opened
            elif void:
                fault, place = EMPTY, opened
            depth += 1
            fresh, opened, label, word = True, i, -1, -1
            i += 1
        elif kind == _CLOSE:
            if depth == 0:
                fault = UNMATCHED_CLOSE
            else:
                if not fresh:
                    if stack[depth] >= 0:
                        nodes[5, stack[depth]] = n_leaves - first_leaf
                elif word >= 0:
                    above = stack[depth - 1] if depth > 1 else -1
                    leaves[0, n_leaves], leaves[1, n_leaves] = word, word_end - word
                    leaves[2, n_leaves], leaves[3, n_leaves] = label, label_end - label
                    leaves[4, n_leaves] = above - first_node + 1 if above >= 0 else 0
                    leaves[5, n_leaves] = line
                    n_leaves += 1
                elif label >= 0:
                    fault, place = NO_WORD, label
                elif depth == 2 and outer == 1 and n_leaves == first_leaf and not void:
                    void = True
                elif depth > 1:
                    fault, place = EMPTY, opened
                fresh = False
                depth -= 1
                if depth == 0:
                    trees[1, n_trees] = line
                    n_trees += 1
                    if style == UNKNOWN:
                        style = FREE if inner else INDENTED
            i += 1
        else:
            line += kind == _NEWLINE
            i += 1
        if fault >= 0 and n_faults < MAX_FAULTS and (fault in (UNMATCHED_CLOSE, TEXT_OUTSIDE, UNCLOSED) or not bad):
            faults[n_faults, 0], faults[n_faults, 1], faults[n_faults, 2] = fault, place, other
            n_faults += 1
            bad = fault != UNCLOSED
    if depth > 0:
        trees[1, n_trees] = line
        n_trees += 1
        if not bad and n_faults < MAX_FAULTS:
            faults[n_faults, 0], faults[n_faults, 1] = CUT_OFF, tree
            n_faults += 1
    trees[2, n_trees], trees[3, n_trees] = n_leaves, n_nodes
    return trees, leaves, nodes, faults, (n_trees, n_leaves, n_nodes, n_faults, style, line - first_line)
