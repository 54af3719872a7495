"""treesql correlate."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._output import destination, format_of, output_options, print_result, warn
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
def command(
    paths: tuple[str, ...], columns: str | None, complete: bool, long: bool, svg: str | None, form: str | None,
    out: str | None, **how: Any,
) -> None:  # fmt: skip
    """Pearson correlations between the numeric columns of TABLE, or between measures across treebanks.

    TABLE is a .csv, .json or .parquet file, or - for CSV on standard input, with a row per treebank, system or
    sentence. GOLD_DIR and SYSTEM_DIR are folders as `treesql typology` reads them. The matrix shows r, with * where
    p < .05 and ** where p < .01, two-sided; csv, json, parquet and --long have a row per pair.
    """
    from treesql.treebanks import correlation

    if len(paths) > 2:
        raise UsageError("name one table, or a folder of gold treebanks and a folder of outputs")
    if len(paths) == 2:
        from treesql.treebanks.typology import TypologyTask, measure

        table = measure(TypologyTask(*paths, warn=lambda one: warn([one]), **how)).measures.arrow()
    else:
        if any(how.values()):
            given = next(name for name, value in how.items() if value)
            raise UsageError(f"--{given} does not apply to a table; name GOLD_DIR and SYSTEM_DIR")
        table = correlation.read_table(paths[0])
    chosen = [name.strip() for name in columns.split(",")] if columns else None
    source = "<stdin>" if paths[0] == correlation.STANDARD_INPUT else paths[0]
    result = correlation.pearson(table, chosen, complete=complete, source=source, warn=lambda one: warn([one]))
    if svg:
        with destination(svg, "svg") as file:
            file.write(correlation.heat_map(result).encode())
    print_result(result if long or format_of(form, out) != "table" else correlation.matrix(result), form, out)
