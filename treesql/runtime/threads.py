"""Pieces of work done by several threads: for compiled code, which does not hold Python's lock."""

from __future__ import annotations

import contextvars
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

Found = TypeVar("Found")


class _Busy:
    """The number of threads of this process that do pieces of work, those that asked for it included."""

    lock = threading.Lock()
    threads = 0


class _Pieces:
    """Pieces of work that several threads take in their order, and what they have returned or raised."""

    def __init__(self, pieces: Sequence[Callable[[], object]]) -> None:
        self._pieces = pieces
        self._lock = threading.Lock()
        self._next = 0
        self.found: list[object] = [None] * len(pieces)
        self.failures: dict[int, BaseException] = {}

    def work(self) -> None:
        """Do pieces until none is left."""
        while (at := self._take()) is not None:
            try:
                self.found[at] = self._pieces[at]()
            except BaseException as error:
                self.failures[at] = error
                self.stop()
                if not isinstance(error, Exception):  # an interrupt comes before what other threads have found
                    raise

    def stop(self) -> None:
        """Begin no further piece."""
        with self._lock:
            self._next = len(self._pieces)

    def _take(self) -> int | None:
        with self._lock:
            if self._next == len(self._pieces):
                return None
            self._next += 1
            return self._next - 1


def n_cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def free_threads() -> int:
    """Return how many threads `run_in_threads` would use now, its caller included."""
    return max(n_cores() - _Busy.threads, 1)


def run_in_threads(pieces: Sequence[Callable[[], Found]]) -> list[Found]:
    """Return what the pieces return, in their order, done by this thread and by others on processors that are free.

    All threads of a process together use no more processors than it has. Raises what the first of the pieces raises
    that fails, as if they were done one after the other; KeyboardInterrupt when the pieces that run have ended.
    """
    given = _Pieces(pieces)
    with _Busy.lock:
        helpers = max(min(len(pieces), free_threads()) - 1, 0)
        _Busy.threads += 1 + helpers
    threads = [threading.Thread(target=contextvars.copy_context().run, args=(given.work,), daemon=True)
               for _ in range(helpers)]  # fmt: skip
    try:
        with suppress(RuntimeError):  # no memory for another thread
            for thread in threads:
                thread.start()
        given.work()
    finally:
        given.stop()
        _wait_for(threads)
        with _Busy.lock:
            _Busy.threads -= 1 + helpers
    if given.failures:
        raise given.failures[min(given.failures)]
    return given.found  # type: ignore[return-value]


def _wait_for(threads: Sequence[threading.Thread]) -> None:
    """Wait for threads to end, also where this one is interrupted meanwhile, which is raised afterwards."""
    interrupt: BaseException | None = None
    for thread in threads:
        while thread.is_alive():
            try:
                thread.join()
            except BaseException as error:
                interrupt = error
    if interrupt is not None:
        raise interrupt
