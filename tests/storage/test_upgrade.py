"""Databases of other versions of treesql: upgraded, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import treesql
from tests.conftest import FIXTURES, execute_plainly
from treesql.catalog import schemas
from treesql.errors import DatabaseError
from treesql.storage.upgrade import upgrade


@pytest.mark.slow
def test_an_older_database_is_upgraded(gold_database: Path) -> None:
    """One without a column that is computed, without a table, and with a version of its own."""
    execute_plainly(
        gold_database,
        "DROP VIEW edges",
        "DROP VIEW trees",
        "DROP VIEW features",
        "DROP TABLE feature_lists",
        "CREATE TABLE features (feats VARCHAR, name VARCHAR, value VARCHAR)",
        "ALTER TABLE words DROP COLUMN punctuation",
        "DROP TABLE empty_nodes",
        "CREATE TABLE older AS SELECT 0 AS schema_version, catalogue, treesql_version FROM installation",
        "DROP TABLE installation",
        "ALTER TABLE older RENAME TO installation",
    )
    for read_only in (True, False):
        with pytest.raises(DatabaseError, match=r"made by an older treesql .*run `treesql upgrade"):
            treesql.connect(gold_database, read_only=read_only)
    assert upgrade(str(gold_database)) == (0, schemas.SCHEMA_VERSION)
    with treesql.connect(gold_database, read_only=True) as db:
        assert db.sql("SELECT count(*) AS n FROM words WHERE punctuation").rows() == [{"n": 5}]
        assert db.sql("SELECT count(*) AS n FROM empty_nodes").rows() == [{"n": 0}]
        assert db.sql("SELECT count(*) AS n FROM trees").rows() == [{"n": 5}]
        assert len(db.sql("FROM attachment('gold', 'gold')")) == 30
        number = "SELECT count(*) AS n FROM words AS w JOIN features AS f ON f.feats = w.feats WHERE f.name = 'Number'"
        assert db.sql(number).rows() == [{"n": 10}]


@pytest.mark.thorough
def test_layouts_of_files_are_empty_after_an_upgrade(tmp_path: Path) -> None:
    """Before version 6 corpora had no `layouts`, and files with other layouts were refused: scores and files stay."""
    path, gold, out = tmp_path / "old.duckdb", FIXTURES / "gold.conllu", tmp_path / "out.conllu"
    with treesql.connect(path) as db:
        db.load(gold, corpus="gold")
        db.load(FIXTURES / "parser-a.conllu", corpus="a")
        before = db.score("dependency", gold="gold", systems=["a"], metric=["las", "clas"])
    execute_plainly(path, "ALTER TABLE corpora DROP COLUMN layouts", "UPDATE installation SET schema_version = 5")
    with pytest.raises(DatabaseError, match=r"tables of version 5\); run `treesql upgrade"):
        treesql.connect(path)
    assert upgrade(path) == (5, schemas.SCHEMA_VERSION)
    with treesql.connect(path) as db:
        assert db.sql("SELECT c.corpus, c.layouts FROM corpora AS c WHERE c.layouts IS NOT NULL").rows() == []
        after = db.score("dependency", gold="gold", systems=["a"], metric=["las", "clas"])
        assert (after.rows(), after.signatures) == (before.rows(), before.signatures)
        db.export(out, corpus="gold")
        assert out.read_bytes() == gold.read_bytes()
        marked = tmp_path / "marked.conllu"
        marked.write_bytes(b"\xef\xbb\xbf" + gold.read_bytes())
        with pytest.warns(treesql.TreesqlWarning, match="byte order mark"):
            db.load(marked, corpus="marked")
        assert db.sql("SELECT c.layouts FROM corpora AS c WHERE c.corpus = 'marked'").rows() == [{"layouts": ["bom"]}]


def test_an_upgrade_that_lacks_something_changes_nothing(gold_database: Path) -> None:
    execute_plainly(
        gold_database,
        "CREATE TABLE w AS SELECT * EXCLUDE (line) FROM words",
        "DROP VIEW edges",
        "DROP VIEW trees",
        "DROP TABLE words",
        "ALTER TABLE w RENAME TO words",
    )
    with pytest.raises(DatabaseError, match="load its corpora again"):
        upgrade(str(gold_database))
    with duckdb.connect(str(gold_database)) as connection:
        assert connection.execute("SELECT count(*) FROM words").fetchall() == [(30,)]


def test_a_newer_database_is_refused(gold_database: Path) -> None:
    execute_plainly(gold_database, "UPDATE installation SET schema_version = 99")
    with pytest.raises(DatabaseError, match="made by a newer treesql"):
        treesql.connect(gold_database)
    with pytest.raises(DatabaseError, match="made by a newer treesql"):
        upgrade(str(gold_database))


@pytest.mark.thorough
def test_an_upgrade_adds_secondary_edges(tmp_path: Path) -> None:
    """Before version 8 secondary edges were not kept; rows of constituents stay."""
    path = tmp_path / "old.duckdb"
    with treesql.connect(path) as db:
        db.load(FIXTURES / "gold.mrg", corpus="gold")
        n = len(db.sql("SELECT c.node FROM constituents AS c"))
    execute_plainly(
        path, "DROP VIEW traces", "DROP TABLE secondary_edges", "UPDATE installation SET schema_version = 7"
    )
    assert upgrade(path) == (7, schemas.SCHEMA_VERSION)
    with treesql.connect(path) as db:
        assert len(db.sql("SELECT c.node FROM constituents AS c")) == n
        assert db.sql("SELECT count(*) AS n FROM secondary_edges").rows() == [{"n": 0}]
        db.load(FIXTURES / "discontinuous.export", corpus="gaps")
        assert db.sql("SELECT e.word, e.parent, e.label FROM secondary_edges AS e").rows() == [
            {"word": 1, "parent": 1, "label": "SB"}
        ]
