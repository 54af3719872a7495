"""The rows of constituency trees of any format, as Arrow batches of schemas/: sentences, words, constituents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa

from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.scanning import text as kernel
from treesql.readers import Batch, Options, State
from treesql.readers.fields import (
    Columns,
    Field,
    Text,
    group_of_items,
    items_before_group,
    list_array,
    no_comments,
    numbers,
    record_batch,
    repeated,
)

PACKED = ("constituent_lists", "constituent_labels")
"""The tables that hold trees as lists."""


@dataclass(frozen=True)
class SecondaryEdges:
    """Edges beside those of the trees of a chunk, sorted by sentence.

    sentence: in the chunk, from 0; word, node: what hangs there, the other being 0; parent: the phrase, 0 for the root.
    """

    sentence: Ints
    word: Ints
    node: Ints
    parent: Ints
    label: Field


@dataclass(frozen=True)
class TreeChunk:
    """The trees of a chunk. A field of length 0 is NULL.

    line: of every tree; leaf_offsets, node_offsets: (trees + 1,) where each one's leaves and nodes begin and end. Of
    leaves: form, tag, phrase (number of the node above, 0 for none), leaf_line. Of nodes in preorder: label, rest
    (functions), parent (0 for none), first, last, depth, continuous (None: all). texts: more columns of the words;
    sent_id: of the sentences; comments: of the sentences, where those of each begin and end, and their fields; spaced:
    whether a form may have a blank in it.
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
    comments: tuple[Ints, Field] | None = None
    secondary: SecondaryEdges | None = None
    spaced: bool = False


def tree_batch(trees: TreeChunk, path: str, state: State, options: Options) -> Batch:
    """The rows of every table that is wanted; `state` counts on."""
    made = {"sentences": _sentence_columns(trees, path), "words": _word_columns(trees, state, options)}
    if options.wants("constituents"):
        made["constituents"] = _constituent_columns(trees)
    if trees.secondary is not None and len(trees.secondary.sentence) and options.wants("secondary_edges"):
        made["secondary_edges"] = _secondary_columns(trees.text, trees.secondary)
    packed = {name for name in PACKED if options.wants(name)}
    if packed:
        made |= {name: columns for name, columns in _packed_columns(trees, state).items() if name in packed}
    batch = {name: record_batch(name, columns, state, options) for name, columns in made.items()}
    state.sentences += len(trees.line)
    return batch


def _sentence_columns(trees: TreeChunk, path: str) -> Columns:
    n, text, comments = len(trees.line), trees.text, trees.comments
    columns: dict[str, Callable[[], pa.Array | Ints | Flags]] = {
        "sentence": lambda: np.arange(n),
        "comments": lambda: (
            no_comments(n) if comments is None else list_array(comments[0], _strings(text, comments[1]))
        ),
        "file": lambda: repeated(path, n),
        "line": lambda: trees.line,
        "n_words": lambda: np.diff(trees.leaf_offsets),
    }
    sent_id = trees.sent_id
    if sent_id is not None:
        columns["sent_id"] = lambda: _strings(trees.text, sent_id)
    return columns


