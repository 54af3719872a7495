"""Tables of evaluations as matrices, and groups by several columns, from files, a database and the command line."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import treesql
from tests.conftest import Run, thorough_but
from tests.evaluation.systems import GOLD, A, B, rows
from tests.house.rules import in_turn
from treesql import catalog
from treesql.catalog import kinds
from treesql.errors import UsageError

TABLES = {query.name for query in catalog.all_queries().values() if query.matrix}


def test_a_matrix_has_the_counts_of_its_table() -> None:
    listed = treesql.score("dependency", gold=GOLD, systems=[A, B], table="relation_confusions").rows()
    counts = {(row["system"], row["gold_relation"], row["system_relation"]): row["words"] for row in listed}
    found = rows(A, B, table="relation_confusions", matrix=True)
    relations = [name for name in found[0] if name not in ("system", "gold_relation", "total")]
    assert Counter(relations) == Counter({name for key in counts for name in key[1:]})
    for row in found:
        expected = [counts.get((row["system"], row["gold_relation"], name), 0) for name in relations]
        if row["gold_relation"] != "total":
            assert [row[name] for name in relations] == expected
        assert row["total"] == sum(row[name] for name in relations)
    assert [row["total"] for row in found if row["gold_relation"] == "total"] == [30, 30]


@pytest.mark.slow
def test_a_database_gives_the_same(database: str) -> None:
    how: dict[str, Any] = {"table": "relation_confusions", "matrix": True, "share": "row", "limit": 4}
    found = rows(A, **how)
    assert list(found[0])[-2:] == ["other", "total"]
    from_db = rows("parser-a", gold="gold", db=database, **how)
    with treesql.connect(database, read_only=True) as db:
        loaded = db.score("dependency", gold="gold", systems=["parser-a"], **how)
    assert loaded.rows() == from_db
    assert [{**row, "system": "parser-a.conllu"} for row in from_db] == found
    assert loaded.percent == set(loaded.columns[2:])
    assert "|matrix:row|limit:4|" in loaded.signature


def test_tables_of_two_columns_and_a_count_are_matrices() -> None:
    assert {"relation_confusions", "frame_confusions"} == TABLES
    assert set(kinds.kind("dependency").matrices) == TABLES
    for name in TABLES:
        matrix = rows(A, table=name, matrix=True)
        assert sum(row["total"] for row in matrix[:-1]) == matrix[-1]["total"]


@in_turn(
    ("how", "message"),
    [
        (
            {},
            r"^scores are no table of counts of two columns; a matrix \(matrix=True\) is made of one: table='frame",
        ),
        ({"errors": True}, "^attachment_errors is no table of counts of two columns"),
        ({"table": "upos_accuracy"}, "^upos_accuracy is no table .* table='frame_confusions' or table='relation_conf"),
        ({"table": "relation_confusions", "by": "upos"}, "^a table has its own rows and columns; metric=, by="),
        ({"table": "relation_confusions", "share": "rows"}, "^share cannot be 'rows'; choose one of row, column, all"),
        ({"table": "relation_confusions", "limit": 0}, "^limit is 0; name a whole number of values, 1 or more"),
    ],
)
def test_what_is_no_matrix(how: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rows(A, matrix=True, **how)


def test_options_of_a_matrix_alone() -> None:
    with pytest.raises(UsageError, match=r"^share= does not apply to scores and tables, but to a matrix"):
        rows(A, table="relation_confusions", share="row", limit=2)
    with pytest.raises(UsageError, match=r"a matrix .* is made of one: none of the kind newick"):
        treesql.score("newick", gold="g", systems=["s"], matrix=True)


def test_the_command_line_prints_them(run: Callable[..., Run]) -> None:
    files = ["score", "dependency", GOLD, A]
    done = run(*files, "--table", "relation_confusions", "--matrix", "--limit", 2, "--format", "csv")
    assert (done.code, done.err) == (0, "")
    assert [list(row.values())[1:] for row in csv.DictReader(io.StringIO(done.out))] == [
        ["punct", "5", "0", "0", "5"],
        ["root", "0", "5", "0", "5"],
        ["other", "0", "0", "20", "20"],
        ["total", "5", "5", "20", "30"],
    ]
    shares = run(*files, "--table", "relation_confusions", "--matrix", "--share", "all").out
    assert "16.67%" in shares
    done = run(*files, "--table", "head_distances", "--matrix")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("head_distances is no table of counts of two columns")


def test_the_command_line_groups_by_several_columns(run: Callable[..., Run]) -> None:
    by = (["--by", "upos,n_words/5"], ["--by", "upos", "--by", "n_words/5"])
    one, other = (run("score", "dependency", GOLD, A, *words, "--metric", "uas", "--format", "csv") for words in by)
    assert one == other
    assert one.out.splitlines()[:2] == ['"system","upos","n_words/5","uas"', '"parser-a.conllu","ADP","5..9",1']
    refused = run("score", "dependency", GOLD, A, "--by", "upos,n_words/0")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("cannot group by n_words/0: bins are written COLUMN/WIDTH, and WIDTH is a number")


@pytest.mark.parametrize(
    "how", thorough_but([{"errors": True}, {"table": "relation_confusions"}, {"conll18": True}], {"errors": True})
)
def test_a_limit_of_the_rows_of_a_table_for_every_system(how: dict[str, Any]) -> None:
    found, limited = rows(A, B, **how), rows(A, B, limit=3, **how)
    assert (
        limited
        == [row for name in ("a", "b") for row in found if row["system"] == f"parser-{name}.conllu"][:3]
        + [row for row in found if row["system"] == "parser-b.conllu"][:3]
    )


def test_a_limit_of_rows_is_1_or_more() -> None:
    with pytest.raises(UsageError, match=r"^limit is 0; name a whole number of rows, 1 or more"):
        rows(A, errors=True, limit=0)
