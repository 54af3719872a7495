"""Files of ten columns, CoNLL-U and CoNLL-X: from chunks of bytes to Arrow batches, with faults and warnings.

What reading has to report is found first, then the rows of checked sentences, the metadata in their comments, and which
sent_ids were there before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.errors import MAX_NAMED, Diagnostic
from treesql.kernels.arrays import Flags, Ints, Keys, positions_in_list
from treesql.kernels.scanning import text as kernel
from treesql.kernels.trees import trees
from treesql.readers import STANDARD_COLUMNS, Batch, Options, State
from treesql.readers.dependencies.enhanced_edges import Edges, read_edges
from treesql.readers.dependencies.sentences import Layout, Sentences
from treesql.readers.fields import Faults, Field, Text, chosen, clean_text, numbers, repeated, take
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
        for name in (column for column in WITH_FEATURES if column in batch):
            which = self._features.rows_of(batch[name])
            where.append(np.asarray(batch[name]["sentence"], dtype=np.int64)[which])
            lines.append(sentences.first_line + of_tables[name][which])
        numbers, places = np.concatenate(where), np.concatenate(lines)
        if not len(numbers):
            return numbers, places
        order = np.lexsort((places, numbers))
        repeated, at = np.unique(numbers[order], return_index=True)
        return repeated, places[order][at]

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
        diagnostics = [finding.warning(path) for finding in findings if finding.count]
        for name, (n, line, column, shown) in self._blanks.items():
            noun = "value has a blank" if n == 1 else "values have blanks"
            what = f"{n} {noun} at the edge of {name}, first {shown}"
            diagnostics.append(
                Diagnostic.warning(path, line, what, "it is another value than without; remove blanks", column)
            )
        return diagnostics


class RepeatedFeatures:
    """Finds FEATS that name a feature twice. Every string is checked once."""

    def __init__(self) -> None:
        self._repeats: dict[str | None, bool] = {}

    def sentences_of(self, rows: pa.RecordBatch) -> Ints:
        """The sentences of rows whose FEATS name a feature twice."""
        sentences: Ints = arrays.integers(rows["sentence"])[self.rows_of(rows)]
        return sentences

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


Columns = dict[str, pa.Array | Ints]

N_STANDARD = len(STANDARD_COLUMNS)
"""Number of columns of CoNLL-U, after which further ones are numbered."""


class TenColumnRows:
    """The rows of checked sentences. After `batch`, `n_characters` is the length of their text.

    edges: the enhanced edges of the sentences, None where these are not read.
    """

    def __init__(self, sentences: Sentences, edges: Edges | None, state: State) -> None:
        self.of, self.edges, self.state = sentences, edges, state
        self.n_characters = 0

    def batch(self, path: str) -> Batch:
        """The rows of every table that is wanted."""
        made = {"sentences": self._sentences(path), "words": self._words()}
        if self.of.layout.special_ids:
            others = {"tokens": self._tokens, "empty_nodes": self._empty_nodes, "enhanced_edges": self._enhanced_edges}
            if self.of.layout.further:
                others |= {
                    "word_columns": self._word_columns,
                    "token_columns": self._token_columns,
                    "empty_node_columns": self._empty_node_columns,
                }
            made |= {name: make() for name, make in others.items() if self.of.options.wants(name)}
        return {name: self._record_batch(name, columns) for name, columns in made.items()}

    def _record_batch(self, table: str, columns: Columns) -> pa.RecordBatch:
        """Columns in the table's order and types; `sentence` counts on from the sentences before."""
        columns["sentence"] = columns["sentence"] + self.state.sentences
        schema, types = self._schema_of(table)
        values = [(columns[name], kind) for name, kind in types.items()]
        arrays = [numbers(v, kind) if isinstance(v, np.ndarray) else v for v, kind in values]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _schema_of(self, table: str) -> tuple[pa.Schema, dict[str, pa.DataType]]:
        """The schema of the rows of a table, and the type of each of its columns that is read."""
        columns = self.of.options.columns
        return _schema(table, None if columns is None else columns.get(table, frozenset()))

    def _sentences(self, path: str) -> Columns:
        wanted = self._schema_of("sentences")[1]
        first = self.of.first_lines(np.arange(self.of.n))
        lines = np.flatnonzero(self.of.comment)
        field = (self.of.line_starts[lines], self.of.line_ends[lines] - self.of.line_starts[lines])
        columns: Columns = {
            "sentence": np.arange(self.of.n),
            "file": repeated(path, self.of.n),
            "line": self.of.first_line + first,
            "n_words": self.of.n_words,
        }
        if "comments" in wanted:
            offsets = np.searchsorted(lines, np.concatenate([first, [len(self.of.comment)]]))
            columns["comments"] = pa.ListArray.from_arrays(numbers(offsets, pa.int32()), self.of.text.strings(field))
        names = [name for name in METADATA if name in wanted]
        columns |= find_metadata(self.of.text, field, self.of.sentence_of_line[lines], self.of.n, names)
        return columns

    def _words(self) -> Columns:
        wanted = self._schema_of("words")[1]
        forms = self.of.text.views(self.of.word_field(1))
        columns: Columns = {
            "sentence": self.of.sentence,
            "word": self.of.position,
            "form": self.of.text.array(forms),
            "line": self.of.first_line + self.of.word_lines,
        }
        columns |= self._texts("words", self.of.word_field)
        if "head" in wanted:
            columns["head"] = numbers(self.of.head, pa.int32(), self.of.unparsed[self.of.sentence])
        if "lemma" in wanted:
            columns["lemma"] = self._lemmas(self.of.word_field)
        if not wanted.keys().isdisjoint(trees.TreeIndex._fields):
            columns |= self._tree_index()
        parts, token = self._parts()
        if "multiword" in wanted:
            multiword = np.zeros(len(self.of.word_rows), dtype=bool)
            multiword[parts] = True
            columns["multiword"] = multiword
        if not wanted.keys().isdisjoint(("span_start", "span_end")):
            columns |= self._spans(forms, parts, token)
        return columns

    def _texts(self, table: str, column_of: Callable[[int], Field]) -> dict[str, pa.Array]:
        """The columns that are taken as they stand, `_` being NULL."""
        wanted = self._schema_of(table)[1]
        texts = {
            name: self.of.text.values(column_of(at)) for name, at in self.of.layout.texts.items() if name in wanted
        }
        if not self.of.layout.special_ids and "deps" in wanted:
            texts["deps"] = pa.nulls(len(self.of.word_rows), pa.string_view())
        if not self.of.layout.special_ids and "misc" in wanted:
            texts["misc"] = self._projective_heads(column_of)
        return texts

    def _projective_heads(self, column_of: Callable[[int], Field]) -> pa.Array:
        """CoNLL-X's PHEAD and PDEPREL as `PHEAD=3|PDEPREL=OBJ`; NULL where both are open or missing."""
        if self.of.width < 10:
            return pa.nulls(len(self.of.word_rows), pa.string_view())
        import pyarrow.compute as pc

        parts = []
        for at, name in ((8, "PHEAD="), (9, "PDEPREL=")):
            value = self.of.text.values(column_of(at)).cast(pa.string())
            parts.append(pc.binary_join_element_wise(name, value, ""))
        return pc.coalesce(pc.binary_join_element_wise(*parts, "|"), *parts).cast(pa.string_view())

    def _lemmas(self, column_of: Callable[[int], Field]) -> pa.Array:
        """LEMMA; `_` is the lemma of the word `_`, and an open value elsewhere."""
        field = column_of(2)
        if self.of.layout.places[2] is None:
            return self.of.text.values(field)
        absent = self.of.text.is_open(field) & ~self.of.text.is_open(column_of(1))
        return self.of.text.strings(field, absent)

    def _tree_index(self) -> dict[str, pa.Array]:
        index = trees.index_trees(self.of.parents, self.of.offsets, self.of.walks)
        absent = (self.of.unparsed | self.of.cyclic)[self.of.sentence]
        types = {name: pa.bool_() if name == "projective" else pa.int32() for name in trees.TreeIndex._fields}
        return {name: numbers(values, types[name], absent) for name, values in index._asdict().items()}

    def _parts(self) -> tuple[Ints, Ints]:
        """The words of multiword tokens, and the first word of the token of each."""
        r = self.of.ranges
        first = self._first_parts()
        n_parts = r.second - r.first + 1
        token = np.repeat(first, n_parts)
        return token + positions_in_list(n_parts), token

    def _first_parts(self) -> Ints:
        """The first word of every multiword token."""
        return self.of.offsets[self.of.ranges.sentence] + self.of.ranges.first - 1

    def _spans(self, forms: Keys, parts: Ints, token: Ints) -> dict[str, Ints]:
        """Character spans of the words, those of a multiword token having the token's. forms: views of the words."""
        uncounted = kernel.utf8_continuation_bytes(self.of.text.raw)
        field = self.of.word_field(1)
        width = field[1].copy()
        some = np.flatnonzero(kernel.may_have_uncounted(forms, width))
        width[some] = kernel.count_characters(uncounted, *take(field, some))
        width[parts] = 0
        width[self._first_parts()] = kernel.count_characters(uncounted, *self.of.field(1, self.of.ranges.rows))
        ends = self.state.characters + np.cumsum(width)
        starts = ends - width
        starts[parts], ends[parts] = starts[token], ends[token]
        self.n_characters = int(width.sum())
        return {"span_start": starts, "span_end": ends}

    def _tokens(self) -> Columns:
        r = self.of.ranges
        column_of = partial(self.of.field, rows=r.rows)
        columns: Columns = {
            "sentence": r.sentence,
            "first": r.first,
            "last": r.second,
            "form": self.of.text.strings(column_of(1)),
            "lemma": self._lemmas(column_of),
            "line": self.of.first_line + self.of.rows[r.rows],
        }
        return columns | self._texts("tokens", column_of)

    def _empty_nodes(self) -> Columns:
        e = self.of.empty
        column_of = partial(self.of.field, rows=e.rows)
        columns: Columns = {
            "sentence": e.sentence,
            "word": e.first,
            "index": e.second,
            "form": self.of.text.values(column_of(1)),
            "lemma": self.of.text.values(column_of(2)),
            "line": self.of.first_line + self.of.rows[e.rows],
        }
        return columns | self._texts("empty_nodes", column_of)

    def _word_columns(self) -> Columns:
        return self._further_columns(self.of.word_rows, {"sentence": self.of.sentence, "word": self.of.position})

    def _token_columns(self) -> Columns:
        r = self.of.ranges
        return self._further_columns(r.rows, {"sentence": r.sentence, "first": r.first})

    def _empty_node_columns(self) -> Columns:
        e = self.of.empty
        return self._further_columns(e.rows, {"sentence": e.sentence, "word": e.first, "index": e.second})

    def _further_columns(self, rows: Ints, keys: dict[str, Ints]) -> Columns:
        """The values of the columns that CoNLL-U does not have, row by row, those that are open left out.

        keys: where the rows are.
        """
        names = self.of.layout.further
        fields = [self.of.field(N_STANDARD + at, rows) for at in range(len(names))]
        starts, lengths = (np.stack(part, axis=1).ravel() for part in zip(*fields, strict=True))
        filled = np.flatnonzero(~self.of.text.is_open((starts, lengths)))
        row, column = np.divmod(filled, len(names))
        columns: Columns = {name: key[row] for name, key in keys.items()}
        columns["name"] = chosen(names, column)
        columns["value"] = self.of.text.strings((starts[filled], lengths[filled]))
        return columns

    def _enhanced_edges(self) -> Columns:
        assert self.edges is not None
        *numbers, relation = self.edges
        names = ("sentence", "head", "head_index", "dependent", "dependent_index")
        return dict(zip(names, numbers, strict=True)) | {"deprel": self.of.text.strings(relation)}


