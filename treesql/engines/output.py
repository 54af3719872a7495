"""Rows of any engine to a file: data, or a table for a document or a screen."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from treesql.errors import UnknownName
from treesql.results.result import Result, render_blocks
from treesql.results.tables import (
    DOCUMENTS,
    ENDINGS,
    FORMATS,
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
