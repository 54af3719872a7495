"""treesql drop."""

from __future__ import annotations

import click

from treesql.cli._options import completing


@click.command()
@click.argument("db", type=click.Path())
@click.argument("corpus", shell_complete=completing("corpora"))
def command(db: str, corpus: str) -> None:
    """Remove CORPUS from the database DB."""
    import treesql

    with treesql.connect(db, existing=True) as database:
        database.drop(corpus)
    click.echo(f"{corpus}: dropped")