@cache
def _schema(table: str, wanted: frozenset[str] | None) -> tuple[pa.Schema, dict[str, pa.DataType]]:
    """The schema of the rows of a table, and the type of each column; kept, as a small file takes less time than it."""
    schema = schemas.table(table).arrow_schema(wanted).remove(0)
    fields = [field for field in schema if field.name != "phrase"]  # there is none in these trees
    return pa.schema(fields), {field.name: field.type for field in fields}


METADATA = {"sent_id": b"", "text": b"", "newdoc": b"id", "newpar": b"id"}
"""Columns of sentences that comments define, with what may stand between the key and the `=`."""


def find_metadata(text: Text, comments: Field, sentence: Ints, n: int, names: Iterable[str]) -> dict[str, pa.Array]:
    """Columns of METADATA for n sentences; where a key stands twice, the first counts. sentence: of every comment."""
    starts, lengths = kernel.trim(text.raw, comments[0] + 1, comments[1] - 1)
    values = {}
    for key in names:
        suffix = METADATA[key]
        here = np.flatnonzero(kernel.starts_with(text.windows, key.encode(), starts, lengths))
        rest = kernel.trim(text.raw, starts[here] + len(key), lengths[here] - len(key))
        bare = np.flatnonzero(rest[1] == 0) if suffix else here[:0]
        if suffix:
            named = kernel.starts_with(text.windows, suffix, *rest)
            rest = kernel.trim(text.raw, rest[0] + len(suffix) * named, rest[1] - len(suffix) * named)
        given = kernel.starts_with(text.windows, b"=", *rest)
        given[bare] = True
        skip = (rest[1] > 0).astype(np.int64)
        field = kernel.trim(text.raw, rest[0] + skip, rest[1] - skip)
        values[key] = _first_of_each(text, take(field, given), sentence[here[given]], n)
    return values


