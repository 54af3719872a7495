"""Print tables in any format, and texts and pictures, to standard output or a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

import click

from treesql import drawing
from treesql.cli import Option
from treesql.cli._options import Decorated
from treesql.errors import UsageError
from treesql.results.result import is_too_wide, render, transpose
from treesql.results.tables import (
    DOCUMENT_WIDTH,
    DOCUMENTS,
    ENDINGS,
    FORMATS,
    PICTURES,
    format_by_ending,
    open_whole,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from treesql import Result

ROWS_ON_SCREEN = 1000
DEFAULT_WIDTH = 120
"""Characters per line if standard output is not a terminal."""


def output_options(command: Decorated) -> Decorated:
    """`--format` and `-o` for a command that prints a table."""
    of_file = f"Write to this file; its ending chooses the format: {', '.join(ENDINGS)}."
    brief = "A file to write; its ending is the format."
    command = click.option(
        "-o", "--output", "out", cls=Option, type=click.Path(dir_okay=False), help=of_file, brief=brief
    )(command)
    kinds = click.Choice(FORMATS)
    return click.option(
        "--format",
        "form",
        cls=Option,
        type=kinds,
        brief="How to print.",
        help="How to print.  [default: by the ending of -o, else table]",
    )(command)


def print_result(
    result: Result, form: str | None, out: str | None, *, signature: bool = False, turned_by: str | None = None
) -> None:
    """Print a table. Only screens and documents show shares as percentages.

    turned_by: the column whose values become column names if the table is too wide for the screen, or for a document.
    """
    from treesql import Result

    form = format_of(form, out)
    width = screen_width() if form == "table" else DOCUMENT_WIDTH
    turned = (
        turned_by if turned_by and form in ("table", *DOCUMENTS) and is_too_wide(result, turned_by, width) else None
    )
    if turned and form == "table":
        print_rows(Result(transpose(result, turned)), form, out)
    else:
        print_rows(result, form, out, turned_by=turned)
    if signature:
        click.echo(result.signature, err=form != "table" or out is not None)


def print_rows(
    rows: Result | pa.RecordBatchReader, form: str | None, out: str | None, *, turned_by: str | None = None
) -> None:
    """Print a result, or batches as they come; only tables of screens and documents are in memory as a whole."""
    import treesql

    form = format_of(form, out)
    if out is not None:
        treesql.write(rows, out, format=form, turned_by=turned_by)
        return
    with destination(out, form) as file:
        if form == "table" and sys.stdout.isatty():
            _print_on_screen(rows if isinstance(rows, treesql.Result) else treesql.Result(rows.read_all()))
        else:
            treesql.write(rows, file, format=form, turned_by=turned_by)


def _print_on_screen(result: Result) -> None:
    sys.stdout.buffer.write(render(result.head(ROWS_ON_SCREEN), screen=screen_width()).encode())
    if len(result) > ROWS_ON_SCREEN:
        click.echo(f"{len(result) - ROWS_ON_SCREEN} more rows; --format csv prints all", err=True)


@contextmanager
def bytes_bar(what: str) -> Iterator[Callable[[int, int | None], object] | None]:
    """Show a progress bar of bytes on standard error; yields None if that is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def query_bar() -> Iterator[Callable[[float, float], object]]:
    """Show a progress bar of a query on standard error; yields a function that does nothing if that is no terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("query"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("query", total=100)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def format_of(form: str | None, out: str | None) -> str:
    """The format to print: as named, else by the ending of the file. Raises UsageError for unknown endings."""
    return form or format_by_ending(out, ENDINGS) or "table"


def screen_width() -> int:
    """Characters per line of the terminal, or DEFAULT_WIDTH."""
    if not sys.stdout.isatty():
        return DEFAULT_WIDTH
    from rich.console import Console

    return Console().width


@contextmanager
def destination(out: str | None, form: str) -> Iterator[BinaryIO]:
    """Open standard output, or a file that is written whole or not at all; devices and pipes are opened directly."""
    if out is not None:
        with open_whole(out) as file:
            yield file
        return
    if form == "parquet" and sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal; name a file with -o")
    yield sys.stdout.buffer
    sys.stdout.flush()


def chart_option(help: str) -> Callable[[Decorated], Decorated]:
    """`--chart FILE`, which is `--svg FILE` too. help: what is drawn."""
    endings = " or ".join(PICTURES)
    return click.option("--chart", metavar="FILE", callback=_checked, help=f"{help} ({endings}).")


def _checked(context: click.Context, option: click.Parameter, out: str | None) -> str | None:
    """Raise UsageError before anything is computed if pictures cannot be written to a file."""
    if out is not None:
        drawing.check_format(out)
    return out


def picture_format(out: str | None, texts: Mapping[str, str]) -> str | None:
    """The format of a drawing by the ending of its file: svg, png, pdf, or one of texts; None without an ending.

    texts: by ending, other formats. Raises UsageError, before anything is computed.
    """
    form = format_by_ending(out, {**PICTURES, **texts})
    if out is not None and form in PICTURES.values():
        drawing.check_format(out)
    return form


def print_picture(svg: str, out: str | None, form: str | None = None) -> None:
    """Print an SVG document to standard output, or write it to a file: as SVG if that is the format, else by its
    ending."""
    if out is None or form == "svg":
        print_text(svg, out)
    else:
        drawing.write(svg, out)


def print_text(text: str | bytes, out: str | None) -> None:
    """Print a text to standard output or a file."""
    with destination(out, "text") as file:
        file.write(text.encode() if isinstance(text, str) else text)
