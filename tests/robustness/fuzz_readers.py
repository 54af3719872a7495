"""Mutation fuzzing of all readers: `python -m tests.robustness.fuzz_readers --inputs 2000 --seed 7`.

Inputs are read in a process of their own, so that a death, a hang or too much memory is seen, and others follow in a
new one. Input number K of a seed is always the same: `--only K` reads it alone. Failures are printed, those that are
alike once, and their inputs are kept with `--keep FOLDER`; with any the exit code is 1.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import resource
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

SECONDS = 10.0
"""Maximum time for an input, of the processor."""

MEMORY = 1 << 30
"""Maximum resident memory of a process that reads inputs, 200 MB of which are the libraries'."""

_ADDRESSES = 6 << 30
_START = 300.0
"""Seconds that a process may take to start: kernels may have to be compiled."""

_BUSY = 6
"""Times the seconds of work that an input may take before its process is killed: other processes run, too."""


@dataclass
class Found:
    """What came of a run: how many inputs were read, of each notation, the worst memory, and failures by input."""

    inputs: collections.Counter[str] = field(default_factory=collections.Counter)
    memory: int = 0
    slowest: float = 0.0
    failures: dict[int, tuple[str, str]] = field(default_factory=dict)

    def add(self, number: int, name: str, what: str) -> None:
        """A failure; those that are alike are printed once."""
        if (name, what) not in self.failures.values():
            print(f"input {number}, {name}: {what}", flush=True)
        self.failures[number] = name, what


def make(seed: int, number: int, names: Sequence[str]) -> tuple[str, bytes, Random]:
    """The notation and the bytes of an input, and a generator for all that is random in judging it."""
    from tests.robustness.mutations import mutated
    from tests.robustness.notations import notations

    random = Random(f"{seed}:{number}")
    name = names[number % len(names)]
    return name, mutated(notations()[name].seeds, random), random


def largest_memory() -> int:
    """Bytes of memory that this process had at most; `getrusage` counts those of the process that started it, too."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def work(seed: int, first: int, last: int, names: Sequence[str], every: int) -> None:
    """Judge inputs, a line of JSON for each: its number before, then what is wrong, the seconds and the memory.

    The first line says that the kernels are compiled.
    """
    from tests.robustness.judging import judge
    from tests.robustness.notations import notations, options_of

    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        for name in names:
            notation = notations()[name]
            judge(notation, notation.seeds[0], options_of(notation, Random(0)), path, Random(0), round_trip=True)
        print("[]", flush=True)
        for number in range(first, last):
            name, data, random = make(seed, number, names)
            print(json.dumps([number, name]), flush=True)
            begin = time.process_time()
            notation = notations()[name]
            # Not by the number itself: notations take turns, and some would never come round.
            round_trip = number // len(names) % every == 0
            what = judge(notation, data, options_of(notation, random), path, random, round_trip=round_trip)
            memory = largest_memory()
            print(json.dumps([number, what, time.process_time() - begin, memory]), flush=True)


def run(command: Sequence[str], first: int, last: int, found: Found, seconds: float = SECONDS) -> int:
    """Read the lines of a process that judges inputs; returns the input that the next process is to begin with."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    assert process.stderr
    number, name, limit = first, "start", _START
    told: list[bytes] = []
    rest = b""
    try:
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            while True:
                if not told:
                    if not ready.select(limit):
                        found.add(number, name, f"not done after {limit:g} seconds")
                        return number + 1
                    block = os.read(process.stdout.fileno(), 1 << 16)
                    if not block:
                        break
                    *told, rest = (rest + block).split(b"\n")
                    continue
                match json.loads(told.pop(0)):
                    case [number, name]:
                        limit = seconds * _BUSY
                    case [number, what, taken, memory]:
                        found.inputs[name] += 1
                        found.slowest = max(found.slowest, taken)
                        found.memory = max(found.memory, memory)
                        if taken > seconds:
                            what = what or f"{taken:.1f} seconds"
                        if memory > MEMORY:
                            what = what or f"{memory >> 20} MB of memory"
                        if what:
                            found.add(number, name, what)
                        if memory > MEMORY:
                            return int(number) + 1
        if process.wait(seconds) == 0:
            return last
        reason = process.stderr.read().decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
        found.add(number, name, f"death with exit code {process.returncode}: {reason[0][:300]}")
        return number + 1
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def campaign(seed: int, first: int, last: int, names: Sequence[str], every: int, per_process: int = 20_000) -> Found:
    """Read inputs from `first` to before `last`."""
    found = Found()
    while first < last:
        end = min(first + per_process, last)
        given = [str(seed), str(first), str(end), ",".join(names), str(every)]
        first = run(
            [sys.executable, "-m", __spec__.name if __spec__ else __name__, "--work", *given], first, end, found
        )
    return found


def keep(folder: Path, seed: int, found: Found, names: Sequence[str]) -> None:
    """Write the inputs of failures to files NOTATION-SEED-NUMBER."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in found.failures:
        name, data, _ = make(seed, number, names)
        (folder / f"{name}-{seed}-{number}").write_bytes(data)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a campaign; returns the exit code."""
    from tests.robustness.notations import notations

    parser = argparse.ArgumentParser(prog="python -m tests.robustness.fuzz_readers", description=__doc__)
    parser.add_argument("--inputs", type=int, default=2000, help="how many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first input's number")
    parser.add_argument("--only", type=int, help="read this input alone")
    parser.add_argument("--every", type=int, default=1, help="a round trip for every so manieth input that is taken")
    parser.add_argument("--notations", help="of these alone, with commas between them; --only needs the same")
    parser.add_argument("--keep", type=Path, help="write the inputs of failures to this folder")
    parser.add_argument("--work", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.work:
        seed, first, last, listed, every = given.work
        work(int(seed), int(first), int(last), listed.split(","), int(every))
        return 0
    names = given.notations.split(",") if given.notations else sorted(notations())
    first, last = given.first, given.first + given.inputs
    if given.only is not None:
        first, last = given.only, given.only + 1
    begin = time.monotonic()
    found = campaign(given.seed, first, last, names, given.every)
    print(
        f"{sum(found.inputs.values())} inputs in {time.monotonic() - begin:.0f} s: {dict(sorted(found.inputs.items()))}"
    )
    for (name, what), times in collections.Counter(found.failures.values()).most_common():
        print(f"{times} times {name}: {what}")
    print(f"{len(found.failures)} failures, slowest {found.slowest:.1f} s, most memory {found.memory >> 20} MB")
    if given.keep:
        keep(given.keep, given.seed, found, names)
    return 1 if found.failures else 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())
