"""A day of an attacker: everything that the promises of SECURITY.md are tested with, with a seed.

    python -m tests.robustness.campaign --seed 1

takes about a quarter of an hour on two cores, prints what every part says at its end, and a line for each with its
seconds; the exit code is 1 if anything gave way. Parts are named by `--only`; each is a command of its own, which takes
other sizes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence

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
    "folders": ("tests.robustness.damaged_folders", "--folders", "60", "--seed", "{seed}"),
    "disks": (*PYTEST, *ALL, "tests/robustness/test_one_line.py", "tests/robustness/test_hostile_text.py"),
    "kills": ("tests.robustness.kills", "--kills", "36", "--seed", "{seed}"),
    "interrupts": ("tests.robustness.interruptions", "--moments", "1", "--seed", "{seed}", "--sentences", "20000",
                   "--nodes", "10000", "--at-least", "1", "--cases", *INTERRUPTED),
    "server": ("tests.robustness.server_attacks", "{seed}", "crawl=150", "limits=20", "clients=4", "changes=4"),
}  # fmt: skip
"""Modules that are run, with their arguments."""


def run(seed: int, names: Sequence[str]) -> bool:
    """Run parts one after the other; returns whether nothing gave way."""
    lines, failed = [], False
    for name in names:
        command = [word.format(seed=seed) for word in PARTS[name]]
        print(f"= {name}: python -m {' '.join(command)}", flush=True)
        begin = time.monotonic()
        code = subprocess.run([sys.executable, "-m", *command], check=False).returncode
        failed |= code != 0
        lines.append(f"{name}: {'gave way' if code else 'held'}, {time.monotonic() - begin:.0f} s")
    print("=", *lines, sep="\n")
    return not failed


def main() -> int:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    given = parser.parse_args()
    return 0 if run(given.seed, given.only) else 1


if __name__ == "__main__":
    sys.exit(main())
