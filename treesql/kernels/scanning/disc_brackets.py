"""Scanner of discontinuous trees in brackets, `(S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John))`, a tree a line.

A single pass over text as one byte array that creates no strings: the results are byte offsets. O(bytes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Flags, Ints
from treesql.kernels.compiling import compiled, read_only

TAB, NEWLINE, BLANK, OPEN, CLOSE, MINUS, EQUALS = 9, 10, 32, 40, 41, 45, 61

UNMATCHED_CLOSE, TEXT_OUTSIDE, SECOND_TREE, UNLABELLED, NO_INDEX, NOTHING_INSIDE, NOT_CLOSED, REPEATED, MISSING = range(
    9
)
"""Kinds of faults, at most one of a line."""

MAX_FAULTS = 64
"""Maximum number of faults reported per block of text."""

_MAX_INDEX = 1 << 30
"""Larger indices of words are none."""


class DiscBracketScan(NamedTuple):
    """Trees found in a text.

    Per tree: line; rooted, whether it is in a bracket `ROOT` or one without a label, which are no phrases here; comment
    (start and length of what follows a tab); and the words and phrases before it, with totals at the end. Per word, in
    the order of their indices: form, tag (start, length up to a function; length 0 for none), rest_of_tag (length of
    the functions after it) and phrase (counted from 1 in its tree, 0 for none). Per phrase, in the order of the text:
    label, rest_length, parent. faults: (n, 3), the kind, the offset and, of REPEATED and MISSING, the index.
    """

    line: Ints
    rooted: Flags
    comment: Ints
    leaf_offsets: Ints
    node_offsets: Ints
    form: Ints
    tag: Ints
    rest_of_tag: Ints
    phrase: Ints
    label: Ints
    rest_length: Ints
    parent: Ints
    faults: Ints
    lines: int


def scan(text: Bytes, line: int) -> DiscBracketScan:
    """Scan whole lines. line: number of the first."""
    room, rows = int(np.count_nonzero(text == OPEN)), int(np.count_nonzero(text == NEWLINE)) + 1
    most = int(np.count_nonzero(text == EQUALS))
    trees, leaves, nodes, faults, counts = _scan(read_only(text)[0], line, rows, most, room)
    n_trees, n_leaves, n_nodes, n_faults, lines = counts
    leaves, nodes = leaves[:, :n_leaves], nodes[:, :n_nodes]
    parts: list[Any] = [
        trees[0, :n_trees], trees[1, :n_trees] > 0, trees[2:4, :n_trees], trees[4, : n_trees + 1],
        trees[5, : n_trees + 1], leaves[0:2], leaves[2:4], leaves[4], leaves[5], nodes[0:2], nodes[2], nodes[3],
        faults[:n_faults], lines - line,
    ]  # fmt: skip
    return DiscBracketScan(*parts)


@compiled
def _label_end(text: Bytes, start: int, end: int) -> int:
    """Return where the functions after a label begin: at a `-` or `=` after the first byte, unless that is `-`."""
    if text[start] == MINUS:
        return end
    at = start + 1
    while at < end and text[at] != MINUS and text[at] != EQUALS:
        at += 1
    return at


@compiled
def _is_root(text: Bytes, start: int, end: int) -> bool:
    """Whether a label is ROOT."""
    return bool(
        end - start == 4 and text[start] == 82 and text[start + 1] == 79 and text[start + 2] == 79
        and text[start + 3] == 84
    )  # fmt: skip


@compiled
def _index_of(text: Bytes, start: int, end: int) -> tuple[int, int]:
    """Return the index of a word such as `0=the`, and where its form begins; -1 where it is none."""
    index, at = 0, start
    while at < end and 48 <= text[at] <= 57 and index < _MAX_INDEX:
        index = 10 * index + text[at] - 48
        at += 1
    if at == start or at + 1 >= end or text[at] != EQUALS or (at > start + 1 and text[start] == 48):
        return -1, start
    return index, at + 1


@compiled
def _sort_leaves(leaves: Ints, order: Ints, copy: Ints) -> tuple[int, int, int]:
    """Sort the words of a tree by their indices; return the kind of fault, its offset and detail, -1 for none.

    leaves: (7, n), the last row being the indices; order, copy: room for n and (7, n).
    """
    n = leaves.shape[1]
    order[:n] = -1
    for leaf in range(n):
        index = leaves[6, leaf]
        if index < n and order[index] >= 0:
            return REPEATED, leaves[0, leaf], index
        if index < n:
            order[index] = leaf
    for index in range(n):
        if order[index] < 0:
            return MISSING, -1, index
    for row in range(7):
        for leaf in range(n):
            copy[row, leaf] = leaves[row, leaf]
    for row in range(7):
        for leaf in range(n):
            leaves[row, leaf] = copy[row, order[leaf]]
    return -1, 0, 0


@compiled
def _scan(
    text: Bytes, line: int, n_lines: int, most: int, room: int
) -> tuple[Ints, Ints, Ints, Ints, tuple[int, int, int, int, int]]:
    trees = np.zeros((6, n_lines + 1), np.int64)
    leaves, copy, order = np.zeros((7, most), np.int64), np.zeros((7, most), np.int64), np.zeros(most, np.int64)
    nodes, faults = np.zeros((4, room), np.int64), np.zeros((MAX_FAULTS, 3), np.int64)
    # Of every open bracket: its node in the tree (0 for ROOT, -1 while it may be the bracket of a single word), where
    # its label begins and ends, its number of words and of brackets in it, and the first of its words.
    stack = np.zeros((6, room + 1), np.int64)
    n_trees = n_leaves = n_nodes = n_faults = 0
    at, n = 0, len(text)
    while at < n:
        end = at
        while end < n and text[end] != NEWLINE:
            end += 1
        first_leaf, first_node, depth = n_leaves, n_nodes, 0
        fault, place, detail, start, done, void = -1, at, 0, -1, False, -1
        rooted, comment, comment_end = 0, end, end
        while at < end and fault < 0:
            byte = text[at]
            if byte == TAB and done:
                comment, comment_end = at + 1, end
                at = end
            elif byte in (TAB, BLANK):
                at += 1
            elif byte == OPEN:
                if done:
                    fault, place = SECOND_TREE, at
                    continue
                if depth == 0:
                    start = at
                else:
                    _close_label(text, stack, depth, nodes, n_nodes, first_node)
                    if stack[0, depth] > n_nodes - first_node:
                        n_nodes += 1
                    rooted = max(rooted, int(depth == 1 and stack[0, depth] == 0))
                    stack[4, depth] += 1
                depth += 1
                for row in range(6):
                    stack[row, depth] = 0
                stack[0, depth], stack[1, depth], stack[5, depth] = -1, at, -1
                at += 1
                while at < end and (text[at] == BLANK or text[at] == TAB):
                    at += 1
                stack[1, depth] = at
                while at < end and text[at] > BLANK and text[at] != OPEN and text[at] != CLOSE:
                    at += 1
                stack[2, depth] = at
                if stack[1, depth] == at:
                    if depth == 1:
                        stack[0, depth], rooted = 0, 1
                    elif depth == 2 and stack[1, 1] == stack[2, 1] and at < end and text[at] == CLOSE:
                        void = at
                    else:
                        fault, place = UNLABELLED, at
            elif byte == CLOSE:
                if depth == 0:
                    fault, place = UNMATCHED_CLOSE, at
                    continue
                label, label_end = stack[1, depth], stack[2, depth]
                if stack[3, depth] == 1 and stack[4, depth] == 0:  # the bracket of a single word
                    leaf = n_leaves - 1
                    cut = _label_end(text, label, label_end)
                    leaves[2, leaf], leaves[3, leaf], leaves[4, leaf] = label, cut - label, label_end - cut
                    leaves[5, leaf] = max(stack[0, depth - 1], 0) if depth > 1 else 0
                elif stack[3, depth] + stack[4, depth] == 0 and label < label_end:
                    fault, place = NOTHING_INSIDE, label
                at += 1
                depth -= 1
                done = depth == 0
            else:
                word = at
                while at < end and text[at] > BLANK and text[at] != OPEN and text[at] != CLOSE:
                    at += 1
                if at == word:  # a control character
                    at += 1
                if depth == 0:
                    fault, place = TEXT_OUTSIDE, word
                    continue
                index, form = _index_of(text, word, at)
                if index < 0:
                    fault, place = NO_INDEX, word
                    continue
                stack[3, depth] += 1
                if stack[3, depth] + stack[4, depth] > 1:
                    _close_label(text, stack, depth, nodes, n_nodes, first_node)
                    if stack[0, depth] > n_nodes - first_node:
                        n_nodes += 1
                    rooted = max(rooted, int(depth == 1 and stack[0, depth] == 0))
                    if stack[3, depth] == 2 and stack[4, depth] == 0:  # the one before has no bracket of its own, too
                        leaves[5, n_leaves - 1] = stack[0, depth]
                leaves[0, n_leaves], leaves[1, n_leaves] = form, at - form
                leaves[2, n_leaves], leaves[3, n_leaves], leaves[4, n_leaves] = 0, 0, 0
                leaves[5, n_leaves], leaves[6, n_leaves] = max(stack[0, depth], 0), index
                n_leaves += 1
        if fault < 0 and depth > 0:
            fault, place = NOT_CLOSED, start
        if fault < 0 and void >= 0 and n_leaves > first_leaf:
            fault, place = UNLABELLED, void
        if fault < 0 and start >= 0:
            fault, place, detail = _sort_leaves(leaves[:, first_leaf:n_leaves], order, copy)
            place = start if place < 0 else place
        if fault >= 0:
            n_leaves, n_nodes = first_leaf, first_node
            if n_faults < MAX_FAULTS:
                faults[n_faults, 0], faults[n_faults, 1], faults[n_faults, 2] = fault, place, detail
                n_faults += 1
        elif start >= 0:
            trees[0, n_trees], trees[1, n_trees], trees[2, n_trees] = line, rooted, comment
            trees[3, n_trees] = comment_end - comment
            n_trees += 1
            trees[4, n_trees], trees[5, n_trees] = n_leaves, n_nodes
        line += 1
        at = end + 1
    return trees, leaves, nodes, faults, (n_trees, n_leaves, n_nodes, n_faults, line)


@compiled
def _close_label(text: Bytes, stack: Ints, depth: int, nodes: Ints, n_nodes: int, first_node: int) -> None:
    """Make a phrase of the bracket that is open, unless it is one; ROOT at the top is the root, and no phrase."""
    if stack[0, depth] >= 0:
        return
    label, end = stack[1, depth], stack[2, depth]
    if depth == 1 and _is_root(text, label, end):
        stack[0, depth] = 0
        return
    cut = _label_end(text, label, end)
    nodes[0, n_nodes], nodes[1, n_nodes], nodes[2, n_nodes] = label, cut - label, end - cut
    nodes[3, n_nodes] = stack[0, depth - 1] if depth > 1 else 0
    stack[0, depth] = n_nodes - first_node + 1
