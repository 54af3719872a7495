"""Rules for lists: how DuckDB's SQL builds, filters and unpacks them, in Spark's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sqlglot
from sqlglot import exp

from treesql.errors import StatementError

UNPACKED = "_unpacked"
"""Alias of what a SELECT unpacks from lists, with the columns `_row` of each SELECT."""

_CALLS = {
    "list_length": "cardinality({0})",
    "list_sum": "aggregate({0}, CAST(0 AS BIGINT), (_s, _x) -> _s + coalesce(_x, 0))",
    "list_unique": "cardinality(array_distinct(filter({0}, _x -> _x IS NOT NULL)))",
    "list_select": "transform({1}, _i -> try_element_at({0}, CAST(_i AS INT)))",
    "list_resize": "slice(concat({0}, array_repeat({2}, {1})), 1, {1})",
    "list_slice": "slice({0}, {1}, greatest({2} - {1} + 1, 0))",
    "list_inner_product": "aggregate(zip_with({0}, {1}, (_x, _y) -> _x * _y), CAST(0 AS DOUBLE), (_s, _x) -> _s + _x)",
    "generate_subscripts": "sequence(CAST(1 AS BIGINT), CAST(cardinality({0}) AS BIGINT))",
    "isfinite": "(NOT isnan({0}) AND abs({0}) < CAST('inf' AS DOUBLE))",
    "list_contains": "array_contains({0}, {1})",
}
"""Functions of lists in Spark's SQL; `{0}` is the first argument."""


def _call(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.Anonymous) and node.name.lower() in _CALLS:
        return _filled(_CALLS[node.name.lower()], node.expressions)
    return node


def _filled(template: str, arguments: Sequence[exp.Expression]) -> exp.Expression:
    """Return an expression of Spark's SQL with its arguments in place."""
    names = [f"_argument_{at}" for at in range(len(arguments))]
    tree = sqlglot.parse_one(template.format(*names), read="spark")

    def fill(node: exp.Expression) -> exp.Expression:
        is_name = isinstance(node, exp.Column) and not node.table and node.name in names
        return exp.paren(arguments[names.index(node.name)].copy()) if is_name else node

    return tree.transform(fill)


def _index(node: exp.Expression) -> exp.Expression:
    """`list[i]` is NULL beyond the list, as in DuckDB; `list[i:j]` is a part of it."""
    if not isinstance(node, exp.Bracket) or len(node.expressions) != 1:
        return node
    [at] = node.expressions
    if isinstance(at, exp.Slice):
        first = at.this or exp.Literal.number(1)
        if at.expression is None:
            return _filled("slice({0}, {1}, cardinality({0}))", [node.this, first])
        return _filled("slice({0}, {1}, greatest({2} - {1} + 1, 0))", [node.this, first, at.expression])
    if isinstance(at, exp.Literal) and at.is_string:
        return node
    return exp.Anonymous(this="try_element_at", expressions=[node.this, exp.cast(at, "INT")])


def _comprehension(node: exp.Expression) -> exp.Expression:
    """`[f(x) FOR x IN l IF p(x)]` is `transform(filter(l, x -> p(x)), x -> f(x))`."""
    if not isinstance(node, exp.Array) or not isinstance(next(iter(node.expressions), None), exp.Comprehension):
        return node
    [of] = node.expressions
    found, name = of.args["iterator"], of.expression
    if condition := of.args.get("condition"):
        found = exp.Anonymous(this="filter", expressions=[found, exp.Lambda(this=condition, expressions=[name.copy()])])
    return exp.Anonymous(this="transform", expressions=[found, exp.Lambda(this=of.this, expressions=[name])])


def _sorted_list(node: exp.Expression) -> exp.Expression:
    """`list(x ORDER BY y)` sorts pairs of y and x, and takes the x; without an order, NULL is kept as well."""
    if not isinstance(node, exp.ArrayAgg):
        return node
    value, keys = node.this, []
    if isinstance(value, exp.Order):
        keys, value = value.expressions, value.this
    if any(key.args.get("desc") for key in keys):
        raise StatementError("a list in descending order has no translation for Spark", node.sql(), node.sql())
    fields = [(f"k{at}", key.this) for at, key in enumerate(keys)] + [("v", value)]
    struct = exp.Anonymous(
        this="named_struct", expressions=[part for name, of in fields for part in (exp.Literal.string(name), of.copy())]
    )
    collected: exp.Expression = exp.Anonymous(this="collect_list", expressions=[struct])
    if keys:
        collected = exp.Anonymous(this="array_sort", expressions=[collected])
    return _filled("transform({0}, _x -> _x.v)", [collected])


def _unpacking(node: exp.Expression) -> exp.Expression:
    """Lists that a SELECT unpacks side by side become one list of pairs, for Spark unpacks one list, and alone."""
    if not isinstance(node, exp.Select):
        return node
    lists = list(_unpacked(node))
    if not lists or (len(lists) == 1 and _is_whole(lists[0], node)):
        return node
    values = [_list_of(one) for one in lists]
    alias = f"{UNPACKED}{node.depth}"
    for at, one in enumerate(lists):
        column = exp.column("_row", table=alias)
        one.replace(
            exp.Dot(this=column, expression=exp.to_identifier(str(at), quoted=True)) if len(lists) > 1 else column
        )
    pairs = values[0].copy()
    if len(values) > 1:  # with `coalesce`, fields are called by their places, and no list is NULL
        known = [_filled("coalesce({0}, array())", [one]) for one in values]
        pairs = exp.Anonymous(this="arrays_zip", expressions=known)
    lateral = exp.Lateral(
        this=exp.Explode(this=pairs),
        view=True,
        alias=exp.TableAlias(this=exp.to_identifier(alias), columns=[exp.to_identifier("_row")]),
    )
    node.append("laterals", lateral)
    return node


def _unpacked(select: exp.Select) -> Iterator[exp.Expression]:
    """Yield what a SELECT unpacks in its own columns, not in those of a subquery."""
    for column in select.expressions:
        for found in column.find_all(exp.Explode, exp.Anonymous):
            if isinstance(found, exp.Anonymous) and found.name.lower() != "generate_subscripts":
                continue
            if found.find_ancestor(exp.Select) is select:
                yield found


def _is_whole(unpacked: exp.Expression, select: exp.Select) -> bool:
    """Whether a column is nothing but what is unpacked."""
    return any(unpacked is column or unpacked is column.unalias() for column in select.expressions)


def _list_of(unpacked: exp.Expression) -> exp.Expression:
    return _call(unpacked) if isinstance(unpacked, exp.Anonymous) else unpacked.this


LIST_RULES: tuple[Callable[[Any], exp.Expression], ...] = (_unpacking, _call, _index, _comprehension, _sorted_list)
"""In the order in which they are applied."""
