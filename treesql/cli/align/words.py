"""treesql align words."""

from __future__ import annotations

import click

from treesql.cli._options import completing
from treesql.cli._output import counted


@click.command()
@click.argument("db", type=click.Path())
@click.argument("gold", shell_complete=completing("corpora"))
@click.argument("system", shell_complete=completing("corpora"))
def command(db: str, gold: str, system: str) -> None:
    """Store in the database DB which words of two parses of one text, GOLD and SYSTEM, are counterparts.

    SQL then pairs these words in any client, until one of the corpora changes. `treesql score` needs no such step.
    """
    import treesql

    with treesql.connect(db, existing=True) as database:
        rows = database.align_words(gold, system)
    click.echo(f"{gold}, {system}: {counted(rows, 'row') if rows else 'the words are the same'}")
