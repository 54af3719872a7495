"""FROM, JOIN and WHERE of a scope: every row joins what comes before it in its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treesql.patterns.conditions import constrain
from treesql.patterns.scopes import Scope


@dataclass(frozen=True)
class _Condition:
    """A condition, and the aliases of its own scope that it speaks of."""

    sql: str
    aliases: frozenset[str]


def exists(scope: Scope, *, negated: bool) -> str:
    """An item that filters, as a condition. Raises RequestError."""
    constrain(scope)
    if not scope.tables:
        joined = " AND ".join(scope.conditions) or "TRUE"
        return f"({joined}) IS NOT TRUE" if negated else f"({joined})"
    first = next(iter(scope.tables))
    scope.conditions = [*scope.same_sentence(first, outer=True), *scope.conditions]
    return f"{'NOT ' if negated else ''}EXISTS (\n    SELECT 1\n{sources(scope, '    ')}\n  )"


def sources(scope: Scope, indent: str = "") -> str:
    """The lines of a scope from FROM on; the row of the sentence, if there is one, is among those of the pattern."""
    conditions = [_Condition(sql, _spoken_of(scope, sql)) for sql in scope.conditions]
    tables = dict(scope.tables)
    sentence = scope.statement.sentence
    if scope is scope.pattern and sentence:
        tables[sentence] = "sentences"
    lines: list[str] = []
    seen: list[str] = []
    for alias in _joined_order(list(tables), conditions):
        source = f"{tables[alias]} AS {alias}"
        if not seen:
            lines.append(f"{indent}FROM {source}")
        else:
            here = {*seen, alias}
            told = [c for c in conditions if alias in c.aliases and c.aliases <= here and len(c.aliases) > 1]
            partner = next((a for c in told for a in seen if a in c.aliases and " = " in c.sql), seen[0])
            on = [f"{alias}.corpus = {partner}.corpus AND {alias}.sentence = {partner}.sentence"]
            on += [c.sql for c in told]
            lines += [f"{indent}JOIN {source}", f"{indent}  ON " + f"\n{indent}  AND ".join(on)]
            conditions = [c for c in conditions if c not in told]
        seen.append(alias)
    rest = [c.sql for c in conditions]
    if rest:
        lines.append(f"{indent}WHERE " + f"\n{indent}  AND ".join(rest))
    return "\n".join(lines)


def _spoken_of(scope: Scope, sql: str) -> frozenset[str]:
    """The aliases of a scope in a condition; a subquery may speak of all."""
    mentioned = frozenset(alias for alias in scope.tables if f"{alias}." in sql)
    return frozenset() if "SELECT" in sql else mentioned


def _joined_order(aliases: list[str], conditions: Sequence[_Condition]) -> list[str]:
    """The aliases so that each, where that can be, is tied by a condition to one before it."""
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
