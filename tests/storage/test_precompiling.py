"""Kernels compiled together, beforehand or when the first of them is needed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.house.rules import check_each, in_turn
from treesql import kernels, readers
from treesql.evaluation.inputs import expect_kernels
from treesql.functions import FUNCTIONS
from treesql.kernels.lattices import envelopes
from treesql.lattices import compilation
from treesql.storage import precompiling

SAMPLES = list(readers.samples())


@in_turn("function", FUNCTIONS)
def test_examples_are_calls(function) -> None:  # type: ignore[no-untyped-def]
    assert function.examples
    precompiling._call_examples(function, None)


@pytest.mark.parametrize("forms", [SAMPLES[::6], pytest.param(SAMPLES, marks=pytest.mark.slow)], ids=["some", "all"])
def test_samples_are_files(forms: list[str]) -> None:
    check_each(precompiling._read_sample, {form: form for form in forms})


def test_tasks_are_what_is_going_to_be_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once for a process, several at least, and nothing where there is one core or the SQL is not known."""
    done: list[list[str]] = []
    monkeypatch.setattr(precompiling, "_done", set())
    monkeypatch.setattr(precompiling, "compile_tasks", done.append)

    def expected(*arguments: object, cores: int = 2) -> list[str]:
        monkeypatch.setattr(precompiling, "n_cores", lambda: cores)
        precompiling.compile_expected(*arguments)  # type: ignore[arg-type]
        return done.pop() if done else []

    words = {"split_counts", "compared_brackets", "lower"}
    assert expected(words, {"penn", "conllu"}) == ["compared_brackets", "split_counts", "penn"]
    assert expected(words, cores=1) == expected(None, {"penn"}) == expected({"split_counts"}) == []
    precompiling._done.add("split_counts")
    assert expected(words, {"penn"}) == ["compared_brackets", "penn"]


def in_a_new_cache(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command line whose kernels are compiled first."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-m", "treesql", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT)


@pytest.mark.thorough
def test_the_first_command_compiles_together(tmp_path: Path) -> None:
    """One line says so, and the next command finds what was compiled. Small inputs compile nothing, large ones do."""
    text = tmp_path / "many.txt"
    text.write_text("a b c\n" * 100)
    files = [str(text), "-r", str(text), "--metric", "wer,per"]
    cores = precompiling.n_cores()
    said = in_a_new_cache(tmp_path, "score", "translation", *files).stderr
    pattern = r"compiling \d groups of kernels on \d cores, about \d+ s; later commands use them again\n"
    assert re.fullmatch(pattern if cores > 1 else pattern.replace("cores", "core"), said)
    assert in_a_new_cache(tmp_path, "score", "translation", *files).stderr == ""


@pytest.mark.compiled
def test_all_kernels_are_compiled_beforehand(tmp_path: Path) -> None:
    """Into the user's cache, whose place and size are printed; no kernel is left."""
    environment = {**os.environ}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-m", "treesql", "compile"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT)
    found = re.fullmatch(r"all kernels are compiled: (\d+) in (.+), (\d+) MB\n", done.stdout)
    assert found, done
    names = {path.name.split("-")[0] for path in Path(found[2]).glob("*.kernel")}
    assert int(found[1]) >= len(names) > 0
    declared = {
        f"{path.stem}.{name}"
        for path in (ROOT / "treesql" / "kernels").rglob("*.py")
        for name in re.findall(r"^@compiled(?:\(.*\))?\ndef (\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert declared <= names, declared - names


@pytest.mark.parametrize("task", [
    "tune", *(pytest.param(name, marks=pytest.mark.slow) for name in compilation._OTHERS if name != "tune"),
])  # fmt: skip
def test_tasks_that_are_no_functions_end_without_an_error(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process that compiles, an error is left to whoever needs the kernels."""
    searched: list[int] = []
    find_envelopes = envelopes.find_envelopes
    monkeypatch.setattr(envelopes, "find_envelopes", lambda *given: searched.append(1) or find_envelopes(*given))
    compilation._OTHERS[task]()
    assert bool(searched) == (task == "tune")


class Child:
    """A process that compiles."""

    killed = False

    def kill(self) -> None:
        self.killed = True


def test_processes_that_compile_end_with_this_one_and_start_none(monkeypatch: pytest.MonkeyPatch) -> None:
    child = Child()
    monkeypatch.setattr(precompiling, "_workers", [child])
    precompiling._end_workers()
    assert child.killed
    monkeypatch.setattr(precompiling, "_done", set())
    monkeypatch.setattr(precompiling, "n_cores", lambda: 2)
    monkeypatch.setattr(os, "read", lambda *given: b"")
    precompiling.work(whole=False, others={})
    started: list[object] = []
    monkeypatch.setattr(precompiling, "compile_tasks", started.append)
    precompiling.compile_expected({"split_counts", "compared_brackets"}, {"penn"})
    assert started == []


def test_kernels_of_inputs_are_compiled_once_one_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is looked up before: a score of small files calls no compiled kernel."""
    from treesql.kernels import compiler

    compiled: list[tuple[object, object]] = []
    monkeypatch.setattr(kernels, "when_missing", [])
    monkeypatch.setattr(precompiling, "compile_expected", lambda words, forms: compiled.append((words, forms)))
    expect_kernels(frozenset({"split_counts"}), {"penn"})
    assert compiled == []
    compiler._compile_pending()
    compiler._compile_pending()
    assert compiled == [({"split_counts"}, {"penn"})]
