"""The options of commands that read files."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

import treesql
from treesql.cli._options import Command
from treesql.errors import UsageError


def listed(kind: str | None = None, *, written: bool = False) -> str:
    """The names of the formats that are read, or written; kind: of their corpora, None for any."""
    return ", ".join(one.name for one in treesql.formats(kind) if (one.written if written else one.read))


def read_standard_input(what: str) -> str:
    """The text on standard input. what: it is. Raises UsageError where it is not UTF-8."""
    try:
        text = sys.stdin.read()
        text.encode()  # also finds bytes that were read as half surrogate pairs
    except UnicodeError:
        raise UsageError(f"standard input is not UTF-8; give {what} as text") from None
    return text


base_option = click.option(
    "--base",
    type=click.Choice(["0", "1"]),
    callback=lambda context, option, value: None if value is None else int(value),
    help="Alignments: the number of a sentence's first word. [default: 0 for pharaoh, 1 for talp, wpt and giza]",
)


def _set_max_sentence(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """Set the maximum size of sentences while the command runs."""
    if value is not None:
        context.with_resource(treesql.max_sentence(value))


max_sentence_option = click.option(
    "--max-sentence",
    metavar="SIZE",
    expose_value=False,
    callback=_set_max_sentence,
    help="Files: the maximum size of a sentence, tree or lattice, which may have a word or edge per 16 bytes. "
    "[default: 16MB]",
)

null_links_option = click.option(
    "--null-links", is_flag=True, help="Alignments: keep links to the empty word, 0 in wpt, NULL in giza."
)


def notation_options(command: Command) -> Command:
    """`--base`, `--reverse` and `--null-links` of commands that read alignments."""
    reverse = click.option("--reverse", is_flag=True, help="Alignments: the target word comes first.")
    return base_option(reverse(null_links_option(command)))


scores_option = click.option(
    "--scores",
    type=click.Choice(["cost", "log-likelihood"]),
    callback=lambda context, option, value: value and value.replace("-", "_"),
    help="PLF, JSON lines, n-best lists: what the scores are.  [default: log-likelihood]",
)
"""Of commands that store or write lattices."""

ids_option = click.option(
    "--ids",
    type=click.Choice(["first", "last", "none"]),
    help="Plain text: the first or the last word of every line is its id; none: no ids, sentences of all files "
    "correspond by their order.",
)


def label_options(command: Command) -> Command:
    """`--phrases` and `--symbols` of commands that read lattices."""
    for option in (
        click.option(
            "--symbols",
            type=click.Path(),
            help="OpenFst, Kaldi: the table of symbols of the labels, such as words.txt.",
        ),
        click.option("--phrases", is_flag=True, help="PLF: a label with blanks is several words."),
    ):
        command = option(command)
    return command


def reading_options(kind: str | None = None) -> Callable[[Command], Command]:
    """`--from`, `--permissive`, `--strict` and `--max-sentence`. kind: of the corpora that are read, None: any."""
    permissive = click.option("--permissive", is_flag=True, help="Accept sentences whose heads form a cycle.")
    return lambda command: permissive(acyclic_reading_options(kind)(command))


def acyclic_reading_options(kind: str | None = None) -> Callable[[Command], Command]:
    """`--from`, `--strict` and `--max-sentence`, for commands that never accept cycles; kind: see reading_options."""
    options = (
        max_sentence_option,
        click.option(
            "--strict",
            is_flag=True,
            help="Refuse sentences with several roots, and blank lines among trees that have a line each.",
        ),
        click.option(
            "--from",
            "source_form",
            metavar="FORMAT",
            help=f"Format of the files: {listed(kind)}. [default: by ending]",
        ),
    )

    def add(command: Command) -> Command:
        for option in options:
            command = option(command)
        return command

    return add
