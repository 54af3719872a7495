"""treesql score newick."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._output import output_options, print_result, warn
from treesql.cli._reading import reading_options
from treesql.cli.score._trees import tree_options


@click.command()
@click.argument("gold")
@click.argument("systems", nargs=-1, required=True, metavar="TEST...")
@tree_options
@click.option("--common", is_flag=True, help="Compare trees on the leaves that both have.")
@click.option(
    "--metric", metavar="NAME", multiple=True, help="A metric of the catalogue, in place of the usual ones; repeatable."
)
@reading_options
@output_options
def command(
    gold: str, systems: tuple[str, ...], source_form: str | None, form: str | None, out: str | None, signature: bool,
    metric: tuple[str, ...], common: bool, rooting: str | None, **how: Any,
) -> None:  # fmt: skip
    """Score trees whose leaves have names, a row per TEST: Robinson-Foulds (rfd, grfd) and quartet distances (qd, gqd).

    GOLD and TEST are Newick files with as many trees, the first compared with the first; - is standard input. Leaves
    correspond by name; trees with different leaves count as errors.
    """
    from treesql.evaluation import NEWICK, Task, evaluate

    parameters = {"leaves": "common" if common else "name"} | ({"rooting": rooting} if rooting else {})
    how["database"] = how.pop("db")
    task = Task(
        metric or NEWICK, gold, systems, parameters,
        form=source_form or (None if how["database"] else "newick"), kind="constituency", warn=lambda one: warn([one]),
        **how,
    )  # fmt: skip
    print_result(evaluate(task), form, out, signature=signature, turned_by=None if task.by else "system")
