"""Limits of time and memory, for the work of an engine and for a whole process.

DuckDB ends a statement that is interrupted in a hundredth of a second, unless it is inside a single call of a function
(`repeat('x', 4000000000)`) or being planned, and its own limit of memory does not count what such a call takes. So a
command is watched as a process, which ends. In Python, where the process is the user's, the engine is interrupted,
and a call that goes on is left to its thread.
"""

from __future__ import annotations

import contextvars
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from treesql import errors
from treesql.errors import DatabaseError, MemoryLimit, TimeLimit, TreesqlError, UsageError
from treesql.runtime import interrupts
from treesql.runtime.workers import Found, Worker

OVERHEAD = 250_000_000
"""Bytes of memory of Python, DuckDB, Arrow and compiled kernels without any data."""

GRACE = 0.9
"""Seconds between the interrupt of a statement and the end of the process, or of the wait for it: to report why."""

EXPLAINING = 0.6
"""Seconds of these in which the reason is found why a request takes so long."""

_POLL = 0.02
_ATTENTION = 0.1
"""Seconds until Ctrl-C is noticed where it does not end a wait: on Windows."""

_AGAIN = 0.05
"""Seconds between interrupts: one that comes between two statements stops neither."""

_UNITS = {"B": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([KMGT])(I?)B?|B)?", re.IGNORECASE)
_OUT_OF_MEMORY = re.compile(r"Out of Memory Error|bad allocation|std::bad_alloc")


class Interruptible(Protocol):
    """What can be interrupted: an engine, or a connection to a database."""

    def interrupt(self) -> None:
        """Stop the statement that runs, if there is one; it raises an error."""

    def roll_back(self) -> object:
        """End a transaction that is open without its changes; may raise where none is."""


def check_seconds(timeout: float | None) -> None:
    """Raise UsageError for a limit of time that is none; None stands for no limit."""
    if timeout is not None and not 0 <= timeout < float("inf"):
        raise UsageError(f"timeout={timeout:g}: write a number of seconds, 0 for any number")


def parse_size(text: str | int) -> int:
    """A number of bytes: `500MB`, `2GB`, `1.5GiB`, or a plain number. Raises UsageError."""
    matched = _SIZE.fullmatch(str(text).strip())
    if matched is None:
        raise UsageError(f"{text!r} is not a size; write 500MB, 2GB or 1GiB")
    number, unit, binary = matched.groups()
    size = int(float(number) * (1024 if binary else 1000) ** _UNITS[(unit or "B").upper()])
    if not 0 < size < 1 << 63:
        raise UsageError(f"{text!r} is not a size; it must be above 0 and below 9 million TB")
    return size


def memory_in_use(process: int | None = None) -> int:
    """Bytes of memory of a process, by default this one; its maximum so far where only that is known, 0 where nothing
    is, as of other processes without `/proc`."""
    with (
        suppress(AttributeError, OSError, ValueError, IndexError),
        open(f"/proc/{process or 'self'}/statm", "rb") as file,
    ):
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    with suppress(ImportError):
        if process:
            return 0
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return 0


