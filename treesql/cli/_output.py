"""Print tables as text, CSV, JSON or Parquet, to standard output or a file."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from treesql._version import __version__
from treesql.errors import Diagnostic, UsageError
from treesql.runtime import atomic_files

if TYPE_CHECKING:
    import pyarrow as pa

    from treesql.results.result import Result

FORMATS = ("table", "csv", "json", "parquet")
ENDINGS = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".txt": "table"}
"""Formats of tables by the ending of the file."""

ROWS_ON_SCREEN = 1000
DEFAULT_WIDTH = 120
"""Characters per line if standard output is not a terminal."""

MIN_TEXT_WIDTH = 16
"""Minimum number of characters of a text column whose cells are folded."""

Command = TypeVar("Command", bound=Callable[..., Any])


def output_options(command: Command) -> Command:
    """`--format` and `-o` for a command that prints a table."""
    command = click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file.")(
        command
    )
    kinds = click.Choice(FORMATS)
    return click.option(
        "--format", "form", type=kinds, help="How to print.  [default: by the ending of -o, else table]"
    )(command)


def print_result(
    result: Result, form: str | None, out: str | None, *, signature: bool = False, turned_by: str | None = None
) -> None:
    """Print a table. Only the format `table` shows shares as percentages.

    turned_by: the column whose values become column names if the table is too wide for the screen and is transposed.
    """
    form = format_of(form, out)
    metadata = {"signature": result.signature} if result.signatures else {}
    transposed = _transpose(result, turned_by) if turned_by and form == "table" else None
    if transposed is not None and _width(result.arrow(), result.percent) > screen_width() > _width(transposed):
        print_batches(transposed.to_reader(), form, out)
    else:
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
    """Print batches as they come; only the format `table` holds all of them in memory."""
    form = format_of(form, out)
    with destination(out, form) as file:
        if form == "table":
            _write_table(reader, file, percent, on_screen=out is None and sys.stdout.isatty())
        else:
            {"csv": _write_csv, "json": _write_json, "parquet": _write_parquet}[form](reader, file, metadata or {})


def counted(number: int, noun: str) -> str:
    """`1 word`, `2,000 words`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def warn(warnings: Iterable[Diagnostic]) -> None:
    """Print warnings, a line each, to standard error."""
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


@contextmanager
def progress_bar(what: str, paths: Iterable[str]) -> Iterator[Callable[[int], object] | None]:
    """Show a progress bar of bytes on standard error; yields None if that is not a terminal."""
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


def format_of(form: str | None, out: str | None) -> str:
    """The format to print: as named, else by the ending of the file. Raises UsageError for unknown endings."""
    return form or format_by_ending(out, ENDINGS) or "table"


def format_by_ending(out: str | None, formats: Mapping[str, str]) -> str | None:
    """The format of a file by its ending, None if there is no file or no ending.

    formats: by ending, such as `.csv`. Raises UsageError for other endings.
    """
    ending = Path(out or "").suffix
    if ending and ending.lower() not in formats:
        *known, last = formats
        endings = f"{', '.join(known)} or {last}" if known else last
        raise UsageError(f"{out}: nothing is written as {ending}; name a file that ends in {endings}")
    return formats[ending.lower()] if ending else None


def screen_width() -> int:
    """Characters per line of the terminal, or DEFAULT_WIDTH."""
    if not sys.stdout.isatty():
        return DEFAULT_WIDTH
    from rich.console import Console

    return Console().width


def _transpose(result: Result, key: str) -> pa.Table:
    """The transposed table as text; the values of the column `key` become column names."""
    import pyarrow as pa

    measures = [name for name in result.columns if name != key]
    columns = {"measure": _texts(measures)}
    for row in result.rows():
        cells = [_cell(row[name], name in result.percent) for name in measures]
        width = max(map(len, (*cells, str(row[key]))))
        columns[str(row[key]).rjust(width)] = _texts([cell.rjust(width) for cell in cells])
    return pa.table(columns)


def _texts(values: Sequence[str]) -> pa.Array:
    """Strings as an Arrow array.

    Made from buffers: `pa.array` imports pandas if installed, which takes longer than scoring a small treebank.
    """
    import pyarrow as pa

    data = [value.encode() for value in values]
    offsets = array("i", accumulate(map(len, data), initial=0))
    return pa.Array.from_buffers(pa.string(), len(data), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(data))])


def _width(table: pa.Table, percent: frozenset[str] = frozenset()) -> int:
    """Number of characters of a line of the table."""
    rows = table.to_pylist()
    cells = {name: [_cell(row[name], name in percent) for row in rows] for name in table.column_names}
    return sum(3 + max(map(len, (name, *column))) for name, column in cells.items())


@contextmanager
def destination(out: str | None, form: str) -> Iterator[BinaryIO]:
    """Open standard output, or a file that is written whole or not at all; devices and pipes are opened directly."""
    if out is None:
        if form == "parquet" and sys.stdout.isatty():
            raise UsageError("Parquet is not for a terminal; name a file with -o")
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    target = Path(out)
    if target.exists() and not target.is_file():
        try:
            with target.open("wb") as device:
                yield device
        except OSError as error:
            raise UsageError(f"{out}: {error.strerror}; name a file that can be written") from None
        return
    with atomic_files.write_whole(target) as made, made.open("wb") as file:
        yield file


