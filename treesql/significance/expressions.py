"""Score expressions on sums: values for whole arrays of sums, and coefficients where a score is linear in its sums.

Both take the steps of the syntax tree that DuckDB makes of an expression, equal parts of it once: the terms of a score
are in it many times. Where a score is linear in the sums that differ between two systems, as accuracy is in the correct
words, the effect of an exchange of sentences on the difference of the scores is a sum over the sentences, and its
distribution can be computed exactly.
"""

from __future__ import annotations

import functools
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from treesql.catalog.header import NAMED_TERM, SUM, Score
from treesql.catalog.schemas import literal, quote
from treesql.engines import connections
from treesql.kernels.arrays import Flags, Floats

Node = Mapping[str, Any]
Value = TypeVar("Value")
Form = dict[str, Fraction]
"""A linear form: the coefficient of every sum by its name, and the constant under `CONSTANT`."""

CONSTANT = ""
"""The key of a linear form's constant."""

ROWS_AT_ONCE = 1 << 12
"""Number of rows of sums whose steps are computed at a time: they fit a fast cache."""

_SUM, _NUMBER, _NULL = "a sum", "a number", "NULL"
"""Names of steps without arguments; blanks keep them apart from functions."""

_CASE = "CASE"
"""Name of the step of a condition, the value where it holds, and that elsewhere."""


class _Step(NamedTuple):
    """A function of the values of earlier steps; or a sum, whose name is the text, a number, or NULL."""

    function: str
    text: str
    arguments: tuple[int, ...]


class _BeyondError(Exception):
    """An expression is no linear function, or has a function that only DuckDB computes."""


