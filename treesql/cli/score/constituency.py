"""treesql score constituency."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._output import destination, output_options, print_result, warn
from treesql.cli._reading import reading_options
from treesql.cli.score._trees import tree_options
from treesql.errors import UsageError

MORE = {"ted": "constituent_tree_edit", "sentences": "complete_match"}
"""What --metrics can add."""


@click.command()
@click.argument("gold")
@click.argument("systems", nargs=-1, required=True, metavar="TEST...")
@tree_options
@click.option(
    "--parameters",
    "rules",
    metavar="FILE.prm",
    help="EVALB's parameter file, or COLLINS or new for those of this name.  [default: COLLINS]",
)
@click.option(
    "--punctuation",
    type=click.Choice(["keep", "drop"]),
    help="Whether the distances are of trees with the words that the parameters delete by their gold tags.  "
    "[default: keep]",
)
@click.option(
    "--metrics",
    "more",
    multiple=True,
    type=click.Choice(list(MORE)),
    help="Add tree edit distances (ted), or complete match, crossing and tagging (sentences); repeatable.",
)
@click.option(
    "--metric", metavar="NAME", multiple=True, help="A metric of the catalogue, in place of the usual ones; repeatable."
)
@click.option("--evalb", "as_evalb", is_flag=True, help="Print what EVALB prints, in its layout, of one TEST.")
@reading_options
@output_options
def command(
    gold: str, systems: tuple[str, ...], source_form: str | None, form: str | None, out: str | None, signature: bool,
    more: tuple[str, ...], metric: tuple[str, ...], as_evalb: bool, rooting: str | None, punctuation: str | None,
    **how: Any,
) -> None:  # fmt: skip
    """Score constituency trees, a row per TEST: the brackets that EVALB counts (matched, crossing, precision, recall,
    f1), and distances of the trees without labels: Robinson-Foulds (rfd, grfd) and quartets (qd, gqd).

    GOLD and TEST are files of bracketed trees in the same order; - is standard input. `(())` stands for a sentence that
    was not parsed.
    """
    from treesql import evalb
    from treesql.evaluation import CONSTITUENCY, Task, evaluate

    if metric and more:
        raise UsageError("--metrics adds to the usual scores, --metric replaces them; give one of them")
    if as_evalb and (metric or more or how["by"] or how["where"] or form or len(systems) > 1):
        raise UsageError("--evalb prints what EVALB prints, of one TEST; leave out what chooses other rows or columns")
    given = {"rooting": rooting, "punctuation": punctuation}
    parameters = {name: value for name, value in given.items() if value is not None}
    how["database"] = how.pop("db")
    task = Task(
        metric or (*CONSTITUENCY, *(MORE[name] for name in dict.fromkeys(more))), gold, systems, parameters,
        tables=["evalb_table"] * as_evalb, form=source_form, kind="constituency", warn=lambda one: warn([one]), **how,
    )  # fmt: skip
    if as_evalb:
        with destination(out, "table") as file:
            file.write(evalb.layout(evaluate(task).rows()).encode())
        return
    print_result(evaluate(task), form, out, signature=signature, turned_by=None if task.by else "system")
