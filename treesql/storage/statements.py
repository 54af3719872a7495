"""Any SQL of a user: rows in batches, and changes of rows in one transaction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from treesql.engines.arrow_types import with_arrow_types
from treesql.engines.duckdb import DuckDB, returns_rows, values_of_statement
from treesql.engines.duckdb_folders import DuckDBFolder
from treesql.errors import QueryError, Warn
from treesql.runtime.failures import statement_error, was_interrupted
from treesql.storage import changes

_UNNAMED = "is not a valid StatementType"
"""Said of a kind of statement that DuckDB's client for Python cannot name, such as UPDATE EXTENSIONS."""


def run(engine: DuckDB, sql: str, parameters: Mapping[str, object], warn: Warn) -> pa.RecordBatchReader:
    """Run statements and return the rows of the last one that has some, in batches that the caller reads or closes.

    Makes the macros that it names. warn: called with warnings of changed sentences. Raises
    QueryError; of changes also InvalidInput, UsageError.
    """
    with _converting_errors(engine, sql):
        if _may_change_rows(engine, sql, parameters):
            return [pa.table({}), *changes.run(engine, sql, parameters, warn)][-1].to_reader()
        relation = engine.connection.sql(sql, params=dict(parameters))
        return pa.table({}).to_reader() if relation is None else with_arrow_types(relation).to_arrow_reader()


def run_each(engine: DuckDB, sql: str, parameters: Mapping[str, object], warn: Warn) -> Iterator[pa.RecordBatchReader]:
    """Run statements one after the other, and yield the rows of each that has some, as `run` does those of the last."""
    with _converting_errors(engine, sql):
        if _may_change_rows(engine, sql, parameters):
            yield from (rows.to_reader() for rows in changes.run(engine, sql, parameters, warn))
            return
        connection = engine.connection
        statements = connection.extract_statements(sql)
        for statement in statements:
            values = values_of_statement(statement, parameters, alone=len(statements) == 1)
            relation = connection.sql(statement, params=values)
            if relation is not None and returns_rows(statement, relation.columns):
                yield with_arrow_types(relation).to_arrow_reader()


def _may_change_rows(engine: DuckDB, sql: str, parameters: Mapping[str, object]) -> bool:
    """Make the macros that SQL names; whether it may change rows."""
    engine.make_macros(re.findall(r"\w+", sql.lower()))
    if isinstance(engine, DuckDBFolder):
        engine.check_statement(sql, parameters)
        return False
    return changes.may_change_rows(engine.connection, sql)


@contextmanager
def _converting_errors(engine: DuckDB, sql: str) -> Iterator[None]:
    with engine.explaining_changes(), _named_errors(engine, sql):
        yield


@contextmanager
def _named_errors(engine: DuckDB, sql: str) -> Iterator[None]:
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
        raise QueryError("DuckDB's client for Python cannot run this kind of statement; leave it out", sql) from None
