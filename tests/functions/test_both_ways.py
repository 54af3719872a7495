"""SQL functions whose kernels are interpreted and compiled, called with values of all sizes.

The calls are made in a process of its own with a limit of memory, as those of `test_function_safety`. By hand:

    python -m tests.functions.test_both_ways 2000 [SEED]  # with the environment of `both_ways`
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import suppress

import pytest

import treesql
from tests import both_ways
from tests.conftest import ROOT
from tests.functions.test_function_safety import BYTES, statements
from treesql.errors import TreesqlError
from treesql.functions import FUNCTIONS
from treesql.kernels.compiling import Kernel

CALLS_OF_EACH = 16


@pytest.mark.compiled
def test_valid_and_wild_calls_give_the_same() -> None:
    """Values at the ends of their types included. Few calls may be left to the compiled kernel."""
    n = CALLS_OF_EACH * len(FUNCTIONS)
    command = [sys.executable, "-m", "tests.functions.test_both_ways", str(n), "5"]
    environment = {**os.environ, **both_ways.ENVIRONMENT}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    same, left = map(int, done.stdout.split())
    assert same > n
    assert left < same / 50


def main(n: int, seed: int) -> int:
    """Make calls and print how many calls of kernels gave the same, and how many were left to the compiled kernel; on
    standard error what differs."""
    differ = 0
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    Kernel.__call__ = both_ways.call  # type: ignore[method-assign]
    with treesql.connect() as db:
        for number, sql in statements(seed, 0, n):
            with suppress(TreesqlError):
                db.sql(sql)
            for difference in both_ways.differences:
                print(f"{number}: {difference}", file=sys.stderr)
                differ = 1
            both_ways.differences.clear()
    print(both_ways.checked.total(), both_ways.left_to_the_compiler.total())
    return differ


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
