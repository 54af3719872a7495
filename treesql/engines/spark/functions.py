"""treesql's functions over Arrow batches as functions of a Spark session, run on its executors; and those of DuckDB
that executors compute where Spark has none, or one with other results.

Spark's regular expressions are Java's, with another version of Unicode and other rules for replacements; its lower case
of a sigma depends on the letters around it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from treesql.catalog import schemas
from treesql.engines.spark import functions as spark_functions
from treesql.engines.spark.types import arrow_type, passed_type, spark_type, with_type
from treesql.functions.function import Function
from treesql.runtime.arrays import compute as pc


def register_functions(session: Any) -> None:
    """Make all functions known to a session."""
    from treesql.functions import FUNCTIONS

    for function in FUNCTIONS:
        session.udf.register(
            function.name, as_arrow_function(_on_executor(function.name), spark_type(function.returns))
        )
    for text in spark_functions.executor_functions().values():
        session.udf.register(text.name, as_arrow_function(_by_duckdb(text.name), spark_type(text.returns)))


def as_arrow_function(call: Callable[..., pa.Array], returns: str) -> Any:
    """Return a function of Spark that calls one over Arrow arrays. returns: Spark's type of its values."""
    from pyspark.sql.pandas.functions import ArrowUDFType, arrow_udf

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "It is preferred to specify type hints", UserWarning)
        return arrow_udf(call, returns, ArrowUDFType.SCALAR)


def _on_executor(name: str) -> Callable[..., pa.Array]:
    """Return what Spark sends to its executors: the name of a function, which they import."""

    def call(*columns: pa.Array) -> pa.Array:
        from treesql.engines.spark.functions import call_function

        return call_function(name, columns)

    return call


def _by_duckdb(name: str) -> Callable[..., pa.Array]:
    """Return what Spark sends to its executors: the name of a function that DuckDB computes there."""

    def call(*columns: pa.Array) -> pa.Array:
        from treesql.engines.spark.functions import compute

        return compute(name, columns)

    return call


@cache
def _function(name: str) -> Function:
    from treesql.functions import FUNCTIONS

    return next(function for function in FUNCTIONS if function.name == name)


def call_function(name: str, columns: tuple[pa.Array, ...]) -> pa.Array:
    """Return the values of a function, called as DuckDB calls it: rows with NULL give NULL, unless it takes them."""
    function = _function(name)
    passed = [
        with_type(column, arrow_type(kind)) for column, (_, kind) in zip(columns, function.parameters, strict=True)
    ]
    returned = passed_type(arrow_type(function.returns))
    n = len(passed[0])
    if function.gives_nulls or not any(column.null_count for column in passed):
        computed = function.bounded(*map(pa.chunked_array, ([column] for column in passed)))
        return with_type(_as_array(computed), returned)
    known = pa.array([True] * n)
    for column in passed:
        known = pc.and_(known, column.is_valid())
    places = pc.indices_nonzero(known)
    if not len(places):
        return pa.nulls(n, returned)
    computed = function.bounded(*(pa.chunked_array([column.take(places)]) for column in passed))
    numbers = pc.if_else(known, pc.subtract(pc.cumulative_sum(known.cast(pa.int64())), 1), None)
    return with_type(_as_array(computed), returned).take(numbers)


def _as_array(values: Any) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


@dataclass(frozen=True)
class ExecutorFunction:
    """A scalar function. name: in Spark's SQL; parameters, returns: types of DuckDB; sql: how DuckDB calls it."""

    name: str
    parameters: tuple[str, ...]
    returns: str
    sql: str


def _builtin(name: str, parameters: tuple[str, ...], returns: str) -> ExecutorFunction:
    arguments = ", ".join(f"{{{at}}}" for at in range(len(parameters)))
    return ExecutorFunction(f"duckdb_{name}", parameters, returns, f"{name}({arguments})")


