"""What a command enters of the package: its modules, and the calls that lead from one to another.

By hand: `python -m tests.house.way_of_a_score score dependency GOLD SYSTEM` prints a line for each module.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

PACKAGE = str(Path(__file__).parents[2] / "treesql") + "/"
NOT_COUNTED = "kernels/"
WATCHES = "_watch"
"""How functions begin that look at a clock until the work is done: how often they call others depends on the time."""


class Way(NamedTuple):
    """What a command calls: `calls` of a module's functions, and `passes` from a function of one module to another's.

    Left out are kernels, what runs while a module is imported, and watches. A generator that goes on is not called.
    """

    calls: Counter[str]
    passes: Counter[tuple[str, str, str]]
    """By the calling module, the called one, and the called function."""

    def rows(self) -> Iterator[tuple[str, int, int, int]]:
        """Every module with its calls, the passes into it and those out of it, the most passes first."""
        into, out = Counter[str](), Counter[str]()
        for (caller, called, _), n in self.passes.items():
            into[called] += n
            out[caller] += n
        for module in sorted(self.calls, key=lambda module: (-into[module] - out[module], module)):
            yield module, self.calls[module], into[module], out[module]


@cache
def _module(file: str) -> str | None:
    """The name of a module of the package by its file, "" for a kernel's; None for all others."""
    if not file.startswith(PACKAGE):
        return None
    name = file.removeprefix(PACKAGE)
    return "" if name.startswith(NOT_COUNTED) else name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _caller(frame: FrameType) -> str | None:
    """The module of the package that a frame of it was called from, "" for none; None for what is not counted."""
    caller = ""
    outer = frame.f_back
    while outer is not None:
        if (module := _module(outer.f_code.co_filename)) is not None:
            if outer.f_code.co_name == "<module>" or outer.f_code.co_name.startswith(WATCHES):
                return None
            caller = caller or module
        outer = outer.f_back
    return caller


def count_way(arguments: list[str]) -> Way:
    """Run a command line in this process, without its output, and count; each thread has callers of its own."""
    from treesql.cli import main

    way = Way(Counter(), Counter())
    lock = threading.Lock()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not (module := _module(code.co_filename)) or code.co_name == "<module>":
            return
        if code.co_code[frame.f_lasti + 1] & 3:  # the argument of RESUME: a generator goes on
            return
        if (caller := _caller(frame)) is None:
            return
        with lock:
            way.calls[module] += 1
            if caller and caller != module:
                way.passes[caller, module, code.co_qualname] += 1

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.suppress(SystemExit):
            main(arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return way


def print_way(way: Way) -> None:
    """Print a table of the modules, and the passes by function, the most frequent first."""
    print(f"{len(way.calls)} modules, {way.passes.total()} passes")
    print("\nmodule calls in out")
    for module, *counts in way.rows():
        print(module, *counts)
    print("\npasses from to function")
    for (caller, called, function), n in way.passes.most_common():
        print(n, caller, called, function)


if __name__ == "__main__":
    if sys.argv[1] == "--json":
        way = count_way(sys.argv[2:])
        print(json.dumps({"modules": len(way.calls), "passes": way.passes.total()}))
    else:
        print_way(count_way(sys.argv[1:]))
