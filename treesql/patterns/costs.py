"""What the clauses of a request cost: how many words or edges fit each alone, and which ties nothing together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import duckdb

from treesql import limits
from treesql.errors import MemoryLimit, TimeLimit
from treesql.patterns import reasons, syntax
from treesql.patterns.syntax import Clause, Item, Order
from treesql.patterns.vocabulary import Vocabulary

if TYPE_CHECKING:
    from treesql.patterns.finding import Question

SECONDS = 2.0
"""Seconds that the count of one clause may take, where nothing waits for it."""


@dataclass(frozen=True)
class Cost:
    """A clause, and how many words or edges fit it alone; None where that took too long, or is not counted."""

    item: str
    clause: str
    fits: int | None
    what: str = "word"


def clauses(connection: duckdb.DuckDBPyConnection, question: Question) -> list[Cost]:
    """The costs of all clauses that bind nodes or edges."""
    found = []
    for item in question.request.items:
        for clause in item.clauses:
            binds = isinstance(clause, syntax.Node | syntax.Edge)
            fits = _fits(connection, question, clause) if binds else None
            what = "edge" if isinstance(clause, syntax.Edge) else "word"
            found.append(Cost(item.kind, question.request.told(clause.span), fits, what))
    return found


def plan(connection: duckdb.DuckDBPyConnection, question: Question) -> str:
    """How DuckDB would go about the statement."""
    return str(connection.execute(f"EXPLAIN {question.sql}").fetchall()[0][1]).rstrip()


def costliest(connection: duckdb.DuckDBPyConnection, question: Question) -> str:
    """A sentence about the clause that costs most, for whoever waited too long; nothing where it takes too long."""
    try:
        with limits.limited(connection, limits.EXPLAINING):
            return _costliest(connection, question)
    except (TimeLimit, MemoryLimit, duckdb.Error):
        return ""


def _costliest(connection: duckdb.DuckDBPyConnection, question: Question) -> str:
    request = question.request
    untied: list[tuple[int, str]] = []
    tied: list[tuple[int, str]] = []
    patterns = request.clauses("pattern")
    scopes: list[Sequence[Clause]] = [patterns]
    scopes += [item.clauses for item in request.items if item.kind in ("with", "without")]
    for number, scope in enumerate(scopes):
        outer = patterns if number else ()
        groups = _groups([*outer, *scope])
        own = {name for clause in scope for name in _names(clause)}
        fits = {name: _fits_node(connection, question, scope, name) for name in own}
        for group in groups[: len(groups) if len(groups) > 1 else 0]:
            inside = [name for name in group if name in own]
            if inside:
                name = min(inside, key=lambda one: fits[one])
                untied.append((fits[name], _told(question, [*outer, *scope], group, name, fits[name])))
        for clause in scope:
            if isinstance(clause, syntax.Edge | syntax.Node):
                number_of = _fits(connection, question, clause) or 0
                what = "edges" if isinstance(clause, syntax.Edge) else "words"
                tied.append((number_of, f"`{request.told(clause.span)}` costs most: {number_of:,} {what} fit it"))
    if untied:
        return max(untied)[1]
    return max(tied)[1] if tied else ""


def _told(question: Question, scope: Sequence[Clause], group: set[str], name: str, fits: int) -> str:
    clause = next(clause for clause in scope if name in _names(clause))
    loose = next((c for c in scope if isinstance(c, Order | syntax.Dominance) and group & {*_ordered(c)}), None)
    told = question.request.told(clause.span)
    nothing = "no edge" if loose is None else f"nothing but `{question.request.told(loose.span)}`"
    return f"`{told}` costs most: {fits:,} words fit {name}, and {nothing} ties it to the other nodes"


def _names(clause: Clause) -> tuple[str, ...]:
    if isinstance(clause, syntax.Node):
        return (clause.name,)
    if isinstance(clause, syntax.Edge):
        return tuple(name for name in (clause.source, clause.target) if name)
    return ()


def _ordered(clause: Order | syntax.Dominance) -> tuple[str, str]:
    return (clause.left, clause.right) if isinstance(clause, Order) else (clause.source, clause.target)


def _groups(clauses_: Sequence[Clause]) -> list[set[str]]:
    """The nodes, those together that edges or `<` tie."""
    groups: list[set[str]] = []
    for names in _ties(clauses_):
        touched = [group for group in groups if group & names]
        groups = [group for group in groups if not group & names] + [names.union(*touched)]
    return groups


def _ties(clauses_: Sequence[Clause]) -> Iterator[set[str]]:
    for clause in clauses_:
        if isinstance(clause, syntax.Node | syntax.Edge):
            yield set(_names(clause))
        elif isinstance(clause, Order) and clause.operator == "<":
            yield {clause.left, clause.right}
        elif isinstance(clause, syntax.Distance) and clause.operator == "=":
            yield {clause.measure.left, clause.measure.right}


def _fits_node(connection: duckdb.DuckDBPyConnection, question: Question, scope: Sequence[Clause], name: str) -> int:
    """How many words fit a node by its own tests, or as many as there are."""
    own = [clause for clause in scope if isinstance(clause, syntax.Node) and clause.name == name]
    counts = [_fits(connection, question, clause) for clause in own]
    known = [fits for fits in counts if fits is not None]
    if known:
        return min(known)
    return Vocabulary(connection, question.wanted.corpora).n_words()


def _fits(connection: duckdb.DuckDBPyConnection, question: Question, clause: Clause) -> int | None:
    """How many matches a clause has alone; None where that takes too long."""
    if isinstance(clause, syntax.Edge):
        clause = replace(clause, name=None)
    try:
        with limits.limited(connection, SECONDS):
            return reasons.count(connection, question, [Item("pattern", (clause,), clause.span)])
    except (TimeLimit, duckdb.Error):
        return None
