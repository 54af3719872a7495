"""Bins of numbers: bounds, names, and what has none."""

from __future__ import annotations

import math
from decimal import Decimal

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from treesql.errors import UsageError
from treesql.scoring.items import Bins, make_bins, split_width


def names_of(kind: str, width: str, values: list[object]) -> list[str | None]:
    """The names of the bins of values."""
    bins = make_bins(f"x/{width}", "x", kind, width)
    sql = f"SELECT {bins.label(bins.number('v.x'))} FROM (SELECT unnest(CAST($values AS {kind}[])) AS x) AS v"
    return [name for (name,) in duckdb.execute(sql, {"values": values}).fetchall()]


@in_turn(
    ("kind", "width", "values", "names"),
    [
        ("INTEGER", "10", [0, 9, 10, 19, 20, None], ["0..9", "0..9", "10..19", "10..19", "20..29", None]),
        ("BIGINT", "5", [-6, -5, -1, 0], ["-10..-6", "-5..-1", "-5..-1", "0..4"]),
        ("INTEGER", "1", [-1, 0, 7], ["-1", "0", "7"]),
        ("BIGINT", "3", [10**15], ["999999999999999..1000000000000001"]),
        ("DOUBLE", "10", [-0.5, 0, 9.99, 10], ["-10..0", "0..10", "0..10", "10..20"]),
        ("DOUBLE", "0.1", [0.3, 0.7, 0.29, -0.1], ["0.3..0.4", "0.7..0.8", "0.2..0.3", "-0.1..0.0"]),
        ("DOUBLE", "0.25", [0.5, 1.1], ["0.50..0.75", "1.00..1.25"]),
        ("DOUBLE", "2", [math.nan, math.inf, -math.inf, 1e300, None], [None] * 5),
        ("INTEGER", "10", [], []),
    ],
)
def test_bins_begin_at_multiples_of_the_width(
    kind: str, width: str, values: list[object], names: list[str | None]
) -> None:
    assert names_of(kind, width, values) == names


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1), st.integers(1, 10**9 - 1))
def test_a_whole_number_is_within_its_bin(values: list[int], width: int) -> None:
    for value, name in zip(values, names_of("INTEGER", str(width), list(values)), strict=True):
        low = value // width * width
        assert name == (str(low) if width == 1 else f"{low}..{low + width - 1}")


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4))
def test_a_decimal_fraction_that_is_a_bound_begins_a_bin(thousandths: int, width: int) -> None:
    value, step = Decimal(thousandths).scaleb(-3), Decimal(width).scaleb(-3)
    low = (value / step).to_integral_value("ROUND_FLOOR") * step
    assert names_of("DOUBLE", f"{step:.3f}", [float(value)]) == [f"{low:.3f}..{low + step:.3f}"]


def test_the_width_stands_behind_the_last_slash() -> None:
    assert split_width("upos") == ("upos", None)
    assert split_width("n_words/010") == ("n_words", "10")
    assert split_width("a/b/0.5") == ("a/b", "0.5")
    assert Bins("10", fractional=False).number("NULL") == "CAST(floor(CAST(NULL AS DOUBLE) / 10) AS BIGINT)"


@in_turn("name", ["n/", "/5", "n/0", "n/0.0", "n/-5", "n/x", "n/1e3", "n/5 ", "n/1234567890", "n/٣"])
def test_widths_that_are_none(name: str) -> None:
    with pytest.raises(UsageError, match=r"bins are written COLUMN/WIDTH, and WIDTH is a number above 0, of 9 digits"):
        split_width(name)


def test_columns_without_bins() -> None:
    with pytest.raises(UsageError, match=r"form/5: bins are of numbers, and form is VARCHAR; group by form"):
        make_bins("form/5", "form", "VARCHAR", "5")
    with pytest.raises(UsageError, match=r"n/2\.5: n has whole numbers, and so has the width of its bins"):
        make_bins("n/2.5", "n", "BIGINT", "2.5")
