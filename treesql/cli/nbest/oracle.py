"""treesql nbest oracle."""

from __future__ import annotations

from typing import Any

import click

import treesql
from treesql.cli._options import listed, max_sentence_option, parameter_option, reference_option
from treesql.cli._output import output_options, print_result


@click.command()
@click.argument("lists")
@reference_option
@click.option("--db", type=click.Path(), help="Take LISTS and references as corpora of this database.")
@parameter_option("compared_hypotheses", "measure", "By what hypotheses are chosen and scored.", default="wer")
@click.option(
    "--n", default="1,2,5,10", show_default=True, metavar="NUMBERS", help="Numbers of hypotheses, a row each."
)
@click.option(
    "--weights",
    default="",
    metavar="NAME=WEIGHT,...",
    help="Sort lists by the sum of these features, or `score`, the largest first; or a weight for each feature.  "
    "[default: the order of the file]",
)
@parameter_option("compared_hypotheses", "lowercase", "Whether texts are compared in lower case.", default="no")
@parameter_option("compared_hypotheses", "punctuation", "Whether punctuation is compared.", default="keep")
@parameter_option("compared_hypotheses", "unicode_form", "The Unicode form of texts.", default="given")
@parameter_option("compared_hypotheses", "tokenize", "BLEU: how words are found.", default="none")
@click.option(
    "--from",
    "source_form",
    metavar="FORMAT",
    help=f"Format of the lists: {listed('nbest')}. [default: nbest]",
)
@max_sentence_option
@output_options
def command(lists: str, source_form: str | None, form: str | None, out: str | None, **how: Any) -> None:
    """Print how good n-best LISTS are: a row per number n, with the score of the best of the first n hypotheses of
    every list, and that of the first hypotheses beside it.

    LISTS are those of Moses, Kaldi, or JSON lines. Lists and references correspond by their ids if both have some, else
    by their order.
    """
    print_result(treesql.nbest.oracle(lists, format=source_form, **how), form, out)
