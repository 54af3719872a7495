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
from typing import IO, Any

import duckdb
import pytest

import treesql
from tests import both_ways
from tests.conftest import ROOT
from treesql.errors import TreesqlError
from treesql.functions import FUNCTIONS
from treesql.functions.function import Function
from treesql.kernels.compiling import Kernel

BYTES = 5 << 30
SECONDS = 10
FIRST_SECONDS = 300
"""Compiling may take so long at first."""

NUMBERS = (-(2**31), -7, -1, 0, 0, 1, 1, 2, 3, 4, 5, 60, 1000, 1_000_000_000, 2**31 - 1)
WIDE = (0, 1, 2, 3, 2**32, 2**63, 2**64 - 1)
TEXTS = (
    "", "a", "b", "c", "ä", "漢", "x" * 100, "order", "name", "common", "rooted", "unrooted", "union", "intersection",
    "grow-diag", "grow-diag-final", "grow-diag-final-and", "either", "both", "alpha", "beta", "structure", "deprel",
    "aligned", "aligned_strict",
)  # fmt: skip
CHOICES = {
    "leaves": ("order", "name", "common"),
    "rooting": ("rooted", "unrooted"),
    "method": ("union", "intersection", "grow-diag", "grow-diag-final", "grow-diag-final-and"),
    "variant": ("either", "both"),
    "costs": ("structure", "deprel", "aligned", "aligned_strict"),
}


def wild(kind: Any, chance: Random, length: int) -> Any:
    """Any value of a type of DuckDB. length: of most lists."""
    if chance.random() < 0.04:
        return None
    if kind.id == "list":
        n = length if chance.random() < 0.8 else chance.choice((0, 1, 2, 7, 40))
        return [wild(kind.children[0][1], chance, length) for _ in range(n)]
    if kind.id == "struct":
        return {name: wild(one, chance, length) for name, one in kind.children}
    if kind.id == "varchar":
        return chance.choice(TEXTS)
    if kind.id == "boolean":
        return chance.random() < 0.5
    if kind.id == "utinyint":
        return chance.choice((0, 0, 0, 1, 2, 3, 8, 255))
    return chance.choice(WIDE if kind.id == "ubigint" else NUMBERS)


def heads(chance: Random, n: int) -> list[int]:
    """The heads of a tree."""
    order = chance.sample(range(1, n + 1), n)
    found = [0] * n
    for at, word in enumerate(order):
        found[word - 1] = chance.choice([0, *order[:at]]) if at else 0
    return found


def some(chance: Random, n: int, values: tuple[Any, ...]) -> list[Any]:
    return [chance.choice(values) for _ in range(n)]


def tree(chance: Random, n: int, labels: tuple[int, ...] = (1, 2, 3)) -> dict[str, Any]:
    """A tree of n words and some phrases, with all that any type of trees has."""
    above: list[int] = []
    for node in range(1, chance.randint(0, n) + 1):
        path = [0, node - 1] if node > 1 else [0]
        while path[-1]:
            path.append(above[path[-1] - 1])
        above.append(chance.choice(path))
    forms = chance.sample(range(1, n + 5), n)
    return {
        "parents": above,
        "labels": some(chance, len(above), labels),
        "phrases": [chance.randint(0, len(above)) for _ in range(n)],
        "tags": some(chance, n, labels),
        "forms": sorted(forms) if chance.random() < 0.7 else forms,
        "kinds": some(chance, n, (0, 0, 0, 0, 1, 2)),
    }


def lattice(chance: Random, n: int) -> dict[str, Any]:
    """A lattice of so many edges, and a reference."""
    nodes = chance.randint(2, n + 2)
    edges = []
    for number in chance.sample(range(2 * n), n):
        start = chance.randrange(nodes - 1)
        stop = min(nodes - 1, start + chance.choice((1, 1, 1, 2, 3)))
        words = some(chance, chance.choice((0, 1, 1, 1, 2, 3)), TEXTS[:5])
        edges.append({"edge": number, "from_node": start, "to_node": stop, "words": words})
    texts = [some(chance, chance.randint(0, n), TEXTS[:6]) for _ in range(3)]
    return {"n_nodes": nodes, "edges": edges, "reference": texts[0], "references": texts[: chance.randint(0, 3)]}


