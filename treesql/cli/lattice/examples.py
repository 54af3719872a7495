"""treesql lattice examples."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._options import lattice_options, reference_option
from treesql.cli._output import counted


@click.command()
@click.argument("lattices")
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option(
    "--below", type=float, help="Label `prune` below this tau, divided by the edges of the lattice.  [default: -1]"
)
@click.option("--above", type=float, help="Label `keep` above this tau; edges between have no label.  [default: 1]")
@click.option("--raw-threshold", is_flag=True, help="Do not divide the thresholds by the number of edges.")
@click.option("--min-redundancy", type=float, help="Minimum redundancy of the references in tau.  [default: 1]")
@lattice_options
@click.option(
    "-o", "--output", "out", type=click.Path(dir_okay=False), required=True, help="Write to this file, as Parquet."
)
def command(lattices: str, source_form: str | None, out: str, **how: Any) -> None:
    """Make training examples for an arbiter: a row per edge of LATTICES with features, which need no reference, tau,
    a label by two thresholds of tau, and whether the path nearest to the references takes the edge.
    """
    import treesql

    chosen = {name: value for name, value in how.items() if value is not None}
    found = treesql.lattices.examples(lattices, format=source_form, out=out, **chosen)
    labels = found.arrow()["label"].to_pylist()
    labelled = ", ".join(f"{labels.count(one):,} labelled {one}" for one in ("prune", "keep"))
    click.echo(f"{out}: {counted(len(labels), 'edge')}, {labelled}")
