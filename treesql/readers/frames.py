"""Data frames in place of files: whatever has `__arrow_c_stream__`, as the rows of a table of schemas/ without
`corpus`, or a mapping of names of tables to such frames.

Here columns get the types of schemas/, and rows the order of their keys. Sentences keep the numbers that the frame has;
those that `numbered` gives out are the schema's, from 0. What follows from other rows is derived by
`storage/frames.py`, which checks the rows, too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.catalog.kinds import KINDS, SENSES, USUAL
from treesql.catalog.schemas import Table, TableColumn
from treesql.errors import Diagnostic, Incomparable, InvalidInput
from treesql.kernels.arrays import Ints
from treesql.readers import ALIGNMENT, DEPENDENCY, LATTICE, NBEST, TEXT, formats
from treesql.readers.source import Content
from treesql.runtime.arrays import array_of, differs_from_previous, distinct, integers
from treesql.runtime.arrays import compute as pc

MAIN = {DEPENDENCY: "words", "constituency": "constituents", TEXT: "words", ALIGNMENT: "alignments",
        LATTICE: "lattice_edges", NBEST: "hypotheses"}  # fmt: skip
"""By kind of corpora, the table that a single frame is, and that stands for its name in signatures."""

MARKS = {"alignments": ("source", "target"), "lattice_edges": ("from_node", "to_node"), "hypotheses": ("rank",),
         "words": ("word",)}  # fmt: skip
"""By table, the columns that a single frame is known by where nothing says which table it is."""

DEFAULTS: Mapping[tuple[str, str], object] = {
    ("alignments", "sure"): True, ("lattice_edges", "scores"): [], ("hypotheses", "features"): [],
    ("hypotheses", "feature_names"): [], ("lattices", "n_finals"): 1,
}  # fmt: skip
"""By table and column, the value of all rows of frames without the column."""

PLACES = frozenset({"file", "line"})
"""Columns that say where a row stands in a file: in frames without them the frame, and the number of the sentence."""

_FORMATS = {**USUAL, ALIGNMENT: "wpt"}
"""By kind, the format that frames are taken to be of: that of links with numbers of sentences, of which some may be
missing; otherwise the usual one."""

_RECORD = "corpora"
_KEPT = ("kind", "format", "treebank", "language", "reading", "score_sense", "files", "layouts", "global_columns")
"""Columns of a record that are taken from frames."""


class Frames(Content):
    """Tables in place of a file. The text is the name by which messages cite it.

    tables: Arrow tables of schemas/ by name, sorted by their keys, with the sentence numbers of the frames; kind: of
    the corpus; record: what `corpora` says; several: whether they came as a mapping. numbers: the sentences, ascending.
    forms: those of words that have none, from another corpus of the text.
    """

    tables: Mapping[str, pa.Table]
    kind: str
    record: Mapping[str, Any]
    several: bool
    numbers: Ints
    forms: pa.ChunkedArray | None = None

    @property
    def form(self) -> str:
        """The format that rows are written in to a file, and whose rules for names and links hold."""
        return str(self.record.get("format") or _FORMATS[self.kind])

    @property
    def reading(self) -> list[str]:
        """The options of reading that its record names."""
        return str(self.record.get("reading") or "").split()

    @property
    def lists_sentences(self) -> bool:
        """Whether all sentences have rows: of links alone, only those that have some."""
        return self.kind != ALIGNMENT or "sentences" in self.tables

    @property
    def lacks_forms(self) -> bool:
        """Whether its words have no forms."""
        return "words" in self.tables and "form" not in self.tables["words"].column_names

    @property
    def counts_lines(self) -> bool:
        """Whether lines count sentences, as the frames say of none in which line of a file it stands."""
        return "sentences" not in self.tables or "line" not in self.tables["sentences"].column_names

    @cached_property
    def sha256(self) -> str:
        """Hexadecimal digest of the rows, but for what is derived and says where they stand."""
        digest = hashlib.sha256()
        for name, rows in sorted(self.tables.items()):
            table = schemas.table(name)
            if is_derived(table):
                continue
            digest.update(f"{name} {len(rows)}\n".encode())
            made = derived_columns(table) | PLACES
            for column in sorted(set(rows.column_names) - made):
                if rows[column].null_count < len(rows):
                    digest.update(f"{column}\n".encode())
                    _add_values(digest, rows[column].combine_chunks())
        return digest.hexdigest()

    def place(self, table: str, key: Mapping[str, object]) -> str:
        """A row as errors name it: `sentence 12, word 3`, in the numbers of the frame."""
        parts = [f"{name} {value}" for name, value in key.items() if name != "sentence"]
        if isinstance(number := key.get("sentence"), int) and 0 <= number < len(self.numbers):
            parts.insert(0, f"sentence {self.numbers[number]}")
        return ", ".join(parts) + (f" of {table}" if self.several and table != "sentences" else "")

    def fault(self, what: str, hint: str) -> InvalidInput:
        """The error of the frames."""
        return InvalidInput([Diagnostic.error(self, 0, what, hint)])


def as_frames(value: Any, name: str, kind: str | None = None) -> Frames:
    """A data frame, or a mapping of names of tables to some, as what is read in place of a file.

    name: by which messages cite it. kind: of corpora that are wanted, None for any; a text may be of another kind that
    has words. Raises InvalidInput.
    """
    several = isinstance(value, Mapping)
    given = {str(key): frame for key, frame in value.items()} if several else {"": value}
    arrow = {key: arrow_table(frame, f"{name}: {key}" if key else name) for key, frame in given.items()}
    record = _record(name, arrow.pop(_RECORD)) if _RECORD in arrow else {}
    if several:
        known = {table.name for table in schemas.corpus_tables() if not is_derived(table)}
        arrow = {key: rows for key, rows in arrow.items() if key in known}  # others are derived, or not of a corpus
        kind = record.get("kind") or _kind_of_tables(arrow, kind)
    else:
        table = _table_of(name, arrow[""], kind)
        arrow, kind = {table: arrow[""]}, kind or _kind_of_tables({table: arrow[""]}, None)
    frames = Frames(name, b"", MAIN[kind])
    frames.kind, frames.record, frames.several = kind, record, several
    frames.tables = {key: _typed(frames, schemas.table(key), rows) for key, rows in arrow.items()}
    _check_filled(frames)
    frames.numbers = distinct_sentences(
        integers(rows["sentence"]) for rows in frames.tables.values() if "sentence" in rows.column_names
    )
    return frames


def derived_columns(table: Table) -> set[str]:
    """The columns of a table that follow from others, whatever a frame has there."""
    names = {column.name for column in table.columns if column.computed} | {"corpus"}
    return names.union(*(derived.columns for derived in table.derived if not derived.given))


def is_derived(table: Table) -> bool:
    """Whether all rows of a table follow from others."""
    return table.name == "constituent_labels" or any(not derived.columns for derived in table.derived)


def arrow_table(frame: Any, name: str) -> pa.Table:
    """The rows of a frame. Raises InvalidInput for what is none, or cannot be read."""
    hint = "give a frame of Polars, pandas or Arrow, or a relation of DuckDB"
    if not hasattr(frame, "__arrow_c_stream__"):
        if hasattr(frame, "collect"):
            hint = "it is lazy: collect it"
        raise InvalidInput([Diagnostic.error(name, 0, f"a {type(frame).__name__} is no data frame", hint)])
    try:
        return _without_views(pa.table(frame))
    except (pa.ArrowException, TypeError, ValueError) as error:
        what = f"it cannot be read: {(str(error).splitlines() or [type(error).__name__])[0].strip('()')}"
        hint = "give each column one type"
        to_list = next((name for name in ("to_list", "to_pylist") if hasattr(frame, name)), None)
        if to_list:
            what, hint = f"a {type(frame).__name__} is one column", f"give the frame, or texts as a list: .{to_list}()"
        raise InvalidInput([Diagnostic.error(name, 0, what, hint)]) from None


def _without_views(rows: pa.Table) -> pa.Table:
    """Columns of texts that are no views, for which Arrow lacks functions."""
    for at, field in enumerate(rows.schema):
        kind, column = field.type, rows.column(at)
        if pa.types.is_dictionary(kind) and pa.types.is_string_view(kind.value_type):
            chunks = [chunk.dictionary.cast(pa.string()).take(chunk.indices) for chunk in column.chunks]
            rows = rows.set_column(at, field.name, pa.chunked_array(chunks, pa.string()))
        elif pa.types.is_string_view(kind):
            rows = rows.set_column(at, field.name, column.cast(pa.string()))
    return rows


def _record(name: str, rows: pa.Table) -> dict[str, Any]:
    """What is known of a corpus from a frame `corpora`. Raises InvalidInput."""
    if len(rows) != 1:
        what = f"corpora has {len(rows)} rows"
        raise InvalidInput([Diagnostic.error(name, 0, what, "a corpus has one row; give each corpus for itself")])
    [row] = rows.select([column for column in rows.column_names if column in _KEPT]).to_pylist()
    for column, known in (("kind", KINDS), ("format", tuple(formats())), ("score_sense", SENSES)):
        if row.get(column) is not None and row[column] not in known:
            what = f"{column} of corpora is {row[column]!r}"
            raise InvalidInput([Diagnostic.error(name, 0, what, f"give one of {', '.join(known)}")])
    return {column: value for column, value in row.items() if value is not None}


def _kind_of_tables(tables: Mapping[str, pa.Table], wanted: str | None) -> str:
    """The kind of a corpus with these tables, where a kind is wanted, or any."""
    if wanted is not None and not (wanted == TEXT and "constituents" in tables):
        return wanted
    found = next((kind for kind, table in MAIN.items() if table in tables and table != "words"), None)
    if found is None and "lattices" in tables:
        found = LATTICE
    words = tables.get("words")
    has_heads = words is not None and "head" in words.column_names and words["head"].null_count < len(words)
    return found or (DEPENDENCY if has_heads else TEXT)


def _table_of(name: str, rows: pa.Table, kind: str | None) -> str:
    """The table that a single frame is. Raises InvalidInput."""
    if kind == "constituency":
        what = "one frame is one table, and constituency trees are two"
        raise InvalidInput([Diagnostic.error(name, 0, what, 'give {"words": ..., "constituents": ...}')])
    if kind is not None:
        return MAIN[kind]
    columns = {*rows.column_names}
    for table, marks in MARKS.items():
        if columns.issuperset(marks):
            return table
    what = f"no table has the columns {', '.join(rows.column_names[:10])}"
    raise InvalidInput([Diagnostic.error(name, 0, what, "give {TABLE: frame}, such as {'words': frame}")])


def _check_filled(frames: Frames) -> None:
    """Raises InvalidInput where there are no rows, but of links."""
    main = frames.tables.get(MAIN[frames.kind])
    if main is None and MAIN[frames.kind] == "lattice_edges":
        main = frames.tables.get("lattices")
    if main is None:
        raise frames.fault(f"there is no table {MAIN[frames.kind]}", f"{frames.kind} corpora have it; add it")
    if frames.kind == "constituency" and "words" not in frames.tables:
        raise frames.fault("there is no table words", "constituency corpora have it; add it")
    edges, words = frames.tables.get("enhanced_edges"), frames.tables.get("words")
    if edges is not None and len(edges) and words is not None and "deps" not in words.column_names:
        raise frames.fault("there is no column deps in words, from which enhanced_edges follow", "add it")
    if not len(main) and frames.kind != ALIGNMENT and not len(frames.tables.get("sentences", ())):
        raise frames.fault("there are no rows", "give at least one sentence")


def _typed(frames: Frames, table: Table, rows: pa.Table) -> pa.Table:
    """The columns of a table of schemas/ in their types, sorted by the key. Raises InvalidInput."""
    _check_one_corpus(frames, table, rows)
    again = [name for name in table.names if rows.column_names.count(name) > 1]
    if again:
        raise frames.fault(f"{table.name} has the column {again[0]} twice", "rename one of them")
    own = [column for column in table.columns if column.name != "corpus" and not column.computed]
    _check_columns(frames, table, own, {*rows.column_names})
    columns: dict[str, pa.ChunkedArray] = {}
    for column in own:
        if column.name in rows.column_names:
            columns[column.name] = _column(frames, table, column, rows[column.name], columns)
    typed = pa.table(columns)
    for (name, column_name), value in DEFAULTS.items():
        if name == table.name and column_name not in columns:
            kind = table[column_name].plain_type
            typed = typed.append_column(column_name, constant(value, kind, len(rows)))
    if table.name == "lattice_edges" and "edge" not in columns:
        return _with_edges(typed)
    return sorted_by(typed, [name for name in table.key if name != "corpus"])


def _check_one_corpus(frames: Frames, table: Table, rows: pa.Table) -> None:
    if "corpus" in rows.column_names and pc.count_distinct(rows["corpus"]).as_py() > 1:
        raise frames.fault(f"{table.name} has rows of several corpora", "give those of one")


def _check_columns(frames: Frames, table: Table, own: Iterable[TableColumn], there: set[str]) -> None:
    """Raises InvalidInput where columns are missing that nothing stands for."""
    free = derived_columns(table) | PLACES | {column for name, column in DEFAULTS if name == table.name}
    free |= {"lattice_edges": {"edge"}, "lattices": {"n_nodes"}, "sentences": {"comments"}}.get(table.name, set())
    free |= {"form"} if table.name == "words" and frames.kind == DEPENDENCY else set()
    needed = [column.name for column in own if column.required and column.name not in free]
    missing = [name for name in needed if name not in there]
    if missing and not is_derived(table):
        what = f"there is no column {missing[0]}" + (f" in {table.name}" if frames.several else "")
        raise frames.fault(what, f"{table.name} need {', '.join(needed)}")


def _column(
    frames: Frames, table: Table, column: TableColumn, values: pa.ChunkedArray, before: Mapping[str, pa.ChunkedArray]
) -> pa.ChunkedArray:
    """A column in the type of schemas/, numbers of sentences in 64 bits. before: the columns that stand before it.

    Raises InvalidInput.
    """
    wanted = pa.int64() if column.name == "sentence" else column.plain_type
    named = f"column {column.name}" + (f" of {table.name}" if frames.several else "")
    if not _holds(values.type, wanted):
        raise frames.fault(f"{named} is {_in_words(values.type)}, not {_in_words(wanted)}", "convert it")
    try:
        typed = values.cast(wanted)
    except pa.ArrowException as error:
        row = _first_changed(values, wanted)
        if row is None:
            what = str(error).splitlines()[0]
            raise frames.fault(
                f"{named} has a value that is not of {_in_words(wanted)}: {what}", "convert it"
            ) from None
        key = [name for name in table.key if name in before]
        place = ", ".join(f"{name} {before[name][row]}" for name in key if column.name not in table.key)
        hint = "write a whole number of that type" + ("" if column.required else ", or NULL for what is left open")
        what = f"{place or f'row {row + 1}'}: {named.removeprefix('column ')} is {values[row]}, not {_in_words(wanted)}"
        raise frames.fault(what, hint) from None
    if column.required and column.name in table.key and typed.null_count:
        row = int(pc.index(typed.is_null(), True).as_py()) + 1
        raise frames.fault(f"row {row}: {named.removeprefix('column ')} is missing", "give every row one")
    return typed


def _first_changed(values: pa.ChunkedArray, wanted: pa.DataType) -> int | None:
    """The first row whose number is another one in a type of whole numbers, such as NaN; None where none is found."""
    if not pa.types.is_integer(wanted) or pa.types.is_dictionary(values.type):
        return None
    back = values.cast(wanted, safe=False).cast(values.type, safe=False)
    row = pc.index(pc.not_equal(back, values), True).as_py()
    return None if row < 0 else int(row)


def constant(value: object, kind: pa.DataType, n: int) -> pa.Array:
    """A column of n times the same value."""
    return pa.repeat(pa.scalar(value, kind), n) if n else pa.array([], kind)


def _in_words(kind: pa.DataType) -> str:
    """A type without what it is in memory."""
    return re.sub(r"large_|_view|(?<=<)\w+: ", "", str(kind))


def _holds(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether values of a type can be values of another: whole numbers may be floats, bounds are checked apart."""
    types = pa.types
    if types.is_dictionary(found):
        return _holds(found.value_type, wanted)
    if types.is_null(found):
        return True
    if types.is_list(wanted):
        lists = types.is_list(found) or types.is_large_list(found) or types.is_fixed_size_list(found)
        return lists and _holds(found.value_type, wanted.value_type)
    if types.is_string(wanted):
        return bool(types.is_string(found) or types.is_large_string(found) or types.is_string_view(found))
    if types.is_boolean(wanted):
        return bool(types.is_boolean(found))
    numbers = types.is_integer(found) or types.is_floating(found)
    return bool(numbers if types.is_integer(wanted) or types.is_floating(wanted) else found == wanted)


