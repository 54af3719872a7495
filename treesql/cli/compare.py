"""treesql compare: a command for every kind of annotation, with the options of the command that scores it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import treesql
from treesql.cli._options import (
    KindGroup,
    check_engine,
    connect_to_spark,
    engine_options,
    inputs_argument,
    keywords,
    kind_options,
    limit_options,
    named_systems,
    signature_option,
    with_options,
)
from treesql.cli._output import format_of, output_options, print_result, print_rows
from treesql.results.result import is_too_wide
from treesql.results.tables import DOCUMENT_WIDTH, DOCUMENTS

if TYPE_CHECKING:
    from treesql import Comparison, Kind


def _make(kind: Kind) -> click.Command:
    """The command that compares systems of a kind."""
    made = click.Command(
        kind.name,
        callback=lambda **given: _compare(kind, **given),
        params=[inputs_argument(kind), *kind_options(kind, compared=True)],
        short_help=f"By the scores of treesql score {kind.name}.",
        help=f"""Compare systems by the scores of `treesql score {kind.name}`: all pairs, with p-values and intervals.

        csv, tsv, json and parquet have a row per score and pair: metric,
        system_a, system_b, score_a, score_b, difference, p, p_corrected, test, then the 95% interval of the difference,
        how often each system scores better in resampled sentences, and whether higher or lower scores are better.
        On folders, they have a row per treebank, macro and micro, too.
        The screen shows the scores with their intervals, the differences, and a conclusion in words; markdown, latex
        and html have a row per system, the best scores bold, a dagger at those that differ from the first system's.
        """,
    )
    for add in reversed(_OPTIONS):
        made = add(made)
    return with_options(made, output_options, limit_options, signature_option, engine_options)


@click.group(cls=KindGroup, make=_make)
def command() -> None:
    """Compare systems by any score: is the difference more than chance?"""


_OPTIONS = (
    click.option(
        "--test",
        type=click.Choice(["shuffling", "bootstrap", "mcnemar", "mcnemar-chi2", "mcnemar-mid-p"]),
        default="shuffling",
        show_default=True,
        help="The test. shuffling is exact if an exact p-value can be computed.",
    ),
    click.option(
        "--runs",
        type=click.IntRange(1),
        default=10_000,
        show_default=True,
        help="Number of runs of shuffling and of the bootstrap.",
    ),
    click.option(
        "--seed", type=click.IntRange(0), default=12345, show_default=True, help="Seed of their random numbers."
    ),
    click.option(
        "--correction",
        type=click.Choice(["holm", "bonferroni", "bh", "by", "none"]),
        default="holm",
        show_default=True,
        help="Correction of p for the number of pairs; bh and by control the false discovery rate.",
    ),
    click.option(
        "--stratum",
        metavar="COLUMN",
        help="Exchange and draw together the sentences with the same value of this column, bin (n_words/10) or comment "
        "(meta.speaker); newdoc: documents.",
    ),
    click.option(
        "--ci/--no-ci",
        default=True,
        show_default=True,
        help="Draw 95% intervals of scores and differences, too; they take longer than p.",
    ),
)


def _compare(
    kind: Kind, inputs: tuple[str, ...], named: tuple[str, ...], form: str | None, out: str | None, signature: bool,
    engine: str, master: str | None, ci: bool, **given: Any,
) -> None:  # fmt: skip
    chosen = {**named_systems(named), **keywords(given), "ci": ci}
    if check_engine(engine, master):
        with connect_to_spark(chosen.pop("db", None), master) as database:
            found = database.compare(kind.name, *inputs, **chosen)
    else:
        found = treesql.compare(kind.name, *inputs, **chosen)
    form = format_of(form, out)
    if form == "table" and out is None:
        _show(found)
        if signature:
            click.echo(f"\n{found.signature}")
    elif form in DOCUMENTS:
        turned = is_too_wide(found.tables()[0], "system", DOCUMENT_WIDTH)
        print_rows(found, form, out, turned_by="system" if turned else None)
        if signature:
            click.echo(found.signature, err=True)
    else:
        print_result(found, form, out, signature=signature)


def _show(found: Comparison) -> None:
    for table in found.tables():
        one_row_each = "system" in table.columns and "treebank" not in table.columns
        print_result(table, "table", None, turned_by="system" if one_row_each else None)
        click.echo()
    for line in found.words():
        click.echo(line)
