"""A day of an attacker: everything that the promises of SECURITY.md are tested with, with a seed.

    python -m tests.robustness.campaign --seed 1

takes less than a quarter of an hour on two cores that do nothing else, prints what every part says at its end, and a
line for each with its seconds; the exit code is 1 if anything gave way. Parts are named by `--only`; each is a command
of its own, which takes other sizes. As many run at once as there are cores, but those that measure times run alone.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from subprocess import PIPE, STDOUT

from treesql.runtime.threads import n_cores

PYTEST = ("pytest", "-q", "-n", "0", "-p", "no:randomly")
INTERRUPTED = ("score lattice", "lattice prune", "score dependency", "compare", "diff", "report", "sql as a page",
               "sql --write", "export", "load", "load into a folder")  # fmt: skip
ALL = ("-m", "slow or compiled or thorough or not slow")
"""Tests with every mark."""

PARTS: dict[str, tuple[str, ...]] = {
    "inputs": ("tests.robustness.fuzz_readers", "--inputs", "1500", "--every", "5", "--seed", "{seed}"),
    "functions": (*PYTEST, *ALL, "tests/functions/test_function_safety.py", "-k", "ends_the_process and 40"),
    "statements": (*PYTEST, *ALL, "tests/robustness/test_sql_safety.py", "tests/robustness/test_sql_injection.py",
                   "tests/robustness/test_sql_safety_of_folders.py"),
    "values": ("tests.robustness.odd_values", "--structures", "60", "--parts", "2000", "--seed", "{seed}"),
    "folders": ("tests.robustness.damaged_folders", "--folders", "42", "--seed", "{seed}"),
    "disks": (*PYTEST, *ALL, "tests/robustness/test_one_line.py", "tests/robustness/test_hostile_text.py"),
    "kills": ("tests.robustness.kills", "--kills", "36", "--seed", "{seed}"),
    "interrupts": ("tests.robustness.interruptions", "--moments", "1", "--seed", "{seed}", "--sentences", "20000",
                   "--nodes", "10000", "--at-least", "1", "--cases", *INTERRUPTED),
    "server": ("tests.robustness.server_attacks", "{seed}", "crawl=150", "limits=20", "clients=4", "changes=4"),
}  # fmt: skip
"""Modules that are run, with their arguments."""

ALONE = ("interrupts", "server")
"""Parts in which something has to end in time."""


def run(seed: int, names: Sequence[str]) -> bool:
    """Run parts; returns whether nothing gave way."""
    with ThreadPoolExecutor(n_cores()) as pool:
        outcomes = list(pool.map(partial(_run_part, seed), [name for name in names if name not in ALONE]))
    outcomes += [_run_part(seed, name) for name in names if name in ALONE]
    print("=", *(line for _, line in outcomes), sep="\n")
    return all(held for held, _ in outcomes)


def _run_part(seed: int, name: str) -> tuple[bool, str]:
    """Run a part and print what it says; returns whether it held, and a line about it."""
    command = [word.format(seed=seed) for word in PARTS[name]]
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-m", *command], check=False, stdout=PIPE, stderr=STDOUT, text=True)
    print(f"= {name}: python -m {' '.join(command)}\n{done.stdout}", end="", flush=True)
    return not done.returncode, f"{name}: {'gave way' if done.returncode else 'held'}, {time.monotonic() - begin:.0f} s"


def main() -> int:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    given = parser.parse_args()
    return 0 if run(given.seed, given.only) else 1


if __name__ == "__main__":
    sys.exit(main())
