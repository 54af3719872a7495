"""CoNLL-U (Universal Dependencies): words, multiword tokens, empty nodes, enhanced dependencies, comments.

Small files are read together, as the array operations take as long for one of them as for a hundred: files with nothing
to say about; those with faults, warnings or another layout are read one by one.

Source: https://universaldependencies.org/format.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa

from treesql.kernels.arrays import Ints
from treesql.readers import STANDARD_COLUMNS, Batch, Options, State, names_other_columns
from treesql.readers.dependencies.columns import (
    WITH_FEATURES,
    RepeatedFeatures,
    SeenTexts,
    TenColumnRows,
    read_chunks,
    text_keys,
)
from treesql.readers.dependencies.enhanced_edges import read_edges
from treesql.readers.dependencies.sentences import Layout, Sentences
from treesql.readers.fields import Faults, Text, chosen, clean_text, numbers
from treesql.readers.source import HEAD_BYTES, MARK, FileLayout, Source
from treesql.runtime.arrays import call, cast, distinct, integers

SUFFIXES = (".conllu",)
KIND = "dependency"

LAYOUT = Layout(
    name="CoNLL-U",
    fields=(10,),
    column_names=STANDARD_COLUMNS,
    texts={"upos": 3, "xpos": 4, "feats": 5, "deprel": 7, "deps": 8, "misc": 9},
    final_blank_line=True,
    special_ids=True,
)


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The sentences of a CoNLL-U file, chunk by chunk. Raises InvalidInput."""
    chunks = source.chunks(limit=options.max_sentence)
    first = next(chunks)
    faults = Faults(source.name)
    if first.data.startswith(b"#") and names_other_columns(first.data[:HEAD_BYTES].decode("utf-8", "replace")):
        faults.add(1, "the first line names other columns than the ten of CoNLL-U", "read it with --from conllup")
        faults.raise_any()
    yield from read_chunks(chain([first], chunks), 1, source, state, options, LAYOUT, faults)


def text_to_join(source: Source, options: Options) -> bytes | None:
    """The bytes of a small file that `read_together` takes; None if it has to be read alone. Raises InvalidInput."""
    text = whole_text(source, options)
    return None if text is None or names_other_columns(text[:HEAD_BYTES].decode("utf-8", "replace")) else text


def read_together(texts: Mapping[str, bytes], options: Options, state: State | None = None) -> JoinedFiles | None:
    """The sentences of small files by name, without files that have warnings; None if there is a fault in any.

    state: of the corpus that all files are of, so that their rows go on from those that were read; None if each is one.
    """
    return read_joined(texts, options, LAYOUT, state)


_ODD = np.uint64(0x9E3779B97F4A7C15)
"""Multiplied with the number of a file, it makes the keys of its ids its own."""


@dataclass(frozen=True)
class JoinedFiles:
    """Files that were read together: their rows, as if each was read alone, one after the other.

    file_of: by table, of every row the number of its file among `names`. n_sentences, n_words: of every file;
    n_characters: of the text of all.
    """

    names: tuple[str, ...]
    rows: Batch
    file_of: Mapping[str, Ints]
    n_sentences: Ints
    n_words: Ints
    n_characters: int

    def add_to(self, state: State) -> None:
        """Count these files as read of their corpus."""
        ids = self.rows["sentences"]
        state.sent_ids = state.sent_ids or SeenTexts()
        if "sent_id" in ids.schema.names:
            state.sent_ids.add(ids["sent_id"])
        state.sentences += int(self.n_sentences.sum())
        state.characters += self.n_characters


def whole_text(source: Source, options: Options) -> bytes | None:
    """The bytes of a file that can be read with others; None if its layout deviates. Raises InvalidInput."""
    data = b"".join(chunk.data for chunk in source.chunks(limit=options.max_sentence))
    plain = source.layout == FileLayout() and data.endswith(b"\n\n") and not data.startswith((MARK, b"\n"))
    return data if plain and len(data) <= options.max_sentence else None


