"""Any SQL of a user: rows in batches, and changes of rows in one transaction."""

from __future__ import annotations

import re
from collections.abc import Mapping

import duckdb
import pyarrow as pa

from treesql.engines.duckdb import DuckDB
from treesql.errors import Warn
from treesql.runtime.failures import statement_error, was_interrupted
from treesql.storage import changes


def run(engine: DuckDB, sql: str, parameters: Mapping[str, object], warn: Warn) -> pa.RecordBatchReader:
    """Run statements and return the rows of the last one that has some, in batches that the caller reads or closes.

    Makes the macros that it names. warn: called with warnings of changed sentences. Raises
    QueryError; of changes also InvalidInput, UsageError.
    """
    try:
        engine.make_macros(re.findall(r"\w+", sql.lower()))
        if changes.may_change_rows(engine.connection, sql):
            return changes.run(engine, sql, parameters, warn).to_reader()
        relation = engine.connection.sql(sql, params=dict(parameters))
        return pa.table({}).to_reader() if relation is None else relation.to_arrow_reader()
    except (duckdb.Error, pa.ArrowException) as error:
        changes.roll_back_begun(engine.connection, sql)
        if was_interrupted(error):
            raise
        raise statement_error(error, sql) from None
