"""Lattices as rows of a dynamic-programming table: one per node, and per proper suffix of a phrase that leads to it.

A row has choices, each of which is a word and the row that remains after it: that of a node one for each edge, with its
first word; that of a suffix its own first word. Suffixes that lead to one node share a row if they look the same to the
reference; words that the reference lacks are not distinguished. The choices of a row that leave the same row form a
group, which a table fills at the cost of a single word, however many it has. This leaves few rows and groups for phrase
lattices, which have many edges and short references, and for parallel edges.

Algorithm for lattices with one path: its edit distance to the reference, by bit vectors of 64 words.

Sources: Myers 1999, A fast bit-vector algorithm for approximate string matching; Hyyro 2003, A bit-vector algorithm for
computing Levenshtein and Damerau edit distances (blocks, global distance).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Flags, Ints, SmallInts
from treesql.kernels.compiling import ZERO, compiled
from treesql.kernels.keys import SPREAD
from treesql.kernels.lattices.lattices import LatticeBatch, sort_by_node

ABSENT = 0
"""Code of words that the reference lacks; its own words have codes from 1 on."""

NO_WORD = -1
"""Code of an edge without words."""

INSIDE = -1
"""Edge of a word inside a phrase."""


class LatticeTable(NamedTuple):
    """Rows of lattices, concatenated and numbered from 0 in each; row 0 is that of the last node.

    offsets: (lattices + 1,), no rows where a lattice has no complete path; otherwise its last row is that of the first
    node. group_offsets: (rows + 1,), the start and end of each row's groups; below: (groups,), the row that they lead
    to; choice_offsets: (groups + 1,), the start and end of their choices; word: (choices,), the code of the word, in a
    group of its own if it is NO_WORD; edge: (choices,), its number in the lattice, ascending in a group, or INSIDE. Of
    equivalent edges only the one with the smallest number is a choice. codes: (references,), of reference words.
    n_codes, longest: (lattices,), the number of codes, and the most words of a path.
    """

    offsets: Ints
    group_offsets: Ints
    below: SmallInts
    choice_offsets: Ints
    word: SmallInts
    edge: SmallInts
    codes: SmallInts
    n_codes: Ints
    longest: Ints


def lattice_rows(batch: LatticeBatch) -> LatticeTable:
    """Return the rows of lattices. O(nodes + words) time and memory. Nodes that do not lead to the last node have no
    rows."""
    n = len(batch.n_nodes)
    n_choices = len(batch.from_node) + len(batch.words)
    room = int(batch.n_nodes.sum()) + len(batch.words)
    numbers = 1 + int(max(batch.words.max(initial=0), batch.references.max(initial=0)))
    rows = LatticeTable(
        np.zeros(n + 1, dtype=np.int64), np.zeros(room + 1, dtype=np.int64), np.empty(n_choices, dtype=np.int32),
        np.zeros(n_choices + 1, dtype=np.int64), np.empty(n_choices, dtype=np.int32),
        np.empty(n_choices, dtype=np.int32), np.empty(len(batch.references), dtype=np.int32),
        np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64),
    )  # fmt: skip
    kernel: Any = _rows
    kernel(*batch, np.full(numbers, ABSENT, dtype=np.int32), *rows)
    return rows


@compiled
def _rows(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, word_offsets: Ints, words: Ints,
    reference_offsets: Ints, references: Ints, code_of: SmallInts, offsets: Ints, group_offsets: Ints, below: SmallInts,
    choice_offsets: Ints, word: SmallInts, edge: SmallInts, codes: SmallInts, n_codes: Ints, longest: Ints,
) -> None:  # fmt: skip
    n_groups = ZERO
    for lattice in range(len(n_nodes)):
        n, first, last = n_nodes[lattice], edge_offsets[lattice], edge_offsets[lattice + 1]
        n_codes[lattice] = 1
        for place in range(reference_offsets[lattice], reference_offsets[lattice + 1]):
            if code_of[references[place]] == ABSENT:
                code_of[references[place]] = n_codes[lattice]
                n_codes[lattice] += 1
            codes[place] = code_of[references[place]]
        order, starts = sort_by_node(n, from_node[first:last])
        low = offsets[lattice]
        n_rows, n_groups, longest[lattice] = _rows_of_lattice(
            n, to_node[first:last], order, starts, word_offsets[first : last + 1], words, code_of, n_codes[lattice],
            group_offsets[low:], below, choice_offsets, word, edge, n_groups,
        )  # fmt: skip
        offsets[lattice + 1] = low + n_rows
        for place in range(reference_offsets[lattice], reference_offsets[lattice + 1]):
            code_of[references[place]] = ABSENT


@compiled(wraps=True)
def _rows_of_lattice(
    n_nodes: int, to_node: Ints, order: Ints, starts: Ints, word_offsets: Ints, words: Ints, code_of: SmallInts,
    n_codes: int, group_offsets: Ints, below: SmallInts, choice_offsets: Ints, word: SmallInts, edge: SmallInts,
    n_groups: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Build one lattice's rows, from its last node to its first; return its rows, the groups of all lattices so far,
    and the words of its longest path.

    Suffixes are looked up in a hash table with open addressing, by their first word and the row of the rest. A suffix
    has a row only if a word precedes it.
    """
    n_words = word_offsets[-1] - word_offsets[0]
    bits = 4
    while 1 << bits < 2 * n_words:
        bits += 1
    table = np.full(1 << bits, -1, dtype=np.int32)
    shift, around = np.uint64(64 - bits), (1 << bits) - 1
    rest, code_at = np.empty(n_words, dtype=np.int32), np.empty(n_words, dtype=np.int32)
    suffix_row, chosen_from = np.full(n_words, -1, dtype=np.int32), np.full(n_words, -1, dtype=np.int32)
    skipped_from = np.full(n_nodes + n_words, -1, dtype=np.int32)  # by row, the last node with an empty edge to it
    group_of = np.full((2, n_nodes + n_words), -1, dtype=np.int64)
    choices = np.empty((3, len(to_node)), dtype=np.int64)
    row_of, longest = np.full(n_nodes, -1, dtype=np.int32), np.zeros(n_nodes, dtype=np.int64)
    row_of[n_nodes - 1], group_offsets[0], first_group = 0, n_groups, n_groups
    n_rows, n_suffixes = 1, 0
    for node in range(n_nodes - 2, -1, -1):
        n_choices = 0
        for at in range(starts[node], starts[node + 1]):
            number = order[at]
            row = row_of[to_node[number]]
            if row < 0:
                continue
            first, last = word_offsets[number], word_offsets[number + 1]
            longest[node] = max(longest[node], longest[to_node[number]] + last - first)
            code, new = NO_WORD, skipped_from[row] != node
            if first == last:
                skipped_from[row] = node
            for position in range(last - 1, first - 1, -1):
                code = code_of[words[position]]
                place = np.int64((np.uint64(np.int64(row) * n_codes + code) * SPREAD) >> shift)
                known = table[place]
                while known >= 0 and (rest[known] != row or code_at[known] != code):
                    place = (place + 1) & around
                    known = table[place]
                if known < 0:
                    known = table[place] = n_suffixes
                    rest[known], code_at[known] = row, code
                    n_suffixes += 1
                if position == first:
                    new, chosen_from[known] = chosen_from[known] != node, node
                    break
                if suffix_row[known] < 0:
                    suffix_row[known], group_offsets[n_rows] = n_rows, n_groups
                    at_choice = choice_offsets[n_groups]
                    below[n_groups], word[at_choice], edge[at_choice] = row, code, INSIDE
                    choice_offsets[n_groups + 1] = at_choice + 1
                    n_rows, n_groups = n_rows + 1, n_groups + 1
                row = suffix_row[known]
            if new:
                choices[0, n_choices], choices[1, n_choices], choices[2, n_choices] = row, code, number
                n_choices += 1
        if n_choices > 0:
            row_of[node], group_offsets[n_rows] = n_rows, n_groups
            n_groups = _group_choices(choices[:, :n_choices], group_of, n_groups, below, choice_offsets, word, edge)
            n_rows += 1
    if row_of[0] < 0:
        return 0, first_group, longest[0]
    group_offsets[n_rows] = n_groups
    return n_rows, n_groups, longest[0]


