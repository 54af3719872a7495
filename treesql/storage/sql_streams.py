"""Any SQL of a user, within the limits of a database: rows, whole or in batches, and changes in one transaction."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from treesql import catalog
from treesql.engines import streams
from treesql.engines.duckdb import DuckDB, returns_rows, values_of_statement
from treesql.engines.duckdb_folders import DuckDBFolder
from treesql.engines.streams import (
    ReportProgress,
    read_interruptibly,
    run_interruptibly,
    with_arrow_types,
    with_distinct_names,
)
from treesql.errors import QueryError, issue
from treesql.runtime.failures import statement_error, was_interrupted
from treesql.runtime.limits import LimitedEngine
from treesql.storage import changes

if TYPE_CHECKING:
    from treesql.engines.spark.streams import SparkStreams


_UNNAMED = "is not a valid StatementType"
"""Said of a kind of statement that DuckDB's client for Python cannot name, such as UPDATE EXTENSIONS."""

_NO_MACRO = re.compile(r"Function with name (\w+) does not exist")
"""Said of a statement before anything of it runs."""


def open_streams(limited: LimitedEngine[Any]) -> SqlStreams | SparkStreams:
    """The streams of an engine with limits, on Spark or DuckDB."""
    if isinstance(limited.engine, DuckDB):
        return SqlStreams(limited)
    from treesql.engines.spark.streams import SparkStreams  # here, for few databases are on Spark

    return SparkStreams(limited)


class SqlStreams:
    """The open streams of an engine with limits. Arguments of the methods as those of `Database`."""

    def __init__(self, limited: LimitedEngine[DuckDB]) -> None:
        self._limited = limited
        self._open_readers: weakref.WeakSet[pa.RecordBatchReader] = weakref.WeakSet()

    @property
    def _engine(self) -> DuckDB:
        return self._limited.engine

    def read(
        self,
        sql: str,
        parameters: Mapping[str, object] | None,
        tables: Mapping[str, object],
        progress: ReportProgress | None,
    ) -> pa.Table:
        """Return all rows of the last statement."""

        def rows() -> pa.Table:
            with streams.with_tables(self._engine, tables):
                return with_distinct_names(self._open(sql, parameters), sql).read_all()

        limit = self._limited.new_limit()
        return self._limited.run(lambda: run_interruptibly(self._engine, rows, progress), limit)

    def stream(
        self, sql: str, parameters: Mapping[str, object] | None, progress: ReportProgress | None
    ) -> pa.RecordBatchReader:
        """Return the rows of the last statement in batches."""

        def begin() -> pa.RecordBatchReader:
            return self._begin(lambda: self._open(sql, parameters), sql)

        return read_interruptibly(self._engine, run_interruptibly(self._engine, begin, progress), progress)

    def stream_each(
        self, sql: str, parameters: Mapping[str, object] | None, progress: ReportProgress | None
    ) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows of every statement that has some, in batches."""
        readers = _run_each(self._engine, sql, parameters or {})

        def begin() -> pa.RecordBatchReader | None:
            return self._begin(lambda: self._kept(next(readers, None)), sql)

        while (rows := run_interruptibly(self._engine, begin, progress)) is not None:
            yield read_interruptibly(self._engine, rows, progress)

    def close(self) -> None:
        """Close the streams that were not read to the end: they block DuckDB when the file is opened again."""
        for reader in list(self._open_readers):
            reader.close()

    def _begin(self, open_reader: Callable[[], pa.RecordBatchReader | None], sql: str) -> pa.RecordBatchReader | None:
        """Return what is opened, with distinct names of columns; opening and reading share one limit."""
        limit = self._limited.new_limit()
        reader = self._limited.run(open_reader, limit)
        return None if reader is None else with_distinct_names(reader, sql, partial(self._limited.run, limit=limit))

    def _open(self, sql: str, parameters: Mapping[str, object] | None) -> pa.RecordBatchReader:
        return self._kept(_run(self._engine, sql, parameters or {}))

    def _kept(self, reader: pa.RecordBatchReader | None) -> pa.RecordBatchReader | None:
        """The reader, which `close` closes."""
        if reader is not None:
            self._open_readers.add(reader)
        return reader


def _run(engine: DuckDB, sql: str, parameters: Mapping[str, object]) -> pa.RecordBatchReader:
    """Run statements and return the rows of the last one that has some, in batches that the caller reads or closes.

    Makes the macros that it names, and issues warnings of changed sentences. Raises QueryError; of changes also
    InvalidInput, UsageError.
    """
    with _converting_errors(engine, sql):
        if _may_change_rows(engine, sql, parameters):
            return [pa.table({}), *changes.run(engine, sql, parameters, issue)][-1].to_reader()
        relation = _relation(engine, sql, dict(parameters))
        return pa.table({}).to_reader() if relation is None else with_arrow_types(relation).to_arrow_reader()


def _run_each(engine: DuckDB, sql: str, parameters: Mapping[str, object]) -> Iterator[pa.RecordBatchReader]:
    """Run statements one after the other, and yield the rows of each that has some; as for `_run`."""
    with _converting_errors(engine, sql):
        if _may_change_rows(engine, sql, parameters):
            yield from (rows.to_reader() for rows in changes.run(engine, sql, parameters, issue))
            return
        connection = engine.connection
        statements = connection.extract_statements(sql)
        for statement in statements:
            values = values_of_statement(statement, parameters, alone=len(statements) == 1)
            relation = _relation(engine, statement, values)
            if relation is not None and returns_rows(statement, relation.columns):
                yield with_arrow_types(relation).to_arrow_reader()


def _relation(
    engine: DuckDB, sql: str | duckdb.Statement, values: Mapping[str, object]
) -> duckdb.DuckDBPyRelation | None:
    """The rows of SQL, None where it has none.

    Makes the macros that it does not name, but that views and macros of users call, if it is one statement.
    """
    made = set[str]()
    while True:
        try:
            return engine.connection.sql(sql, params=values)
        except duckdb.CatalogException as error:
            missing = _NO_MACRO.search(str(error))
            name = missing[1] if missing else ""
            if name in made or name not in catalog.names() or not _is_one_statement(engine, sql):
                raise
            made.add(name)
            engine.make_macros([name])


def _is_one_statement(engine: DuckDB, sql: str | duckdb.Statement) -> bool:
    """Whether nothing has run before what failed."""
    return isinstance(sql, duckdb.Statement) or len(engine.connection.extract_statements(sql)) == 1


def _may_change_rows(engine: DuckDB, sql: str, parameters: Mapping[str, object]) -> bool:
    """Make the macros that SQL names; whether it may change rows."""
    engine.make_macros(re.findall(r"\w+", sql.lower()))
    if isinstance(engine, DuckDBFolder):
        engine.check_statement(sql, parameters)
        return False
    return changes.may_change_rows(engine.connection, sql)


@contextmanager
def _converting_errors(engine: DuckDB, sql: str) -> Iterator[None]:
    with engine.explaining_changes():
        try:
            yield
        except (duckdb.Error, pa.ArrowException) as error:
            changes.roll_back_begun(engine.connection, sql)
            if was_interrupted(error):
                raise
            raise statement_error(error, sql) from None
        except ValueError as error:
            if _UNNAMED not in str(error):
                raise
            what = "DuckDB's client for Python cannot run this kind of statement; leave it out"
            raise QueryError(what, sql) from None
