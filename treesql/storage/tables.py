"""Corpora as Arrow tables, without a database: files -> tables, of a whole corpus or of blocks of its sentences, and
tables -> a file; and results -> a file: data, or a table for a document or a screen.

Rows pass through DuckDB for the columns that are computed from others, and are cut in Arrow. Those that are written are
checked and completed as data frames that are scored, and written as an export.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np
import pyarrow as pa

from treesql import readers
from treesql.catalog import schemas
from treesql.catalog.schemas import quote
from treesql.engines import connections
from treesql.engines.duckdb import DuckDB
from treesql.errors import UnknownName, UsageError, issue
from treesql.readers import PARQUET, Notation, Options, State
from treesql.readers.frames import Frames
from treesql.results.result import Result, render_blocks
from treesql.results.tables import (
    DOCUMENTS,
    ENDINGS,
    FORMATS,
    format_by_ending,
    open_whole,
    write_csv,
    write_json,
    write_parquet,
    write_tsv,
)
from treesql.runtime.arrays import integers
from treesql.runtime.failures import convert_errors, convert_errors_of_class, shown, with_checked_arguments
from treesql.storage import corpus_plans, exporting, loading
from treesql.storage.corpus_plans import CorpusFiles, File, plan_loads
from treesql.storage.files import Report, reading_options, with_total
from treesql.storage.loading import CorpusSummary, Direct

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped, unused-ignore]
    import polars as pl

ALWAYS: Mapping[str, tuple[str, ...]] = {
    "dependency": ("words", "tokens", "empty_nodes", "enhanced_edges"),
    "constituency": ("words", "constituents", "constituent_lists", "constituent_labels"),
    "text": ("words",),
    "alignment": ("alignments",),
    "lattice": ("lattices", "lattice_edges", "lattice_words"),
    "nbest": ("hypotheses",),
}
"""By kind of corpora, the tables that are there also without rows, beside `corpora` and `sentences`."""

_WRITTEN = "tables"
"""What messages call the tables that are written."""


@convert_errors_of_class
class Tables(Mapping[str, pa.Table]):
    """The tables of one corpus by name: `tables["words"]` is an Arrow table, with a row per word.

    Their columns are those of docs/tables.md, in that order, without `corpus`; there are those tables that the corpus
    has rows of, and those that any corpus of its kind may have. `corpora` has one row, the record by which
    `treesql.write` writes the tables as the file that they are of.
    """

    def __init__(self, tables: Mapping[str, pa.Table]) -> None:
        self._tables = {name: tables[name] for name in schemas.all_tables() if name in tables}

    def __getitem__(self, name: str) -> pa.Table:
        if name not in self._tables:
            raise UnknownName("table", name, self._tables)
        return self._tables[name]

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def get(self, name: str, default: Any = None) -> Any:
        """A table, or where there is none `default`."""
        return self._tables.get(name, default)

    def pl(self, name: str) -> pl.DataFrame:
        """A table as a Polars data frame. Raises UnknownName."""
        return Result(self[name]).pl()

    def df(self, name: str) -> pd.DataFrame:
        """A table as a pandas data frame. Raises UnknownName, UsageError where pandas is not installed."""
        return Result(self[name]).df()

    def __repr__(self) -> str:
        counts = (f"{name} {rows.num_rows:,}" for name, rows in self._tables.items())
        return f"<treesql.Tables, numbers of rows: {', '.join(counts)}>"

    def _repr_html_(self) -> str:
        listed = [
            {"table": name, "rows": rows.num_rows, "columns": ", ".join(rows.column_names)}
            for name, rows in self._tables.items()
        ]
        return Result.of(listed)._repr_html_()


@convert_errors
def read(
    *paths: File,
    corpus: str | None = None,
    format: str | None = None,
    treebank: str | None = None,
    language: str | None = None,
    permissive: bool = False,
    strict: bool = False,
    base: int | None = None,
    reverse: bool = False,
    null_links: bool = False,
    phrases: bool = False,
    symbols: str | Path | None = None,
    max_sentence: int | str | None = None,
    scores: str | None = None,
    ids: str | None = None,
    progress: Report | None = None,
) -> Tables:
    """Return the tables of a corpus in files, folders or patterns, all of them together, without a database.

    paths, and further parameters: as for `treesql.load`; corpus: the name of that which is read of a data set of
    several. Columns that a database computes or derives are there as well (tree index, spans, enhanced edges). Tables
    go in wherever a file does, and `treesql.write` writes them. Warns with TreesqlWarning. Raises InvalidInput,
    UsageError, UnknownName, DatabaseError.
    """
    options = reading_options(permissive, strict, phrases, symbols, max_sentence, scores, ids)
    wanted = _plan(paths, corpus, format, treebank, language, options, Notation(base, reverse, null_links))
    reading = Direct(loading.rows_of_corpus(wanted, options, with_total(progress, wanted.files)))
    parts: dict[str, list[pa.Table]] = {}
    for table, rows in reading.items():
        parts.setdefault(table.name, []).append(_in_schema(table, rows))
    for warning in reading.result.warnings:
        issue(warning)
    tables = {name: pa.concat_tables(pieces) for name, pieces in parts.items()}
    if wanted.form != PARQUET:
        tables["corpora"] = loading.records_of([(wanted, reading.result)], options)
    return _with_record(tables, tables["corpora"])


@convert_errors
def scan(
    *paths: File,
    sentences: int,
    corpus: str | None = None,
    format: str | None = None,
    treebank: str | None = None,
    language: str | None = None,
    permissive: bool = False,
    strict: bool = False,
    base: int | None = None,
    reverse: bool = False,
    null_links: bool = False,
    phrases: bool = False,
    symbols: str | Path | None = None,
    max_sentence: int | str | None = None,
    scores: str | None = None,
    ids: str | None = None,
    progress: Report | None = None,
) -> Iterator[Tables]:
    """Yield the tables that `read` returns in blocks, each of this number of sentences, the last one of those left.

    Memory is bounded by a block and a few megabytes of a file, whatever its size. Blocks one after the other are the
    tables of `read`: numbers of sentences, and offsets of characters, go on. Tables without sentences stand in every
    block: `constituent_labels` with what was read so far, `corpora` with the sizes of the block and no digests. Warns
    after the last block. Raises as `read` does, where a fault is met: blocks before it have none.
    """
    if sentences < 1:
        raise UsageError(f"sentences is {sentences}; a block has at least one")
    options = reading_options(permissive, strict, phrases, symbols, max_sentence, scores, ids)
    wanted = _plan(paths, corpus, format, treebank, language, options, Notation(base, reverse, null_links))
    blocks = _blocks(wanted, options, sentences, with_total(progress, wanted.files))
    return iter(partial(_next, blocks), None)


@convert_errors
def _next(blocks: Any) -> Any:
    """The next of some blocks, None behind the last one."""
    return next(blocks, None)


@with_checked_arguments
def write(
    rows: Result | pa.RecordBatchReader | Mapping[str, Any],
    out: str | Path | BinaryIO,
    *,
    format: str | None = None,
    turned_by: str | None = None,
) -> None:
    r"""Write a result, batches as they come, or the tables of a corpus to a file, which is written whole or not at all.

    out: a path, or a file that is open for bytes. format: table, csv, tsv, json, parquet, markdown, latex or html; by
    the ending of `out` if left out, else table. turned_by: for markdown, latex and html, a column whose values are to
    be the heads of columns. Tables of documents are those of `Result.markdown`; the others have all digits. TSV has no
    quotes: tabs, newlines and backslashes of texts are written as `\t`, `\n` and `\\`. Parquet has the signatures of a
    result in its metadata.

    The tables of a corpus are those that `treesql.read` returns, or a mapping of their names to data frames, some of
    them changed: `{**tables, "words": words}`. Rows follow the rules of rows of files; what is derived from others
    (tree index, spans, enhanced edges) is derived anew. Tables without changes give what `db.export` gives of their
    corpus, of CoNLL-U the bytes of the file. format: one that `db.export` takes, else that of the ending; for an open
    file that of the record, `corpora`. Without an ending `out` is a Parquet data set or, with `format`, a folder of the
    files that sentences are of. Warns with TreesqlWarning. Raises UsageError, UnknownName, InvalidInput; then no file
    is written or changed.
    """
    if not isinstance(rows, Mapping):
        if isinstance(out, str | Path):
            _write_result_file(rows, out, format, turned_by)
        else:  # its errors are the caller's
            _write_result(rows, out, _check_format(format or "table"), turned_by)
    elif turned_by is not None:
        raise UsageError("turned_by is of results; leave it out for the tables of a corpus")
    elif isinstance(out, str | Path):
        _write_file(rows, Path(out), format)
    else:  # its errors are the caller's
        _write_corpus(rows, out, format)


@convert_errors
def _write_result_file(
    rows: Result | pa.RecordBatchReader, out: str | Path, format: str | None, turned_by: str | None
) -> None:
    form = _check_format(format or format_by_ending(out, ENDINGS) or "table")
    with open_whole(out) as file:
        _write_result(rows, file, form, turned_by)


def _check_format(name: str) -> str:
    if name not in FORMATS:
        raise UnknownName("format", name, FORMATS)
    return name


def _write_result(rows: Result | pa.RecordBatchReader, file: BinaryIO, form: str, turned_by: str | None) -> None:
    if form in DOCUMENTS or form == "table":
        result = rows if isinstance(rows, Result) else Result(rows.read_all())
        blocks = render_blocks(result) if form == "table" else result.blocks(form, turned_by=turned_by)
        for block in blocks:
            file.write(block.encode())
        return
    metadata = dict[str, str]()
    if isinstance(rows, Result):
        metadata = {"signature": rows.signature} if rows.signatures else {}
        rows = rows.arrow().to_reader()
    tables = (pa.Table.from_batches([batch]) for batch in rows)
    if form == "csv":
        write_csv(rows.schema, tables, file)
    elif form == "tsv":
        write_tsv(rows.schema, tables, file)
    elif form == "json":
        write_json(tables, file)
    else:
        write_parquet(rows, file, metadata)


@convert_errors
def _write_file(tables: Any, out: Path, form: str | None) -> None:
    """Write the tables of a corpus to a file or a folder. form: its format; None for that of the ending."""
    _write_corpus(tables, out, exporting.check_target(out, to=form))


def _write_corpus(tables: Mapping[str, Any], out: Path | BinaryIO, form: str | None) -> None:
    """Write the tables of a corpus. form: its format; None for that of its record, or the usual one."""
    engine, form = _checked(tables, form)
    with closing(engine):
        if isinstance(out, Path) and form != PARQUET:
            exporting.write_files(engine, out, _WRITTEN, form, issue)
        else:
            exporting.write(engine, _WRITTEN, out, form, issue)


@convert_errors
def _checked(tables: Any, form: str | None) -> tuple[DuckDB, str]:
    """The tables of a corpus in an engine, and the format that they are written in. Raises as `write` does."""
    if not corpus_plans.is_framed(tables):
        raise UsageError(f"these are no tables of a corpus: {shown(dict(tables))}; give what treesql.read returns")
    kind = None if form is None else exporting.kind_of(form)
    frames = cast(Frames, corpus_plans.as_path(tables, _WRITTEN, kind))
    gaps = np.flatnonzero(np.diff(frames.numbers) > 1)
    if len(gaps) and not frames.lists_sentences:
        what = f"sentence {frames.numbers[gaps[0]] + 1} has no rows, and there is no table sentences that lists it"
        raise frames.fault(what, "add the table, with a row for every sentence")
    form = form or frames.form
    exporting.kind_of(form)  # raises where it is not written
    [wanted] = plan_loads([frames], _WRITTEN)
    named = frozenset(schemas.all_tables()) | frozenset(schemas.all_views())  # writers use no macros or functions
    engine, [loaded] = loading.load_into_memory([wanted], Options(), named, allows_files=form == PARQUET)
    try:
        exporting.check_kind(engine, _WRITTEN, form)
        for warning in loaded.warnings:
            issue(warning)
    except BaseException:
        engine.close()
        raise
    return engine, form


def _plan(
    paths: Iterable[File],
    corpus: str | None,
    form: str | None,
    treebank: str | None,
    language: str | None,
    options: Options,
    notation: Notation,
) -> CorpusFiles:
    """The files of the one corpus that paths name. Raises InvalidInput, UsageError, UnknownName."""
    named = corpus_plans.as_paths(list(paths), "file", form=form)
    planned = plan_loads(named, corpus, form, treebank, language, notation=notation)
    if len(planned) > 1:
        names = ", ".join(wanted.corpus for wanted in planned)
        raise UsageError(f"the data set holds several corpora ({names}); name one of them with --corpus")
    [wanted] = planned
    if corpus is not None and wanted.form != PARQUET:
        raise UsageError(f"--corpus names one of a data set; {wanted.form} files are one without a name")
    readers.check_options(wanted.form, options)
    return wanted


def _blocks(wanted: CorpusFiles, options: Options, size: int, progress: loading.Progress | None) -> Iterator[Tables]:
    """The blocks of a corpus; then its warnings are issued. Raises InvalidInput."""
    state = loading.state_of(wanted)
    reading = Direct(loading.batches_of_corpus(wanted, options, state, progress))
    waiting: dict[str, pa.Table] = {}
    first = complete = counted = 0
    for batch in reading.items():
        for name, rows in batch.items():
            new = _in_schema(schemas.table(name), pa.Table.from_batches([rows]))
            waiting[name] = pa.concat_tables([waiting[name], new]) if name in waiting else new
        if state.sentences != counted:
            complete, counted = counted, state.sentences
            end = complete - complete % size
            if end > first:  # else all that waits would be looked through with every chunk
                yield from _cut(waiting, first, end, size, wanted, options, state)
            first = end
    yield from _cut(waiting, first, state.sentences, size, wanted, options, state)
    for warning in reading.result.warnings:
        issue(warning)


def _cut(
    waiting: dict[str, pa.Table], first: int, end: int, size: int, wanted: CorpusFiles, options: Options, state: State
) -> Iterator[Tables]:
    """The sentences from the first to the end in blocks of a size; the rows of those behind them wait."""
    starts = [*range(first, end, size), end]
    places = {
        name: np.searchsorted(integers(rows["sentence"]), starts)
        for name, rows in waiting.items()
        if "sentence" in rows.column_names
    }
    parts = dict(waiting)
    waiting |= {name: waiting[name].slice(int(cuts[-1])) for name, cuts in places.items()}
    for at, (start, stop) in enumerate(pairwise(starts)):
        block = parts | {name: parts[name].slice(cuts[at], cuts[at + 1] - cuts[at]) for name, cuts in places.items()}
        yield _with_record(block, _record_of_block(block, stop - start, wanted, options, state))


def _record_of_block(
    block: Mapping[str, pa.Table], n_sentences: int, wanted: CorpusFiles, options: Options, state: State
) -> pa.Table:
    """The record of some sentences of a corpus: with their number, without what only the whole files have."""
    how = readers.reading(wanted.form, loading.options_of(wanted, options), state)
    n_words = block["words"].num_rows if "words" in block else 0
    own = wanted.files[0].record if isinstance(wanted.files[0], Frames) else None
    begun = replace(wanted, files=wanted.files[: len(state.layouts)])
    digests = ("",) * len(begun.files)
    read = CorpusSummary(n_sentences, n_words, digests, (), how, layouts=tuple(state.layouts), record=own)
    rows = block["corpora"] if "corpora" in block else loading.records_of([(begun, read)], options)
    [record] = rows.to_pylist()
    files = [{**file, "sha256": None} for file in record["files"]]
    record |= {"files": files, "layouts": None, "sha256": "", "n_sentences": n_sentences, "n_words": n_words}
    return pa.Table.from_pylist([record], schema=schemas.table("corpora").arrow_schema())


def _with_record(tables: Mapping[str, pa.Table], record: pa.Table) -> Tables:
    """The tables of a corpus with its record, and those without rows that its kind always has."""
    always = ("sentences", *ALWAYS[record["kind"][0].as_py()])
    filled = {name: rows for name, rows in tables.items() if rows.num_rows}
    empty = {name: _empty(name) for name in always if name not in filled}
    return Tables({**empty, **filled, "corpora": _in_schema(schemas.table("corpora"), record)})


@cache
def _empty(name: str) -> pa.Table:
    """A table without rows."""
    table = schemas.table(name)
    return _in_schema(table, table.arrow_schema().empty_table())


def _in_schema(table: schemas.Table, rows: pa.Table) -> pa.Table:
    """Rows of a reader with all columns of their table, but for `corpus`, and no views of texts."""
    types = {column.name: column.plain_type for column in table.columns[1:] if not column.computed}
    columns = {
        name: rows[name].cast(kind) if name in rows.column_names else pa.nulls(rows.num_rows, kind)
        for name, kind in types.items()
    }
    computed = [f"{column.computed} AS {quote(column.name)}" for column in table.columns if column.computed]
    if computed:
        made = connections.select_from({"rows": pa.table(columns)}, f"SELECT {', '.join(computed)} FROM rows")
        columns |= dict(zip(made.column_names, made.columns, strict=True))
    return pa.table(columns).select(list(table.names[1:]))