ON_EXECUTORS = {
    "lower": _builtin("lower", ("VARCHAR",), "VARCHAR"),
    "upper": _builtin("upper", ("VARCHAR",), "VARCHAR"),
    "regexp_replace": _builtin("regexp_replace", ("VARCHAR",) * 4, "VARCHAR"),
    "regexp_full_match": _builtin("regexp_full_match", ("VARCHAR",) * 2, "BOOLEAN"),
    "regexp_split_to_array": _builtin("regexp_split_to_array", ("VARCHAR",) * 2, "VARCHAR[]"),
    "md5_number_lower": ExecutorFunction("md5_number_lower", ("VARCHAR",), "UBIGINT", "md5_number_lower({0})"),
}
"""Functions by DuckDB's names."""

TEXT_OF_WORDS = ExecutorFunction(
    "text_of_words",
    ("STRUCT(word INTEGER, form VARCHAR, first INTEGER, last INTEGER, token VARCHAR)[]", "INTEGER", "INTEGER"),
    "VARCHAR",
    "coalesce(rtrim(list_aggregate([CASE WHEN x.first IS NULL OR x.first < {1} OR x.last > {2} THEN x.form "
    "WHEN x.first = x.word THEN x.token ELSE '' END FOR x IN {0} IF x.word BETWEEN {1} AND {2}], "
    "'string_agg', '')), '')",
)
"""The macro `text_between` over the words of a sentence in order: form and token with the blank that follows them."""


@cache
def executor_functions() -> dict[str, ExecutorFunction]:
    """Return all functions by Spark's names: those above, and the macros without aliases of `words`."""
    functions = {function.name: function for function in (*ON_EXECUTORS.values(), TEXT_OF_WORDS)}
    for macro in schemas.all_macros().values():
        if all(parameter.type != schemas.WORD for parameter in macro.parameters):
            parameters = tuple(parameter.type for parameter in macro.parameters)
            arguments = ", ".join(f"{{{at}}}" for at in range(len(parameters)))
            returns = macro.columns[0].type
            functions[macro.name] = ExecutorFunction(macro.name, parameters, returns, f"{macro.name}({arguments})")
    return functions


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    """Return the connection of this process, with the macros."""
    connection = duckdb.connect(config={"threads": 1})
    plain = [macro for macro in schemas.all_macros().values() if all(p.type != schemas.WORD for p in macro.parameters)]
    for statement in schemas.statements(plain, temporary=True):
        connection.execute(statement)
    return connection


def compute(name: str, columns: tuple[pa.Array, ...]) -> pa.Array:
    """Return the values of a function by Spark's name. Arguments that all rows share are constants of the SQL."""
    function = executor_functions()[name]
    kinds = [arrow_type(kind) for kind in function.parameters]
    rows, arguments, values = {"row": pa.array(range(len(columns[0])), pa.int64())}, [], {}
    for at, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
        passed = with_type(column, kind)
        constant = _constant(passed)
        if constant is None:
            rows[f"a{at}"] = passed
            arguments.append(f"b.a{at}")
        else:
            values[f"a{at}"] = constant
            arguments.append(f"CAST($a{at} AS {function.parameters[at]})")
    connection = _connection()
    connection.register("batch", pa.table(rows))
    try:
        sql = (
            f"SELECT CAST({function.sql.format(*arguments)} AS {function.returns}) AS v FROM batch AS b ORDER BY b.row"
        )
        computed = connection.sql(sql, params=values or None).to_arrow_table()["v"].combine_chunks()
    finally:
        connection.unregister("batch")
    if isinstance(computed, pa.ChunkedArray):
        computed = (
            pa.concat_arrays(computed.chunks) if computed.num_chunks else pa.nulls(0, arrow_type(function.returns))
        )
    return with_type(computed, passed_type(arrow_type(function.returns)))


def _constant(column: pa.Array) -> object:
    """Return the value of a column of texts or numbers that all rows have; None if there is none."""
    if not len(column) or column.null_count or pa.types.is_nested(column.type):
        return None
    distinct = pc.unique(column)
    return distinct[0].as_py() if len(distinct) == 1 else None
