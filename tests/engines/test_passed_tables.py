"""Data frames and other tables of Python in SQL, by their names."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pyarrow as pa
import pytest

import treesql

COLUMNS = {"form": ["cat", "issue", "dog"], "n": [1, 2, 3]}
SQL = "SELECT df.n FROM words AS w JOIN df ON df.form = w.form WHERE w.corpus = 'gold' ORDER BY df.n"


@pytest.mark.parametrize("make", [dict, pa.table, pl.DataFrame, lambda columns: treesql.Result(pa.table(columns))])
def test_tables_are_read_by_their_names(
    examples: treesql.Database, make: Callable[[dict[str, list[object]]], object]
) -> None:
    assert [row["n"] for row in examples.sql(SQL, tables={"df": make(COLUMNS)}).rows()] == [1, 2]  # type: ignore[arg-type]


def test_a_table_is_known_to_its_statement_alone(examples: treesql.Database) -> None:
    examples.sql("FROM df", tables={"df": COLUMNS})
    with pytest.raises(treesql.QueryError, match="df does not exist"):
        examples.sql("FROM df")


def test_a_safe_connection_reads_them(gold_and_parser) -> None:  # type: ignore[no-untyped-def]
    with treesql.connect(gold_and_parser, read_only=True, safe=True) as db:
        assert len(db.sql("FROM df", tables={"df": COLUMNS})) == 3


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"df": 3}, "df is int; pass a Result, an Arrow table"),
        ({"Words": COLUMNS}, "Words is a table of treesql"),
        ({"df": {"a": [1], "b": [1, 2]}}, "df: Column 1 named b expected length 1 but got length 2"),
    ],
)
def test_what_is_no_table_is_refused(examples: treesql.Database, tables: dict[str, object], message: str) -> None:
    with pytest.raises(treesql.UsageError, match=message):
        examples.sql("SELECT 1", tables=tables)
