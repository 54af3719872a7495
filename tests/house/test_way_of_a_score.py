"""How many modules small commands enter, and how often they pass from one to another: neither may rise.

`python -m tests.house.way_of_a_score COMMAND ...` prints them all.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import FIXTURES, ROOT

GOLD, PARSERS = str(FIXTURES / "gold.conllu"), [str(FIXTURES / f"parser-{one}.conllu") for one in "ab"]

WAYS = {
    "score": (["score", "dependency", GOLD, PARSERS[0]], 36, 866),
    "compare": (["compare", "dependency", GOLD, *PARSERS], 47, 906),
    "find": (["find", GOLD, "pattern { V -[nsubj]-> S }"], 50, 545),
}
"""Command lines, with the modules that each enters and its passes: lower these figures with those of the package."""

MACHINE = 0.02
"""The part of a figure by which passes may rise on a machine with other threads and caches."""

NEW_FIGURE = 0.05
"""The part of a figure by which it may be too high."""


@pytest.mark.slow
@pytest.mark.parametrize("command", WAYS)
def test_commands_enter_few_modules_and_seldom_pass_between_them(command: str) -> None:
    """In a process of its own: what other tests have cached would not be called."""
    arguments, modules, passes = WAYS[command]
    call = [sys.executable, "-m", "tests.house.way_of_a_score", "--json", *arguments]
    out = subprocess.run(call, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    counted = json.loads(out)
    for what, figure in (("modules", modules), ("passes", passes)):
        assert counted[what] <= figure * (1 + MACHINE), f"{command}: {what} rose from {figure} to {counted[what]}"
        assert counted[what] > figure * (1 - NEW_FIGURE) - 1, f"{command}: write {what}: {counted[what]}"
