"""Opening databases: versions, readers and writers, what is not a database."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import treesql
from tests.conftest import FIXTURES, execute_plainly
from treesql import catalog
from treesql.engines import duckdb as engine_module
from treesql.engines.connections import memory_config
from treesql.engines.duckdb import MAX_TUPLES, _as_table, _tables_named, memory_setting, release_blocks
from treesql.errors import DatabaseError, QueryError
from treesql.readers import Options
from treesql.runtime import limits
from treesql.storage.loading import copy_rows


def words(gold_database: Path) -> int:
    with treesql.connect(gold_database, read_only=True) as db:
        return int(db.sql("SELECT count(*) AS n FROM words").rows()[0]["n"])


def test_macros_work_in_any_client(gold_database: Path) -> None:
    with duckdb.connect(str(gold_database), read_only=True) as plain:
        found = plain.execute(
            "SELECT sum(correct_head) FROM attachment('gold', 'gold', punctuation := 'form')"
        ).fetchall()
    assert found == [(25,)]


def test_reading_needs_a_file(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="there is no such database; `treesql load"):
        treesql.connect(tmp_path / "none.duckdb", read_only=True)
    assert not (tmp_path / "none.duckdb").exists()


def test_other_files_are_refused(tmp_path: Path, gold_database: Path) -> None:
    (tmp_path / "text").write_text("no database" * 1000)
    with pytest.raises(DatabaseError, match="not a DuckDB database"):
        treesql.connect(tmp_path / "text")
    execute_plainly(tmp_path / "other.duckdb", "CREATE TABLE mine (a INTEGER)")
    for read_only in (True, False):
        with pytest.raises(DatabaseError, match="not made by treesql"):
            treesql.connect(tmp_path / "other.duckdb", read_only=read_only)


@pytest.mark.slow
def test_many_read_and_one_writes(gold_database: Path) -> None:
    hold = (
        "import sys, treesql\ndb = treesql.connect(sys.argv[1], read_only=sys.argv[2] == 'r')\n"
        "print('open', flush=True)\nsys.stdin.read()"
    )

    def opened(mode: str) -> subprocess.Popen[str]:
        child = subprocess.Popen([sys.executable, "-c", hold, str(gold_database), mode], stdin=-1, stdout=-1, text=True)
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        return child

    reader = opened("r")
    assert words(gold_database) == 30
    with pytest.raises(DatabaseError, match="has this database open"):
        treesql.connect(gold_database)
    reader.communicate("")
    writer = opened("w")
    for read_only in (True, False):
        with pytest.raises(DatabaseError, match=rf"process {writer.pid} has this database open"):
            treesql.connect(gold_database, read_only=read_only)
    writer.communicate("")
    assert words(gold_database) == 30


def test_a_process_may_open_a_database_twice(gold_database: Path) -> None:
    """Functions stay when the connection that installed them is closed."""
    sql = "SELECT common_subsequence(['a', 'b', 'c'], ['b', 'c', 'a']) AS common FROM range(3)"
    first = treesql.connect(gold_database)
    second = treesql.connect(gold_database)
    third = treesql.connect(gold_database)
    rows = first.sql(sql).rows()
    first.close()
    gc.collect()
    second.load(FIXTURES / "gold.conllu", corpus="again", replace=True)
    assert third.corpora == second.corpora
    assert second.sql(sql).rows() == third.sql(sql).rows() == rows
    second.close()
    assert third.sql(sql).rows() == rows
    third.close()


def test_a_process_opens_a_database_in_one_way(gold_database: Path) -> None:
    with treesql.connect(gold_database) as first:
        with pytest.raises(DatabaseError, match="open with other options; close that connection first"):
            treesql.connect(gold_database, read_only=True)
        with pytest.raises(DatabaseError, match="close it before a safe connection"):
            treesql.connect(gold_database, safe=True)
        first.load(FIXTURES / "gold.conllu", corpus="again")
    with treesql.connect(gold_database, safe=True), pytest.raises(DatabaseError, match="has a safe connection"):
        treesql.connect(gold_database)


@pytest.mark.slow
def test_macros_of_another_catalogue_are_replaced(gold_database: Path) -> None:
    """Read-only they are made for the session, writing they are stored; what a user added stays."""
    stale = "CREATE OR REPLACE MACRO attachment(a, b) AS TABLE SELECT 1 AS nothing"
    execute_plainly(
        gold_database, stale, "UPDATE installation SET catalogue = 'old'", "CREATE VIEW mine AS SELECT 1 AS a"
    )
    for read_only in (True, False):
        with treesql.connect(gold_database, read_only=read_only) as db:
            assert len(db.sql("FROM attachment('gold', 'gold')")) == 30
    with duckdb.connect(str(gold_database)) as plain:
        assert len(plain.execute("FROM attachment('gold', 'gold')").fetchall()) == 30
        assert plain.execute("SELECT catalogue FROM installation").fetchall() == [(catalog.digest(),)]
        assert plain.execute("FROM mine").fetchall() == [(1,)]


def test_a_safe_connection_reaches_nothing_else(gold_database: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    with treesql.connect(gold_database, read_only=True, safe=True) as db:
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


def test_a_database_is_opened_again_beside_a_stream_that_was_not_read(gold_database: Path) -> None:
    with treesql.connect(gold_database, read_only=True) as db:
        stream = db.stream("FROM words")
    with treesql.connect(gold_database, read_only=True) as db:
        assert len(db.sql("FROM words")) == 30
    with pytest.raises(QueryError):
        stream.read_all()


@pytest.mark.slow
def test_duckdb_gets_what_the_process_leaves() -> None:
    try:
        assert memory_config() == {}
        limits.limit_process(memory=2_000_000_000_000)
        assert memory_config() == {"memory_limit": "1999750000000B"}
        assert memory_config(7) == {"memory_limit": "7B"}
    finally:
        limits.unlimit_process()
    assert memory_config() == {}


def test_blocks_in_memory_are_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of memory and what is not on disk yet stay."""
    used = "SELECT sum(memory_usage_bytes) FROM duckdb_memory() WHERE tag = 'BASE_TABLE'"
    monkeypatch.setattr(engine_module, "_CACHE_BYTES", 4_000_000)
    with duckdb.connect(str(tmp_path / "a.duckdb"), config={"memory_limit": "500MB"}) as connection:
        limit = memory_setting(connection)
        connection.execute("CREATE TABLE t AS SELECT hash(range) AS h FROM range(3_000_000)")
        connection.execute("CHECKPOINT")
        connection.execute("SELECT sum(h) FROM t").fetchall()
        assert connection.execute(used).fetchall()[0][0] > 4_000_000
        release_blocks(connection, limit)
        assert connection.execute(used).fetchall()[0][0] <= 4_000_000
        connection.execute("BEGIN")
        connection.execute("INSERT INTO t SELECT h + 1 FROM t WHERE h % 2 = 0")
        release_blocks(connection, limit)
        connection.execute("COMMIT")
        assert 476 < float(memory_setting(connection).split()[0]) < 477
        [(n,)] = connection.execute("SELECT count(*) FROM t").fetchall()
        assert n > 4_000_000


