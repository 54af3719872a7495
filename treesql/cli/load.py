"""treesql load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treesql.cli._options import (
    check_engine,
    connect_to_spark,
    engine_options,
    ids_option,
    label_options,
    notation_options,
    reading_options,
    scores_option,
)
from treesql.cli._output import bytes_bar, counted

if TYPE_CHECKING:
    from treesql import Loaded, LoadedCorpora


@click.command()
@click.argument("db", type=click.Path())
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--corpus", metavar="NAME", help="Name of one corpus of all the files. [default: a corpus per file, named after it]"
)
@click.option(
    "--each", type=click.Choice(["file", "folder"]), help="Without --corpus: what becomes a corpus. [default: file]"
)
@click.option("--treebank", help="The treebank it belongs to. [default, without --corpus: as UD names its folder]")
@click.option("--language", help="Its language. [default, without --corpus: as UD names its folder]")
@click.option("--replace", is_flag=True, help="Replace corpora of these names.")
@click.option("--source-corpus", metavar="NAME", help="Alignments: the loaded corpus of the source words.")
@click.option("--target-corpus", metavar="NAME", help="Alignments: the loaded corpus of the target words.")
@notation_options
@label_options
@ids_option
@scores_option
@reading_options()
@engine_options
def command(
    db: str, paths: tuple[str, ...], source_form: str | None, engine: str, master: str | None, **how: Any
) -> None:
    """Load each file of PATH... as a corpus into the database DB, which is created if it does not exist.

    DB is a DuckDB file, or a folder of Parquet: an existing one, or a name that ends in /. Every command takes either.

    PATHs are files, compressed or not, folders, patterns such as 'UD_*/*-dev.conllu', or - for standard input, which
    needs --corpus; or a folder written by `treesql export`. Without --corpus, a corpus is called as its file is,
    without the ending, and with the folder in front where names are equal. A corpus is loaded whole or not at all;
    those that cannot be loaded are listed at the end, with exit code 2. With --engine spark, which reads the files of
    a folder's corpora in parallel, all corpora are loaded or none.
    """
    import treesql

    try:
        with bytes_bar("loading") as progress:
            if check_engine(engine, master):
                with connect_to_spark(db, master, existing=False) as database:
                    loaded = database.load(*paths, format=source_form, progress=progress, **how)
            else:
                loaded = treesql.load(db, *paths, format=source_form, progress=progress, **how)
    except treesql.InvalidCorpora as error:
        _print(error.loaded)
        raise
    _print(loaded)


def _print(loaded: LoadedCorpora) -> None:
    """Print a line for every corpus, and how many files were left out."""
    for one in loaded:
        click.echo(f"{one.corpus}: {_size(one)}")
    if loaded.left_out:
        click.echo(f"left out: {counted(loaded.left_out, 'file')} of other endings", err=True)


def _size(one: Loaded) -> str:
    """The size of a loaded corpus in words."""
    if one.n_edges is not None:
        return f"{counted(one.n_sentences, 'lattice')}, {counted(one.n_edges, 'edge')}"
    if one.n_hypotheses is not None:
        noun = "hypothesis" if one.n_hypotheses == 1 else "hypotheses"
        return f"{counted(one.n_sentences, 'list')}, {one.n_hypotheses:,} {noun}"
    parts = counted(one.n_words, "word") if one.n_links is None else counted(one.n_links, "link")
    return f"{counted(one.n_sentences, 'sentence')}, {parts}"
