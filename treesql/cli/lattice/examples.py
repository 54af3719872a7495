"""treesql lattice examples."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._lattices import lattice_options, reference_option
from treesql.cli._output import counted, format_by_ending, print_result, warn


@click.command()
@click.argument("lattices")
@reference_option
@click.option("--db", "database", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option(
    "--below", type=float, help="Label `prune` below this tau, divided by the edges of the lattice.  [default: -1]"
)
@click.option("--above", type=float, help="Label `keep` above this tau; edges between have no label.  [default: 1]")
@click.option("--raw-threshold", "raw", is_flag=True, help="Do not divide the thresholds by the number of edges.")
@click.option("--min-redundancy", type=float, help="Minimum redundancy of the references in tau.  [default: 1]")
@lattice_options
@click.option(
    "-o", "--output", "out", type=click.Path(dir_okay=False), required=True, help="Write to this file, as Parquet."
)
def command(
    lattices: str, references: tuple[str, ...], below: float | None, above: float | None, raw: bool,
    min_redundancy: float | None, source_form: str | None, out: str, **how: Any,
) -> None:  # fmt: skip
    """Make training examples for an arbiter: a row per edge of LATTICES with features, which need no reference, tau,
    a label by two thresholds of tau, and whether the path nearest to the references takes the edge.
    """
    from treesql.evaluation.translation import LATTICE, TranslationTask
    from treesql.lattices import arbiter

    format_by_ending(out, {".parquet": "parquet"})
    parameters = {} if min_redundancy is None else {"min_redundancy": min_redundancy}
    task = TranslationTask(
        LATTICE, [lattices], references, parameters=parameters, form=source_form, warn=lambda one: warn([one]), **how
    )
    low = arbiter.BELOW if below is None else below
    high = arbiter.ABOVE if above is None else above
    examples = arbiter.examples(task, low, high, raw=raw)
    print_result(examples, "parquet", out)
    labels = examples.arrow()["label"].to_pylist()
    labelled = ", ".join(f"{labels.count(one):,} labelled {one}" for one in (arbiter.PRUNE, arbiter.KEEP))
    click.echo(f"{out}: {counted(len(labels), 'edge')}, {labelled}")
