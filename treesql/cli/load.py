"""treesql load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treesql.cli._output import bytes_bar, counted
from treesql.cli._reading import ids_option, label_options, notation_options, reading_options, scores_option

if TYPE_CHECKING:
    from treesql import Loaded


@click.command()
@click.argument("db", type=click.Path())
@click.argument("files", nargs=-1, required=True)
@click.option("--corpus", metavar="NAME", help="Name of the corpus. [default for a Parquet data set: its own names]")
@click.option("--treebank", help="The treebank it belongs to.")
@click.option("--language", help="Its language.")
@click.option("--replace", is_flag=True, help="Replace a corpus of this name.")
@click.option("--source-corpus", metavar="NAME", help="Alignments: the loaded corpus of the source words.")
@click.option("--target-corpus", metavar="NAME", help="Alignments: the loaded corpus of the target words.")
@notation_options
@label_options
@ids_option
@scores_option
@reading_options()
def command(db: str, files: tuple[str, ...], source_form: str | None, **how: Any) -> None:
    """Load FILES as one corpus into the database DB, which is created if it does not exist.

    FILES are files (.gz too), patterns, folders, or - for standard input; or a folder written by `treesql export`. The
    corpus is loaded whole or not at all.
    """
    import treesql

    with bytes_bar("loading") as progress:
        loaded = treesql.load(db, *files, format=source_form, progress=progress, **how)
    for one in loaded:
        click.echo(f"{one.corpus}: {_size(one)}")


def _size(one: Loaded) -> str:
    """The size of a loaded corpus in words."""
    if one.n_edges is not None:
        return f"{counted(one.n_sentences, 'lattice')}, {counted(one.n_edges, 'edge')}"
    parts = counted(one.n_words, "word") if one.n_links is None else counted(one.n_links, "link")
    return f"{counted(one.n_sentences, 'sentence')}, {parts}"
