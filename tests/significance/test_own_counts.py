"""Tests of counts that were made elsewhere."""

from __future__ import annotations

import pytest

import treesql
from tests.house.rules import in_turn
from treesql.catalog.header import Score
from treesql.significance.tests import Counts, shuffling_test

A = {"hits": [3, 1, 4], "found": [4, 2, 4], "gold": [5, 2, 6]}
B = {"hits": [2, 2, 3], "found": [3, 2, 5], "gold": [5, 2, 6]}
F1 = "2 * sum(hits) / nullif(sum(found) + sum(gold), 0)"


def test_scores_and_p_are_those_of_the_test() -> None:
    [expected] = shuffling_test([Score("f1", "number", F1, "")], Counts.of(A), Counts.of(B))
    [row] = treesql.compare_counts({"a": A, "b": B}, {"f1": F1}).rows()
    assert row == {
        "metric": "f1", "system_a": "a", "system_b": "b", "score_a": 16 / 23, "score_b": 14 / 23,
        "difference": pytest.approx(2 / 23), "p": expected.p, "test": expected.test,
    }  # fmt: skip


def test_a_row_per_score_and_pair() -> None:
    found = treesql.compare_counts({"a": A, "b": B, "c": A}, {"hits": "sum(hits)", "f1": F1}, runs=100, seed=1)
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    rows = found.rows()
    assert [(row["metric"], row["system_a"], row["system_b"]) for row in rows] == [
        (metric, *pair) for metric in ("hits", "f1") for pair in pairs
    ]
    assert [row["p"] for row in rows if (row["system_a"], row["system_b"]) == ("a", "c")] == [1, 1]


def test_a_score_without_a_value() -> None:
    nothing = {"n": [0, 0]}
    [row] = treesql.compare_counts({"a": nothing, "b": nothing}, {"mean": "sum(n) / nullif(sum(n), 0)"}).rows()
    assert (row["score_a"], row["difference"], row["p"]) == (None, None, None)


@in_turn(
    ("systems", "scores", "what"),
    [
        ({"a": A}, {"f1": F1}, "two systems"),
        ({"a": A, "b": B}, {}, "a score at least"),
        ({"a": A, "b": {"hits": [1, 2, 3]}}, {"f1": F1}, "the same columns"),
        ({"a": {"n": [1]}, "b": {"n": [1, 2]}}, {"n": "sum(n)"}, "the same number of sentences"),
        ({"a": A, "b": B}, {"f1": "sum(hit)"}, "did you mean hits"),
        ({"a": A, "b": B}, {"f1": "sum(hits) +"}, "syntax error"),
    ],
)
def test_errors(systems: dict[str, dict[str, list[int]]], scores: dict[str, str], what: str) -> None:
    with pytest.raises(treesql.TreesqlError, match=what):
        treesql.compare_counts(systems, scores)
