"""Rows of charts of scores: the best, what chance can explain, and what has no value."""

from __future__ import annotations

import math
import re

import pytest

from tests.house.rules import in_turn
from treesql.drawing.whiskers import Interval, mark
from treesql.reports import score_charts
from treesql.results import pages
from treesql.results.result import Result
from treesql.significance.comparison import ComparedPair, Comparison

SYSTEMS = ["a", "b", "c"]


def scores_of(direction: str) -> Result:
    intervals = {"a": (0.3, 0.2, 0.4), "b": (0.2, 0.1, 0.3), "c": (0.25, 0.15, 0.4)}
    rows = [
        {"system": system, "n": None, "n_low": None, "n_high": None, "wer": at, "wer_low": low, "wer_high": high}
        for system, (at, low, high) in intervals.items()
    ]
    return Result(Result.of(rows).arrow(), percent=frozenset({"wer"}), directions={"wer": direction})


def comparison_of(scores: Result) -> Comparison:
    def pair(second: str, p: float) -> dict[str, object]:
        return {
            "metric": "wer", "system_a": "a", "system_b": second, "direction": scores.directions["wer"],
            "difference": 0.1, "difference_low": 0.05, "difference_high": 0.15, "p": p, "p_corrected": p,
        }  # fmt: skip

    return Comparison(Result.of([pair("b", 0.04), pair("c", 0.5)]).arrow(), percent=scores.percent, scores=scores)


@in_turn(("direction", "best"), [("higher", "a"), ("lower", "b"), ("neither", "")])
def test_the_best_and_what_chance_can_explain(direction: str, best: str) -> None:
    scores = scores_of(direction)
    [row] = score_charts.score_rows(scores, SYSTEMS, comparison_of(scores), "wer", {"wer": "word errors"})
    assert (row.name, row.doc) == ("wer", "word errors")  # n has no value
    assert [cell.text for cell in row.cells] == ["30.00", "20.00", "25.00"]
    assert row.cells[0].interval == "20.00\u201340.00"
    assert [system for system, cell in zip(SYSTEMS, row.cells, strict=True) if cell.best] == [best] * bool(best)
    # a and b differ, a and c do not; with b as the best, c was not compared with it
    assert [cell.worse for cell in row.cells] == ([True, False, False] if best == "b" else [False, True, False])
    assert [one.hollow for one in row.lane.marks] == [False, False, True]
    assert row.lane.marks[0].title == "wer, a: 30.00 [20.00, 40.00]"


def test_marks_of_scores_that_are_not_compared_are_not_tested() -> None:
    rows = [{**row, "ser": row["wer"], "ser_low": 0.0, "ser_high": 1.0} for row in scores_of("higher").rows()]
    scores = Result(Result.of(rows).arrow(), directions={"wer": "higher", "ser": "higher"})
    for comparison, tested in ((comparison_of(scores), {"wer": {True}, "ser": {False}}), (None, {})):
        for row in score_charts.score_rows(scores, SYSTEMS, comparison, "wer", {}):
            assert {one.tested for one in row.lane.marks} == tested.get(row.name, {True})


def test_numbers_that_are_no_shares_have_four_digits() -> None:
    assert [score_charts.rounded_text(value, False) for value in (0.4436321, 3.0, 12345.6, None)] == [
        "0.4436", "3", "12345.6", "-",
    ]  # fmt: skip
    assert score_charts.rounded_text(0.4436321, True) == "44.36"


def test_a_score_of_one_system_is_no_winner() -> None:
    rows = [{"system": name, "las": at, "las_low": at, "las_high": at} for name, at in (("a", None), ("b", 0.5))]
    scores = Result(Result.of(rows).arrow(), percent=frozenset({"las"}), directions={"las": "higher"})
    [row] = score_charts.score_rows(scores, ["a", "b"], None, "las", {})
    assert not row.is_shared
    assert [(cell.text, cell.best, cell.worse) for cell in row.cells] == [("-", False, False), ("50.00", False, False)]
    [of_one] = score_charts.score_rows(Result(scores.arrow()[1:], percent=scores.percent), ["b"], None, "las", {})
    assert of_one.is_shared


def test_only_the_main_score_is_set_off() -> None:
    """The first row of the folded table of scores that one system has is none."""
    columns = ("las", "uas", "las_recall")
    rows = [
        {"system": system, **{f"{name}{end}": None if (system, name) == ("a", "las_recall") else 0.5
                              for name in columns for end in ("", "_low", "_high")}}
        for system in "ab"
    ]  # fmt: skip
    scores = Result(Result.of(rows).arrow(), percent=frozenset(columns), directions=dict.fromkeys(columns, "higher"))
    drawn = pages.render_text(
        '{% from "charts.html" import score_table %}{{ score_table(rows, ["a", "b"], "", "") }}',
        rows=score_charts.score_rows(scores, ["a", "b"], None, "las", {}),
    )
    assert "1 score that only one system has" in drawn
    assert re.findall('<tr class="main"><th scope="row">([a-z_]+)', drawn) == ["las"]


def test_values_share_a_scale() -> None:
    intervals = {"NOUN": {"a": Interval(0.2, 0.1, 0.3)}, "VERB": {"a": Interval(0.8, 0.7, 0.9), "b": Interval(None)}}
    lanes, scale = score_charts.value_lanes(intervals, {"NOUN": "12"}, True)
    assert scale is not None
    assert scale.labels == [(0.0, "0"), (20.0, "20"), (40.0, "40"), (60.0, "60"), (80.0, "80"), (100.0, "100")]
    assert [(lane.name, lane.note, [one.at for one in lane.marks]) for lane in lanes] == [
        ("NOUN", "12", [20.0]),
        ("VERB", "", [80.0]),
    ]


def test_differences_stand_on_a_scale_with_zero() -> None:
    pair = ComparedPair("a", "b", 0.01, -0.01, 0.04, 0.2, "1.00 points", "p = 0.2", "")
    scale = score_charts.scale_of_pairs([pair], True)
    assert scale is not None
    assert scale.ticks == pytest.approx([-0.01, 0, 0.01, 0.02, 0.03, 0.04])
    [(_, found)] = score_charts.pair_lanes([pair], scale)
    assert found == (0, 40, 0, 100, True, "a over b, p = 0.2: 1.00 [-1.00, 4.00]", True)
    without = ComparedPair("a", "b", None, None, None, None, "-", "-", "")
    assert score_charts.scale_of_pairs([without], True) is None
    assert score_charts.pair_lanes([without], None) == [(without, None)]


def test_what_is_not_finite_has_no_mark() -> None:
    _, scale = score_charts.value_lanes({"m": {"a": Interval(1.0, 0.5, 1.5)}}, {}, False)
    assert scale is not None
    assert mark("m", 0, Interval(1.0, 0.5, math.inf), scale) is None
    assert Interval(1.0, 0.5, math.inf).ends == [1.0, 0.5]


def test_only_scales_in_percent_are_said_to_be_equally_wide() -> None:
    rows = [{**row, "density": 3.0, "density_low": 2.0, "density_high": 9.0} for row in scores_of("lower").rows()]
    both = Result(Result.of(rows).arrow(), percent=frozenset({"wer"}))
    notes = {
        percent: score_charts.scale_note(score_charts.score_rows(scores, SYSTEMS, None, "wer", {}))
        for percent, scores in {
            "all": scores_of("lower"), "some": both, "none": Result(Result.of(rows).arrow()),
        }.items()
    }  # fmt: skip
    assert notes == {
        "all": "each row in its own place, all 35 points wide",
        "some": "each row in its own place, those in percent 35 points wide", "none": "",
    }  # fmt: skip
