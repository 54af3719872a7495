"""The enhanced dependencies of a chunk of CoNLL-U: DEPS, `4:nsubj|5.1:obj`, as edges between words and empty nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Flags, Ints
from treesql.kernels.scanning import text as kernel
from treesql.readers.dependencies.sentences import Sentences
from treesql.readers.fields import Field


class Edges(NamedTuple):
    """Edges of the enhanced graph; an index of 0 marks a word, another one an empty node."""

    sentence: Ints
    head: Ints
    head_index: Ints
    dependent: Ints
    dependent_index: Ints
    relation: Field


class Entries(NamedTuple):
    """The entries of DEPS: the row of each, its text, its head, and the length of the head's text.

    valid: which entries are a head, a colon and a relation.
    """

    rows: Ints
    starts: Ints
    lengths: Ints
    head: Ints
    head_index: Ints
    head_length: Ints
    valid: Flags

    def text(self, which: Ints) -> Field:
        """Some entries as fields."""
        return self.starts[which], self.lengths[which]

    @property
    def relation(self) -> Field:
        """The relations of all entries as fields."""
        return self.starts + self.head_length + 1, self.lengths - self.head_length - 1


def read_edges(sentences: Sentences) -> Edges:
    """The enhanced edges of checked sentences; entries of DEPS that are wrong are noted as faults. None in CoNLL-X."""
    if not sentences.layout.special_ids:
        nothing = np.zeros(0, dtype=np.int64)
        return Edges(nothing, nothing, nothing, nothing, nothing, (nothing, nothing))
    is_node = np.ones(len(sentences.rows), dtype=bool)
    is_node[sentences.ranges.rows] = False
    rows = np.flatnonzero(is_node)
    rows = rows[~sentences.text.is_open(sentences.field(8, rows))]
    entries = split_deps(sentences.text.raw, rows, sentences.field(8, rows))
    sentence = sentences.sentence_of_line[sentences.rows[entries.rows]]
    _check(sentences, entries, sentence)
    word, index = _nodes_of_rows(sentences)
    return Edges(
        sentence, entries.head, entries.head_index, word[entries.rows], index[entries.rows], entries.relation
    )  # fmt: skip


def split_deps(raw: Bytes, rows: Ints, deps: Field) -> Entries:
    """The entries of DEPS of rows, which follow one another in the text."""
    part, starts, lengths = kernel.split(raw, ord("|"), *deps)
    head_length = np.maximum(kernel.find_byte(raw, ord(":"), starts, lengths), 0)
    head, plain = kernel.integers(raw, starts, head_length)
    head_index = np.zeros(len(head), dtype=np.int64)
    others = np.flatnonzero(~plain)  # empty nodes, `5.1`
    dot = np.maximum(kernel.find_byte(raw, ord("."), starts[others], head_length[others]), 0)
    head[others], whole = kernel.integers(raw, starts[others], dot)
    head_index[others], counted = kernel.integers(raw, starts[others] + dot + 1, head_length[others] - dot - 1)
    plain[others] = whole & counted & (head_index[others] > 0)
    valid = plain & (lengths > head_length + 1)
    return Entries(rows[part], starts, lengths, head, head_index, head_length, valid)


def _check(sentences: Sentences, entries: Entries, sentence: Ints) -> None:
    """Note entries that are malformed, name a head that does not exist, or repeat another of their row."""
    lines = sentences.rows[entries.rows]
    wrong = np.flatnonzero(~entries.valid)
    hint = "write `_`, or HEAD:RELATION pairs with `|` between them"
    sentences.report(lines[wrong], "DEPS has {}, which is not a relation", hint, entries.text(wrong))
    outside = np.flatnonzero(entries.valid & ~_nodes_exist(sentences, entries, sentence))
    hint = "name a word or an empty node of the sentence, or 0 for the root"
    sentences.report(lines[outside], "DEPS has {}, whose head does not exist", hint, entries.text(outside))
    repeated = _find_repeated(sentences, entries)
    sentences.report(lines[repeated], "DEPS has {} twice", "write each relation once", entries.text(repeated))


def _nodes_exist(sentences: Sentences, entries: Entries, sentence: Ints) -> Flags:
    """Which heads are words or empty nodes of their sentence, or 0 for the root."""
    word, index = entries.head, entries.head_index
    exists = word <= sentences.n_words[sentence]
    special = np.flatnonzero(index)
    span = 1 + int(max(word[special].max(initial=0), sentences.empty.first.max(initial=0)))
    width = 1 + int(max(index.max(initial=0), sentences.empty.second.max(initial=0)))
    keys = (sentence[special] * span + word[special]) * width + index[special]
    exists[special] = np.isin(
        keys, (sentences.empty.sentence * span + sentences.empty.first) * width + sentences.empty.second
    )
    return exists


def _find_repeated(sentences: Sentences, entries: Entries) -> Ints:
    """The entries that repeat one of their row. Only texts of entries of one row and head, which are few, are read."""
    rows = entries.rows
    same_row = rows[1:] == rows[:-1]
    several = np.flatnonzero(np.append(same_row, False) | np.append(False, same_row))
    keys = rows[several] * (1 << 31) + entries.head[several]
    _, group, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    seen: set[tuple[int, bytes]] = set()
    repeated = []
    for at in several[sizes[group] > 1].tolist():
        start = entries.starts[at]
        entry = (int(rows[at]), sentences.text.data[start : start + entries.lengths[at]])
        if entry in seen:
            repeated.append(at)
        seen.add(entry)
    return np.array(repeated, dtype=np.int64)


def _nodes_of_rows(sentences: Sentences) -> tuple[Ints, Ints]:
    """For every row the word that it is or follows, and its index as an empty node, 0 for a word."""
    word, index = np.zeros(len(sentences.rows), dtype=np.int64), np.zeros(len(sentences.rows), dtype=np.int64)
    word[sentences.word_rows] = sentences.position
    word[sentences.empty.rows], index[sentences.empty.rows] = sentences.empty.first, sentences.empty.second
    return word, index
