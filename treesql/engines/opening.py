"""Any database as an engine: a DuckDB file, one in memory, a folder of Parquet, also on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treesql.engines.connections import MEMORY
from treesql.engines.duckdb import DuckDB
from treesql.engines.duckdb_files import open_database

if TYPE_CHECKING:
    from treesql.engines.spark import SparkFolder


def open_engine(
    path: str, spark: Any, *, read_only: bool, existing: bool, safe: bool, memory: int | None
) -> DuckDB | SparkFolder:
    """An engine that keeps lists, for many statements. Raises DatabaseError, UsageError.

    spark: a session or a master's address, None for DuckDB. The others as for `open_database`.
    """
    if spark is not None:
        from treesql.engines.spark import open_spark  # here, for few databases are on Spark

        return open_spark(path, spark, memory=memory, existing=existing or read_only)
    sealed = safe and (read_only or path == MEMORY)
    engine = open_database(path, read_only=read_only, existing=existing, safe=safe, sealed=sealed, memory=memory)
    engine.keeps_lists = True
    return engine
