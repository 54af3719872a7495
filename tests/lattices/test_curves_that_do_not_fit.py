"""A fit that fails leaves the table whole: its row says why, and the others stand."""

from __future__ import annotations

import pyarrow as pa
import pytest

from treesql.lattices import curve_pictures, tau_tables
from treesql.lattices.density_curves import CurveOptions, fit_lines, summarise
from treesql.results.result import Result

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


def test_numbers_of_the_other_fits_stand() -> None:
    options = CurveOptions(shapes=("gaussian", "line", "power"))
    rows = summarise(POINTS, options).rows()
    [failed] = [row for row in rows if (row["metric"], row["way"]) == ("ger", "gaussian")]
    assert (failed["parameter"], failed["value"]) == ("no gaussian curve fits these points; choose another curve", None)
    of_lines = {row["parameter"]: row["value"] for row in rows if (row["metric"], row["way"]) == ("ger", "line")}
    assert of_lines.keys() == {"level", "slope", "r_squared"}
    assert of_lines["slope"] < 0
    assert {row["way"] for row in rows if row["metric"] == "swcd"} >= {"line", "power"}
    assert "<svg" in curve_pictures.draw_points(POINTS, ("gaussian", "line"))


def test_a_line_from_a_constant_metric() -> None:
    [row] = fit_lines(POINTS, "ger").rows()
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
    failed, fitted = tau_tables.fit_growth(shares).rows()
    assert failed["reason"] == "a curve needs 2 points, here is 1"
    assert failed["midpoint"] is None
    assert fitted["midpoint"] == pytest.approx(0, abs=1e-6)
    assert fitted["reason"] is None
    assert "<svg" in curve_pictures.draw_shares(shares)
