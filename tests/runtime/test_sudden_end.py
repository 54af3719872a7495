"""Processes that a signal ends while their main thread runs compiled code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from treesql.runtime import atomic_files, interrupts, limits

START = """\
import hashlib, sys, time
from pathlib import Path
from treesql import process
from treesql.runtime import atomic_files, interrupts

def compiled():
    "Takes a minute, without Python's lock, and hears no signal."
    hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000_000)

def ready():
    print("ready", flush=True)

process.end_without_teardown()
with process.listening(to_the_end=True):
"""
IN_KERNEL = """
    with interrupts.noting(lambda: "1 of 2"), atomic_files.write_whole(Path("out")) as made:
        made.write_text("x")
        ready()
        compiled()
"""
SWALLOWED = """
    ready()
    try:
        time.sleep(30)
    except KeyboardInterrupt:
        compiled()
"""
REPORTED = """
    ready()
    try:
        time.sleep(30)
    except KeyboardInterrupt:
        assert process.begin_to_end()
        print("reported", file=sys.stderr)
compiled()
"""
COMMITTING = """
    with interrupts.committing():
        ready()
        time.sleep(1)
    time.sleep(0.5)
process.end(0)
"""


def run(folder: Path, code: str, *numbers: int) -> tuple[int, str, float]:
    """Exit code, standard error, and seconds from the first signal to the end."""
    child = subprocess.Popen(
        [sys.executable, "-c", START + code], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.05)
    began = time.monotonic()
    for number in numbers:
        child.send_signal(number)
        time.sleep(0.02)
    _, said = child.communicate(timeout=30)
    return child.returncode, said, time.monotonic() - began


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "numbers", "ended"),
    [
        (IN_KERNEL, [signal.SIGINT], (130, "interrupted; 1 of 2\n")),
        (IN_KERNEL, [signal.SIGTERM, signal.SIGTERM, signal.SIGINT], (143, "interrupted; 1 of 2\n")),
        (SWALLOWED, [signal.SIGHUP], (129, "interrupted\n")),
        (REPORTED, [signal.SIGINT], (130, "reported\n")),
    ],
    ids=["kernel", "several signals", "swallowed", "reported"],
)
def test_a_process_ends_within_a_second(tmp_path: Path, code: str, numbers: list[int], ended: tuple[int, str]) -> None:
    *found, seconds = run(tmp_path, code, *numbers)
    assert tuple(found) == ended
    assert interrupts.GRACE <= seconds < 1.5  # a second, and a little for a busy machine
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_is_made_permanent_is_waited_for(tmp_path: Path) -> None:
    code, said, seconds = run(tmp_path, COMMITTING, signal.SIGTERM)
    assert (code, said) == (0, "")
    assert seconds > 1.4


class Ended(BaseException):
    """The end of the process."""


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The exit codes of processes that would have ended."""
    codes: list[int] = []

    def end(code: int) -> None:
        codes.append(code)
        raise Ended

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(interrupts, "_ending", threading.Lock())
    return codes


def test_a_sudden_end_removes_hidden_and_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: list[int], capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "_temporary", {tmp_path / "db.tmp"})
    (tmp_path / "db.tmp").mkdir()
    (tmp_path / "db.tmp" / f"duckdb_temp_{os.getpid()}_1.tmp").touch()
    made = tmp_path / "made"
    with atomic_files.removed_if_empty(made / "inner", made), atomic_files.hidden_folder(tmp_path) as folder:
        (made / "inner").mkdir(parents=True)
        (folder / "part").touch()
        with pytest.raises(Ended):
            interrupts.end_process(3, "why")
        assert list(tmp_path.iterdir()) == []
    assert (ends, capfd.readouterr().err) == ([3], "why\n")


def test_the_end_is_reported_once(
    monkeypatch: pytest.MonkeyPatch, ends: list[int], capfd: pytest.CaptureFixture[str]
) -> None:
    assert interrupts.begin_to_end()
    assert interrupts.begin_to_end()  # nothing else would report it
    monkeypatch.setattr(interrupts._state, "watched", True)
    assert interrupts.begin_to_end()
    assert not interrupts.begin_to_end()
    with pytest.raises(Ended):
        interrupts.end_process(130, "why")
    assert (ends, capfd.readouterr().err) == ([130], "")


@pytest.mark.parametrize(("ours", "over", "code"), [(True, False, 143), (False, False, None), (True, True, None)])
def test_signals_of_other_handlers_and_late_ones_do_not_end_the_process(
    monkeypatch: pytest.MonkeyPatch, ends: list[int], ours: bool, over: bool, code: int | None
) -> None:
    monkeypatch.setattr(interrupts, "GRACE", 0.0)
    monkeypatch.setattr(signal, "getsignal", lambda number: interrupts._hear if ours else signal.default_int_handler)
    monkeypatch.setattr(interrupts._state, "over", over)
    monkeypatch.setattr(interrupts._state, "heard", None)
    received, sent = os.pipe()
    os.write(sent, bytes([signal.SIGTERM]))
    os.close(sent)
    with pytest.raises((Ended, IndexError)):  # at the end of the pipe, which no process reaches
        interrupts._watch(received)
    os.close(received)
    assert ends == ([] if code is None else [code])


def test_handlers_of_libraries_are_replaced_while_a_command_listens() -> None:
    usual = signal.getsignal(signal.SIGTERM)
    with interrupts.listening():
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        interrupts.listen_again()
        assert signal.getsignal(signal.SIGTERM) is interrupts._hear
    assert signal.getsignal(signal.SIGTERM) is usual
    interrupts.listen_again()
    assert signal.getsignal(signal.SIGTERM) is usual
