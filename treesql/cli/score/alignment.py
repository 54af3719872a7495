"""treesql score alignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treesql import readers
from treesql.catalog.formats import listed
from treesql.cli._output import output_options, print_result, warn
from treesql.cli._reading import max_sentence_option, notation, notation_options
from treesql.cli._scoring import scoring_options

if TYPE_CHECKING:
    from treesql.evaluation.task import Task


@click.command()
@click.argument("gold")
@click.argument("systems", nargs=-1, required=True, metavar="SYSTEM...")
@click.option("--db", type=click.Path(), help="Take GOLD, SYSTEM and the texts as corpora of this database.")
@click.option(
    "--by", metavar="COLUMN", help="A row per group: sentence, source, target, or a column of gold sentences."
)
@click.option(
    "--where", metavar="SQL", help="Score only the links, gold ones too, that meet this condition on their columns."
)
@click.option("--source", metavar="TEXT", help="The source sentences: links outside of them are refused.")
@click.option("--target", metavar="TEXT", help="The target sentences: links outside of them are refused.")
@click.option("--gold-base", type=click.Choice(["0", "1"]), help="The base of GOLD, if different.")
@click.option("--gold-reverse", is_flag=True, help="In GOLD the target word comes first.")
@notation_options
@max_sentence_option
@click.option("--gold-from", "gold_form", metavar="FORMAT", help="Format of GOLD. [default: by ending, else pharaoh]")
@click.option(
    "--from",
    "source_form",
    metavar="FORMAT",
    help=f"Format of SYSTEM: {listed(readers.formats(), 'alignment')}. [default: by ending, else pharaoh]",
)
@scoring_options
@output_options
def command(form: str | None, out: str | None, signature: bool, by: str | None, ci: bool, **given: Any) -> None:
    """Score word alignments, a row per SYSTEM: precision, recall and alignment error rate (AER), and precision, recall
    and F1 on the sure links alone and on all possible links.

    GOLD and SYSTEM are files with the same sentences; - is standard input. --base, --reverse and --from apply to
    SYSTEM, --base also to GOLD if it has the same format. Sure and possible links of SYSTEM count the same.
    """
    from treesql.evaluation.evaluate import evaluate

    scored = replace(task(**given), by=by, ci=ci)
    print_result(evaluate(scored), form, out, signature=signature, turned_by=None if by else "system")


def task(
    gold: str, systems: Sequence[str], db: str | None, where: str | None, source: str | None, target: str | None,
    base: str | None, reverse: bool, null_links: bool, gold_base: str | None, gold_reverse: bool,
    source_form: str | None, gold_form: str | None,
) -> Task:  # fmt: skip
    """The task, for scoring and for comparing systems."""
    from treesql.evaluation.task import Alignments, Task

    of_systems = notation(base, reverse, null_links)
    of_gold = notation(gold_base, gold_reverse, null_links)
    return Task(
        ("agreement",), gold, systems, database=db, where=where, form=source_form, kind="alignment",
        alignments=Alignments(of_systems, of_gold, gold_form, source, target), warn=lambda one: warn([one]),
    )  # fmt: skip
