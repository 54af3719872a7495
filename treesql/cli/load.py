"""treesql load."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treesql.cli._output import counted, progress_bar, warn
from treesql.cli._reading import ids_option, label_options, notation, notation_options, reading_options, scores_option

if TYPE_CHECKING:
    from treesql.storage.loading import Loaded


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
def command(
    db: str, files: tuple[str, ...], corpus: str | None, treebank: str | None, language: str | None, replace: bool,
    source_form: str | None, permissive: bool, strict: bool, base: str | None, reverse: bool, null_links: bool,
    source_corpus: str | None, target_corpus: str | None, phrases: bool, symbols: str | None, scores: str | None,
    ids: str | None,
) -> None:  # fmt: skip
    """Load FILES as one corpus into the database DB, which is created if it does not exist.

    FILES are files (.gz too), patterns, folders, or - for standard input; or a folder written by `treesql export`. The
    corpus is loaded whole or not at all.
    """
    from treesql.engines.duckdb_files import open_or_make
    from treesql.readers import Options
    from treesql.storage import loading

    how = notation(base, reverse, null_links, source_corpus=source_corpus, target_corpus=target_corpus)
    loads = loading.plan_loads(files, corpus, source_form, treebank, language, notation=how)
    paths = [path for one in loads for path in one.files]
    with open_or_make(db) as engine, progress_bar("loading", paths) as progress:
        options = Options(permissive, strict, phrases=phrases, symbols=symbols, scores=scores, ids=ids)
        loaded = loading.load(engine, loads, options, replace=replace, progress=progress)
    for one in loaded:
        warn(one.warnings)
        click.echo(f"{one.corpus}: {_size(one)}")


def _size(one: Loaded) -> str:
    """The size of a loaded corpus in words."""
    if one.n_edges is not None:
        return f"{counted(one.n_sentences, 'lattice')}, {counted(one.n_edges, 'edge')}"
    parts = counted(one.n_words, "word") if one.n_links is None else counted(one.n_links, "link")
    return f"{counted(one.n_sentences, 'sentence')}, {parts}"
