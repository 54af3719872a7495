"""Conditions that the clauses of a request imply, on columns that are stored: they leave few rows to be joined."""

from __future__ import annotations

from collections.abc import Iterable

from treesql.search.grew import syntax
from treesql.search.grew.scopes import BoundEdge, Scope
from treesql.search.grew.syntax import Item

NOT_PROJECTIVE = "projective IS NOT TRUE"
"""The condition of edges with a word in between that their head does not dominate; NULL in a sentence with a cycle."""


def nonprojective_edges(pattern: Scope, items: Iterable[Item]) -> list[BoundEdge]:
    """Return the edges of the tree that cannot be projective.

    In `e: H -> X; W << e` without `H ->> W`, W stands between the ends of e, and its head does not dominate W, which
    makes e not projective by definition.
    """
    if pattern.statement.enhanced:
        return []
    alone = [item.clauses[0] for item in items if item.kind == "without" and len(item.clauses) == 1]
    excluded = {(one.source, one.target) for one in alone if isinstance(one, syntax.Dominance)}
    covers = [one for one in pattern.clauses if isinstance(one, syntax.Order) and one.left in pattern.nodes]
    edges = [
        pattern.edges[one.right]
        for one in covers
        if one.right in pattern.edges and (pattern.edges[one.right].source.name, one.left) in excluded
    ]
    return [edge for at, edge in enumerate(edges) if edge not in edges[:at]]


def has_crossing_edges(scope: Scope) -> bool:
    """Whether two edges of a scope cross; in a tree, one of them is not projective."""
    return any(isinstance(clause, syntax.Order) and clause.operator == "><" for clause in scope.clauses)
