"""treesql lattice apply."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from treesql import writers
from treesql.catalog.formats import listed
from treesql.cli._lattices import lattice_options, reference_option
from treesql.cli._output import FORMATS, print_result, warn
from treesql.cli._reading import scores_option


@click.command()
@click.argument("model")
@click.argument("lattices")
@reference_option
@click.option("--db", "database", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option("--share", type=float, help="Prune this share of the edges of each lattice, from 0 to 1.")
@click.option(
    "--probability", type=float, help="Prune edges that more probably than this are to be pruned.  [default: 0.5]"
)
@click.option("--min-redundancy", type=float, help="How often swcd takes the references at least.  [default: 1]")
@click.option("--seed", type=int, help="Of random pruning and of the test.  [default: 12345]")
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
    help="Write the pruned lattices to this file; without it they are counted alone.",
)
@click.option(
    "--report", type=click.Choice(FORMATS), default="table", show_default=True, help="How to print what was done."
)
@click.option("--signature", is_flag=True, help="Print what the scores were computed from.")
def command(
    model: str, lattices: str, references: tuple[str, ...], share: float | None, probability: float | None,
    min_redundancy: float | None, seed: int | None, source_form: str | None, target: str | None, out: Path | None,
    report: str, signature: bool, **how: Any,
) -> None:  # fmt: skip
    """Prune LATTICES by an arbiter, MODEL, a file of `treesql lattice fit`. No reference is needed.

    A path is always left, edges on no path any more are trimmed. With references, which only score, the lattices are
    also pruned by their distance to these (oracle) and at random, one draw by --seed, until they are as dense; p of a
    shuffling test tells whether graph error rate and swcd differ from those of random pruning.
    """
    from treesql.errors import UsageError
    from treesql.evaluation.translation import LATTICE, TranslationTask
    from treesql.lattices import arbiter, arbiter_pruning
    from treesql.significance.tests import SEED

    if not references and (seed is not None or signature):
        raise UsageError("--seed and --signature are of use with references alone: --reference FILE")
    if target and out is None:
        raise UsageError("--to is of use with a file to write: -o OUT")
    if seed is not None and seed < 0:
        raise UsageError("a seed is a number from 0 on")
    cut = arbiter_pruning.PruningCut(share, probability)
    parameters = {} if min_redundancy is None else {"min_redundancy": min_redundancy}
    task = TranslationTask(
        LATTICE, [lattices], references, parameters=parameters, form=source_form, warn=lambda one: warn([one]), **how
    )
    judge = arbiter.read(model)
    made = arbiter_pruning.apply(task, judge, cut, out, target, seed=SEED if seed is None else seed)
    print_result(made, report, None, signature=signature)
