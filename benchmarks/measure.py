"""Run contenders in turn, each in a child process, and print their costs as Markdown.

A benchmark is a script whose `main` runs it and whose contenders are functions: `SCRIPT.py child CONTENDER ARGUMENTS`
runs one of them in this process. A contender returns measurements by name, for example the CPU seconds of a part.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

Reported = dict[str, float]
Command = Sequence[str]

LIBRARIES = ("treesql", "duckdb", "polars", "pyarrow", "numpy")
ONE_THREAD = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
MEGABYTE = 1e6


@dataclass(frozen=True)
class Cost:
    """Seconds and MB of a process from its start to its end. reported: measurements that it returned."""

    cpu: float
    wall: float
    peak: float
    reported: Reported


def start(main: Callable[[], None], contenders: Mapping[str, Callable[..., Reported]]) -> None:
    """Run the benchmark, or in a child process one contender."""
    if sys.argv[1:2] != ["child"]:
        main()
        return
    name, *arguments = sys.argv[2:]
    print(json.dumps(contenders[name](*arguments)))


def child(name: str, *arguments: str | Path) -> Command:
    """The command that runs a contender of this script."""
    return [sys.executable, sys.argv[0], "child", name, *map(str, arguments)]


def treesql(*arguments: str | Path) -> Command:
    """The command that runs treesql as users do."""
    return [str(Path(sys.executable).with_name("treesql")), *map(str, arguments)]


class CommandFailed(Exception):
    """A command ended with another exit code than 0. The message has what it wrote to stderr."""


def in_turn(
    commands: Mapping[str, Command], repetitions: int, *, one_core: bool = True, failed: dict[str, str] | None = None
) -> dict[str, Cost]:
    """The medians of every command's costs, measured A B C A B C ...

    failed: gets the last line of stderr of commands after the first that fail, which are left out; None: they raise
    CommandFailed as the first does.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    first = next(iter(commands))
    for repetition in range(repetitions):
        for name in list(costs):
            print(f"{repetition + 1}/{repetitions} {name}", file=sys.stderr)
            try:
                costs[name].append(run(commands[name], one_core=one_core))
            except CommandFailed as error:
                if failed is None or name == first:
                    raise
                failed[name] = str(error).strip().rpartition("\n")[2]
                del costs[name]
    return {name: _median(runs) for name, runs in costs.items()}


# A process begins with the peak memory of the one that starts it, so that a small one does.
_STARTER = """
import json, os, sys, time
one_core, costs, *command = sys.argv[1:]
if one_core == "True" and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
began = time.perf_counter()
process = os.posix_spawnp(command[0], command, os.environ)
_, status, usage = os.wait4(process, 0)
wall = time.perf_counter() - began
with open(costs, "w") as file:
    json.dump([usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss], file)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""


def run(command: Command, *, one_core: bool = True) -> Cost:
    """Run a command to its end. one_core: it has one core and one thread in every library that supports it.

    Not every pool of threads has a variable for its size; all of them count the cores that they may run on.
    """
    environment = {**os.environ, **ONE_THREAD} if one_core else None
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors, tempfile.NamedTemporaryFile("r") as costs:
        starter = [sys.executable, "-I", "-S", "-c", _STARTER, str(one_core), costs.name, *command]
        if subprocess.run(starter, stdout=out, stderr=errors, env=environment).returncode:
            errors.seek(0)
            raise CommandFailed(f"{' '.join(command)} failed:\n{errors.read().decode()}")
        out.seek(0)
        reported = json.loads(out.read()) if command[0] == sys.executable else {}
        cpu_seconds, wall, peak = json.load(costs)
    per_unit = 1 if sys.platform == "darwin" else 1024
    return Cost(cpu_seconds, wall, peak * per_unit / MEGABYTE, reported)


@contextmanager
def cpu(reported: Reported, name: str) -> Iterator[None]:
    """Add the CPU seconds of a block to the measurements of a contender."""
    began = time.process_time()
    try:
        yield
    finally:
        reported[name] = reported.get(name, 0) + time.process_time() - began


def count_words(path: str | Path) -> int:
    """The number of words of a CoNLL-U file: the lines whose ID is a plain number."""
    with open_file(path) as lines:
        return sum(line.split(b"\t", 1)[0].isdigit() for line in lines)


def first_sentence(path: str | Path, folder: Path) -> Path:
    """A file in this folder that holds the first sentence of another one."""
    with open_file(path) as lines:
        sentence = b"".join([*itertools.takewhile(bytes.strip, lines), b"\n"])
    small = folder / "first.conllu"
    small.write_bytes(sentence)
    return small


@contextmanager
def open_file(path: str | Path) -> Iterator[Iterable[bytes]]:
    """The lines of a file, packed by gzip or not."""
    with gzip.open(path) if str(path).endswith(".gz") else open(path, "rb") as file:
        yield file


def machine(*libraries: str) -> str:
    """The machine and the versions, in a line."""
    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    versions = ", ".join(f"{name} {version(name)}" for name in (*LIBRARIES, *libraries))
    return f"{os.cpu_count()} cores, {model}, {platform.system()}, Python {platform.python_version()}, {versions}."


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; the columns after the first are numbers."""
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def target(what: str, measured: str, reached: bool) -> str:
    """A line that says whether a target is reached."""
    return f"- {what}: {measured}, {'reached' if reached else '**not reached**'}"


def _median(runs: Sequence[Cost]) -> Cost:
    reported = {name: statistics.median(run.reported[name] for run in runs) for name in runs[0].reported}
    cpu, wall, peak = (statistics.median(getattr(run, name) for run in runs) for name in ("cpu", "wall", "peak"))
    return Cost(cpu, wall, peak, reported)


def as_wpt(path: Path) -> Path:
    """Write the links of a file to another with a line per link."""
    out = path.with_suffix(".wpt")
    with path.open() as file, out.open("w") as written:
        for sentence, line in enumerate(file, 1):
            for link in line.split():
                source, target = link.replace("p", "-").split("-")
                written.write(f"{sentence} {int(source) + 1} {int(target) + 1} {'P' if 'p' in link else 'S'}\n")
    return out
