"""New databases are copies of one that is kept; nothing depends on whether it is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import treesql
from tests.conftest import thorough_but
from treesql.engines import duckdb_files

_CONTENTS = (
    "SELECT table_name, sql FROM duckdb_tables() ORDER BY ALL",
    "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
    "SELECT function_name, parameters, macro_definition FROM duckdb_functions() WHERE NOT internal ORDER BY ALL",
    "SELECT * FROM installation",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the database is kept: an empty one."""
    found = tmp_path / "kept"
    monkeypatch.setattr(duckdb_files, "_cache_folder", lambda: found)
    return found


def contents(path: Path) -> list[object]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return [connection.execute(sql).fetchall() for sql in _CONTENTS]


def kept(folder: Path) -> list[Path]:
    return list(folder.glob("*.duckdb"))


@pytest.mark.slow
def test_a_copy_is_what_is_made(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(duckdb_files, "_keep_empty_database", _keep_nothing)
        treesql.connect(tmp_path / "made.duckdb").close()
    assert not kept(folder)
    treesql.connect(tmp_path / "first.duckdb").close()
    assert len(kept(folder)) == 1
    with monkeypatch.context() as patched:
        patched.setattr(duckdb_files, "install_views_and_macros", None)  # nothing is made a second time
        treesql.connect(tmp_path / "copied.duckdb").close()
    for name in ("first", "copied"):
        assert contents(tmp_path / f"{name}.duckdb") == contents(tmp_path / "made.duckdb")


def _keep_nothing(make: object) -> Path:
    raise OSError


@pytest.mark.slow
@pytest.mark.parametrize("keeps", thorough_but([True, False], True))
def test_a_new_database_is_locked(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keeps: bool) -> None:
    if not keeps:
        monkeypatch.setattr(duckdb_files, "_keep_empty_database", _keep_nothing)
    program = "import sys, duckdb; duckdb.connect(sys.argv[1])"
    for name in ("first", "second"):
        path = tmp_path / f"{name}.duckdb"
        with treesql.connect(path):
            other = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True)
        assert "Could not set lock on file" in other.stderr


@pytest.fixture
def no_macros(monkeypatch: pytest.MonkeyPatch) -> None:
    """New databases without macros, which take a second to make."""
    monkeypatch.setattr(duckdb_files, "_install_macros", lambda connection: None)


@pytest.mark.usefixtures("no_macros")
def test_loaded_rows_are_not_kept(folder: Path, tmp_path: Path) -> None:
    fixtures = Path(__file__).parents[2] / "fixtures"
    with treesql.connect(tmp_path / "first.duckdb") as db:
        db.load(fixtures / "gold.conllu", corpus="gold")
    with treesql.connect(tmp_path / "second.duckdb") as db:
        assert db.sql("SELECT c.corpus FROM corpora AS c").arrow().num_rows == 0


@pytest.mark.slow
def test_a_damaged_copy_is_not_used(folder: Path, tmp_path: Path) -> None:
    treesql.connect(tmp_path / "made.duckdb").close()
    [one] = kept(folder)
    one.write_bytes(one.read_bytes()[:100_000])
    treesql.connect(tmp_path / "again.duckdb").close()
    assert contents(tmp_path / "again.duckdb") == contents(tmp_path / "made.duckdb")
    [other] = kept(folder)
    assert other.name != one.name, "it is made and kept anew"


@pytest.mark.thorough
def test_of_another_catalogue(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    treesql.connect(tmp_path / "made.duckdb").close()
    [one] = kept(folder)
    monkeypatch.setattr(duckdb, "__version__", "99.0")
    treesql.connect(tmp_path / "later.duckdb").close()
    [other] = kept(folder)
    assert other.name != one.name


@pytest.mark.usefixtures("no_macros")
def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(duckdb_files, "_cache_folder", lambda: tmp_path / "file" / "kept")
    treesql.connect(tmp_path / "made.duckdb").close()
    assert contents(tmp_path / "made.duckdb")[0]


@pytest.mark.slow
def test_a_log_of_a_database_that_is_gone_is_not_replayed(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    fixtures = Path(__file__).parents[2] / "fixtures"
    treesql.connect(path).close()
    with treesql.connect(path) as db:
        db.load(fixtures / "gold.conllu", corpus="gold")
        log = Path(f"{path}.wal")
        assert log.exists()
        shutil.copyfile(log, tmp_path / "log")
    path.unlink()
    shutil.copyfile(tmp_path / "log", log)
    with treesql.connect(path) as db:
        assert db.sql("SELECT c.corpus FROM corpora AS c").arrow().num_rows == 0
