"""FROM, JOIN and WHERE of a scope: every row is joined with the preceding rows of its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treesql.search.grew.conditions import add_conditions
from treesql.search.grew.scopes import Scope


@dataclass(frozen=True)
class _Condition:
    """A condition, and the aliases of its own scope that it uses."""

    sql: str
    aliases: frozenset[str]


def exists_condition(scope: Scope, *, negated: bool) -> str:
    """Return a filtering item as a condition. Raises RequestError."""
    add_conditions(scope)
    if not scope.tables:
        joined = " AND ".join(scope.conditions) or "TRUE"
        return f"({joined}) IS NOT TRUE" if negated else f"({joined})"
    first = next(iter(scope.tables))
    scope.conditions = [*scope.same_sentence(first, outer=True), *scope.conditions]
    return f"{'NOT ' if negated else ''}EXISTS (\n    SELECT 1\n{from_clause(scope, '    ')}\n  )"


def from_clause(scope: Scope, indent: str = "") -> str:
    """Return the lines of a scope from FROM on; the pattern's include the row of the sentence, if there is one."""
    conditions = [_Condition(sql, _aliases_in(scope, sql)) for sql in scope.conditions]
    tables = dict(scope.tables)
    sentence = scope.statement.sentence
    if scope is scope.pattern and sentence:
        tables[sentence] = "sentences"
    lines: list[str] = []
    seen: list[str] = []
    for alias in _join_order(list(tables), conditions):
        source = f"{tables[alias]} AS {alias}"
        if not seen:
            lines.append(f"{indent}FROM {source}")
        else:
            here = {*seen, alias}
            usable = [c for c in conditions if alias in c.aliases and c.aliases <= here and len(c.aliases) > 1]
            partner = next((a for c in usable for a in seen if a in c.aliases and " = " in c.sql), seen[0])
            on = [f"{scope.statement.same_corpus(alias, partner)} AND {alias}.sentence = {partner}.sentence"]
            on += [c.sql for c in usable]
            lines += [f"{indent}JOIN {source}", f"{indent}  ON " + f"\n{indent}  AND ".join(on)]
            conditions = [c for c in conditions if c not in usable]
        seen.append(alias)
    rest = [c.sql for c in conditions]
    if rest:
        lines.append(f"{indent}WHERE " + f"\n{indent}  AND ".join(rest))
    return "\n".join(lines)


def _aliases_in(scope: Scope, sql: str) -> frozenset[str]:
    """Return the aliases of a scope in a condition; none for a subquery, which may use all."""
    mentioned = frozenset(alias for alias in scope.tables if f"{alias}." in sql)
    return frozenset() if "SELECT" in sql else mentioned


def _join_order(aliases: list[str], conditions: Sequence[_Condition]) -> list[str]:
    """Return the aliases in an order such that each is joined, if possible, by a condition to one before it."""
    order = aliases[:1]
    while len(order) < len(aliases):
        rest = [alias for alias in aliases if alias not in order]
        tied = (
            alias
            for alias in rest
            if any(alias in c.aliases and c.aliases - {alias} and c.aliases <= {*order, alias} for c in conditions)
        )
        order.append(next(tied, rest[0]))
    return order
