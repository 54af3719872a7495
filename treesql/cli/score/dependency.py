"""treesql score dependency."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._output import output_options, print_result, warn
from treesql.cli._reading import reading_options


@click.command()
@click.argument("gold")
@click.argument("systems", nargs=-1, required=True, metavar="SYSTEM...")
@click.option("--db", type=click.Path(), help="Take GOLD and SYSTEM as corpora of this database.")
@click.option(
    "--by", metavar="COLUMN", help="A row per group: sentence, or a column of items, gold words or sentences."
)
@click.option("--where", metavar="SQL", help="Score only the items that meet this condition on their columns.")
@click.option(
    "--match",
    type=click.Choice(["order", "sent_id"]),
    default="order",
    show_default=True,
    help="Which sentences correspond.",
)
@click.option(
    "--punctuation",
    type=click.Choice(["all", "form", "relation"]),
    default="all",
    show_default=True,
    help="Which words are scored: form leaves out words of punctuation characters alone, relation punct and PUNCT.",
)
@click.option(
    "--relations",
    type=click.Choice(["universal", "full"]),
    default="universal",
    show_default=True,
    help="Compare relations up to the first colon, or whole.",
)
@click.option("--signature", is_flag=True, help="Print what each number was computed from.")
@reading_options
@output_options
def command(
    gold: str, systems: tuple[str, ...], source_form: str | None, form: str | None, out: str | None, signature: bool,
    match: str, punctuation: str, relations: str, **how: Any,
) -> None:  # fmt: skip
    """Score dependency trees: attachment (UAS, LAS, LA) and exact match, a row per SYSTEM.

    GOLD and SYSTEM are files with the same sentences and words; - is standard input.
    """
    from treesql.evaluation import DEPENDENCY, Task, evaluate

    parameters = {"match": match, "punctuation": punctuation, "relations": relations}
    how["database"] = how.pop("db")
    task = Task(DEPENDENCY, gold, systems, parameters, form=source_form, warn=lambda one: warn([one]), **how)
    print_result(evaluate(task), form, out, signature=signature)
