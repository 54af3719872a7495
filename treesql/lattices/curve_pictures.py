"""Pictures of curves: points over density, differences, shares of pruned edges, spans and quantiles of tau."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from treesql.drawing import charts
from treesql.drawing.charts import Line, LinePanel
from treesql.errors import UnknownName, UsageError
from treesql.lattices import curve_fitting
from treesql.lattices.density_curves import (
    CurveKey,
    curves_of,
    fit_lines,
    key_columns,
    label_of,
    metric_values,
    metrics_of,
)
from treesql.lattices.tau_tables import DRAWN_QUANTILE, shares_by_lattices
from treesql.results.result import Result

DENSITY = "density (edges for each node)"
"""The title of axes of density."""


@dataclass(frozen=True)
class PictureOptions:
    """How curves are drawn.

    together: lists of metrics that share a panel and its axis; overlay: pairs of metrics that share a panel, the second
    with an axis of its own on the right. log: logarithmic axes of density, and of spans and numbers of edges.
    """

    together: Sequence[Sequence[str]] = ()
    overlay: Sequence[Sequence[str]] = ()
    log: bool = False

    def check(self, metrics: Sequence[str]) -> None:
        """Raises UsageError, UnknownName unless metrics are those of the curve, two at least in a panel."""
        for option, lists in (("--together", self.together), ("--overlay", self.overlay)):
            for names in lists:
                for name in names:
                    if name not in metrics:
                        raise UnknownName("metric of the curve", name, metrics)
                if len(set(names)) < 2 or (option == "--overlay" and len(names) != 2):
                    wanted = "two metrics" if option == "--overlay" else "two metrics at least"
                    raise UsageError(f"{option} {','.join(names)}: name {wanted}, with a comma between")


def draw_points(points: Result, shapes: Sequence[str] = (), options: PictureOptions | None = None) -> str:
    """The points of every metric against density as SVG, a line per curve, with fitted curves.

    A panel per metric, but for those together; an overlay has a panel for each curve, as its second axis is that of the
    least-squares line from the second metric to the first (figure 3.12).
    """
    options = options or PictureOptions()
    options.check(metrics_of(points))
    curves = curves_of(points)
    grouped = {name for names in (*options.together, *options.overlay) for name in names}
    panel_metrics = [[name] for name in metrics_of(points) if name not in grouped] + [
        list(names) for names in options.together
    ]
    panels = [_panel(names, curves, shapes) for names in panel_metrics]
    for first, second in options.overlay:
        panels += [_overlay(first, second, key, curve) for key, curve in curves.items()]
    return charts.line_panels(panels, title="Performance and density", log_x=options.log)


def _panel(names: Sequence[str], curves: dict[CurveKey, Result], shapes: Sequence[str]) -> LinePanel:
    """A panel of metrics: a colour per curve, a style per metric; of a single curve a colour per metric."""
    lines = []
    for at, (key, curve) in enumerate(curves.items()):
        for rank, metric in enumerate(names):
            x, y = metric_values(curve, metric)
            label = ", ".join(filter(None, (label_of(key), metric if len(names) > 1 else "")))
            colour = at if len(curves) > 1 else rank
            style = rank if len(names) > 1 else at
            fitted = {}
            for shape in shapes:
                with suppress(UsageError):  # the table of numbers says why it does not fit
                    fitted_curve = curve_fitting.fit_curve(x, y, shape)
                    name = f"{label}, {shape}" if label else shape
                    fitted[name] = curve_fitting.curve_points(fitted_curve, min(x), max(x))
            lines.append(Line(label, list(zip(x, y, strict=True)), colour, style, fitted))
    return LinePanel(", ".join(names), lines, DENSITY)


def _overlay(first: str, second: str, key: CurveKey, curve: Result) -> LinePanel:
    """A panel of two metrics of one curve, with the second on an axis of its own."""
    scored_points = [row for row in curve.rows() if row[first] is not None and row[second] is not None]
    try:
        fitted = curve_fitting.fit_line([row[second] for row in scored_points], [row[first] for row in scored_points])
    except UsageError as error:
        raise UsageError(f"--overlay {first},{second}: {error}; draw them with --together") from None
    lines = []
    for at, (metric, right) in enumerate(((first, False), (second, True))):
        x, y = metric_values(curve, metric)
        lines.append(Line(metric, list(zip(x, y, strict=True)), at, at, right=right))
    correlation = "" if fitted.r is None else f", r = {fitted.r:.3f}"
    name = ", ".join(filter(None, (label_of(key), f"{first} and {second}"))) + correlation
    return LinePanel(name, lines, DENSITY, first, second, (fitted.slope, fitted.intercept))


def draw_differences(differences: Result, options: PictureOptions | None = None) -> str:
    """The differences of systems over density as SVG with their intervals, a panel per metric."""
    panels: dict[str, dict[str, list[dict[str, float]]]] = {}
    for row in differences.rows():
        other = label_of(tuple((name, row[name]) for name in ("threshold", "min_redundancy") if name in row))
        label = f"{row['system_a']} - {row['system_b']}" + (f", {other}" if other else "")
        if row["difference"] is not None:
            panels.setdefault(row["metric"], {}).setdefault(label, []).append(row)
    shown = [
        LinePanel(metric, [_with_intervals(label, rows, at) for at, (label, rows) in enumerate(lines.items())], DENSITY)
        for metric, lines in panels.items()
    ]
    title = "Differences at equal density, with 95% intervals"
    return charts.line_panels(shown, title=title, log_x=bool(options and options.log), zero=True)


def _with_intervals(label: str, rows: Sequence[dict[str, float]], at: int) -> Line:
    bounds = [(row["difference_low"], row["difference_high"]) for row in rows]
    return Line(label, [(row["density"], row["difference"]) for row in rows], at, at, intervals=bounds)


def draw_shares(shares: Result) -> str:
    """The pruned share against the threshold as SVG, a panel for every density, with the logistic curve."""
    panels = []
    for key, (x, y) in shares_by_lattices(shares).items():
        curves = {}
        with suppress(UsageError):  # the table of growth says why it does not fit
            fitted = curve_fitting.fit_curve(x, y, "logistic")
            curves["logistic"] = curve_fitting.curve_points(fitted, min(x), max(x))
        values = dict(key)
        other = label_of(tuple((name, values[name]) for name in ("system", "min_redundancy") if name in values))
        line = Line("", list(zip(x, y, strict=True)), 0, 0, curves)
        panels.append(LinePanel(f"{other}, density {values['density']:.3g}", [line], "threshold", "share of edges"))
    return charts.line_panels(panels, title="Pruned edges and threshold")


def draw_lines(points: Result, predicted: str) -> str:
    """The predicted metric against every other one as SVG, a panel per metric and curve, with the line."""
    panels = []
    curves = curves_of(points)
    names = key_columns(points)
    for row in fit_lines(points, predicted).rows():
        metric, key = row["metric"], tuple((name, row[name]) for name in names)
        scored_points = [
            point for point in curves[key].rows() if point[metric] is not None and point[predicted] is not None
        ]
        dots = [(point[metric], point[predicted]) for point in scored_points]
        ends = [min(x for x, _ in dots), max(x for x, _ in dots)]
        label = "line" if row["r"] is None else f"r = {row['r']:.3f}"
        line_ends = [] if row["slope"] is None else [(end, row["intercept"] + row["slope"] * end) for end in ends]
        name = ", ".join(filter(None, (label_of(key), f"{predicted} against {metric}")))
        labels = [f"{point['density']:.3g}" for point in scored_points]
        line = Line("", dots, 0, 0, {label: line_ends} if line_ends else {}, labels=labels)
        panels.append(LinePanel(name, [line], metric, predicted))
    return charts.line_panels(panels, title=f"{predicted} predicted by a line")


def draw_spans(spans: Result, options: PictureOptions | None = None) -> str:
    """The span of tau of every lattice against its nodes, density and edges as SVG, a dot each (figures 3.18, 3.19)."""
    log = bool(options and options.log)
    panels = []
    for column, title in (("n_nodes", "nodes"), ("edges_per_node", "density"), ("n_edges", "edges")):
        lines = []
        for at, (label, rows) in enumerate(_by_lattices(spans).items()):
            rows_with_span = [row for row in rows if row["span"] is not None and (row["span"] > 0 or not log)]
            dots = [(float(row[column]), row["span"]) for row in rows_with_span]
            lines.append(Line(label, dots, at, at, joined=False))
        panels.append(LinePanel(f"span and {title}", lines, f"{title} of the lattice", "span of tau"))
    return charts.line_panels(panels, title="Span of tau", log_x=log, log_y=log)


def draw_quantiles(quantiles: Result, options: PictureOptions | None = None) -> str:
    """The 75% quantile of tau times edges over density and over all edges as SVG, a line per system (figure 3.23)."""
    panels, name = [], f"{DRAWN_QUANTILE:.0%} quantile"
    for column, title, x in (("density", "density", DENSITY), ("n_edges", "edges", "edges of all lattices")):
        curves: dict[str, list[tuple[float, float]]] = {}
        for row in quantiles.rows():
            if row["quantile"] == DRAWN_QUANTILE and row["tau_normalised"] is not None:
                keys = ("system",) * ("lattices" in row) + ("min_redundancy",) * ("min_redundancy" in row)
                label = label_of(tuple((name, row[name]) for name in keys))
                curves.setdefault(label, []).append((float(row[column]), row["tau_normalised"]))
        lines = [Line(label, sorted(points), at, at) for at, (label, points) in enumerate(curves.items())]
        panels.append(LinePanel(f"{name} by {title}", lines, x, "tau x edges"))
    return charts.line_panels(panels, title=f"{name} of normalised tau", log_x=bool(options and options.log))


def _by_lattices(table: Result) -> dict[str, list[dict[str, float]]]:
    """Rows by the system, density and bound of their lattices."""
    grouped: dict[str, list[dict[str, float]]] = {}
    for row in table.rows():
        key = tuple((name, row[name]) for name in ("system", "min_redundancy") if name in row)
        grouped.setdefault(f"{label_of(key)}, density {row['density']:.3g}", []).append(row)
    return grouped
