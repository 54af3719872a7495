"""treesql drop."""

from __future__ import annotations

import click

from treesql.cli._options import completing


@click.command()
@click.argument("db", type=click.Path())
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True, shell_complete=completing("corpora"))
def command(db: str, corpora: tuple[str, ...]) -> None:
    """Remove every CORPUS from the database DB, or none.

    In a folder of Parquet also those with parts that are damaged or missing. Corpora that share a damaged part with
    others are removed together with them.
    """
    import treesql

    treesql.drop(db, *corpora)
    for corpus in dict.fromkeys(corpora):
        click.echo(f"{corpus}: dropped")
