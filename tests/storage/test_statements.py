"""Several statements in one text: the rows of each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import treesql


def values(db: treesql.Database, sql: str, **parameters: object) -> list[list[tuple[object, ...]]]:
    return [
        [tuple(row.values()) for row in reader.read_all().to_pylist()] for reader in db.stream_each(sql, parameters)
    ]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("", []),
        ("SELECT 1", [[(1,)]]),
        ("SELECT 1; SELECT 2, 3;", [[(1,)], [(2, 3)]]),
        ("SELECT 1; PREPARE p AS SELECT 7; SELECT 2", [[(1,)], [(2,)]]),
        ("SELECT 1 WHERE false; SELECT 2", [[], [(2,)]]),
    ],
)
def test_every_statement_with_rows_has_its_own(
    examples: treesql.Database, sql: str, found: list[list[tuple[object, ...]]]
) -> None:
    assert values(examples, sql) == found


def test_each_statement_takes_its_own_parameters(examples: treesql.Database) -> None:
    assert values(examples, "SELECT $a; SELECT $b", a=1, b=2) == [[(1,)], [(2,)]]
    with pytest.raises(treesql.QueryError):
        values(examples, "SELECT 1", a=1)


def test_statements_that_change_rows_are_one_transaction(gold_and_parser: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    shutil.copy(gold_and_parser, path)
    counted = "SELECT CAST(count(*) AS INTEGER) FROM words WHERE xpos = 'Q'"
    change = "UPDATE words SET xpos = 'Q' WHERE word = 1 AND corpus = 'gold'"
    with treesql.connect(path) as db:
        assert values(db, f"{counted}; {change}; {counted}") == [[(0,)], [(5,)]]
        with pytest.raises(treesql.QueryError):
            values(db, f"UPDATE words SET xpos = 'R'; {counted}; SELECT nonsense")
        assert values(db, counted) == [[(5,)]]


def test_an_error_comes_after_the_rows_before_it(examples: treesql.Database) -> None:
    results = examples.stream_each("SELECT 1; SELECT nonsense")
    assert next(results).read_all().num_rows == 1
    with pytest.raises(treesql.QueryError, match="nonsense"):
        next(results)


def test_the_command_prints_each(run, gold_and_parser: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    sql = "SELECT 1 AS a; SELECT 2 AS b"
    assert run("sql", gold_and_parser, sql, "--format", "csv").out == '"a"\n1\n\n"b"\n2\n'
    assert run("sql", gold_and_parser, sql, "-o", tmp_path / "t.csv").code == 0
    assert (tmp_path / "t.csv").read_text() == '"a"\n1\n\n"b"\n2\n'


@pytest.mark.parametrize("sql", ["DELETE FROM words", "CREATE TABLE x AS SELECT 1", "SET threads = 1"])
def test_what_may_not_be_changed_names_the_option(run, gold_and_parser: Path, sql: str) -> None:  # type: ignore[no-untyped-def]
    done = run("sql", gold_and_parser, sql)
    assert (done.code, done.out) == (2, "")
    assert "open the database with --write" in done.err
    assert done.err.count("\n") == 1
