"""A database in a process that has DuckDB alone: tables, views and macros work, queries of kernels are not there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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


def test_all_queries_but_those_of_kernels_are_there(found: dict[str, list[list[object]]]) -> None:
    names = {str(row[0]) for row in found["macros"]}
    assert names == {name for name, query in all_queries().items() if not query.needs_kernel}
    page = (ROOT / "docs" / "other_clients.md").read_text("utf-8")
    counts = f"Of the {len(all_queries())} queries, {len(names)} are table macros that work in every client"
    assert counts in page
    assert f"{len(all_queries()) - len(names)} call kernels" in page