def _word_columns(trees: TreeChunk, state: State, options: Options) -> Columns:
    n = len(trees.phrase)
    columns: dict[str, Callable[[], pa.Array | Ints | Flags]] = {
        "sentence": lambda: group_of_items(trees.leaf_offsets),
        "word": lambda: np.arange(1, n + 1) - items_before_group(trees.leaf_offsets),
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
        uncounted = kernel.utf8_continuation_bytes(trees.text.raw)
        if not trees.spaced:  # far fewer to look among
            uncounted = uncounted[trees.text.raw[uncounted] != ord(" ")]
        width = kernel.count_characters(uncounted, *trees.form)
        ends = state.characters + np.cumsum(width)
        state.characters += int(width.sum())
        columns |= {"span_start": lambda: ends - width, "span_end": lambda: ends}
    return columns


def _constituent_columns(trees: TreeChunk) -> Columns:
    n = len(trees.parent)
    columns: dict[str, Callable[[], pa.Array | Ints | Flags]] = {
        "sentence": lambda: group_of_items(trees.node_offsets),
        "node": lambda: np.arange(1, n + 1) - items_before_group(trees.node_offsets),
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


def _secondary_columns(text: Text, edges: SecondaryEdges) -> Columns:
    return {
        "sentence": lambda: edges.sentence,
        "word": lambda: numbers(edges.word, pa.int32(), edges.word == 0),
        "node": lambda: numbers(edges.node, pa.int32(), edges.node == 0),
        "parent": lambda: numbers(edges.parent, pa.int32(), edges.parent == 0),
        "label": lambda: _strings(text, edges.label),
    }


def _packed_columns(trees: TreeChunk, state: State) -> dict[str, Columns]:
    """The rows of constituent_lists, and those of constituent_labels for labels that the corpus has not had so far."""
    from treesql.kernels import keys  # here, as few commands need it

    n_words = len(trees.phrase)
    tag = (np.zeros(n_words, np.int64), np.zeros(n_words, np.int64)) if trees.tag is None else trees.tag
    had = len(state.labels)
    offsets = (trees.node_offsets, trees.leaf_offsets)
    labels, tags, new = _number_labels(trees.text, (trees.label, tag), offsets, state)

    def of_phrases(values: Ints) -> Callable[[], pa.Array]:
        return lambda: list_array(trees.node_offsets, numbers(values, pa.int32()))

    def of_words(values: Ints) -> Callable[[], pa.Array]:
        return lambda: list_array(trees.leaf_offsets, numbers(values, pa.int32()))

    def forms() -> pa.Array:
        hashes = keys.hash_pieces(trees.text.raw, *trees.form)
        return list_array(trees.leaf_offsets, pa.Array.from_buffers(pa.uint64(), n_words, [None, pa.py_buffer(hashes)]))

    return {
        "constituent_lists": {
            "sentence": lambda: np.arange(len(trees.line)),
            "parent_list": of_phrases(trees.parent),
            "label_list": of_phrases(labels),
            "phrase_list": of_words(trees.phrase),
            "tag_list": of_words(tags),
            "form_list": forms,
        },
        "constituent_labels": {
            "number": lambda: np.arange(had + 1, len(state.labels) + 1),
            "label": lambda: _strings(trees.text, new),
        },
    }


def _number_labels(
    text: Text, fields: tuple[Field, Field], offsets: tuple[Ints, Ints], state: State
) -> tuple[Ints, Ints, Field]:
    """The numbers of the labels of phrases and the tags of words; and those that the corpus has not had so far.

    New ones are numbered in the order of the sentences and of the text in them, wherever it is cut into chunks: one
    that is absent has no place in the text.
    """
    from treesql.kernels import keys

    numbered = [keys.number_keys(keys.hash_pieces(text.raw, *field)) for field in fields]
    starts, lengths = (
        np.concatenate([field[part][firsts] for field, (_, firsts) in zip(fields, numbered, strict=True)])
        for part in (0, 1)
    )
    sentences = [
        np.searchsorted(starts, firsts, side="right") for starts, (_, firsts) in zip(offsets, numbered, strict=True)
    ]
    known, had = np.empty(len(starts), np.int64), len(state.labels)
    for place in np.lexsort((np.where(lengths, starts, -1), np.concatenate(sentences))).tolist():
        label = text.data[starts[place] : starts[place] + lengths[place]]
        known[place] = state.labels.setdefault(label, len(state.labels) + 1)
    _, new = np.unique(known, return_index=True)
    new = new[known[new] > had]
    (labels, firsts), (tags, _) = numbered
    return known[labels], known[len(firsts) + tags], (starts[new], lengths[new])


def _strings(text: Text, values: Field) -> pa.Array:
    """Fields, those of no length being NULL."""
    absent = values[1] == 0
    return text.strings(values, absent if absent.any() else None)


OPEN = b"--"
"""The mark of an open value in NEGRA's and TIGER's formats."""

ENDLESS, WORDLESS = 0, 1
"""Kinds of faults, as in treesql.kernels.trees.discontinuous_trees."""


class PhraseNumbers:
    """The phrases of a chunk in preorder, from the parents of words and phrases, counted from 1 in each sentence."""

    def __init__(self, leaf_offsets: Ints, node_offsets: Ints, above: Ints, parents: Ints) -> None:
        from treesql.kernels.trees import discontinuous_trees  # here, as few commands need it

        self.numbered = discontinuous_trees.number_phrases(leaf_offsets, node_offsets, above, parents)
        self._offsets = node_offsets
        sentence = np.repeat(np.arange(len(node_offsets) - 1), np.diff(node_offsets))
        self.order = self.numbered.order + node_offsets[sentence]
        self._numbers = np.zeros(len(parents), dtype=np.int64)
        self._numbers[self.order] = np.arange(1, len(parents) + 1) - node_offsets[sentence]

    def faults(self) -> Iterator[tuple[int, int]]:
        """The kind of each fault, and the phrase that has it, among all that were given."""
        for tree, kind, place in self.numbered.faults.tolist():
            yield kind, int(self._offsets[tree]) + place

    def of_phrases(self, sentence: Ints, places: Ints) -> Ints:
        """The numbers in preorder of phrases, by sentence and place among those given, from 1; 0 stays."""
        given = places > 0
        numbers = np.zeros(len(places), dtype=np.int64)
        numbers[given] = self._numbers[self._offsets[sentence[given]] + places[given] - 1]
        return numbers


def distinct_edges(data: bytes, edges: SecondaryEdges) -> SecondaryEdges:
    """Secondary edges without those that repeat another, in order."""
    from treesql.kernels import keys

    labels, _ = keys.number_keys(keys.hash_pieces(np.frombuffer(data, dtype=np.uint8), *edges.label))
    rows = np.stack([edges.sentence, edges.word, edges.node, edges.parent, labels])
    kept = np.sort(np.unique(rows, axis=1, return_index=True)[1])
    start, length = edges.label
    return SecondaryEdges(
        edges.sentence[kept], edges.word[kept], edges.node[kept], edges.parent[kept], (start[kept], length[kept])
    )


def without_open(data: bytes, starts: Ints, lengths: Ints) -> Field:
    """Fields of which those that are open have no length."""
    raw = np.frombuffer(data, dtype=np.uint8)
    is_open = lengths == len(OPEN)
    two = starts[is_open]
    is_open[is_open] = (raw[two] == OPEN[0]) & (raw[two + 1] == OPEN[1])
    return starts, np.where(is_open, 0, lengths)


def with_prefix(data: bytes, field: Field, prefix: bytes, unless: bytes | None = None) -> tuple[bytes, Field]:
    """The data with texts behind it that have a prefix, and where these stand; texts of no length stay.

    unless: a first byte of texts that get none.
    """
    from treesql.kernels import keys

    raw = np.frombuffer(data, dtype=np.uint8)
    starts, lengths = field
    which, firsts = keys.number_keys(keys.hash_pieces(raw, starts, lengths))
    texts = [data[starts[at] : starts[at] + lengths[at]] for at in firsts.tolist()]
    texts = [prefix + text if text and not (unless and text.startswith(unless)) else text for text in texts]
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    places = len(data) + np.cumsum(sizes) - sizes
    return b"".join([data, *texts]), (places[which], sizes[which])
