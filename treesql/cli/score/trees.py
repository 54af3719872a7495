"""treesql score trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treesql import readers
from treesql.catalog.formats import listed
from treesql.cli._output import output_options, print_result, warn
from treesql.cli._reading import acyclic_reading_options, base_option, notation
from treesql.cli._scoring import scoring_options
from treesql.errors import UsageError

if TYPE_CHECKING:
    from treesql.evaluation.aligned_trees import AlignedTreesTask
    from treesql.significance.comparison import Comparison
    from treesql.significance.tests import Method


@click.command()
@click.argument("reference", metavar="A")
@click.argument("hypothesis", metavar="B")
@click.option("--db", type=click.Path(), help="Take A, B and the alignment as corpora of this database.")
@click.option(
    "--costs",
    type=click.Choice(["structure", "deprel", "aligned", "aligned_strict"]),
    default="deprel",
    show_default=True,
    help="Costs of replacing a word by another: structure 0, deprel 1 if relations differ, aligned 1 and "
    "aligned_strict 2 if they are not aligned.",
)
@click.option("--alignment", metavar="FILE", help="The alignment of words of A and of B, for costs that need it.")
@click.option("--by", metavar="COLUMN", help="A row per group: sentence, or a column of the sentences of A.")
@click.option(
    "--alignment-from",
    "alignment_form",
    metavar="FORMAT",
    help=f"Format of the alignment: {listed(readers.formats(), 'alignment')}.  [default: by ending, else pharaoh]",
)
@base_option
@click.option("--reverse", is_flag=True, help="Alignment: the word of B comes first.")
@acyclic_reading_options("dependency")
@scoring_options
@output_options
def command(
    reference: str, hypothesis: str, alignment: str | None, form: str | None, out: str | None, signature: bool,
    ci: bool, by: str | None, **given: Any,
) -> None:  # fmt: skip
    """Score the edit distance of the dependency trees of A and B: words to insert, delete or rename, in order.

    A and B are files with the same number of sentences; - is standard input. tree_edit is a number of operations,
    tree_edit_normalised divides it by the number of words of both trees.
    """
    from treesql.evaluation.aligned_trees import evaluate

    files = (hypothesis,) if alignment is None else (hypothesis, alignment)
    [scored] = task(reference, {hypothesis: files}, **given).values()
    print_result(evaluate(replace(scored, by=by, ci=ci)), form, out, signature=signature)


GOLDS = ("A",)

FILES = ("B", "ALIGNMENT")

MIN_FILES = 1
"""Number of required files: most costs need no alignment."""


def task(
    gold: str, systems: Mapping[str, Sequence[str]], db: str | None, costs: str, base: str | None, reverse: bool,
    source_form: str | None, alignment_form: str | None, strict: bool,
) -> dict[str, AlignedTreesTask]:  # fmt: skip
    """A task per system, for scoring and for comparing systems."""
    from treesql.evaluation.aligned_trees import AlignedTreesTask, tree_edit_metric

    tasks = {}
    for name, (hypothesis, *rest) in systems.items():
        alignment = rest[0] if rest else None
        if alignment is None and (base is not None or reverse or alignment_form):
            raise UsageError("--base, --reverse and --alignment-from are for an alignment; name it with --alignment")
        metric, parameters = tree_edit_metric(costs, alignment)
        tasks[name] = AlignedTreesTask(
            [metric], gold, hypothesis, alignment, parameters, db, form=source_form, alignment_form=alignment_form,
            notation=notation(base, reverse, null_links=False), strict=strict, warn=lambda one: warn([one]),
        )  # fmt: skip
    return tasks


def compare(tasks: Mapping[str, AlignedTreesTask], metrics: Sequence[str], method: Method) -> Comparison:
    """Compare all pairs of systems."""
    from treesql.evaluation import aligned_trees

    return aligned_trees.compare(tasks, metrics, method)
