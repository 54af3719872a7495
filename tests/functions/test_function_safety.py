"""Every function of kernels, called with values of its types that are valid, nearly valid or wild.

The calls are made in a process of its own with a limit of memory: none may end it, take longer than SECONDS, or raise
what is no TreesqlError. By hand, with any number of calls:

    python -m tests.functions.test_function_safety 20000 [SEED]
"""

from __future__ import annotations

import os
import resource
import selectors
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import IO

import pytest

import treesql
from tests import both_ways
from tests.conftest import ROOT
from tests.functions.calls import call, valid
from tests.house.rules import in_turn
from treesql.errors import TreesqlError
from treesql.functions import FUNCTIONS
from treesql.functions.function import Function
from treesql.kernels.compiling import Kernel

BYTES = 5 << 30
SECONDS = 10
FIRST_SECONDS = 300
"""Compiling may take so long until a function has given values."""


def statements(seed: int, first: int, n: int) -> Iterator[tuple[int, str]]:
    """Calls by number; that of a number is the same whichever are made before."""
    for number in range(first, first + n):
        chance = Random(f"{seed} {number}")
        yield number, call(FUNCTIONS[number % len(FUNCTIONS)], chance)


def compare_both_ways(seed: int, n: int) -> None:
    """The process that compares interpreted and compiled kernels: a line for each difference, then how many calls of
    kernels gave the same, and how many were left to the compiled kernel."""
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    Kernel.__call__ = both_ways.call  # type: ignore[method-assign]
    with treesql.connect() as db:
        for number, sql in statements(seed, 0, n):
            with suppress(TreesqlError):
                db.sql(sql)
            for difference in both_ways.differences:
                print(number, difference)
            both_ways.differences.clear()
    print(both_ways.checked.total(), both_ways.left_to_the_compiler.total())


def make_calls(seed: int, first: int, n: int) -> None:
    """The process that makes the calls: a line before and behind each."""
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with treesql.connect(safe=True) as db:
        for number, sql in statements(seed, first, n):
            print("call", number, flush=True)
            try:
                db.sql(sql)
                told = "value"
            except TreesqlError as error:
                lines = str(error).splitlines()
                told = "refused" if len(lines) == 1 else f"several lines: {lines}"
                if "memory" in lines[0]:
                    told = f"memory: {lines[0][:200]}"
            except Exception as error:  # whatever else comes out is what this looks for
                told = f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"
            print("done", number, told, flush=True)


@dataclass
class Report:
    """What became of calls. bad: number and what happened of those that died, hung or raised something else."""

    calls: int = 0
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    bad: list[tuple[int, str]] = field(default_factory=list)
    slowest: float = 0.0


def watch(seed: int, n: int, tell: Callable[[str], object] = lambda line: None) -> Report:
    """Have calls made; where the process ends or hangs, another one goes on behind."""
    report, first = Report(), 0
    while first < n:
        command = [
            sys.executable,
            "-m",
            "tests.functions.test_function_safety",
            "calls",
            str(seed),
            str(first),
            str(n - first),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
            first = _follow(process, first, n, report)
        tell(f"{first} calls, {len(report.bad)} bad")
    return report


def _follow(process: subprocess.Popen[str], first: int, n: int, report: Report) -> int:
    """Read what a process says until it ends; returns the number of the next call."""
    out: IO[str] = process.stdout  # type: ignore[assignment]
    number, began, open_call = first, time.monotonic(), False
    with selectors.DefaultSelector() as selector:
        selector.register(out, selectors.EVENT_READ)
        while True:
            name = FUNCTIONS[number % len(FUNCTIONS)].name
            warm = report.outcomes.get(name, Counter())["value"] > 1  # its kernel was reached
            if not selector.select(SECONDS if warm and open_call else FIRST_SECONDS):
                process.kill()
                report.bad.append((number, f"hung over {SECONDS} seconds"))
                return number + 1
            line = out.readline()
            if not line:
                break
            kind, of, *told = line.rstrip("\n").split(" ", 2)
            number = int(of)
            if kind == "call":
                began, open_call = time.monotonic(), True
                continue
            open_call = False
            report.calls += 1
            if warm:
                report.slowest = max(report.slowest, time.monotonic() - began)
            report.outcomes.setdefault(name, Counter())[told[0].split(":")[0]] += 1
            if told[0] not in ("value", "refused"):
                report.bad.append((number, told[0]))
    code = process.wait()
    if open_call or number + 1 < n:
        report.bad.append((number, f"died with code {code}: {process.stderr.read()[-300:]}"))  # type: ignore[union-attr]
        return number + 1
    return n


@in_turn("function", FUNCTIONS)
def test_valid_arguments_are_known_of_every_function(function: Function) -> None:
    assert len(valid(function, Random(1), 3)) == len(function.parameters)


@pytest.mark.compiled
@pytest.mark.parametrize("times", [1, pytest.param(16, marks=pytest.mark.thorough)])
def test_interpreted_and_compiled_kernels_give_the_same(times: int) -> None:
    """Values at the ends of their types included. Few calls may be left to the compiled kernel."""
    n = times * len(FUNCTIONS)
    command = [sys.executable, "-m", "tests.functions.test_function_safety", "both", "5", str(n)]
    environment = {**os.environ, **both_ways.ENVIRONMENT}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    *differences, counts = done.stdout.splitlines() or [done.stderr]
    assert not differences
    same, left = map(int, counts.split())
    assert same > n
    assert left < same / 50


@pytest.mark.slow
@pytest.mark.parametrize("times", [6, pytest.param(40, marks=pytest.mark.thorough)])
def test_no_call_of_a_function_ends_the_process(times: int) -> None:
    report = watch(1, times * len(FUNCTIONS))
    assert not report.bad
    assert report.calls == times * len(FUNCTIONS)
    for name, outcomes in report.outcomes.items():
        assert outcomes["value"] >= times / 8, name  # the kernels were reached
    assert sum(outcomes["refused"] for outcomes in report.outcomes.values()) > report.calls / 5


if __name__ == "__main__":
    if sys.argv[1] == "calls":
        make_calls(*map(int, sys.argv[2:]))
    elif sys.argv[1] == "both":
        compare_both_ways(*map(int, sys.argv[2:]))
    else:
        at = int(sys.argv[2]) if len(sys.argv) > 2 else 0
        made = watch(at, int(sys.argv[1]), lambda line: print(line, file=sys.stderr))
        for name, outcomes in sorted(made.outcomes.items()):
            print(f"{name}: {dict(outcomes)}")
        for number, what in made.bad:
            print(f"call {number} of seed {at}: {what}\n  {next(statements(at, number, 1))[1]}")
        print(f"{made.calls} calls, {len(made.bad)} bad, the slowest took {made.slowest:.1f} seconds")
