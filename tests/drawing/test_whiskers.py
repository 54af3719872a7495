"""Scales of scores, and the places of marks on them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.house.rules import in_turn
from treesql.drawing import whiskers
from treesql.drawing.whiskers import Interval, Scale


@in_turn(
    ("low", "high", "numbers"),
    [
        (0.667, 1.0, [0.6, 0.7, 0.8, 0.9, 1.0]),
        (0.6, 1.0, [0.6, 0.7, 0.8, 0.9, 1.0]),
        (-3.0, 41.0, [-10.0, 0.0, 10.0, 20.0, 30.0, 40.0, 50.0]),
        (2.0, 2.0, [1.4, 1.6, 1.8, 2.0, 2.2, 2.4, 2.6]),
        (0.0, 0.0, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]),
    ],
)
def test_round_numbers_of_a_scale(low: float, high: float, numbers: list[float]) -> None:
    assert whiskers.round_numbers(low, high) == pytest.approx(numbers)


def test_marks_stand_at_their_scores() -> None:
    """On a scale from 50 to 100 percent."""
    scale = Scale([0.5, 0.75, 1.0], percent=True)
    assert scale.labels == [(0.0, "50"), (50.0, "75"), (100.0, "100")]
    found = whiskers.mark("NOUN, b", 1, Interval(0.6, 0.55, 0.75), scale, hollow=True)
    assert found == (1, 20.0, 10.0, 50.0, True, "NOUN, b: 60.00 [55.00, 75.00]", True)
    assert whiskers.mark("x", 0, Interval(0.6), scale) == (0, 20.0, 20.0, 20.0, False, "x: 60.00", True)
    assert whiskers.mark("x", 0, Interval(None), scale) is None


@in_turn(
    ("rows", "ticks"),
    [
        # the widest row needs 8 points: steps of 2, one more than four
        ([(0.40, 0.48), (0.85, 0.86)], [[0.40, 0.42, 0.44, 0.46, 0.48, 0.50], [0.80, 0.82, 0.84, 0.86, 0.88, 0.90]]),
        ([(0.95, 1.0), (0, 0.01)], [[0.94, 0.95, 0.96, 0.97, 0.98, 0.99, 1], [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06]]),
        ([(0.5, 1.75)], [[0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0]]),  # error rates may be above 100
    ],
)  # fmt: skip
def test_rows_have_scales_of_one_width(rows: Sequence[tuple[float, float]], ticks: list[list[float]]) -> None:
    scales = whiskers.scales_of_one_width([[Interval(low, low, high)] for low, high in rows], percent=True)
    assert [scale and scale.ticks for scale in scales] == [pytest.approx(row) for row in ticks]
    for (low, high), scale in zip(rows, scales, strict=True):
        assert scale is not None
        assert 0 <= scale.place(low) <= scale.place(high) <= 100


def test_a_row_without_a_value_has_no_scale() -> None:
    [scale, none] = whiskers.scales_of_one_width([[Interval(0.5)], [Interval(None)]], percent=True)
    assert none is None
    assert scale is not None
    assert scale.ticks[0] <= 0.5 <= scale.ticks[-1]


def test_ticks_of_a_scale_have_as_many_decimals() -> None:
    scale = whiskers.scale_of([Interval(0.38, 0.375, 0.41)], percent=False)
    assert scale is not None
    assert {len(text.partition(".")[2]) for _, text in scale.labels} == {2}
    whole = whiskers.scale_of([Interval(0.5, 0.0, 1.0)], percent=True)
    assert whole is not None
    assert [text for _, text in whole.labels] == ["0", "20", "40", "60", "80", "100"]
