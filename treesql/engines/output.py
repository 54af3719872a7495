"""Rows of any engine to a file: CSV, JSON, Parquet, or a table of text."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from treesql.engines.plain_types import with_plain_types
from treesql.errors import UnknownName
from treesql.results.files import format_by_ending, open_whole
from treesql.results.rendering import render
from treesql.results.result import Result
from treesql.results.tables import ENDINGS, FORMATS, write_csv, write_json, write_parquet
from treesql.runtime.failures import convert_errors


def write(rows: Result | pa.RecordBatchReader, out: str | Path | BinaryIO, *, format: str | None = None) -> None:
    """Write a result, or batches as they come, to a file, which is written whole or not at all.

    out: a path, or a file that is open for bytes. format: table, csv, json or parquet; by the ending of `out` if left
    out, else table. Parquet has the signatures of a result in its metadata. Raises UsageError, UnknownName.
    """
    if isinstance(out, str | Path):
        _write_file(rows, out, format)
    else:  # its errors are the caller's
        _write(rows, out, _check_format(format or "table"))


@convert_errors
def _write_file(rows: Result | pa.RecordBatchReader, out: str | Path, format: str | None) -> None:
    form = _check_format(format or format_by_ending(out, ENDINGS) or "table")
    with open_whole(out) as file:
        _write(rows, file, form)


def _check_format(name: str) -> str:
    if name not in FORMATS:
        raise UnknownName("format", name, FORMATS)
    return name


def _write(rows: Result | pa.RecordBatchReader, file: BinaryIO, form: str) -> None:
    if form == "table":
        file.write(render(rows if isinstance(rows, Result) else Result(rows.read_all())).encode())
        return
    metadata = dict[str, str]()
    if isinstance(rows, Result):
        metadata = {"signature": rows.signature} if rows.signatures else {}
        rows = rows.arrow().to_reader()
    if form == "csv":
        write_csv(with_plain_types(rows, nested_as_json=True), file)
    elif form == "json":
        write_json(with_plain_types(rows, nested_as_json=False), file)
    else:
        write_parquet(rows, file, metadata)
