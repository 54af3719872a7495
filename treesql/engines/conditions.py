"""Conditions on scored items (`--where`): what they name, and checks that the same items meet them in every run."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import duckdb

from treesql import catalog
from treesql.catalog import schemas
from treesql.engines import connections
from treesql.errors import TOO_DEEP, UsageError, shortened, without_settings
from treesql.runtime import limits

_CLOCKS = frozenset({"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"})
"""Expressions for the current time that look like columns."""

_MORE_CLOCKS = frozenset({"current_localtime", "current_localtimestamp"})
"""Functions of the current time that DuckDB lists as consistent."""

_PURE = frozenset({"error"})
"""Functions that DuckDB lists as volatile only so that the planner does not call them."""

_STATEMENT_TYPES = (duckdb.StatementType.SELECT, duckdb.StatementType.MULTI)
"""Types of a SELECT, without and with PIVOT."""

_QUALIFIED = re.compile(
    r"""
    [eE]'(?:[^'\\]|''|\\.)*' | '(?:[^']|'')*' | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$ | --[^\n]* | /\*.*?\*/
    | (?<![\w.]) (?P<quote>"?)(?P<word>\w+)(?P=quote) \s*\.\s* (?: "(?P<quoted>(?:[^"]|"")*)" | (?P<plain>\w+) )
    | "(?:[^"]|"")*"
    """,
    re.VERBOSE | re.DOTALL,
)
"""Matches strings, comments, quoted names, and names that are qualified by a word, which alone have `word`."""

_FUNCTIONS = """
SELECT lower(f.function_name) AS name, f.function_type LIKE '%macro' AS is_macro, f.macro_definition,
       bool_and(coalesce(f.stability <> 'CONSISTENT', FALSE)) OR bool_or(coalesce(f.stability = 'VOLATILE', FALSE))
         AS varies
FROM duckdb_functions() AS f WHERE list_contains($names, lower(f.function_name)) GROUP BY ALL
"""
"""Functions of some types alone that are not consistent, such as a sum with a time of a zone, do not vary."""


def check_condition(connection: duckdb.DuckDBPyConnection, condition: str) -> None:
    """Raise UsageError if an SQL condition is blank, no single expression, or no function of a row: random()."""
    if not condition.strip():
        raise UsageError("the condition on items (--where) is empty; leave it out to score all items")
    _check_single_expression(connection, condition)
    varying = _find_varying(connection, f"SELECT 1 WHERE (\n{condition}\n)", frozenset())
    if varying:
        what = f"the condition on items (--where) has {varying}, which may differ from run to run"
        raise UsageError(f"{what}; select items by their columns")


def find_references(condition: str, *, subqueries: bool = True) -> list[tuple[str, ...]]:
    """Return the names of columns in a condition, each behind the names that qualify it.

    Without those that a relation of a subquery qualifies. subqueries: whether to search these. Of text that is no
    single SELECT's, all words.
    """
    return [name for name, is_outside in _references(condition).items() if subqueries or is_outside]


@lru_cache(maxsize=64)
def _references(condition: str) -> dict[tuple[str, ...], bool]:
    """Return the names of columns in a condition, with whether one is outside of its subqueries."""
    sql = f"SELECT 1 WHERE (\n{condition}\n)"
    with connections.connect() as connection:
        check_parsing_time(connection, sql)
        tree = _parse(connection, sql)
    if tree["error"]:
        return {(word,): True for word in sorted(catalog.words(condition))}
    relations = {str(node.get(name)).lower() for node in _nodes(tree) for name in ("alias", "table_name")}
    outside, named = (
        {tuple(node["column_names"]) for node in nodes if node.get("class") == "COLUMN_REF"}
        for nodes in (_nodes(tree, "subquery"), _nodes(tree))
    )
    return {
        reference: reference in outside
        for reference in sorted(named)
        if len(reference) == 1 or reference[0].lower() not in relations
    }


def replace_references(condition: str, named: Mapping[tuple[str, str], str]) -> str:
    """Return a condition with other SQL for names that a word, in lower case, qualifies: `meta.speaker`."""

    def replaced(reference: re.Match[str]) -> str:
        key = reference["plain"] if reference["quoted"] is None else reference["quoted"].replace('""', '"')
        return named.get(((reference["word"] or "").lower(), key), reference[0])

    return _QUALIFIED.sub(replaced, condition)


def _check_single_expression(connection: duckdb.DuckDBPyConnection, condition: str) -> None:
    """Raise UsageError unless a condition is a single SQL expression.

    The condition becomes part of a statement: text that closes parentheses, or ends the statement and begins another,
    would run as well. Only an expression parses both with parentheses around it and without.
    """
    check_parsing_time(connection, f"SELECT {condition}")
    for statement in (f"SELECT (\n{condition}\n)", f"SELECT\n{condition}\n"):
        try:
            statements = connection.extract_statements(statement)
        except (duckdb.Error, ValueError) as error:  # ValueError: a kind of statement that the client cannot name
            raise _no_condition(condition, without_settings(str(error)).split(": ", 1)[-1].splitlines()[0]) from None
        if len(statements) != 1 or statements[0].type not in _STATEMENT_TYPES:
            raise _no_condition(condition, f"{len(statements)} statements")


def _no_condition(condition: str, why: str) -> UsageError:
    if why == TOO_DEEP:
        return UsageError(f"the condition {shortened(condition)!r}: {why}")
    return UsageError(
        f"the condition {shortened(condition)!r} is not a SQL expression: {why}; write one, such as upos = 'NOUN'"
    )


def _find_varying(connection: duckdb.DuckDBPyConnection, sql: str, seen: frozenset[str]) -> str | None:
    """Return the first part of a SELECT that is no function of its rows, as it is written; None if there is none.

    Searches macros, too, except treesql's own. seen: names that were searched before.
    """
    tree = _parse(connection, sql)
    nodes = list(_nodes(tree))
    if any(node.get("sample") for node in nodes):
        return "a sample of rows"
    for node in nodes:
        if node.get("class") == "COLUMN_REF" and node["column_names"][-1].lower() in _CLOCKS:
            return str(node["column_names"][-1].lower())
    called = {str(node["function_name"]).lower() for node in nodes if node.get("function_name")}
    if tree["error"]:  # only PIVOT: text that is no SQL was refused before
        called = {name.lower() for name in re.findall(r"(\w+)\s*\(", sql)}
    for name in sorted(called & _MORE_CLOCKS):
        return f"{name}()"
    if any(node.get("function_name") == "age" and len(node["arguments"]) == 1 for node in nodes):
        return "age() of one date"
    names = sorted(called - _PURE - seen - set(catalog.names()) - schemas.all_macros().keys())
    functions = connection.execute(_FUNCTIONS, {"names": names}).fetchall() if names else []
    for name, is_macro, definition, varies in sorted(
        functions, key=lambda definition_row: (definition_row[0], str(definition_row[2]))
    ):
        if varies:
            return f"{name}()"
        if is_macro:
            text = definition if definition.lstrip().lower().startswith(("select", "with", "from")) else None
            inside = _find_varying(connection, text or f"SELECT ({definition})", seen.union(names))
            if inside:
                return f"{name}(), and with it {inside}"
    return None


def _parse(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """Return the syntax tree of a SELECT; `error` says whether there is none."""
    [(serialised,)] = connection.execute("SELECT json_serialize_sql($sql)", {"sql": sql}).fetchall()
    return json.loads(serialised)


def _nodes(tree: Any, without: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield all objects of a syntax tree. without: the field whose objects are left out."""
    if isinstance(tree, dict):
        yield tree
        tree = [inside for name, inside in tree.items() if name != without]
    for inside in tree if isinstance(tree, list) else ():
        yield from _nodes(inside, without)


_SHORT_TEXT = 500
"""Number of characters of SQL that are parsed at once; time grows with the square of nested parentheses."""

_MAX_PARSING = 0.5
"""Maximum number of seconds to parse a text where a limit of time or memory is set."""


def check_parsing_time(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise UsageError where a limit is set and a text takes long to parse.

    While `extract_statements` parses, Python stands still, and no limit is noticed: call this before, which parses too.
    """
    if len(sql) > _SHORT_TEXT and limits.are_set():
        began = time.monotonic()
        connection.execute("SELECT len(json_serialize_sql($sql))", {"sql": sql}).fetchall()
        if time.monotonic() - began > _MAX_PARSING:
            raise UsageError(f"these {len(sql):,} characters of SQL take too long to parse; shorten them")
