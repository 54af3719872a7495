"""Treebanks of statistics and requests: files and folders loaded into memory, or a database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from treesql import catalog
from treesql.catalog import schemas
from treesql.catalog.schemas import literal, quote
from treesql.engines.duckdb import is_database, open_connection
from treesql.errors import UnknownName, UsageError, Warn
from treesql.readers import Options
from treesql.readers.source import STANDARD_INPUT
from treesql.scoring import relation_tables
from treesql.storage import in_memory, loading
from treesql.storage.loading import CorpusFiles


@contextmanager
def open_treebanks(
    paths: Sequence[str],
    queries: Sequence[str],
    *,
    warn: Warn = lambda warning: None,
    classes_file: str | None = None,
    corpora: Sequence[str] | None = None,
    permissive: bool = False,
    strict: bool = False,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection with treebanks, and of files only what the queries read. SQL on it reaches no files.

    paths: files and folders, each a treebank, or one database, whose corpora name their treebanks. queries: names in
    the catalogue. warn: called with every warning. classes_file: CSV that replaces relation_classes. corpora: the
    corpora of a database to read; None for all. Raises UsageError, UnknownName, InvalidInput, DatabaseError.
    """
    if not paths:
        raise UsageError("name at least one treebank")
    if any(map(is_database, paths)):
        if len(paths) > 1:
            raise UsageError("a database is the only input; name one database, or files and folders")
        with _open_database(paths[0], permissive=permissive, strict=strict) as connection:
            if corpora is not None:
                _restrict_corpora(connection, corpora)
            if classes_file:
                relation_tables.install_classes(connection, classes_file)
            yield connection
        return
    if corpora is not None:
        raise UsageError("corpora are chosen in a database; files and folders are each one treebank")
    files = [plan_treebank(path, name) for name, path in zip(treebank_names(paths), paths, strict=True)]
    with load_treebanks(files, queries, warn=warn, permissive=permissive, strict=strict) as connection:
        if classes_file:
            relation_tables.install_classes(connection, classes_file)
        yield connection


@contextmanager
def selected(
    connection: duckdb.DuckDBPyConnection, corpora: Sequence[str] | None, classes_file: str | Path | None = None
) -> Iterator[None]:
    """Restrict an open database in this block to some corpora, and give relations other classes; nothing of it stays.

    Parameters as for `open_treebanks`. Raises UnknownName, InvalidInput.
    """
    connection.execute("BEGIN")
    try:
        if corpora is not None:
            _restrict_corpora(connection, corpora)
        if classes_file is not None:
            relation_tables.install_classes(connection, str(classes_file))
        yield
    finally:
        connection.execute("ROLLBACK")


def as_list(names: str | Sequence[str] | None) -> list[str] | None:
    """Return one name or several as a list."""
    return [names] if isinstance(names, str) else None if names is None else list(names)


def path_text(path: str | Path | None) -> str | None:
    """Return a path as text, or None."""
    return None if path is None else str(path)


@contextmanager
def open_database_or_treebank(
    path: str, *, warn: Warn = lambda warning: None, permissive: bool = False, strict: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to a database, or to a file or the CoNLL-U files of a folder, with all columns.

    SQL on it reaches no files. Raises UsageError, InvalidInput, DatabaseError.
    """
    if is_database(path):
        with _open_database(path, permissive=permissive, strict=strict) as connection:
            yield connection
        return
    files = plan_treebank(path, _base_name(path))
    connection, [loaded] = in_memory.load_into_memory([files], Options(permissive, strict))
    with connection:
        for warning in loaded.warnings:
            warn(warning)
        yield connection


@contextmanager
def load_treebanks(
    files: Sequence[CorpusFiles],
    queries: Iterable[str],
    *,
    warn: Warn = lambda warning: None,
    permissive: bool = False,
    strict: bool = False,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to corpora in memory, with the columns that the queries read. Raises InvalidInput."""
    columns = catalog.columns_read([catalog.query(name) for name in queries])
    connection, loaded = in_memory.load_into_memory(files, Options(permissive, strict, columns))
    with connection:
        for warning in loading.distinct_warnings(loaded):
            warn(warning)
        yield connection


def plan_treebank(path: str, corpus: str, treebank: str | None = None) -> CorpusFiles:
    """Return a file, or the CoNLL-U files of a folder, as one corpus to load. Raises InvalidInput, UsageError."""
    [files] = loading.plan_loads([path], corpus, "conllu" if Path(path).is_dir() else None, treebank)
    return files


def treebank_names(paths: Sequence[str]) -> list[str]:
    """Return the base names of files and folders, or the paths where two base names are equal. Raises UsageError."""
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise UsageError(f"{twice} is named twice; name every treebank once")
    names = [_base_name(path) for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


@contextmanager
def _open_database(path: str, *, permissive: bool, strict: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    if permissive or strict:
        raise UsageError("options for reading files (--permissive, --strict) do not apply to a database")
    with open_connection(path, read_only=True, safe=True) as connection:
        yield connection


def _restrict_corpora(connection: duckdb.DuckDBPyConnection, corpora: Sequence[str]) -> None:
    """Restrict the connection to some corpora by a temporary table. Raises UnknownName."""
    known = loading.corpus_names(connection)
    for corpus in corpora:
        if corpus not in known:
            raise UnknownName("corpus", corpus, known)
    columns = ", ".join(f"c.{quote(name)}" for name in schemas.table("corpora").names)
    chosen = ", ".join(map(literal, corpora))
    sql = f"CREATE TEMP TABLE corpora AS SELECT {columns} FROM corpora AS c WHERE c.corpus IN ({chosen})"
    connection.execute(sql)


def _base_name(path: str) -> str:
    if path == STANDARD_INPUT:
        return "stdin"
    return Path(path).resolve().name if Path(path).is_dir() else Path(path).name