LATTICE_FUNCTIONS = ("nearest", "best_bleu", "path_posteriors", "best_scored_path", "log_path_count")
"""What the names of functions that take one lattice begin with."""


def valid(function: Function, chance: Random, n: int) -> list[Any]:
    """Arguments of a function that belong together. n: of most lists."""
    m = chance.choice((n, n, chance.randint(0, 9)))
    links = sorted({(chance.randint(1, n), chance.randint(1, m)) for _ in range(n if m else 0)})
    given: dict[str, Any] = dict(CHOICES) | {
        "left": some(chance, n, TEXTS[:5]),
        "right": some(chance, m, TEXTS[:5]),
        "sources": [one for one, _ in links],
        "targets": [other for _, other in links],
        "other_sources": some(chance, m, tuple(range(1, n + 1)) or (1,)),
        "other_targets": some(chance, m, tuple(range(1, m + 1)) or (1,)),
        "directions": some(chance, len(links), (1, 2, 3)),
        "text": chance.choice(TEXTS),
        "heads": heads(chance, n),
        "relations": some(chance, n, TEXTS[:4]),
        "first": chance.randint(1, max(n, 1)),
        "last": chance.randint(1, max(n, 1)),
        "reference_heads": heads(chance, n),
        "reference_relations": some(chance, n, TEXTS[:4]),
        "hypothesis_heads": heads(chance, m),
        "hypothesis_relations": some(chance, m, TEXTS[:4]),
        "reference_links": [one for one, _ in links],
        "hypothesis_links": [other for _, other in links],
        "hypothesis": some(chance, m, TEXTS[:5]),
        "gold_labels": {"classes": [1, 2, 3], "kinds": some(chance, 3, (0, 0, 0, 1, 2, 4, 8, 15))},
        "test_labels": {"classes": [1, 2, 2], "kinds": some(chance, 3, (0, 0, 0, 1, 2, 4, 8, 15))},
        "words": {"members": [1, 2], "representatives": [3, 3]},
        "n_source": n,
        "n_target": m,
        "labelled": chance.random() < 0.5,
        "by_gold": chance.random() < 0.5,
        "tree": tree(chance, n),
        "gold": tree(chance, n),
        "reference": some(chance, n, TEXTS[:5]),
        "exponent": chance.choice((0.5, 1, 2)),
        "longest": chance.choice((1, 2, 4, 6)),
        "white_space": chance.random() < 0.5,
        "sclite": chance.random() < 0.5,
        "references": some(chance, m, TEXTS[:6]),
        **(lattice(chance, n) if function.name.startswith(LATTICE_FUNCTIONS) else {}),
    }
    if function.name in ("path_posteriors", "best_scored_path"):
        given["edges"] = [edge | {"score": chance.choice((-700.5, -1, 0, 2, 1e6))} for edge in given["edges"]]
    if function.name in ("shared_character_n_grams", "character_edits", "edit_counts", "shared_word_n_grams"):
        given |= {side: "".join(given[side]) for side in ("hypothesis", "reference")}
    other = tree(chance, n)
    given["test"] = given["gold"] | {name: other[name] for name in ("parents", "labels", "phrases")}
    if function.name == "path_disparity":
        given |= {
            side: {"ascending": some(chance, n, TEXTS[:4]), "direction": "alpha", "descending": ["a"] * m}
            for side in ("reference", "hypothesis")
        }
    found = []
    for name, kind in function.parameters:
        value = chance.choice(given[name]) if name in CHOICES else given[name]
        found.append(fitted(value, duckdb.sqltype(kind)))
    return found


def fitted(value: Any, kind: Any) -> Any:
    """Of a struct the fields that its type has."""
    if kind.id == "struct":
        return {name: fitted(value[name], one) for name, one in kind.children}
    return value


