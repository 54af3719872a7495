"""Files of ten columns, CoNLL-U and CoNLL-X: from chunks of bytes to Arrow batches, with faults and warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from treesql.errors import MAX_NAMED, Diagnostic
from treesql.kernels.arrays import Ints
from treesql.readers import Batch, Options, State
from treesql.readers.encoding import clean_text
from treesql.readers.enhanced_edges import read_edges
from treesql.readers.faults import Faults
from treesql.readers.fields import Text
from treesql.readers.rows import TenColumnRows
from treesql.readers.seen_texts import SeenTexts
from treesql.readers.sentences import Layout, Sentences
from treesql.readers.source import Chunk, Source
from treesql.runtime import arrays

FINDINGS = (
    ("with several roots", "they are scored as they are; --strict refuses them"),
    ("whose heads form a cycle", "they have no tree index"),
    ("with a repeated sent_id", "make every sent_id unique"),
    ("with a repeated feature in FEATS", "give every feature once, several values as A=1,2"),
)


def read_columns(source: Source, state: State, options: Options, layout: Layout) -> Iterator[Batch]:
    """The sentences of a file of this layout. Raises InvalidInput at the end if anything is wrong."""
    chunks = source.chunks(limit=options.max_sentence)
    yield from read_chunks(chunks, 1, source, state, options, layout, Faults(source.name))


def read_chunks(
    chunks: Iterable[Chunk],
    line: int,
    source: Source,
    state: State,
    options: Options,
    layout: Layout,
    faults: Faults,
) -> Iterator[Batch]:
    """The sentences of chunks of a file. line: their first one; faults: found above. Raises InvalidInput at the end."""
    state.sent_ids = state.sent_ids or SeenTexts()
    notes = SentenceWarnings(state.sent_ids)
    width, empty = 0, True
    for chunk in chunks:
        data = _clean_chunk(chunk, line, source, layout, faults)
        if not data:
            continue
        sentences = Sentences(Text(data + layout.absent), line, layout, options, faults, width)
        sentences.check()
        edges = read_edges(sentences) if options.wants("enhanced_edges") else None
        line, width = line + sentences.n_lines, sentences.width_found
        empty = empty and not (sentences.is_row | sentences.comment).any()
        if faults.full:
            break
        if not faults.found:
            rows = TenColumnRows(sentences, edges, state)
            batch = rows.batch(source.name)
            notes.add(sentences, batch, state.sentences)
            yield batch
            state.sentences += sentences.n
            state.cyclic |= bool(sentences.cyclic.any())
            state.characters += rows.n_characters
    if empty:
        faults = Faults(source.name)
        faults.add(0, "the file is empty", "give a file with at least one sentence")
    faults.raise_any()
    state.warnings += notes.warnings(source.name)


def _clean_chunk(chunk: Chunk, first: int, source: Source, layout: Layout, faults: Faults) -> bytes:
    """The chunk's bytes, ready to be scanned: with a blank line behind the last sentence, whose lack is noted.

    Faults of encoding and line ends are reported, each once in a file, and fixed. first: number of its first line.
    """
    data = clean_text(chunk.data, first, chunk.last, faults)
    if not chunk.last or not data.strip(b"\n") or data.endswith(b"\n\n"):
        return data
    if layout.final_blank_line:
        source.layout.no_newline = not data.endswith(b"\n")
        source.layout.no_blank_line = not source.layout.no_newline
    return data.rstrip(b"\n") + b"\n\n"


WITH_FEATURES = ("words", "tokens", "empty_nodes")
"""Tables with a column for FEATS."""


class SentenceWarnings:
    """Warnings about the sentences of a file: several roots, cycles, repeated ids and features, blanks in fields.

    seen: the sent_ids of the files of the corpus before.
    """

    def __init__(self, seen: SeenTexts) -> None:
        self._several, self._cyclic, self._repeated, self._doubled = (Finding(*texts) for texts in FINDINGS)
        self._seen = seen
        self._features = RepeatedFeatures()
        self._blanks: dict[str, tuple[int, int, int, str]] = {}

    def add(self, sentences: Sentences, batch: Batch, first: int) -> None:
        """Add the sentences of a chunk. batch: their rows; first: the number of the first one."""
        rows = batch["sentences"]
        known = "sent_id" in rows.schema.names
        ids = rows["sent_id"] if known else pa.nulls(sentences.n, pa.string())
        lines = sentences.first_line + sentences.first_lines(np.arange(sentences.n))
        self._add_blanks(sentences)
        for finding, which in (
            (self._several, np.flatnonzero(sentences.n_roots > 1)),
            (self._cyclic, np.flatnonzero(sentences.cyclic)),
            (self._repeated, np.flatnonzero(self._seen.add(ids))),
        ):
            if len(which):
                named = which[:MAX_NAMED]
                finding.add(np.arange(len(named)), [ids[int(at)].as_py() for at in named], lines[named], len(which))
        which, lines = self._repeated_features(sentences, batch)
        if len(which):
            names = [ids[int(at)].as_py() for at in which[:MAX_NAMED] - first]
            placed = [name and f"{name} (line {line})" for name, line in zip(names, lines, strict=False)]
            self._doubled.add(np.arange(len(placed)), placed, lines, len(which))

    def _repeated_features(self, sentences: Sentences, batch: Batch) -> tuple[Ints, Ints]:
        """The sentences in which a row has a feature twice, and the line of the first such row of each."""
        of_tables = {
            "words": sentences.word_lines,
            "tokens": sentences.rows[sentences.ranges.rows],
            "empty_nodes": sentences.rows[sentences.empty.rows],
        }
        where, lines = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for name in (one for one in WITH_FEATURES if one in batch):
            which = self._features.rows_of(batch[name])
            where.append(np.asarray(batch[name]["sentence"], dtype=np.int64)[which])
            lines.append(sentences.first_line + of_tables[name][which])
        numbers, places = np.concatenate(where), np.concatenate(lines)
        if not len(numbers):
            return numbers, places
        order = np.lexsort((places, numbers))
        found, at = np.unique(numbers[order], return_index=True)
        return found, places[order][at]

    def _add_blanks(self, sentences: Sentences) -> None:
        """Add the fields with blanks at their edges: by column how many there are, and the first of them."""
        lines, columns, fields = sentences.fields_with_blank_edges()
        for at, (line, column) in enumerate(zip(lines.tolist(), columns.tolist(), strict=True)):
            name = sentences.layout.column_names[column]
            if name in self._blanks:
                n, of_line, of_column, quoted = self._blanks[name]
                self._blanks[name] = (n + 1, of_line, of_column, quoted)
            else:
                begin, start = int(sentences.line_starts[line]), int(fields[0][at])
                place = len(sentences.text.data[begin:start].decode("utf-8", "replace")) + 1
                self._blanks[name] = (1, sentences.first_line + line, place, sentences.text.quote(fields, at))

    def warnings(self, path: str) -> list[Diagnostic]:
        """One warning for each kind of finding, and for each column with blanks at the edges of its values."""
        findings = (self._several, self._cyclic, self._repeated, self._doubled)
        found = [finding.warning(path) for finding in findings if finding.count]
        for name, (n, line, column, shown) in self._blanks.items():
            noun = "value has a blank" if n == 1 else "values have blanks"
            what = f"{n} {noun} at the edge of {name}, first {shown}"
            found.append(
                Diagnostic.warning(path, line, what, "it is another value than without; remove blanks", column)
            )
        return found


class RepeatedFeatures:
    """Finds FEATS that name a feature twice. Every string is checked once."""

    def __init__(self) -> None:
        self._repeats: dict[str | None, bool] = {}

    def sentences_of(self, rows: pa.RecordBatch) -> Ints:
        """The sentences of rows whose FEATS name a feature twice."""
        found: Ints = np.asarray(rows["sentence"], dtype=np.int64)[self.rows_of(rows)]
        return found

    def rows_of(self, rows: pa.RecordBatch) -> Ints:
        """The numbers, from 0, of rows whose FEATS name a feature twice."""
        if "feats" not in rows.schema.names:
            return np.zeros(0, dtype=np.int64)
        strings = arrays.cast(rows["feats"], pa.large_string())
        distinct = arrays.call("unique", strings).to_pylist()
        for feats in set(distinct) - self._repeats.keys():
            features = [feature.partition("=")[0] for feature in (feats or "").split("|") if feature]
            self._repeats[feats] = len(set(features)) < len(features)
        if not any(map(self._repeats.__getitem__, distinct)):
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero([self._repeats[feats] for feats in strings.to_pylist()])


class Finding:
    """Sentences of one kind: how many, the first few by name, and the line of the first. noun: what lines are."""

    def __init__(self, what: str, hint: str, noun: str = "line") -> None:
        self._what, self.hint, self._noun = what, hint, noun
        self.count, self._line = 0, 0
        self._names: list[str] = []

    def add(self, sentences: Ints, ids: list[str | None], lines: Ints, count: int | None = None) -> None:
        """Add sentences of a chunk. count: their number, where `sentences` has only those to be named."""
        if len(sentences) and not self.count:
            self._line = int(lines[sentences[0]])
        self.count += len(sentences) if count is None else count
        for at in sentences[: MAX_NAMED - len(self._names)].tolist():
            self._names.append(ids[at] or f"{self._noun} {lines[at]}")

    @property
    def what(self) -> str:
        """The sentences in words."""
        noun = "sentence" if self.count == 1 else "sentences"
        names = ", ".join(self._names) + (", ..." if self.count > MAX_NAMED else "")
        return f"{self.count} {noun} {self._what}: {names}"

    def warning(self, path: str) -> Diagnostic:
        """The warning about these sentences."""
        return Diagnostic.warning(path, self._line, self.what, self.hint)
