"""Folders and patterns on the command line: a row per treebank, then averages."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import treesql
from tests.conftest import FIXTURES, Run

FOLDERS = [str(FIXTURES / "folders" / name) for name in ("gold", "parser-a", "parser-b")]


def test_columns_and_last_rows(run: Callable[..., Run]) -> None:
    gold, a, b = FOLDERS
    systems = ("--system", f"a={a}", "--system", f"b={b}/*.conllu")
    done = run("score", "dependency", gold, *systems, "--metric", "words,las", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert list(rows[0])[:2] == ["system", "treebank"]
    assert [(row["system"], row["treebank"]) for row in rows] == [
        ("a", "news"), ("b", "news"), ("a", "talk"), ("b", "talk"),
        ("a", "macro"), ("a", "micro"), ("b", "macro"), ("b", "micro"),
    ]  # fmt: skip
    assert [row["words"] for row in rows if row["system"] == "a"] == ["21", "9", "", "30"]
    same: list[dict[str, Any]] = treesql.score("dependency", gold=gold, systems={"a": a, "b": b}, metric="las").rows()
    assert [float(row["las"]) for row in rows] == [row["las"] for row in same]


def test_comparisons_conclude_from_averages(run: Callable[..., Run]) -> None:
    done = run("compare", "dependency", *FOLDERS, "--metric", "las")
    assert done.code == 0
    assert "macro      las ↑   -16.67" in done.out
    assert "las (macro): parser-b scores better than parser-a by 16.67 points" in done.out
    assert "las (news)" not in done.out


def test_what_is_for_single_files_is_refused(run: Callable[..., Run], tmp_path: Path) -> None:
    for folder in ("gold", "system"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.mrg").write_bytes((FIXTURES / "gold.mrg").read_bytes())
    done = run("score", "constituency", tmp_path / "gold", tmp_path / "system", "--evalb")
    assert (done.code, done.out) == (2, "")
    assert "--evalb prints one file in its layout; name files instead of folders or patterns" in done.err
    done = run("compare", "dependency", *FOLDERS, "--metric", "las", "--test", "mcnemar")
    assert (done.code, "McNemar's test counts the items of one treebank" in done.err) == (2, True)
    done = run("score", "dependency", FOLDERS[0], FIXTURES / "parser-a.conllu")
    assert (done.code, "name a folder or a pattern for both" in done.err) == (2, True)
