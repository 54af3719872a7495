"""Marks on scales: places, ticks, the best, and what chance can explain."""

from __future__ import annotations

import pytest

from treesql.results.whiskers import rows_of, significant_differences


def test_places_are_percentages_of_a_scale_of_equal_steps() -> None:
    wide, narrow = rows_of({"las": [(0.60, 0.65, 0.70), (0.50, 0.52, 0.54)], "uas": [(0.8, 0.81, 0.82)]}, True, {})
    # 20 points need steps of 5: from 50 to 70, and as many steps around 80 to 85.
    assert wide.ticks == {0: "50", 25: "55", 50: "60", 75: "65", 100: "70"}
    assert [mark.places for mark in wide.marks] == [(50, 75, 100), (0, 10, 20)]
    assert [(mark.text, mark.interval) for mark in wide.marks] == [
        ("65.00", "60.00 to 70.00"),
        ("52.00", "50.00 to 54.00"),
    ]
    assert list(narrow.ticks.values()) == ["75", "80", "85", "90", "95"]
    assert narrow.marks[0].places == (25, 30, 35)


@pytest.mark.parametrize(("lower", "best"), [((), 0), (("wer",), 1)])
def test_the_best_and_what_chance_can_explain(lower: tuple[str, ...], best: int) -> None:
    compared = [{"metric": "wer", "system_a": "a", "system_b": "b", "p_corrected": 0.04},
                {"metric": "wer", "system_a": "a", "system_b": "c", "p_corrected": 0.5}]  # fmt: skip
    differences = significant_differences(compared, ["a", "b", "c"], 0.05)
    [row] = rows_of({"wer": [(0.2, 0.3, 0.4), (0.1, 0.2, 0.3), (0.15, 0.25, 0.4)]}, True, differences, lower)
    assert [mark.is_best for mark in row.marks] == [number == best for number in range(3)]
    assert [mark.is_worse for mark in row.marks] == ([False, True, False] if best == 0 else [True, False, False])
    assert [mark.is_open for mark in row.marks] == ([False, False, True] if best == 0 else [False, False, False])


def test_scores_without_intervals_or_values_have_no_place() -> None:
    rows = rows_of({"n": [(None, 3.0, None), (None, None, None)], "m": [(1.0, 1.5, float("inf"))]}, False, {})
    assert [[mark.places for mark in row.marks] for row in rows] == [[None, None], [None]]
    assert rows_of({"n": [(None, None, None)]}, False, {}) == []
    assert [mark.text for mark in rows[0].marks] == ["3", "-"]


def test_a_shared_scale_is_that_of_all_rows() -> None:
    first, second = rows_of({"a": [(0.1, 0.2, 0.3)], "b": [(0.7, 0.8, 0.9)]}, True, {}, is_shared=True)
    assert list(first.ticks) == list(second.ticks)
    assert set(second.ticks.values()) == {""}
    assert second.marks[0].places == (70, 80, 90)
    [difference] = rows_of({"a - b": [(-0.01, 0.01, 0.04)]}, True, {})
    # 5 points, in steps of 1, from -1 to 4
    assert (difference.zero, difference.marks[0].places) == (20, (0, 40, 100))
    assert list(difference.ticks.values()) == ["-1", "0", "1", "2", "3", "4"]