@dataclass
class Limit:
    """Limits of a piece of work: seconds (infinity: none), and bytes beyond those in use at its beginning.

    The work may pause and go on: only the time of its parts counts. explain: called when time is over, for the text of
    TimeLimit; it should take no longer than EXPLAINING.
    """

    seconds: float = float("inf")
    memory: int | None = None
    explain: Callable[[], str] | None = None
    hit: TreesqlError | None = None

    def __post_init__(self) -> None:
        self._used = 0.0
        self._memory = memory_in_use() if self.memory else 0
        self._interrupting = threading.Lock()
        self.begin()

    @property
    def left(self) -> float:
        """Seconds until the limit."""
        return max(self.seconds - self._used - (time.monotonic() - self._began), 0.0)

    @property
    def is_set(self) -> bool:
        """Whether there is a limit at all."""
        return bool(self.memory) or self.seconds < float("inf")

    def begin(self) -> None:
        """Begin a part of the work: from now on its time counts."""
        self._done, self._began, self._stopped = threading.Event(), time.monotonic(), float("inf")

    @contextmanager
    def part(self) -> Iterator[None]:
        """The part that has begun: its end is that of the block. Raises TimeLimit, MemoryLimit for what stopped it."""
        try:
            yield
        except Exception as error:
            self._end()
            if isinstance(error, TimeLimit | MemoryLimit):
                raise
            if isinstance(self.hit, TimeLimit):
                raise TimeLimit(self.seconds, self.explain() if self.explain else "") from None
            if exceeded := self.hit or as_memory_limit(error, self.memory):
                raise exceeded from None
            raise
        finally:
            self._end()

    def _end(self) -> None:
        """End the part: nothing is interrupted any more."""
        with self._interrupting:
            if not self._done.is_set():
                self._done.set()
                self._used += time.monotonic() - self._began

    def stop(self) -> None:
        """Have the part interrupted, whether a limit is hit or not."""
        self._stopped = min(self._stopped, time.monotonic())

    def watch(
        self,
        engine: Interruptible,
        finished: threading.Event | None = None,
        grace: float = float("inf"),
    ) -> bool:
        """Wait until the work has finished, and interrupt the engine once a limit is hit, until the part ends.

        finished: if left out, it has when the part ends. Returns False if the work goes on grace seconds after it was
        stopped.
        """
        finished = finished or self._done
        while not finished.wait(self._pause()):
            if self._is_hit():
                self.stop()
            if self._stopped < float("inf"):
                with self._interrupting, suppress(Exception):  # one that was closed cannot be interrupted
                    if not self._done.is_set():
                        engine.interrupt()
            if time.monotonic() > self._stopped + grace:
                return False
        return True

    def _pause(self) -> float:
        """Seconds until something is to be done."""
        if self._stopped < float("inf"):
            return _AGAIN
        return min(self.left, _POLL if self.memory else _ATTENTION)

    def _is_hit(self) -> bool:
        if not self.hit and not self.left:
            self.hit = TimeLimit(self.seconds)
        elif not self.hit and self.memory and memory_in_use() - self._memory > self.memory:
            self.hit = MemoryLimit(self.memory)
        return self.hit is not None


@contextmanager
def limited(engine: Interruptible, seconds: float | None = None, memory: int | None = None) -> Iterator[Limit]:
    """Interrupt the engine in this block after some seconds, or once the process uses too much memory.

    seconds: None or 0 for no limit. memory: bytes beyond those in use when the block begins, checked fifty times a
    second; None for no limit. Raises TimeLimit, MemoryLimit, when the statement has ended; the latter also where DuckDB
    is out of memory.
    """
    limit = Limit(seconds or float("inf"), memory)
    if limit.is_set:
        threading.Thread(target=limit.watch, args=(engine,), daemon=True).start()
    with limit.part():
        yield limit


_limited = contextvars.ContextVar("_limited", default=False)


def are_set() -> bool:
    """Whether the work that asks, or this process, has a limit."""
    return _limited.get() or _process != _Process()


def run_beside(work: Callable[[], Found], stop: Callable[[], object] | None = None) -> Found:
    """Return what the work returns, compiled code that runs in a second thread, while Ctrl-C raises KeyboardInterrupt
    in this one.

    stop: stops the work, whose end is then waited for. Without it the work is left to its end: what it changes must not
    be used any more.
    """
    worker = Worker(work, clean_up=lambda: None)
    try:
        worker.start()
        while not worker.finished.wait(_ATTENTION):
            pass
    except BaseException:
        if stop is None:
            worker.leave()
        else:
            _stop(worker, stop)
        raise
    return worker.result()


def _stop(worker: Worker[Any], stop: Callable[[], object]) -> None:
    """Stop work again and again until it has ended: an interrupt that comes between two statements stops neither."""
    while not worker.finished.is_set():
        with suppress(Exception):
            stop()
        worker.finished.wait(_AGAIN)


Owned = TypeVar("Owned", bound=Interruptible)


