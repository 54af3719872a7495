"""How long scoring word alignments takes, against a scorer that goes line by line in Python.

python benchmarks/alignment.py GOLD SYSTEM [--times 100] [--script COMMAND ...] [--repetitions 5]

GOLD and SYSTEM are files in Pharaoh's notation, which are repeated so many times. --script: other scorers, each a
command that is given both files. Prints Markdown; one core.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path

import measure
from measure import Command, Cost, Told

PLAIN = "plain_alignment.py"
TREESQL = "treesql score alignment"
WORK = "treesql score alignment, imports and a first small call left out"
SYMMETRISE = "treesql align symmetrise"
BAR = 20


def main() -> None:
    given = _arguments()
    print(measure.machine(), end="\n\n")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, "gold.pharaoh"), Path(folder, "system.pharaoh")]
        for path, file in zip((given.gold, given.system), files, strict=True):
            file.write_bytes(path.read_bytes() * given.times)
        n_links = [len(file.read_bytes().split()) for file in files]
        n_lines = files[0].read_bytes().count(b"\n")
        commands: dict[str, Command] = {
            TREESQL: measure.treesql("score", "alignment", *files),
            WORK: measure.child("work", *files, given.gold),
            SYMMETRISE: measure.treesql("align", "symmetrise", *files, "-o", Path(folder, "out.pharaoh")),
        }
        plain = Path(__file__).with_name(PLAIN)
        scripts = {PLAIN: ["/usr/bin/env", sys.executable, str(plain)]}
        scripts |= {command: ["/usr/bin/env", *shlex.split(command)] for command in given.script}
        commands |= {name: [*command, *map(str, files)] for name, command in scripts.items()}
        costs = measure.in_turn(commands, given.repetitions)
    print(f"{n_lines:,} sentences, {n_links[0]:,} gold links, {n_links[1]:,} links of the system.\n")
    _print(costs, sum(n_links))


def work(gold: str, system: str, small: str) -> Told:
    """Scores the small file first."""
    from treesql.evaluation import evaluate
    from treesql.tasks import Task

    told: Told = {}
    evaluate(Task(("agreement",), small, [small], kind="alignment"))
    with measure.cpu(told, "work"):
        evaluate(Task(("agreement",), gold, [system], kind="alignment"))
    return told


def _print(costs: dict[str, Cost], n_links: int) -> None:
    seconds = {name: cost.told.get("work", cost.cpu) for name, cost in costs.items()}
    rows = [
        (name, f"{taken:.2f}", f"{n_links / taken:,.0f}", f"{taken / seconds[TREESQL]:.1f}", f"{costs[name].peak:.0f}")
        for name, taken in seconds.items()
    ]
    print(measure.table(("", "CPU s", "links/s", "against treesql", "peak MB"), rows))
    for name in (TREESQL, WORK):
        ratio = seconds[PLAIN] / seconds[name]
        print(measure.target(f"{name}, {BAR} times {PLAIN}", f"{ratio:.1f} times", ratio >= BAR))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", type=Path)
    parser.add_argument("system", type=Path)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--script", action="append", default=[])
    parser.add_argument("--repetitions", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    measure.start(main, {"work": work})
