"""treesql wde."""

from __future__ import annotations

import sys
from typing import Any

import click

from treesql.cli._limits import limit_options
from treesql.cli._output import format_of, output_options, print_result, print_text
from treesql.cli._treebanks import classes_option, corpora_option, strictness_options


@click.command()
@click.argument("treebanks", nargs=-1, required=True, metavar="TREEBANK...")
@click.option(
    "--forms",
    type=click.Choice(["form", "lower", "lemma"]),
    default="form",
    show_default=True,
    help="What is counted: word forms, forms in lower case, or lemmas.",
)
@click.option(
    "--vocabulary",
    type=click.Choice(["treebank", "relation"]),
    default="treebank",
    show_default=True,
    help="Normalise the entropy by the number of distinct forms of the treebank, or of the relation.",
)
@click.option(
    "--absent",
    type=click.Choice(["half", "skip"]),
    default="half",
    show_default=True,
    help="Value of a treebank without the relation in the average: 0.5, or none.",
)
@click.option("--long", "long", is_flag=True, help="A row per treebank and relation, without the average.")
@click.option("--svg", metavar="FILE", help="Draw the averages as a bar chart, also with --long.")
@corpora_option
@classes_option
@strictness_options
@limit_options
@output_options
def command(
    treebanks: tuple[str, ...], corpora: tuple[str, ...], svg: str | None, form: str | None, out: str | None, **how: Any
) -> None:
    """Word dependency entropy: how evenly the words of a relation are distributed over forms, averaged over treebanks.

    Function relations have low values, content relations high ones. A TREEBANK is a file, or a folder whose CoNLL-U
    files are one treebank, or a .duckdb file with several.
    """
    import treesql

    found = treesql.wde(*treebanks, corpus=corpora or None, **how)
    if svg:
        print_text(found.svg(), svg)
    if how["long"] or format_of(form, out) != "table":
        print_result(found, form, out)
    elif out is None and sys.stdout.isatty():
        click.echo(found.coloured_bars())
    else:
        print_result(found.with_bars(), form, out)
