"""Conditions on scored items (`--where`): refused where the same items would not meet them again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import duckdb

from treesql import catalog
from treesql.catalog import macros
from treesql.errors import UsageError

_CLOCKS = frozenset({"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"})
"""What tells the time without brackets, and looks like a column."""

_MORE_CLOCKS = frozenset({"current_localtime", "current_localtimestamp"})
"""Functions that tell the time, and that DuckDB calls consistent."""

_PURE = frozenset({"error"})
"""Functions that DuckDB calls volatile, so that they are not called while it plans."""

_TYPES = (duckdb.StatementType.SELECT, duckdb.StatementType.MULTI)
"""Of a SELECT, and of one with PIVOT in it."""

_FUNCTIONS = """
SELECT lower(f.function_name) AS name, f.function_type LIKE '%macro' AS is_macro, f.macro_definition,
       coalesce(f.stability <> 'CONSISTENT', FALSE) AS varies
FROM duckdb_functions() AS f WHERE list_contains($names, lower(f.function_name))
"""


def check_condition(connection: duckdb.DuckDBPyConnection, condition: str) -> None:
    """Raises UsageError where an SQL condition is blank, no single expression, or no function of a row, as random()."""
    if not condition.strip():
        raise UsageError("the condition on items (--where) is empty; leave it out to score all items")
    _check_single_expression(connection, condition)
    varying = _find_varying(connection, f"SELECT 1 WHERE (\n{condition}\n)", frozenset())
    if varying:
        what = f"the condition on items (--where) has {varying}, which may differ from run to run"
        raise UsageError(f"{what}; choose items by their columns")


def _check_single_expression(connection: duckdb.DuckDBPyConnection, condition: str) -> None:
    """Raises UsageError unless a condition is a single SQL expression.

    It is pasted into a statement: text that closes parentheses, or ends the statement and begins another, would be run
    as well. An expression can be parsed both with parentheses around it and without.
    """
    for statement in (f"SELECT (\n{condition}\n)", f"SELECT\n{condition}\n"):
        try:
            found = connection.extract_statements(statement)
        except (duckdb.Error, ValueError) as error:  # ValueError: a kind of statement that the client cannot name
            raise _no_condition(condition, str(error).split(": ", 1)[-1].splitlines()[0]) from None
        if len(found) != 1 or found[0].type not in _TYPES:
            raise _no_condition(condition, f"{len(found)} statements")


def _no_condition(condition: str, why: str) -> UsageError:
    return UsageError(f"the condition {condition!r} is no SQL expression: {why}; write one, such as upos = 'NOUN'")


def _find_varying(connection: duckdb.DuckDBPyConnection, sql: str, seen: frozenset[str]) -> str | None:
    """What in a SELECT is no function of its rows, as one writes it; None if there is nothing, or it cannot be read.

    Looks into macros that are not treesql's own. seen: those that were looked into.
    """
    [(serialised,)] = connection.execute("SELECT json_serialize_sql($sql)", {"sql": sql}).fetchall()
    tree = json.loads(serialised)
    nodes = list(_nodes(tree))
    if any(node.get("sample") for node in nodes):
        return "a sample of rows"
    for node in nodes:
        if node.get("class") == "COLUMN_REF" and node["column_names"][-1].lower() in _CLOCKS:
            return str(node["column_names"][-1].lower())
    called = {str(node["function_name"]).lower() for node in nodes if node.get("function_name")}
    if tree["error"]:  # PIVOT alone; what is no SQL at all is told when it is run
        called = {name.lower() for name in re.findall(r"(\w+)\s*\(", sql)}
    for name in sorted(called & _MORE_CLOCKS):
        return f"{name}()"
    if any(node.get("function_name") == "age" and len(node["arguments"]) == 1 for node in nodes):
        return "age() of one date"
    names = sorted(called - _PURE - seen - set(catalog.names()) - macros.all_macros().keys())
    found = connection.execute(_FUNCTIONS, {"names": names}).fetchall() if names else []
    for name, is_macro, definition, varies in sorted(found, key=lambda one: (one[0], str(one[2]))):
        if varies:
            return f"{name}()"
        if is_macro:
            text = definition if definition.lstrip().lower().startswith(("select", "with", "from")) else None
            inside = _find_varying(connection, text or f"SELECT ({definition})", seen.union(names))
            if inside:
                return f"{name}(), and with it {inside}"
    return None


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All objects of a syntax tree."""
    if isinstance(tree, dict):
        yield tree
    for inside in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _nodes(inside)