def sorted_by(rows: pa.Table, key: Sequence[str]) -> pa.Table:
    """Rows in the order of a key."""
    rows = rows.combine_chunks()
    numbers = [integers(rows[name]) for name in key if pa.types.is_integer(rows.schema.field(name).type)]
    if len(numbers) == len(key):
        order = np.lexsort(numbers[::-1])
        in_order = bool((order[1:] > order[:-1]).all())
        return rows if in_order else rows.take(array_of(order))
    return rows.take(pc.sort_indices(rows, sort_keys=[(name, "ascending") for name in key]))


def _with_edges(rows: pa.Table) -> pa.Table:
    """Edges without numbers with some: those of a lattice by their nodes, words and scores."""
    texts = {name: pc.binary_join(_texts(rows[name]), "\x1f") for name in ("edge_words", "scores")}
    keyed = rows.select(["sentence", "from_node", "to_node"])
    for name, joined in texts.items():
        keyed = keyed.append_column(name, joined)
    order = pc.sort_indices(keyed, sort_keys=[(name, "ascending") for name in keyed.column_names])
    rows = rows.combine_chunks().take(order)
    sentence = integers(rows["sentence"])
    first = np.flatnonzero(differs_from_previous(sentence))
    counts = np.diff(np.append(first, len(sentence)))
    edge = np.arange(len(sentence)) - np.repeat(first, counts)
    return rows.append_column("edge", array_of(edge).cast(pa.int32()))


