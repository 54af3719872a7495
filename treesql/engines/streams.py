"""Statements whose rows come as a stream: work that reports its progress and that Ctrl-C ends at once, tables of Python
that a statement reads by their names, batches with a name of its own for every column, and with types that Arrow has.

The work runs in a second thread, so that the first one receives Ctrl-C, which DuckDB ignores while a statement runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from treesql import errors
from treesql.catalog import schemas
from treesql.catalog.schemas import quote
from treesql.engines import Engine
from treesql.engines.duckdb import DuckDB
from treesql.errors import QueryError, UsageError
from treesql.results.result import Result
from treesql.runtime.workers import Found, Worker

POLL_SECONDS = 0.1

ReportProgress = Callable[[float, float], object]
"""Called ten times a second with the percentage of the statement that is done, and 100."""


def run_interruptibly(engine: Engine, work: Callable[[], Found], report: ReportProgress | None) -> Found:
    """Run the work and return its result. report: without it the work runs in this thread, and is not interrupted.

    Raises what the work raises, and KeyboardInterrupt if that ended it; an interrupt after the work was done has no
    effect.
    """
    if report is None:
        return work()
    warnings: list[errors.Issued] = []

    def collecting() -> Found:
        with errors.collecting(warnings):
            return work()

    worker = Worker(collecting, clean_up=lambda: None)
    worker.start()
    try:
        while not worker.finished.wait(POLL_SECONDS):
            report(max(engine.query_progress(), 0.0), 100.0)
    except KeyboardInterrupt:
        engine.interrupt()
        worker.finished.wait()
        if worker.has_failed:
            raise
    found = worker.result()
    for warning in warnings:
        errors.issue(*warning)
    return found


def read_interruptibly(
    engine: Engine, reader: pa.RecordBatchReader, report: ReportProgress | None
) -> pa.RecordBatchReader:
    """Return the batches of a statement, each of them interruptible as the statement is. report: None for a reader
    whose batches are not interrupted."""
    if report is None:
        return reader

    def batches() -> Iterator[pa.RecordBatch]:
        while (batch := run_interruptibly(engine, lambda: next(reader, None), report)) is not None:
            yield batch

    return pa.RecordBatchReader.from_batches(reader.schema, batches())


@contextmanager
def with_tables(engine: DuckDB, tables: Mapping[str, object]) -> Iterator[None]:
    """Make tables known to the statements of this block, by their names.

    tables: Results, Arrow tables, Polars and pandas data frames, or mappings of columns. Raises UsageError.
    """
    known: set[str] = set()
    try:
        for name, table in tables.items():
            rows = as_arrow(name, table)
            try:
                engine.connection.register(name, rows)
            except duckdb.Error as error:
                raise UsageError(f"tables: {name}: {str(error).splitlines()[0]}") from None
            known.add(name)
        yield
    finally:
        for name in known:
            engine.connection.unregister(name)


def as_arrow(name: str, table: object) -> pa.Table:
    """Return a table of Python as an Arrow table. Raises UsageError, also for the name of a table of treesql."""
    if name.lower() in {*schemas.all_tables(), *schemas.all_views()}:
        raise UsageError(f"tables: {name} is a table of treesql; choose another name")
    if isinstance(table, Result):
        return table.arrow()
    try:
        if isinstance(table, Mapping):
            return pa.table(dict(table))
        if hasattr(table, "__arrow_c_stream__"):
            return pa.table(table)
        if hasattr(table, "iloc"):  # pandas before its Arrow interface
            return pa.Table.from_pandas(table)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UsageError(f"tables: {name}: {str(error).splitlines()[0]}") from None
    known = "a Result, an Arrow table, a Polars or pandas data frame, or a mapping of columns"
    raise UsageError(f"tables: {name} is {type(table).__name__}; pass {known}")


Read = Callable[[], pa.RecordBatch | None]
"""Returns the next batch, None after the last."""


def with_distinct_names(
    reader: pa.RecordBatchReader, sql: str, run: Callable[[Read], pa.RecordBatch | None] | None = None
) -> pa.RecordBatchReader:
    """Return the batches of a statement with distinct column names: `a`, `a_2`. Errors of batches are QueryErrors.

    run: runs what reads each batch, within limits.
    """
    names: dict[str, int] = {}
    for column in reader.schema.names:
        name, number = column, names.get(column, 1)
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names[column] = number
        names.setdefault(name, 1)
    schema = pa.schema([field.with_name(name) for field, name in zip(reader.schema, names, strict=True)])

    def read() -> pa.RecordBatch | None:
        try:
            return next(reader, None)
        except (OSError, pa.ArrowException) as error:
            raise QueryError(str(error), sql) from None

    def batches() -> Iterator[pa.RecordBatch]:
        while (batch := read() if run is None else run(read)) is not None:
            yield batch.rename_columns(list(names))

    return pa.RecordBatchReader.from_batches(schema, batches())


_TEXTS = frozenset({"bignum", "bit", "geometry", "interval", "time with time zone", "tuple", "uhugeint", "variant"})
"""Types that Arrow holds as bytes, or without a part of their values: zones of times, long intervals."""


def with_arrow_types(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The relation with texts in place of values that Arrow does not hold as they are, inside of other values, too."""
    targets = [_arrow_type(kind) for kind in relation.types]
    if all(target is None for target in targets):
        return relation
    columns = (
        f"{f'#{at}' if target is None else f'CAST(#{at} AS {target})'} AS {quote(name)}"
        for at, (name, target) in enumerate(zip(relation.columns, targets, strict=True), 1)
    )
    return relation.project(", ".join(columns))


def _arrow_type(kind: duckdb.sqltypes.DuckDBPyType) -> str | None:
    """The type, in SQL, that Arrow has in place of another; None where it has that one."""
    if kind.id in _TEXTS:
        return "VARCHAR"
    if kind.id not in ("list", "array", "struct", "map", "union"):
        return None
    parts = dict(kind.children) if str(kind) != "STRUCT" else {}
    size = parts.pop("size", None) if kind.id == "array" else None
    kinds = {
        name: part
        for name, part in parts.items()
        if isinstance(part, duckdb.sqltypes.DuckDBPyType) and (name or kind.id != "union")  # without the tag of a union
    }
    targets = {name: _arrow_type(part) for name, part in kinds.items()}
    if all(target is None for target in targets.values()):
        return None
    inner = [(name, targets[name] or str(part)) for name, part in kinds.items()]
    if kind.id in ("list", "array"):
        return f"{inner[0][1]}[{'' if size is None else size}]"
    fields = (part if kind.id == "map" else f"{quote(name)} {part}" for name, part in inner)
    return f"{kind.id.upper()}({', '.join(fields)})"
