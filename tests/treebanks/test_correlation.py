"""Correlations: by hand, with gaps, constants and tables that are none."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.house.rules import in_turn
from treesql.errors import Diagnostic, InvalidInput, TreesqlError, UnknownName, UsageError
from treesql.treebanks.correlation import correlate_table, matrix, read_table


def pair(a: list[float | None], b: list[float | None]) -> dict[str, float | None]:
    [row] = correlate_table(pa.table({"a": a, "b": b})).rows()
    return row


def test_by_hand() -> None:
    # means 2 and 3; sums of products -1, of squares 2 and 14 / 3... with b = 5, 1, 3: -2, 2, 8
    row = pair([1, 2, 3], [5, 1, 3])
    assert row["r"] == pytest.approx(-2 / math.sqrt(2 * 8))
    assert row["n"] == 3
    # Student's t with one degree of freedom: p = 1 - 2 / pi * atan(|t|)
    t = abs(row["r"] or 0) / math.sqrt(1 - (row["r"] or 0) ** 2)
    assert row["p"] == pytest.approx(1 - 2 / math.pi * math.atan(t))


@pytest.mark.parametrize(("b", "r"), [([2, 4, 6, 8], 1), ([4, 3, 2, 1], -1)])
def test_straight_lines(b: list[float | None], r: int) -> None:
    assert pair([1, 2, 3, 4], b)["r"] == pytest.approx(r)


def test_rows_without_a_value_are_left_out_pair_by_pair() -> None:
    table = pa.table({"a": [1, 2, 3, None, 9], "b": [3, 1, 2, 7, None], "c": [1.0, 2, 4, 8, float("nan")]})
    rows = {(row["metric_a"], row["metric_b"]): row for row in correlate_table(table).rows()}
    assert [row["n"] for row in rows.values()] == [3, 3, 4]
    assert rows["a", "b"]["r"] == pytest.approx(-0.5)


def test_a_constant_column_has_no_correlation_and_that_is_said() -> None:
    heard: list[Diagnostic] = []
    table = pa.table({"a": [1, 2, 3], "b": [0.1, 0.1, 0.1], "c": pa.nulls(3, pa.float64())})
    rows = correlate_table(table, source="here", warn=heard.append).rows()
    assert [(row["n"], row["r"], row["p"]) for row in rows] == [(3, None, None), (0, None, None), (0, None, None)]
    assert list(map(str, heard)) == [
        "here: the column b is constant; its correlations are NULL",
        "here: the column c has no values; its correlations are NULL",
    ]


def test_columns_are_chosen() -> None:
    table = pa.table(
        {"name": ["x", "y", "z"], "flag": [True, False, True], "a": [1, 2, 3], "b": [1, 2, 4], "c": [3, 1, 1]}
    )
    found = correlate_table(table).rows()
    assert [(row["metric_a"], row["metric_b"]) for row in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    found = correlate_table(table, ["c", "a", "c"]).rows()
    assert [(row["metric_a"], row["metric_b"]) for row in found] == [("c", "a")]
    with pytest.raises(UnknownName, match="unknown column 'd'"):
        correlate_table(table, ["a", "d"])
    with pytest.raises(UsageError, match="the column name has no numbers; columns that do: a, b, c"):
        correlate_table(table, ["a", "name"])
    with pytest.raises(UsageError, match="needs two columns of numbers; here is a"):
        correlate_table(table, ["a"])
    with pytest.raises(UsageError, match="needs at least three rows; here are 2"):
        correlate_table(table.slice(0, 2))


def test_matrix() -> None:
    table = pa.table({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4.1], "c": [2, 1, 4, 4.5], "d": [1, 1, 1, 1]})
    shown = matrix(correlate_table(table)).rows()
    assert shown[0] == {"metric": "a", "a": "1", "b": "1.00** [0.99, 1.00]", "c": "0.82 [-0.66, 1.00]", "d": "-"}
    assert shown[3] == {"metric": "d", "a": "", "b": "", "c": "", "d": "1"}
    wide = pa.table({"x": [1, 2, 3, 4, 5], "y": [1, 3, 2, 4, 5.5]})
    [row] = correlate_table(wide).rows()
    assert 0.01 < row["p"] < 0.05
    assert matrix(correlate_table(wide)).rows()[0]["y"].startswith(f"{row['r']:.2f}* [")
    none = pa.table({"x": [1, 2, 3], "y": [1.0, -2.0, 1.0000001]})
    assert matrix(correlate_table(none)).rows()[0]["y"] == "0.00"


@pytest.mark.parametrize("form", ["csv", "json", "parquet", "-"])
def test_tables_of_every_form(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"treebank": "x", "a": 1.5, "b": 2}, {"treebank": "y", "a": None, "b": 3}]
    text = "treebank,a,b\nx,1.5,2\ny,,3\n"
    path = tmp_path / f"t.{form}"
    if form == "csv":
        path.write_text(text)
    elif form == "json":
        path.write_text(json.dumps(rows))
    elif form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    assert read_table("-" if form == "-" else str(path)).to_pylist() == rows


@in_turn(
    ("name", "text", "message"),
    [
        ("t.csv", "", "this is not a csv table"),
        ("t.csv", "a,b\n1\n", "this is not a csv table"),
        ("t.csv", "a,a\n1,2\n", "several columns are called `a`"),
        ("t.json", "{", "this is not a json table"),
        ("t.json", '[{"a": "x"}, {"a": 1}]', "this is not a json table"),
        ("t.json", '{"a": 1}', "not a list of objects"),
        ("t.json", '[{"a": 1}, {"a": "x"}]', "this is not a json table"),
        ("t.parquet", "PAR1", "this is not a parquet table"),
        ("t.txt", "a,b", "a table is a file that ends in .csv, .json, .parquet"),
    ],
)
def test_tables_that_are_none(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(TreesqlError) as error:
        read_table(str(tmp_path / name))
    assert message in str(error.value)
    with pytest.raises(InvalidInput, match="name a file that can be read"):
        read_table(str(tmp_path / "none.csv"))


def test_methods() -> None:
    table = pa.table({"error": [1, 2, 3, 4], "gain": [90.0, 20.0, 21.0, 10.0]})
    found = {method: correlate_table(table, method=method).rows()[0] for method in ("pearson", "spearman", "kendall")}
    assert {name: row["method"] for name, row in found.items()} == {name: name for name in found}
    assert found["spearman"]["r"] == pytest.approx(-0.8)
    assert found["kendall"]["r"] == pytest.approx(-2 / 3)
    assert all((row["pairs"], row["same_order"]) == (6, pytest.approx(1 / 6)) for row in found.values())
    with pytest.raises(UsageError, match="there is no method 'rho'"):
        correlate_table(table, method="rho")


def test_complete_rows() -> None:
    """The last row lacks c, and counts for a and b only without `complete`."""
    table = pa.table({"a": [1.0, 2.0, 3.0, 9.0], "b": [1.0, 2.0, 3.0, -9.0], "c": [3.0, 1.0, 2.0, None]})
    first = correlate_table(table).rows()[0]
    assert (first["metric_a"], first["metric_b"], first["n"]) == ("a", "b", 4)
    found = correlate_table(table, complete=True).rows()
    assert [row["n"] for row in found] == [3, 3, 3]
    assert found[0]["r"] == pytest.approx(1)
