"""Score expressions: as DuckDB evaluates them, and as linear forms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.house.rules import in_turn
from treesql import catalog
from treesql.catalog import header
from treesql.catalog.header import Score
from treesql.significance import expressions

SCORES = {
    f"{query.name}.{score.name}": (query, score) for query in catalog.all_queries().values() for score in query.ratios
}


def of(expression: str) -> Score:
    return Score("score", "number", expression, "")


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", SCORES)
def test_every_score_of_the_catalogue_is_what_duckdb_says(name: str) -> None:
    query, score = SCORES[name]
    chance = np.random.default_rng(0)
    sums = {column.name: chance.integers(0, 4, 60).astype(float) for column in query.counts}
    for column in query.counts:
        if column.type == "DOUBLE":
            sums[column.name] *= 0.37
    found = expressions.values(score, sums)
    np.testing.assert_array_equal(found, expressions.values_of_duckdb(score, sums))
    assert np.isfinite(found).any()


def test_no_score_of_the_catalogue_is_left_to_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(expressions, "values_of_duckdb")
    for query, score in SCORES.values():
        assert len(expressions.values(score, {column.name: np.ones(3) for column in query.counts})) == 3


@in_turn(
    ("expression", "expected"),
    [
        ("sum(a) / nullif(sum(w), 0)", {"a": Fraction(1, 4)}),
        ("1 - (sum(a) + sum(b)) / nullif(sum(w) + 1, 0)", {"a": Fraction(-1, 5), "b": Fraction(-1, 5)}),
        ("2.5 * sum(a) - -sum(b) * sum(w)", {"a": Fraction(5, 2), "b": Fraction(4)}),
        ("CAST(sum(a) AS DOUBLE) / 3 - sum(a) / 3", {}),
        ("sum(w) / 2", {}),
        ("sum(w) / nullif(sum(a), 0)", None),
        ("sum(a) * sum(b)", None),
        ("sum(a) / nullif(sum(w) - 4, 0)", None),
        ("sum(a) / 0", None),
        ("sqrt(sum(a))", None),
        ("CASE WHEN sum(w) > 0 THEN sum(a) END", {"a": Fraction(1)}),
        ("CASE WHEN sum(w) > 4 THEN sqrt(sum(a)) ELSE 2 * sum(b) END", {"b": Fraction(2)}),
        ("CASE WHEN sum(b) > 0 THEN sum(a) ELSE 0 END", None),
        ("CASE WHEN sum(w) > 4 THEN sum(a) END", None),
        ("sum(a", None),
    ],
)
def test_linear_forms(expression: str, expected: object) -> None:
    assert expressions.coefficients(of(expression), {"w": Fraction(4)}) == expected


@in_turn(
    "expression",
    [
        "CASE WHEN sum(b) > 1 THEN sqrt(sum(a)) / nullif(sum(b), 2) END",
        "-sum(a) / nullif(sum(b), 0)",
        "CAST(sum(a) AS DOUBLE) / 7",
        "sum(a) / 2",
        "coalesce(sum(a) / nullif(sum(b), 0), 0)",
        "2",
        "NULL",
        "ln(CAST(sum(a) - 1 AS DOUBLE)) + exp(400 * sum(a))",
        "CASE WHEN sum(a) = 2 THEN 1 WHEN sum(a) <> sum(b) + 1 THEN 0.5 ELSE ln(CAST(sum(b) AS DOUBLE)) END",
        "CASE WHEN sum(a) < 2 AND sum(b) >= 1 OR sum(a) <= 0 THEN 1 END",
        "CASE WHEN 1 / nullif(sum(b), 0) > 0 OR sum(a) = 1 THEN 1 ELSE 0 END",
        "CASE WHEN 1 / nullif(sum(b), 0) > 0 OR sum(a) = 9 THEN 1 ELSE 0 END",
        "CASE WHEN 1 / nullif(sum(b), 0) > 0 AND sum(a) = 1 THEN 1 ELSE 0 END",
        "coalesce(CASE WHEN 1 / nullif(sum(b), 0) > 0 AND sum(a) = 9 THEN 1 END, sum(a), 5)",
    ],
)
def test_any_expression_has_values(expression: str) -> None:
    sums = {"a": np.array([1.0, 2, 3, 0]), "b": np.array([0.0, 1, 2, 3])}
    found = expressions.values(of(expression), sums)
    expected = expressions.values_of_duckdb(of(expression), sums)
    np.testing.assert_array_equal(found, expected)


def test_many_rows_are_those_of_their_parts() -> None:
    sums = {"a": np.arange(10_001.0), "b": np.arange(10_001.0)[::-1] % 7}
    score = of("CASE WHEN sum(b) > 3 THEN sum(a) / nullif(sum(b) - 5, 0) ELSE exp(-sum(b)) END")
    expected = expressions.values_of_duckdb(score, sums)
    np.testing.assert_array_equal(expressions.values(score, sums), expected)


def test_terms_are_evaluated_once_and_by_their_names() -> None:
    head = """
-- doubled: twice its terms.
-- kind: metric
-- column sentence INTEGER: its sentence
-- column a BIGINT: a number
-- term unused = sum(a) / 0
-- term one = sum(a) + 1
-- term two = {one} * {one}
-- score twice number higher = {two} + {two} / {one}: a score
-- source: none
SELECT 1
"""
    [score] = header.parse(head.strip(), "doubled.sql").scores
    assert score.terms == (("one", "sum(a) + 1"), ("two", "{one} * {one}"))
    assert expressions.values(score, {"a": np.array([2.0, 3])}).tolist() == [9 + 3, 16 + 4]
