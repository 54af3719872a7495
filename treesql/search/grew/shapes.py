"""Conditions on the graph of a whole sentence: `is_projective`, `is_tree`, `is_forest`, `is_cyclic`."""

from __future__ import annotations

from collections.abc import Callable

from treesql.search.grew import values
from treesql.search.grew.scopes import Scope
from treesql.search.grew.syntax import GraphShape


def shape_condition(scope: Scope, clause: GraphShape) -> str:
    """Return the condition that the sentence's graph has a shape, or does not."""
    found = _SHAPES[clause.name](scope.pattern)
    return values.negate(found) if clause.negated else found


def _is_projective(pattern: Scope) -> str:
    return f"NOT {_exists(pattern, pattern.statement.relation('crossings'))}"


def _is_cyclic(pattern: Scope) -> str:
    if pattern.statement.enhanced:
        return _exists(pattern, pattern.statement.relation("reach"), "{0}.source = {0}.target")
    return _exists(pattern, "words", "{0}.head IS NOT NULL AND {0}.depth IS NULL")


def _is_forest(pattern: Scope) -> str:
    if not pattern.statement.enhanced:
        return values.negate(_is_cyclic(pattern))
    pattern.statement.relation("graph")
    several_heads = _exists(pattern, pattern.statement.relation("several_heads"))
    return f"(NOT {_is_cyclic(pattern)} AND NOT {several_heads})"


def _is_tree(pattern: Scope) -> str:
    if not pattern.statement.enhanced:
        return f"NOT {_exists(pattern, 'words', '{0}.depth IS NULL')}"
    for name in ("nodes", "graph"):
        pattern.statement.relation(name)
    headless = _exists(pattern, pattern.statement.relation("headless"))
    return f"({_is_forest(pattern)} AND NOT {headless})"


_SHAPES: dict[str, Callable[[Scope], str]] = {
    "projective": _is_projective,
    "cyclic": _is_cyclic,
    "forest": _is_forest,
    "tree": _is_tree,
}


def _exists(pattern: Scope, table: str, condition: str = "") -> str:
    """Return the condition that a table has a row of this sentence."""
    alias = pattern.statement.alias("any")
    conditions = [*pattern.same_sentence(alias), *([condition.format(alias)] if condition else [])]
    return f"EXISTS (SELECT 1 FROM {table} AS {alias} WHERE {' AND '.join(conditions)})"
