"""Rules that rewrite a syntax tree of DuckDB's SQL to what Spark runs with the same rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sqlglot import exp

Rule = Callable[[Any], exp.Expression]
"""Returns a node, or what stands in its place."""

PARAMETER = "_parameter_"
"""What stands before the name of a parameter while a statement is a tree."""

WHOLE = "DECIMAL(38, 0)"
"""Spark's type of the whole numbers of 128 bits."""

_TYPES = {
    exp.DataType.Type.INT128: WHOLE,
    exp.DataType.Type.UBIGINT: "BIGINT",
    exp.DataType.Type.UINT: "BIGINT",
    exp.DataType.Type.USMALLINT: "INT",
    exp.DataType.Type.UTINYINT: "SMALLINT",
}
"""Types of DuckDB that Spark lacks. Keys of 64 bits without a sign keep their bits."""

_NAMES = {"error": "raise_error"}
"""Spark's names of DuckDB's functions that sqlglot does not know."""


def rewritten(tree: exp.Expression, function: str | None) -> exp.Expression:
    """Return the tree with everything rewritten that Spark lacks or reads differently.

    function: the one that the statement is the body of, if it is.
    """
    rules: tuple[Rule, ...] = (partial(_parameter, function=function), *RULES)
    for rule in rules:
        tree = tree.transform(rule)
    return tree


def _type(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.DataType) and node.this in _TYPES:
        return exp.DataType.build(_TYPES[node.this], dialect="spark")
    return node


def _number(node: exp.Expression) -> exp.Expression:
    """A literal with a point is a DOUBLE; in Spark it is a decimal number, whose arithmetic rounds."""
    if isinstance(node, exp.Literal) and not node.is_string and "." in node.name and "e" not in node.name.lower():
        return exp.Literal.number(f"{node.name}e0")
    return node


def _parameter(node: exp.Expression, function: str | None) -> exp.Expression:
    if isinstance(node, exp.Column) and node.name.startswith(PARAMETER) and not node.table:
        name = node.name.removeprefix(PARAMETER)
        return exp.column(name, table=function) if function else exp.Placeholder(this=name)
    return node


def _whole_sum(node: exp.Expression) -> exp.Expression:
    """A sum of whole counts is one of BIGINT, whose overflow is an error; sums of 128 bits take four times as long."""
    if isinstance(node, exp.Sum) and isinstance(node.this, exp.Cast) and not isinstance(node.this.this, exp.Round):
        inner = node.this
        if inner.to.this == exp.DataType.Type.INT128:
            return exp.Sum(this=exp.cast(inner.this, "BIGINT"))
    return node


def _function(node: exp.Expression) -> exp.Expression:
    """Functions that have another name in Spark."""
    if isinstance(node, exp.Anonymous) and node.name.lower() in _NAMES:
        return exp.Anonymous(this=_NAMES[node.name.lower()], expressions=node.expressions)
    return node


def _parentheses(node: exp.Expression) -> exp.Expression:
    """Spark 4.3 takes `SELECT * FROM t WHERE (FALSE)` for a relation of one column."""
    return node.this if isinstance(node, exp.Paren) and isinstance(node.this, exp.Boolean) else node


RULES: tuple[Rule, ...] = (_whole_sum, _type, _number, _function, _parentheses)
"""In the order in which they are applied."""
