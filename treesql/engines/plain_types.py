"""Results with types that every output format supports."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pyarrow as pa

from treesql.engines import connections


def with_plain_types(reader: pa.RecordBatchReader, *, nested_as_json: bool) -> Iterator[pa.Table]:
    """The batches with types that every format supports: decimals and large integers as 64 bits, other types as text.

    nested_as_json: lists and structures become text as well; those with unions, maps and intervals in them always do.
    Yields one empty table if there is no batch.
    """

    def target_type(kind: pa.DataType) -> str | None:
        if pa.types.is_decimal(kind):
            return "BIGINT" if kind.scale == 0 else "DOUBLE"
        if pa.types.is_nested(kind):
            return "JSON" if nested_as_json or _has_no_json(kind) else None
        text_types = (pa.types.is_interval, pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
        return (
            "VARCHAR"
            if any(is_type(kind) for is_type in (*text_types, pa.types.is_binary_view, pa.types.is_duration))
            else None
        )

    targets = {field.name: target_type(field.type) for field in reader.schema}
    columns = []
    for name, target in targets.items():
        column = duckdb.ColumnExpression(name)
        if target == "BIGINT":  # a sum of integers has 128 bits; one that does not fit 64 is rounded
            large = column.cast("DOUBLE")
            fits = duckdb.FunctionExpression("abs", large) < duckdb.ConstantExpression(9e18)
            columns.append(
                duckdb.CaseExpression(fits, column.cast("BIGINT").cast("DOUBLE")).otherwise(large).alias(name)
            )
        elif target == "JSON":
            columns.append(duckdb.FunctionExpression("to_json", column).cast("VARCHAR").alias(name))
        else:
            columns.append(column if target is None else column.cast(target).alias(name))
    batches = 0
    with connections.connect() as connection:
        for batch in reader:
            batches += 1
            table = pa.Table.from_batches([batch])
            convert = any(targets.values())
            yield connection.from_arrow(table).select(*columns).to_arrow_table() if convert else table
    if not batches:
        yield pa.table({name: pa.nulls(0, pa.string()) for name in reader.schema.names})


def _has_no_json(kind: pa.DataType) -> bool:
    """Whether there are values in a type that Polars does not write as JSON within others."""
    if pa.types.is_union(kind) or pa.types.is_map(kind) or pa.types.is_interval(kind):
        return True
    return pa.types.is_nested(kind) and any(_has_no_json(kind.field(at).type) for at in range(kind.num_fields))
