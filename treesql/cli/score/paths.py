"""treesql score paths."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treesql import readers
from treesql.catalog.formats import listed
from treesql.cli._output import format_of, output_options, print_result, warn
from treesql.cli._reading import acyclic_reading_options, base_option, notation
from treesql.cli._scoring import scoring_options
from treesql.errors import UsageError

if TYPE_CHECKING:
    from treesql.evaluation.aligned_trees import AlignedTreesTask
    from treesql.significance.comparison import Comparison
    from treesql.significance.tests import Method


@click.command()
@click.argument("reference")
@click.argument("hypothesis")
@click.argument("alignment")
@click.option("--db", type=click.Path(), help="Take all three as corpora of this database.")
@click.option(
    "--by", metavar="COLUMN", help="A row per group: sentence, or a column of the paths or the reference's sentences."
)
@click.option("--where", metavar="SQL", help="Score only the paths that meet this condition on their columns.")
@click.option(
    "--explain",
    metavar="SENTENCE",
    help="Draw both trees of a sentence with their links, and list the paths that differ, whose edges have a `!`. "
    "SENTENCE is its sent_id, or its 0-based number.",
)
@click.option(
    "--errors", is_flag=True, help="List the paths of all sentences that differ instead, by difference, descending."
)
@click.option(
    "--alignment-from",
    "alignment_form",
    metavar="FORMAT",
    help=f"Format of ALIGNMENT: {listed(readers.formats(), 'alignment')}.  [default: by ending, else pharaoh]",
)
@base_option
@click.option("--reverse", is_flag=True, help="ALIGNMENT: the hypothesis word comes first.")
@acyclic_reading_options("dependency")
@scoring_options
@output_options
def command(
    reference: str, hypothesis: str, alignment: str, form: str | None, out: str | None, signature: bool, ci: bool,
    by: str | None, explain: str | None, errors: bool, **given: Any,
) -> None:  # fmt: skip
    """Score how much the positions of aligned words differ between the dependency trees of HYPOTHESIS and REFERENCE.

    ALIGNMENT links words of the reference and of the hypothesis, many to many: `0-0 1-2`, a line per sentence. All are
    files; - is standard input. distance is the difference of the paths of both trees divided by its maximum, over the
    spanning tree of links that differs least; coverage is the aligned share of the trees.
    """
    from treesql.evaluation.aligned_trees import costly_paths, evaluate
    from treesql.evaluation.aligned_trees import explain as explained

    if (errors or explain is not None) and (by or given["where"] or ci or signature):
        raise UsageError("--by, --where, --ci and --signature are for scores; --errors and --explain list paths")
    if errors and explain is not None:
        raise UsageError("--errors lists the paths of all sentences, --explain those of one; give one of them")
    [scored] = task(reference, {hypothesis: (hypothesis, alignment)}, **given).values()
    if errors:
        print_result(costly_paths(scored), form, out)
        return
    if explain is None:
        turned_by = None if by else "system"
        print_result(evaluate(replace(scored, by=by, ci=ci)), form, out, signature=signature, turned_by=turned_by)
        return
    found = explained(scored, explain, shutil.get_terminal_size().columns)
    if out is None and format_of(form, out) == "table":
        click.echo(found.drawing)
    print_result(found.paths, form, out)


GOLDS = ("REFERENCE",)

FILES = ("HYPOTHESIS", "ALIGNMENT")


def task(
    gold: str, systems: Mapping[str, Sequence[str]], db: str | None, where: str | None, base: str | None, reverse: bool,
    source_form: str | None, alignment_form: str | None, strict: bool,
) -> dict[str, AlignedTreesTask]:  # fmt: skip
    """A task per system, for scoring and for comparing systems."""
    from treesql.evaluation.aligned_trees import PATHS, AlignedTreesTask

    return {
        name: AlignedTreesTask(
            PATHS, gold, hypothesis, alignment, database=db, where=where, form=source_form,
            alignment_form=alignment_form, notation=notation(base, reverse, null_links=False), strict=strict,
            warn=lambda one: warn([one]),
        )
        for name, (hypothesis, alignment) in systems.items()
    }  # fmt: skip


def compare(tasks: Mapping[str, AlignedTreesTask], metrics: Sequence[str], method: Method) -> Comparison:
    """Compare all pairs of systems."""
    from treesql.evaluation import aligned_trees

    return aligned_trees.compare(tasks, metrics, method)
