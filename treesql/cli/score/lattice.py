"""treesql score lattice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treesql.cli._lattices import lattice_options, names, reference_option
from treesql.cli._output import output_options, print_result, warn
from treesql.cli._scoring import scoring_options

if TYPE_CHECKING:
    from treesql.evaluation.translation import TranslationTask
    from treesql.significance.comparison import Comparison
    from treesql.significance.tests import Method


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
    help="Columns, or metrics of the catalogue, to show instead of the default, separated by commas.",
)
@click.option(
    "--min-redundancy",
    type=click.FloatRange(min=0),
    help="Minimum redundancy of the references in swcd; 0: no minimum.  [default: 1]",
)
@lattice_options
@scoring_options
@output_options
def command(
    lattices: tuple[str, ...], form: str | None, out: str | None, signature: bool, ci: bool, by: str | None,
    columns: tuple[str, ...], **given: Any,
) -> None:  # fmt: skip
    """Score lattices against references without decoding them, a row per file: size and density, the best paths
    in them (GER, GWER, PMED, GPER), standard word count distance, n-gram precision of edges.

    LATTICES are files, a folder, or - for standard input; lattices and references correspond by
    their ids if both have some, else by their order.
    """
    from treesql.evaluation.translation import evaluate

    scored = replace(task(lattices, **given), columns=columns, by=by, ci=ci)
    print_result(evaluate(scored), form, out, signature=signature, turned_by=None if by else "system")


GOLDS = ()
"""References are named by an option."""

FILES = ("LATTICES",)


def task(
    systems: Sequence[str], references: Sequence[str], database: str | None, where: str | None,
    min_redundancy: float | None, source_form: str | None, phrases: bool, symbols: str | None, ids: str | None,
) -> TranslationTask:  # fmt: skip
    """The task, for scoring and for comparing systems."""
    from treesql.evaluation.translation import LATTICE, TranslationTask

    parameters = {} if min_redundancy is None else {"min_redundancy": min_redundancy}
    return TranslationTask(
        LATTICE, systems, references, parameters=parameters, database=database, where=where, form=source_form,
        phrases=phrases, symbols=symbols, ids=ids, warn=lambda one: warn([one]),
    )  # fmt: skip


def compare(task: TranslationTask, metrics: Sequence[str], method: Method) -> Comparison:
    """Compare all pairs of systems."""
    from treesql.evaluation import translation

    return translation.compare(task, metrics, method)
