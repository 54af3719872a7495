"""treesql stats."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._options import classes_option, corpora_option, limit_options, parameter_option, strictness_options
from treesql.cli._output import output_options, print_result


@click.command()
@click.argument("treebanks", nargs=-1, required=True, metavar="TREEBANK...")
@click.option("--relations", is_flag=True, help="Print a row per treebank and relation instead.")
@click.option(
    "--table",
    metavar="NAME",
    help="Print another statistic instead: a check of consistency, consistency_checks for the number of cases of each, "
    "grammar_rules or subcategorisation_frames, gap_degrees or label_gaps.",
)
@parameter_option("variation_tags", "forms", "Of --table: what a word is, as written, in lower case or its lemma.")
@parameter_option("variation_tags", "tagset", "Of variation_tags: the column of the tags.")
@parameter_option(
    "variation_relations", "surroundings", "Of variation_relations: what the contexts of a pair have in common."
)
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Maximum number of rows.")
@click.option("--word-tags", metavar="EXPRESSION",
              help="Of subcategorisation_frames: words whose tag has a match.  [default: ^V]")  # fmt: skip
@corpora_option
@classes_option
@strictness_options
@limit_options
@output_options
def command(
    treebanks: tuple[str, ...], corpora: tuple[str, ...], form: str | None, out: str | None, **how: Any
) -> None:
    """Count treebanks: sizes, type/token ratio, shares of function and content relations, shapes of the trees.

    A TREEBANK is a file, or a folder whose files are one treebank, or a .duckdb file with several. A table that
    is too wide for the screen is transposed: a column per treebank.
    """
    import treesql

    result = treesql.stats(*treebanks, corpus=corpora or None, **how)
    print_result(result, form, out, turned_by=None if how["relations"] or how["table"] else "treebank")
