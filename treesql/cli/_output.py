"""Print tables as text, CSV, JSON or Parquet, to standard output or a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from treesql.cli._options import Command
from treesql.errors import Diagnostic, UsageError, plural
from treesql.results.tables import (
    ENDINGS,
    FORMATS,
    render_text,
    text_width,
    transpose,
    write_csv,
    write_json,
    write_parquet,
)
from treesql.runtime import atomic_files

if TYPE_CHECKING:
    import pyarrow as pa

    from treesql.results.result import Result

ROWS_ON_SCREEN = 1000
DEFAULT_WIDTH = 120
"""Characters per line if standard output is not a terminal."""


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
    transposed = transpose(result, turned_by) if turned_by and form == "table" else None
    if transposed is not None and text_width(result.arrow(), result.percent) > screen_width() > text_width(transposed):
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
    from treesql.engines.plain_types import with_plain_types

    form = format_of(form, out)
    with destination(out, form) as file:
        if form == "table":
            _print_table(reader.read_all(), file, percent, on_screen=out is None and sys.stdout.isatty())
        elif form == "csv":
            write_csv(with_plain_types(reader, nested_as_json=True), file)
        elif form == "json":
            write_json(with_plain_types(reader, nested_as_json=False), file)
        else:
            write_parquet(reader, file, metadata or {})


def _print_table(table: pa.Table, file: BinaryIO, percent: frozenset[str], *, on_screen: bool) -> None:
    shown = table.slice(0, ROWS_ON_SCREEN) if on_screen else table
    file.write(render_text(shown, percent, screen=screen_width() if on_screen else None).encode())
    if len(shown) < len(table):
        click.echo(f"{len(table) - len(shown)} more rows; --format csv prints all", err=True)


def counted(number: int, noun: str) -> str:
    """`1 word`, `2,000 words`."""
    return f"{number:,} {plural(number, noun)}"


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
