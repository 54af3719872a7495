"""Numbers from a curve: interpolated, integrated, or the parameters of a curve fitted to it; lines and logistic growth.

A curve is a series of points x[n], y[n], of a performance-density graph the density of lattices and a score of them.
Source: Bernreuther 2005, Lattice evaluation techniques, section 2.3 (three ways to a single number), figures 3.12, 3.17
and 3.20. Everything is computed by numpy and scipy.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treesql.errors import UnknownName, UsageError
from treesql.kernels.arrays import Floats

Formula = Callable[..., Any]

FEWEST = 2
"""Points that a curve has at least."""


@dataclass(frozen=True)
class Shape:
    """A class of curves: its formula as it is written, and as a function of x and its parameters."""

    formula: str
    parameters: tuple[str, ...]
    of: Formula


SHAPES = {
    "line": Shape("level + slope * x", ("level", "slope"), lambda x, level, slope: level + slope * x),
    "logarithm": Shape("level + slope * ln(x)", ("level", "slope"), lambda x, level, slope: level + slope * np.log(x)),
    "parabola": Shape(
        "level + slope * ln(x) + bend * ln(x) ** 2",
        ("level", "slope", "bend"),
        lambda x, level, slope, bend: level + slope * np.log(x) + bend * np.log(x) ** 2,
    ),
    "power": Shape("factor * x ** exponent", ("factor", "exponent"), lambda x, factor, exponent: factor * x**exponent),
    "gaussian": Shape(
        "height * exp(-(x - mean) ** 2 / (2 * deviation ** 2))",
        ("height", "mean", "deviation"),
        lambda x, height, mean, deviation: height * np.exp(-((x - mean) ** 2) / (2 * deviation**2)),
    ),
    "logistic": Shape(
        "1 / (1 + exp(-growth * (x - midpoint)))",
        ("midpoint", "growth"),
        lambda x, midpoint, growth: 0.5 * (1 + np.tanh(growth * (x - midpoint) / 2)),
    ),
}
"""The classes of curves. The logarithm's x is positive, as is the parabola's over it, which has one best density."""

_POLYNOMIALS: dict[str, tuple[int, Callable[[Floats], Floats]]] = {
    "line": (1, lambda x: x), "logarithm": (1, np.log), "parabola": (2, np.log),
}  # fmt: skip
"""Curves that are linear in their parameters: the degree, and what the polynomial is of."""


@dataclass(frozen=True)
class Fitted:
    """A curve of a class, fitted by least squares to n points.

    r_squared: the share of the variance of y that it explains; None where it goes through as many points as it has
    parameters, or y is constant.
    """

    shape: str
    parameters: Mapping[str, float]
    r_squared: float | None
    n: int

    def at(self, x: npt.ArrayLike) -> Floats:
        """Its values: float64[n] of x[n]."""
        found: Floats = SHAPES[self.shape].of(np.asarray(x, dtype=np.float64), **self.parameters)
        return found


@dataclass(frozen=True)
class Line:
    """The least-squares line y = slope * x + intercept of n points, with Pearson's r and its two-sided p.

    r and p are None where y is constant, p also where there are only two points.
    """

    slope: float
    intercept: float
    r: float | None
    p: float | None
    n: int


def interpolated(x: npt.ArrayLike, y: npt.ArrayLike, at: float) -> float:
    """The curve's value at a place between its points, straight lines between them. Raises UsageError."""
    across, up = _points(x, y)
    _require_inside(across, at)
    return float(np.interp(at, across, up))


def area(x: npt.ArrayLike, y: npt.ArrayLike, low: float, high: float) -> float:
    """The integral of the curve from low to high, straight lines between its points. Raises UsageError.

    Divided by high - low it is the mean of the curve.
    """
    across, up = _points(x, y)
    for bound in (low, high):
        _require_inside(across, bound)
    if not low < high:
        raise UsageError(f"an integral goes from a smaller density to a greater one, not from {low:g} to {high:g}")
    inner = (across > low) & (across < high)
    ends = np.array([low, high])
    places = np.concatenate([ends[:1], across[inner], ends[1:]])
    return float(np.trapezoid(np.interp(places, across, up), places))


