"""treesql lattice prune."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from treesql import writers
from treesql.catalog.formats import listed
from treesql.cli._lattices import lattice_options, reference_option
from treesql.cli._output import print_result, warn
from treesql.cli._reading import scores_option
from treesql.results.tables import FORMATS


@click.command()
@click.argument("lattices")
@reference_option
@click.option("--db", "database", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option(
    "--threshold",
    type=float,
    default=0.0,
    show_default=True,
    help="Prune edges whose tau is below this, divided by the number of edges of the lattice.",
)
@click.option("--raw-threshold", "raw", is_flag=True, help="Do not divide the threshold.")
@click.option("--greedy", is_flag=True, help="Prune the worst edge, recompute tau, and repeat.")
@click.option(
    "--min-redundancy",
    type=float,
    default=1.0,
    show_default=True,
    help="Minimum redundancy of the references in tau and swcd; 0: no minimum.",
)
@lattice_options
@scores_option
@click.option(
    "--to", "target", metavar="FORMAT", help=f"{listed(writers.formats(), 'lattice')}. [default: by the ending of OUT]"
)
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write the pruned lattices to this file; by default they are only counted.",
)
@click.option(
    "--report", type=click.Choice(FORMATS), default="table", show_default=True, help="How to print the report."
)
def command(
    lattices: str, references: tuple[str, ...], threshold: float, raw: bool, greedy: bool, min_redundancy: float,
    source_form: str | None, target: str | None, out: Path | None, report: str, **how: Any,
) -> None:  # fmt: skip
    """Prune edges of LATTICES that raise standard word count distance to the references.

    One path always remains, if necessary the one with the fewest edges to prune. Edges that are then on no path are
    trimmed, nodes are kept. Prints edges, density, graph error and distance before and after, and the number of pruned
    edges of the oracle paths. OUT is written whole or not at all, and replaces an existing file.
    """
    from treesql.errors import UsageError
    from treesql.evaluation.translation import LATTICE, TranslationTask
    from treesql.lattices.pruning import by_distance, prune

    if not references:
        raise UsageError("name at least one reference: --reference FILE")
    if target and out is None:
        raise UsageError("--to needs a file to write: -o OUT")
    decide = by_distance(threshold, raw=raw, greedy=greedy, min_redundancy=min_redundancy)
    task = TranslationTask(LATTICE, [lattices], references, form=source_form, warn=lambda one: warn([one]), **how)
    print_result(prune(task, decide, out, target, min_redundancy=min_redundancy), report, None, turned_by="system")
