"""Statistics: queries whose rows are a table of their own, not the items of scores."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query
from treesql.catalog.schemas import quote
from treesql.engines import Engine
from treesql.engines.spark_types import with_keys
from treesql.results.result import Result
from treesql.scoring import signatures
from treesql.scoring.audits import check_audit, check_corpora, declared_values
from treesql.scoring.sql import execute

_SHARE = re.compile(r"(^|_)(share|accuracy|agreement|precision|recall|f1|aer)$")
"""Matches the name of a column of shares."""

CORPUS = "corpus_name"
"""The parameter of the corpus that a relation is of, and the column of it in the table of a relation that is held."""

_ORDERED = re.compile(r"\bORDER BY [^()]*$")
"""Matches a query that orders its rows; the ORDER BY of a window or a list is in parentheses."""


def run_statistic(engine: Engine, name: str, values: Mapping[str, object] = {}) -> Result:
    """Return the rows of a statistic, with its columns of shares marked, and its signature under its name.

    values: of parameters; those that the statistic does not declare are ignored. Raises UnknownName, UsageError,
    Incomparable, QueryError.
    """
    query = catalog.query(name)
    return run_with_signature(engine, query, declared_values(query, values), share_columns(query))


def run_for_sentence(engine: Engine, name: str, values: Mapping[str, object], sentence: int) -> pa.Table:
    """Return the rows of a statistic that are about one sentence, computed without the others where DuckDB can.

    Raises what `run_statistic` raises.
    """
    query = catalog.query(name)
    values = query.values(values)
    check_corpora(engine, query, values)
    for audit in query.audit_queries:
        check_audit(engine, audit, values)
    sql = f"SELECT r.* FROM (\n{query.statement.sql}\n) AS r WHERE r.sentence = {int(sentence)}"
    return execute(engine, sql, query.name, values, aggregated=True)


def run_with_signature(
    engine: Engine,
    query: Query,
    values: Mapping[str, object],
    percent: frozenset[str] = frozenset(),
) -> Result:
    """Return the rows of any query of the catalogue, and one signature under its name.

    Raises what `run_query` raises.
    """
    rows = run_query(engine, query, values)
    signature = signatures.signature(engine, query, query.name, query.values(values), None)
    return Result(rows, {query.name: signature}, percent)


def run_query(engine: Engine, query: Query, values: Mapping[str, object]) -> pa.Table:
    """Return the rows of any query of the catalogue, in the query's own order or else ordered by all columns.

    Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    values = query.values(values)
    check_corpora(engine, query, values)
    for audit in query.audit_queries:
        check_audit(engine, audit, values)
    sql = query.statement.replacing({name: _held(name) for name in engine.held}).sql
    if not _ORDERED.search(query.body):
        order = ", ".join(f"r.{quote(column.name)} NULLS LAST" for column in query.columns)
        sql = f"SELECT r.* FROM (\n{sql}\n) AS r ORDER BY {order}"
    rows = execute(engine, sql, query.name, values, aggregated=query.kind == "statistic")
    return with_keys(rows, {column.name: column.type for column in query.columns})


def _held(relation: str) -> str:
    """Return SQL for the rows of one corpus of a relation that the engine holds."""
    columns = ", ".join(f"h.{quote(column.name)}" for column in catalog.query(relation).columns)
    return f"SELECT {columns} FROM main.{quote(relation)} AS h WHERE h.{CORPUS} = ${CORPUS}"


def share_columns(query: Query) -> frozenset[str]:
    """Return the names of a statistic's columns that are shares."""
    return frozenset(column.name for column in query.columns if _SHARE.search(column.name))
