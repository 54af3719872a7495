"""treesql drop."""

from __future__ import annotations

import click


@click.command()
@click.argument("db", type=click.Path())
@click.argument("corpus")
def command(db: str, corpus: str) -> None:
    """Remove CORPUS from the database DB."""
    from treesql.engines.duckdb import open_connection
    from treesql.storage import loading

    with open_connection(db, existing=True) as connection:
        loading.drop_corpus(connection, corpus)
    click.echo(f"{corpus}: dropped")
