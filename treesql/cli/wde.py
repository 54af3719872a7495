"""treesql wde."""

from __future__ import annotations

import sys
from typing import Any

import click

from treesql.cli._options import classes_option, corpora_option, limit_options, parameter_option, strictness_options
from treesql.cli._output import chart_option, format_of, output_options, print_picture, print_result

QUERY = "averaged_word_entropy"


@click.command()
@click.argument("treebanks", nargs=-1, required=True, metavar="TREEBANK...")
@parameter_option(QUERY, "forms", "What is counted: word forms, forms in lower case, or lemmas.", default="form")
@parameter_option(
    QUERY,
    "vocabulary",
    "Normalise the entropy by the number of distinct forms of the treebank, or of the relation.",
    default="treebank",
)
@parameter_option(
    QUERY, "absent", "Value of a treebank without the relation in the average: 0.5, or none.", default="half"
)
@click.option("--long", "long", is_flag=True, help="A row per treebank and relation, without the average.")
@chart_option("Draw the averages as a bar chart, also with --long")
@corpora_option
@classes_option
@strictness_options
@limit_options
@output_options
def command(
    treebanks: tuple[str, ...],
    corpora: tuple[str, ...],
    chart: str | None,
    form: str | None,
    out: str | None,
    **how: Any,
) -> None:
    """Print word dependency entropy: how evenly the words of a relation are spread over forms, averaged over treebanks.

    Function relations have low values, content relations high ones. A TREEBANK is a file, or a folder whose
    files are one treebank, or a .duckdb file with several.
    """
    import treesql

    found = treesql.wde(*treebanks, corpus=corpora or None, **how)
    if chart:
        print_picture(found.svg(), chart)
    if how["long"] or format_of(form, out) != "table":
        print_result(found, form, out)
    elif out is None and sys.stdout.isatty():
        click.echo(found.coloured_bars())
    else:
        print_result(found.with_bars(), form, out)
