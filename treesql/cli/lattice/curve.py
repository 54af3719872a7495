"""treesql lattice curve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import treesql
from treesql.cli._options import (
    edge_weights_option,
    lattice_options,
    names,
    parameter_option,
    reference_option,
    scores_option,
)
from treesql.cli._output import chart_option, output_options, print_picture, print_result
from treesql.errors import UsageError

OF_POINTS = ("points", "numbers", "line", "differences")


@click.command()
@click.argument("lattices", nargs=-1, metavar="[LATTICES...]")
@click.option(
    "--system",
    multiple=True,
    metavar="NAME=FILE,FILE,...",
    help="A system and its lattices, a file per density, instead of LATTICES; repeatable, a curve each.",
)
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and texts as corpora of this database.")
@click.option(
    "--metric",
    metavar="NAMES",
    callback=names,
    help="Columns of `score lattice`, of `score translation` for the hypotheses, or these with oracle_ for the words "
    "of the nearest paths, or with best_ for the paths with the best scores of edges, separated by commas.  [default: "
    "ger_rate,swcd]",
)
@click.option(
    "--hypothesis",
    "hypotheses",
    multiple=True,
    metavar="FILE",
    help="The output of a decoder for each of the LATTICES, or of the files of the systems, in their order; "
    "repeatable.",
)
@parameter_option(
    "oracle_paths",
    "measure",
    "The measure that is minimal on the paths of oracle_ metrics.  [default: ger]",
)
@edge_weights_option
@click.option("--macro", is_flag=True, help="Density is the mean over lattices, not edges per node of all lattices.")
@click.option(
    "--min-redundancy",
    type=float,
    multiple=True,
    help="Minimum redundancy of the references in swcd and tau; repeatable, a curve each.  [default: 1]",
)
@click.option(
    "--table",
    type=click.Choice(treesql.lattices.CURVE_TABLES),
    default="points",
    show_default=True,
    help="What to print: the points; numbers from the curve (--at, --between, --fit); the line to a metric (--to); "
    "differences of systems at equal density (--at) with 95% intervals; the share of pruned edges by threshold; the "
    "logistic growth fitted to it; the span of tau of every lattice; quantiles of tau.",
)
@click.option(
    "--at", type=float, multiple=True, metavar="DENSITY", help="Interpolate, or compare systems, here; repeatable."
)
@click.option(
    "--between", type=float, nargs=2, multiple=True, metavar="LOW HIGH", help="Integrate between densities; repeatable."
)
@click.option(
    "--fit",
    type=click.Choice(["line", "logarithm", "parabola", "power", "gaussian", "logistic"]),
    multiple=True,
    help="Fit this curve; repeatable. The parabola is over the logarithm of density.",
)
@click.option("--to", metavar="METRIC", help="The metric to predict from every other one by a line.")
@click.option(
    "--thresholds",
    metavar="NUMBERS",
    help="Also prune the lattices at each of these, separated by commas, a curve each; LOW:HIGH is 41 between. "
    "[default for pruned and growth: -8:8]",
)
@click.option("--raw-threshold", is_flag=True, help="Do not divide thresholds by the number of edges of the lattice.")
@click.option(
    "--density-of",
    metavar="NAME",
    help="The density of points: `unpruned`, that of the lattices before pruning at --thresholds; or that of this "
    "system, file by file.",
)
@chart_option("Draw the table, with curves of --fit")
@click.option(
    "--together", multiple=True, metavar="NAMES", help="Draw these metrics in one panel with one axis; repeatable."
)
@click.option(
    "--overlay",
    multiple=True,
    metavar="LEFT,RIGHT",
    help="Draw two metrics in one panel, the second on an axis of its own that fits the first best; repeatable.",
)
@click.option("--log", is_flag=True, help="Draw logarithmic axes of density, and of spans and numbers of edges.")
@click.option(
    "--report",
    "page",
    is_flag=False,
    flag_value="",
    metavar="[FILE.html|FOLDER]",
    help="Write all tables and pictures as one page, or a new folder for the page and its data; without a name, the "
    "page is -o FILE.html.",
)
@click.option("--data", metavar="DIR", help="A new folder for the tables and pictures behind the page of --report.")
@click.option("--signature", is_flag=True, help="Print what each number was computed from.")
@lattice_options
@scores_option
@output_options
def command(
    lattices: tuple[str, ...], table: str, chart: str | None, page: str | None, data: str | None, signature: bool,
    source_form: str | None, form: str | None, out: str | None, **how: Any,
) -> None:  # fmt: skip
    """Score lattices of one corpus at several densities, a row per file by density, with numbers from this curve.

    LATTICES are files of one system with the same sentences, each of another density; they and references correspond by
    their ids if both have some, else by their order. Several systems are named, each with its files: --system.
    """
    from treesql.reports import html
    from treesql.reports.density_curves import write_report

    if table == "line" and not how["to"]:
        raise UsageError("--table line needs the metric to predict: --to METRIC")
    if page == "":
        if out is None:
            raise UsageError("--report needs a page to write: --report FILE.html, or -o FILE.html behind it")
        html.check_page_place(Path(out))
        page, out = out, None
    if data and page is None:
        raise UsageError("--data is for the tables behind a page: --report FILE.html")
    if page is None:
        _check_use(table, chart, how)
    study = treesql.lattices.curve(*lattices, format=source_form, **how)
    if page is not None:
        write_report(study, page, data)
    result = study.table(table)
    if chart:
        print_picture(study.svg(table), chart)
    print_result(result, form, out, signature=signature)


def _check_use(table: str, chart: str | None, how: dict[str, Any]) -> None:
    """Raises UsageError for options that have no effect on the table and the picture."""
    for option, given, use in (
        ("--metric, --hypothesis and --macro are", ("metric", "hypotheses", "macro"), OF_POINTS),
        ("--edge-weights is", ("edge_weights",), OF_POINTS),
        ("--between is", ("between",), ("numbers",)),
        ("--at is", ("at",), ("numbers", "differences")),
        ("--fit is", ("fit",), ("points", "numbers")),
        ("--to is", ("to",), ("line",)),
        ("--density-of is", ("density_of",), OF_POINTS),
        ("--thresholds and --raw-threshold are", ("thresholds", "raw_threshold"), (*OF_POINTS, "pruned", "growth")),
        ("--together and --overlay are", ("together", "overlay"), ("points", "numbers")),
    ):
        if any(how[name] for name in given) and table not in use:
            raise UsageError(f"{option} for --table {' or '.join(use)}, and for --report")
    if how["fit"] and table == "points" and not chart:
        raise UsageError("--fit is for --table numbers, and for the picture of the points: --chart FILE")
    if not chart and (how["together"] or how["overlay"] or how["log"]):
        raise UsageError("--together, --overlay and --log are for pictures: --chart FILE, or --report FILE.html")