@compiled
def _group_choices(
    choices: Ints, group_of: Ints, n_groups: int, below: SmallInts, choice_offsets: Ints, word: SmallInts,
    edge: SmallInts,
) -> int:  # fmt: skip
    """Add the choices of a node, given by row, code and edge, in groups; return the number of all groups.

    group_of: by kind (with or without a word) and row, its last group, which may be that of an earlier node.
    """
    first = n_groups
    for at in range(choices.shape[1]):
        row, kind = choices[0, at], 1 if choices[1, at] == NO_WORD else 0
        if group_of[kind, row] < first:
            group_of[kind, row] = n_groups
            below[n_groups], choice_offsets[n_groups + 1] = row, 0
            n_groups += 1
        choice_offsets[group_of[kind, row] + 1] += 1
    for group in range(first, n_groups):
        choice_offsets[group + 1] += choice_offsets[group]
    place = choice_offsets[first:n_groups].copy()
    for at in range(choices.shape[1]):
        group = group_of[1 if choices[1, at] == NO_WORD else 0, choices[0, at]]
        word[place[group - first]], edge[place[group - first]] = choices[1, at], choices[2, at]
        place[group - first] += 1
    return n_groups


_BITS = 64


@compiled
def follow_single_paths(
    most_cells: int, reference_offsets: Ints, offsets: Ints, group_offsets: Ints, below: SmallInts,
    choice_offsets: Ints, word: SmallInts, edge: SmallInts, codes: SmallInts, n_codes: Ints, longest: Ints,
    wanted: Flags, single: Flags, edits: Ints, n_words: Ints, n_path: Ints, path_offsets: Ints, path: Ints,
) -> None:  # fmt: skip
    """Follow the paths of lattices that have only one, equivalent edges left out, unless the words of the path times
    those of the reference exceed `most_cells`.

    offsets to longest: as in treesql.kernels.lattices.phrase_ends; single and edits: results, with those of the path.
    O(words of the path * words of the reference / 64) time, O(both) memory.
    """
    for lattice in range(len(offsets) - 1):
        low, high = offsets[lattice], offsets[lattice + 1]
        reference = codes[reference_offsets[lattice] : reference_offsets[lattice + 1]]
        if not wanted[lattice] or longest[lattice] * len(reference) > most_cells:
            continue
        n_choices = choice_offsets[group_offsets[high]] - choice_offsets[group_offsets[low]]
        if n_choices > high - low - 1:  # every row but the first has a choice
            continue
        text = np.empty(longest[lattice], dtype=np.int32)
        row = high - low - 1
        while row > 0:
            choice = choice_offsets[group_offsets[low + row]]
            if edge[choice] != INSIDE:
                path[path_offsets[lattice] + n_path[lattice]] = edge[choice]
                n_path[lattice] += 1
            if word[choice] != NO_WORD:
                text[n_words[lattice]] = word[choice]
                n_words[lattice] += 1
            row = below[group_offsets[low + row]]
        single[lattice], edits[lattice] = True, edit_distance(text, reference, n_codes[lattice])


