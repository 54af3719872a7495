"""Rows of SQL with types that Arrow has."""

from __future__ import annotations

import duckdb

from treesql.catalog.schemas import quote

_TEXTS = frozenset({"bignum", "bit", "geometry", "interval", "time with time zone", "tuple", "uhugeint", "variant"})
"""Types that Arrow holds as bytes, or without a part of their values: zones of times, long intervals."""


def with_arrow_types(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The relation with texts in place of values that Arrow does not hold as they are, inside of other values, too."""
    targets = [_arrow_type(kind) for kind in relation.types]
    if all(target is None for target in targets):
        return relation
    columns = (
        f"{f'#{at}' if target is None else f'CAST(#{at} AS {target})'} AS {quote(name)}"
        for at, (name, target) in enumerate(zip(relation.columns, targets, strict=True), 1)
    )
    return relation.project(", ".join(columns))


def _arrow_type(kind: duckdb.sqltypes.DuckDBPyType) -> str | None:
    """The type, in SQL, that Arrow has in place of another; None where it has that one."""
    if kind.id in _TEXTS:
        return "VARCHAR"
    if kind.id not in ("list", "array", "struct", "map", "union"):
        return None
    parts = dict(kind.children) if str(kind) != "STRUCT" else {}
    size = parts.pop("size", None) if kind.id == "array" else None
    kinds = {
        name: part
        for name, part in parts.items()
        if isinstance(part, duckdb.sqltypes.DuckDBPyType) and (name or kind.id != "union")  # without the tag of a union
    }
    targets = {name: _arrow_type(part) for name, part in kinds.items()}
    if all(target is None for target in targets.values()):
        return None
    inner = [(name, targets[name] or str(part)) for name, part in kinds.items()]
    if kind.id in ("list", "array"):
        return f"{inner[0][1]}[{'' if size is None else size}]"
    fields = (part if kind.id == "map" else f"{quote(name)} {part}" for name, part in inner)
    return f"{kind.id.upper()}({', '.join(fields)})"
