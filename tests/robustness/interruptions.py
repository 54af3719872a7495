"""Send SIGINT and SIGTERM to commands at random moments, and measure how long they take to end.

Every command runs once to its end, which says how long it takes; those of less than `--at-least` seconds are left out.
Then it is started again and gets a signal at a random moment of that time, and must end within a second: with 130 or
143 and one line, or with 0 if the signal came too late. Nothing may be left of it: no file, no process, and a database
as it was. Lattices of a million edges and corpora of a million words are made, or are those of options.

    python -m tests.robustness.interruptions --moments 3 --seed 1

takes about fifteen minutes, and prints a row per command: its seconds, the longest time to its end, and what was wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import treesql
from tests.conftest import FIXTURES
from tests.robustness.kills import INTERRUPTED, state_of

SIGNALS = (signal.SIGINT, signal.SIGTERM)
LIMIT = 1.0
"""Seconds in which a command has to end."""

PATIENCE = 120
"""Seconds after which a command counts as one that hangs."""

CHILDREN = 5.0
"""Seconds in which processes that a command has started have to end."""

TOO_LATE = "the signal came too late: this was done"
DATABASE = "t.duckdb"

CASES: dict[str, str] = {
    "score one lattice": "score lattice -r one.txt one.plf --max-sentence 64MB",
    "score lattice": "score lattice -r many.txt many.plf",
    "lattice oracle": "lattice oracle many.plf -r many.txt --measure bleu",
    "lattice prune": "lattice prune many.plf -r many.txt --greedy -o out.plf",
    "lattice examples": "lattice examples many.plf -r many.txt -o out.parquet",
    "score dependency": "score dependency gold.conllu system.conllu --ci",
    "score trees": "score trees gold.conllu system.conllu",
    "compare": "compare dependency gold.conllu system.conllu gold.conllu",
    "diff": "diff gold.conllu system.conllu -o out.json",
    "report": "report dependency gold.conllu system.conllu -o out.html",
    "stats": "stats gold.conllu",
    "wde": "wde gold.conllu",
    "check": "check gold.conllu",
    "find": "find t.duckdb pattern_{_X_[upos=NOUN]_} --format json",
    "sql to a file": "sql t.duckdb FROM_words -o out.json",
    "sql as a page": "sql t.duckdb FROM_words_LIMIT_200000 -o out.html",
    "sql as a table": "sql t.duckdb FROM_words_LIMIT_200000",
    "sql --write": "sql t.duckdb UPDATE_words_SET_lemma='x' --write",
    "export": "export t.duckdb out",
    "export --to": "export t.duckdb out.conllu --corpus gold",
    "load": "load t.duckdb gold.conllu --corpus new",
    "load --replace": "load t.duckdb gold.conllu --corpus gold --replace",
    "load into a new database": "load new.duckdb gold.conllu --corpus new",
    "load into a folder": "load new/ gold.conllu --corpus new",
    "drop": "drop t.duckdb gold",
    "compile": "compile",
}
"""Commands by name, their words separated by blanks; in SQL and patterns, `_` is one."""


@dataclass
class Ended:
    """How a command ended: seconds after the signal, exit code, and what was wrong."""

    seconds: float
    code: int
    wrong: list[str] = field(default_factory=list)


def words_of(command: str) -> list[str]:
    """The words of a command."""
    return [
        word.replace("_", " ") if word.startswith(("FROM", "UPDATE", "pattern")) else word for word in command.split()
    ]


def make_lattice(folder: Path, nodes: int, chance: random.Random) -> None:
    """A lattice of ten edges a node, and a reference of 40 words."""
    with open(folder / "one.plf", "w") as file:
        file.write("(")
        for at in range(nodes):
            edges = (
                (chance.randint(0, 5000), min(step, nodes - at)) for step in (1, *chance.choices(range(1, 11), k=9))
            )
            file.write("(" + ",".join(f"('w{word}',-0.5,{step})" for word, step in edges) + ",),")
        file.write(")\n")
    (folder / "one.txt").write_text(" ".join(f"w{chance.randint(0, 5000)}" for _ in range(40)) + "\n")


def prepare(folder: Path, *, sentences: int, nodes: int, seed: int, given: dict[str, str | None]) -> None:
    """Inputs of all commands. given: files that replace those that are made, by name."""
    folder.mkdir(parents=True)
    text = (FIXTURES / "gold.conllu").read_bytes()
    with open(folder / "gold.conllu", "wb") as gold, open(folder / "system.conllu", "wb") as system:
        for at in range(sentences // 5):
            part = text.replace(b"sent_id = ", b"sent_id = %d-" % at)
            gold.write(part)
            system.write(part.replace(b"\tobj\t", b"\tobl\t") if at % 3 else part)
    make_lattice(folder, nodes, random.Random(seed))
    for ending in ("plf", "txt"):
        content = (FIXTURES / f"lattices.{ending}").read_bytes()
        (folder / f"many.{ending}").write_bytes(content * (sentences // 20))
    for name, path in given.items():
        if path is not None:
            shutil.copy(path, folder / name)
    with treesql.connect(folder / DATABASE) as db:
        db.load(folder / "gold.conllu", corpus="gold")


class Interruptions:
    """Commands that run in copies of a folder."""

    def __init__(self, folder: Path) -> None:
        self._inputs = folder
        self.before = state_of(folder / DATABASE)

    def seconds(self, command: str) -> float:
        """How long a command takes. Raises AssertionError if it fails."""
        with self._copy() as folder:
            began = time.monotonic()
            child = start(command, folder)
            code = child.wait(PATIENCE * 3)
            assert code in (0, 1), (folder / "stderr").read_text()
            return time.monotonic() - began

    def interrupt(self, command: str, number: signal.Signals, after: float) -> Ended:
        """Send a signal some seconds after a command has started."""
        with self._copy() as folder:
            there = names(folder)
            child = start(command, folder)
            time.sleep(after)
            sent = time.monotonic()
            child.send_signal(number)
            try:
                child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                return Ended(PATIENCE, child.wait(), ["hangs"])
            ended = Ended(time.monotonic() - sent, child.returncode)
            late = child.returncode == 0
            if ended.seconds > LIMIT and not late:
                ended.wrong.append(f"ended {ended.seconds:.2f} s after {number.name} at {after:.2f} s")
            ended.wrong += lies(number, child.returncode, (folder / "stderr").read_text())
            ended.wrong += left_processes(child.pid)
            if not late:
                left = sorted(names(folder) - there)
                ended.wrong += [f"left {left}"] if left else []
                ended.wrong += [] if state_of(folder / DATABASE) == self.before else ["the database has changed"]
            return ended

    def _copy(self) -> Copied:
        return Copied(self._inputs)


class Copied(tempfile.TemporaryDirectory[str]):
    """A folder with links to inputs, and a copy of the database."""

    def __init__(self, inputs: Path) -> None:
        super().__init__(dir=inputs.parent)
        self._inputs = inputs

    def __enter__(self) -> Path:  # type: ignore[override]
        folder = Path(super().__enter__())
        for file in self._inputs.iterdir():
            if file.name == DATABASE:
                shutil.copy(file, folder)
            else:
                (folder / file.name).symlink_to(file)
        for name in ("stdout", "stderr"):
            (folder / name).touch()
        return folder


def start(command: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own. `compile` compiles into a cache of its own."""
    environment = dict(os.environ)
    if command == "compile":
        environment["NUMBA_CACHE_DIR"] = str(folder.parent / "cache")
        shutil.rmtree(folder.parent / "cache", ignore_errors=True)
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as error:
        return subprocess.Popen(
            [sys.executable, "-m", "treesql", *words_of(command)], cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
            stderr=error, start_new_session=True, env=environment,
        )  # fmt: skip


