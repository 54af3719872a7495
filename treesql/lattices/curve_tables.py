"""A study of lattices at several densities: its tables, each computed once, and their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from treesql.drawing import charts
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.task import Task
from treesql.lattices import curve_fitting
from treesql.lattices.density_curves import (
    CurveOptions,
    fit_growth,
    fit_lines,
    metric_values,
    pruned_shares,
    score_points,
    shares_by_system,
    summarise,
)
from treesql.readers import sentence_limits
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors_of_class

TABLES = ("points", "numbers", "line", "pruned", "growth")
"""The tables of lattices of several densities."""


@convert_errors_of_class
@dataclass(frozen=True)
class CurveStudy:
    """Lattices of several densities: arguments of treesql.lattices.density_curves, and the tables.

    Tables raise UsageError, and as translation.evaluate does.
    """

    task: Task
    metrics: Sequence[str] = ()
    hypotheses: Sequence[str] = ()
    measure: str = "ger"
    macro: bool = False
    options: CurveOptions = field(default_factory=CurveOptions)
    predicted: str | None = None
    thresholds: Sequence[float] = ()
    raw: bool = False
    max_sentence: int | str | None = None

    @property
    def points(self) -> Result:
        """The scores at every density: `system, density`, and a column per metric."""
        return self._points

    @property
    def numbers(self) -> Result:
        """Numbers from the curve of each metric: `metric, way, parameter, value`."""
        return summarise(self.points, self.options)

    @property
    def line(self) -> Result:
        """The lines that predict a metric from every other one. Raises UsageError where none is to be predicted."""
        return fit_lines(self.points, self._predicted)

    @property
    def pruned(self) -> Result:
        """The share of edges that fail at thresholds: `system, density, threshold, edges, pruned, pruned_share`."""
        return self._shares

    @property
    def growth(self) -> Result:
        """The logistic growth of these shares, by system."""
        return fit_growth(self.pruned)

    def table(self, name: str) -> Result:
        """A table by its name, one of TABLES. Raises UnknownName."""
        if name not in TABLES:
            raise UnknownName("table", name, TABLES)
        found: Result = getattr(self, name)
        return found

    def svg(self, name: str = "points") -> str:
        """The picture of a table: the points with curves, the lines, or the pruned shares with theirs."""
        if name in ("points", "numbers"):
            return draw_points(self.points, self.options.shapes)
        return draw_lines(self.points, self._predicted) if name == "line" else draw_shares(self.pruned)

    @cached_property
    def _points(self) -> Result:
        with sentence_limits.max_sentence(self.max_sentence):
            return score_points(self.task, self.metrics, self.hypotheses, measure=self.measure, macro=self.macro)

    @cached_property
    def _shares(self) -> Result:
        with sentence_limits.max_sentence(self.max_sentence):
            return pruned_shares(self.task, self.thresholds, raw=self.raw)

    @property
    def _predicted(self) -> str:
        if self.predicted is None:
            raise UsageError("a line needs the metric to predict: --to METRIC")
        return self.predicted


def draw_points(points: Result, shapes: Sequence[str] = (), title: str = "Performance and density") -> str:
    """The points of every metric against density as SVG, a panel per metric, with fitted curves."""
    panels = []
    for metric in points.columns[2:]:
        x, y = metric_values(points, metric)
        curves = {
            shape: curve_fitting.curve_points(curve_fitting.fit_points(metric, x, y, shape), min(x), max(x))
            for shape in shapes
        }
        panels.append(charts.Panel(metric, [(across, up, "") for across, up in zip(x, y, strict=True)], curves))
    return charts.panels(panels, title=title, x="density (edges for each node)")


def draw_shares(shares: Result, title: str = "Pruned edges and threshold") -> str:
    """The pruned share against the threshold as SVG, a panel for every density, with the logistic curve."""
    panels = []
    for (system, density), (x, y) in shares_by_system(shares).items():
        curve = curve_fitting.curve_points(curve_fitting.fit_curve(x, y, "logistic"), min(x), max(x))
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
