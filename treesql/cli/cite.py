"""treesql cite."""

from __future__ import annotations

import click

from treesql.cli._completion import complete_queries


@click.command()
@click.argument("names", metavar="[METRIC]...", nargs=-1, shell_complete=complete_queries)
def command(names: tuple[str, ...]) -> None:
    """Print BibTeX entries of treesql and of the papers behind each METRIC: a score, such as las, or a query."""
    import treesql

    click.echo(treesql.cite(*names))
