"""treesql wde."""

from __future__ import annotations

import sys
from typing import Any

import click

from treesql.cli._limits import limit_options
from treesql.cli._output import destination, format_of, output_options, print_result, warn
from treesql.cli._treebanks import classes_option, corpora_option, strictness_options
from treesql.errors import UsageError


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
    treebanks: tuple[str, ...], forms: str, vocabulary: str, absent: str, long: bool, svg: str | None,
    corpora: tuple[str, ...], classes: str | None, form: str | None, out: str | None, **how: Any,
) -> None:  # fmt: skip
    """Word dependency entropy: how evenly the words of a relation are distributed over forms, averaged over treebanks.

    Function relations have low values, content relations high ones. A TREEBANK is a file, or a folder whose CoNLL-U
    files are one treebank, or a .duckdb file with several.
    """
    from treesql.drawing import terminal
    from treesql.reports.typology import entropy_chart
    from treesql.scoring.relation_tables import CLASSES
    from treesql.scoring.statistics import run_statistic
    from treesql.scoring.treebank_inputs import open_treebanks
    from treesql.scoring.treebank_warnings import find_unclassified_relations

    if long and absent != "half":
        raise UsageError("--absent is for the average, which --long does not print")
    queries = ("averaged_word_entropy", "word_entropy", "unclassified_relations")
    with open_treebanks(
        treebanks, queries, warn=lambda one: warn([one]), classes_file=classes, corpora=corpora or None, **how
    ) as engine:
        warn(find_unclassified_relations(engine))
        parameters = {"forms": forms, "vocabulary": vocabulary}
        averaged = run_statistic(engine, "averaged_word_entropy", {"absent": absent, **parameters})
        result = run_statistic(engine, "word_entropy", parameters) if long else averaged
    if not len(result):
        raise UsageError(f"{', '.join(treebanks)}: no word has a relation; these entropies are of dependency trees")
    if svg:
        with destination(svg, "svg") as file:
            file.write(entropy_chart(averaged).encode())
    if long or format_of(form, out) != "table":
        print_result(result, form, out)
    elif out is None and sys.stdout.isatty():
        click.echo(terminal.with_coloured_bars(result, "wde", "class", CLASSES))
    else:
        print_result(terminal.with_bars(result, "wde", "class", CLASSES), form, out)