def _texts(lists: pa.ChunkedArray) -> pa.ChunkedArray:
    """Lists of values as lists of texts, without NULL."""
    kind = pa.list_(pa.string())
    chunks = [chunk.cast(kind) for chunk in lists.chunks]
    return pc.fill_null(pa.chunked_array(chunks, kind), pa.scalar([], kind))


def distinct_sentences(numbers: Iterable[Ints]) -> Ints:
    """The numbers of the sentences that have rows in some table."""
    return distinct(np.concatenate([np.zeros(0, dtype=np.int64), *map(distinct, numbers)]))


def numbered(frames: Frames) -> dict[str, pa.Table]:
    """The tables of a corpus with sentences numbered from 0, those of sentences and lattices among them.

    What is derived is left out, as storage/frames.py derives it, but for the names of sentences.
    """
    tables = {}
    for name, rows in frames.tables.items():
        table = schemas.table(name)
        if is_derived(table):
            continue
        rows = rows.drop_columns(sorted(derived_columns(table) & {*rows.column_names}))
        if "sentence" in rows.column_names:
            at = np.searchsorted(frames.numbers, integers(rows["sentence"]))
            rows = _with(rows, "sentence", at, pa.int32())
        if "line" in table.names and "line" not in rows.column_names and name != "sentences":
            rows = _with(rows, "line", at + 1, pa.int64())
        tables[name] = rows
    if frames.lacks_forms and frames.forms is not None:
        tables["words"] = tables["words"].append_column("form", frames.forms)
    tables["sentences"] = _sentences(frames, tables.get("sentences"))
    if frames.kind == LATTICE:
        tables["lattices"] = _lattices(len(frames.numbers), tables)
    return tables