def spoilt(value: Any, kind: Any, chance: Random, rate: float) -> Any:
    """The same value with wild ones in some places."""
    if chance.random() < rate:
        return wild(kind, chance, len(value) if isinstance(value, list) else 2)
    if isinstance(value, list):
        return [spoilt(one, kind.children[0][1], chance, rate) for one in value]
    if isinstance(value, dict):
        return {name: spoilt(value[name], one, chance, rate) for name, one in kind.children}
    return value


def literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"'{name}': {literal(one)}" for name, one in value.items()) + "}"
    return f"'{value}'" if isinstance(value, str) else str(value)


def call(function: Function, chance: Random) -> str:
    """A statement that calls a function in one or several rows."""
    kinds = [duckdb.sqltype(kind) for _, kind in function.parameters]
    rate = chance.choice((0, 0, 0.01, 0.03, 0.1, 1))
    shared = {at: None for at, (name, _) in enumerate(function.parameters) if name in CHOICES}
    rows: list[list[Any]] = []
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        n = chance.choice((0, 1, 2, 3, 4, 5, 6, 8, 12, 30))
        given = valid(function, chance, n)
        row = [spoilt(value, kind, chance, rate) for value, kind in zip(given, kinds, strict=True)]
        if rows and chance.random() < 0.9:  # what must be the same in all rows mostly is
            for at, (name, _) in enumerate(function.parameters):
                if at in shared or name in ("gold_labels", "test_labels", "words", "labelled"):
                    row[at] = rows[0][at]
        rows.append(row)
    return call_of(function, rows)


def call_of(function: Function, rows: list[list[Any]]) -> str:
    """A statement that calls a function for all rows at once: DuckDB passes those of VALUES together."""
    names = ", ".join(f"c{at}" for at in range(len(function.parameters)))
    types = [kind for _, kind in function.parameters]
    cast = ([f"CAST({literal(one)} AS {kind})" for one, kind in zip(row, types, strict=True)] for row in rows)
    values = ", ".join(f"({', '.join(row)})" for row in cast)
    return f"SELECT {function.name}({names}) AS found FROM (VALUES {values}) AS t({names})"


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
            first = _follow(process, first, n, report, seen=report.calls > 2 * len(FUNCTIONS))
        tell(f"{first} calls, {len(report.bad)} bad")
    return report


def _follow(process: subprocess.Popen[str], first: int, n: int, report: Report, seen: bool) -> int:
    """Read what a process says until it ends; returns the number of the next call."""
    out: IO[str] = process.stdout  # type: ignore[assignment]
    number, began, open_call = first, time.monotonic(), False
    with selectors.DefaultSelector() as selector:
        selector.register(out, selectors.EVENT_READ)
        while True:
            warm = seen or number - first > 2 * len(FUNCTIONS)
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
            name = FUNCTIONS[number % len(FUNCTIONS)].name
            report.outcomes.setdefault(name, Counter())[told[0].split(":")[0]] += 1
            if told[0] not in ("value", "refused"):
                report.bad.append((number, told[0]))
    code = process.wait()
    if open_call or number + 1 < n:
        report.bad.append((number, f"died with code {code}: {process.stderr.read()[-300:]}"))  # type: ignore[union-attr]
        return number + 1
    return n


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_valid_arguments_are_known_of_every_function(function: Function) -> None:
    assert len(valid(function, Random(1), 3)) == len(function.parameters)


@pytest.mark.compiled
@pytest.mark.parametrize("times", [6, pytest.param(16, marks=pytest.mark.thorough)])
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
@pytest.mark.parametrize("times", [20, pytest.param(40, marks=pytest.mark.thorough)])
def test_no_call_of_a_function_ends_the_process(times: int) -> None:
    report = watch(1, times * len(FUNCTIONS))
    assert not report.bad
    assert report.calls == times * len(FUNCTIONS)
    for name, outcomes in report.outcomes.items():
        assert outcomes["value"] >= 5, name  # the kernels were reached
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
