"""DuckDB's types as Spark and Arrow have them, and Arrow arrays between the two."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from treesql.catalog.schemas import Table

KEY_TYPE = "UBIGINT"
"""Type of the keys of 64 bits, in DuckDB."""

_SPARK = {
    "VARCHAR": "string",
    "TEXT": "string",
    "INTEGER": "int",
    "BIGINT": "bigint",
    "UBIGINT": "bigint",
    "UTINYINT": "smallint",
    "BOOLEAN": "boolean",
    "DOUBLE": "double",
    "FLOAT": "float",
    "HUGEINT": "decimal(38,0)",
    "TIMESTAMP": "timestamp_ntz",
}
"""Spark's names of types. Keys of 64 bits without a sign become numbers with a sign of the same bits."""

_ARROW = {
    "VARCHAR": pa.string(),
    "TEXT": pa.string(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "UBIGINT": pa.uint64(),
    "UTINYINT": pa.uint8(),
    "BOOLEAN": pa.bool_(),
    "DOUBLE": pa.float64(),
    "FLOAT": pa.float32(),
    "HUGEINT": pa.decimal128(38, 0),
    "TIMESTAMP": pa.timestamp("us"),
}
"""Arrow's types of DuckDB's."""

_SIGNED = {pa.uint64(): pa.int64(), pa.uint8(): pa.int16()}
"""Arrow's types of what executors pass, where they differ from those of DuckDB."""


@cache
def spark_type(kind: str) -> str:
    """Return a type of DuckDB as Spark writes it: `INTEGER[]` is `array<int>`."""
    kind = kind.strip()
    if kind.endswith("[]"):
        return f"array<{spark_type(kind.removesuffix('[]'))}>"
    if kind.startswith("STRUCT("):
        return f"struct<{','.join(f'{name}:{spark_type(field_kind)}' for name, field_kind in _fields(kind))}>"
    return _SPARK[kind]


@cache
def arrow_type(kind: str) -> pa.DataType:
    """Return the Arrow type of a type of DuckDB; texts are plain strings."""
    kind = kind.strip()
    if kind.endswith("[]"):
        return pa.list_(arrow_type(kind.removesuffix("[]")))
    if kind.startswith("STRUCT("):
        return pa.struct([(name, arrow_type(field_kind)) for name, field_kind in _fields(kind)])
    return _ARROW[kind]


def passed_type(kind: pa.DataType) -> pa.DataType:
    """Return the Arrow type that Spark has for one of DuckDB: without numbers that have no sign."""
    if pa.types.is_list(kind):
        return pa.list_(passed_type(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, passed_type(field.type)) for field in kind])
    return _SIGNED.get(kind, kind)


def table_schema(table: Table) -> str:
    """Return the columns of a table as Spark writes a schema."""
    return ", ".join(f"`{column.name}` {spark_type(column.type)}" for column in table.columns)


def _fields(kind: str) -> list[tuple[str, str]]:
    """Return the fields of a STRUCT with their types: those between commas that are in no brackets."""
    fields, depth = [""], 0
    for character in kind.removeprefix("STRUCT(").removesuffix(")"):
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            fields.append("")
        else:
            fields[-1] += character
    pairs = (field.strip().split(None, 1) for field in fields)
    return [(name.strip('"'), field_kind) for name, field_kind in pairs]


def with_type(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return an array with another type of the same shape; keys of 64 bits keep their bits."""
    if array.type == kind:
        return array
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), kind)
    if pa.types.is_list(kind):
        return _list_with_type(array, kind)
    if pa.types.is_struct(kind):
        return _struct_with_type(array, kind)
    if {array.type, kind} == {pa.int64(), pa.uint64()}:
        return array.view(kind)
    return array.cast(kind)


def with_keys(rows: pa.Table, kinds: Mapping[str, str]) -> pa.Table:
    """Return rows whose keys of 64 bits have no sign, as in DuckDB. kinds: by column, its type in DuckDB."""
    for at, field in enumerate(rows.schema):
        kind = kinds.get(field.name, "")
        if KEY_TYPE in kind and field.type != arrow_type(kind):
            wanted = arrow_type(kind)
            column = pa.chunked_array([with_type(chunk, wanted) for chunk in rows[field.name].chunks], wanted)
            rows = rows.set_column(at, field.name, column)
    return rows


def _list_with_type(array: pa.Array, kind: pa.DataType) -> pa.Array:
    whole = pa.concat_arrays([array])  # without an offset
    if pa.types.is_large_list(whole.type):
        whole = whole.cast(pa.list_(whole.type.value_type))
    values = with_type(whole.values, kind.value_type)
    mask = whole.is_null() if whole.null_count else None
    if whole.offset:
        whole = pa.concat_arrays([whole, whole.slice(0, 0)])
    return pa.ListArray.from_arrays(whole.offsets, values, type=kind, mask=mask)


def _struct_with_type(array: pa.Array, kind: pa.DataType) -> pa.Array:
    names = [array.type.field(at).name for at in range(array.type.num_fields)]
    named = all(field.name in names for field in kind)
    parts = [with_type(array.field(field.name if named else at), field.type) for at, field in enumerate(kind)]
    mask = array.is_null() if array.null_count else None
    return pa.StructArray.from_arrays(parts, fields=list(kind), mask=mask)
