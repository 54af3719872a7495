"""treesql correlate."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._output import format_of, output_options, print_result, print_text
from treesql.cli._treebanks import experiment_options
from treesql.errors import UsageError


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="TABLE | GOLD_DIR SYSTEM_DIR")
@click.option("--columns", metavar="A,B,C", help="The columns to correlate. [default: all with numbers]")
@click.option("--complete", is_flag=True, help="Use only rows in which all of these columns have a value.")
@click.option("--long", "long", is_flag=True, help="Print a row per pair, with n, r and p, also on the screen.")
@click.option("--svg", metavar="FILE", help="Draw the matrix as a heat map.")
@experiment_options
@output_options
def command(paths: tuple[str, ...], long: bool, svg: str | None, form: str | None, out: str | None, **how: Any) -> None:
    """Pearson correlations between the numeric columns of TABLE, or between measures across treebanks.

    TABLE is a .csv, .json or .parquet file, or - for CSV on standard input, with a row per treebank, system or
    sentence. GOLD_DIR and SYSTEM_DIR are folders as `treesql typology` reads them. The matrix shows r, with * where
    p < .05 and ** where p < .01, two-sided; csv, json, parquet and --long have a row per pair.
    """
    import treesql

    if len(paths) > 2:
        raise UsageError("name one table, or a folder of gold treebanks and a folder of outputs")
    found = treesql.correlate(*paths, **how)
    if svg:
        print_text(found.svg(), svg)
    print_result(found if long or format_of(form, out) != "table" else found.matrix(), form, out)
