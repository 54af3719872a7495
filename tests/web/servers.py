"""Servers as processes of their own, and what their workers do."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.conftest import ROOT

ENDLESS = "SELECT sum(a.i * b.i) FROM range(100000000) AS a(i), range(100000) AS b(i)"
"""A statement that can be interrupted."""

READY_WITHIN = 180
"""Seconds in which the workers of a server are ready, on a busy machine too."""

DEAF = "SELECT length(repeat('x', 3000000000))"
"""A statement that cannot."""


@dataclass(frozen=True)
class Served:
    """A server as a process of its own: its address, its process, and the file of what it reports."""

    address: str
    process: int
    log: Path

    def end(self, by: signal.Signals) -> tuple[float, int | None]:
        """End it by a signal: the seconds that takes, at most ten, and its exit code, None if it goes on."""
        began, found = time.monotonic(), None
        os.kill(self.process, by)
        while found is None and time.monotonic() < began + 10:
            found = os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            time.sleep(0.01)
        return time.monotonic() - began, found and found.si_status

    def faults(self) -> list[str]:
        """Lines of what it reports that no user should see."""
        return [line for line in self.log.read_text("utf-8").splitlines() if "Traceback" in line or "ERROR" in line]


def _is_ready(address: str) -> bool:
    """Whether all workers of a server are ready."""
    try:
        health = httpx.get(f"{address}health", timeout=5).json()
    except httpx.TransportError:
        return False
    return bool(health["ready"] == health["workers"])


@contextmanager
def served(database: Path, *options: str) -> Iterator[Served]:
    """A server as a process of its own, whose workers are ready."""
    command = [sys.executable, "-m", "treesql", "serve", str(database), "--port", "0", *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with (
        tempfile.TemporaryDirectory() as folder,
        open(Path(folder) / "log.txt", "w", encoding="utf-8") as log,
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
        ) as process,
    ):  # fmt: skip
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+/", process.stdout.readline())
            assert found
            ends = time.monotonic() + READY_WITHIN
            while not _is_ready(found[0]):
                assert time.monotonic() < ends, "workers are not ready"
                time.sleep(0.1)
            yield Served(found[0], process.pid, Path(log.name))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)


@contextmanager
def serving(database: Path, *options: str) -> Iterator[str]:
    """A server as a process of its own, and its address."""
    with served(database, *options) as server:
        yield server.address


def memory_of_workers(server: int) -> int:
    """Bytes of memory of the worker of a server that takes most; 0 where that is not known."""
    most = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            if _fields(entry.name)[1] == str(server):
                most = max(most, int((entry / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
    return most


def become_busy(n: int) -> bool:
    """Whether n workers use a processor before long."""
    return any(busy_workers() == n for _ in range(40))


def busy_workers() -> int:
    """The number of workers of servers of this process that use a processor."""
    before = _times()
    time.sleep(0.3)
    after = _times()
    return sum(after[one] - before.get(one, 0) > 3 for one in after)


def _times() -> dict[int, int]:
    """Ticks of the processor that workers used, by process."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if b"treesql.web.worker" in (entry / "cmdline").read_bytes():
                fields = _fields(entry.name)
                if _fields(fields[1])[1] != str(os.getpid()):
                    continue
                found[int(entry.name)] = int(fields[11]) + int(fields[12])
        except OSError:
            continue
    return found


def _fields(process: str) -> list[str]:
    """The fields of a process's state after its name: the second is its parent."""
    return (Path("/proc") / process / "stat").read_text().rpartition(")")[2].split()
