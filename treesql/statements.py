"""Checks of SQL that users write, before it runs or becomes part of a statement."""

from __future__ import annotations

import re

import duckdb

from treesql.errors import QueryError, UsageError

_NO_ACCESS = re.compile("disabled (?:by|through) configuration")
"""What DuckDB says where a connection may not reach a file, or load an extension."""


def require_condition(connection: duckdb.DuckDBPyConnection, condition: str) -> None:
    """Raises UsageError unless a condition is a single SQL expression.

    It is pasted into a statement: text that closes parentheses, or ends the statement and begins another, would be run
    as well. An expression can be parsed both with parentheses around it and without.
    """
    for statement in (f"SELECT (\n{condition}\n)", f"SELECT\n{condition}\n"):
        try:
            found = connection.extract_statements(statement)
        except (duckdb.Error, ValueError) as error:  # ValueError: a kind of statement that the client cannot name
            raise _no_condition(condition, str(error).split(": ", 1)[-1].splitlines()[0]) from None
        if len(found) != 1 or found[0].type != duckdb.StatementType.SELECT:
            raise _no_condition(condition, f"{len(found)} statements")


def _no_condition(condition: str, why: str) -> UsageError:
    return UsageError(f"the condition {condition!r} is no SQL expression: {why}; write one, such as upos = 'NOUN'")


def query_error(error: Exception, sql: str) -> QueryError:
    """What DuckDB says of a user's statement; where it wanted a file, what to do instead."""
    message = str(error)
    if _NO_ACCESS.search(message):
        first = message.splitlines()[0].split(": ", 1)[-1]
        message = (
            f"this connection reaches no files and no network: {first}; "
            "load files with `treesql load`, or open the database with --write (in Python without safe=True)"
        )
    return QueryError(message, sql)
