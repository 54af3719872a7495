"""The rows of a chunk of a ten-column file, as Arrow batches of schemas/."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.kernels import text as kernel
from treesql.kernels import trees
from treesql.kernels.arrays import Ints, Keys, positions_in_list
from treesql.readers import Batch, State
from treesql.readers.enhanced_edges import Edges
from treesql.readers.fields import Field, chosen, numbers, repeated, take
from treesql.readers.global_columns import STANDARD
from treesql.readers.metadata import METADATA, find_metadata
from treesql.readers.sentences import Sentences

Columns = dict[str, pa.Array | Ints]

N_STANDARD = len(STANDARD)
"""Number of columns of CoNLL-U, after which further ones are numbered."""


class TenColumnRows:
    """The rows of checked sentences. After `batch`, `n_characters` is the length of their text.

    edges: the enhanced edges of the sentences, None where these are not read.
    """

    def __init__(self, of: Sentences, edges: Edges | None, state: State) -> None:
        self.of, self.edges, self.state = of, edges, state
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
        wanted = None if self.of.options.columns is None else self.of.options.columns.get(table, frozenset())
        schema, types = _schema(table, wanted)
        values = [(columns[name], kind) for name, kind in types.items()]
        arrays = [numbers(v, kind) if isinstance(v, np.ndarray) else v for v, kind in values]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _sentences(self, path: str) -> Columns:
        first = self.of.first_lines(np.arange(self.of.n))
        lines = np.flatnonzero(self.of.comment)
        field = (self.of.line_starts[lines], self.of.line_ends[lines] - self.of.line_starts[lines])
        columns: Columns = {
            "sentence": np.arange(self.of.n),
            "file": repeated(path, self.of.n),
            "line": self.of.first_line + first,
            "n_words": self.of.n_words,
        }
        if self.of.options.wants("sentences", "comments"):
            offsets = np.searchsorted(lines, np.concatenate([first, [len(self.of.comment)]]))
            columns["comments"] = pa.ListArray.from_arrays(numbers(offsets, pa.int32()), self.of.text.strings(field))
        names = [name for name in METADATA if self.of.options.wants("sentences", name)]
        columns |= find_metadata(self.of.text, field, self.of.sentence_of_line[lines], self.of.n, names)
        return columns

    def _words(self) -> Columns:
        forms = self.of.text.views(self.of.word_field(1))
        columns: Columns = {
            "sentence": self.of.sentence,
            "word": self.of.position,
            "form": self.of.text.array(forms),
            "line": self.of.first_line + self.of.word_lines,
        }
        columns |= self._texts("words", self.of.word_field)
        if self.of.options.wants("words", "head"):
            columns["head"] = numbers(self.of.head, pa.int32(), self.of.unparsed[self.of.sentence])
        if self.of.options.wants("words", "lemma"):
            columns["lemma"] = self._lemmas(self.of.word_field)
        if any(self.of.options.wants("words", name) for name in trees.TreeIndex._fields):
            columns |= self._tree_index()
        parts, token = self._parts()
        if self.of.options.wants("words", "multiword"):
            multiword = np.zeros(len(self.of.word_rows), dtype=bool)
            multiword[parts] = True
            columns["multiword"] = multiword
        if any(self.of.options.wants("words", name) for name in ("span_start", "span_end")):
            columns |= self._spans(forms, parts, token)
        return columns

    def _texts(self, table: str, column_of: Callable[[int], Field]) -> dict[str, pa.Array]:
        """The columns that are taken as they stand, `_` being NULL."""
        texts = {
            name: self.of.text.values(column_of(at))
            for name, at in self.of.layout.texts.items()
            if self.of.options.wants(table, name)
        }
        if not self.of.layout.special_ids and self.of.options.wants(table, "deps"):
            texts["deps"] = pa.nulls(len(self.of.word_rows), pa.string_view())
        if not self.of.layout.special_ids and self.of.options.wants(table, "misc"):
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
        uncounted = kernel.uncounted_bytes(self.of.text.raw)
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
