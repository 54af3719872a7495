"""What is done with files and databases as a whole: treesql load, drop, export, info, check."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import click

from treesql.cli import Command
from treesql.cli._options import (
    bytes_bar,
    check_engine,
    completing,
    connect_to_spark,
    engine_options,
    ids_option,
    label_options,
    listed,
    notation_options,
    output_options,
    print_result,
    reading_options,
    scores_option,
)
from treesql.errors import FAULTS_SHOWN, TreesqlWarning, list_faults
from treesql.results.pages import counted

if TYPE_CHECKING:
    from treesql import Loaded, LoadedCorpora


@click.command(
    cls=Command,
    examples=[
        "examples.duckdb fixtures/gold.conllu fixtures/parser-a.conllu",
        "examples.duckdb fixtures/gold.conllu --corpus news --language en",
    ],
)
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
def load_command(
    db: str, paths: tuple[str, ...], source_form: str | None, engine: str, master: str | None, **options: Any
) -> None:
    """Load files or folders as corpora into the database DB. Each file is one; DB is created if it does not exist.

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
                    loaded = database.load(*paths, format=source_form, progress=progress, **options)
            else:
                loaded = treesql.load(db, *paths, format=source_form, progress=progress, **options)
    except treesql.InvalidCorpora as error:
        _print(error.loaded)
        raise
    _print(loaded)


def _print(loaded: LoadedCorpora) -> None:
    """Print a line for every corpus, and how many files were left out."""
    for corpus in loaded:
        click.echo(f"{corpus.corpus}: {_size(corpus)}")
    if loaded.left_out:
        click.echo(f"left out: {counted(loaded.left_out, 'file')} of other endings", err=True)


def _size(corpus: Loaded) -> str:
    """The size of a loaded corpus in words."""
    if corpus.n_edges is not None:
        return f"{counted(corpus.n_sentences, 'lattice')}, {counted(corpus.n_edges, 'edge')}"
    if corpus.n_hypotheses is not None:
        noun = "hypothesis" if corpus.n_hypotheses == 1 else "hypotheses"
        return f"{counted(corpus.n_sentences, 'list')}, {corpus.n_hypotheses:,} {noun}"
    parts = counted(corpus.n_words, "word") if corpus.n_links is None else counted(corpus.n_links, "link")
    return f"{counted(corpus.n_sentences, 'sentence')}, {parts}"


@click.command(cls=Command, examples=["examples.duckdb parser-a", "examples.duckdb news"])
@click.argument("db", type=click.Path())
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True, shell_complete=completing("corpora"))
def drop_command(db: str, corpora: tuple[str, ...]) -> None:
    """Remove every CORPUS from the database DB, or none.

    In a folder of Parquet also those with parts that are damaged or missing. Corpora that share a damaged part with
    others are removed together with them.
    """
    import treesql

    treesql.drop(db, *corpora)
    for corpus in dict.fromkeys(corpora):
        click.echo(f"{corpus}: dropped")


@click.command(cls=Command, examples=["examples.duckdb parquet", "examples.duckdb gold.conllu --corpus gold"])
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
def export_command(db: str, out: str, corpus: str | None, target: str | None, **trees: Any) -> None:
    """Write the database DB as Parquet, or a corpus of it as a file. OUT is the folder of the data set, or the file.

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


@click.command(cls=Command, examples=["examples.duckdb", "examples.duckdb --format markdown"])
@click.argument("db", type=click.Path())
@output_options
def info_command(db: str, form: str | None, out: str | None) -> None:
    """List the corpora of the database DB: sizes, files, origin."""
    import treesql

    with treesql.connect(db, read_only=True) as database:
        print_result(database.info(), form, out)


@click.command(cls=Command, examples=["fixtures/gold.conllu", "fixtures/gold.mrg"])
@click.argument("files", nargs=-1, required=True)
@notation_options
@label_options
@ids_option
@click.option(
    "--max-errors",
    type=click.IntRange(min=1),
    default=FAULTS_SHOWN,
    show_default=True,
    metavar="N",
    help="Maximum number of errors of a file that are listed.",
)
@click.option("--warnings-as-errors", is_flag=True, help="Exit with 1 if there are warnings, too.")
@reading_options()
def check_command(files: tuple[str, ...], source_form: str | None, warnings_as_errors: bool, **options: Any) -> None:
    """Read FILES without loading them; exit with 1 if any has errors.

    In a folder of Parquet, every part that is not as it was written is an error.

    A file that cannot be read, or whose format is not recognised, is an error of the file; exit code 2 is for bad
    usage, such as files that do not exist.
    """
    import treesql

    with bytes_bar("checking") as progress:
        checked = treesql.check(*files, format=source_form, progress=progress, **options)
    if checked.faults:
        lines = list_faults(checked.faults, checked.max_errors, "fix these first, or list more with --max-errors N")
        click.echo("\n".join([checked.summary, *lines]), err=True)
        sys.exit(1)
    for warning in checked.warnings:
        warnings.warn(str(warning), TreesqlWarning, stacklevel=1)
    click.echo(checked.summary)
    sys.exit(bool(checked.warnings and warnings_as_errors))
