"""Numbers from curves, against values computed by hand and against curves whose parameters are known."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from treesql.errors import Diagnostic, UnknownName, UsageError
from treesql.lattices import curve_fitting, curve_pictures, tau_tables
from treesql.lattices.density_curves import CurveOptions, fit_lines, summarise
from treesql.results.result import Result

X = [1.0, 2.0, 5.0]
Y = [1.0, 0.5, 0.2]


def test_interpolated_between_and_at_points_whatever_their_order() -> None:
    assert curve_fitting.interpolate(X, Y, 2) == 0.5
    assert curve_fitting.interpolate(X, Y, 3) == pytest.approx(0.4)
    assert curve_fitting.interpolate(X[::-1], Y[::-1], 3) == pytest.approx(0.4)


def test_area_under_straight_lines() -> None:
    assert curve_fitting.integrate(X, Y, 1, 5) == pytest.approx(0.75 + 1.05)
    assert curve_fitting.integrate(X, Y, 1.5, 3) == pytest.approx(0.5 * (0.75 + 0.5) / 2 + (0.5 + 0.4) / 2)
    assert curve_fitting.integrate(X, Y, 3, 4) == pytest.approx(0.35)


@given(
    st.lists(st.tuples(st.integers(0, 50), st.floats(-5, 5)), min_size=2, max_size=8, unique_by=lambda one: one[0]),
    st.floats(0, 1), st.floats(0, 1),
)  # fmt: skip
def test_the_area_is_the_integral_of_what_is_interpolated(
    points: list[tuple[int, float]], one: float, other: float
) -> None:
    from scipy import integrate

    x, y = zip(*points, strict=True)
    low, high = (min(x) + share * (max(x) - min(x)) for share in sorted([one, other]))
    if low + 1e-6 < high:
        knots = sorted(knot for knot in x if low < knot < high)
        found, _ = integrate.quad(
            lambda at: curve_fitting.interpolate(x, y, at), low, high, points=knots or None, limit=200
        )
        assert curve_fitting.integrate(x, y, low, high) == pytest.approx(found, abs=1e-6)


KNOWN = {
    "line": {"level": 1.0, "slope": -0.5},
    "logarithm": {"level": 0.6, "slope": -0.08},
    "parabola": {"level": 0.4, "slope": -0.1, "bend": 0.02},
    "power": {"factor": 0.7, "exponent": -0.3},
    "gaussian": {"height": 0.3, "mean": 20.0, "deviation": 15.0},
    "logistic": {"midpoint": -0.4, "growth": 1.7},
}


@in_turn("shape", KNOWN)
def test_a_curve_is_found_again(shape: str) -> None:
    x = np.linspace(-4, 4, 20) if shape == "logistic" else np.array([1.8, 4, 6.7, 12, 23.4, 40, 75])
    fitted = curve_fitting.fit_curve(x, curve_fitting.SHAPES[shape].of(x, **KNOWN[shape]), shape)
    assert fitted.parameters == pytest.approx(KNOWN[shape], rel=1e-5)
    assert fitted.r_squared == pytest.approx(1)
    assert fitted.at(x[:2]) == pytest.approx(curve_fitting.SHAPES[shape].of(x[:2], **KNOWN[shape]))
    assert fitted.n == len(x)


def test_every_known_curve_has_its_formula() -> None:
    assert set(KNOWN) == set(curve_fitting.SHAPES)
    for name, shape in curve_fitting.SHAPES.items():
        told = {"exp": math.exp, "ln": math.log, "x": 1.5, **KNOWN[name]}
        assert eval(shape.formula, {}, told) == pytest.approx(float(shape.of(1.5, **KNOWN[name])))


def test_a_line_by_hand() -> None:
    found = curve_fitting.fit_line([1, 2, 3], [2, 2, 5])
    assert (found.slope, found.intercept, found.n) == (pytest.approx(1.5), pytest.approx(0), 3)
    assert found.r == pytest.approx(3 / math.sqrt(2 * 6))
    assert curve_fitting.fit_line([1, 2], [5, 3]) == curve_fitting.FittedLine(-2, 7, -1, None, 2)
    assert curve_fitting.fit_line([1, 2, 3], [4, 4, 4]).r is None


def test_r_squared_by_hand() -> None:
    fitted = curve_fitting.fit_curve([1, 2, 3], [2, 2, 5], "line")
    assert fitted.parameters == pytest.approx({"level": 0, "slope": 1.5})
    assert fitted.r_squared == pytest.approx(9 / 12)
    assert curve_fitting.fit_curve([1, 2], [2, 3], "line").r_squared is None, "two points are on every line"
    assert curve_fitting.fit_curve([1, 2, 3], [4, 4, 4], "line").r_squared is None


@in_turn(
    ("call", "told"),
    [
        (lambda: curve_fitting.interpolate(X, Y, 6), "6 is outside of the curve, which goes from 1 to 5"),
        (lambda: curve_fitting.interpolate(X, Y, math.nan), "nan is outside"),
        (lambda: curve_fitting.integrate(X, Y, 4, 2), "not from 4 to 2"),
        (lambda: curve_fitting.integrate(X, Y, 0, 2), "0 is outside"),
        (lambda: curve_fitting.interpolate([1, 1], [2, 3], 1), "several points are at 1"),
        (lambda: curve_fitting.interpolate([1], [2], 1), "a curve needs 2 points, here is 1"),
        (lambda: curve_fitting.interpolate([1, 2], [2, math.nan], 1), "finite numbers alone"),
        (lambda: curve_fitting.interpolate([1, 2], [2], 1), "as many x as y"),
        (lambda: curve_fitting.fit_curve([1, 2], [1, 2], "parabola"), "3 parameters, here are 2 points"),
        (lambda: curve_fitting.fit_curve([0, 1], [1, 2], "logarithm"), "for densities above 0"),
        (lambda: curve_fitting.fit_curve([0, 1], [1, 2], "power"), "for densities above 0"),
        (
            lambda: curve_fitting.fit_curve([1.8, 6.7, 23.4, 75], [0.6, 0.43, 0.34, 0.3], "gaussian"),
            "no gaussian curve",
        ),
        (lambda: curve_fitting.fit_line([1, 1], [2, 3]), "two|2 points with different x"),
    ],
)
def test_what_cannot_be_had_is_told(call: object, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        call()  # type: ignore[operator]


def test_an_unknown_curve() -> None:
    with pytest.raises(UnknownName, match="did you mean power"):
        curve_fitting.fit_curve(X, Y, "powr")


POINTS = Result(
    pa.table(
        {
            "system": ["a", "b", "c", "d"],
            "density": [1.8, 6.7, 23.4, 75.0],
            "ger": [0.6, 0.43, 0.34, 0.3],
            "swcd": [2.0, 2.0, 2.0, 2.0],
        }
    )
)
"""No bell goes through ger; swcd is constant."""


@in_turn("shape", KNOWN)
def test_intervals_are_those_of_the_covariance_of_scipy(shape: str) -> None:
    from scipy import optimize, stats

    x = np.linspace(-4, 4, 9) if shape == "logistic" else np.array([1.8, 4, 6.7, 12, 23.4, 40, 75])
    curve = curve_fitting.SHAPES[shape].of
    y = curve(x, **KNOWN[shape]) + 0.01 * np.resize([1, -2, 0.5, 1.5], len(x))
    fitted = curve_fitting.fit_curve(x, y, shape)
    values, covariance = optimize.curve_fit(curve, x, y, p0=list(fitted.parameters.values()))
    reach = stats.t.ppf(0.975, len(x) - len(values)) * np.sqrt(np.diag(covariance))
    for name, value, width in zip(KNOWN[shape], values, reach, strict=True):
        assert fitted.intervals[name] == pytest.approx((value - width, value + width), rel=1e-3)
    few = len(KNOWN[shape])
    assert curve_fitting.fit_curve(x[:few], curve(x, **KNOWN[shape])[:few], shape).intervals == {}


def test_intervals_of_a_line_by_hand() -> None:
    """Of 0, 1, 3 at 0, 1, 2 the slope is 1.5, its error sqrt((1/6) / 2), t of one degree of freedom 12.7062."""
    fitted = curve_fitting.fit_line([0, 1, 2], [0, 1, 3])
    assert fitted.intervals["slope"] == pytest.approx((1.5 - 3.66796, 1.5 + 3.66796), abs=1e-4)
    same = curve_fitting.fit_curve([0, 1, 2], [0, 1, 3], "line").intervals
    assert same["slope"] == pytest.approx(fitted.intervals["slope"])
    assert same["level"] == pytest.approx(fitted.intervals["intercept"])
    assert curve_fitting.fit_line([0, 1], [0, 1]).intervals == {}


def test_numbers_of_the_other_fits_stand() -> None:
    options = CurveOptions(shapes=("gaussian", "line", "power"))
    warnings: list[Diagnostic] = []
    rows = summarise(POINTS, options, warnings.append).rows()
    assert [(warning.path, warning.what.partition(";")[0]) for warning in warnings] == [
        ("ger", "no gaussian curve fits these points")
    ]
    [failed] = [row for row in rows if (row["metric"], row["way"]) == ("ger", "gaussian")]
    assert (failed["parameter"], failed["value"]) == ("no gaussian curve fits these points; choose another curve", None)
    of_lines = {row["parameter"]: row["value"] for row in rows if (row["metric"], row["way"]) == ("ger", "line")}
    assert of_lines.keys() == {"level", "slope", "r_squared"}
    assert of_lines["slope"] < 0
    assert {row["way"] for row in rows if row["metric"] == "swcd"} >= {"line", "power"}
    assert "<svg" in curve_pictures.draw_points(POINTS, ("gaussian", "line"))


def test_a_line_from_a_constant_metric() -> None:
    warnings: list[Diagnostic] = []
    [row] = fit_lines(POINTS, "ger", warnings.append).rows()
    assert [warning.path for warning in warnings] == ["swcd"]
    assert (row["slope_low"], row["intercept_high"]) == (None, None)
    assert row["reason"] == "a line needs 2 points with different x, here is 1"
    assert (row["metric"], row["points"], row["slope"], row["r"]) == ("swcd", 4, None, None)
    assert "<svg" in curve_pictures.draw_lines(POINTS, "ger")
    [row] = fit_lines(POINTS, "swcd").rows()
    assert row["slope"] == pytest.approx(0)
    assert "reason" not in row


def test_growth_of_lattices_with_one_threshold() -> None:
    shares = Result(
        pa.table(
            {
                "system": ["a", "b", "b", "b"],
                "density": [1.0, 2.0, 2.0, 2.0],
                "threshold": [0.0, -1.0, 0.0, 1.0],
                "pruned_share": [0.5, 0.1, 0.5, 0.9],
            }
        )
    )
    warnings: list[Diagnostic] = []
    failed, fitted = tau_tables.fit_growth(shares, warnings.append).rows()
    assert [str(warning) for warning in warnings] == [
        "a: a curve needs 2 points, here is 1; the other numbers are not affected"
    ]
    assert fitted["midpoint_low"] < fitted["midpoint"] < fitted["midpoint_high"]
    assert failed["reason"] == "a curve needs 2 points, here is 1"
    assert failed["midpoint"] is None
    assert fitted["midpoint"] == pytest.approx(0, abs=1e-6)
    assert fitted["reason"] is None
    assert "<svg" in curve_pictures.draw_shares(shares)
