"""Long work: what is told of it, and how terminals show it."""

from __future__ import annotations

import io
import re
import shlex
import sys
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES
from treesql import cli
from treesql.runtime import process, steps


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, float, str] | None]:
    """What is told of work, step by step."""
    seen: list[tuple[float, float, str] | None] = []

    def tell() -> None:
        progress = steps.now()
        seen.append(progress and progress[:3])

    monkeypatch.setattr(steps, "when_done", [tell])
    return seen


def test_every_step_is_told_once_it_is_done(told: list[object]) -> None:
    for item in steps.each(["a", "b"], "treebanks"):
        assert told[-1] == ({"a": 0, "b": 1}[item], 2, "treebanks")
    assert told[-2:] == [(2, 2, "treebanks"), None]
    for _ in steps.each(["a"], "treebanks"):
        assert told[-1] == (0, 0, "treebanks")


def test_the_outermost_work_with_a_known_number_of_steps_is_told(told: list[object]) -> None:
    with steps.working("computing"):
        assert told[-1] == (0, 0, "computing")
        with steps.working("percent", 100, lambda: -1.0):
            assert told[-1] == (0, 0, "computing")
        with steps.working("percent", 100, lambda: 40.0), steps.working("sentences", 7):
            assert told[-1] == (40, 100, "percent")
    assert told[-1] is None


def test_bytes_of_files_are_megabytes_of_the_work_that_reads_them(told: list[object]) -> None:
    with steps.reading(3 << 20), steps.working("sentences", 7):
        steps.add_bytes(1 << 19)
        assert told[-1] == (0.5, 3, "MB")
        steps.add_bytes(1 << 22)
        assert told[-1] == (3, 3, "MB")


def test_a_measure_that_fails_is_unknown(told: list[object]) -> None:
    with steps.working("percent", 100, lambda: 1 / 0):
        assert told[-1] == (0, 0, "percent")


def test_work_that_fails_has_ended(told: list[object]) -> None:
    with pytest.raises(ZeroDivisionError), steps.working("sentences", 7):
        raise ZeroDivisionError
    assert told[-1] is None


def test_nothing_is_noted_where_nobody_listens() -> None:
    with steps.working("sentences", 7):
        assert steps.now() is None


def test_what_is_left_takes_as_long_as_what_was_done() -> None:
    assert steps.Steps(2, 5, "treebanks", 4.0).left == 6
    assert steps.Steps(0, 5, "treebanks", 4.0).left is None


@pytest.mark.parametrize(
    ("progress", "shown"),
    [
        (steps.Steps(1, 4, "treebanks", 2.5), f"[{'#' * 7}{'-' * 23}] 1 of 4 treebanks, about 8 s left"),
        (steps.Steps(0, 4, "treebanks", 2.5), f"[{'-' * 30}] 0 of 4 treebanks, 2 s"),
        (steps.Steps(4, 4, "treebanks", 9.0), f"[{'#' * 30}] 4 of 4 treebanks, about 1 s left"),
        (steps.Steps(0.5, 2.5, "MB", 3.0), f"[{'#' * 6}{'-' * 24}] 0 of 3 MB, about 12 s left"),
        (steps.Steps(34.2, 0, "MB", 9.0), "34 MB, 9 s"),
        (steps.Steps(0, 0, "computing", 9.0), "working, 9 s"),
    ],
)
def test_a_line_says_what_is_done_and_how_long_the_rest_takes(progress: steps.Steps, shown: str) -> None:
    assert cli.describe_steps(progress) == shown


class _Terminal(io.StringIO):
    """Standard error that is a terminal, or not."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def _stderr_of(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], *, terminal: bool = True, seconds: float = 0.0
) -> list[str]:
    """The lines that a command draws on standard error, which is a terminal; commands seem to be long."""
    screen = _Terminal(terminal=terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(cli, "SECONDS_WITHOUT_BAR", seconds)
    monkeypatch.setattr(cli, "SECONDS_BETWEEN_BARS", 0.0 if not seconds else 0.2)
    monkeypatch.setattr(cli._StepReport, "_go_on", lambda report: None)  # what the work itself tells is the same always
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 0
    return screen.getvalue().split(f"\r{cli.ERASE_LINE}")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with a treebank."""
    path = tmp_path_factory.mktemp("steps") / "c.duckdb"
    treesql.load(path, FIXTURES / "gold.conllu", corpus="gold")
    return path


_COMMANDS = {
    "score": ("score dependency {f}/gold.conllu {f}/parser-a.conllu", r"of 1 MB, about"),
    "compare": ("compare dependency {f}/gold.conllu {f}/parser-a.conllu {f}/parser-b.conllu", r"of 1 MB, about"),
    "report": ("report dependency {f}/gold.conllu {f}/parser-a.conllu -o {t}/page.html", r"of 1 MB, about"),
    "stats": ("stats {db} --corpus gold", r"percent of a query|working"),
    "wde": ("wde {db}", r"percent of a query|working"),
    "prune": ("lattice prune {f}/lattices.plf --reference {f}/lattices.txt --threshold 0", r"of 1 MB, about"),
    "examples": ("lattice examples {f}/lattices.plf --reference {f}/lattices.txt -o {t}/e.parquet", r"of 1 MB, about"),
    "nbest": ("nbest oracle {f}/lists.nbest --reference {f}/lattices.txt", r"of 1 MB, about"),
    "export": ("export {db} {t}/gold.conllu --corpus gold", r"of 9 sentences|sentences, about"),
    "export of Parquet": ("export {db} {t}/all", r"working|percent of a query|parts of"),
    "load": ("load {t}/d.duckdb {f}/gold.conllu", r"MB \(loading\)"),
    "find": ("find {f}/gold.conllu 'pattern {{ N [] }}' --count", r"of 1 MB, about"),
}
"""Commands that take over two seconds on large inputs, and what they say that they do."""


@pytest.mark.spread(3, rest="slow")
@pytest.mark.parametrize("name", _COMMANDS)
def test_terminals_show_what_long_commands_do(
    name: str, monkeypatch: pytest.MonkeyPatch, database: Path, tmp_path: Path
) -> None:
    command, what = _COMMANDS[name]
    arguments = shlex.split(command.format(f=FIXTURES, t=tmp_path, db=database))
    drawn = _stderr_of(monkeypatch, arguments)
    assert any(re.search(what, line) for line in drawn), drawn
    assert not process.when_done
    assert drawn[-1].splitlines()[:1] in ([], [""]) or not re.search(what, drawn[-1])


@pytest.mark.parametrize(("terminal", "seconds"), [(False, 0.0), (True, 60.0)])
def test_pipes_and_short_commands_show_nothing(
    terminal: bool, seconds: float, monkeypatch: pytest.MonkeyPatch, database: Path, tmp_path: Path
) -> None:
    arguments = ["export", str(database), f"{tmp_path}/gold.conllu", "--corpus", "gold"]
    assert _stderr_of(monkeypatch, arguments, terminal=terminal, seconds=seconds) == [""]
