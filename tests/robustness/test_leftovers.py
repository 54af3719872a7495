"""Folders and databases that other processes left or made: the former are removed, the latter stay."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

import treesql
from tests.conftest import FIXTURES
from treesql.engines import duckdb_files
from treesql.errors import UsageError
from treesql.runtime import atomic_files


@pytest.mark.slow
def test_leftovers_of_processes_that_ended_are_removed(tmp_path: Path, gold_and_parser: Path) -> None:
    db = shutil.copy(gold_and_parser, tmp_path)
    script = "import sys, os; from pathlib import Path; from treesql.runtime import atomic_files\n"
    script += "with atomic_files.write_whole(Path(sys.argv[1])) as made:\n"
    script += " made.mkdir(); (made / 'x').touch(); print(flush=True); sys.stdin.read(1); os._exit(9)"
    child = subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "out")], stdin=-1, stdout=-1)
    assert child.stdout is not None
    child.stdout.readline()
    [folder] = tmp_path.glob(".treesql-*")
    with treesql.connect(db) as opened:
        opened.export(tmp_path / "one")
    assert folder.exists(), "its process still runs"
    child.communicate(b"x")
    (tmp_path / ".treesql-mine").mkdir()
    (tmp_path / ".treesql-elsewhere-1-00000000").mkdir()
    with treesql.connect(db) as opened:
        assert not folder.exists()
        opened.export(tmp_path / "two")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".treesql-elsewhere-1-00000000", ".treesql-mine", "one", "t.duckdb", "two"
    ]  # fmt: skip


@pytest.mark.slow
def test_a_folder_that_is_locked_is_held_whatever_its_number_says(tmp_path: Path) -> None:
    """Where processes of several containers share a folder, their numbers say nothing."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with atomic_files.write_whole(tmp_path / "out") as made:
        made.touch()
        [folder] = tmp_path.glob(".treesql-*")
        renamed = folder.with_name(folder.name.replace(f"-{os.getpid()}-", f"-{gone.pid}-"))
        folder.rename(renamed)
        atomic_files.remove_leftovers(tmp_path)
        assert renamed.exists()
        renamed.rename(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    folder.with_name(folder.name.replace(f"-{os.getpid()}-", f"-{gone.pid}-")).mkdir()
    atomic_files.remove_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
def test_a_database_that_another_process_made_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "made.duckdb"

    def make() -> None:
        with duckdb_files.open_or_make(str(path)), duckdb.connect(str(path)) as other:
            other.execute("CREATE TABLE theirs AS SELECT 1 AS a")

    with pytest.raises(UsageError, match="another process made it in the meantime"):
        make()
    with duckdb.connect(str(path)) as other:
        assert other.execute("FROM theirs").fetchall() == [(1,)]
    assert [file.name for file in tmp_path.iterdir()] == ["made.duckdb"]


def test_leftovers_are_removed_whatever_process_has_their_number_now(tmp_path: Path) -> None:
    """That of the killed process may be another's by now; what counts is that nobody holds the lock."""
    left = tmp_path / f"{atomic_files.PREFIX}{atomic_files._machine()}-{os.getppid()}-00000000"
    left.mkdir()
    with atomic_files.write_whole(tmp_path / "out") as made:
        made.touch()
        assert not left.exists()
        [held] = tmp_path.glob(".treesql-*")
        atomic_files.remove_leftovers(tmp_path)
        assert held.exists(), "this process writes to it"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_was_taken_for_a_leftover_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may remove it between its making and its lock."""
    lock, removed = atomic_files._lock, []

    def removing_first(path: Path, *, waits: bool = False) -> int | None:
        if not removed:
            path.rmdir()
            removed.append(path)
        return lock(path, waits=waits)

    monkeypatch.setattr(atomic_files, "_lock", removing_first)
    with atomic_files.hidden_folder(tmp_path) as made:
        assert made.is_dir()
        assert made != removed[0]


@pytest.mark.parametrize("how", ["load", "connect"])
def test_the_log_of_a_database_that_is_gone_is_removed(tmp_path: Path, how: str) -> None:
    """As after a killed load whose database was removed: DuckDB refuses a new database beside it."""
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as other:
        other.execute("PRAGMA disable_checkpoint_on_shutdown")
        other.execute("CREATE TABLE a AS SELECT 1 AS a")
        shutil.copy(tmp_path / "t.duckdb.wal", tmp_path / "kept")
    path.unlink()
    shutil.move(tmp_path / "kept", tmp_path / "t.duckdb.wal")
    (tmp_path / "t.duckdb.tmp").mkdir()
    (tmp_path / "t.duckdb.tmp" / "duckdb_temp_1_storage.tmp").touch()
    if how == "load":
        treesql.load(path, FIXTURES / "gold.conllu", corpus="gold")
    else:
        with treesql.connect(path) as db:
            db.load(FIXTURES / "gold.conllu", corpus="gold")
    assert [file.name for file in tmp_path.iterdir()] == ["t.duckdb"]
    with treesql.connect(path, read_only=True) as db:
        assert db.corpora == ["gold"]


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("moment", [1, 2])
def test_the_log_of_a_database_that_another_process_makes_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: bool, moment: int
) -> None:
    """Whenever it is made after the database was seen to be missing; and also where there was another log."""
    path, log = tmp_path / "t.duckdb", tmp_path / "t.duckdb.wal"
    spilled = tmp_path / "t.duckdb.tmp" / "duckdb_temp_1_storage.tmp"
    if left:
        log.write_bytes(b"old")
    lexists, rename, times = os.path.lexists, os.rename, []

    def made_after(now: int, found: Any) -> Any:
        times.append(now)
        if now == moment:
            log.unlink(missing_ok=True)
            path.touch()
            log.write_bytes(b"live")
            spilled.parent.mkdir()
            spilled.touch()
        return found

    monkeypatch.setattr(os.path, "lexists", lambda name: made_after(1, lexists(name)))
    monkeypatch.setattr(os, "rename", lambda old, new: made_after(2, rename(old, new)))
    monkeypatch.delattr(duckdb_files, "copy_empty_database")
    with pytest.raises(NameError, match="copy_empty_database"):  # which would come next
        duckdb_files.connect_file(str(path), read_only=False)
    if moment in times:
        assert log.read_bytes() == b"live"
        assert spilled.exists()
        assert len(list(tmp_path.iterdir())) == 3
    else:
        assert not list(tmp_path.iterdir())
