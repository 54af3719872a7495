"""SQL of strangers: what was tried on safe connections, and what came of it.

Every statement is either refused with a clear first line, or harmless: afterwards the files are as they were, no result
has shown what stands in another file, the settings are as they were, and the connection still answers.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, bare
from tests.house.rules import in_turn
from tests.robustness.sql_safety import (
    EXTENSIONS,
    HARMLESS,
    LOCKED,
    NO_FILES,
    READ_ONLY,
    READING,
    SECRET,
    SECRETS,
    SETTINGS,
    STATEMENTS,
    UNKNOWN,
    WRITING,
    files,
    written,
)
from treesql.errors import QueryError, UsageError

hidden = pytest  # a name of this module's, which SQL must not find


@pytest.fixture(scope="module")
def in_memory() -> Iterator[treesql.Database]:
    """A safe database in memory."""
    with treesql.connect(safe=True) as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold")
        yield db


def attempt(db: treesql.Database, sql: str) -> str:
    """The error's message, or nothing; no row may hold the secret."""
    try:
        told, rows = "", db.sql(sql).rows()
    except QueryError as error:
        told, rows = str(error), []
        assert told.splitlines()[0].strip()
    if "reaches no" in told:
        assert len(told.splitlines()) == 1
        assert "treesql load" in told
    assert SECRET not in str(rows)
    return told


def test_enough_was_tried() -> None:
    assert len({sql for sql, _ in STATEMENTS}) >= 180


GLOBAL_SETTINGS = "SELECT name, value FROM duckdb_settings() WHERE scope = 'GLOBAL' ORDER BY name"


@pytest.fixture(scope="module")
def settings(opened: treesql.Database) -> list[dict[str, object]]:
    """The settings of a safe connection, the same after every statement."""
    return opened.sql(GLOBAL_SETTINGS).rows()


@pytest.mark.spread(5)
@pytest.mark.parametrize(("sql", "expected"), STATEMENTS, ids=[sql[:60] for sql, _ in STATEMENTS])
def test_statements_on_a_safe_connection(
    safe: treesql.Database,
    folder: Path,
    before: dict[str, str],
    settings: list[dict[str, object]],
    sql: str,
    expected: str | None,
) -> None:
    told = attempt(safe, written(sql, folder, "open.duckdb"))
    with contextlib.suppress(QueryError):
        safe.sql("ROLLBACK")
    if expected is HARMLESS:
        assert told == ""
    else:
        assert re.search(expected, told), told or "not refused"
    assert files(folder) == before
    assert not Path("out.csv").exists()
    assert safe.sql(GLOBAL_SETTINGS).rows() == settings
    assert safe.sql("SELECT count(*) AS n FROM main.words WHERE corpus = 'gold'").rows() == [{"n": 30}]


def test_statements_on_a_safe_connection_in_memory(
    in_memory: treesql.Database, folder: Path, before: dict[str, str]
) -> None:
    for sql, expected in [*READING, *WRITING, *EXTENSIONS, *SETTINGS, *SECRETS]:
        if expected in (NO_FILES, LOCKED):
            assert re.search(expected, attempt(in_memory, written(sql, folder))), sql
    for path in (folder / "other.duckdb", folder / "new.duckdb"):
        assert re.search(NO_FILES, attempt(in_memory, f"ATTACH '{path}' AS x"))
    assert files(folder) == before


def test_a_writable_safe_connection_reaches_no_other_files(folder: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(folder / "t.duckdb", tmp_path))
    with treesql.connect(path, safe=True) as db:
        for sql in ("FROM 'DIR/secret.csv'", "COPY words TO 'DIR/out.csv'", "ATTACH 'DIR/other.duckdb'", "LOAD httpfs"):
            assert NO_FILES in attempt(db, written(sql, folder)), sql
        assert "locked" in attempt(db, "SET threads = 1")
        db.sql("UPDATE words SET lemma = 'x' WHERE corpus = 'parser-a'")
        db.load(FIXTURES / "parser-b.conllu", corpus="b")
    with treesql.connect(path, read_only=True) as db:
        assert db.corpora == ["gold", "parser-a", "b"]


def test_a_safe_connection_does_all_but_writing_parquet(in_memory: treesql.Database, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="connect without it"):
        in_memory.export(tmp_path / "set", to="parquet")
    [written] = in_memory.export(tmp_path / "gold.conllu", to="conllu")
    assert written.read_bytes() == (FIXTURES / "gold.conllu").read_bytes()
    with treesql.connect() as other:
        other.load(FIXTURES / "gold.conllu", corpus="gold")
        other.export(tmp_path / "set", to="parquet")
    with treesql.connect(safe=True) as other:
        other.load(tmp_path / "set")
        assert other.sentence("mat").svg()
        assert len(other.score("attachment", gold_corpus="gold", system_corpus="gold", by="upos")) == 11


@pytest.mark.slow
def test_python_variables_are_no_tables() -> None:
    import pyarrow as pa

    frame = pa.table({"a": [1]})
    with treesql.connect() as db:
        for name in ("frame", "self", "sql", "catalog"):
            with pytest.raises(QueryError, match="does not exist"):
                db.sql(f"FROM {name}")
        bare(db).register("frame", frame)
        assert db.sql("FROM frame").rows() == [{"a": 1}]


@in_turn(
    ("sql", "message"),
    [
        ("FROM 'DIR/secret.csv'", NO_FILES),
        ("COPY (SELECT 'garbage') TO 'DB' (FORMAT csv, USE_TMP_FILE false)", NO_FILES),
        ("EXPLAIN ANALYZE COPY (SELECT 'garbage') TO 'DB.wal' (FORMAT csv, USE_TMP_FILE false)", NO_FILES),
        ("ATTACH 'DIR/other.duckdb'", NO_FILES),
        ("INSTALL httpfs", NO_FILES),
        ("SET lock_configuration = false", LOCKED),
        ("DELETE FROM words", READ_ONLY),
        ("FROM database", UNKNOWN),
    ],
)
def test_the_command(run, folder: Path, before: dict[str, str], sql: str, message: str) -> None:  # type: ignore[no-untyped-def]
    done = run("sql", folder / "t.duckdb", written(sql, folder))
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert files(folder) == before


RUNAWAY = [  # each would take minutes or all memory, and DuckDB's interrupt does not stop the first ones
    "SELECT length(repeat('x', 4000000000))",
    "SELECT length(rpad('x', 2000000000, 'y'))",
    "SELECT list_sort(range(300000000))",
    "SELECT count(*) FROM range(1000000000000)",
    "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range * b.range % 7 = 3",
    "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r",
    "WITH RECURSIVE r AS (SELECT [1] AS i UNION ALL SELECT list_concat(i, i) FROM r) SELECT max(len(i)) FROM r",
]


@pytest.mark.spread(3)
@pytest.mark.slow
@pytest.mark.parametrize("sql", RUNAWAY)
def test_what_never_ends_is_ended(folder: Path, sql: str) -> None:
    done = command("sql", folder / "t.duckdb", sql, "--timeout", 0.3, "--memory", "2GB")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"stopped")
    assert len(done.stderr.splitlines()) == 1


def command(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    words = [sys.executable, "-m", "treesql", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, check=False, timeout=60)
