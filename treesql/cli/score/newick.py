"""treesql score newick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treesql.cli._output import output_options, print_result, warn
from treesql.cli._reading import reading_options
from treesql.cli._scoring import scoring_options
from treesql.cli.score._trees import tree_options
from treesql.errors import UsageError

if TYPE_CHECKING:
    from treesql.evaluation.task import Task


@click.command()
@click.argument("gold")
@click.argument("systems", nargs=-1, required=True, metavar="SYSTEM...")
@tree_options
@click.option("--common", is_flag=True, help="Compare trees on the leaves that both have.")
@click.option(
    "--metric",
    metavar="NAME",
    multiple=True,
    help="A metric to score instead of the default ones; repeatable.",
)
@scoring_options
@reading_options("constituency")
@output_options
def command(
    form: str | None, out: str | None, signature: bool, metric: tuple[str, ...], by: str | None, ci: bool, **given: Any
) -> None:
    """Score trees whose leaves have names, a row per SYSTEM: Robinson-Foulds (rfd, grfd), quartet distances (qd, gqd).

    GOLD and SYSTEM are Newick files with the same number of trees in the same order; - is standard input. Leaves
    correspond by name; trees with different leaves count as errors.
    """
    from treesql.evaluation.evaluate import evaluate

    usual = task(**given)
    if not set(metric) <= set(usual.metrics):
        raise UsageError(f"trees over named leaves are scored by {', '.join(usual.metrics)}")
    scored = replace(usual, metrics=metric or usual.metrics, by=by, ci=ci)
    print_result(evaluate(scored), form, out, signature=signature, turned_by=None if by else "system")


def task(
    gold: str, systems: Sequence[str], db: str | None, where: str | None, rooting: str | None, common: bool,
    source_form: str | None, permissive: bool, strict: bool,
) -> Task:  # fmt: skip
    """The task, for scoring and for comparing systems."""
    from treesql.evaluation.task import NEWICK, Task

    parameters = {"leaves": "common" if common else "name"} | ({"rooting": rooting} if rooting else {})
    return Task(
        NEWICK, gold, systems, parameters, db, where=where, form=source_form or (None if db else "newick"),
        permissive=permissive, strict=strict, kind="constituency", options={"rooting": f"--{rooting}"},
        warn=lambda one: warn([one]),
    )  # fmt: skip
