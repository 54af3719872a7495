"""Parquet data sets as `treesql export` writes them: OUT/TABLE/NAME/part-00000.parquet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from treesql.catalog import schemas
from treesql.catalog.formats import KINDS
from treesql.catalog.schemas import Table
from treesql.errors import Diagnostic, InvalidInput
from treesql.readers import (
    CONLLU_PLUS,
    Batch,
    Options,
    State,
    column_names_in,
    data_set,
    data_set_derived,
    data_set_lattices,
    data_set_tokens,
    data_set_trees,
    find_column_faults,
    formats,
)
from treesql.readers.columns import METADATA
from treesql.readers.data_set import ORDER, DataSetState, check_corpora
from treesql.readers.data_set_columns import HINT, check_schema, check_values
from treesql.readers.data_set_links import check_alignments
from treesql.readers.data_set_trees import SAME
from treesql.readers.fields import Faults
from treesql.readers.source import Source
from treesql.runtime.arrays import compute as pc

SUFFIXES = (".parquet",)
KIND = "any"
ROWS = 1 << 16
HINT_FILE = "name a folder written by `treesql export` of this version, or load the original files"


def corpus_of(path: str) -> str | None:
    """The corpus whose rows a file of a data set holds; None for other files, and for features, which are derived."""
    tables = {table.name for table in schemas.corpus_tables()}
    return unquote(Path(path).parent.name) if table_of(path) in tables else None


def table_of(path: str) -> str:
    """The table whose rows a file of a data set holds: TABLE/NAME/FILE."""
    return Path(path).parent.parent.name


def has_words(path: str) -> bool:
    """Whether a corpus may have words: unless the corpora file of its data set says that it has none."""
    import pyarrow.parquet as pq

    try:
        return bool(pq.ParquetFile(path).read(columns=["n_words"]).column(0)[0].as_py())
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, OverflowError, MemoryError):
        return True


def in_order(paths: Iterable[str]) -> list[str]:
    """The files of a corpus in the order in which they are read: tables after those with which they are compared."""
    places = {name: at for at, name in enumerate(ORDER)}
    return sorted(paths, key=lambda path: (places.get(table_of(path), len(places)), path))


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The rows of one file of a data set. Files come in the order of `in_order`. Raises InvalidInput."""
    import pyarrow.parquet as pq

    faults = Faults(source.name)
    known = state.data_set
    if known is None:
        known = state.data_set = DataSetState(options)
    try:
        with _readable(source), pq.ParquetFile(source.path) as file:
            table = _table(source, file)
            _compare_before(table, known)
            faults.rows_before = known.rows.get(table.name, 0)
            known.paths[table.name] = source.name
            check_schema(file.schema_arrow, table, faults)
            faults.raise_any()
            columns, wanted = _columns(table, options)
            if not columns:
                return
            for batch in _batches(file, columns, source.path, state.stored_corpus):
                batch = _with_strings(batch)
                _check(known, table, batch, faults)
                if table.name == "sentences":
                    state.sentences += batch.num_rows
                if wanted:
                    yield {table.name: batch.select(wanted)}
            if table.name == "sentences" and known.rows.get("sentences", 0) >= known.n_sentences:
                _compare_with_record(known, source.name)
    except InvalidInput:
        known.broken = True
        raise


def _batches(file: Any, columns: Sequence[str], path: str, corpus: str | None) -> Iterator[pa.RecordBatch]:
    """The rows of a file. corpus: that whose rows they are, where the file has those of others; None for all."""
    if corpus is None:
        yield from file.iter_batches(ROWS, columns=columns)
        return
    rows, spans = _shared_rows(path, os.stat(path).st_mtime_ns)
    start, n = spans.get(corpus, (0, 0))
    yield from rows.select(columns).slice(start, n).to_batches(ROWS)


@lru_cache(maxsize=64)
def _shared_rows(path: str, changed_at: int) -> tuple[pa.Table, dict[str, tuple[int, int]]]:
    """The rows of a file of small corpora, and where those of each begin, with their number: they are sorted."""
    import pyarrow.parquet as pq

    rows = pq.ParquetFile(path).read().combine_chunks()
    runs = pc.run_end_encode(rows["corpus"].combine_chunks())
    ends = runs.run_ends.to_pylist()
    starts = [0, *ends]
    names = runs.values.to_pylist()
    return rows, {name: (start, end - start) for name, start, end in zip(names, starts, ends, strict=False)}


