"""What the smallest commands take, by part, in milliseconds of processor time.

    python benchmarks/starts.py [--runs 5]

Every run is a process of its own that charges its time to the part that is running: modules to their package, DuckDB's
connection, reading, planning and running statements, printing. Medians.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib.machinery
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parent.parent / "fixtures"

KINDS = {
    "dependency": ("gold.conllu", "parser-a.conllu"),
    "alignment": ("links.pharaoh", "links-a.pharaoh"),
    "translation": ("hypotheses.txt", "--reference", "lattices.txt"),
    "constituency": ("gold.mrg", "test.mrg"),
    "lattice": ("lattices.plf", "--reference", "lattices.txt"),
}

PACKAGES = ("numpy", "pyarrow", "duckdb", "click", "numba", "treesql")
"""Packages whose modules have a row; `_duckdb` counts as duckdb, llvmlite as numba, all others as Python's own."""

OTHERS = "other modules"

STATEMENTS = "planning and running statements"

PARTS = {
    "opening DuckDB": ["treesql.storage.loading:connect_to_rows", "treesql.storage.loading:copy_rows"],
    "reading": ["treesql.storage.loading:_read_corpora"],
    "printing": ["treesql.cli._options:print_result"],
}
"""Functions whose time is that of a part, without what is imported and planned in them."""


class Clock:
    """Charges processor time to the part that runs."""

    def __init__(self) -> None:
        self.spent = defaultdict(float, {"interpreter": time.process_time()})
        self._parts, self._since = ["the rest"], time.process_time()

    def switch(self) -> None:
        """Charge the time since the last switch to the part on top."""
        now = time.process_time()
        self.spent[self._parts[-1]] += now - self._since
        self._since = now

    @contextlib.contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Charge the time of a block to a part."""
        self.switch()
        self._parts.append(name)
        try:
            yield
        finally:
            self.switch()
            self._parts.pop()

    def wrapped(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        """A function whose time is charged to a part."""

        @functools.wraps(function)
        def timed(*given: Any, **named: Any) -> Any:
            with self.part(name):
                return function(*given, **named)

        return timed


def package_of(module: str) -> str:
    """The row of a module."""
    first = module.partition(".")[0].removeprefix("_").replace("llvmlite", "numba")
    return f"modules of {first}" if first in PACKAGES else OTHERS


def watch_imports(clock: Clock) -> None:
    """Charge the time of modules to their packages, and that of the functions of PARTS, once imported, to theirs."""
    places = {
        place.partition(":")[0]: (place.partition(":")[2], name)
        for name, functions in PARTS.items()
        for place in functions
    }

    def watch(loader: Any, method: str) -> None:
        load = getattr(loader, method)

        def timed(self: Any, module: Any) -> Any:
            with clock.part(package_of(getattr(module, "__name__", "") or module.name)):
                loaded = load(self, module)
            if method == "exec_module" and module.__name__ in places:
                function, name = places[module.__name__]
                setattr(module, function, clock.wrapped(getattr(module, function), name))
            if method == "exec_module" and module.__name__ == "treesql.engines.duckdb":
                for name in ("table", "rows"):
                    setattr(module.DuckDB, name, clock.wrapped(getattr(module.DuckDB, name), STATEMENTS))
            return loaded

        setattr(loader, method, timed)

    watch(importlib.machinery.SourceFileLoader, "exec_module")
    watch(importlib.machinery.ExtensionFileLoader, "create_module")
    watch(importlib.machinery.ExtensionFileLoader, "exec_module")


def measure(arguments: list[str]) -> None:
    """Run a command in this process and write what it took to standard error."""
    clock = Clock()
    watch_imports(clock)
    from treesql.cli import main

    with contextlib.suppress(SystemExit):
        main(arguments)
    clock.switch()
    json.dump({name: 1000 * seconds for name, seconds in clock.spent.items()}, sys.stderr)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    medians: dict[str, dict[str, float]] = {}
    for kind, inputs in KINDS.items():
        paths = [str(FIXTURES / path) if (FIXTURES / path).exists() else path for path in inputs]
        command = [sys.executable, __file__, "score", kind, *paths]
        all_runs = []
        for _ in range(runs + 1):
            errors = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stderr
            all_runs.append(json.loads(errors[errors.rindex("{") :]))
        parts = dict.fromkeys(name for times in all_runs[1:] for name in times)
        medians[kind] = {name: statistics.median(times.get(name, 0) for times in all_runs[1:]) for name in parts}
    rows = ["interpreter", *(f"modules of {package}" for package in PACKAGES), OTHERS, *PARTS]
    rows[-1:] = [STATEMENTS, "printing", "the rest"]
    print("| ms of processor time |", " | ".join(medians), "|")
    print("|---|" + "---:|" * len(medians))
    for row in rows:
        print(f"| {row} |", " | ".join(f"{times.get(row, 0):.0f}" for times in medians.values()), "|")
    print("| **together** |", " | ".join(f"{sum(times.values()):.0f}" for times in medians.values()), "|")


if __name__ == "__main__":
    if sys.argv[1:2] == ["score"]:
        measure(sys.argv[1:])
    else:
        main()