def values(score: Score, sums: Mapping[str, Floats]) -> Floats:
    """Return a score of rows of sums, given one array for each count: float64[rows], NaN for NULL.

    NumPy computes the functions of the catalogue's scores, the bytes of which DuckDB would return; DuckDB evaluates any
    other expression. A long one takes DuckDB more time to plan than the rows of a test.
    """
    rows = len(next(iter(sums.values())))
    evaluated = np.empty(rows)
    try:
        steps = _steps(score)
        for first in range(0, rows, ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            block = {name: column[part] for name, column in sums.items()}
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                evaluated[part] = _evaluate(steps, block.__getitem__, _number, _ON_ARRAYS)
    except _BeyondError:
        return values_of_duckdb(score, sums)
    return evaluated


def values_of_duckdb(score: Score, sums: Mapping[str, Floats]) -> Floats:
    """Return what `values` returns, evaluated by DuckDB, grouped by row."""
    table = pa.table({"row of sums": np.arange(len(next(iter(sums.values())))), **sums})
    exact = {name: f"CAST({quote(name)} AS HUGEINT)" for name, column in sums.items() if _is_whole(column)}
    typed = ", ".join(f"{exact.get(name, quote(name))} AS {quote(name)}" for name in sums)
    expression = SUM.sub(r'sum("\1")', score.expression)
    with connections.connect(few=len(table) <= connections.FEW_ROWS) as connection:
        relation = connection.from_arrow(table).project(f'"row of sums", {typed}')
        grouped = relation.aggregate(f'"row of sums", CAST({expression} AS DOUBLE) AS score', '"row of sums"')
        scores: Floats = grouped.order('"row of sums"').to_arrow_table()["score"].to_numpy()
    return scores


def coefficients(score: Score, known: Mapping[str, Fraction]) -> Form | None:
    """Return the coefficient of every sum that is not known, or None if the score is not linear in these, or is NULL.

    known: the sums that are equal for both systems.
    """

    def sum_of(name: str) -> Form:
        return {CONSTANT: known[name]} if name in known else {name: Fraction(1)}

    try:
        form = _evaluate(_steps(score), sum_of, lambda text: {CONSTANT: Fraction(text)}, _ON_FORMS)
    except _BeyondError:
        return None
    return {name: value for name, value in form.items() if name != CONSTANT and value}


def _steps(score: Score) -> Sequence[_Step]:
    """Return the steps of a score's expression, the last one its value. Raises _BeyondError."""
    steps = _steps_of(score.expression if score.written is None else score.written, score.terms)
    if steps is None:
        raise _BeyondError
    return steps


@functools.cache
def _steps_of(written: str, terms: tuple[tuple[str, str], ...]) -> Sequence[_Step] | None:
    """Return the steps of an expression in which {NAMES} stand for terms; None if only DuckDB computes it."""
    columns = [
        NAMED_TERM.sub(lambda named: quote(named[0]), expression)
        for expression in (*(text for _, text in terms), written)
    ]
    statement = literal(f"SELECT {', '.join(columns)}")
    with connections.connect() as connection:
        parsed = json.loads(connection.execute(f"SELECT json_serialize_sql({statement})").fetchall()[0][0])
    if parsed["error"]:
        return None
    trees = parsed["statements"][0]["node"]["select_list"]
    numbers: dict[_Step, int] = {}
    of_terms: dict[str, int] = {}
    try:
        for (name, _), tree in zip(terms, trees, strict=False):
            of_terms[f"{{{name}}}"] = _number_steps(tree, numbers, of_terms)
        last = _number_steps(trees[-1], numbers, of_terms)
    except _BeyondError:
        return None
    return list(numbers)[: last + 1]


def _number_steps(node: Node, numbers: dict[_Step, int], of_terms: Mapping[str, int]) -> int:
    """Return the number of a tree's step; it and those before it are added to those that are numbered.

    of_terms: the numbers of terms, by the names of the columns that stand for them. Raises _BeyondError.
    """
    number = functools.partial(_number_steps, numbers=numbers, of_terms=of_terms)

    def step(function: str, *arguments: int, text: str = "") -> int:
        return numbers.setdefault(_Step(function, text, arguments), len(numbers))

    kind = node["class"]
    if kind == "CONSTANT":
        text = node["literal"]["text"] if node["literal"]["kind"] in ("INTEGER", "NUMERIC") else ""
        return step(_NUMBER, text=text) if text else step(_NULL)
    if kind == "COLUMN_REF" and node["column_names"][-1] in of_terms:
        return of_terms[node["column_names"][-1]]
    if kind == "CAST" and node["type_expr"]["type_name"] == "DOUBLE":
        return number(node["child"])
    if kind == "COMPARISON":
        return step(node["type"], number(node["left"]), number(node["right"]))
    if kind == "CONJUNCTION" or node["type"] == "OPERATOR_COALESCE":
        return functools.reduce(lambda a, b: step(node["type"], a, b), map(number, node["children"]))
    if kind == "CASE":
        last = number(node["else_expr"])
        for check in reversed(node["case_checks"]):
            last = step(_CASE, number(check["when_expr"]), number(check["then_expr"]), last)
        return last
    if kind != "FUNCTION":
        raise _BeyondError
    arguments = [argument["expression"] for argument in node["arguments"]]
    if node["function_name"] == "sum" and arguments[0]["class"] == "COLUMN_REF":
        return step(_SUM, text=arguments[0]["column_names"][-1])
    return step(node["function_name"], *map(number, arguments))


def _evaluate(
    steps: Sequence[_Step],
    sum_of: Callable[[str], Value],
    number: Callable[[str], Value],
    functions: Mapping[tuple[str, int], Callable[..., Value]],
) -> Value:
    """Return the value of the last step from the values of sums and numbers. Raises _BeyondError.

    A CASE is called with functions that return the values of its arguments, which are computed once, if at all.
    """
    computed: dict[int, Value] = {}

    def value(at: int) -> Value:
        if at not in computed:
            function, text, arguments = steps[at]
            if function == _SUM:
                computed[at] = sum_of(text)
            elif function == _NUMBER:
                computed[at] = number(text)
            elif (apply := functions.get((function, len(arguments)))) is None:
                raise _BeyondError
            else:
                later = (functools.partial(value, argument) for argument in arguments)
                computed[at] = apply(*(later if function == _CASE else (argument() for argument in later)))
        return computed[at]

    return value(len(steps) - 1)


def _number(text: str) -> Floats:
    return np.array(float(text))


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


def _above(a: Form, b: Form) -> Form:
    """Return 1 where a constant is above another, else 0."""
    values = _constant(a), _constant(b)
    if values[0] is None or values[1] is None:
        raise _BeyondError
    return {CONSTANT: Fraction(values[0] > values[1])}


def _chosen(condition: Callable[[], Form], value: Callable[[], Form], other: Callable[[], Form]) -> Form:
    """Return what a condition chooses that holds, or not, for both systems."""
    holds = _constant(condition())
    if holds is None:
        raise _BeyondError
    return value() if holds else other()


_ON_FORMS: Mapping[tuple[str, int], Callable[..., Form]] = {
    ("+", 2): _plus,
    ("-", 2): _minus,
    ("-", 1): _minus,
    ("*", 2): _times,
    ("/", 2): _over,
    ("nullif", 2): _nullif,
    ("COMPARE_GREATERTHAN", 2): _above,
    (_CASE, 3): _chosen,
}


def _choose(condition: Floats | Flags, value: Floats, other: Floats) -> Floats:
    chosen: Floats = np.where(condition == 1, value, other)
    return chosen


def _compared(comparison: Callable[[Floats, Floats], Any]) -> Callable[[Floats, Floats], Floats]:
    """Return a comparison whose values are 1, 0, and NaN where a side is NULL."""
    return lambda a, b: np.where(np.isnan(a) | np.isnan(b), np.nan, comparison(a, b))


def _case(condition: Callable[[], Floats], value: Callable[[], Floats], other: Callable[[], Floats]) -> Floats:
    holds = condition() == 1
    if holds.all():
        return value()
    return _choose(holds, value(), other()) if holds.any() else other()


def _of_c(function: Callable[[float], float], values: Floats) -> Floats:
    """Return the values of a function of the C library, as DuckDB does: NumPy's may differ in the last digit."""
    results: Floats = np.fromiter(map(function, values.reshape(-1).tolist()), np.float64).reshape(values.shape)
    return results


def _exp(values: Floats) -> Floats:
    largest = math.log(sys.float_info.max)
    return _choose(
        values <= largest, _of_c(math.exp, np.minimum(values, largest)), np.where(values > 0, math.inf, values)
    )


def _ln(values: Floats) -> Floats:
    positive = values > 0
    logarithms = _of_c(math.log, np.where(positive, values, 1.0))
    return _choose(positive, logarithms, np.where(values == 0, -math.inf, np.nan))


_ON_ARRAYS: Mapping[tuple[str, int], Callable[..., Floats]] = {
    ("+", 2): np.add,
    ("-", 2): np.subtract,
    ("-", 1): np.negative,
    ("*", 2): np.multiply,
    ("/", 2): np.divide,
    ("nullif", 2): lambda a, b: np.where(a == b, np.nan, a),
    ("exp", 1): _exp,
    ("ln", 1): _ln,
    (_NULL, 0): lambda: np.array(np.nan),
    (_CASE, 3): _case,
    ("OPERATOR_COALESCE", 2): lambda a, b: _choose(np.isnan(a), b, a),
    ("CONJUNCTION_AND", 2): lambda a, b: _choose((a == 0) | (b == 0), np.zeros(()), a * b),
    ("CONJUNCTION_OR", 2): lambda a, b: _choose((a == 1) | (b == 1), np.ones(()), a + b),
    ("COMPARE_EQUAL", 2): _compared(np.equal),
    ("COMPARE_NOTEQUAL", 2): _compared(np.not_equal),
    ("COMPARE_LESSTHAN", 2): _compared(np.less),
    ("COMPARE_GREATERTHAN", 2): _compared(np.greater),
    ("COMPARE_LESSTHANOREQUALTO", 2): _compared(np.less_equal),
    ("COMPARE_GREATERTHANOREQUALTO", 2): _compared(np.greater_equal),
}
