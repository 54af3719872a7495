"""Tables of counts as matrices, computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from treesql.errors import UsageError
from treesql.results.matrix import MAX_VALUES, MatrixLayout, make_matrix
from treesql.results.result import Result

SIGNATURE = "pairs|gold:g|q:1|v:2|duckdb:3"

PAIRS = [("a", "x", "x", 6), ("a", "x", "y", 2), ("a", "z", "x", 1), ("b", "y", "y", 4), ("b", "x", "z", 3)]
"""System, row, column and count: x counts 6 + 2 + 3 and 6 + 1, y 4 and 2 + 4, z 1 and 3."""


def matrix(pairs: list[tuple[str, str, str, int]] = PAIRS, **how: Any) -> Result:
    names = ("system", "gold", "found", "n")
    table = Result.of([dict(zip(names, one, strict=True)) for one in pairs])
    given = Result(table.arrow(), {"pairs": SIGNATURE})
    return make_matrix(given, "gold", "found", "n", MatrixLayout(**how), by="system")


def cells(found: Result) -> list[list[object]]:
    return [list(row.values()) for row in found.rows()]


def test_counts_with_totals() -> None:
    found = matrix()
    assert found.columns == ["system", "gold", "x", "y", "z", "total"]
    assert cells(found) == [
        ["a", "x", 6, 2, 0, 8],
        ["a", "y", 0, 0, 0, 0],
        ["a", "z", 1, 0, 0, 1],
        ["a", "total", 7, 2, 0, 9],
        ["b", "x", 0, 0, 3, 3],
        ["b", "y", 0, 4, 0, 4],
        ["b", "z", 0, 0, 0, 0],
        ["b", "total", 0, 4, 3, 7],
    ]
    assert found.percent == frozenset()
    assert found.signature == "pairs|gold:g|matrix:counts|q:1|v:2|duckdb:3"


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        ("row", [[6 / 8, 2 / 8, 0, 1], [None] * 4, [1, 0, 0, 1], [7 / 9, 2 / 9, 0, 1]]),
        ("column", [[6 / 7, 1, None, 8 / 9], [0, 0, None, 0], [1 / 7, 0, None, 1 / 9], [1, 1, None, 1]]),
        ("all", [[6 / 9, 2 / 9, 0, 8 / 9], [0, 0, 0, 0], [1 / 9, 0, 0, 1 / 9], [7 / 9, 2 / 9, 0, 1]]),
    ],
)
def test_shares(share: str, expected: list[list[float | None]]) -> None:
    found = matrix(share=share)
    assert [row[2:] for row in cells(found)[:4]] == expected
    assert found.percent == {"x", "y", "z", "total"}
    assert f"|matrix:{share}|q:" in found.signature


def test_values_beyond_the_limit_are_summed() -> None:
    found = matrix(limit=1)
    assert found.columns == ["system", "gold", "x", "other", "total"]
    assert cells(found)[:3] == [["a", "x", 6, 2, 8], ["a", "other", 1, 0, 1], ["a", "total", 7, 2, 9]]
    assert "|matrix:counts|limit:1|q:" in found.signature
    assert cells(matrix(limit=3)) == cells(matrix(limit=100)) == cells(matrix())


def test_values_with_the_names_of_totals() -> None:
    found = matrix([("a", "total", "gold", 3), ("a", "other", "system", 2), ("a", "(total)", "other", 1)], limit=4)
    assert found.columns == ["(system)", "(gold)", "gold", "other", "total", "system", "(other)", "(total)"]
    assert cells(found)[-1] == ["a", "(total)", 3, 1, 0, 2, 0, 6]


def test_one_pair_and_none() -> None:
    assert cells(matrix([("a", "x", "x", 1)])) == [["a", "x", 1, 1], ["a", "total", 1, 1]]
    assert cells(matrix([("a", "x", "x", 0)], share="all")) == [["a", "x", None, None], ["a", "total", None, None]]
    empty = Result(matrix().arrow().schema.empty_table())
    assert cells(make_matrix(empty, "gold", "gold", "x", MatrixLayout(), by="system")) == []


def test_what_is_refused() -> None:
    many = [("a", f"{at:04}", "x", 1) for at in range(MAX_VALUES + 1)]
    with pytest.raises(UsageError, match="1,002 values are too many for a matrix; name --limit N"):
        matrix(many)
    assert len(matrix(many, limit=2)) == 4
    for how in ({"share": "rows"}, {"limit": 0}, {"limit": True}, {"limit": 2.5}):
        with pytest.raises(UsageError, match=f"{next(iter(how))} (is|cannot be)"):
            matrix(**how)