def _write_table(reader: pa.RecordBatchReader, file: BinaryIO, percent: frozenset[str], *, on_screen: bool) -> None:
    rows = reader.read_all()
    shown = rows.slice(0, ROWS_ON_SCREEN) if on_screen else rows
    names = rows.column_names
    cells = [[_cell(value, name in percent) for value in shown[at].to_pylist()] for at, name in enumerate(names)]
    numeric = [str(kind).startswith(("int", "uint", "double", "float", "decimal")) for kind in rows.schema.types]
    text = (_folded if on_screen else _plain)(names, cells, numeric)
    lines = [line.rstrip() for line in text.splitlines()]
    file.write(("\n".join(lines).strip("\n") + "\n").encode())
    if len(shown) < len(rows):
        click.echo(f"{len(rows) - len(shown)} more rows; --format csv prints all", err=True)


def _folded(names: list[str], cells: list[list[str]], numeric: list[bool]) -> str:
    """A table of the width of the screen, with long texts folded."""
    import io

    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    min_width = 0
    for name, column, number in zip(names, cells, numeric, strict=True):
        width = max(map(len, (name, *column)))
        column_width = width if number else min(width, MIN_TEXT_WIDTH)
        table.add_column(name, justify="right" if number else "left", overflow="fold", min_width=column_width)
        min_width += column_width + 3
    for row in zip(*cells, strict=True):
        table.add_row(*row)
    text = io.StringIO()
    width = max(Console().width, min_width)
    Console(file=text, width=width, force_terminal=True, highlight=False, markup=False, emoji=False).print(table)
    return text.getvalue()


def _plain(names: list[str], cells: list[list[str]], numeric: list[bool]) -> str:
    """A table of any width, in the layout of `_folded`."""
    from rich.cells import cell_len

    padded = []
    for name, column, number in zip(names, cells, numeric, strict=True):
        sizes = [len(cell) if cell.isascii() else cell_len(cell) for cell in (name, *column)]
        width = max(sizes)
        blanks = [" " * (width - size) for size in sizes]
        pairs = zip((name, *column), blanks, strict=True)
        padded.append([blank + cell if number else cell + blank for cell, blank in pairs])
    lines = [" " + "   ".join(row) for row in zip(*padded, strict=True)]
    return "\n".join([*lines[:1], " " + "─" * max(len(lines[0]) - 1, 1), *lines[1:]]) if lines else ""


def _cell(value: object, percent: bool) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{100 * value:.2f}%" if percent else f"{value:.6g}"
    return str(value)


def _write_csv(reader: pa.RecordBatchReader, file: BinaryIO, metadata: dict[str, str]) -> None:
    import pyarrow.csv as pc

    writer: Any = None
    for table in _simple(reader, nested_as_json=True):
        if writer is None:
            writer = pc.CSVWriter(file, table.schema, write_options=pc.WriteOptions(quoting_style="needed"))
        writer.write(table)
    if writer is not None:
        writer.close()


def _simple(reader: pa.RecordBatchReader, *, nested_as_json: bool) -> Iterator[pa.Table]:
    """The batches with types that every format supports: decimals and large integers as 64 bits, other types as text.

    nested_as_json: lists and structures become text as well. Yields one empty table if there is no batch.
    """
    import duckdb
    import pyarrow as pa

    def target_type(kind: pa.DataType) -> str | None:
        if pa.types.is_decimal(kind):
            return "BIGINT" if kind.scale == 0 else "DOUBLE"
        if pa.types.is_nested(kind):
            return "JSON" if nested_as_json else None
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
    with duckdb.connect() as connection:
        for batch in reader:
            batches += 1
            table = pa.Table.from_batches([batch])
            convert = any(targets.values())
            yield connection.from_arrow(table).select(*columns).to_arrow_table() if convert else table
    if not batches:
        yield pa.table({name: pa.nulls(0, pa.string()) for name in reader.schema.names})


def _write_json(reader: pa.RecordBatchReader, file: BinaryIO, metadata: dict[str, str]) -> None:
    """Write a list of row objects, one per line."""
    import polars as pl

    file.write(b"[")
    between = b"\n"
    for table in _simple(reader, nested_as_json=False):
        if table.num_rows:
            lines = pl.DataFrame(table).write_ndjson().rstrip("\n").encode()
            file.write(between + lines.replace(b"\n", b",\n"))
            between = b",\n"
    file.write(b"\n]\n" if between == b",\n" else b"]\n")


def _write_parquet(reader: pa.RecordBatchReader, file: BinaryIO, metadata: dict[str, str]) -> None:
    import pyarrow.parquet as pq

    schema = reader.schema.with_metadata({"treesql": __version__, **metadata})
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(batch.replace_schema_metadata(schema.metadata))
