"""Data frames and other tables of Python that a statement reads by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from treesql.catalog import schemas
from treesql.engines.duckdb import DuckDB
from treesql.errors import UsageError
from treesql.results.result import Result


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
