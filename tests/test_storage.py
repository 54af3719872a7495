"""Opening databases: versions, readers and writers, what is not a database."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import treesql
from tests.conftest import FIXTURES
from treesql import catalog
from treesql.catalog import schemas
from treesql.errors import DatabaseError, QueryError
from treesql.storage.upgrade import upgrade


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database file with the corpus gold."""
    with treesql.connect(tmp_path / "t.duckdb") as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold")
    return tmp_path / "t.duckdb"


def change(path: Path, *statements: str) -> None:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)


def words(path: Path) -> int:
    with treesql.connect(path, read_only=True) as db:
        return int(db.sql("SELECT count(*) AS n FROM words").rows()[0]["n"])


def test_macros_work_in_any_client(path: Path) -> None:
    with duckdb.connect(str(path), read_only=True) as plain:
        found = plain.execute(
            "SELECT sum(correct_head) FROM attachment('gold', 'gold', punctuation := 'form')"
        ).fetchall()
    assert found == [(25,)]


def test_reading_needs_a_file(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="there is no such database; `treesql load"):
        treesql.connect(tmp_path / "none.duckdb", read_only=True)
    assert not (tmp_path / "none.duckdb").exists()


def test_other_files_are_refused(tmp_path: Path, path: Path) -> None:
    (tmp_path / "text").write_text("no database" * 1000)
    with pytest.raises(DatabaseError, match="no DuckDB database"):
        treesql.connect(tmp_path / "text")
    change(tmp_path / "other.duckdb", "CREATE TABLE mine (a INTEGER)")
    for read_only in (True, False):
        with pytest.raises(DatabaseError, match="not made by treesql"):
            treesql.connect(tmp_path / "other.duckdb", read_only=read_only)


@pytest.mark.slow
def test_many_read_and_one_writes(path: Path) -> None:
    hold = (
        "import sys, treesql\ndb = treesql.connect(sys.argv[1], read_only=sys.argv[2] == 'r')\n"
        "print('open', flush=True)\nsys.stdin.read()"
    )

    def opened(mode: str) -> subprocess.Popen[str]:
        child = subprocess.Popen([sys.executable, "-c", hold, str(path), mode], stdin=-1, stdout=-1, text=True)
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        return child

    reader = opened("r")
    assert words(path) == 30
    with pytest.raises(DatabaseError, match="has this database open"):
        treesql.connect(path)
    reader.communicate("")
    writer = opened("w")
    for read_only in (True, False):
        with pytest.raises(DatabaseError, match=rf"process {writer.pid} has this database open"):
            treesql.connect(path, read_only=read_only)
    writer.communicate("")
    assert words(path) == 30


def test_an_older_database_is_upgraded(path: Path) -> None:
    """One without a column that is computed, without a table, and with a version of its own."""
    change(
        path,
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
            treesql.connect(path, read_only=read_only)
    assert upgrade(str(path)) == (0, schemas.SCHEMA_VERSION)
    with treesql.connect(path, read_only=True) as db:
        assert db.sql("SELECT count(*) AS n FROM words WHERE punctuation").rows() == [{"n": 5}]
        assert db.sql("SELECT count(*) AS n FROM empty_nodes").rows() == [{"n": 0}]
        assert db.sql("SELECT count(*) AS n FROM trees").rows() == [{"n": 5}]
        assert len(db.sql("FROM attachment('gold', 'gold')")) == 30
        number = "SELECT count(*) AS n FROM words AS w JOIN features AS f ON f.feats = w.feats WHERE f.name = 'Number'"
        assert db.sql(number).rows() == [{"n": 10}]


def test_an_upgrade_that_lacks_something_changes_nothing(path: Path) -> None:
    change(
        path,
        "CREATE TABLE w AS SELECT * EXCLUDE (line) FROM words",
        "DROP VIEW edges",
        "DROP VIEW trees",
        "DROP TABLE words",
        "ALTER TABLE w RENAME TO words",
    )
    with pytest.raises(DatabaseError, match="load its corpora again"):
        upgrade(str(path))
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT count(*) FROM words").fetchall() == [(30,)]


def test_a_newer_database_is_refused(path: Path) -> None:
    change(path, "UPDATE installation SET schema_version = 99")
    with pytest.raises(DatabaseError, match="made by a newer treesql"):
        treesql.connect(path)
    with pytest.raises(DatabaseError, match="made by a newer treesql"):
        upgrade(str(path))


@pytest.mark.slow
def test_macros_of_another_catalogue_are_replaced(path: Path) -> None:
    """Read-only they are made for the session, writing they are stored; what a user added stays."""
    stale = "CREATE OR REPLACE MACRO attachment(a, b) AS TABLE SELECT 1 AS nothing"
    change(path, stale, "UPDATE installation SET catalogue = 'old'", "CREATE VIEW mine AS SELECT 1 AS a")
    for read_only in (True, False):
        with treesql.connect(path, read_only=read_only) as db:
            assert len(db.sql("FROM attachment('gold', 'gold')")) == 30
    with duckdb.connect(str(path)) as plain:
        assert len(plain.execute("FROM attachment('gold', 'gold')").fetchall()) == 30
        assert plain.execute("SELECT catalogue FROM installation").fetchall() == [(catalog.digest(),)]
        assert plain.execute("FROM mine").fetchall() == [(1,)]


def test_a_safe_connection_reaches_nothing_else(path: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    with treesql.connect(path, read_only=True, safe=True) as db:
        assert len(db.sql("FROM attachment('gold', 'gold')")) == 30
        for sql in (
            f"FROM '{tmp_path}/a.csv'",
            f"COPY words TO '{tmp_path}/out.csv'",
            f"ATTACH '{tmp_path}/x.duckdb'",
            "SET enable_external_access = true",
            "DELETE FROM words",
        ):
            with pytest.raises(QueryError):
                db.sql(sql)
    assert not (tmp_path / "out.csv").exists()


def test_a_database_is_opened_again_beside_a_stream_that_was_not_read(path: Path) -> None:
    with treesql.connect(path, read_only=True) as db:
        stream = db.stream("FROM words")
    with treesql.connect(path, read_only=True) as db:
        assert len(db.sql("FROM words")) == 30
    with pytest.raises(QueryError):
        stream.read_all()
