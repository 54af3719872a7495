"""Items -> scores: the sums of a metric's counts over the corpus or per group, and its score expressions over them.

A score is evaluated in two steps, first the counts summed per group, then the expression over the sums, so that the
second step can be repeated on sums that were resampled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query, schemas
from treesql.catalog.schemas import literal, quote
from treesql.engines.duckdb import is_database, open_connection
from treesql.errors import Diagnostic, UnknownName, UsageError, Warn
from treesql.readers import Options
from treesql.readers.source import STANDARD_INPUT
from treesql.results.result import Result
from treesql.scoring import relation_tables, signatures
from treesql.scoring.audits import check_audit, check_corpora, declared_values
from treesql.scoring.sql import execute
from treesql.storage import in_memory, loading
from treesql.storage.loading import CorpusFiles

_SHARE = re.compile(r"(^|_)(share|accuracy|precision|recall|f1)$")
_ORDERED = re.compile(r"\bORDER BY [^()]*$")
"""Matches a query whose rows are in an order, which is not that of a window or a list."""


def run_statistic(connection: duckdb.DuckDBPyConnection, name: str, given: Mapping[str, object]) -> Result:
    """The rows of a statistic, of whose parameters those are taken that it declares; shares are told.

    Its signature stands under the statistic's name. Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    query = catalog.query(name)
    return run_to_result(connection, query, declared_values(query, given), share_columns(query))


def run_to_result(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    given: Mapping[str, object],
    percent: frozenset[str] = frozenset(),
) -> Result:
    """The rows of any query of the catalogue, with one signature for all, under its name. Raises what `run` raises."""
    found = run_query(connection, query, given)
    return Result(
        found, {query.name: signatures.signature(connection, query, query.name, query.values(given), None)}, percent
    )


def share_columns(query: Query) -> frozenset[str]:
    """The columns of a statistic that hold shares, by their names."""
    return frozenset(column.name for column in query.columns if _SHARE.search(column.name))


def run_query(connection: duckdb.DuckDBPyConnection, query: Query, given: Mapping[str, object]) -> pa.Table:
    """The rows of any query of the catalogue, in its own order or that of its columns from the first on.

    Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    values = query.values(given)
    check_corpora(connection, query, values)
    for audit in query.audit_queries:
        check_audit(connection, audit, values)
    sql = query.statement.sql
    if not _ORDERED.search(query.body):
        sql = f"SELECT r.* FROM (\n{sql}\n) AS r ORDER BY ALL"
    return execute(connection, sql, query.name, values)


CHUNK = 1000
"""Words of a chunk of the standardised type/token ratio."""


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
    """A connection that holds the treebanks and what the queries read of them; SQL on it reaches no files.

    paths: files and folders, each a treebank, or one .duckdb file, whose treebanks are those that its corpora were said
    to belong to. queries: names in the catalogue. warn: called with all that is worth a look. classes_file: CSV to take
    the place of relation_classes. corpora: those of a database that are wanted; None for all. Raises UsageError,
    UnknownName, InvalidInput, DatabaseError.
    """
    if not paths:
        raise UsageError("name at least one treebank")
    if any(map(is_database, paths)):
        if len(paths) > 1:
            raise UsageError("a database stands alone; name one database, or files and folders")
        if permissive or strict:
            raise UsageError("how files are read (--permissive, --strict) is of no use with a database")
        with open_connection(paths[0], read_only=True, safe=True) as connection:
            if corpora is not None:
                _choose(connection, corpora)
            if classes_file:
                relation_tables.install_classes(connection, classes_file)
            yield connection
        return
    if corpora is not None:
        raise UsageError("corpora are chosen in a database; files and folders are each one treebank")
    wanted = [plan_treebank(path, name) for name, path in zip(names(paths), paths, strict=True)]
    with load_treebanks(wanted, queries, warn=warn, permissive=permissive, strict=strict) as connection:
        if classes_file:
            relation_tables.install_classes(connection, classes_file)
        yield connection


@contextmanager
def open_whole(
    path: str, *, warn: Warn = lambda warning: None, permissive: bool = False, strict: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a database, or one that holds a file, or the CoNLL-U files of a folder, with all its columns.

    SQL on it reaches no files. Raises UsageError, InvalidInput, DatabaseError.
    """
    if is_database(path):
        if permissive or strict:
            raise UsageError("how files are read (--permissive, --strict) is of no use with a database")
        with open_connection(path, read_only=True, safe=True) as connection:
            yield connection
        return
    connection, [loaded] = in_memory.load_into_memory([plan_treebank(path, _name(path))], Options(permissive, strict))
    with connection:
        for warning in loaded.warnings:
            warn(warning)
        yield connection


