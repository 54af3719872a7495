"""treesql drop."""

from __future__ import annotations

import click


@click.command()
@click.argument("db", type=click.Path())
@click.argument("corpus")
def command(db: str, corpus: str) -> None:
    """Remove CORPUS from the database DB."""
    from treesql.engines.duckdb_files import open_database
    from treesql.storage import loading

    with open_database(db, existing=True) as engine:
        loading.drop_corpus(engine, corpus)
    click.echo(f"{corpus}: dropped")
