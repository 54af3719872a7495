"""treesql info."""

from __future__ import annotations

import click

from treesql.cli._output import output_options, print_result


@click.command()
@click.argument("db", type=click.Path())
@output_options
def command(db: str, form: str | None, out: str | None) -> None:
    """List the corpora of the database DB: sizes, files, origin."""
    import treesql

    with treesql.connect(db, read_only=True) as database:
        print_result(database.info(), form, out)
