"""Performance-density curves as pictures and one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from treesql._version import __version__
from treesql.drawing import charts
from treesql.errors import UsageError
from treesql.evaluation.translation import (
    TranslationTask,
)
from treesql.lattices import curve_fitting
from treesql.lattices.density_curves import (
    CurveOptions,
    curve_points,
    fit_points,
    growth,
    lines,
    numbers,
    points,
    pruned_shares,
    require_files,
    shares_by_system,
    values,
)
from treesql.reports import html
from treesql.reports.html import Exhibit
from treesql.results.result import Result

TABLES = ("points", "numbers", "line", "pruned", "growth")
"""What can be told of lattices of several densities."""


def picture(found: Result, shapes: Sequence[str] = (), title: str = "Performance and density") -> str:
    """The points of every metric against density as SVG, a panel each, with fitted curves."""
    panels = []
    for metric in found.columns[2:]:
        x, y = values(found, metric)
        told = {shape: curve_points(fit_points(metric, x, y, shape), min(x), max(x)) for shape in shapes}
        panels.append(charts.Panel(metric, [(across, up, "") for across, up in zip(x, y, strict=True)], told))
    return charts.panels(panels, title=title, x="density (edges for each node)")


def picture_of_shares(shares: Result, title: str = "Pruned edges and threshold") -> str:
    """The pruned share against the threshold as SVG, a panel for every density, with the logistic curve."""
    panels = []
    for (system, density), (x, y) in shares_by_system(shares).items():
        curve = curve_points(curve_fitting.fit(x, y, "logistic"), min(x), max(x))
        dots = [(across, up, "") for across, up in zip(x, y, strict=True)]
        panels.append(charts.Panel(f"{system}, density {density:.3g}", dots, {"logistic": curve}))
    return charts.panels(panels, title=title, x="threshold", same_y="share of edges")


def picture_of_lines(found: Result, predicted: str) -> str:
    """The metric that is predicted against every other one as SVG, a panel each, with the line."""
    panels = []
    for row in lines(found, predicted).rows():
        metric = row["metric"]
        both = [one for one in found.rows() if one[metric] is not None and one[predicted] is not None]
        dots = [(one[metric], one[predicted], f"{one['density']:.3g}") for one in both]
        ends = [min(dot[0] for dot in dots), max(dot[0] for dot in dots)]
        told = "" if row["r"] is None else f"r = {row['r']:.3f}"
        drawn = [(end, row["intercept"] + row["slope"] * end) for end in ends]
        panels.append(charts.Panel(f"{predicted} against {metric}", dots, {told or "line": drawn}))
    return charts.panels(panels, title=f"{predicted} predicted by a line", x="the other metric")


@dataclass(frozen=True)
class CurveReport:
    """What is wanted of lattices of several densities: arguments of `points` and the other functions."""

    task: TranslationTask
    metrics: Sequence[str] = ()
    hypotheses: Sequence[str] = ()
    measure: str = "ger"
    macro: bool = False
    asked: CurveOptions = field(default_factory=CurveOptions)
    predicted: str | None = None
    thresholds: Sequence[float] = ()
    raw: bool = False


def exhibits(graph: CurveReport, wanted: Sequence[str], *, drawn: bool = True) -> list[Exhibit]:
    """The tables that are wanted, of TABLES and in that order, with pictures if `drawn`. Raises as those do."""
    made: list[Exhibit] = []
    if {"points", "numbers", "line"}.intersection(wanted):
        made += _of_points(graph, wanted, drawn)
    if {"pruned", "growth"}.intersection(wanted):
        made += _of_shares(graph, wanted, drawn)
    return made


def report(graph: CurveReport, folder: Path) -> list[Exhibit]:
    """Every table as Parquet and CSV, every picture as SVG, and one page, in a folder; whole or not at all.

    Without a metric to predict there is no table of lines. Raises as `exhibits` does, and UsageError.
    """
    html.require_free(folder)
    require_files(graph.task, "a report reads lattices and references again")
    made = exhibits(graph, [name for name in TABLES if name != "line" or graph.predicted is not None])
    found = made[0].result
    provenance = {
        "Signatures": list(found.signatures.values()),
        "Versions": [f"treesql {__version__}", f"duckdb {duckdb.__version__}"],
    }
    summary = f"Lattices of {len(found)} densities: {', '.join(row['system'] for row in found.rows())}."
    html.write(folder, "Performance and density of lattices", made, provenance, summary)
    return made


def _of_points(graph: CurveReport, wanted: Sequence[str], drawn: bool) -> list[Exhibit]:
    found = points(graph.task, graph.metrics, graph.hypotheses, measure=graph.measure, macro=graph.macro)
    made = []
    if "points" in wanted:
        svg = picture(found, graph.asked.shapes) if drawn else None
        text = "Every metric against density, edges for each node, and the curves that were asked for."
        made.append(Exhibit("points", "Performance and density", text, found, svg))
    if "numbers" in wanted:
        shapes = graph.asked.of(found.arrow()["density"].to_pylist()).shapes
        formulas = "; ".join(f"{name} is {curve_fitting.SHAPES[name].formula}" for name in shapes) or "none"
        text = (
            "The curve interpolated at a density; its integral between two, and that divided by their distance, with "
            f"straight lines between points; parameters of curves fitted by least squares ({formulas})."
        )
        made.append(Exhibit("numbers", "Three ways to one number", text, numbers(found, graph.asked)))
    if "line" in wanted:
        if graph.predicted is None:
            raise UsageError("a line needs the metric that it is to predict: --to METRIC")
        svg = picture_of_lines(found, graph.predicted) if drawn else None
        text = f"The line with the smallest squared error from each metric to {graph.predicted}, and Pearson's r."
        made.append(Exhibit("line", "Linear prediction", text, lines(found, graph.predicted), svg))
    return made


def _of_shares(graph: CurveReport, wanted: Sequence[str], drawn: bool) -> list[Exhibit]:
    shares = pruned_shares(graph.task, graph.thresholds, raw=graph.raw)
    made = []
    if "pruned" in wanted:
        over = "" if graph.raw else " for each edge of its lattice"
        text = f"The share of edges whose tau is below the threshold{over}, before any is kept for a path's sake."
        svg = picture_of_shares(shares) if drawn else None
        made.append(Exhibit("pruned", "Pruned edges", text, shares, svg))
    if "growth" in wanted:
        text = f"{curve_fitting.SHAPES['logistic'].formula}, x the threshold, fitted to these shares by least squares."
        made.append(Exhibit("growth", "Logistic growth", text, growth(shares)))
    return made
