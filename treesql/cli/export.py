"""treesql export."""

from __future__ import annotations

import click


@click.command()
@click.argument("db", type=click.Path())
@click.argument("out", type=click.Path())
@click.option("--corpus", metavar="NAME", help="The corpus to write. [default: all, for Parquet]")
@click.option(
    "--to",
    "target",
    metavar="FORMAT",
    help="parquet, conllu, penn, newick, pharaoh or wpt. [default: by the ending of OUT, else parquet]",
)
def command(db: str, out: str, corpus: str | None, target: str | None) -> None:
    """Write the database DB as a Parquet data set to the folder OUT, or a corpus of it back as a file.

    The Parquet files lie in OUT/TABLE/corpus=NAME; `treesql load` reads the folder. CoNLL-U comes out byte for byte
    as it was read (of packed files, the text), constituency trees as Penn brackets or Newick, a tree a line, and
    alignments with words counted from 0 (Pharaoh) or from 1 (WPT): into the file OUT, or into the folder OUT under the
    files' own names. OUT is written whole or not at all.
    """
    import treesql

    with treesql.connect(db, read_only=True) as database:
        written = database.export(out, corpus=corpus, to=target)
    click.echo(f"{out}: {len(written)} file{'s' if len(written) > 1 else ''}")
