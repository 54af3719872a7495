"""Rows of any engine to a file: data, or a table for a document or a screen; and values of any type as the texts that
DuckDB makes of them, for results, which know no engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import duckdb
import pyarrow as pa

from treesql.errors import UnknownName
from treesql.results.result import Result, render_blocks
from treesql.results.tables import (
    DOCUMENTS,
    ENDINGS,
    FORMATS,
    Cast,
    format_by_ending,
    open_whole,
    write_csv,
    write_json,
    write_parquet,
    write_tsv,
)
from treesql.runtime.failures import convert_errors


def write_rows(
    rows: Result | pa.RecordBatchReader,
    out: str | Path | BinaryIO,
    *,
    format: str | None = None,
    turned_by: str | None = None,
) -> None:
    """Write a result, or batches as they come, to a file, as `treesql.write` does. Raises UsageError, UnknownName."""
    if isinstance(out, str | Path):
        _write_file(rows, out, format, turned_by)
    else:  # its errors are the caller's
        _write(rows, out, _check_format(format or "table"), turned_by)


@convert_errors
def _write_file(
    rows: Result | pa.RecordBatchReader, out: str | Path, format: str | None, turned_by: str | None
) -> None:
    form = _check_format(format or format_by_ending(out, ENDINGS) or "table")
    with open_whole(out) as file:
        _write(rows, file, form, turned_by)


def _check_format(name: str) -> str:
    if name not in FORMATS:
        raise UnknownName("format", name, FORMATS)
    return name


def _write(rows: Result | pa.RecordBatchReader, file: BinaryIO, form: str, turned_by: str | None) -> None:
    if form in DOCUMENTS or form == "table":
        result = rows if isinstance(rows, Result) else Result(rows.read_all())
        blocks = render_blocks(result) if form == "table" else result.blocks(form, turned_by=turned_by)
        for block in blocks:
            file.write(block.encode())
        return
    metadata = dict[str, str]()
    if isinstance(rows, Result):
        metadata = {"signature": rows.signature} if rows.signatures else {}
        rows = rows.arrow().to_reader()
    tables = (pa.Table.from_batches([batch]) for batch in rows)
    if form == "csv":
        write_csv(rows.schema, tables, file)
    elif form == "tsv":
        write_tsv(rows.schema, tables, file)
    elif form == "json":
        write_json(tables, file)
    else:
        write_parquet(rows, file, metadata)


@contextmanager
def open_casts(schema: pa.Schema) -> Iterator[Cast]:
    """Yield what evaluates expressions on tables of a schema, as for `tables.cast_by`.

    The time zone is that of the first column with one.
    """
    connection = duckdb.connect(config={"threads": 1})

    def cast(table: pa.Table, expressions: Sequence[str]) -> pa.Table:
        return connection.from_arrow(table).project(", ".join(expressions)).to_arrow_table()

    try:
        zone = next(filter(None, map(_zone, schema.types)), "").replace("'", "''")
        with suppress(duckdb.Error):  # a zone that DuckDB does not know
            if zone:
                connection.execute(f"SET TimeZone = '{zone}'")
        yield cast
    finally:
        connection.close()


def _zone(kind: pa.DataType) -> str | None:
    """The time zone of a type, or of the first one in it that has one."""
    if pa.types.is_timestamp(kind):
        return str(kind.tz) if kind.tz else None
    parts = (kind.field(at).type for at in range(kind.num_fields)) if pa.types.is_nested(kind) else ()
    return next(filter(None, map(_zone, parts)), None)
