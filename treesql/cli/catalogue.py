"""treesql sql, queries and cite; compile and serve, which prepare for many requests."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from treesql.cli import Command
from treesql.cli._options import (
    check_engine,
    completing,
    connect_to_spark,
    destination,
    engine_options,
    format_of,
    limit_time,
    memory_option,
    output_options,
    print_result,
    print_rows,
    query_bar,
    read_standard_input,
)
from treesql.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from treesql import QueryInfo, Result


PARQUET = "parquet"


@click.command(
    cls=Command,
    examples=[
        'examples.duckdb "SELECT upos, count(*) AS words FROM words GROUP BY ALL ORDER BY ALL"',
        "examples.duckdb \"FROM attachment('gold', 'parser-a') LIMIT 5\"",
    ],
)
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
def sql_command(
    ctx: click.Context, db: str, statement: str, write: bool, timeout: float | None, engine: str, master: str | None,
    form: str | None, out: str | None,
) -> None:  # fmt: skip
    """Run SQL on the database DB and print the rows. The SQL - is read from standard input.

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
            tables = [treesql.Result(rows.read_all()) for rows in results]
        _print_each(tables, form)  # now that the bar, which shares the screen, is gone


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


@click.command(cls=Command, examples=["--like crossing", "evalb"])
@click.argument("name", required=False, shell_complete=completing("queries"))
@click.option("--all", "all_", is_flag=True, help="List all, also what only other queries read.")
@click.option("--kind", metavar="KIND", help="List those of a kind: dependency, lattice, ...; metric, statistic, ...")
@click.option("--like", metavar="WORDS", help="List those with these words in names or descriptions.")
@click.option("--sql", "show_sql", is_flag=True, help="Print the statement with all queries that it uses.")
@output_options
def queries_command(
    name: str | None, all_: bool, kind: str | None, like: str | None, show_sql: bool, form: str | None, out: str | None
) -> None:
    """List the queries that people ask for, or describe one. They are listed by task; NAME is the one to describe."""
    import treesql

    if name is None:
        if show_sql:
            raise UsageError("name the query whose SQL is to be printed")
        if all_ or kind is not None or like is not None:
            _list_queries(treesql.queries(kind=kind, like=like), like, form, out)
            return
        rows = [{"task": entry.task, "query": entry.query} for entry in treesql.tasks() if entry.query]
        print_result(treesql.Result.of(rows), form, out)
        more = "--all, --kind KIND and --like WORDS list others; treesql queries NAME describes one"
        click.echo(f"{len(rows)} of {len(treesql.queries())} queries; {more}", err=True)
        return
    if all_ or kind is not None or like is not None:
        raise UsageError("--all, --kind and --like are for the list of queries; leave them out, or the name")
    [query] = treesql.queries(name)
    if form or out:
        raise UsageError("--format and -o are for the list of queries; a description is Markdown, to standard output")
    click.echo(query.sql if show_sql else query.markdown)


def _list_queries(listed: list[QueryInfo], like: str | None, form: str | None, out: str | None) -> None:
    import treesql

    if not listed:
        click.echo(f"no query has {like!r} in names or descriptions; try other words, or part of one", err=True)
        return
    rows = [
        {"query": q.name, "kind": q.kind, "family": q.folder, "scores": ", ".join(q.scores), "what": q.doc}
        for q in listed
    ]
    print_result(treesql.Result.of(rows), form, out)


@click.command(cls=Command, examples=["las", "evalb robinson_foulds"])
@click.argument("names", metavar="[METRIC]...", nargs=-1, shell_complete=completing("queries"))
def cite_command(names: tuple[str, ...]) -> None:
    """Print BibTeX entries of treesql and the papers of each METRIC. A METRIC is a score, such as las, or a query."""
    import treesql

    click.echo(treesql.cite(*names))


@click.command(cls=Command)
def compile_command() -> None:
    """Compile all kernels, so that no later command waits for them.

    Other commands compile what large inputs need when they first need it. Compiled kernels are kept in the folder of
    the user's caches, for all installations, or in that of the environment variable NUMBA_CACHE_DIR; so images of
    containers and clusters set it, and run this command once.
    """
    import treesql

    kept = treesql.compile()
    click.echo(f"all kernels are compiled: {kept.entries} in {kept.folder}, {kept.bytes / 1e6:.0f} MB")


@click.command(cls=Command, examples=["examples.duckdb", "examples.duckdb --port 8080 --open"])
@click.argument("db", type=click.Path())
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True,
              help="The port to listen on; 0 for any free one.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="The address to listen on; others than the loopback are seen by other machines.")  # fmt: skip
@click.option("--open", "open_", is_flag=True, help="Open the first page in a browser.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True,
              metavar="SECONDS", help="Stop a request after this many seconds.")  # fmt: skip
@click.option("--memory", default="2GB", show_default=True, metavar="SIZE",
              help="Stop a request that needs more memory than this: 500MB, 2GB, 1GiB.")  # fmt: skip
def serve_command(db: str, port: int, host: str, open_: bool, timeout: float, memory: str) -> None:
    """Serve the database DB to a browser: search, trees, scores, SQL.

    The pages need the extra treesql[web]. Every address has the same rows as JSON, CSV, TSV and Parquet. The database
    is opened for reading, and no other file is read. The server stops at Ctrl-C.
    """
    from treesql import process
    from treesql.web import serve

    try:
        process.check_size(memory)
    except UsageError as error:
        raise click.BadParameter(str(error), param_hint="--memory") from None
    process.when_done.clear()  # the work of requests is no one's who looks at the terminal
    serve(db, port=port, host=host, open=open_, timeout=timeout, memory=memory)
