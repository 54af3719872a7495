"""treesql lattice apply."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from treesql.cli._options import lattice_options, listed, reference_option, scores_option
from treesql.cli._output import print_result
from treesql.errors import UsageError
from treesql.results.tables import FORMATS


@click.command()
@click.argument("model")
@click.argument("lattices")
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option("--share", type=float, help="Prune this share of the edges of each lattice, from 0 to 1.")
@click.option(
    "--probability", type=float, help="Prune edges whose probability of being pruned is above this.  [default: 0.5]"
)
@click.option("--min-redundancy", type=float, help="Minimum redundancy of the references in swcd.  [default: 1]")
@click.option("--seed", type=int, help="Seed of random pruning and of the test.  [default: 12345]")
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
@click.option("--signature", is_flag=True, help="Print what the scores were computed from.")
def command(
    model: str, lattices: str, reference: tuple[str, ...], source_form: str | None, target: str | None, report: str,
    signature: bool, **how: Any,
) -> None:  # fmt: skip
    """Prune LATTICES by an arbiter, MODEL, a file of `treesql lattice fit`. No reference is needed.

    One path always remains, and edges that are then on no path are trimmed. References are used for scores only: the
    lattices are also pruned by distance to the references (oracle) and at random, one draw by --seed, to the same
    density, and a shuffling test compares graph error rate and swcd with those of random pruning.
    """
    import treesql

    if signature and not reference:
        raise UsageError("--seed and --signature need references: --reference FILE")
    found = treesql.lattices.apply(model, lattices, reference=reference, format=source_form, to=target, **how)
    print_result(found, report, None, signature=signature)
