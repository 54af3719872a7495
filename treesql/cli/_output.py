"""Printing tables: on the screen, as CSV, JSON or Parquet, to standard output or a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

import click

from treesql.errors import FormatError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from treesql.results import Result

FORMATS = ("table", "csv", "json", "parquet")
ROWS_ON_SCREEN = 1000
NARROWEST_TEXT = 16

Command = TypeVar("Command", bound=Callable[..., Any])


def output_options(command: Command) -> Command:
    """`--format` and `-o` for a command that prints a table."""
    command = click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file.")(
        command
    )
    kinds = click.Choice(FORMATS)
    return click.option("--format", "form", type=kinds, help="How to print; told from the ending of -o if left out.")(
        command
    )


def print_result(result: Result, form: str | None, out: str | None, *, signature: bool = False) -> None:
    """Print a table; shares are shown as percentages on the screen alone."""
    form = _format(form, out)
    metadata = {"signature": result.signature} if result.signatures else {}
    print_batches(result.arrow().to_reader(), form, out, result.percent, metadata)
    if signature:
        click.echo(result.signature, err=form != "table" or out is not None)


def print_batches(
    reader: pa.RecordBatchReader,
    form: str | None,
    out: str | None,
    percent: frozenset[str] = frozenset(),
    metadata: dict[str, str] | None = None,
) -> None:
    """Print batches as they come, of any number; only the table on the screen needs them all."""
    form = _format(form, out)
    with _destination(out, form) as file:
        if form == "table":
            _write_table(reader, file, percent, on_screen=out is None and sys.stdout.isatty())
        else:
            {"csv": _write_csv, "json": _write_json, "parquet": _write_parquet}[form](reader, file, metadata or {})


def warn(warnings: Iterable[FormatError]) -> None:
    """Print warnings, a line each, to standard error."""
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


@contextmanager
def progress_bar(what: str, paths: Iterable[str]) -> Iterator[Callable[[int], object] | None]:
    """A bar on standard error that counts the bytes of files; None where that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    files = [Path(path) for path in paths]
    total = sum(file.stat().st_size for file in files) if all(file.is_file() for file in files) else None
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda n_bytes: bar.advance(task, n_bytes)


def _format(form: str | None, out: str | None) -> str:
    if form is None and out is not None:
        form = {".csv": "csv", ".json": "json", ".parquet": "parquet"}.get(Path(out).suffix)
    return form or "table"


@contextmanager
def _destination(out: str | None, form: str) -> Iterator[BinaryIO]:
    """Standard output, or a file that is there whole or not at all."""
    if out is None:
        if form == "parquet" and sys.stdout.isatty():
            raise UsageError("Parquet is not for a terminal; name a file with -o")
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    unfinished = Path(f"{out}.part")
    try:
        with unfinished.open("wb") as file:
            yield cast(BinaryIO, file)
        unfinished.replace(out)
    except OSError as error:
        raise UsageError(f"{out}: {error.strerror}; name a file that can be written") from None
    finally:
        unfinished.unlink(missing_ok=True)


def _write_table(reader: pa.RecordBatchReader, file: BinaryIO, percent: frozenset[str], *, on_screen: bool) -> None:
    import io

    from rich import box
    from rich.console import Console
    from rich.table import Table

    rows = reader.read_all()
    shown = rows.slice(0, ROWS_ON_SCREEN) if on_screen else rows
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    columns = [[_cell(value, name in percent) for value in shown[name].to_pylist()] for name in rows.column_names]
    narrowest = 0
    for field, cells in zip(rows.schema, columns, strict=True):
        number = str(field.type).startswith(("int", "uint", "double", "float", "decimal"))
        width = max(map(len, (field.name, *cells)))
        least = width if number or not on_screen else min(width, NARROWEST_TEXT)
        table.add_column(field.name, justify="right" if number else "left", overflow="fold", min_width=least)
        narrowest += least + 3
    for row in zip(*columns, strict=True):
        table.add_row(*row)
    text = io.StringIO()
    width = max(Console().width, narrowest) if on_screen else 1 << 20
    Console(file=text, width=width, force_terminal=on_screen, highlight=False, markup=False).print(table)
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    file.write(("\n".join(lines).strip("\n") + "\n").encode())
    if len(shown) < len(rows):
        click.echo(f"{len(rows) - len(shown)} more rows; --format csv prints all", err=True)


def _cell(value: object, percent: bool) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{100 * value:.2f}%" if percent else f"{value:.6g}"
    return str(value)


def _write_csv(reader: pa.RecordBatchReader, file: BinaryIO, metadata: dict[str, str]) -> None:
    import pyarrow.csv as pc

    writer: Any = None
    for table in _flat(reader):
        if writer is None:
            writer = pc.CSVWriter(file, table.schema, write_options=pc.WriteOptions(quoting_style="needed"))
        writer.write(table)
    if writer is not None:
        writer.close()


def _flat(reader: pa.RecordBatchReader) -> Iterator[pa.Table]:
    """The batches, lists and structures in them written as JSON; one empty table where there is none."""
    import duckdb
    import pyarrow as pa

    nested = [field.name for field in reader.schema if pa.types.is_nested(field.type)]
    columns = [duckdb.ColumnExpression(name) for name in reader.schema.names]
    for at, name in enumerate(reader.schema.names):
        if name in nested:
            columns[at] = duckdb.FunctionExpression("to_json", columns[at]).alias(name)
    empty = True
    for batch in reader:
        empty = False
        table = pa.Table.from_batches([batch])
        if nested:
            with duckdb.connect() as connection:
                table = connection.from_arrow(table).select(*columns).to_arrow_table()
        yield table
    if empty:
        yield pa.table({name: pa.nulls(0, pa.string()) for name in reader.schema.names})


def _write_json(reader: pa.RecordBatchReader, file: BinaryIO, metadata: dict[str, str]) -> None:
    """A list of row objects, one a line."""
    import polars as pl

    file.write(b"[")
    between = b"\n"
    for batch in reader:
        if batch.num_rows:
            lines = pl.DataFrame(batch).write_ndjson().rstrip("\n").encode()
            file.write(between + lines.replace(b"\n", b",\n"))
            between = b",\n"
    file.write(b"\n]\n" if between == b",\n" else b"]\n")


def _write_parquet(reader: pa.RecordBatchReader, file: BinaryIO, metadata: dict[str, str]) -> None:
    import pyarrow.parquet as pq

    import treesql

    schema = reader.schema.with_metadata({"treesql": treesql.__version__, **metadata})
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(batch.replace_schema_metadata(schema.metadata))
