"""treesql score parallel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treesql import readers
from treesql.catalog.formats import listed
from treesql.cli._output import output_options, print_result, warn
from treesql.cli._reading import max_sentence_option, notation, notation_options
from treesql.cli._scoring import scoring_options

if TYPE_CHECKING:
    from treesql.evaluation.parallel_treebanks import ParallelTask
    from treesql.significance.comparison import Comparison
    from treesql.significance.tests import Method


@click.command()
@click.argument("gold_a")
@click.argument("system_a")
@click.argument("gold_b")
@click.argument("system_b")
@click.argument("gold_links")
@click.argument("system_links")
@click.option("--db", type=click.Path(), help="Take all six as corpora of this database.")
@click.option("--by", metavar="COLUMN", help="A row per group: sentence, or a column of the gold sentences of a.")
@click.option("--where", metavar="SQL", help="Score only the items that meet this condition on their columns.")
@click.option("--weight-a", type=float, default=1.0, show_default=True, help="Weight of uas_a in pts.")
@click.option("--weight-b", type=float, default=1.0, show_default=True, help="Weight of uas_b in pts.")
@click.option("--weight-links", type=float, default=1.0, show_default=True, help="Weight of 1 - aer in pts.")
@click.option(
    "--punctuation",
    type=click.Choice(["all", "form", "relation"]),
    default="form",
    show_default=True,
    help="Which words are scored: form leaves out words of punctuation characters alone, relation punct and PUNCT.",
)
@click.option("--gold-base", type=click.Choice(["0", "1"]), help="The base of GOLD_LINKS.")
@click.option("--gold-reverse", is_flag=True, help="In GOLD_LINKS the target word comes first.")
@notation_options
@max_sentence_option
@click.option("--gold-links-from", "gold_links_form", metavar="FORMAT", help="Format of GOLD_LINKS.")
@click.option(
    "--links-from",
    "links_form",
    metavar="FORMAT",
    help=f"Format of SYSTEM_LINKS: {listed(readers.formats(), 'alignment')}. [default: by ending, else pharaoh]",
)
@click.option(
    "--from",
    "source_form",
    metavar="FORMAT",
    help=f"Format of the trees: {listed(readers.formats(), 'dependency')}. [default: by ending]",
)
@click.option("--permissive", is_flag=True, help="Accept sentences whose heads form a cycle.")
@click.option("--strict", is_flag=True, help="Refuse sentences with several roots.")
@scoring_options
@output_options
def command(
    gold_a: str, system_a: str, gold_b: str, system_b: str, gold_links: str, system_links: str, form: str | None,
    out: str | None, signature: bool, by: str | None, ci: bool, **given: Any,
) -> None:  # fmt: skip
    """Score a parallel treebank: attachment of the trees of both sides, a and b (UAS), the links between their words
    (AER), and the parallel treebank score (PTS), the weighted mean of both UAS and 1 - AER.

    Trees and links correspond by the order of sentences; links are from words of a to words of b. --base and --reverse
    apply to SYSTEM_LINKS.
    """
    from treesql.evaluation.parallel_treebanks import evaluate

    system = (system_a, system_b, system_links)
    name = " + ".join(Path(part).name for part in system)
    scored = replace(task((gold_a, gold_b, gold_links), {name: system}, **given), by=by, ci=ci)
    print_result(evaluate(scored), form, out, signature=signature)


GOLDS = ("GOLD_A", "GOLD_B", "GOLD_LINKS")

FILES = ("SYSTEM_A", "SYSTEM_B", "SYSTEM_LINKS")


def task(
    gold: Sequence[str], systems: Mapping[str, Sequence[str]], db: str | None, where: str | None, weight_a: float,
    weight_b: float, weight_links: float, punctuation: str, base: str | None, reverse: bool, null_links: bool,
    gold_base: str | None, gold_reverse: bool, source_form: str | None, links_form: str | None,
    gold_links_form: str | None, permissive: bool, strict: bool,
) -> ParallelTask:  # fmt: skip
    """The task, for scoring and for comparing systems."""
    from treesql.evaluation.parallel_treebanks import ParallelTask, ParallelTreebank

    weights = {"weight_a": weight_a, "weight_b": weight_b, "weight_links": weight_links}
    return ParallelTask(
        ParallelTreebank(*gold), {name: ParallelTreebank(*files) for name, files in systems.items()},
        {**weights, "punctuation": punctuation}, db, where=where, form=source_form, links_form=links_form,
        gold_links_form=gold_links_form, notation=notation(base, reverse, null_links),
        gold_notation=notation(gold_base, gold_reverse, null_links), permissive=permissive, strict=strict,
        warn=lambda one: warn([one]),
    )  # fmt: skip


def compare(task: ParallelTask, metrics: Sequence[str], method: Method) -> Comparison:
    """Compare all pairs of systems."""
    from treesql.evaluation import parallel_treebanks

    return parallel_treebanks.compare(task, metrics, method)