def read_joined(
    texts: Mapping[str, bytes], options: Options, layout: Layout, state: State | None
) -> JoinedFiles | None:
    """Read files by their bytes, without those that have something to warn of; None if there is a fault in any.

    texts: of files by name, as `whole_text` returns them. state: as for `read_together`.
    """
    if not texts:
        return None
    faults = Faults("")
    data = clean_text(b"".join(texts.values()), 1, False, faults)
    if faults.found:
        return None
    sentences = Sentences(Text(data + layout.absent), 1, layout, options, faults)
    sentences.check()
    edges = read_edges(sentences) if options.wants("enhanced_edges") else None
    if faults.found:
        return None
    table_rows = TenColumnRows(sentences, edges, state or State())
    rows = table_rows.batch("")
    files = _Files(texts, state)
    odd = files.with_warnings(sentences, rows)
    if odd:
        return read_joined({name: text for name, text in texts.items() if name not in odd}, options, layout, state)
    n_words = np.add.reduceat(sentences.n_words, files.first_sentence)
    return JoinedFiles(
        files.names, files.separate(sentences, rows), files.file_of, files.n_sentences, n_words, table_rows.n_characters
    )


class _Files:
    """Where files begin in a text that is made of them. state: of the corpus that all are of, None if each is one."""

    def __init__(self, texts: Mapping[str, bytes], state: State | None) -> None:
        self._state = state
        self.names = tuple(texts)
        self.n_sentences = np.array([text.count(b"\n\n") for text in texts.values()], dtype=np.int64)
        n_lines = np.array([text.count(b"\n") for text in texts.values()], dtype=np.int64)
        self.first_sentence = np.cumsum(self.n_sentences) - self.n_sentences
        self.lines_before = np.cumsum(n_lines) - n_lines
        self.of_sentence: Ints = np.repeat(np.arange(len(self.names)), self.n_sentences)
        self.file_of: dict[str, Ints] = {}

    def with_warnings(self, sentences: Sentences, rows: Batch) -> set[str]:
        """The files of which reading has to warn."""
        features = RepeatedFeatures()
        first = self._state.sentences if self._state else 0
        doubled = [features.sentences_of(rows[name]) - first for name in WITH_FEATURES if name in rows]
        places = [np.flatnonzero((sentences.n_roots > 1) | sentences.cyclic), *doubled]
        places.append(sentences.sentence_of_line[sentences.fields_with_blank_edges()[0]])
        if "sent_id" in rows["sentences"].schema.names:
            places.append(self._repeated_ids(rows["sentences"]["sent_id"]))
        return {self.names[file] for file in distinct(self.of_sentence[np.concatenate(places)]).tolist()}

    def _repeated_ids(self, ids: pa.Array) -> Ints:
        """The sentences with an id that one before has in the same corpus."""
        if self._state is not None:
            seen = self._state.sent_ids
            return np.flatnonzero((SeenTexts() if seen is None else seen).repeated(ids))
        ids = cast(ids, pa.large_string())
        known = np.flatnonzero(integers(cast(call("is_valid", ids), pa.int8())))
        keys = text_keys(call("drop_null", ids)) ^ (self.of_sentence[known].astype(np.uint64) * _ODD)
        order = np.argsort(keys, kind="stable")
        repeated: Ints = known[order[1:]][keys[order[1:]] == keys[order[:-1]]]
        return repeated

    def separate(self, sentences: Sentences, rows: Batch) -> Batch:
        """The rows with lines counted in each file, sentences and characters in each corpus, and the names of files."""
        if self._state is not None:
            first = self._state.sentences
            return {
                table: self._separate(table, batch, {"line": self.lines_before}, first) for table, batch in rows.items()
            }
        spans = rows["words"].schema.names
        starts = integers(rows["words"]["span_start"]) if "span_start" in spans else np.zeros(0, np.int64)
        first_words = sentences.offsets[self.first_sentence]
        before = {"sentence": self.first_sentence, "line": self.lines_before}
        before |= {name: starts[first_words] for name in ("span_start", "span_end") if len(starts)}
        return {table: self._separate(table, batch, before) for table, batch in rows.items()}

    def _separate(
        self, table: str, batch: pa.RecordBatch, before: Mapping[str, Ints], first: int = 0
    ) -> pa.RecordBatch:
        file = self.of_sentence[integers(batch["sentence"]) - first]
        self.file_of[table] = file
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        for name in before.keys() & columns.keys():
            columns[name] = numbers(integers(columns[name]) - before[name][file], columns[name].type)
        if "file" in columns:
            columns["file"] = chosen(self.names, file)
        return pa.RecordBatch.from_arrays(list(columns.values()), schema=batch.schema)
