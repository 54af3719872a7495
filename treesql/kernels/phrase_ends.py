"""Lattices as rows of a dynamic-programming table: one row per node, and per suffix of a phrase that leads to a node.

A row depends only on earlier rows: that of a node on the rows its edges begin with, that of a suffix on the row after
its first word. Suffixes that lead to one node share a row if they look the same to the reference; words that the
reference lacks are not distinguished. This leaves few rows for phrase lattices, which have many edges and short
references.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treesql.kernels.arrays import Ints, SmallInts
from treesql.kernels.compiling import ZERO, compiled
from treesql.kernels.lattices import LatticeBatch, sort_by_node

ABSENT = 0
"""Code of words that the reference lacks; its own words have codes from 1 on."""

_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio: Knuth 1973, 6.4


class LatticeTable(NamedTuple):
    """Rows of lattices, concatenated and numbered from 0 in each; row 0 is that of the last node.

    offsets: (lattices + 1,), no rows where a lattice has no complete path; otherwise its last row is that of the first
    node. rest: (rows,), after a word the row of the remaining suffix, -1 for a node; word: (rows,), its code.
    choice_offsets: (rows + 1,), the start and end of the edges from each node, of equivalent ones only the one with the
    smallest number: choice, the row that an edge begins with, and edge, its number in the lattice. codes:
    (references,), of reference words. n_codes, longest: (lattices,), the number of codes, and the most words of a path.
    """

    offsets: Ints
    rest: SmallInts
    word: SmallInts
    choice_offsets: Ints
    choice: SmallInts
    edge: SmallInts
    codes: SmallInts
    n_codes: Ints
    longest: Ints


def lattice_rows(batch: LatticeBatch) -> LatticeTable:
    """Return the rows of lattices. O(nodes + words) time and memory. Nodes that do not lead to the last node have no
    rows."""
    n = len(batch.n_nodes)
    room = int(batch.n_nodes.sum()) + len(batch.words)
    numbers = 1 + int(max(batch.words.max(initial=0), batch.references.max(initial=0)))
    rows = LatticeTable(
        np.zeros(n + 1, dtype=np.int64), np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32),
        np.zeros(room + 1, dtype=np.int64), np.empty(len(batch.from_node), dtype=np.int32),
        np.empty(len(batch.from_node), dtype=np.int32), np.empty(len(batch.references), dtype=np.int32),
        np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64),
    )  # fmt: skip
    kernel: Any = _rows
    kernel(*batch, np.full(numbers, ABSENT, dtype=np.int32), *rows)
    return rows


@compiled
def _rows(
    n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints, word_offsets: Ints, words: Ints,
    reference_offsets: Ints, references: Ints, code_of: SmallInts, offsets: Ints, rest: SmallInts, word: SmallInts,
    choice_offsets: Ints, choice: SmallInts, edge: SmallInts, codes: SmallInts, n_codes: Ints, longest: Ints,
) -> None:  # fmt: skip
    n_choices = ZERO
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
        n_rows, n_choices, longest[lattice] = _rows_of_lattice(
            n, to_node[first:last], order, starts, word_offsets[first : last + 1], words, code_of, n_codes[lattice],
            rest[low:], word[low:], choice_offsets[low:], choice, edge, n_choices,
        )  # fmt: skip
        offsets[lattice + 1] = low + n_rows
        for place in range(reference_offsets[lattice], reference_offsets[lattice + 1]):
            code_of[references[place]] = ABSENT


@compiled
def _rows_of_lattice(
    n_nodes: int,
    to_node: Ints,
    order: Ints,
    starts: Ints,
    word_offsets: Ints,
    words: Ints,
    code_of: SmallInts,
    n_codes: int,
    rest: SmallInts,
    word: SmallInts,
    choice_offsets: Ints,
    choice: SmallInts,
    edge: SmallInts,
    n_choices: int,
) -> tuple[int, int, int]:
    """Build one lattice's rows, from its last node to its first; return its rows, the choices of all lattices so far,
    and the words of its longest path.

    Suffixes are looked up in a hash table with open addressing, by their first word and the row of the rest.
    """
    n_words = word_offsets[-1] - word_offsets[0]
    bits = 4
    while 1 << bits < 2 * n_words:
        bits += 1
    table = np.full(1 << bits, -1, dtype=np.int32)
    shift, around = np.uint64(64 - bits), (1 << bits) - 1
    row_of, longest = np.full(n_nodes, -1, dtype=np.int32), np.zeros(n_nodes, dtype=np.int64)
    chosen_from = np.full(n_nodes + n_words, -1, dtype=np.int32)
    row_of[n_nodes - 1], rest[0], word[0], choice_offsets[0], choice_offsets[1] = 0, -1, ABSENT, n_choices, n_choices
    n_rows = 1
    for node in range(n_nodes - 2, -1, -1):
        before = n_choices
        for at in range(starts[node], starts[node + 1]):
            number = order[at]
            row = row_of[to_node[number]]
            if row < 0:
                continue
            first, last = word_offsets[number], word_offsets[number + 1]
            longest[node] = max(longest[node], longest[to_node[number]] + last - first)
            for position in range(last - 1, first - 1, -1):
                code = code_of[words[position]]
                place = np.int64((np.uint64(np.int64(row) * n_codes + code) * _SPREAD) >> shift)
                known = table[place]
                while known >= 0 and (rest[known] != row or word[known] != code):
                    place = (place + 1) & around
                    known = table[place]
                if known < 0:
                    known = table[place] = n_rows
                    rest[n_rows], word[n_rows], choice_offsets[n_rows] = row, code, before
                    n_rows += 1
                row = known
            if chosen_from[row] != node:
                chosen_from[row] = node
                choice[n_choices], edge[n_choices] = row, number
                n_choices += 1
        if n_choices > before:
            row_of[node], rest[n_rows], word[n_rows], choice_offsets[n_rows] = n_rows, -1, ABSENT, before
            n_rows += 1
        choice_offsets[n_rows] = n_choices
    return (n_rows if row_of[0] >= 0 else 0), n_choices, longest[0]
