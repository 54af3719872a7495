"""Pictures of performance-density curves, and the report page of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from treesql._version import __version__
from treesql.drawing import charts
from treesql.engines.duckdb import DuckDB
from treesql.errors import UsageError
from treesql.evaluation.task import Task
from treesql.lattices import curve_fitting
from treesql.lattices.density_curves import (
    CurveOptions,
    check_rereadable,
    curve_points,
    fit_growth,
    fit_lines,
    fit_points,
    metric_values,
    pruned_shares,
    score_points,
    shares_by_system,
    summarise,
)
from treesql.reports import CURVE_TABLES, html
from treesql.reports.html import Exhibit
from treesql.results.result import Result


def draw_points(points: Result, shapes: Sequence[str] = (), title: str = "Performance and density") -> str:
    """The points of every metric against density as SVG, a panel per metric, with fitted curves."""
    panels = []
    for metric in points.columns[2:]:
        x, y = metric_values(points, metric)
        curves = {shape: curve_points(fit_points(metric, x, y, shape), min(x), max(x)) for shape in shapes}
        panels.append(charts.Panel(metric, [(across, up, "") for across, up in zip(x, y, strict=True)], curves))
    return charts.panels(panels, title=title, x="density (edges for each node)")


def draw_shares(shares: Result, title: str = "Pruned edges and threshold") -> str:
    """The pruned share against the threshold as SVG, a panel for every density, with the logistic curve."""
    panels = []
    for (system, density), (x, y) in shares_by_system(shares).items():
        curve = curve_points(curve_fitting.fit_curve(x, y, "logistic"), min(x), max(x))
        dots = [(across, up, "") for across, up in zip(x, y, strict=True)]
        panels.append(charts.Panel(f"{system}, density {density:.3g}", dots, {"logistic": curve}))
    return charts.panels(panels, title=title, x="threshold", same_y="share of edges")


def draw_lines(points: Result, predicted: str) -> str:
    """The predicted metric against every other one as SVG, a panel per metric, with the line."""
    panels = []
    for row in fit_lines(points, predicted).rows():
        metric = row["metric"]
        both = [one for one in points.rows() if one[metric] is not None and one[predicted] is not None]
        dots = [(one[metric], one[predicted], f"{one['density']:.3g}") for one in both]
        ends = [min(dot[0] for dot in dots), max(dot[0] for dot in dots)]
        label = "line" if row["r"] is None else f"r = {row['r']:.3f}"
        drawn = [(end, row["intercept"] + row["slope"] * end) for end in ends]
        panels.append(charts.Panel(f"{predicted} against {metric}", dots, {label: drawn}))
    return charts.panels(panels, title=f"{predicted} predicted by a line", x="the other metric")


@dataclass(frozen=True)
class CurveReport:
    """What to compute of lattices of several densities: arguments of treesql.lattices.density_curves."""

    task: Task
    metrics: Sequence[str] = ()
    hypotheses: Sequence[str] = ()
    measure: str = "ger"
    macro: bool = False
    options: CurveOptions = field(default_factory=CurveOptions)
    predicted: str | None = None
    thresholds: Sequence[float] = ()
    raw: bool = False


def make_exhibits(request: CurveReport, tables: Sequence[str], *, drawn: bool = True) -> list[Exhibit]:
    """The tables named, in the order of CURVE_TABLES, with pictures if `drawn`. Raises what density_curves raises."""
    made: list[Exhibit] = []
    if {"points", "numbers", "line"}.intersection(tables):
        made += _of_points(request, tables, drawn)
    if {"pruned", "growth"}.intersection(tables):
        made += _of_shares(request, tables, drawn)
    return made


def write_report(request: CurveReport, folder: Path) -> list[Exhibit]:
    """Write every table as Parquet and CSV, every picture as SVG, and one page to a folder; whole or not at all.

    Without a metric to predict the table of lines is left out. Raises UsageError, and what `make_exhibits` raises.
    """
    html.check_free(folder)
    check_rereadable(request.task, "a report reads lattices and references again")
    made = make_exhibits(request, [name for name in CURVE_TABLES if name != "line" or request.predicted is not None])
    points = made[0].result
    provenance = {
        "Signatures": list(points.signatures.values()),
        "Versions": [f"treesql {__version__}", f"{DuckDB.name} {DuckDB.version}"],
    }
    summary = f"Lattices of {len(points)} densities: {', '.join(row['system'] for row in points.rows())}."
    html.write_report(folder, "Performance and density of lattices", made, provenance, summary)
    return made


def _of_points(request: CurveReport, tables: Sequence[str], drawn: bool) -> list[Exhibit]:
    points = score_points(
        request.task, request.metrics, request.hypotheses, measure=request.measure, macro=request.macro
    )
    made = []
    if "points" in tables:
        svg = draw_points(points, request.options.shapes) if drawn else None
        text = "Every metric against density, edges for each node, and the curves that were requested."
        made.append(Exhibit("points", "Performance and density", text, points, svg))
    if "numbers" in tables:
        shapes = request.options.or_default(points.arrow()["density"].to_pylist()).shapes
        formulas = "; ".join(f"{name} is {curve_fitting.SHAPES[name].formula}" for name in shapes) or "none"
        text = (
            "The curve interpolated at a density; its integral between two, and that divided by their distance, with "
            f"straight lines between points; parameters of curves fitted by least squares ({formulas})."
        )
        made.append(Exhibit("numbers", "Three ways to one number", text, summarise(points, request.options)))
    if "line" in tables:
        if request.predicted is None:
            raise UsageError("a line needs the metric to predict: --to METRIC")
        svg = draw_lines(points, request.predicted) if drawn else None
        text = f"The line with the smallest squared error from each metric to {request.predicted}, and Pearson's r."
        made.append(Exhibit("line", "Linear prediction", text, fit_lines(points, request.predicted), svg))
    return made


def _of_shares(request: CurveReport, tables: Sequence[str], drawn: bool) -> list[Exhibit]:
    shares = pruned_shares(request.task, request.thresholds, raw=request.raw)
    made = []
    if "pruned" in tables:
        over = "" if request.raw else " for each edge of its lattice"
        text = f"The share of edges whose tau is below the threshold{over}, before any is kept so that a path remains."
        svg = draw_shares(shares) if drawn else None
        made.append(Exhibit("pruned", "Pruned edges", text, shares, svg))
    if "growth" in tables:
        text = f"{curve_fitting.SHAPES['logistic'].formula}, x the threshold, fitted to these shares by least squares."
        made.append(Exhibit("growth", "Logistic growth", text, fit_growth(shares)))
    return made
