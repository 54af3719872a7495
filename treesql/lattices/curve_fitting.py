"""Numbers from a curve: interpolated, integrated, or the parameters of a curve fitted to it; lines and logistic growth.

A curve is a series of points x[n], y[n], of a performance-density graph the density of lattices and a score of them.
Source: Bernreuther 2005, Lattice evaluation techniques, section 2.3 (three ways to a single number), figures 3.12, 3.17
and 3.20. Everything is computed by numpy and scipy.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from treesql.errors import UnknownName, UsageError
from treesql.kernels.arrays import Floats
from treesql.runtime.failures import convert_errors

Formula = Callable[..., Any]

MIN_POINTS = 2
"""Minimum number of points of a curve."""


@dataclass(frozen=True)
class CurveShape:
    """A class of curves: its formula as text, and as a function of x and the parameters."""

    formula: str
    parameters: tuple[str, ...]
    of: Formula


SHAPES = {
    "line": CurveShape("level + slope * x", ("level", "slope"), lambda x, level, slope: level + slope * x),
    "logarithm": CurveShape(
        "level + slope * ln(x)", ("level", "slope"), lambda x, level, slope: level + slope * np.log(x)
    ),
    "parabola": CurveShape(
        "level + slope * ln(x) + bend * ln(x) ** 2",
        ("level", "slope", "bend"),
        lambda x, level, slope, bend: level + slope * np.log(x) + bend * np.log(x) ** 2,
    ),
    "power": CurveShape(
        "factor * x ** exponent", ("factor", "exponent"), lambda x, factor, exponent: factor * x**exponent
    ),
    "gaussian": CurveShape(
        "height * exp(-(x - mean) ** 2 / (2 * deviation ** 2))",
        ("height", "mean", "deviation"),
        lambda x, height, mean, deviation: height * np.exp(-((x - mean) ** 2) / (2 * deviation**2)),
    ),
    "logistic": CurveShape(
        "1 / (1 + exp(-growth * (x - midpoint)))",
        ("midpoint", "growth"),
        lambda x, midpoint, growth: 0.5 * (1 + np.tanh(growth * (x - midpoint) / 2)),
    ),
}
"""The classes of curves. `logarithm` and `parabola` need positive x; a parabola has one optimal density."""

_POLYNOMIALS: dict[str, tuple[int, Callable[[Floats], Floats]]] = {
    "line": (1, lambda x: x), "logarithm": (1, np.log), "parabola": (2, np.log),
}  # fmt: skip
"""Curves that are linear in their parameters: the degree of the polynomial, and the function of x it is over."""


@dataclass(frozen=True)
class FittedCurve:
    """A curve of a class, fitted by least squares to n points.

    r_squared: the explained share of the variance of y; None if there are as many points as parameters, or y is
    constant. intervals: 95% intervals of the parameters; empty if there are as many points as parameters, or the points
    do not determine all of them.
    """

    shape: str
    parameters: Mapping[str, float]
    r_squared: float | None
    n: int
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def at(self, x: npt.ArrayLike) -> Floats:
        """The values of the curve: float64[n] of x[n]."""
        values: Floats = SHAPES[self.shape].of(np.asarray(x, dtype=np.float64), **self.parameters)
        return values


@dataclass(frozen=True)
class FittedLine:
    """A least-squares line y = slope * x + intercept of n points, with Pearson's r and its two-sided p.

    r and p are None where y is constant, p also where there are only two points. intervals: 95% intervals of slope and
    intercept, empty for two points.
    """

    slope: float
    intercept: float
    r: float | None
    p: float | None
    n: int
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@convert_errors
def interpolate(x: npt.ArrayLike, y: npt.ArrayLike, at: float) -> float:
    """The value of the curve at a density, by straight lines between its points. Raises UsageError."""
    across, up = _points(x, y)
    _check_inside(across, at)
    return float(np.interp(at, across, up))


@convert_errors
def integrate(x: npt.ArrayLike, y: npt.ArrayLike, low: float, high: float) -> float:
    """The integral of the curve from low to high, by straight lines between its points. Raises UsageError.

    The integral divided by high - low is the mean of the curve.
    """
    across, up = _points(x, y)
    for bound in (low, high):
        _check_inside(across, bound)
    if not low < high:
        raise UsageError(f"an integral goes from a smaller density to a greater one, not from {low:g} to {high:g}")
    inner = (across > low) & (across < high)
    ends = np.array([low, high])
    places = np.concatenate([ends[:1], across[inner], ends[1:]])
    return float(np.trapezoid(np.interp(places, across, up), places))


@convert_errors
def fit_curve(x: npt.ArrayLike, y: npt.ArrayLike, shape: str) -> FittedCurve:
    """Fit a curve of a class, one of SHAPES, by least squares.

    Raises UnknownName; UsageError if there are fewer points than parameters, or the fit fails.
    """
    if shape not in SHAPES:
        raise UnknownName("curve", shape, SHAPES)
    across, up = _points(x, y)
    parameters = SHAPES[shape].parameters
    if len(across) < len(parameters):
        raise UsageError(f"the curve {shape} has {len(parameters)} parameters, here are {len(across)} points")
    if shape in _POLYNOMIALS:
        degree, transform = _POLYNOMIALS[shape]
        coefficients = np.polynomial.polynomial.polyfit(_logarithms(across, shape, transform), up, degree)
    else:
        coefficients = _nonlinear(across, up, shape)
    values = dict(zip(parameters, map(float, coefficients), strict=True))
    if "deviation" in values:
        values["deviation"] = abs(values["deviation"])
    residuals = up - SHAPES[shape].of(across, **values)
    spread = float(np.sum((up - up.mean()) ** 2))
    r_squared = None
    if len(across) > len(parameters) and spread > 0:
        r_squared = 1 - float(np.sum(residuals**2)) / spread
    return FittedCurve(shape, values, r_squared, len(across), _intervals(shape, values, across, residuals))


def _intervals(
    shape: str, values: Mapping[str, float], across: Floats, residuals: Floats
) -> dict[str, tuple[float, float]]:
    """95% intervals of parameters by Student's t, of the curve's linear approximation at the fitted values.

    Source: Bates & Watts 1988, Nonlinear regression analysis and its applications, 2.3 (linear approximation).
    """
    n, k = len(across), len(values)
    if n <= k:
        return {}
    steps = [{**values, name: value + 1e-20j} for name, value in values.items()]  # no digits are lost by this step
    with np.errstate(all="ignore"):
        slopes = np.column_stack([np.imag(SHAPES[shape].of(across, **step)) / 1e-20 for step in steps])
    scale = np.linalg.norm(slopes, axis=0)
    if not (np.isfinite(slopes).all() and (scale > 0).all()) or np.linalg.matrix_rank(slopes / scale) < k:
        return {}
    inverse = np.linalg.inv((slopes / scale).T @ (slopes / scale))
    errors = np.sqrt(np.sum(residuals**2) / (n - k) * np.diag(inverse)) / scale
    return _around(values, errors, n - k)


def _around(values: Mapping[str, float], errors: npt.ArrayLike, freedom: int) -> dict[str, tuple[float, float]]:
    """95% intervals of values with standard errors. freedom: degrees of freedom."""
    from scipy import stats

    reach = float(stats.t.ppf(0.975, freedom)) * np.asarray(errors, dtype=np.float64)
    return {
        name: (value - float(width), value + float(width))
        for (name, value), width in zip(values.items(), reach, strict=True)
    }


@convert_errors
def fit_line(x: npt.ArrayLike, y: npt.ArrayLike) -> FittedLine:
    """The best linear prediction of y from x (figure 3.12: BLEU from SWCD). Raises UsageError if x is constant."""
    from scipy import stats

    across, up = _finite(x, y)
    if len(np.unique(across)) < MIN_POINTS:
        raise UsageError(f"a line needs {MIN_POINTS} points with different x, here is {len(np.unique(across))}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        regression = stats.linregress(across, up)
    constant = len(np.unique(up)) < MIN_POINTS
    r, p = (
        (None, None)
        if constant
        else (float(regression.rvalue), float(regression.pvalue) if len(up) > MIN_POINTS else None)
    )
    line = {"slope": float(regression.slope), "intercept": float(regression.intercept)}
    errors = (regression.stderr, regression.intercept_stderr)
    intervals = _around(line, errors, len(up) - MIN_POINTS) if len(up) > MIN_POINTS else {}
    return FittedLine(**line, r=r, p=p, n=len(up), intervals=intervals)


def _finite(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Both as arrays of finite numbers. Raises UsageError."""
    try:
        across, up = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError("the x and y of a curve are numbers, in lists or arrays") from None
    if across.shape != up.shape or across.ndim != 1:
        raise UsageError("a curve has as many x as y")
    if not (np.isfinite(across).all() and np.isfinite(up).all()):
        raise UsageError("a curve has finite numbers alone; leave points without a value out")
    return across, up


