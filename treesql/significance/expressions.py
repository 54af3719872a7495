"""Score expressions on sums: values for whole arrays of sums, and coefficients where a score is linear in its sums.

Both walk the syntax tree that DuckDB makes of an expression. Where a score is linear in the sums that differ between
two systems, as accuracy is in the correct words, the effect of an exchange of sentences on the difference of the scores
is a sum over the sentences, and its distribution can be computed exactly.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

import duckdb
import numpy as np
import pyarrow as pa

from treesql.catalog.header import SUM, Score
from treesql.catalog.schemas import literal, quote
from treesql.engines.duckdb import MEMORY, memory_config
from treesql.kernels.arrays import Floats

Node = Mapping[str, Any]
Value = TypeVar("Value")
Form = dict[str, Fraction]
"""A linear form: the coefficient of every sum by its name, and the constant under `CONSTANT`."""

CONSTANT = ""
"""The key of a linear form's constant."""


class _BeyondError(Exception):
    """An expression is no linear function, or has a function that only DuckDB computes."""


def values(score: Score, sums: Mapping[str, Floats]) -> Floats:
    """Return a score of rows of sums, given one array for each count: float64[rows], NaN for NULL.

    NumPy computes the arithmetic of sums, numbers and nullif; DuckDB evaluates any other expression.
    """
    tree = _tree(score.expression)
    rows = len(next(iter(sums.values())))
    try:
        if tree is None:
            raise _BeyondError
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found = _evaluate(tree, sums.__getitem__, lambda text: np.array(float(text)), _ON_ARRAYS)
    except _BeyondError:
        return values_of_duckdb(score, sums)
    return found if found.shape == (rows,) else np.full(rows, found)


def values_of_duckdb(score: Score, sums: Mapping[str, Floats]) -> Floats:
    """Return what `values` returns, evaluated by DuckDB, grouped by row."""
    table = pa.table({"row of sums": np.arange(len(next(iter(sums.values())))), **sums})
    exact = {name: f"CAST({quote(name)} AS HUGEINT)" for name, column in sums.items() if _is_whole(column)}
    typed = ", ".join(f"{exact.get(name, quote(name))} AS {quote(name)}" for name in sums)
    expression = SUM.sub(r'sum("\1")', score.expression)
    relation = _connection().from_arrow(table).project(f'"row of sums", {typed}')
    grouped = relation.aggregate(f'"row of sums", CAST({expression} AS DOUBLE) AS score', '"row of sums"')
    found: Floats = grouped.order('"row of sums"').to_arrow_table()["score"].to_numpy()
    return found


def coefficients(score: Score, known: Mapping[str, Fraction]) -> Form | None:
    """Return the coefficient of every sum that is not known, or None if the score is not linear in these, or is NULL.

    known: the sums that are equal for both systems.
    """
    tree = _tree(score.expression)

    def sum_of(name: str) -> Form:
        return {CONSTANT: known[name]} if name in known else {name: Fraction(1)}

    try:
        if tree is None:
            raise _BeyondError
        form = _evaluate(tree, sum_of, lambda text: {CONSTANT: Fraction(text)}, _ON_FORMS)
    except _BeyondError:
        return None
    return {name: value for name, value in form.items() if name != CONSTANT and value}


@functools.cache
def _tree(expression: str) -> Node | None:
    """Return the syntax tree of an expression; None if DuckDB cannot serialise it."""
    sql = f"SELECT json_serialize_sql({literal(f'SELECT {expression}')})"
    parsed = json.loads(_connection().execute(sql).fetchall()[0][0])
    return None if parsed["error"] else parsed["statements"][0]["node"]["select_list"][0]


def _connection() -> duckdb.DuckDBPyConnection:
    """Return a connection for one piece of work to this module's own database, which has no tables."""
    return _database(os.getpid()).cursor()


@functools.cache
def _database(process: int) -> duckdb.DuckDBPyConnection:
    """Return a database in memory, opened once: that takes longer than most expressions. A forked process opens one of
    its own.
    """
    return duckdb.connect(MEMORY, config={**memory_config(), "threads": 1})


def _evaluate(
    node: Node,
    sum_of: Callable[[str], Value],
    number: Callable[[str], Value],
    functions: Mapping[tuple[str, int], Callable[..., Value]],
) -> Value:
    """Return the value of a tree from the values of its sums and numbers. Raises _BeyondError."""
    if node["class"] == "CONSTANT":
        try:
            return number(node["literal"]["text"])
        except (KeyError, TypeError, ValueError):
            raise _BeyondError from None
    if node["class"] == "CAST" and node["type_expr"]["type_name"] == "DOUBLE":
        return _evaluate(node["child"], sum_of, number, functions)
    if node["class"] != "FUNCTION":
        raise _BeyondError
    arguments = [one["expression"] for one in node["arguments"]]
    if node["function_name"] == "sum" and arguments[0]["class"] == "COLUMN_REF":
        return sum_of(arguments[0]["column_names"][-1])
    apply = functions.get((node["function_name"], len(arguments)))
    if apply is None:
        raise _BeyondError
    return apply(*(_evaluate(one, sum_of, number, functions) for one in arguments))


def _is_whole(column: Floats) -> bool:
    return bool((column == np.rint(column)).all())


def _constant(form: Form) -> Fraction | None:
    """Return the value of a form without sums; None for any other."""
    return form.get(CONSTANT, Fraction(0)) if not form.keys() - {CONSTANT} else None


def _plus(a: Form, b: Form) -> Form:
    return {name: a.get(name, Fraction(0)) + b.get(name, Fraction(0)) for name in (*a, *(b.keys() - a.keys()))}


def _times(a: Form, b: Form) -> Form:
    for factor, form in ((_constant(a), b), (_constant(b), a)):
        if factor is not None:
            return {name: factor * value for name, value in form.items()}
    raise _BeyondError


def _over(a: Form, b: Form) -> Form:
    divisor = _constant(b)
    if not divisor:
        raise _BeyondError
    return _times(a, {CONSTANT: 1 / divisor})


def _nullif(a: Form, b: Form) -> Form:
    """Return `a` unless it may equal `b`: nullif has no value then."""
    value = _constant(a)
    if value is None or value == _constant(b):
        raise _BeyondError
    return a


def _minus(a: Form, b: Form | None = None) -> Form:
    negative = {CONSTANT: Fraction(-1)}
    return _times(a, negative) if b is None else _plus(a, _times(b, negative))


_ON_FORMS: Mapping[tuple[str, int], Callable[..., Form]] = {
    ("+", 2): _plus,
    ("-", 2): _minus,
    ("-", 1): _minus,
    ("*", 2): _times,
    ("/", 2): _over,
    ("nullif", 2): _nullif,
}
_ON_ARRAYS: Mapping[tuple[str, int], Callable[..., Floats]] = {
    ("+", 2): np.add,
    ("-", 2): np.subtract,
    ("-", 1): np.negative,
    ("*", 2): np.multiply,
    ("/", 2): np.divide,
    ("nullif", 2): lambda a, b: np.where(a == b, np.nan, a),
}
