"""Score expressions: as DuckDB evaluates them, and as linear forms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from treesql import catalog
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
    expected = expressions.values_of_duckdb(score, sums)
    assert found == pytest.approx(expected, rel=1e-14, nan_ok=True)
    assert np.isfinite(found).any()


@pytest.mark.parametrize(
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
        ("CASE WHEN sum(w) > 0 THEN sum(a) END", None),
        ("sum(a", None),
    ],
)
def test_linear_forms(expression: str, expected: object) -> None:
    assert expressions.coefficients(of(expression), {"w": Fraction(4)}) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "CASE WHEN sum(b) > 1 THEN sqrt(sum(a)) / nullif(sum(b), 2) END",
        "-sum(a) / nullif(sum(b), 0)",
        "CAST(sum(a) AS DOUBLE) / 7",
        "sum(a) / 2",
        "coalesce(sum(a) / nullif(sum(b), 0), 0)",
        "2",
    ],
)
def test_any_expression_has_values(expression: str) -> None:
    sums = {"a": np.array([1.0, 2, 3, 0]), "b": np.array([0.0, 1, 2, 3])}
    found = expressions.values(of(expression), sums)
    expected = expressions.values_of_duckdb(of(expression), sums)
    assert found == pytest.approx(expected, rel=1e-15, nan_ok=True)
