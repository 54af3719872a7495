"""Functions and methods: progress, Ctrl-C, limits, whole files, and what a call leaves behind."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import numpy as np
import pytest

import treesql
from tests.cli.conftest import GOLD, A, B
from tests.conftest import FIXTURES
from treesql import lattices

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

PLF = str(FIXTURES / "lattices.plf")
VERBS = "pattern { V [upos=VERB] }"


@pytest.mark.slow
def test_progress_of_statements(db: Path) -> None:
    told: list[tuple[float, float]] = []

    def report(done: float, total: float) -> None:
        told.append((done, total))

    slow = "SELECT count(*) AS n FROM range(12000) AS a, range(12000) AS b WHERE a.range * b.range % 7 = 1"
    with treesql.connect(db, read_only=True) as database:
        [row] = database.sql(slow, progress=report).rows()
        assert row["n"] > 0
        words = database.sql("FROM words").rows()
        assert database.sql("FROM words", progress=report).rows() == words
        assert database.stream("FROM words", progress=report).read_all().to_pylist() == words
        assert database.find(VERBS, progress=report).rows() == database.find(VERBS).rows()
        with pytest.raises(treesql.QueryError, match="nothing"):
            database.sql("FROM nothing", progress=report)
    assert told
    assert all(0 <= done <= total == 100 for done, total in told)


@pytest.mark.parametrize("how", ["sql", "stream"])
def test_ctrl_c_ends_a_statement_with_progress(db: Path, how: str) -> None:
    def interrupt(done: float, total: float) -> None:
        raise KeyboardInterrupt

    endless = "SELECT count(*) FROM range(1000000000000)"
    with treesql.connect(db, read_only=True) as database:
        with pytest.raises(KeyboardInterrupt):
            getattr(database, how)(endless, progress=interrupt)
        assert database.sql("SELECT 1 AS n").rows() == [{"n": 1}]


def test_the_largest_sentence_of_a_block(folder: Path) -> None:
    with treesql.max_sentence(64), pytest.raises(treesql.InvalidInput, match="max_sentence="):
        treesql.stats(GOLD)
    with pytest.raises(treesql.InvalidInput, match="max_sentence="):
        treesql.stats(GOLD, max_sentence=64)
    assert treesql.check(GOLD, max_sentence="64").faults
    assert not treesql.check(GOLD).faults


def test_tables_are_written_whole_or_not_at_all(folder: Path) -> None:
    found = treesql.find(GOLD, VERBS)
    treesql.write(found, "found.parquet")
    assert duckdb.sql("FROM 'found.parquet'").fetchall() == [tuple(row.values()) for row in found.rows()]
    treesql.write(found, "found.txt")
    assert Path("found.txt").read_text().startswith(" sent_id")
    before = Path("found.txt").read_bytes()
    with treesql.connect("t.duckdb", read_only=True) as db, pytest.raises(treesql.TreesqlError):
        treesql.write(db.stream("SELECT error('no') FROM range(10)"), "found.txt")
    assert Path("found.txt").read_bytes() == before


def test_a_chosen_corpus_and_classes_do_not_stay_in_a_database(folder: Path) -> None:
    shutil.copy("t.duckdb", "copy.duckdb")
    with treesql.connect("copy.duckdb") as file, treesql.connect() as memory:
        for name, path in (("gold", GOLD), ("parser-a", A)):
            memory.load(path, corpus=name)
        for db in (file, memory):
            before = db.stats().rows()
            assert len(db.stats(corpus="gold", classes="classes.csv")) == 1
            with pytest.raises(treesql.UnknownName):
                db.wde(corpus="nonsense")
            assert db.stats().rows() == before
            assert db.corpora == ["gold", "parser-a"]
            assert db.sql("SELECT count(*) AS n FROM relation_classes").rows()[0]["n"] > 2


def test_several_treebanks_of_files(folder: Path) -> None:
    assert [row["treebank"] for row in treesql.stats(Path(GOLD), A, B).rows()] == [
        Path(one).name for one in (GOLD, A, B)
    ]


def test_pruning_by_another_rule_needs_no_references() -> None:
    def all_but_one_path(pruning_input: lattices.PruningInput) -> lattices.EdgeDecisions:
        n_edges = len(pruning_input.lattices.from_node)
        return lattices.decide_edges(pruning_input.lattices, np.ones(n_edges, dtype=bool), np.zeros(n_edges))

    [row] = lattices.prune(PLF, phrases=True, decide=all_but_one_path).rows()
    assert row["pruned"] + row["trimmed"] + row["edges_after"] == row["edges_before"]
    assert row["kept_path_edges"] == row["edges_after"] < row["edges_before"]
    assert row["swcd_after"] is None
