"""treesql upgrade."""

from __future__ import annotations

import click


@click.command()
@click.argument("db", type=click.Path())
def command(db: str) -> None:
    """Upgrade the database DB, a file, to the tables and queries of this version of treesql."""
    import treesql

    before, after = treesql.upgrade(db)
    click.echo(f"{db}: tables of version {before}, now {after}; views and macros are those of this treesql")