@pytest.mark.parametrize("n", [0, 1, MAX_TUPLES - 1, MAX_TUPLES, MAX_TUPLES + 1])
def test_rows_are_the_same_however_they_are_fetched(n: int) -> None:
    """The first result of a kind is copied by DuckDB, the others are fetched as tuples where they are few and plain."""
    plain = ["i", "CAST(i AS HUGEINT)", "CAST(i AS INTEGER)", "i / 3", "CAST(i AS VARCHAR)", "i > 1", "nullif(i, 0)"]
    others = [
        "uuid() IS NULL", "CAST('12345678-1234-1234-1234-12345678901' || i % 10 AS UUID)", "CAST('01' AS BIT)",
        "CAST(i AS DECIMAL(9, 2))", "[i]", "{'a': i}", "MAP {'a': i}", "CAST('a' AS BLOB)", "union_value(k := i)",
    ]  # fmt: skip
    with duckdb.connect() as connection:
        for value in (*plain, *others):
            sql = f"SELECT {value} AS v, i FROM (SELECT unnest(range({n})) AS i) ORDER BY i"
            first, second = (_as_table(connection.execute(sql)) for _ in range(2))
            assert second.equals(first), value
            assert second.equals(connection.sql(sql).to_arrow_table()), value


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        ("SELECT s.n_words AS words FROM sentences AS s ORDER BY words", {"sentences"}),
        ('SELECT 1 FROM temp."main" . "Words" AS w', {"words"}),
        ("select 1 from (select 1 from SENTENCES) as s join words as w on true", {"sentences", "words"}),
        ("SELECT 1 FROM features", {"feature_lists"}),
    ],
)
def test_tables_are_read_where_statements_name_them_as_relations(statement: str, read: set[str]) -> None:
    """In any case, of any schema, also through views, and not by columns of their name."""
    assert _tables_named(statement) == read


def test_a_table_whose_rows_are_replaced_is_not_taken_for_empty() -> None:
    statement = "SELECT w.form FROM (SELECT c.form FROM words AS c) AS w"
    with copy_rows({}, Options(), None, of_lines=True) as engine:
        assert "words" in engine.empty
        rows = pa.table({"corpus": ["c"], "sentence": [0], "word": [1], "form": ["cat"]})
        engine.replace_rows("words", rows)
        assert "words" not in engine.empty
        assert engine.rows(statement) == [("cat",)]
