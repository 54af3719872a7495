"""treesql queries."""

from __future__ import annotations

import click

from treesql.cli._options import completing
from treesql.cli._output import output_options, print_result
from treesql.errors import UsageError


@click.command()
@click.argument("name", required=False, shell_complete=completing("queries"))
@click.option("--sql", "show_sql", is_flag=True, help="Print the statement with all queries that it uses.")
@output_options
def command(name: str | None, show_sql: bool, form: str | None, out: str | None) -> None:
    """List the queries of the catalogue, or describe the query NAME."""
    import treesql

    if name is None:
        if show_sql:
            raise UsageError("name the query whose SQL is to be printed")
        rows = [
            {"query": q.name, "kind": q.kind, "family": q.folder, "scores": ", ".join(q.scores), "what": q.doc}
            for q in treesql.queries()
        ]
        print_result(treesql.Result.of(rows), form, out)
        return
    [query] = treesql.queries(name)
    if form or out:
        raise UsageError("--format and -o are for the list of queries; a description is Markdown, to standard output")
    click.echo(query.sql if show_sql else query.markdown)
