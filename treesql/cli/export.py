"""treesql export."""

from __future__ import annotations

import click

from treesql import writers
from treesql.catalog.formats import listed
from treesql.cli._output import warn


@click.command()
@click.argument("db", type=click.Path())
@click.argument("out", type=click.Path())
@click.option("--corpus", metavar="NAME", help="The corpus to write. [default: all, for Parquet]")
@click.option(
    "--to",
    "target",
    metavar="FORMAT",
    help=f"{listed(writers.formats())}. [default: by the ending of OUT, else parquet]",
)
def command(db: str, out: str, corpus: str | None, target: str | None) -> None:
    """Write the database DB as a Parquet data set to the folder OUT, or a corpus of it back as a file.

    The Parquet files lie in OUT/TABLE/corpus=NAME; `treesql load` reads the folder. CoNLL-U comes out byte for byte
    as it was read (of packed files, the text), constituency trees as Penn brackets or Newick, a tree a line, alignments
    with words counted from 0 (Pharaoh) or from 1 (WPT), and lattices as PLF, OpenFst's text or JSON lines: into the
    file OUT, or into the folder OUT under the files' own names. OUT is written whole or not at all.
    """
    from pathlib import Path

    from treesql.engines.duckdb import open_connection
    from treesql.storage import exporting

    with open_connection(db, read_only=True) as connection:
        written = exporting.export(connection, Path(out), corpus, target, lambda warning: warn([warning]))
    click.echo(f"{out}: {len(written)} file{'s' if len(written) > 1 else ''}")
