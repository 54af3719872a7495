"""treesql lattice prune."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from treesql.cli._options import edge_weights_option, lattice_options, listed, reference_option, scores_option
from treesql.cli._output import print_result
from treesql.results.tables import FORMATS


@click.command()
@click.argument("lattices")
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option(
    "--threshold",
    type=float,
    multiple=True,
    help="Prune edges whose tau is below this, divided by the number of edges of the lattice; repeatable without -o, a "
    "row each.  [default: 0]",
)
@click.option(
    "--criterion",
    type=click.Choice(["distance", "posterior"]),
    default="distance",
    show_default=True,
    help="posterior: prune edges whose posterior, by their scores, is below the threshold; without references.",
)
@edge_weights_option
@click.option(
    "--scale", type=float, default=1.0, show_default=True, help="With --criterion posterior: factor of the scores."
)
@click.option("--raw-threshold", is_flag=True, help="Do not divide the threshold.")
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
    "--to", "target", metavar="FORMAT", help=f"{listed('lattice', written=True)}. [default: by the ending of OUT]"
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
def command(lattices: str, source_form: str | None, target: str | None, report: str, **how: Any) -> None:
    """Prune edges of LATTICES that raise standard word count distance to the references, or that are improbable.

    One path always remains, if necessary the one with the fewest edges to prune. Edges that are then on no path are
    trimmed, nodes are kept. Prints edges, density, graph error and distance before and after, and the number of pruned
    edges of the oracle paths. OUT is written whole or not at all, and replaces an existing file.
    """
    import treesql

    thresholds = how.pop("threshold") or 0.0
    found = treesql.lattices.prune(lattices, format=source_form, to=target, threshold=thresholds, **how)
    print_result(found, report, None, turned_by="threshold" if len(found) > 1 else "system")
