"""The rows of Spark SQL, within the limits of a database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from treesql import catalog
from treesql.engines.spark.engine import SparkFolder
from treesql.engines.streams import ReportProgress, as_arrow, with_distinct_names
from treesql.errors import QueryError, StatementError, UsageError
from treesql.runtime.limits import LimitedEngine


class SparkStreams:
    """What runs `sql` on Spark: any statement of Spark SQL. Arguments of the methods as those of `Database`."""

    def __init__(self, limited: LimitedEngine[Any]) -> None:
        self._limited = limited

    @property
    def _engine(self) -> SparkFolder:
        engine: SparkFolder = self._limited.engine
        return engine

    def read(
        self,
        sql: str,
        parameters: Mapping[str, object] | None,
        tables: Mapping[str, object],
        progress: ReportProgress | None,
    ) -> pa.Table:
        """Return all rows of a statement. Raises QueryError, UsageError."""
        limit = self._limited.new_limit()
        return self._limited.run(lambda: self._rows(sql, parameters or {}, tables), limit)

    def _rows(self, sql: str, parameters: Mapping[str, object], tables: Mapping[str, object]) -> pa.Table:
        engine = self._engine
        try:
            engine.make_table_functions(catalog.words(sql) & set(catalog.names()))
            with engine.passing({name: as_arrow(name, table) for name, table in tables.items()}):
                rows = engine.run(sql, parameters)
        except StatementError as error:
            raise QueryError(error.message, sql, parameters=parameters) from None
        return with_distinct_names(rows.to_reader(), sql).read_all()

    def stream(
        self, sql: str, parameters: Mapping[str, object] | None, progress: ReportProgress | None
    ) -> pa.RecordBatchReader:
        """Return all rows of a statement in batches; the driver collects them first."""
        return self.read(sql, parameters, {}, progress).to_reader()

    def stream_each(
        self, sql: str, parameters: Mapping[str, object] | None, progress: ReportProgress | None
    ) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows of the statement; Spark runs one at a time. Raises UsageError for none."""
        if not sql.strip():
            raise UsageError("this SQL is empty; write a statement")
        yield self.stream(sql, parameters, progress)

    def close(self) -> None:
        """Do nothing: no stream is left open."""