def fit(x: npt.ArrayLike, y: npt.ArrayLike, shape: str) -> Fitted:
    """The curve of a class, one of SHAPES, with the smallest sum of squared differences in y.

    Raises UnknownName; UsageError where there are fewer points than parameters, or none can be found.
    """
    if shape not in SHAPES:
        raise UnknownName("curve", shape, SHAPES)
    across, up = _points(x, y)
    parameters = SHAPES[shape].parameters
    if len(across) < len(parameters):
        raise UsageError(f"the curve {shape} has {len(parameters)} parameters, here are {len(across)} points")
    if shape in _POLYNOMIALS:
        degree, of = _POLYNOMIALS[shape]
        found = np.polynomial.polynomial.polyfit(_logarithms(across, shape, of), up, degree)
    else:
        found = _nonlinear(across, up, shape)
    values = dict(zip(parameters, map(float, found), strict=True))
    if "deviation" in values:
        values["deviation"] = abs(values["deviation"])
    residuals = up - SHAPES[shape].of(across, **values)
    spread = float(np.sum((up - up.mean()) ** 2))
    told = len(across) > len(parameters) and spread > 0
    return Fitted(shape, values, 1 - float(np.sum(residuals**2)) / spread if told else None, len(across))


def line(x: npt.ArrayLike, y: npt.ArrayLike) -> Line:
    """The best linear prediction of y from x (figure 3.12: BLEU from SWCD). Raises UsageError where x is constant."""
    from scipy import stats

    across, up = _values(x, y)
    if len(np.unique(across)) < FEWEST:
        raise UsageError(f"a line needs {FEWEST} points with different x, here is {len(np.unique(across))}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = stats.linregress(across, up)
    constant = len(np.unique(up)) < FEWEST
    r, p = (None, None) if constant else (float(found.rvalue), float(found.pvalue) if len(up) > FEWEST else None)
    return Line(float(found.slope), float(found.intercept), r, p, len(up))


def _values(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Both as numbers. Raises UsageError where one is missing or not finite."""
    across, up = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if across.shape != up.shape or across.ndim != 1:
        raise UsageError("a curve has as many x as y")
    if not (np.isfinite(across).all() and np.isfinite(up).all()):
        raise UsageError("a curve has finite numbers alone; leave points without a value out")
    return across, up


def _points(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The points of a curve, in the order of x. Raises UsageError where two have the same x, or there is only one."""
    across, up = _values(x, y)
    order = np.argsort(across, kind="stable")
    across, up = across[order], up[order]
    twice = across[1:][np.diff(across) == 0]
    if len(twice):
        raise UsageError(f"several points are at {twice[0]:g}; a curve has one value at each")
    if len(across) < FEWEST:
        raise UsageError(f"a curve needs {FEWEST} points, here is {len(across)}")
    return across, up


def _require_inside(across: Floats, at: float) -> None:
    if not math.isfinite(at) or not across[0] <= at <= across[-1]:
        raise UsageError(f"{at:g} is outside of the curve, which goes from {across[0]:g} to {across[-1]:g}")


def _logarithms(across: Floats, shape: str, of: Callable[[Floats], Floats]) -> Floats:
    if shape != "line" and across[0] <= 0:
        raise UsageError(f"the curve {shape} is for densities above 0; the smallest here is {across[0]:g}")
    return of(across)


def _nonlinear(across: Floats, up: Floats, shape: str) -> Floats:
    from scipy import optimize

    if shape == "power" and across[0] <= 0:
        raise UsageError(f"the curve power is for densities above 0; the smallest here is {across[0]:g}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a covariance that is not used, and of steps too far
        try:
            found, _ = optimize.curve_fit(SHAPES[shape].of, across, up, p0=_beginning(across, up, shape), maxfev=20_000)
        except RuntimeError:
            raise UsageError(f"no {shape} curve comes near these points; choose another curve") from None
    if not np.isfinite(found).all():
        raise UsageError(f"no {shape} curve comes near these points; choose another curve")
    values: Floats = found
    return values


def _beginning(across: Floats, up: Floats, shape: str) -> Sequence[float]:
    """Parameters to begin the search with."""
    if shape == "power":
        positive = up > 0
        if np.count_nonzero(positive) < FEWEST:
            return [float(up.mean()), 0.0]
        start, exponent = np.polynomial.polynomial.polyfit(np.log(across[positive]), np.log(up[positive]), 1)
        return [math.exp(start), float(exponent)]
    if shape == "gaussian":
        top = int(np.argmax(np.abs(up)))
        return [float(up[top]), float(across[top]), float(across[-1] - across[0])]
    middle = int(np.argmin(np.abs(up - 0.5)))
    steepest = float(np.max(np.abs(np.diff(up) / np.diff(across))))
    return [float(across[middle]), 4 * steepest or 1.0]