@contextmanager
def load_treebanks(
    wanted: Sequence[CorpusFiles],
    queries: Iterable[str],
    *,
    warn: Warn = lambda warning: None,
    permissive: bool = False,
    strict: bool = False,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection in memory with corpora, of which only what the queries read. Raises InvalidInput."""
    read = catalog.columns_read([catalog.query(name) for name in queries])
    connection, loaded = in_memory.load_into_memory(wanted, Options(permissive, strict, read))
    with connection:
        for warning in loading.distinct_warnings(loaded):
            warn(warning)
        yield connection


def plan_treebank(path: str, corpus: str, treebank: str | None = None) -> CorpusFiles:
    """A file, or the CoNLL-U files of a folder, as one corpus. Raises InvalidInput, UsageError."""
    [wanted] = loading.plan_loads([path], corpus, "conllu" if Path(path).is_dir() else None, treebank)
    return wanted


def names(paths: Sequence[str]) -> list[str]:
    """What treebanks are called: files and folders by their own names, or as given where two would be the same."""
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise UsageError(f"{twice} is named twice; name every treebank once")
    own = [_name(path) for path in paths]
    return own if len(set(own)) == len(own) else list(paths)


def statistic(connection: duckdb.DuckDBPyConnection, name: str, **given: object) -> Result:
    """The rows of a statistic. Raises UnknownName, UsageError, Incomparable, QueryError."""
    return run_statistic(connection, name, given)


def warnings_of_statistics(connection: duckdb.DuckDBPyConnection) -> Iterator[Diagnostic]:
    """What a reader of the statistics should know: small treebanks, relations that belong to no class."""
    sizes = connection.execute(
        "SELECT coalesce(treebank, corpus) AS treebank, CAST(sum(n_words) AS BIGINT) FROM corpora GROUP BY 1 ORDER BY 1"
    ).fetchall()
    for treebank, words in sizes:
        if words < CHUNK:
            what = f"{words} word{'s' if words > 1 else ''}, fewer than the {CHUNK} of a chunk"
            yield Diagnostic.warning(treebank, 0, what, "its standardised type/token ratio is left open")
    yield from find_unclassified(connection)


def find_unclassified(connection: duckdb.DuckDBPyConnection, corpus_name: str = "") -> Iterator[Diagnostic]:
    """A line per treebank, or for one corpus, about its relations outside the table relation_classes."""
    hint = "they count as other; --classes FILE classifies them"
    yield from _listed(connection, "unclassified_relations", "that belong to no class", hint, corpus_name=corpus_name)


def find_unweighted(connection: duckdb.DuckDBPyConnection, weights: str, corpus_name: str = "") -> Iterator[Diagnostic]:
    """A line per treebank, or for one corpus, about its relations that a set of weights lacks."""
    given = {"weights": weights, "corpus_name": corpus_name}
    yield from _listed(
        connection, "unweighted_relations", "without a weight", "each of their words counts 0.5", **given
    )


def _listed(
    connection: duckdb.DuckDBPyConnection, query: str, what: str, hint: str, **given: str
) -> Iterator[Diagnostic]:
    found: dict[str, list[str]] = {}
    for row in statistic(connection, query, **given).rows():
        found.setdefault(row["treebank"], []).append(f"{row['relation']} ({row['words']})")
    for treebank, relations in found.items():
        yield Diagnostic.warning(treebank, 0, f"relations {what}: {', '.join(relations)}", hint)


def _choose(connection: duckdb.DuckDBPyConnection, corpora: Sequence[str]) -> None:
    """Let the connection see some corpora alone. Raises UnknownName."""
    known = loading.corpus_names(connection)
    for corpus in corpora:
        if corpus not in known:
            raise UnknownName("corpus", corpus, known)
    columns = ", ".join(f"c.{quote(name)}" for name in schemas.table("corpora").names)
    chosen = ", ".join(map(literal, corpora))
    sql = f"CREATE TEMP TABLE corpora AS SELECT {columns} FROM corpora AS c WHERE c.corpus IN ({chosen})"
    connection.execute(sql)


def _name(path: str) -> str:
    if path == STANDARD_INPUT:
        return "stdin"
    return Path(path).resolve().name if Path(path).is_dir() else Path(path).name