def check_corpus(path: str, state: State) -> None:
    """Compare what the tables of a corpus have in common. path: a file of it. Raises InvalidInput."""
    known = state.data_set
    if known is None or known.broken:
        return
    if "sentences" in known.rows:
        _compare_with_record(known, known.paths["sentences"])
    faults = []
    on_edges = sum(int(lengths.sum()) for lengths in known.words_on_edges)
    every = {"constituency": ["constituent_lists"], "lattice": ["lattices"]}.get(known.kind, [])
    expected = dict.fromkeys(every, known.n_sentences)
    sizes = {"words": known.n_words, "constituents": known.n_phrases, "lattice_edges": known.n_edges}
    expected |= {name: int(counts.sum()) for name, counts in sizes.items() if counts is not None}
    expected |= {"lattice_words": on_edges} if known.options.wants("lattice_edges", "edge_words") else {}
    for name, n in expected.items():
        found = known.rows.get(name, 0)
        if known.options.wants(name) and found != n:
            what = f"{found:,} rows of {name}, where {n:,} should be"
            faults.append(Diagnostic.error(known.paths.get(name, path), 0, what, HINT))
    for one, column, other, beside in () if faults else _SAME.get(known.kind, ()):
        if known.options.wants(one, column) and known.options.wants(other, beside) and not known.agree(column, beside):
            faults.append(Diagnostic.error(known.paths.get(other, path), 0, f"{beside} is not {column} of {one}", HINT))
    if known.relations % (1 << 64) and known.options.wants("enhanced_edges") and not faults:
        what = "its rows are not the relations in deps of words and empty_nodes"
        faults.append(Diagnostic.error(known.paths.get("enhanced_edges", path), 0, what, HINT))
    if known.options.wants("constituents") and not faults and not known.agree("words below", "spans"):
        what = "first, last and continuous are not those of the words below phrases"
        faults.append(Diagnostic.error(known.paths.get("constituents", path), 0, what, HINT))
    if known.kind == "text":
        again = known.warnings.repeated_ids_of_files()
        if len(again):
            row = int(again[0]) + 1
            faults.append(Diagnostic.error(known.paths.get("sentences", path), row, "sent_id is there twice", HINT))
    if faults:
        raise InvalidInput(faults)
    state.warnings += known.warnings.warnings(known.kind, lambda table: known.paths.get(table, path))


