"""treesql score trees."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._output import output_options, print_result, warn
from treesql.cli._reading import acyclic_reading_options, base_option
from treesql.errors import UsageError


@click.command()
@click.argument("reference", metavar="A")
@click.argument("hypothesis", metavar="B")
@click.option("--db", type=click.Path(), help="Take A, B and the alignment as corpora of this database.")
@click.option(
    "--costs",
    type=click.Choice(["structure", "deprel", "aligned", "aligned_strict"]),
    default="deprel",
    show_default=True,
    help="What it costs to make one word another: structure nothing, deprel 1 if relations differ, aligned 1 and "
    "aligned_strict 2 if they are not aligned.",
)
@click.option("--alignment", metavar="FILE", help="The alignment of words of A and of B, for costs that need it.")
@click.option("--by", metavar="COLUMN", help="A row per group: sentence, or a column of the sentences of A.")
@click.option("--signature", is_flag=True, help="Print what each number was computed from.")
@click.option(
    "--alignment-from",
    "alignment_form",
    metavar="FORMAT",
    help="Format of the alignment: pharaoh, talp, wpt or giza.  [default: by ending, else pharaoh]",
)
@base_option
@click.option("--reverse", is_flag=True, help="Alignment: the word of B stands first.")
@acyclic_reading_options
@output_options
def command(
    form: str | None, out: str | None, source_form: str | None, signature: bool, costs: str, alignment: str | None,
    base: str | None, reverse: bool, db: str | None, **how: Any,
) -> None:  # fmt: skip
    """Score the edit distance of the dependency trees of A and B: words to insert, delete or rename, in order.

    A and B are files with the same number of sentences; - is standard input. tree_edit is a number of operations,
    tree_edit_normalised divides it by the number of words of both trees.
    """
    from treesql.readers import Notation
    from treesql.translations import Task, evaluate, tree_edit

    if alignment is None and (base is not None or reverse or how["alignment_form"]):
        raise UsageError("--base, --reverse and --alignment-from tell how --alignment is written; name that, too")
    metric, parameters = tree_edit(costs, alignment)
    notation = Notation(None if base is None else int(base), reverse)
    task = Task(
        [metric], alignment=alignment, parameters=parameters, database=db, form=source_form, notation=notation,
        warn=lambda one: warn([one]), **how,
    )  # fmt: skip
    print_result(evaluate(task), form, out, signature=signature)
