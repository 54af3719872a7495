"""Commands end within a second of a signal: a short form of `python -m tests.robustness.interruptions`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.rules import in_turn
from tests.robustness.interruptions import CASES, Interruptions, lies, prepare, run, words_of

FEW = ("load",)


@pytest.mark.slow
def test_commands_end_within_a_second(tmp_path: Path) -> None:
    prepare(tmp_path / "inputs", sentences=500, nodes=100, seed=1, given={})
    found = list(run(Interruptions(tmp_path / "inputs"), FEW, moments=1, seed=1))
    assert [name for name, _, _ in found] == list(FEW)
    assert [fault for _, _, ends in found for ended in ends for fault in ended.wrong] == []


@in_turn(
    ("code", "said", "right"),
    [
        (130, "interrupted\n", True),
        (130, "warning: x\ninterrupted; 1 of 3 corpora was loaded, the last one is 'a'\n", True),
        (0, "the signal came too late: this was done\n", True),
        (-2, "", True),
        (130, "\ninterrupted\n", False),
        (130, "Traceback\ninterrupted\n", False),
        (143, "interrupted\n", False),
        (1, "Could not import runpy module\nTraceback\nKeyboardInterrupt\n", True),
        (1, "Traceback\nKeyboardInterrupt\n", False),
        (2, "x\n", False),
    ],
)
def test_what_is_wrong_is_found(code: int, said: str, right: bool) -> None:
    assert (lies(2, code, said) == []) == right


def test_words_of_commands() -> None:
    assert words_of(CASES["sql --write"]) == ["sql", "t.duckdb", "UPDATE words SET lemma='x'", "--write"]
