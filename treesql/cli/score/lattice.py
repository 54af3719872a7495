"""treesql score lattice."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._lattices import lattice_options, names, reference_option
from treesql.cli._output import output_options, print_result, warn


@click.command()
@click.argument("lattices", nargs=-1, required=True, metavar="LATTICES...")
@reference_option
@click.option("--db", "database", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option("--by", metavar="COLUMN", help="A row per group: sentence, or a column of the items or the sentences.")
@click.option("--where", metavar="SQL", help="Score only the items that meet this condition on their columns.")
@click.option(
    "--metrics",
    "columns",
    metavar="NAMES",
    callback=names,
    help="Columns, or metrics of the catalogue, to show instead of the usual, separated by commas.",
)
@click.option(
    "--min-redundancy",
    type=click.FloatRange(min=0),
    help="How often swcd takes the references at least; 0: as often as fits.  [default: 1]",
)
@click.option("--signature", is_flag=True, help="Print what each number was computed from.")
@lattice_options
@output_options
def command(
    lattices: tuple[str, ...], references: tuple[str, ...], min_redundancy: float | None,
    source_form: str | None, form: str | None, out: str | None, signature: bool, **how: Any,
) -> None:  # fmt: skip
    """Score lattices against references without decoding them, a row per file: size and density, the best paths they
    hold (GER, GWER, PMED, GPER), standard word count distance, n-gram precision of edges.

    LATTICES are files, a folder, or - for standard input; lattices and references correspond by their order.
    """
    from treesql.translation import LATTICE, Task, evaluate

    parameters = {} if min_redundancy is None else {"min_redundancy": min_redundancy}
    task = Task(
        LATTICE, lattices, references, parameters=parameters, form=source_form, warn=lambda one: warn([one]), **how
    )
    print_result(evaluate(task), form, out, signature=signature, turned_by=None if task.by else "system")