def _with(rows: pa.Table, name: str, values: Ints, kind: pa.DataType) -> pa.Table:
    """Rows with a column of numbers, in place of one of that name."""
    if name in rows.column_names:
        return rows.set_column(rows.column_names.index(name), name, array_of(values).cast(kind))
    return rows.append_column(name, array_of(values).cast(kind))


def _sentences(frames: Frames, given: pa.Table | None) -> pa.Table:
    """The rows of sentences: those that were given, or one for every number."""
    n = len(frames.numbers)
    rows = pa.table({"sentence": array_of(np.arange(n)).cast(pa.int32())}) if given is None else given
    if "line" not in rows.column_names:
        rows = _with(rows, "line", integers(rows["sentence"]) + 1, pa.int64())
    for name, value, kind in (("file", str(frames), pa.string()), ("comments", [], pa.list_(pa.string()))):
        if name not in rows.column_names and not (name == "comments" and given is not None):
            rows = rows.append_column(name, constant(value, kind, len(rows)))
    return rows


def _lattices(n: int, tables: Mapping[str, pa.Table]) -> pa.Table:
    """The rows of lattices: those that were given, or one for every sentence; nodes are those of edges."""
    edges, given = tables.get("lattice_edges"), tables.get("lattices")
    n_nodes = np.ones(n, dtype=np.int64)
    if edges is not None and len(edges):
        np.maximum.at(n_nodes, integers(edges["sentence"]), integers(edges["to_node"]) + 1)
    rows = given
    if rows is None:
        every = {"sentence": np.arange(n), "n_finals": np.ones(n, dtype=np.int64)}
        rows = pa.table({name: array_of(values).cast(pa.int32()) for name, values in every.items()})
    if "n_nodes" in rows.column_names:
        return rows
    return _with(rows, "n_nodes", n_nodes[integers(rows["sentence"])], pa.int32())


