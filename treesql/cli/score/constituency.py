"""treesql score constituency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treesql.cli._output import destination, output_options, print_result, warn
from treesql.cli._reading import reading_options
from treesql.cli._scoring import scoring_options
from treesql.cli.score._trees import tree_options
from treesql.errors import UsageError

if TYPE_CHECKING:
    from treesql.evaluation.task import Task

MORE = {"ted": "constituent_tree_edit", "sentences": "complete_match"}
"""Metrics by their names in --metrics."""


@click.command()
@click.argument("gold")
@click.argument("systems", nargs=-1, required=True, metavar="SYSTEM...")
@tree_options
@click.option(
    "--parameters",
    "rules",
    metavar="FILE.prm",
    help="A parameter file of EVALB, or COLLINS or new for the built-in ones.  [default: COLLINS]",
)
@click.option(
    "--punctuation",
    type=click.Choice(["keep", "drop"]),
    help="Keep or drop words in distances whose gold tags the parameters delete.  [default: keep]",
)
@click.option(
    "--metrics",
    "more",
    multiple=True,
    type=click.Choice(list(MORE)),
    help="Add tree edit distances (ted), or complete match, crossing and tagging (sentences); repeatable.",
)
@click.option(
    "--metric",
    metavar="NAME",
    multiple=True,
    help="A metric to score instead of the default ones; repeatable.",
)
@click.option("--evalb", "as_evalb", is_flag=True, help="Print the output of EVALB for one SYSTEM, in its layout.")
@scoring_options
@reading_options("constituency")
@output_options
def command(
    form: str | None, out: str | None, signature: bool, more: tuple[str, ...], metric: tuple[str, ...], as_evalb: bool,
    by: str | None, ci: bool, **given: Any,
) -> None:  # fmt: skip
    """Score constituency trees, a row per SYSTEM: the brackets that EVALB counts (matched, crossing, precision, recall,
    f1), and distances of the trees without labels: Robinson-Foulds (rfd, grfd) and quartets (qd, gqd).

    GOLD and SYSTEM are files of bracketed trees in the same order; - is standard input. `(())` is a sentence without a
    parse.
    """
    from treesql.evaluation.evaluate import evaluate
    from treesql.results import evalb_layout

    if metric and more:
        raise UsageError("--metrics adds to the default scores, --metric replaces them; give one of them")
    chosen = metric or more or by or ci or signature or given["where"] or form
    if as_evalb and (chosen or len(given["systems"]) > 1):
        raise UsageError(
            "--evalb prints the output of EVALB for one SYSTEM; leave out options that choose other rows or columns"
        )
    usual = task(**given)
    metrics = metric or (*usual.metrics, *(MORE[name] for name in dict.fromkeys(more)))
    scored = replace(usual, metrics=metrics, tables=["evalb_table"] * as_evalb, by=by, ci=ci)
    if as_evalb:
        with destination(out, "table") as file:
            file.write(evalb_layout.layout(evaluate(scored).rows()).encode())
        return
    print_result(evaluate(scored), form, out, signature=signature, turned_by=None if by else "system")


def task(
    gold: str, systems: Sequence[str], db: str | None, where: str | None, rooting: str | None, punctuation: str | None,
    rules: str | None, source_form: str | None, permissive: bool, strict: bool,
) -> Task:  # fmt: skip
    """The task, for scoring and for comparing systems."""
    from treesql.evaluation.task import CONSTITUENCY, Task

    chosen = {"rooting": rooting, "punctuation": punctuation}
    parameters = {name: value for name, value in chosen.items() if value is not None}
    return Task(
        CONSTITUENCY, gold, systems, parameters, db, where=where, rules=rules,
        form=source_form, permissive=permissive, strict=strict, kind="constituency",
        options={"rooting": f"--{rooting}", "punctuation": "--punctuation"}, warn=lambda one: warn([one]),
    )  # fmt: skip
