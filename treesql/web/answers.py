"""Answers: tables as JSON, CSV, TSV and Parquet, pages, and errors, each with its status and media type."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

import pyarrow as pa

import treesql
from treesql import Result
from treesql.errors import (
    DatabaseError,
    MemoryLimit,
    RefusedStatement,
    RequestError,
    TimeLimit,
    UnknownName,
    UsageError,
)
from treesql.results.tables import check_parquet, json_rows
from treesql.web.addresses import FORMATS, HTML

OK, BAD, NOT_FOUND, TOO_LONG, TOO_LARGE, FAILED, UNAVAILABLE = 200, 400, 404, 408, 413, 500, 503

STREAMED = ("json", "csv", "tsv")
"""Formats of answers that are sent as they come, for an error can end them; the others are sent once they are whole."""

ROWS_BYTES = 2_000_000
"""Maximum number of bytes of rows that are written at once, unless a single row has more."""

MAX_PART = 64_000_000
"""Maximum number of bytes of rows that are written at once: the server has them in its memory."""

MAX_WHOLE = 1_000_000_000
"""Maximum number of bytes of an answer that is sent once it is whole."""

Write = Callable[[BinaryIO], object]
"""Writes the body of an answer to a file."""


class AnswerTooLarge(UsageError):
    """An answer, or a row of one, has more bytes than are sent."""

    def __init__(self, is_row: bool) -> None:
        what, size = ("a row of the answer", MAX_PART) if is_row else ("the answer", MAX_WHOLE)
        super().__init__(f"{what} has more than {size:,} bytes; ask for less at a time")


@dataclass(frozen=True)
class Answer:
    """An answer to a request. write: writes its body; where it `streams`, it flushes the file after whole rows.

    columns: number of columns of a table. said: of an error, what it says, and what to do about it. is_final: whether
    the same address has the same answer as long as the database does not change.
    """

    write: Write
    form: str = HTML
    status: int = OK
    headers: Mapping[str, str] = field(default_factory=dict)
    columns: int = 0
    said: tuple[str, str] = ("", "")
    is_final: bool = True

    @property
    def media(self) -> str:
        """The media type."""
        return FORMATS[self.form]

    @property
    def streams(self) -> bool:
        """Whether its rows are sent as they come."""
        return self.form in STREAMED and self.columns > 0

    def head(self, size: int | None) -> dict[str, Any]:
        """What is sent before the body. size: its number of bytes, None if that is not known yet."""
        length = {} if size is None else {"content-length": str(size)}
        headers = {"content-type": self.media, **length, **self.headers}
        head = {"status": self.status, "headers": headers, "form": self.form, "columns": self.columns}
        return {**head, "is_final": self.is_final}


def broken_end(form: str, columns: int, what: str, hint: str) -> bytes:
    """The end of rows in which an error is reported, after whole rows: readers of the format see it.

    JSON ends with the key `error`. In CSV and TSV a last line has one cell more than there are columns, in CSV with a
    quote that is not closed.
    """
    if form == "json":
        return f"\n], {json.dumps({'hint': hint, 'error': what}, ensure_ascii=False)[1:]}\n".encode("utf-8", "replace")
    line = " ".join("; ".join(filter(None, (f"error: {what}", hint))).replace('"', "'").split())
    if form == "tsv":
        return f"{line}{chr(9) * columns}error\n".encode("utf-8", "replace")
    plain = line.replace(",", " ")
    return f'{plain}{"," * columns}"{plain}\n'.encode("utf-8", "replace")


def of_text(text: str | bytes, form: str = HTML, *, status: int = OK, name: str = "", download: bool = False) -> Answer:
    """An answer that is a text. name: of its file; download: whether browsers save it instead of showing it."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return Answer(lambda file: file.write(data), form, status, _as_file(name, form, download))


def of_parts(parts: Iterable[bytes], form: str) -> Answer:
    """An answer that consists of parts."""

    def write(file: BinaryIO) -> None:
        for part in parts:
            file.write(part)

    return Answer(write, form)


def of_rows(
    rows: Result | pa.RecordBatchReader, form: str, *, total: int | None = None, more: str | None = None
) -> Answer:
    """An answer that is a table. total: number of all rows, by default those that there are; more: where the next
    rows are."""
    schema = rows.arrow().schema if isinstance(rows, Result) else rows.schema
    columns = len(schema)
    if form == "json":
        return Answer(lambda file: _write_json(_in_groups(rows, file), file, total, more), form, columns=columns)
    if form == "parquet":
        check_parquet(schema)
        return Answer(lambda file: treesql.write(rows, file, format=form), form, OK, _as_file("treesql", form))

    def write(file: BinaryIO) -> None:
        treesql.write(_in_groups(rows, file), file, format=form)

    return Answer(write, form, OK, _as_file("treesql", form), columns)


def _in_groups(rows: Result | pa.RecordBatchReader, file: BinaryIO) -> pa.RecordBatchReader:
    """The rows in batches of ROWS_BYTES at most; the file is flushed when the one before was written."""
    reader = rows.arrow().to_reader() if isinstance(rows, Result) else rows

    def groups() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            size = max(len(batch) * ROWS_BYTES // max(batch.nbytes, 1), 1)
            for first in range(0, len(batch), size):
                yield batch.slice(first, size)
                file.flush()

    return pa.RecordBatchReader.from_batches(reader.schema, groups())


def _as_file(name: str, form: str, download: bool = False) -> dict[str, str]:
    disposition = "attachment" if download else "inline"
    return {"content-disposition": f'{disposition}; filename="{name}.{form}"'} if name else {}


def _write_json(reader: pa.RecordBatchReader, file: BinaryIO, total: int | None, more: str | None) -> None:
    file.write(f'{{"columns": {json.dumps(reader.schema.names)}, "rows": ['.encode())
    written = 0
    for rows, n_rows in json_rows((pa.Table.from_batches([batch]) for batch in reader), named=False):
        file.write((b",\n" if written else b"\n") + rows)
        written += n_rows
    end = {"total": written if total is None else total, "next": more}
    file.write(f"\n], {json.dumps(end)[1:]}\n".encode())


def status_of(error: BaseException) -> int:
    """The status of an error."""
    if isinstance(error, TimeLimit):
        return TOO_LONG
    if isinstance(error, MemoryLimit | AnswerTooLarge):
        return TOO_LARGE
    if isinstance(error, DatabaseError):
        return UNAVAILABLE
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
    if isinstance(error, RefusedStatement):
        hint = "a served database is only read; stop the server, and change it with `treesql sql DB --write`"
        return error.message.partition("; ")[0], hint
    what, separator, hint = str(error).rpartition("; ")
    return (what, hint) if separator else (str(error), "")


def of_error(what: str, hint: str, status: int) -> Answer:
    """The answer that is an error as JSON, which other formats have as well."""
    text = json.dumps({"error": what, "hint": hint}, ensure_ascii=False)
    return replace(of_text(f"{text}\n", "json", status=status), said=(what, hint))


CHANGED = of_error("the folder has changed while it was read", "ask again", UNAVAILABLE)
"""The answer whose rows are of a folder that has lost them."""
