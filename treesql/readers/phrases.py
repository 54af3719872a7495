"""The rows of constituency trees of any format, as Arrow batches of schemas/: sentences, words, constituents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa

from treesql.kernels import text as kernel
from treesql.kernels.text import Flags, Ints
from treesql.readers import Batch, Options, State
from treesql.readers.batches import Columns, before, owner, record_batch
from treesql.readers.fields import Field, Text, no_comments, numbers, repeated


@dataclass(frozen=True)
class Trees:
    """The trees of a chunk. A field of length 0 is NULL.

    line: of every tree; leaf_offsets, node_offsets: (trees + 1,) where each one's leaves and nodes begin and end. Of
    leaves: form, tag, phrase (number of the node above, 0 for none), leaf_line. Of nodes in preorder: label, rest
    (functions), parent (0 for none), first, last, depth, continuous (None: all). texts: more columns of the words;
    sent_id: of the sentences; spaced: whether a form may have a blank in it.
    """

    text: Text
    line: Ints
    leaf_offsets: Ints
    node_offsets: Ints
    form: Field
    phrase: Ints
    leaf_line: Ints
    label: Field
    parent: Ints
    first: Ints
    last: Ints
    depth: Ints
    tag: Field | None = None
    rest: Field | None = None
    continuous: Flags | None = None
    texts: Mapping[str, Field] = field(default_factory=dict)
    sent_id: Field | None = None
    spaced: bool = False


def batch(trees: Trees, path: str, state: State, options: Options) -> Batch:
    """The rows of every table that is wanted; `state` counts on."""
    made = {"sentences": _sentences(trees, path), "words": _words(trees, state, options)}
    if options.wants("constituents"):
        made["constituents"] = _constituents(trees)
    found = {name: record_batch(name, columns, state, options) for name, columns in made.items()}
    state.sentences += len(trees.line)
    return found


def _sentences(trees: Trees, path: str) -> Columns:
    n = len(trees.line)
    columns: dict[str, Callable[[], pa.Array | Ints | Flags]] = {
        "sentence": lambda: np.arange(n),
        "comments": lambda: no_comments(n),
        "file": lambda: repeated(path, n),
        "line": lambda: trees.line,
        "n_words": lambda: np.diff(trees.leaf_offsets),
    }
    sent_id = trees.sent_id
    if sent_id is not None:
        columns["sent_id"] = lambda: _strings(trees.text, sent_id)
    return columns


def _words(trees: Trees, state: State, options: Options) -> Columns:
    n = len(trees.phrase)
    columns: dict[str, Callable[[], pa.Array | Ints | Flags]] = {
        "sentence": lambda: owner(trees.leaf_offsets),
        "word": lambda: np.arange(1, n + 1) - before(trees.leaf_offsets),
        "form": lambda: trees.text.strings(trees.form),
        "deprel": lambda: pa.nulls(n, pa.string_view()),  # from which udeprel is computed
        "phrase": lambda: numbers(trees.phrase, pa.int32(), trees.phrase == 0),
        "multiword": lambda: np.zeros(n, dtype=bool),
        "line": lambda: trees.leaf_line,
    }
    given = dict(trees.texts) if trees.tag is None else {"xpos": trees.tag, **trees.texts}
    for name, values in given.items():
        columns[name] = partial(_strings, trees.text, values)
    if options.wants("words", "span_start") or options.wants("words", "span_end"):
        uncounted = kernel.uncounted(trees.text.raw)
        if not trees.spaced:  # far fewer to look among
            uncounted = uncounted[trees.text.raw[uncounted] != ord(" ")]
        width = kernel.count_characters(uncounted, *trees.form)
        ends = state.characters + np.cumsum(width)
        state.characters += int(width.sum())
        columns |= {"span_start": lambda: ends - width, "span_end": lambda: ends}
    return columns


def _constituents(trees: Trees) -> Columns:
    n = len(trees.parent)
    columns: dict[str, Callable[[], pa.Array | Ints | Flags]] = {
        "sentence": lambda: owner(trees.node_offsets),
        "node": lambda: np.arange(1, n + 1) - before(trees.node_offsets),
        "parent": lambda: numbers(trees.parent, pa.int32(), trees.parent == 0),
        "label": lambda: _strings(trees.text, trees.label),
        "first": lambda: trees.first,
        "last": lambda: trees.last,
        "depth": lambda: trees.depth,
        "continuous": lambda: np.ones(n, dtype=bool) if trees.continuous is None else trees.continuous,
    }
    rest = trees.rest
    if rest is not None:
        columns["functions"] = lambda: _strings(trees.text, rest)
    return columns


def _strings(text: Text, values: Field) -> pa.Array:
    """Fields, those of no length being NULL."""
    absent = values[1] == 0
    return text.strings(values, absent if absent.any() else None)
