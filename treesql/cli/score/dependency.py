"""treesql score dependency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treesql.cli._output import output_options, print_result, warn
from treesql.cli._reading import reading_options
from treesql.cli._scoring import scoring_options
from treesql.errors import UsageError

if TYPE_CHECKING:
    from treesql.evaluation.task import Task


@click.command()
@click.argument("gold")
@click.argument("systems", nargs=-1, required=True, metavar="SYSTEM...")
@click.option("--db", type=click.Path(), help="Take GOLD and SYSTEM as corpora of this database.")
@click.option(
    "--by",
    metavar="COLUMN",
    help="A row per group: sentence, a column of items, gold words or sentences, or a morphological feature (Number).",
)
@click.option("--where", metavar="SQL", help="Score only the items that meet this condition on their columns.")
@click.option(
    "--match",
    type=click.Choice(["order", "sent_id"]),
    help="How sentences correspond.  [default: order]",
)
@click.option(
    "--punctuation",
    type=click.Choice(["all", "form", "relation"]),
    help="Which words are scored: form leaves out words of punctuation characters alone, relation punct and PUNCT.  "
    "[default: all]",
)
@click.option(
    "--relations",
    type=click.Choice(["universal", "full"]),
    help="Compare relations up to the first colon, or whole.  [default: universal]",
)
@click.option(
    "--weights",
    metavar="X",
    multiple=True,
    help="Weights of relations in wlas: a table (relation,weight), or treebanks with averaged WDE as weights.  "
    "[default: the WDE of GOLD]",
)
@click.option("--classes", metavar="FILE", help="CSV with relation,class: which are function, content or other.")
@click.option(
    "--metric",
    metavar="NAME",
    multiple=True,
    help="A metric to score instead of the default ones; repeatable.",
)
@click.option("--conll18", is_flag=True, help="Print the rows of the CoNLL 2018 shared task's scorer instead.")
@click.option("--enhanced", is_flag=True, help="Also score enhanced dependencies: ELAS and EULAS.")
@click.option(
    "--table",
    metavar="NAME",
    help="Print a table instead: relation_agreement, relation_confusions, upos_accuracy, head_directions, "
    "head_distances, error_words, error_contexts or frame_confusions.",
)
@click.option(
    "--errors",
    is_flag=True,
    help="List the words with errors instead, by the number of errors of the sentence, descending.",
)
@scoring_options
@reading_options("dependency")
@output_options
def command(
    form: str | None, out: str | None, signature: bool, conll18: bool, enhanced: bool, table: str | None, errors: bool,
    metric: tuple[str, ...], by: str | None, ci: bool, **given: Any,
) -> None:  # fmt: skip
    """Score dependency trees, a row per SYSTEM: attachment (UAS, LAS, LA), exact match, content and function relations,
    weighted attachment (WLAS).

    GOLD and SYSTEM are files with the same text; - is standard input. If their words or sentences differ, words are
    aligned by their characters, as by the scorer of the CoNLL 2018 shared task, and scores are F1.
    """
    from treesql.evaluation.evaluate import evaluate

    if conll18 + errors + (table is not None) + bool(metric) > 1:
        raise UsageError("--conll18, --table, --errors and --metric each choose the output; give one of them")
    if enhanced and (errors or table or metric):
        raise UsageError("--enhanced is for the default scores and for --conll18")
    usual = task(**given)
    metrics = metric or (*usual.metrics, *["enhanced_attachment"] * enhanced)
    tables = [table] if table else ["conll18"] * conll18 + ["iwpt20"] * (conll18 and enhanced)
    tables += ["attachment_errors"] * errors
    scored = replace(usual, metrics=metrics, tables=tables, by=by, ci=ci)
    one_row_each = not (by or tables)
    print_result(evaluate(scored), form, out, signature=signature, turned_by="system" if one_row_each else None)


def task(
    gold: str, systems: Sequence[str], db: str | None, where: str | None, match: str | None, punctuation: str | None,
    relations: str | None, weights: Sequence[str], classes: str | None, source_form: str | None, permissive: bool,
    strict: bool,
) -> Task:  # fmt: skip
    """The task, for scoring and for comparing systems."""
    from treesql.evaluation.task import DEPENDENCY, Task

    given = {"match": match, "punctuation": punctuation, "relations": relations}
    parameters = {name: value for name, value in given.items() if value is not None}
    return Task(
        DEPENDENCY, gold, systems, parameters, db, where=where, weights=weights, classes=classes, form=source_form,
        permissive=permissive, strict=strict, warn=lambda one: warn([one]),
    )  # fmt: skip
