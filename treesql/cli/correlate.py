"""treesql correlate."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._options import experiment_options
from treesql.cli._output import chart_option, format_of, output_options, print_picture, print_result
from treesql.errors import UsageError
from treesql.results.tables import DOCUMENTS


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="TABLE | GOLD_DIR SYSTEM_DIR")
@click.option(
    "--method",
    type=click.Choice(["pearson", "spearman", "kendall"]),
    default="pearson",
    show_default=True,
    help="Pearson's r of the values, Spearman's rho of their ranks, or Kendall's tau-b of the order of pairs.",
)
@click.option("--columns", metavar="A,B,C", help="The columns to correlate. [default: all with numbers]")
@click.option("--complete", is_flag=True, help="Use only rows in which all of these columns have a value.")
@click.option("--long", "long", is_flag=True, help="Print a row per pair of columns also on the screen.")
@chart_option("Draw the matrix as a heat map")
@experiment_options
@output_options
def command(
    paths: tuple[str, ...], long: bool, chart: str | None, form: str | None, out: str | None, **how: Any
) -> None:
    """Correlate the numeric columns of TABLE, or measures across treebanks.

    TABLE is a .csv, .json or .parquet file, or - for CSV on standard input, with a row per treebank, system or
    sentence; averages, `macro` and `micro` in place of a treebank, are left out. GOLD_DIR and SYSTEM_DIR are folders as
    `treesql typology` reads them. The matrix shows the coefficient r, with * where p < .05 and ** where p < .01,
    two-sided; csv, tsv, json, parquet and --long have a row per pair, with the share of pairs of rows that both columns
    order alike.
    """
    import treesql

    if len(paths) > 2:
        raise UsageError("name one table, or a folder of gold treebanks and a folder of outputs")
    found = treesql.correlate(*paths, **how)
    if chart:
        print_picture(found.svg(), chart)
    shown = not long and format_of(form, out) in ("table", *DOCUMENTS)
    print_result(found.matrix() if shown else found, form, out)
