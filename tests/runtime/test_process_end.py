"""A process that ends without taking down the interpreter."""

from __future__ import annotations

import os
import subprocess
import sys

START = """\
import atexit
from treesql import process
process.end_without_teardown()
atexit.register(print, "later")
class Last:
    def __del__(self):
        print("teardown")
last = Last()
print("written")
"""


def run(code: str, output: int = subprocess.PIPE) -> tuple[int, str | None, str]:
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    words = [sys.executable, "-c", START + code]
    done = subprocess.run(words, stdout=output, stderr=subprocess.PIPE, text=True, env=usual)
    return done.returncode, done.stdout, done.stderr


def test_what_is_registered_runs_and_what_was_written_is_sent() -> None:
    assert run("process.end(3)") == (3, "written\nlater\n", "")


def test_an_error_ends_it_as_usual() -> None:
    code, out, error = run("raise ValueError('found')")
    assert (code, out) == (1, "written\nlater\nteardown\n")
    assert error.endswith("ValueError: found\n")


def test_an_error_after_the_exit_was_caught_ends_it_as_usual() -> None:
    code, out, error = run("try:\n    process.end(0)\nexcept SystemExit:\n    pass\nraise ValueError('found')")
    assert (code, out) == (1, "written\nlater\nteardown\n")
    assert error.endswith("ValueError: found\n")


def test_output_that_cannot_be_sent_is_reported() -> None:
    with open("/dev/full", "w") as full:
        code, _, error = run("process.end(0)", output=full.fileno())
    assert code == 120
    assert "No space left on device" in error
