"""treesql sql."""

from __future__ import annotations

import sys

import click

from treesql.cli._limits import limit_time, memory_option
from treesql.cli._output import output_options, print_result, print_rows, query_bar


@click.command()
@click.argument("db", type=click.Path())
@click.argument("statement", metavar="SQL")
@click.option("--write", is_flag=True, help="Open the database for changes, with access to files.")
@click.option(
    "--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Stop after this many seconds.  [default: never]"
)
@memory_option
@output_options
@click.pass_context
def command(
    ctx: click.Context, db: str, statement: str, write: bool, timeout: float | None, form: str | None, out: str | None
) -> None:
    """Run SQL on the database DB and print the rows; - reads the SQL from standard input.

    Queries of the catalogue are table macros: FROM attachment('gold', 'parser'). Without --write, the database is
    opened for reading, without access to other files and without temporary files, so that a statement that needs more
    memory than there is fails. With --write, statements that change rows are one transaction: all of them take effect
    or none. Rows of treesql's tables are checked like those of files, and derived columns (tree indices, spans,
    features, digests) are recomputed; if there is an error, nothing changes.
    """
    import treesql

    if statement == "-":
        statement = sys.stdin.read()
    limit_time(ctx, timeout, interrupted=True)
    with treesql.connect(db, read_only=not write, safe=not write, existing=True, timeout=timeout) as database:
        if out is None and sys.stdout.isatty():
            # The progress bar and the rows share the screen, so print the rows when the bar is gone.
            with query_bar() as progress:
                result = database.sql(statement, progress=progress)
            print_result(result, form, out)
        else:
            with query_bar() as progress:
                print_rows(database.stream(statement, progress=progress), form, out)
