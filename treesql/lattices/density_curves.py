"""Numbers from performance-density curves: interpolated, integrated, fitted, and lines from one metric to another.

A curve is the rows of a table of points that have the same values in the columns before `density`, but for `lattices`,
the file or corpus of each point; without that column `system` is the file, and does not tell curves apart.

Source: Bernreuther 2005, Lattice evaluation techniques, section 2.3, figures 2.11 and 3.12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog import kinds
from treesql.errors import Diagnostic, UnknownName, UsageError, Warn
from treesql.lattices import curve_fitting
from treesql.results.result import Result
from treesql.significance.coefficients import correlate_columns, count_ordered_pairs

ORDER_COLUMNS = {
    "spearman": pa.float64(), "spearman_p": pa.float64(), "kendall": pa.float64(), "kendall_p": pa.float64(),
    "pairs": pa.int64(), "agreement": pa.float64(),
}  # fmt: skip
"""Columns of `compare_orders`."""

_KINDS = ("lattice", "translation")


def with_bounds(*names: str) -> list[str]:
    """Columns of fitted parameters, each with those of the bounds of its interval."""
    return [column for name in names for column in (name, f"{name}_low", f"{name}_high")]


DEFAULT_SHAPE = "logarithm"
"""The curve that is fitted by default."""

CurveKey = tuple[tuple[str, object], ...]
"""What tells a curve from the others of its table: columns and their values."""

_SUMMARY = {"metric": pa.string(), "way": pa.string(), "parameter": pa.string()}
_SUMMARY |= {name: pa.float64() for name in ("value", "value_low", "value_high")}
_LINES = {"metric": pa.string(), "predicted": pa.string(), "points": pa.int64()}
_LINES |= {name: pa.float64() for name in (*with_bounds("slope", "intercept"), "r", "p")} | ORDER_COLUMNS


@dataclass(frozen=True)
class CurveOptions:
    """Numbers to compute from a curve.

    at: densities to interpolate at; between: pairs of densities to integrate between; shapes: curves to fit, of
    curve_fitting.SHAPES. If all are empty, the integral over all densities and a fit of DEFAULT_SHAPE.
    """

    at: Sequence[float] = ()
    between: Sequence[tuple[float, float]] = ()
    shapes: Sequence[str] = ()

    def or_default(self, x: Sequence[float]) -> CurveOptions:
        """These options, or if all are empty, the default for points at these densities."""
        empty = not (self.at or self.between or self.shapes)
        return CurveOptions((), [(min(x), max(x))], [DEFAULT_SHAPE]) if empty else self


def metrics_of(points: Result) -> list[str]:
    """The metrics of a table of points."""
    return list(points.columns[points.columns.index("density") + 1 :])


def curves_of(points: Result) -> dict[CurveKey, Result]:
    """The points of each curve."""
    table = points.arrow()
    names = key_columns(points)
    places: dict[CurveKey, list[int]] = {}
    for at, row in enumerate(points.rows()):
        places.setdefault(tuple((name, row[name]) for name in names), []).append(at)
    return {key: Result(table.take(at), points.signatures, points.percent) for key, at in places.items()}


def key_columns(points: Result) -> list[str]:
    """The columns that tell the curves of a table apart."""
    before = points.columns[: points.columns.index("density")]
    return [name for name in before if name != "lattices" and (name != "system" or "lattices" in before)]


def label_of(key: CurveKey) -> str:
    """The name of a curve, empty if there is no other: `epps`, `epps, threshold 2`, `redundancy >= 0.5`."""
    parts = []
    for name, value in key:
        if name == "system":
            parts.append(str(value))
        elif name == "threshold":
            parts.append("unpruned" if value is None else f"threshold {value:g}")
        elif value is not None:
            parts.append(f"redundancy >= {value:g}")
    return ", ".join(parts)


def metric_values(points: Result, metric: str) -> tuple[list[float], list[float]]:
    """The densities and scores of the points of one curve that have a score, sorted by density.

    Raises UnknownName, UsageError (fewer than two).
    """
    if metric not in metrics_of(points):
        raise UnknownName("metric of the curve", metric, metrics_of(points))
    rows = [row for row in points.rows() if row[metric] is not None and np.isfinite(row[metric])]
    if len(rows) < curve_fitting.MIN_POINTS:
        raise UsageError(f"{metric} has a value at {len(rows)} of {len(points)} densities; a curve needs two")
    rows.sort(key=lambda row: row["density"])
    return [row["density"] for row in rows], [float(row[metric]) for row in rows]


def summarise(result: Result, options: CurveOptions, warn: Warn = lambda warning: None) -> Result:
    """Three ways from each curve to one number: `metric, way, parameter, value`, several rows for a fitted curve.

    value_low, value_high: 95% intervals of the parameters of fitted curves.

    Of several curves the columns that tell them apart come first. way: `interpolated` at the density that is the
    parameter; `integral` and `mean` between two; the name of a fitted curve, with its parameters and r_squared, or with
    the reason why it does not fit, of which it warns. Raises UsageError.
    """
    rows: list[dict[str, object]] = []
    for key, points in curves_of(result).items():
        for metric in metrics_of(result):
            x, y = metric_values(points, metric)
            try:
                numbers = _numbers(metric, x, y, options.or_default(x), partial(_warn_of_unfitted, key, warn))
            except UsageError as error:
                raise UsageError(f"{label_of(key)}: {error}" if key else str(error)) from None
            rows += [{**dict(key), "metric": metric, **number} for number in numbers]
    return Result(pa.Table.from_pylist(rows, pa.schema(_key_types(result) | _SUMMARY)), result.signatures)


def _warn_of_unfitted(key: CurveKey, warn: Warn, metric: str, reason: str) -> None:
    """Warn that no curve or line fits a metric."""
    name = f"{label_of(key)}, {metric}" if label_of(key) else metric
    warn(Diagnostic.warning(name, 0, reason, "the other numbers are not affected"))


def _numbers(
    metric: str, x: Sequence[float], y: Sequence[float], options: CurveOptions, warn: Callable[[str, str], None]
) -> list[dict[str, object]]:
    """The numbers of one curve: `way, parameter, value, value_low, value_high`."""
    rows: list[dict[str, object]] = []

    def add(way: str, parameter: str, value: float | None, bounds: tuple[float, float] | None = None) -> None:
        low, high = bounds or (None, None)
        rows.append({"way": way, "parameter": parameter, "value": value, "value_low": low, "value_high": high})

    for density in options.at:
        add("interpolated", f"{density:g}", curve_fitting.interpolate(x, y, density))
    for low, high in options.between:
        whole = curve_fitting.integrate(x, y, low, high)
        add("integral", f"{low:g} to {high:g}", whole)
        add("mean", f"{low:g} to {high:g}", whole / (high - low))
    for shape in options.shapes:
        try:
            fitted = curve_fitting.fit_curve(x, y, shape)
        except UsageError as error:
            add(shape, str(error), None)
            warn(metric, str(error))
            continue
        for name, value in fitted.parameters.items():
            add(shape, name, value, fitted.intervals.get(name))
        add(shape, "r_squared", fitted.r_squared)
    return rows


def fit_lines(result: Result, predicted: str, warn: Warn = lambda warning: None) -> Result:
    """Predict a metric from every other one by a line, for each curve (figure 3.12).

    Columns: those that tell curves apart, then `metric, predicted, points, slope, intercept`, each with the bounds of
    its 95% interval, `r, p`, then how far the two agree on the order of lattices: ORDER_COLUMNS; and `reason` where a
    line does not fit, of which it warns. Raises UnknownName, UsageError.
    """
    metrics = metrics_of(result)
    rows = []
    for key, points in curves_of(result).items():
        metric_values(points, predicted)
        others = [name for name in metrics if name != predicted]
        if not others:
            raise UsageError(f"name another metric to predict {predicted} from")
        for metric in others:
            scored_points = [row for row in points.rows() if row[metric] is not None and row[predicted] is not None]
            x, y = [row[metric] for row in scored_points], [row[predicted] for row in scored_points]
            line = _line(x, y)
            if "reason" in line:
                _warn_of_unfitted(key, warn, metric, str(line["reason"]))
            rows.append(
                {**dict(key), "metric": metric, "predicted": predicted, "points": len(scored_points), **line}
                | compare_orders(metric, predicted, x, y)
            )
    return Result(with_reasons(rows, _key_types(result) | _LINES), result.signatures, frozenset({"agreement"}))


def _line(x: Sequence[float], y: Sequence[float]) -> dict[str, object]:
    """The columns of a line of points, or the reason why none fits."""
    try:
        fitted = curve_fitting.fit_line(x, y)
    except UsageError as error:
        return {"reason": str(error)}
    values = {"slope": fitted.slope, "intercept": fitted.intercept}
    return {**bounded(values, fitted.intervals), "r": fitted.r, "p": fitted.p}


def bounded(values: Mapping[str, float], intervals: Mapping[str, tuple[float, float]]) -> dict[str, float | None]:
    """Values by name, and the bounds of their intervals as `NAME_low` and `NAME_high`, None where there is none."""
    row: dict[str, float | None] = {}
    for name, value in values.items():
        row[name] = value
        row[f"{name}_low"], row[f"{name}_high"] = intervals.get(name, (None, None))
    return row


def with_reasons(rows: Sequence[Mapping[str, object]], types: Mapping[str, pa.DataType]) -> pa.Table:
    """A table of rows, with a column `reason` if one of them has a reason why it lacks values."""
    reason = {"reason": pa.string()} if any("reason" in row for row in rows) else {}
    return pa.Table.from_pylist(list(rows), pa.schema({**types, **reason}))


def _key_types(points: Result) -> dict[str, pa.DataType]:
    return {name: points.arrow().schema.field(name).type for name in key_columns(points)}


def compare_orders(metric: str, predicted: str, x: Sequence[float], y: Sequence[float]) -> dict[str, float | None]:
    """The agreement of two scores on the order of n lattices: ORDER_COLUMNS.

    metric, predicted: names of the scores x[n] and y[n]. Spearman's rho and Kendall's tau-b with two-sided p, None for
    fewer than three. pairs: those that differ in both scores; agreement: the share of them of which the same one is the
    better by both. Of a score without a better side, larger counts as better. Source: Bernreuther 2005, Lattice
    evaluation techniques, definition 3.4.
    """
    rho, tau = (correlate_columns(method, x, y) for method in ("spearman", "kendall"))
    if _is_cost(metric) != _is_cost(predicted):
        x = [-value for value in x]
    order = count_ordered_pairs(x, y)
    return {
        "spearman": rho.value, "spearman_p": rho.p, "kendall": tau.value, "kendall_p": tau.p, "pairs": order.pairs,
        "agreement": order.share,
    }  # fmt: skip


def _is_cost(name: str) -> bool:
    """Whether lower scores of this name are better."""
    return direction_of(name) == "lower"


def direction_of(name: str) -> str:
    """Whether `higher` or `lower` scores of this name are better, or `neither`."""
    scores = (
        score
        for kind in _KINDS
        for metric in kinds.kind(kind).all_metrics
        for score in catalog.query(metric).scores
        if score.name == name.removeprefix("oracle_")
    )
    return next((str(score.direction) for score in scores), "neither")
