"""Steps of long work: what is told of them, and how terminals show it."""

from __future__ import annotations

import sys

import pytest

from treesql import cli
from treesql.runtime import steps


def test_every_step_is_told_once_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int, str]] = []
    monkeypatch.setattr(steps, "when_done", [lambda progress: told.append(progress[:3])])
    done = []
    for item in steps.each(["a", "b"], "treebanks"):
        assert len(told) == len(done)
        done.append(item)
    assert told == [(1, 2, "treebanks"), (2, 2, "treebanks")]


def test_what_is_left_takes_as_long_as_what_was_done() -> None:
    assert steps.Steps(2, 5, "treebanks", 4.0).left == 6


@pytest.mark.parametrize(
    ("progress", "terminal", "shown"),
    [
        (steps.Steps(1, 4, "treebanks", 2.5), True, f"\r\x1b[K[{'#' * 7}{'-' * 23}] 1 of 4 treebanks, about 8 s left"),
        (steps.Steps(4, 4, "treebanks", 9.0), True, "\r\x1b[K"),
        (steps.Steps(1, 4, "treebanks", 1.9), True, ""),
        (steps.Steps(1, 1, "treebanks", 9.0), True, ""),
        (steps.Steps(1, 4, "treebanks", 2.5), False, ""),
    ],
)
def test_a_terminal_shows_steps_after_two_seconds(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    progress: steps.Steps,
    terminal: bool,
    shown: str,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    cli._StepReport().update(progress)
    assert capsys.readouterr().err == shown
