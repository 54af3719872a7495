"""treesql typology."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._options import experiment_options
from treesql.cli._output import print_result
from treesql.results.tables import FORMATS


@click.command()
@click.argument("gold_dir")
@click.argument("system_dir")
@click.option(
    "-o",
    "--output",
    "out",
    metavar="FILE.html|FOLDER",
    default="typology",
    show_default=True,
    help="The page to write, or a new folder for the page and its data.",
)
@click.option("--data", metavar="DIR", help="A new folder for tables and figures, beside a page FILE.html.")
@click.option(
    "--order",
    type=click.Choice(["las", "uas", "wlas", "content_precision", "content_recall"]),
    help="The score that ranks treebanks in the figure of cumulative variance. [default: each metric itself]",
)
@experiment_options
@click.option("--format", "form", type=click.Choice(FORMATS), help="How to print the measures. [default: table]")
def command(gold_dir: str, system_dir: str, out: str, form: str | None, **how: Any) -> None:
    """Correlate parsers' scores across treebanks with properties of the treebanks; print the measures.

    GOLD_DIR contains gold treebanks: folders, or files named after treebanks. SYSTEM_DIR contains outputs: NAME.conllu,
    NAME.SYSTEM.conllu (or .gz), or folders NAME with files named after systems. Below the rows of systems and
    treebanks is the macro-average of every system; wlas_own and wlas_averaged have weights that wlas has not.

    The page is one file that loads nothing. DIR receives every table as Parquet and CSV and every figure as SVG; FOLDER
    receives these and report.html. All is written whole or not at all.
    """
    import treesql

    print_result(treesql.typology(gold_dir, system_dir, out, **how), form, None)
