"""treesql report: a command for every kind of annotation, with the options of the command that scores it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import treesql
from treesql.cli._options import (
    KindGroup,
    inputs_argument,
    keywords,
    kind_options,
    limit_options,
    named_systems,
    with_options,
)

if TYPE_CHECKING:
    from treesql import Kind


def _make(kind: Kind) -> click.Command:
    """The command that reports on systems of a kind."""
    made = click.Command(
        kind.name,
        callback=lambda **given: _report(kind, **given),
        params=[inputs_argument(kind), *kind_options(kind, tables=False)],
        short_help=f"On the scores of treesql score {kind.name}.",
        help=f"""Report on systems in one HTML page: the scores of `treesql score {kind.name}` with 95% intervals, who
        is better by which test, scores in buckets, confusions, drawn sentences, and what all was computed from.

        The page loads nothing from elsewhere, and can be read without its script.

        DIR receives scores, comparison, buckets, confusions and sentences, each as .parquet and .csv.
        """,
    )
    for add in reversed(_OPTIONS):
        made = add(made)
    return with_options(made, limit_options)


@click.group(cls=KindGroup, make=_make)
def command() -> None:
    """Report on systems in one HTML page: scores, tests, buckets, confusions, drawn sentences."""


_OPTIONS = (
    click.option(
        "-o", "--output", "out", type=click.Path(), required=True, metavar="FILE.html", help="The page to write."
    ),
    click.option("--data", metavar="DIR", help="A new folder for the tables behind the page, as Parquet and CSV."),
    click.option(
        "--sentences",
        type=click.IntRange(0),
        default=5,
        show_default=True,
        metavar="N",
        help="Number of sentences to draw: where the first system wins most, where the second does, where all fail, "
        "and at random.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0),
        default=12345,
        show_default=True,
        metavar="N",
        help="Seed of the intervals, the tests and the sample.",
    ),
)


def _report(
    kind: Kind, inputs: tuple[str, ...], named: tuple[str, ...], sentences: int, seed: int, **given: Any
) -> None:
    how = {**named_systems(named), **keywords(given)}
    treesql.report(kind.name, *inputs, sentences=sentences, seed=seed, **how)