@compiled
def edit_distance(text: SmallInts, pattern: SmallInts, n_codes: int) -> int:
    """Return the Levenshtein distance of two sequences of codes from 0 to n_codes - 1.

    64 rows of the table, for words of the pattern, are computed at a time; their differences to the next row are bits.
    change: by column, the difference of the last row of the rows done so far.
    """
    masks = np.zeros(n_codes, dtype=np.uint64)  # by code, its positions in the block
    change = np.ones(len(text), dtype=np.int8)
    one, distance = np.uint64(1), len(text)
    for start in range(0, len(pattern), _BITS):
        block = pattern[start : start + _BITS]
        for at in range(len(block)):
            masks[block[at]] |= one << np.uint64(at)
        last = np.uint64(len(block) - 1)
        _fill_block(text, masks, last, change)
        for code in block:
            masks[code] = np.uint64(0)
    if len(pattern) > 0:
        distance = len(pattern)
        for at in range(len(text)):
            distance += int(change[at])
    return distance


@compiled(wraps=True)
def _fill_block(text: SmallInts, masks: NDArray[np.uint64], last: Any, change: NDArray[np.int8]) -> None:
    """Compute a block of rows, given the differences of the row before it; write those of its row number `last`."""
    one = np.uint64(1)
    up, down = ~np.uint64(0), np.uint64(0)  # where a cell is one more, or less, than that above it
    for at in range(len(text)):
        equal = masks[text[at]]
        rises, falls = np.uint64(change[at] > 0), np.uint64(change[at] < 0)
        vertical = equal | down
        equal |= falls
        horizontal = (((equal & up) + up) ^ up) | equal
        plus, minus = down | ~(horizontal | up), up & horizontal
        change[at] = np.int8((plus >> last) & one) - np.int8((minus >> last) & one)
        plus, minus = (plus << one) | rises, (minus << one) | falls
        up, down = minus | ~(vertical | plus), plus & vertical
