"""Tables as text, CSV, JSON and Parquet."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treesql
from treesql.errors import UsageError
from treesql.results import tables
from treesql.results.result import Result, transpose

TABLE = pa.table({"system": ["a", "b"], "words": [1000, 2], "las": [0.5, None], "form": ["vélo", "x"]})


def test_text() -> None:
    assert tables.render_text(TABLE, frozenset({"las"})) == (
        " system   words      las   form\n"
        " ──────────────────────────────\n"
        " a         1000   50.00%   vélo\n"
        " b            2        -   x\n"
    )
    assert tables.render_text(pa.table({})) == "\n"
    assert tables.text_width(TABLE, frozenset({"las"})) == len(" system   words      las   form") + 2


def test_text_of_a_screen_is_folded() -> None:
    text = tables.render_text(pa.table({"text": ["word " * 20]}), screen=40)
    assert max(map(len, text.replace("\x1b[1m", "").replace("\x1b[0m", "").split("\n"))) <= 40
    assert text.count("word") == 20


def test_a_row_per_measure() -> None:
    found = transpose(Result(TABLE, percent=frozenset({"las"})), "system")
    assert found.to_pydict() == {
        "measure": ["words", "las", "form"],
        "     a": ["  1000", "50.00%", "  vélo"],
        "b": ["2", "-", "x"],
    }


def test_csv_json_and_parquet() -> None:
    file = io.BytesIO()
    tables.write_csv(TABLE.schema, [TABLE.slice(0, 1), TABLE.slice(1)], file)
    assert file.getvalue().decode() == '"system","words","las","form"\n"a",1000,0.5,"vélo"\n"b",2,,"x"\n'
    file = io.BytesIO()
    tables.write_json([TABLE.slice(0, 1), TABLE.slice(1), TABLE.slice(2)], file)
    assert json.loads(file.getvalue()) == TABLE.to_pylist()
    assert file.getvalue().count(b"\n") == 4
    file = io.BytesIO()
    tables.write_json([], file)
    assert file.getvalue() == b"[]\n"
    file = io.BytesIO()
    tables.write_parquet(TABLE.to_reader(), file, {"signature": "las|x"})
    read = pq.read_table(file)
    assert read.cast(TABLE.schema) == TABLE
    assert read.schema.metadata == {b"treesql": treesql.__version__.encode(), b"signature": b"las|x"}


@pytest.mark.parametrize(
    "value", ["union_value(k := 1)", "[union_value(k := 1)]", "170141183460469231731687303715884105727"]
)
def test_a_type_that_parquet_lacks_is_named(db: treesql.Database, tmp_path: Path, value: str) -> None:
    with pytest.raises(
        UsageError,
        match=r'Parquet (has no type for|lacks a value of) the column "x y", which is .*; write CAST\("x y" AS',
    ):
        treesql.write(db.sql(f'SELECT 1 AS a, {value} AS "x y"'), tmp_path / "rows.parquet")
    assert not (tmp_path / "rows.parquet").exists()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("INTERVAL 1 DAY", "1 day"),
        ("union_value(k := 1)", {"k": 1}),
        ("MAP {1: [2]}", {"1": [2]}),
        ("[{'a': 1}]", [{"a": 1}]),
    ],
)
def test_json_of_any_type(db: treesql.Database, value: str, written: object) -> None:
    file = io.BytesIO()
    treesql.write(db.sql(f"SELECT {value} AS x"), file, format="json")
    assert json.loads(file.getvalue()) == [{"x": written}]
