"""treesql drop."""

from __future__ import annotations

import click


@click.command()
@click.argument("db", type=click.Path())
@click.argument("corpus")
def command(db: str, corpus: str) -> None:
    """Remove CORPUS from the database DB."""
    from treesql import loading, storage

    with storage.open_connection(db, existing=True) as connection:
        loading.drop(connection, corpus)
    click.echo(f"{corpus}: dropped")
