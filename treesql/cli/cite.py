"""treesql cite."""

from __future__ import annotations

import click

from treesql.cli._options import completing


@click.command()
@click.argument("names", metavar="[METRIC]...", nargs=-1, shell_complete=completing("queries"))
def command(names: tuple[str, ...]) -> None:
    """Print BibTeX entries of treesql and of the papers behind each METRIC: a score, such as las, or a query."""
    import treesql

    click.echo(treesql.cite(*names))
