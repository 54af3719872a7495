"""Kernels compiled together, beforehand or when the first of them is needed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from treesql import kernels, readers
from treesql.functions import FUNCTIONS
from treesql.storage import precompiling


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_examples_are_calls(function) -> None:  # type: ignore[no-untyped-def]
    assert function.examples
    precompiling._call_examples(function, None)


@pytest.mark.parametrize("form", readers.samples())
def test_samples_are_files(form: str) -> None:
    precompiling._read_sample(form)


def test_tasks_are_what_is_going_to_be_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once for a process, several at least, and nothing where there is one core or the SQL is not known."""
    done: list[list[str]] = []
    monkeypatch.setattr(precompiling, "_done", set())
    monkeypatch.setattr(kernels.Together, "pending", None)

    def expected(*arguments: object, cores: int = 2) -> list[str]:
        kernels.Together.pending = None
        monkeypatch.setattr(precompiling, "n_cores", lambda: cores)
        monkeypatch.setattr(precompiling, "compile_tasks", lambda tasks, tell: done.append(tasks))
        precompiling.expect(*arguments)  # type: ignore[arg-type]
        kernels.Together.compile()
        return done.pop() if done else []

    words = {"split_counts", "compared_brackets", "lower"}
    assert expected(words, {"penn", "conllu"}) == ["compared_brackets", "split_counts", "penn"]
    assert expected(words, cores=1) == expected(None, {"penn"}) == expected({"split_counts"}) == []
    precompiling._done.add("split_counts")
    assert expected(words, {"penn"}) == ["compared_brackets", "penn"]


def in_a_new_cache(folder: Path, *arguments: str) -> str:
    """Run a command line whose kernels are compiled first; return its standard error."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-m", "treesql", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT).stderr


@pytest.mark.slow
def test_the_first_command_compiles_together(tmp_path: Path) -> None:
    text = tmp_path / "many.txt"  # a few short sentences need no kernels
    text.write_text("a b c\n" * 100)
    files = [str(text), "-r", str(text), "--metric", "wer,per"]
    cores = precompiling.n_cores()
    said = in_a_new_cache(tmp_path, "score", "translation", *files)
    assert said.startswith("compiling kernels, once per installation")
    assert len(said.splitlines()) == 1
    assert bool(re.search(r": \d groups of them", said)) == (cores > 1)
    assert in_a_new_cache(tmp_path, "score", "translation", *files) == ""


@pytest.mark.thorough
def test_all_kernels_are_compiled_beforehand(tmp_path: Path) -> None:
    """Minutes of processor time. Only kernels that no query calls are left."""
    in_a_new_cache(tmp_path, "compile")
    stored = {path.name.split("-")[0] for path in tmp_path.rglob("*.nbc")}
    declared = {
        f"{path.stem}.{name}"
        for path in (ROOT / "treesql" / "kernels").glob("*.py")
        for name in re.findall(r"^@compiled\ndef (\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert declared - stored <= {"skeletons._from_spans", "skeletons._from_parents", "splits._count_common_keys"}
