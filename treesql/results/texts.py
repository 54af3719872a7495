"""Values of any type as texts, those that SQL makes of them, and types whose values Python or Polars lacks.

Casts that Arrow lacks are those of an engine, which `cast_by` names; the engines do so when they are imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any, ClassVar

from treesql.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

Cast = Callable[["pa.Table", Sequence[str]], "pa.Table"]
"""Evaluates expressions of SQL, each with a name, on the rows of a table."""

OpenCasts = Callable[["pa.Schema"], AbstractContextManager[Cast]]

_TEXT, _JSON = "CAST({} AS VARCHAR)", "CAST(to_json({}) AS VARCHAR)"

_FINITE = "CASE WHEN isfinite({0}) THEN CAST({0} AS VARCHAR) END"

_NO_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')
"""Matches strings of JSON, and what DuckDB writes there that JSON lacks."""

_DAYS = (-719_162, 2_932_896)
"""The first and last day of Python, 0001-01-01 and 9999-12-31, counted from 1970-01-01."""

_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""Units of times in a second."""

_MILLISECONDS = (-(2**63) // 1000, 2**63 // 1000)
"""The first and last second, counted from 1970, of times in milliseconds, in which Parquet has those in seconds."""

_LARGEST = 10**38 - 1
"""The largest whole number of 38 digits, as many as decimals of 128 bits have."""

_DAY = 86_400
"""Seconds."""


def with_shown_texts(table: pa.Table) -> pa.Table:
    """A table for readers: texts in place of values that are neither numbers, truth values nor texts."""
    return next(shown_blocks(table, max(len(table), 1)))


def shown_blocks(table: pa.Table, rows: int) -> Iterator[pa.Table]:
    """The same as several tables with so many rows each; at least one."""
    blocks = (table.slice(first, rows) for first in range(0, max(len(table), 1), rows))
    return _with_expressions(blocks, lambda kind: None if _is_plain(kind) or _is_decimal(kind) else _TEXT)


def with_texts(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Tables of one schema with all values as texts, those of lists, structures and others with values in them as JSON.

    In JSON, NaN and infinities are `null`, as they are nothing that it has.
    """
    import pyarrow as pa

    def expression(kind: pa.DataType) -> str | None:
        if pa.types.is_nested(kind):
            return _JSON
        return None if is_cast_by_arrow(kind) else _TEXT

    yield from map(_cast_columns, _with_expressions(tables, expression))


def with_json(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Tables of one schema with all values as JSON; NULL, NaN and infinities are `null`."""
    import pyarrow as pa

    from treesql.runtime.arrays import compute as pc

    def expression(kind: pa.DataType) -> str | None:
        if pa.types.is_floating(kind):
            return _FINITE
        return None if is_cast_by_arrow(kind) and not _is_text(kind) else _JSON

    for table in map(_cast_columns, _with_expressions(tables, expression)):
        yield pa.table([pc.fill_null(column, "null") for column in table.columns], names=table.column_names)


def replace_characters(texts: pa.ChunkedArray, shown: Mapping[str, str]) -> pa.ChunkedArray:
    """Texts of Arrow's type large_string with other texts in place of some ASCII characters, one after the other."""
    from treesql.runtime.arrays import compute as pc

    data = as_bytes(texts)
    for character, text in shown.items():
        if character.encode() in data:  # which is found much faster than texts are replaced
            texts = pc.replace_substring(texts, character, text)
    return texts


def join_texts(parts: Sequence[Any]) -> Any:
    """The texts of arrays, joined row by row; a text among the parts is that of every row."""
    import pyarrow as pa

    from treesql.runtime.arrays import compute as pc

    texts = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar("", pa.large_string()))


def as_bytes(texts: Any) -> bytes:
    """The texts of an array of Arrow's type large_string, one after the other."""
    joined = []
    for chunk in filter(len, getattr(texts, "chunks", [texts])):  # an empty one may have no buffers
        _, offsets, data = chunk.buffers()
        ends = memoryview(offsets).cast("q")
        joined.append(memoryview(data or b"")[ends[chunk.offset] : ends[chunk.offset + len(chunk)]])
    return b"".join(joined)


def check_held(table: pa.Table | pa.RecordBatch, holder: str) -> None:
    """Raise UsageError for the first column with a value that a holder lacks.

    holder: Python, Polars, pandas, Parquet, or Arrow, whose decimals lack a digit of the largest of HUGEINT.
    """
    for name, column in zip(table.schema.names, table.columns, strict=True):
        if any(_lacks(holder, chunk) for chunk in getattr(column, "chunks", [column])):
            raise UsageError(
                f"{holder} lacks a value of the column {quoted(name)}, which is {column.type}; {hint(name)}"
            )


def hint(column: str) -> str:
    """What to write for a column whose type something lacks."""
    return f"write CAST({quoted(column)} AS VARCHAR)"


def quoted(name: str) -> str:
    """The name of a column as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def cast_by(open_casts: OpenCasts) -> None:
    """Have an engine cast the values that Arrow does not. open_casts: called with the schema of tables."""
    _Casts.opened_by = staticmethod(open_casts)


class _Casts:
    opened_by: ClassVar[OpenCasts]


def _with_expressions(
    tables: Iterable[pa.Table], expression: Callable[[pa.DataType], str | None]
) -> Iterator[pa.Table]:
    """Tables of one schema with expressions of SQL in place of columns. expression: by type, None for none."""
    with ExitStack() as stack:
        cast: Cast | None = None
        for table in tables:
            found = {at: sql for at, kind in enumerate(table.schema.types) if (sql := expression(kind))}
            if found:
                cast = cast or stack.enter_context(_Casts.opened_by(table.schema))
                check_held(table.select(list(found)), "Arrow")
                given = table.select(list(found)).rename_columns([f"c{at}" for at in found])
                made = cast(given, [f"{sql.format(f'c{at}')} AS c{at}" for at, sql in found.items()])
                for at, sql in found.items():
                    column = made[f"c{at}"]
                    if sql == _JSON and not _is_text(table.schema.types[at]):
                        column = _with_valid_numbers(column)
                    table = table.set_column(at, table.column_names[at], column)
            yield table


def _with_valid_numbers(json: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Texts of JSON with null in place of the NaN and infinities that DuckDB writes in lists and structures."""
    import pyarrow as pa

    from treesql.runtime.arrays import compute as pc

    if not pc.any(pc.match_substring_regex(json, "NaN|Infinity")).as_py():
        return json

    def valid(text: str | None) -> str | None:
        return text and _NO_NUMBER.sub(lambda found: found[0] if found[0].startswith('"') else "null", text)

    return pa.array(map(valid, json.to_pylist()), pa.large_string())


def _cast_columns(table: pa.Table) -> pa.Table:
    import pyarrow as pa

    from treesql.runtime.arrays import compute as pc

    columns = [pc.cast(column, pa.large_string()) for column in table.columns]
    return pa.table(columns, names=table.column_names)


def _is_plain(kind: pa.DataType) -> bool:
    """Whether values are as texts what Python makes of them."""
    import pyarrow as pa

    plain = (
        pa.types.is_boolean,
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_string,
        pa.types.is_large_string,
    )
    return any(is_type(kind) for is_type in plain)


def is_cast_by_arrow(kind: pa.DataType) -> bool:
    """Whether values are as texts what Arrow makes of them: those of Python, and whole decimals."""
    return _is_plain(kind) or _is_whole(kind)


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_bare(kind: pa.DataType) -> bool:
    """Whether texts of values have no characters that a format has to escape."""
    return (_is_plain(kind) and not _is_text(kind)) or _is_decimal(kind) or _is_time(kind)


def _is_time(kind: pa.DataType) -> bool:
    """Whether values are dates, times or both."""
    import pyarrow as pa

    return bool(pa.types.is_date32(kind) or pa.types.is_time(kind) or pa.types.is_timestamp(kind))


def _is_decimal(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_decimal(kind))


def _is_whole(kind: pa.DataType) -> bool:
    """Whether values are whole decimals, of which DuckDB has one less than HUGEINT."""
    return _is_decimal(kind) and kind.scale == 0


def _lacks(holder: str, values: pa.Array) -> bool:
    """Whether a holder lacks one of the values, or of those inside of them."""
    import pyarrow as pa

    from treesql.runtime.arrays import compute as pc

    kind = values.type
    if pa.types.is_union(kind):
        return holder not in ("Python", "Arrow") or any(
            _lacks(holder, values.field(at)) for at in range(kind.num_fields)
        )
    if pa.types.is_map(kind):
        return _lacks(holder, values.keys) or _lacks(holder, values.items)
    if pa.types.is_struct(kind):
        # Not `flatten`, which ends the process where a union is in a structure that is NULL in a row.
        return any(_lacks(holder, values.field(at)) for at in range(kind.num_fields))
    if pa.types.is_nested(kind):
        return _lacks(holder, values.flatten())
    bounds = _bounds(kind, holder)
    if bounds is None:
        return False
    numbers = values if _is_whole(kind) else pc.cast(values, pa.int32() if kind.bit_width == 32 else pa.int64())
    found = pc.min_max(numbers).as_py()
    return found["min"] is not None and not (bounds[0] <= found["min"] and found["max"] <= bounds[1])


def _bounds(kind: pa.DataType, holder: str) -> tuple[int, int] | None:
    """The first and the last value of a type that a holder has, in its unit; None if it has all of them."""
    import pyarrow as pa

    if _is_whole(kind) and holder in ("Arrow", "Polars", "Parquet"):
        return -_LARGEST, _LARGEST
    if holder == "Parquet" and kind == pa.timestamp("s"):
        return _MILLISECONDS
    if not _is_time(kind) or holder in ("Arrow", "Parquet"):
        return None
    if pa.types.is_date32(kind):
        return _DAYS
    day = _DAY * _UNITS[kind.unit]
    return (_DAYS[0] * day, (_DAYS[1] + 1) * day - 1) if pa.types.is_timestamp(kind) else (0, day - 1)