def names(folder: Path) -> set[str]:
    """The files of a folder."""
    return {path.name for path in folder.iterdir()}


STARTING = ("Could not import runpy module\n", "Fatal Python error: init_import_site")
"""What Python says of a signal that comes while it starts, before it knows what it is to run."""


def lies(number: int, code: int, said: str) -> list[str]:
    """What is wrong with an exit code and what was said."""
    lines = [line for line in said.splitlines() if not line.startswith(("warning: ", "compiling "))]
    if code == INTERRUPTED[number] and len(lines) == 1 and lines[0].startswith("interrupted"):
        return []
    if (code == 0 and lines in ([], [TOO_LATE])) or (code == -number and not lines):  # as it ends, or as it starts
        return []
    if code == 1 and said.startswith(STARTING) and "treesql" not in said:
        return []
    return [f"exit code {code}: {said!r}"]


def left_processes(group: int) -> list[str]:
    """Processes of a group that are left after some seconds, which are ended then."""
    ends = time.monotonic() + CHILDREN
    while time.monotonic() < ends:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return []
        time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
        return ["left processes"]
    return []


def run(
    campaign: Interruptions, cases: Sequence[str], *, moments: int, seed: int, at_least: float = 0.0
) -> Iterator[tuple[str, float, list[Ended]]]:
    """Yield each command that takes long enough, with its seconds, and how it ended."""
    chance = random.Random(seed)
    for name in cases:
        seconds = campaign.seconds(CASES[name])
        if seconds >= at_least:
            ends = [
                campaign.interrupt(CASES[name], number, chance.uniform(0, seconds))
                for _ in range(moments)
                for number in SIGNALS
            ]
            yield name, seconds, ends


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=3, help="moments of each signal")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-least", type=float, default=2.0, metavar="SECONDS")
    parser.add_argument("--sentences", type=int, default=150_000)
    parser.add_argument("--nodes", type=int, default=100_000, help="of a lattice with ten times as many edges")
    parser.add_argument("--gold", metavar="CONLLU")
    parser.add_argument("--system", metavar="CONLLU")
    parser.add_argument("--lattices", metavar="PLF")
    parser.add_argument("--references", metavar="TXT")
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    asked = parser.parse_args()
    given = {
        "gold.conllu": asked.gold, "system.conllu": asked.system, "many.plf": asked.lattices,
        "many.txt": asked.references,
    }  # fmt: skip
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder) / "inputs"
        prepare(inputs, sentences=asked.sentences, nodes=asked.nodes, seed=asked.seed, given=given)
        found = run(Interruptions(inputs), asked.cases, moments=asked.moments, seed=asked.seed, at_least=asked.at_least)
        for name, seconds, ends in found:
            late = sum(one.code == 0 for one in ends)
            longest = max((one.seconds for one in ends if one.code), default=0.0)
            print(
                f"{name:26} {seconds:6.1f} s  {len(ends)} signals, {late} too late; longest {longest:.2f} s", flush=True
            )
            for fault in (fault for one in ends for fault in one.wrong):
                print(f"    {fault}", flush=True)
                wrong += 1
    print(f"{wrong} faults")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(_main())
