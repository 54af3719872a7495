"""treesql lattice fit."""

from __future__ import annotations

import click

from treesql.cli._lattices import names
from treesql.cli._output import FORMATS, destination, print_result


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
    help="What to learn: to keep the path that is nearest to a reference, or what labels by two thresholds of tau say.",
)
@click.option(
    "--regularisation",
    type=float,
    default=1.0,
    show_default=True,
    help="C of scikit-learn's LogisticRegression: the smaller, the nearer to 0 are the coefficients.",
)
@click.option(
    "-o", "--output", "out", type=click.Path(dir_okay=False), required=True, help="Write the arbiter to this file."
)
@click.option("--format", "form", type=click.Choice(FORMATS), help="How to print the coefficients. [default: table]")
def command(
    examples: str, features: tuple[str, ...], label: str, regularisation: float, out: str, form: str | None
) -> None:  # fmt: skip
    """Fit an arbiter to EXAMPLES, a file of `treesql lattice examples`: a logistic regression that says how probably an
    edge is to be pruned. Prints the coefficients, of features divided by their deviation; needs treesql[arbiter].
    """
    from treesql.lattices import arbiter

    table = arbiter.read_examples(examples)
    made = arbiter.fit(table, features, label=label, regularisation=regularisation, source=examples)
    with destination(out, "json") as file:
        file.write(made.text().encode())
    print_result(made.weights(), form, None)
