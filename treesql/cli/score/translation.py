"""treesql score translation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treesql.cli._lattices import names, reference_option
from treesql.cli._output import output_options, print_result, warn
from treesql.cli._reading import max_sentence_option
from treesql.cli._scoring import scoring_options

if TYPE_CHECKING:
    from treesql.evaluation.translation import TranslationTask
    from treesql.significance.comparison import Comparison
    from treesql.significance.tests import Method


@click.command()
@click.argument("hypotheses", nargs=-1, required=True, metavar="HYPOTHESIS...")
@reference_option
@click.option("--db", "database", type=click.Path(), help="Take hypotheses and references as corpora of this database.")
@click.option("--by", metavar="COLUMN", help="A row per group: sentence, or a column of the items or the sentences.")
@click.option("--where", metavar="SQL", help="Score only the items that meet this condition on their columns.")
@click.option(
    "--metrics",
    "columns",
    metavar="NAMES",
    callback=names,
    help="Columns, or metrics of the catalogue, to show instead of the default, separated by commas.",
)
@click.option("--from", "source_form", metavar="FORMAT", help="Format of the files.  [default: by ending, else text]")
@max_sentence_option
@scoring_options
@output_options
def command(
    hypotheses: tuple[str, ...], form: str | None, out: str | None, signature: bool, ci: bool, by: str | None,
    columns: tuple[str, ...], **given: Any,
) -> None:  # fmt: skip
    """Score translations against references, a row per file: word error rate (WER), position-independent error rate
    (PER), BLEU and its n-gram precisions.

    Files have a sentence per line, with words between blanks, which are not changed; - is standard input. With several
    references, error rates use the nearest one of each sentence, BLEU all.
    """
    from treesql.evaluation.translation import evaluate

    scored = replace(task(hypotheses, **given), columns=columns, by=by, ci=ci)
    print_result(evaluate(scored), form, out, signature=signature, turned_by=None if by else "system")


GOLDS = ()
"""References are named by an option."""

FILES = ("HYPOTHESIS",)


def task(
    systems: Sequence[str], references: Sequence[str], database: str | None, where: str | None, source_form: str | None,
    ids: str | None,
) -> TranslationTask:  # fmt: skip
    """The task, for scoring and for comparing systems."""
    from treesql.evaluation.translation import TranslationTask
    from treesql.readers import TEXT

    return TranslationTask(
        TEXT, systems, references, database=database, where=where, form=source_form, ids=ids,
        warn=lambda one: warn([one]),
    )  # fmt: skip


def compare(task: TranslationTask, metrics: Sequence[str], method: Method) -> Comparison:
    """Compare all pairs of systems."""
    from treesql.evaluation import translation

    return translation.compare(task, metrics, method)