def pair_sentences(frames: Sequence[Frames]) -> None:
    """Let all frames of a task have the same sentences: those without links in frames of links alone have none.

    Raises Incomparable where a frame lacks a sentence that another one has.
    """
    listing = [framed for framed in frames if framed.lists_sentences]
    first = listing[0] if listing else None
    numbers = distinct_sentences(framed.numbers for framed in frames) if first is None else first.numbers
    for framed in frames:
        if first is None or not framed.lists_sentences:
            extra = np.setdiff1d(framed.numbers, numbers, assume_unique=True)
            if first is not None and len(extra):
                raise _unequal(first, int(extra[0]), framed)
            framed.numbers = numbers
        elif not np.array_equal(framed.numbers, numbers):
            lacking = np.setdiff1d(numbers, framed.numbers, assume_unique=True)
            if len(lacking):
                raise _unequal(framed, int(lacking[0]), first)
            raise _unequal(first, int(np.setdiff1d(framed.numbers, numbers, assume_unique=True)[0]), framed)


def _unequal(lacking: Frames, sentence: int, having: Frames) -> Incomparable:
    what = f"sentence {sentence} is missing, which {having} has"
    return Incomparable([Diagnostic.error(lacking, 0, what, "give both sides the same sentences")], 0)


def _add_values(digest: Any, values: pa.Array) -> None:
    """Add the values of a column to a digest: what is NULL, and the bytes of the others."""
    if values.null_count:
        digest.update(_bytes_of(values.is_null()))
    if pa.types.is_list(values.type):
        digest.update(integers(values.value_lengths(), 0).tobytes())
        _add_values(digest, values.flatten())
    elif pa.types.is_string(values.type):
        values = values.fill_null("")
        digest.update(integers(pc.binary_length(values)).tobytes())
        if len(values):
            offsets = np.frombuffer(values.buffers()[1], np.int32, len(values) + 1, values.offset * 4)
            digest.update(memoryview(values.buffers()[2] or b"")[offsets[0] : offsets[-1]])
    elif pa.types.is_floating(values.type):
        digest.update(np.asarray(values.fill_null(0.0)).tobytes())
    else:
        digest.update(_bytes_of(values))


def _bytes_of(values: pa.Array) -> bytes:
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    return integers(values).tobytes()
