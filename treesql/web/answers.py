"""Answers: tables as JSON, CSV, TSV and Parquet, pages, and errors, each with its status and media type."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

import pyarrow as pa

import treesql
from treesql import Result
from treesql.errors import MemoryLimit, RequestError, TimeLimit, UnknownName
from treesql.results.tables import check_parquet, json_rows
from treesql.web.addresses import FORMATS, HTML

OK, BAD, NOT_FOUND, TOO_LONG, TOO_LARGE, FAILED = 200, 400, 404, 408, 413, 500

Write = Callable[[BinaryIO], object]
"""Writes the body of an answer to a file."""


@dataclass(frozen=True)
class Answer:
    """An answer to a request. write: writes its body, in parts as they come."""

    write: Write
    form: str = HTML
    status: int = OK
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def media(self) -> str:
        """The media type."""
        return FORMATS[self.form]


def of_text(text: str | bytes, form: str = HTML, *, status: int = OK, name: str = "", download: bool = False) -> Answer:
    """An answer that is a text. name: of its file; download: whether browsers save it instead of showing it."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return Answer(lambda file: file.write(data), form, status, _as_file(name, form, download))


def of_parts(parts: Iterable[bytes], form: str) -> Answer:
    """An answer whose parts are written as they come."""

    def write(file: BinaryIO) -> None:
        for part in parts:
            file.write(part)

    return Answer(write, form)


def of_rows(
    rows: Result | pa.RecordBatchReader, form: str, *, total: int | None = None, more: str | None = None
) -> Answer:
    """An answer that is a table. total: number of all rows, by default those that there are; more: where the next
    rows are."""
    if form == "json":
        return Answer(lambda file: _write_json(rows, file, total, more), form)
    if form == "parquet":
        check_parquet(rows.arrow().schema if isinstance(rows, Result) else rows.schema)
    return Answer(lambda file: treesql.write(rows, file, format=form), form, OK, _as_file("treesql", form))


def _as_file(name: str, form: str, download: bool = False) -> dict[str, str]:
    how = "attachment" if download else "inline"
    return {"content-disposition": f'{how}; filename="{name}.{form}"'} if name else {}


def _write_json(rows: Result | pa.RecordBatchReader, file: BinaryIO, total: int | None, more: str | None) -> None:
    reader = rows.arrow().to_reader() if isinstance(rows, Result) else rows
    file.write(f'{{"columns": {json.dumps(reader.schema.names)}, "rows": ['.encode())
    written = 0
    for batch in reader:
        if batch.num_rows:
            rows_of_batch = json_rows(pa.Table.from_batches([batch]), [""] * batch.num_columns, "[]")
            file.write((b",\n" if written else b"\n") + rows_of_batch)
        written += batch.num_rows
    end = {"total": written if total is None else total, "next": more}
    file.write(f"\n], {json.dumps(end)[1:]}\n".encode())


def status_of(error: BaseException) -> int:
    """The status of an error."""
    if isinstance(error, TimeLimit):
        return TOO_LONG
    if isinstance(error, MemoryLimit):
        return TOO_LARGE
    if str(error).startswith("unknown sentence") or (isinstance(error, UnknownName) and error.kind in _NAMED_BY_PATHS):
        return NOT_FOUND
    return BAD


_NAMED_BY_PATHS = ("page", "corpus", "sentence", "kind of evaluation", "kind", "table")
"""What a path or the name of a corpus can lack."""


def said_of(error: BaseException) -> tuple[str, str]:
    """What an error says, and what to do about it."""
    if isinstance(error, RequestError):
        what, _, place = str(error).partition("; ")
        hint, _, rest = place.partition("\n")
        return f"{what}\n{rest}" if rest else what, hint
    if isinstance(error, TimeLimit):
        hint = error.costliest or "narrow the request"
        return f"stopped after {error.seconds:g} seconds", f"{hint}; the server's limit is its option --timeout"
    if isinstance(error, MemoryLimit):
        hint = "process less at a time; the server's limit is its option --memory"
        return "stopped: this takes more memory than a request may take", hint
    what, separator, hint = str(error).rpartition("; ")
    return (what, hint) if separator else (str(error), "")


def of_error(what: str, hint: str, status: int, form: str = "json") -> Answer:
    """The answer that is an error as JSON, which other formats have as well."""
    text = json.dumps({"error": what, "hint": hint}, ensure_ascii=False)
    return of_text(f"{text}\n", "json", status=status)