def _with_strings(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch with texts of 32-bit offsets, whatever the file declares."""
    for at, one in enumerate(batch.schema):
        if pa.types.is_large_string(one.type) or pa.types.is_string_view(one.type):
            batch = batch.set_column(at, one.name, batch.column(at).cast(pa.string()))
        elif pa.types.is_list(one.type) and (
            pa.types.is_large_string(one.type.value_type) or pa.types.is_string_view(one.type.value_type)
        ):
            batch = batch.set_column(at, one.name, batch.column(at).cast(pa.list_(pa.string())))
    return batch


@contextmanager
def _readable(source: Source) -> Iterator[None]:
    """Whatever pyarrow finds wrong with the bytes of a file as a fault in it."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, OverflowError, MemoryError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0].split(". ")[0].rstrip(".")
        raise InvalidInput(
            [Diagnostic.error(source.name, 0, f"this is not a Parquet file ({reason})", HINT_FILE)]
        ) from None


def _table(source: Source, file: Any) -> Table:
    """The table that a file says it is of. Raises InvalidInput."""
    metadata = {key.decode(): value.decode() for key, value in (file.metadata.metadata or {}).items()}
    name = metadata.get("table", "")
    version = metadata.get("schema_version")
    if name not in schemas.all_tables() or version != str(schemas.SCHEMA_VERSION):
        found = f"of version {version}" if version else "not of treesql"
        raise InvalidInput([Diagnostic.error(source.name, 0, f"this Parquet file is {found}", HINT_FILE)])
    return schemas.table(name)


def _columns(table: Table, options: Options) -> tuple[list[str], list[str]]:
    """The columns of a file to read, with those that others are compared with, and those among them that are wanted.

    `corpus` is none of them: the folder tells it.
    """
    name = table.name
    wanted = [
        column.name
        for column in table.columns[1:]
        if name == "corpora"
        or column.name in table.key
        or (options.wants(name, column.name) and not column.computed)  # which are computed again from the others
    ]
    if not options.wants(name):
        wanted = []
    if not wanted and not any(options.wants(other) for other in _NEEDED_BY.get(name, ())):
        return [], []
    needed = set(_NEEDED.get(name, ()))
    for columns, others in _NEEDED_BESIDE.get(name, ()):
        if not columns.isdisjoint(wanted):
            needed |= others
    if name in ("words", "empty_nodes") and options.wants("enhanced_edges"):
        needed.add("deps")
    return [column for column in table.names[1:] if column in wanted or column in needed or column in table.key], wanted


def _check(known: DataSetState, table: Table, batch: pa.RecordBatch, faults: Faults) -> None:
    """Note what is wrong with rows, by themselves and beside those before. Raises InvalidInput."""
    first = known.rows.get(table.name, 0) + 1
    check_values(batch, table, first, faults)
    faults.raise_any()
    if table.name == "corpora":
        check_corpora(known, batch, first, faults, KINDS)
        _check_format(batch, first, faults)
        _check_first_lines(batch, first, faults)
    for check in _CHECKS.get(table.name, ()):
        if not known.broken and not faults.found:
            check(known, batch, first, faults)
    faults.raise_any()
    if table.name == "sentences":
        known.warnings.add_sentences(batch)
    known.warnings.add_features(batch)
    known.rows[table.name] = first - 1 + batch.num_rows


def _check_format(batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Note a format that there is not."""
    for form in batch.column("format").to_pylist():
        if form not in formats():
            faults.add(first, f"format is {form!r}, but formats are {', '.join(formats())}", HINT)


def _check_first_lines(batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Note lines that do not name the columns of a file of CoNLL-U Plus, or are not one for each file."""
    for record in batch.select(["format", "files", "global_columns"]).to_pylist():
        lines = record["global_columns"] or []
        if lines and len(lines) != (len(record["files"]) if record["format"] == CONLLU_PLUS else 0):
            faults.add(first, f"global_columns has {len(lines)} lines for {len(record['files'])} files", HINT)
        for line in lines:
            names = column_names_in(line)
            for what, _ in find_column_faults(names) if names else [("no columns are named", "")]:
                faults.add(first, f"global_columns: {what}", HINT)


def _compare_before(table: Table, known: DataSetState) -> None:
    """Compare sentences with the record of the corpus once their last part was read, before another table.

    Raises InvalidInput.
    """
    if table.name != "sentences" and "sentences" in known.rows:
        _compare_with_record(known, known.paths["sentences"])


def _compare_with_record(known: DataSetState, path: str) -> None:
    """Compare the numbers of sentences and words with those in the record of the corpus. Raises InvalidInput."""
    n_words = 0 if known.n_words is None else int(known.n_words.sum())
    found = known.rows.get("sentences", 0), n_words
    if known.n_sentences >= 0 and found != (known.n_sentences, known.n_words_in_all):
        what = f"{found[0]} sentences and {found[1]} words are not what its record says"
        raise InvalidInput([Diagnostic.error(path, 0, what, HINT)])


_SAME = {
    "constituency": SAME,
    "text": (("sentences", "text", "words", "form"),),
    "lattice": (("lattice_words", "form", "lattice_edges", "edge_words"),),
}
"""By kind, what two tables both have."""

_NEEDED = {
    "sentences": ("n_words",),
    "tokens": ("last", "form"),
    "constituent_lists": ("parent_list", "phrase_list"),
    "constituents": ("parent", "first", "last", "depth", "continuous"),
    "lattices": ("n_nodes", "n_edges", "n_finals", "dead_edges"),
    "lattice_edges": ("from_node", "to_node", "edge_words"),
}
"""Columns that are always read of tables, beside their keys."""

_INDEX = frozenset({"head", "depth", "enter", "leave"})
_SPANS = frozenset({"span_start", "span_end", "multiword"})
_NEEDED_BESIDE = {
    "sentences": ((frozenset(METADATA), frozenset({"comments", "file"})),),
    "words": (
        (frozenset({"head"}), frozenset({"depth"})),
        (_INDEX - {"head"} | {"projective"}, _INDEX),
        (_SPANS, frozenset({"form", "multiword"})),
    ),
}
"""By table, columns that are compared with others, and these."""

_NEEDED_BY = {
    "corpora": tuple(ORDER),
    "sentences": tuple(ORDER),
    "tokens": ("words", "token_columns"),
    "words": ("enhanced_edges",),
    "empty_nodes": ("enhanced_edges", "empty_node_columns"),
    "constituent_lists": ("constituents", "secondary_edges"),
    "lattices": ("lattice_edges", "lattice_words"),
}
"""Tables that are compared with others, which are therefore read even if nobody wants them."""

_CHECKS: dict[str, tuple[Callable[[DataSetState, pa.RecordBatch, int, Faults], None], ...]] = {
    "sentences": (data_set.check_sentences, data_set_derived.check_metadata, data_set_derived.check_text),
    "constituent_labels": (data_set_trees.check_constituent_labels,),
    "constituent_lists": (data_set_trees.check_constituent_lists,),
    "constituents": (data_set_trees.check_constituents,),
    "words": (
        data_set.check_words,
        data_set_trees.check_tagged_words,
        data_set_derived.check_spans,
        data_set_derived.note_deps,
    ),
    "secondary_edges": (data_set_trees.check_secondary_edges,),
    "tokens": (data_set_tokens.check_tokens, data_set_derived.note_tokens),
    "empty_nodes": (data_set_tokens.check_empty_nodes, data_set_derived.note_deps),
    "word_columns": (data_set_tokens.check_word_columns,),
    "token_columns": (data_set_tokens.check_token_columns,),
    "empty_node_columns": (data_set_tokens.check_empty_node_columns,),
    "enhanced_edges": (data_set_tokens.check_enhanced_edges, data_set_derived.note_enhanced_edges),
    "lattices": (data_set_lattices.check_lattices,),
    "lattice_edges": (data_set_lattices.check_lattice_edges,),
    "lattice_words": (data_set_lattices.check_lattice_words,),
    "alignments": (check_alignments,),
}
