"""treesql export."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._options import completing, listed


@click.command()
@click.argument("db", type=click.Path())
@click.argument("out", type=click.Path())
@click.option(
    "--corpus",
    metavar="NAME",
    shell_complete=completing("corpora"),
    help="The corpus to write. [default: all, for Parquet]",
)
@click.option(
    "--to",
    "target",
    metavar="FORMAT",
    help=f"{listed(written=True)}. [default: by the ending of OUT, else parquet]",
)
@click.option(
    "--leaves",
    type=click.Choice(["form", "position", "numbered"]),
    default="form",
    show_default=True,
    help="Names of leaves in Newick: words, their positions 1, 2, ..., or both, as the-1.",
)
@click.option(
    "--delete-traces", is_flag=True, help="Penn, Newick: without traces and phrases that have no other words."
)
@click.option(
    "--collapse-unary",
    is_flag=True,
    help="Newick: join phrases of one child with it, as S+VP; leave out phrases of one word.",
)
@click.option(
    "--head-rules",
    metavar="NAME",
    help="CoNLL-U of constituency trees: the set of head rules. [default: negra where edges have labels, else collins]",
)
def command(db: str, out: str, corpus: str | None, target: str | None, **trees: Any) -> None:
    """Write the database DB as a Parquet data set to the folder OUT, or one of its corpora as a file.

    The Parquet files are in OUT/TABLE/NAME, by blocks of 32,768 sentences. The folder is itself a database,
    which every command reads in place; `treesql load` copies it into another one. CoNLL-U is written byte for byte
    as it was read (compressed files uncompressed), constituency trees as Penn brackets, discbracket or Newick with a
    tree per line, as NEGRA's export format or TIGER-XML, alignments with words counted from 0 (Pharaoh) or from 1
    (WPT), and lattices as PLF, OpenFst text or JSON lines: to the file OUT, or to the folder OUT under the original
    file names. OUT is written whole or not at all.

    CoNLL-U of constituency trees has the dependencies that head rules make of them, without traces: the head word of
    every child of a phrase depends on the head word of the phrase, by the function of the child (`dep` without one).

    `treesql score newick` compares trees that `--to newick --leaves numbered --delete-traces --collapse-unary` writes.
    """
    import treesql

    with treesql.connect(db, read_only=True) as database:
        written = database.export(out, corpus=corpus, to=target, **trees)
    click.echo(f"{out}: {len(written)} file{'s' if len(written) > 1 else ''}")
