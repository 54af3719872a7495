"""Why a request finds nothing, as far as it can be told."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import duckdb

from treesql.errors import UnknownName
from treesql.patterns import compiler, contradictions, syntax
from treesql.patterns.fields import DERIVED
from treesql.patterns.syntax import Item, Request, Test
from treesql.patterns.vocabulary import Vocabulary, hint

if TYPE_CHECKING:
    from treesql.patterns.finding import Question

VALUES_SHOWN = 5000
"""Of features with more values than these the nearest one is not looked for."""


def why_nothing(connection: duckdb.DuckDBPyConnection, question: Question, seconds: float) -> list[str]:
    """Reasons why a request finds nothing, as far as they can be told in so many seconds."""
    request = question.request
    told = [*question.remarks, *contradictions.told(request, question.wanted.enhanced)]
    if told:
        return told[len(question.remarks) :]
    ends = time.monotonic() + seconds
    for clause in request.clauses("pattern"):
        if time.monotonic() > ends:
            return []
        if isinstance(clause, syntax.Node) and (reason := _no_word(connection, question, clause)):
            return [reason]
        if isinstance(clause, syntax.Edge) and (reason := _no_edge(connection, question, clause)):
            return [reason]
    return _what_filters(connection, question, ends)


def count(connection: duckdb.DuckDBPyConnection, question: Question, items: Sequence[Item]) -> int:
    """The number of matches of some items alone."""
    wanted = replace(question.wanted, columns=(), by=(), count=True, limit=None)
    sql = compiler.compile_request(Request(question.request.text, tuple(items)), wanted, question.names)
    return int(connection.execute(sql).fetchall()[0][0])


def _no_word(connection: duckdb.DuckDBPyConnection, question: Question, clause: syntax.Node) -> str | None:
    """Why no word at all fits a node, if so."""
    alone = Item("pattern", (clause,), clause.span)
    if count(connection, question, [alone]):
        return None
    for tests in clause.alternatives[:1] if len(clause.alternatives) == 1 else ():
        for test in tests:
            one = replace(clause, alternatives=((test,),))
            if not count(connection, question, [replace(alone, clauses=(one,))]):
                return f"no word has `{question.request.told(test.span)}`{_nearest_value(connection, question, test)}"
    return f"no word fits `{question.request.told(clause.span)}`"


def _nearest_value(connection: duckdb.DuckDBPyConnection, question: Question, test: Test) -> str:
    """The values that are nearest to the one that a test wants."""
    wanted = [value for value in test.values if isinstance(value, str)]
    if test.operator != "=" or len(wanted) != 1 or test.name in ("form", *DERIVED):
        return ""
    known = Vocabulary(connection, question.wanted.corpora).values(test.name, VALUES_SHOWN + 1)
    return "" if len(known) > VALUES_SHOWN else f"; {hint(UnknownName('', wanted[0], known))}"


def _no_edge(connection: duckdb.DuckDBPyConnection, question: Question, clause: syntax.Edge) -> str | None:
    """Whether no edge at all has the label that a clause wants."""
    alone = Item("pattern", (replace(clause, name=None),), clause.span)
    if count(connection, question, [alone]):
        return None
    return f"no edge fits `{question.request.told(clause.span)}`"


def _what_filters(connection: duckdb.DuckDBPyConnection, question: Question, ends: float) -> list[str]:
    """Which item leaves nothing of what the pattern finds."""
    items = question.request.items
    filters = [item for item in items if item.kind in ("with", "without")]
    rest = [item for item in items if item not in filters]
    if not filters or time.monotonic() > ends:
        return []
    found = count(connection, question, rest)
    if not found:
        return []
    alone = f"the pattern alone has {found:,} match{'es' if found > 1 else ''}"
    for item in filters:
        if time.monotonic() > ends:
            return []
        if not count(connection, question, [*rest, item]):
            return [f"{alone}; `{question.request.told(item.span)}` leaves none of them"]
    return [f"{alone}; the filters together leave none of them"]
