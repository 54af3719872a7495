"""Other clients of a database, that have DuckDB alone, and tables of Python in SQL by their names."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

import treesql
from tests.conftest import ROOT
from treesql.catalog.queries import all_queries

READ = """
import json, sys
import duckdb

with duckdb.connect(sys.argv[1], read_only=True) as connection:
    found = {name: connection.execute(sql).fetchall() for name, sql in json.load(sys.stdin).items()}
    try:
        connection.execute("FROM attachment('gold', 'nosuch')").fetchall()
    except duckdb.Error as error:
        found["refused"] = str(error)
    assert "treesql" not in sys.modules
print(json.dumps(found))
"""
STATEMENTS = {
    "words": "SELECT corpus, count(*) FROM words GROUP BY corpus ORDER BY corpus",
    "view": "SELECT count(*) FROM edges WHERE corpus = 'gold' AND deprel = 'root' AND NOT enhanced",
    "function": "SELECT form FROM words WHERE corpus = 'gold' AND feature(feats, 'Number') = 'Sing' AND form = 'cat'",
    "query": "SELECT form FROM attachment('gold', 'parser-a') WHERE correct_edge = 0 ORDER BY sentence, word",
    "macros": "SELECT function_name FROM duckdb_functions() WHERE function_type = 'table_macro' AND NOT internal",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[object]]]:
    path = tmp_path_factory.mktemp("clients") / "examples.duckdb"
    with treesql.connect(path) as db:
        db.load(ROOT / "fixtures" / "gold.conllu", corpus="gold")
        db.load(ROOT / "fixtures" / "parser-a.conllu", corpus="parser-a")
    return read(path)


def read(path: Path) -> dict[str, list[list[object]]]:
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        input=json.dumps(STATEMENTS),
        capture_output=True,
        text=True,
        check=True,
    )
    rows: dict[str, list[list[object]]] = json.loads(done.stdout)
    return rows


def test_tables_views_functions_and_queries_work(found: dict[str, list[list[object]]]) -> None:
    """The six errors of parser-a are those of the README."""
    assert found["words"] == [["gold", 30], ["parser-a", 30]]
    assert found["view"] == [[5]]
    assert found["function"] == [["cat"]]
    assert found["query"] == [["mat"], ["do"], ["issue"], ["and"], ["Bob"], ["coffee"]]
    assert "there is no corpus nosuch" in str(found["refused"])


def test_all_queries_but_those_of_kernels_and_parts_of_others_are_there(found: dict[str, list[list[object]]]) -> None:
    names = {str(row[0]) for row in found["macros"]}
    assert names == {name for name, query in all_queries().items() if query.stays_in_files}
    assert {"attachment", "treebank_statistics", "word_pairs"} <= names  # a relation that people read, too
    kernels = [query.name for query in all_queries().values() if query.needs_kernel]
    page = (ROOT / "docs" / "other_clients.md").read_text("utf-8")
    counts = f"Of the {len(all_queries())} queries, {len(names)} are table macros that work in every client"
    assert counts in page
    n_parts = len(all_queries()) - len(kernels) - len(names)
    assert f"{len(kernels)} call kernels, and {n_parts} are parts of others" in page
    assert f"call one of these {len(kernels) + n_parts} work" in page


def test_parts_of_queries_are_made_where_sql_names_them(tmp_path: Path) -> None:
    path = tmp_path / "examples.duckdb"
    with treesql.connect(path) as db:
        db.load(ROOT / "fixtures" / "gold.conllu", corpus="gold")
    with treesql.connect(path, read_only=True) as db:
        universal = db.sql("SELECT universal FROM universal_features() WHERE feats = 'Number=Sing'").rows()
    assert universal == [{"universal": "Number=Sing"}]
    assert ["universal_features"] not in read(path)["macros"]  # it was made for the connection alone


def test_views_and_macros_of_users_may_call_them(tmp_path: Path) -> None:
    """Also in connections after that of their definition, where SQL does not name what they call."""
    path = tmp_path / "examples.duckdb"
    with treesql.connect(path) as db:
        db.load(ROOT / "fixtures" / "gold.conllu", corpus="gold")
        db.load(ROOT / "fixtures" / "gold.mrg", corpus="trees")
        db.sql("CREATE VIEW of_parts AS FROM universal_features(), word_edges('gold')")
        db.sql("CREATE VIEW of_kernels AS FROM keyed_trees('trees')")
        db.sql("CREATE MACRO of_people(named) AS TABLE FROM universal_features() WHERE feats = named")
    for sql in ("FROM of_parts", "FROM of_kernels", "FROM of_people('Number=Sing')"):
        with treesql.connect(path, read_only=True) as db:
            assert len(db.sql(sql)) > 0, sql
        with treesql.connect(path, read_only=True) as db:
            one, whole = [reader.read_all() for reader in db.stream_each(f"SELECT 1; {sql}")]
            assert len(one) == 1
            assert len(whole) > 0, sql


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