def _points(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The points of a curve, sorted by x. Raises UsageError if two have the same x, or there is only one."""
    across, up = _finite(x, y)
    order = np.argsort(across, kind="stable")
    across, up = across[order], up[order]
    twice = across[1:][np.diff(across) == 0]
    if len(twice):
        raise UsageError(f"several points are at {twice[0]:g}; a curve has one value at each")
    if len(across) < MIN_POINTS:
        raise UsageError(f"a curve needs {MIN_POINTS} points, here is {len(across)}")
    return across, up


def _check_inside(across: Floats, at: float) -> None:
    if not math.isfinite(at) or not across[0] <= at <= across[-1]:
        raise UsageError(f"{at:g} is outside of the curve, which goes from {across[0]:g} to {across[-1]:g}")


def _logarithms(across: Floats, shape: str, transform: Callable[[Floats], Floats]) -> Floats:
    if shape != "line" and across[0] <= 0:
        raise UsageError(f"the curve {shape} is for densities above 0; the smallest here is {across[0]:g}")
    return transform(across)


def _nonlinear(across: Floats, up: Floats, shape: str) -> Floats:
    from scipy import optimize

    if shape == "power" and across[0] <= 0:
        raise UsageError(f"the curve power is for densities above 0; the smallest here is {across[0]:g}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the covariance, which is not used, and overflow in the search
        try:
            fitted, _ = optimize.curve_fit(
                SHAPES[shape].of, across, up, p0=_initial_parameters(across, up, shape), maxfev=20_000
            )
        except RuntimeError:
            raise UsageError(f"no {shape} curve fits these points; choose another curve") from None
    if not np.isfinite(fitted).all():
        raise UsageError(f"no {shape} curve fits these points; choose another curve")
    values: Floats = fitted
    return values


def _initial_parameters(across: Floats, up: Floats, shape: str) -> Sequence[float]:
    """Parameters where the search begins."""
    if shape == "power":
        positive = up > 0
        if np.count_nonzero(positive) < MIN_POINTS:
            return [float(up.mean()), 0.0]
        start, exponent = np.polynomial.polynomial.polyfit(np.log(across[positive]), np.log(up[positive]), 1)
        return [math.exp(start), float(exponent)]
    if shape == "gaussian":
        top = int(np.argmax(np.abs(up)))
        return [float(up[top]), float(across[top]), float(across[-1] - across[0])]
    middle = int(np.argmin(np.abs(up - 0.5)))
    steepest = float(np.max(np.abs(np.diff(up) / np.diff(across))))
    return [float(across[middle]), 4 * steepest or 1.0]


def curve_points(fitted: FittedCurve, low: float, high: float) -> list[tuple[float, float]]:
    """200 points of a fitted curve between two densities, for drawing."""
    across = np.linspace(low, high, 200)
    return list(zip(across.tolist(), fitted.at(across).tolist(), strict=True))
