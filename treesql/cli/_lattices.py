"""The options of commands that read lattices and references."""

from __future__ import annotations

import click

from treesql.cli._options import Command
from treesql.cli._queries import parameter_option
from treesql.cli._reading import ids_option, label_options, listed, max_sentence_option


def reference_option(command: Command) -> Command:
    """`--reference`, repeatable, `--empty-references` and `--ids`."""
    text = "References: a sentence per line, or any file with words; repeatable."
    option = click.option("-r", "--reference", multiple=True, metavar="FILE", help=text)
    empty = parameter_option(
        "reference_sentences",
        "empty_references",
        "Missing: of several references of a sentence, those without words are none.  [default: count]",
    )
    return option(empty(ids_option(command)))


def lattice_options(command: Command) -> Command:
    """`--from`, `--phrases`, `--symbols` and `--max-sentence`."""
    form = click.option(
        "--from",
        "source_form",
        metavar="FORMAT",
        help=f"Format of the lattices: {listed('lattice')}. [default: by ending, else plf]",
    )
    return form(label_options(max_sentence_option(command)))


edge_weights_option = click.option(
    "--edge-weights",
    default="",
    metavar="NUMBERS",
    help="Weights of the scores of an edge, in the order of the file, separated by commas.  [default: -1 for costs, 1 "
    "for log-likelihoods]",
)


def names(context: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Names separated by commas."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())
