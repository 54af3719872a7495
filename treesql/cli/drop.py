"""treesql drop."""

from __future__ import annotations

import click


@click.command()
@click.argument("db", type=click.Path())
@click.argument("corpus")
def command(db: str, corpus: str) -> None:
    """Remove CORPUS from the database DB."""
    from treesql import loading
    from treesql.engines.duckdb import open_connection

    with open_connection(db, existing=True) as connection:
        loading.drop(connection, corpus)
    click.echo(f"{corpus}: dropped")
