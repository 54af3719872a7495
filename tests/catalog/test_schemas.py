"""schemas/ -> DDL, Arrow schemas, reference."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest

from tests.house.rules import in_turn
from treesql.catalog import header, schemas
from treesql.errors import UnknownName


@pytest.mark.parametrize("name", [table.name for table in schemas.all_tables().values() if table.rows])
def test_first_rows_are_those_of_the_file(name: str) -> None:
    lines = (header.folder("schemas") / f"{name}.csv").read_text("utf-8").splitlines()
    with duckdb.connect() as connection:
        connection.execute(schemas.table(name).ddl)
        stored = connection.execute(f"FROM {schemas.quote(name)}").fetchall()
    read = [["" if cell is None else str(cell) for cell in row] for row in stored]
    assert read == list(csv.reader(lines[1:]))


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection on which a test makes tables, each once."""
    with duckdb.connect() as connection:
        yield connection


@in_turn("name", schemas.all_tables())
def test_ddl_and_arrow_schema_agree(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    table = schemas.table(name)
    connection.execute(table.ddl)
    made = connection.execute(
        "SELECT column_name, data_type, is_nullable FROM duckdb_columns() WHERE table_name = ?", [name]
    )
    assert made.fetchall() == [(c.name, c.type, not c.required) for c in table.columns]
    stored = connection.sql(f"FROM {schemas.quote(name)}").to_arrow_table().schema
    read = table.arrow_schema()
    assert read.names == [c.name for c in table.columns if not c.computed]
    for field in read:
        assert str(field.type).replace("_view", "") == str(stored.field(field.name).type).replace(
            "list<l:", "list<item:"
        )


def test_checks_are_enforced() -> None:
    with duckdb.connect() as connection:
        connection.execute(schemas.table("tokens").ddl)
        good = {"corpus": "c", "sentence": 0, "first": 3, "last": 4, "form": "x", "line": 1}

        def insert(values: dict[str, object]) -> None:
            names = ", ".join(map(schemas.quote, values))
            connection.execute(
                f"INSERT INTO tokens ({names}) VALUES ({', '.join('?' * len(values))})", list(values.values())
            )

        insert(good)
        for bad in ({"last": 2}, {"first": 0}, {"form": None}):
            with pytest.raises(duckdb.ConstraintException):
                insert({**good, **bad})


def test_an_arrow_schema_can_be_narrowed_but_keeps_its_key() -> None:
    narrow = schemas.table("words").arrow_schema(frozenset({"form", "head"}))
    assert narrow.names == ["corpus", "sentence", "word", "form", "head"]
    assert narrow.field("form").type == pa.string_view()


def test_unknown_tables_are_named() -> None:
    with pytest.raises(UnknownName, match="did you mean words"):
        schemas.table("word")
