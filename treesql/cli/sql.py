"""treesql sql."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from treesql.cli._options import (
    check_engine,
    connect_to_spark,
    engine_options,
    limit_time,
    memory_option,
    read_standard_input,
)
from treesql.cli._output import destination, format_of, output_options, print_rows, query_bar
from treesql.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from treesql import Result

PARQUET = "parquet"


@click.command()
@click.argument("db", type=click.Path())
@click.argument("statement", metavar="SQL")
@click.option("--write", is_flag=True, help="Open the database for changes, with access to files.")
@click.option(
    "--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Stop after this many seconds.  [default: never]"
)
@memory_option
@engine_options
@output_options
@click.pass_context
def command(
    ctx: click.Context, db: str, statement: str, write: bool, timeout: float | None, engine: str, master: str | None,
    form: str | None, out: str | None,
) -> None:  # fmt: skip
    """Run SQL on the database DB and print the rows; - reads the SQL from standard input.

    The rows of every statement are printed, with a blank line between two; a Parquet file has those of the last.
    Queries of the catalogue are table macros: FROM attachment('gold', 'parser'). With --engine spark, the SQL is one
    statement of Spark's. Without --write, the database is opened for reading, without access to other files and without
    temporary files, so that a statement that needs more memory than there is fails. With --write, statements that
    change rows are one transaction: all of them take effect or none. Rows of treesql's tables are checked like those of
    files, and derived columns (tree indices, spans, features, digests) are recomputed; if there is an error, nothing
    changes.
    """
    import treesql

    if statement == "-":
        statement = read_standard_input("SQL")
    limit_time(ctx, timeout, interrupted=True)
    if check_engine(engine, master):
        if write:
            raise UsageError("--write changes rows, which Spark only reads; leave out --engine spark")
        with connect_to_spark(db, master, timeout=timeout) as database:
            print_rows(database.sql(statement), form, out)
        return
    with treesql.connect(db, read_only=not write, safe=not write, existing=True, timeout=timeout) as database:
        with query_bar() as progress:
            if form == PARQUET or (out is not None and format_of(form, out) == PARQUET):
                print_rows(database.stream(statement, progress=progress), form, out)
                return
            results = database.stream_each(statement, progress=progress)
            if out is not None:
                _write_each(results, format_of(form, out), out)
                return
            if not sys.stdout.isatty():
                _print_each(results, form)
                return
            found = [treesql.Result(rows.read_all()) for rows in results]
        _print_each(found, form)  # now that the bar, which shares the screen, is gone


def _write_each(results: Iterable[pa.RecordBatchReader], form: str, out: str) -> None:
    """Write the rows of every statement to a file, as `_print_each` prints them."""
    import treesql

    with destination(out, form) as file:
        for number, rows in enumerate(results):
            file.write(b"\n" if number else b"")
            treesql.write(rows, file, format=form)


def _print_each(results: Iterable[Result | pa.RecordBatchReader], form: str | None) -> None:
    """Print the rows of every statement, with a blank line between two."""
    printed = False
    for rows in results:
        if printed:
            click.echo()
        print_rows(rows, form, None)
        printed = True