class LimitedEngine(Generic[Owned]):
    """An engine whose calls end about a second after a limit is hit, or Ctrl-C was pressed, whatever they do.

    They run in a second thread, which the caller leaves GRACE seconds after it was interrupted in vain.
    """

    def __init__(self, engine: Owned, seconds: float | None = None, memory: int | None = None) -> None:
        """seconds, memory: limits of each call; None or 0 for none."""
        self._engine = engine
        self._seconds, self._memory = seconds, memory
        self._left: Worker[Any] | None = None

    @property
    def engine(self) -> Owned:
        """The engine. Raises DatabaseError while a call that was stopped still runs."""
        if self._left is not None and not self._left.finished.is_set():
            raise DatabaseError("a call that was stopped still runs in this database; try again when it has ended")
        return self._engine

    def new_limit(self, seconds: float | None = None) -> Limit:
        """The limits of one call. seconds: instead of those of all calls; 0 for no limit."""
        return Limit((self._seconds if seconds is None else seconds) or float("inf"), self._memory)

    def run(self, work: Callable[[], Found], limit: Limit) -> Found:
        """Return what the work returns, or raise what it raises, with its warnings. Raises TimeLimit, MemoryLimit."""
        engine = self.engine
        limit.begin()
        if not (limit.is_set or interrupts.raises_here()):
            with limit.part():
                return work()

        warnings: list[errors.Issued] = []

        def part() -> Found:
            _limited.set(limit.is_set)
            with limit.part(), errors.collecting(warnings):
                return work()

        worker = Worker(part, clean_up=engine.roll_back)  # raises if no transaction is open
        try:
            worker.start()
            # A process with limits of its own is ended, and leaves nothing behind.
            limit.watch(engine, worker.finished, GRACE if _process == _Process() else float("inf"))
        except BaseException:  # Ctrl-C
            limit.stop()
            limit.watch(engine, worker.finished, GRACE)
            raise
        finally:
            if not worker.finished.is_set() and worker.leave():
                self._left = worker
                threading.Thread(target=limit.watch, args=(engine, worker.finished), daemon=True).start()
        if worker.left:
            assert limit.hit
            raise limit.hit
        for warning in warnings:
            errors.issue(*warning)
        return worker.result()

    def when_free(self, action: Callable[[], object]) -> None:
        """Act at once, or when the call has ended that was stopped and still runs."""
        if self._left is None:
            action()
        else:
            self._left.then(action)


def as_memory_limit(error: BaseException, memory: int | None = None) -> MemoryLimit | None:
    """MemoryLimit for an error that reports too little memory for DuckDB; None for others."""
    return MemoryLimit(memory or _process.memory) if _OUT_OF_MEMORY.search(str(error)) else None


@dataclass(frozen=True)
class _Process:
    """Limits of the command that runs in this process; `ends`: when it is ended, by the monotonic clock."""

    memory: int | None = None
    seconds: float = float("inf")
    ends: float = float("inf")


_process = _Process()
_temporary = {Path(".tmp")}
"""Folders of DuckDB's temporary files: that of databases in memory, and those of other databases."""


def duckdb_memory() -> int | None:
    """Bytes of memory for DuckDB in a process with a limit; None without one."""
    return None if _process.memory is None else max(_process.memory // 2, _process.memory - OVERHEAD)


def memory_is_short() -> bool:
    """Whether this process has a limit of memory and uses more than three quarters of it."""
    return _process.memory is not None and memory_in_use() > _process.memory * 3 // 4


def remember_temporary_files(database: str) -> None:
    """Have the temporary files of a database that are of this process removed if it is ended at once."""
    _temporary.add(Path(f"{database}.tmp"))


def limit_process(*, seconds: float | None = None, memory: int | None = None, grace: float = 0.0) -> None:
    """End this process, with one line and exit code 2, after some seconds or once it uses too much memory.

    grace: seconds to wait longer, where statements are interrupted as well. `unlimit_process` lifts the limits.
    """
    global _process
    if seconds:
        _process = replace(_process, seconds=seconds, ends=time.monotonic() + seconds + grace)
    if memory:
        _process = replace(_process, memory=memory)
    threading.Thread(target=_watch_process, args=(_process,), daemon=True).start()


def unlimit_process() -> None:
    """Lift the limits of this process."""
    global _process
    _process = _Process()


def _watch_process(process: _Process) -> None:
    """Check time and memory until the limits change or the command is done."""
    while _process is process and not interrupts.came_too_late():
        if interrupts.is_committing():
            time.sleep(_POLL)
            continue
        if time.monotonic() >= process.ends:
            interrupts.end_process(2, str(TimeLimit(process.seconds)))
        if process.memory and memory_in_use() > process.memory:
            interrupts.end_process(2, str(MemoryLimit(process.memory)))
        time.sleep(_POLL)


def _remove_temporary_files() -> None:
    """Remove DuckDB's temporary files of this process, and their folders if no other process uses them."""
    for folder in _temporary:
        for file in folder.glob(f"duckdb_temp_{os.getpid()}_*"):
            file.unlink(missing_ok=True)
        with suppress(OSError):
            folder.rmdir()


interrupts.at_sudden_end(_remove_temporary_files)
