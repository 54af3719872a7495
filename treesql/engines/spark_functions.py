"""treesql's functions over Arrow batches as functions of a Spark session, run on its executors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import pyarrow as pa

from treesql.engines import spark_texts
from treesql.engines.spark_types import arrow_type, passed_type, spark_type, with_type
from treesql.functions.function import Function
from treesql.runtime.arrays import compute as pc


def register_functions(session: Any) -> None:
    """Make all functions known to a session."""
    from treesql.functions import FUNCTIONS

    for one in FUNCTIONS:
        session.udf.register(one.name, as_arrow_function(_on_executor(one.name), spark_type(one.returns)))
    for text in spark_texts.executor_functions().values():
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
        from treesql.engines.spark_functions import call_function

        return call_function(name, columns)

    return call


def _by_duckdb(name: str) -> Callable[..., pa.Array]:
    """Return what Spark sends to its executors: the name of a function that DuckDB computes there."""

    def call(*columns: pa.Array) -> pa.Array:
        from treesql.engines.spark_texts import compute

        return compute(name, columns)

    return call


@cache
def _function(name: str) -> Function:
    from treesql.functions import FUNCTIONS

    return next(one for one in FUNCTIONS if one.name == name)


def call_function(name: str, columns: tuple[pa.Array, ...]) -> pa.Array:
    """Return the values of a function, called as DuckDB calls it: rows with NULL give NULL, unless it takes them."""
    function = _function(name)
    passed = [
        with_type(column, arrow_type(kind)) for column, (_, kind) in zip(columns, function.parameters, strict=True)
    ]
    returned = passed_type(arrow_type(function.returns))
    n = len(passed[0])
    if function.gives_nulls or not any(column.null_count for column in passed):
        found = function.bounded(*map(pa.chunked_array, ([column] for column in passed)))
        return with_type(_as_array(found), returned)
    known = pa.array([True] * n)
    for column in passed:
        known = pc.and_(known, column.is_valid())
    places = pc.indices_nonzero(known)
    if not len(places):
        return pa.nulls(n, returned)
    found = function.bounded(*(pa.chunked_array([column.take(places)]) for column in passed))
    numbers = pc.if_else(known, pc.subtract(pc.cumulative_sum(known.cast(pa.int64())), 1), None)
    return with_type(_as_array(found), returned).take(numbers)


def _as_array(found: Any) -> pa.Array:
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
