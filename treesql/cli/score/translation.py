"""treesql score translation."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._lattices import names, reference_option
from treesql.cli._output import output_options, print_result, warn


@click.command()
@click.argument("hypotheses", nargs=-1, required=True, metavar="HYPOTHESIS...")
@reference_option
@click.option("--db", "database", type=click.Path(), help="Take hypotheses and references as corpora of this database.")
@click.option("--by", metavar="COLUMN", help="A row per group: sentence, or a column of the items or the sentences.")
@click.option("--where", metavar="SQL", help="Score only the items that meet this condition on their columns.")
@click.option(
    "--metrics",
    "columns",
    metavar="NAMES",
    callback=names,
    help="Columns, or metrics of the catalogue, to show instead of the usual, separated by commas.",
)
@click.option("--signature", is_flag=True, help="Print what each number was computed from.")
@click.option("--from", "source_form", metavar="FORMAT", help="Format of the files.  [default: by ending, else text]")
@output_options
def command(
    hypotheses: tuple[str, ...], references: tuple[str, ...], source_form: str | None, form: str | None,
    out: str | None, signature: bool, **how: Any,
) -> None:  # fmt: skip
    """Score translations against references, a row per file: word error rate (WER), position-independent error rate
    (PER), BLEU and its n-gram precisions.

    Files have a sentence a line, words between blanks, which are taken as they stand; - is standard input. Of several
    references error rates take the nearest of each sentence, BLEU all.
    """
    from treesql.readers import TEXT
    from treesql.translation import Task, evaluate

    task = Task(TEXT, hypotheses, references, form=source_form, warn=lambda one: warn([one]), **how)
    print_result(evaluate(task), form, out, signature=signature, turned_by=None if task.by else "system")
