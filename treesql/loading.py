"""Files -> tables: one corpus in one transaction, so that a database holds the whole of it or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa

import treesql
from treesql import readers, tables
from treesql.errors import FormatError, InvalidInput, UnknownName, UsageError
from treesql.readers import Options, State
from treesql.readers.source import Source, expand
from treesql.tables import quote

WORDS_AT_ONCE = 122_880
"""Words of one INSERT: a row group of DuckDB."""

Progress = Callable[[int], object]
"""Called with the number of bytes read since the last call."""


@dataclass(frozen=True)
class Loaded:
    """What a load did."""

    corpus: str
    n_sentences: int
    n_words: int
    warnings: tuple[FormatError, ...]


@dataclass(frozen=True)
class Request:
    """What to load, and as what."""

    files: tuple[str, ...]
    form: str
    corpus: str
    treebank: str | None = None
    language: str | None = None


def request(
    paths: Iterable[str | Path], corpus: str, form: str | None = None, treebank: str | None = None, language: str | None = None
) -> Request:
    """Find the files behind paths, patterns and folders, and their format. Raises InvalidInput, UnknownName, UsageError."""
    paths = [str(path) for path in paths]
    if not paths:
        raise UsageError("name at least one file")
    if not corpus:
        raise UsageError("the corpus needs a name")
    form = readers.format_of(paths, form) if form else None
    suffixes = [ending for name in ([form] if form else readers.formats()) for ending in readers.reader_module(name).SUFFIXES]
    files = expand(paths, suffixes)
    return Request(tuple(files), form or readers.format_of(files, None), corpus, treebank, language)


def load(
    connection: duckdb.DuckDBPyConnection, wanted: Request, options: Options, *, replace: bool = False, progress: Progress | None = None
) -> Loaded:
    """Load a corpus in a transaction of its own. Raises InvalidInput, UsageError; then nothing has changed."""
    connection.execute("BEGIN")
    try:
        if exists(connection, wanted.corpus):
            if not replace:
                raise UsageError(f"corpus {wanted.corpus!r} is there already; choose another name, or load with replace")
            _delete(connection, wanted.corpus)
        loaded = _fill(connection, wanted, options, progress)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return loaded


def check(wanted: Request, options: Options, progress: Progress | None = None) -> list[FormatError]:
    """Read files without loading them; returns the warnings. Raises InvalidInput with the faults of all files."""
    state = State()
    faults: list[FormatError] = []
    for path in wanted.files:
        try:
            for _ in readers.read(Source(path, progress), wanted.form, state, options):
                pass
        except InvalidInput as error:
            faults += error.faults
    if faults:
        raise InvalidInput(faults)
    return state.warnings


def drop(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    """Remove a corpus from all tables. Raises UnknownName."""
    connection.execute("BEGIN")
    try:
        if not exists(connection, corpus):
            raise UnknownName("corpus", corpus, names(connection))
        _delete(connection, corpus)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The names of the corpora, in the order in which they were loaded."""
    return [name for (name,) in connection.execute("SELECT corpus FROM corpora ORDER BY loaded_at, corpus").fetchall()]


def exists(connection: duckdb.DuckDBPyConnection, corpus: str) -> bool:
    """Whether a corpus of this name is loaded."""
    return bool(connection.execute("SELECT count(*) FROM corpora WHERE corpus = ?", [corpus]).fetchall()[0][0])


def insert(connection: duckdb.DuckDBPyConnection, table: tables.Table, rows: pa.Table, corpus: str, options: Options) -> None:
    """Add rows of a corpus to a table, columns that are computed filled in."""
    if not rows.num_rows:
        return
    columns = [duckdb.ConstantExpression(corpus)]
    for column in table.columns[1:]:
        if column.name in rows.schema.names:
            columns.append(duckdb.ColumnExpression(column.name))
        elif column.computed and options.wants(table.name, column.name):
            columns.append(duckdb.SQLExpression(column.computed))
        else:
            columns.append(duckdb.ConstantExpression(None))
    connection.from_arrow(rows).select(*columns).insert_into(table.name)


