"""What a newcomer waits for: the smallest score of every kind, with an empty cache of kernels and after it.

    python benchmarks/newcomer.py TREESQL [OTHER_TREESQL ...] [--runs 5]

TREESQL: the command of an installed package; several are run in turn. Every run is a process of its own, on files of
`fixtures/`, with the package's bytecode written: user and system seconds of the processor, as GNU time has them, and
elapsed ones. Medians.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

FIXTURES = Path(__file__).parent.parent / "fixtures"

COMMANDS = {
    "dependency": ["gold.conllu", "parser-a.conllu"],
    "alignment": ["links.pharaoh", "links-a.pharaoh"],
    "translation": ["hypotheses.txt", "--reference", "lattices.txt"],
    "constituency": ["gold.mrg", "test.mrg"],
    "newick": ["trees.nwk", "trees.nwk"],
    "trees": ["reference.conllu", "hypothesis.conllu"],
    "paths": ["reference.conllu", "hypothesis.conllu", "reference-hypothesis.align"],
    "parallel": [
        "gold.conllu",
        "parser-a.conllu",
        "gold.conllu",
        "parser-b.conllu",
        "links.pharaoh",
        "links-a.pharaoh",
    ],
    "lattice": ["lattices.plf", "--reference", "lattices.txt"],
}
"""Arguments of `treesql score` after the kind, files of fixtures/."""


class Taken(NamedTuple):
    """Seconds of the processor, and elapsed ones."""

    processor: float
    elapsed: float


def run(command: list[str], cache: Path) -> Taken:
    """Run a command with a folder for compiled kernels."""
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**usual, "NUMBA_CACHE_DIR": str(cache), "XDG_CACHE_HOME": str(cache)}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    elapsed, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Taken(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, elapsed)


def arguments_of(kind: str) -> list[str]:
    """The command line of a kind, behind the command."""
    plain = [text if text.startswith("--") else str(FIXTURES / text) for text in COMMANDS[kind]]
    return ["score", kind, *plain]


def measure(command: list[str], runs: int, folder: Path) -> tuple[list[Taken], list[Taken]]:
    """The runs with an empty cache, and those after each of them."""
    cold, warm = [], []
    for _ in range(runs):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        cold.append(run(command, folder))
        warm.append(run(command, folder))
    return cold, warm


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("commands", nargs="+", metavar="TREESQL")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    print("| score | command | empty cache: s | CPU s | then: s | CPU s |")
    print("|---|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in COMMANDS:
            for name in given.commands:
                taken = measure([name, *arguments_of(kind)], given.runs, Path(folder) / "cache")
                cells = [
                    f"{statistics.median(getattr(timed_run, what) for timed_run in runs):.2f}"
                    for runs in taken
                    for what in ("elapsed", "processor")
                ]
                print(f"| {kind} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
