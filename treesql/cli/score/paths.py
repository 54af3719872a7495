"""treesql score paths."""

from __future__ import annotations

import shutil
from typing import Any

import click

from treesql.cli._output import format_of, output_options, print_result, warn
from treesql.cli._reading import acyclic_reading_options, base_option
from treesql.errors import UsageError


@click.command()
@click.argument("reference")
@click.argument("hypothesis")
@click.argument("alignment")
@click.option("--db", type=click.Path(), help="Take all three as corpora of this database.")
@click.option(
    "--by", metavar="COLUMN", help="A row per group: sentence, or a column of the paths or the reference's sentences."
)
@click.option("--where", metavar="SQL", help="Score only the paths that meet this condition on their columns.")
@click.option(
    "--explain",
    metavar="SENTENCE",
    help="Draw both trees of a sentence with their links, and list the paths that cost, whose edges have a `!`. "
    "SENTENCE is its sent_id, or its number counted from 0.",
)
@click.option("--errors", is_flag=True, help="List the paths of all sentences that cost instead, the dearest first.")
@click.option("--signature", is_flag=True, help="Print what each number was computed from.")
@click.option(
    "--alignment-from",
    "alignment_form",
    metavar="FORMAT",
    help="Format of ALIGNMENT: pharaoh, talp, wpt or giza.  [default: by ending, else pharaoh]",
)
@base_option
@click.option("--reverse", is_flag=True, help="ALIGNMENT: the hypothesis word stands first.")
@acyclic_reading_options
@output_options
def command(
    form: str | None, out: str | None, source_form: str | None, signature: bool, explain: str | None, errors: bool,
    base: str | None, reverse: bool, db: str | None, **how: Any,
) -> None:  # fmt: skip
    """Score how far the places of aligned words differ between the dependency trees of HYPOTHESIS and REFERENCE.

    ALIGNMENT links words of the reference and of the hypothesis, many to many: `0-0 1-2`, a line for every sentence.
    All are files; - is standard input. distance is the share of what could differ between the paths of the trees that
    does, over the spanning tree of links that differs least; coverage tells how much of the trees is aligned.
    """
    from treesql.readers import Notation
    from treesql.translations import PATHS, Task, costly_paths, evaluate
    from treesql.translations import explain as explained

    if (errors or explain is not None) and (how["by"] or how["where"] or signature):
        raise UsageError("--by, --where and --signature are for scores; --errors and --explain list paths")
    if errors and explain is not None:
        raise UsageError("--errors lists the paths of all sentences, --explain those of one; give one of them")
    notation = Notation(None if base is None else int(base), reverse)
    task = Task(PATHS, database=db, form=source_form, notation=notation, warn=lambda one: warn([one]), **how)
    if errors:
        print_result(costly_paths(task), form, out)
        return
    if explain is None:
        turned_by = None if task.by else "system"
        print_result(evaluate(task), form, out, signature=signature, turned_by=turned_by)
        return
    found = explained(task, explain, shutil.get_terminal_size().columns)
    if out is None and format_of(form, out) == "table":
        click.echo(found.drawing)
    print_result(found.paths, form, out)