def fill_features(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    """Take the FEATS and MISC strings apart that the table `features` does not know yet."""
    sources = [("words", "feats"), ("words", "misc"), ("tokens", "feats"), ("tokens", "misc"), ("empty_nodes", "feats"), ("empty_nodes", "misc")]
    strings = " UNION ".join(f"SELECT {column} AS feats FROM {table} WHERE corpus = $corpus" for table, column in sources)
    connection.execute(
        f"""
        INSERT INTO features
        SELECT DISTINCT p.feats, split_part(p.part, '=', 1),
               CASE WHEN contains(p.part, '=') THEN substr(p.part, strpos(p.part, '=') + 1) END
        FROM (SELECT s.feats, unnest(string_split(s.feats, '|')) AS part
              FROM ({strings}) AS s
              WHERE s.feats IS NOT NULL AND NOT EXISTS (SELECT 1 FROM features AS f WHERE f.feats = s.feats)) AS p
        WHERE p.part <> ''
        """,
        {"corpus": corpus},
    )


def _fill(connection: duckdb.DuckDBPyConnection, wanted: Request, options: Options, progress: Progress | None) -> Loaded:
    state = State()
    faults: list[FormatError] = []
    n_words = 0
    digests: list[str] = []
    for path in wanted.files:
        source = Source(path, progress)
        try:
            for batches in _together(readers.read(source, wanted.form, state, options), WORDS_AT_ONCE):
                if faults:
                    continue
                for name in batches[0]:
                    rows = pa.Table.from_batches([batch[name] for batch in batches])
                    insert(connection, tables.table(name), rows, wanted.corpus, options)
                n_words += sum(batch["words"].num_rows for batch in batches)
        except InvalidInput as error:
            faults += error.faults
        digests.append(source.sha256)
    if faults:
        raise InvalidInput(faults)
    if options.wants("features"):
        fill_features(connection, wanted.corpus)
    _record(connection, wanted, state.sentences, n_words, digests)
    return Loaded(wanted.corpus, state.sentences, n_words, tuple(state.warnings))


def _together(batches: Iterable[readers.Batch], words: int) -> Iterator[list[readers.Batch]]:
    """Runs of batches with at least so many words: an INSERT for each, not for every chunk of a file."""
    run: list[readers.Batch] = []
    n = 0
    for batch in batches:
        run.append(batch)
        n += batch["words"].num_rows
        if n >= words:
            yield run
            run, n = [], 0
    if run:
        yield run


def _record(connection: duckdb.DuckDBPyConnection, wanted: Request, n_sentences: int, n_words: int, digests: list[str]) -> None:
    """Write the corpus's row of `corpora`."""
    whole = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    values: Mapping[str, object] = {
        "corpus": wanted.corpus,
        "kind": "dependency",
        "treebank": wanted.treebank,
        "language": wanted.language,
        "format": wanted.form,
        "files": [{"path": path, "sha256": digest} for path, digest in zip(wanted.files, digests, strict=True)],
        "sha256": whole,
        "n_sentences": n_sentences,
        "n_words": n_words,
        "treesql_version": treesql.__version__,
        "loaded_at": datetime.now(UTC).replace(tzinfo=None),
    }
    columns = tables.table("corpora").names
    marks = ", ".join(f"${name}" for name in columns)
    connection.execute(f"INSERT INTO corpora ({', '.join(map(quote, columns))}) VALUES ({marks})", dict(values))


def _delete(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    for table in tables.corpus_tables():
        connection.execute(f"DELETE FROM {quote(table.name)} WHERE corpus = ?", [corpus])
    connection.execute(
        """
        DELETE FROM features AS f
        WHERE NOT EXISTS (SELECT 1 FROM words AS w WHERE w.feats = f.feats)
          AND NOT EXISTS (SELECT 1 FROM words AS w WHERE w.misc = f.feats)
          AND NOT EXISTS (SELECT 1 FROM tokens AS t WHERE t.feats = f.feats OR t.misc = f.feats)
          AND NOT EXISTS (SELECT 1 FROM empty_nodes AS e WHERE e.feats = f.feats OR e.misc = f.feats)
        """
    )
