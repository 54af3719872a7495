"""Folders and databases that other processes left or made: the former are removed, the latter stay."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import treesql
from treesql.engines import duckdb_files
from treesql.errors import UsageError
from treesql.runtime import atomic_files

pytestmark = pytest.mark.slow


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
