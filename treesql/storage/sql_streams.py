"""The rows of any SQL, whole or in batches, within the limits of a database."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from treesql.engines import passed_tables
from treesql.engines.distinct_names import with_distinct_names
from treesql.engines.duckdb import DuckDB
from treesql.engines.interruption import ReportProgress, read_interruptibly, run_interruptibly
from treesql.errors import issue
from treesql.runtime.limits import LimitedEngine
from treesql.storage import statements

if TYPE_CHECKING:
    from treesql.engines.spark_streams import SparkStreams


def open_streams(limited: LimitedEngine[Any]) -> SqlStreams | SparkStreams:
    """The streams of an engine with limits, on Spark or DuckDB."""
    if isinstance(limited.engine, DuckDB):
        return SqlStreams(limited)
    from treesql.engines.spark_streams import SparkStreams  # here, for few databases are on Spark

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
            with passed_tables.with_tables(self._engine, tables):
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
        readers = statements.run_each(self._engine, sql, parameters or {}, issue)

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
        return self._kept(statements.run(self._engine, sql, parameters or {}, issue))

    def _kept(self, reader: pa.RecordBatchReader | None) -> pa.RecordBatchReader | None:
        """The reader, which `close` closes."""
        if reader is not None:
            self._open_readers.add(reader)
        return reader
