"""Tables as text, CSV, JSON and Parquet."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treesql
from treesql.cli import _options
from treesql.errors import UsageError
from treesql.results import tables
from treesql.results.result import Result, is_too_wide, render, transpose

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
    transposed = transpose(Result(TABLE, percent=frozenset({"las"})), "system")
    assert render(transposed) == (
        " measure        a   b\n"
        " ────────────────────\n"
        " words       1000   2\n"
        " las       50.00%   -\n"
        " form        vélo   x\n"
    )


SYSTEMS = ["a_parser_with_a_long_name.conllu", "another_with_a_long_name.conllu", "a_third_one.conllu"]
SCORED = Result(
    pa.table(
        {"system": SYSTEMS, "n_words": [25096] * 3}
        | {f"measure_with_a_name_{at}": [0.7477, 0.7095 + at / 100, 1.0] for at in range(12)}
    ),
    percent=frozenset(f"measure_with_a_name_{at}" for at in range(12)),
)
"""Wider than screens in both directions unless names are folded."""


def lines_on_screen(result: Result, width: int) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", render(result, screen=width)).splitlines()


@pytest.mark.parametrize("width", [80, 90, 103])
def test_measures_are_rows_and_names_folded_where_a_screen_is_narrow(width: int) -> None:
    assert is_too_wide(SCORED, "system", width, folded=True)
    assert not is_too_wide(SCORED, "system", 60)
    lines = lines_on_screen(transpose(SCORED, "system"), width)
    assert max(map(len, lines)) <= width
    rows = {row[0]: row[1:] for line in lines if len(row := line.split()) == 4}
    assert rows["n_words"] == ["25096"] * 3
    assert [rows[f"measure_with_a_name_{at}"] for at in range(12)] == [
        ["74.77%", f"{70.95 + at:.2f}%", "100.00%"] for at in range(12)
    ]


@pytest.mark.parametrize("width", [20, 80, 103, 195])
def test_no_number_is_cut(width: int) -> None:
    """Not even where a table is wider than its screen."""
    text = "\n".join(lines_on_screen(SCORED, width))
    assert text.count("74.77%") == text.count("100.00%") == 12


def test_many_systems_remain_rows_where_their_columns_would_be_wider() -> None:
    many = Result(pa.table({"system": [f"system_{at}" for at in range(30)], "las": [0.5] * 30}))
    assert not is_too_wide(many, "system", 15, folded=True)


def test_a_narrow_terminal_has_measures_as_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", Screen(written, "utf-8"))
    monkeypatch.setattr(_options, "screen_width", lambda: 80)
    _options.print_result(SCORED, None, None, turned_by="system")
    lines = written.getvalue().decode().splitlines()
    assert [line.split()[0] for line in lines][-12:] == SCORED.columns[2:]


ODD = pa.table(
    {
        'a"b': ["".join(map(chr, range(128))), None, "", 'x"\\y\tz', "é\u2028🌳", '""', "\r\n"],
        "n": [1, None, -(2**63), 2**63 - 1, 0, 5, 6],
        "x": [0.1, None, float("nan"), float("inf"), -0.0, 1e300, 2.0],
        "sum": pa.array([Decimal(10**37), None, *map(Decimal, range(5))], pa.decimal128(38, 0)),
        "is": [True, None, False, True, True, True, True],
    }
)  # fmt: skip
"""All that a format has to escape, in chunks of which some are empty and some begin within their buffers."""


def odd_chunks() -> list[pa.Table]:
    return [ODD.slice(0, 0), ODD.slice(0, 2), ODD.slice(2, 4), pa.concat_tables([ODD.slice(6), ODD.slice(0, 0)])]


def test_csv_is_that_of_python() -> None:
    """A column of a type that is not cast by Arrow alone takes another way, and the others are the same."""
    plain, cast = io.BytesIO(), io.BytesIO()
    tables.write_csv(ODD.schema, odd_chunks(), plain)
    days = [one.append_column("day", pa.array([None] * len(one), pa.date32())) for one in odd_chunks()]
    tables.write_csv(days[0].schema, days, cast)
    rows = list(csv.reader(io.StringIO(plain.getvalue().decode(), newline="")))
    assert rows[0] == ODD.column_names
    assert [row[0] for row in rows[1:]] == [text or "" for text in ODD[0].to_pylist()]
    assert [row[1] for row in rows[1:]] == ["" if n is None else str(n) for n in ODD["n"].to_pylist()]
    assert list(csv.reader(io.StringIO(cast.getvalue().decode(), newline=""))) == [
        [*row, "day" if not at else ""] for at, row in enumerate(rows)
    ]
    assert b"\n,,,,\n" in plain.getvalue()
    assert b'\n"",' in plain.getvalue(), "an empty text is not NULL"


def test_tsv_and_json_of_characters_that_are_escaped() -> None:
    file = io.BytesIO()
    tables.write_tsv(ODD.schema, odd_chunks(), file)
    written = [line.split("\t")[0] for line in file.getvalue().decode().split("\n")[1:-1]]
    expected = [text or "" for text in ODD[0].to_pylist()]
    for character, shown in (("\\", r"\\"), ("\t", r"\t"), ("\n", r"\n"), ("\r", r"\r")):
        expected = [text.replace(character, shown) for text in expected]
    assert written == expected
    file = io.BytesIO()
    tables.write_json(odd_chunks(), file)
    rows = [
        {name: None if value != value or value in (float("inf"),) else value for name, value in row.items()}
        for row in ODD.to_pylist()
    ]
    assert json.loads(file.getvalue()) == rows
    assert all(byte >= 32 or byte == 10 for byte in file.getvalue())


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
