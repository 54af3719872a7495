"""treesql lattice fit."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._options import names
from treesql.cli._output import print_result
from treesql.results.tables import FORMATS


@click.command()
@click.argument("examples")
@click.option(
    "--features",
    metavar="NAMES",
    callback=names,
    help="The features to learn from, separated by commas.  [default: all of EXAMPLES]",
)
@click.option(
    "--label",
    type=click.Choice(["path", "tau"]),
    default="path",
    show_default=True,
    help="Learn to keep the path nearest to a reference, or the labels by two thresholds of tau.",
)
@click.option(
    "--regularisation",
    type=float,
    default=1.0,
    show_default=True,
    help="C of scikit-learn's LogisticRegression: smaller values shrink the coefficients more.",
)
@click.option(
    "-o", "--output", "out", type=click.Path(dir_okay=False), required=True, help="Write the arbiter to this file."
)
@click.option("--format", "form", type=click.Choice(FORMATS), help="How to print the coefficients. [default: table]")
def command(examples: str, form: str | None, **how: Any) -> None:
    """Fit an arbiter to EXAMPLES, a file of `treesql lattice examples`: a logistic regression of the probability that
    an edge is to be pruned. Prints the coefficients of standardised features; needs treesql[arbiter].
    """
    import treesql

    print_result(treesql.lattices.fit(examples, **how).weights(), form, None)