def _first_of_each(text: Text, field: Field, sentence: Ints, n: int) -> pa.Array:
    first = np.flatnonzero(arrays.differs_from_previous(sentence))
    sentences = sentence[first]
    starts, lengths = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    starts[sentences], lengths[sentences] = field[0][first], field[1][first]
    absent = np.ones(n, dtype=bool)
    absent[sentences] = False
    return text.strings((starts, lengths), absent)


_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


class SeenTexts:
    """The keys of texts, in sorted runs, each more than twice as long as the next.

    Texts are compared by 64-bit keys: the probability that any two of a million different ones are taken for the same
    is 3e-8.
    """

    def __init__(self) -> None:
        self._runs: list[Keys] = []

    def add(self, texts: pa.Array) -> Flags:
        """Add texts; returns which of them were there before, or earlier among them. NULL is no text."""
        repeated, keys = self._compare(texts)
        self._keep(keys)
        return repeated

    def repeated(self, texts: pa.Array) -> Flags:
        """Which texts `add` would return, without adding them."""
        return self._compare(texts)[0]

    def _compare(self, texts: pa.Array) -> tuple[Flags, Keys]:
        """Which texts are repeated, and the keys of the others, sorted."""
        known = np.flatnonzero(np.asarray(arrays.call("is_valid", texts)))
        repeated = np.zeros(len(texts), dtype=bool)
        if not len(known):
            return repeated, np.zeros(0, np.uint64)
        keys = text_keys(arrays.call("drop_null", arrays.cast(texts, pa.large_string())))
        order: Ints = np.argsort(keys, kind="stable")
        keys = keys[order]
        again = np.append(False, keys[1:] == keys[:-1])
        for run in self._runs:
            places = np.minimum(np.searchsorted(run, keys), len(run) - 1)
            again |= run[places] == keys
        repeated[known[order]] = again
        return repeated, keys[~again]

    def _keep(self, keys: Keys) -> None:
        if len(keys):
            self._runs.append(keys)
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]))


def text_keys(texts: pa.Array) -> Keys:
    """The same as treesql.kernels.keys.of_pieces, by array operations over distinct texts: without the compiler."""
    encoded = arrays.call("dictionary_encode", arrays.cast(texts, pa.large_string()))
    _, buffer, data = encoded.dictionary.buffers()
    n = len(encoded.dictionary)
    offsets = np.frombuffer(buffer, np.int64, n + 1, encoded.dictionary.offset * 8) if n else np.zeros(1, np.int64)
    raw = np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8)
    order = np.argsort(-np.diff(offsets), kind="stable")
    starts, lengths = offsets[:-1][order], np.diff(offsets)[order]
    keys = np.full(n, _BASIS)
    for place in range(int(lengths.max(initial=0))):
        longer = int(np.searchsorted(-lengths, -place, side="left"))
        keys[:longer] = (keys[:longer] ^ raw[starts[:longer] + place].astype(np.uint64)) * _PRIME
    keys_of_texts = np.empty(n, np.uint64)
    keys_of_texts[order] = keys
    return np.asarray(keys_of_texts[np.asarray(encoded.indices)])
