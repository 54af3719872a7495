"""Dynamic programs and byte scanners: flat arrays in, arrays out. They import neither Arrow, SQL nor files."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

FIRST_REPORT, REPORT_INTERVAL = 0.5, 0.25
"""Seconds after which a compilation is reported, and from then on between reports."""


class Progress(NamedTuple):
    """How far a compilation is.

    done, n: compiled kernels, or groups of them, and all that are to be compiled. what: "kernel" or "group of kernels",
    which are counted. seconds, left: seconds since it
    began, and those it is likely to take from now on. cores: processors that it uses.
    """

    done: int
    n: int
    seconds: float
    left: float
    cores: int
    what: str = "kernel"


when_compiling: list[Callable[[Progress], object]] = []
"""Functions called while kernels are compiled, from half a second on, several times a second and at the end."""


when_missing: list[Callable[[], object]] = []
"""What compiles kernels that this process is going to call, in other processes: taken from here and called once, for
the first of them that neither the process nor the cache has."""


class Compilation:
    """A compilation that reports its progress; one within another reports nothing.

    n: kernels, or groups of them; likely: seconds that it is likely to take; cores: processors that it uses.
    """

    running = threading.Lock()

    def __init__(self, n: int, likely: float, cores: int, what: str = "kernel") -> None:
        self.n, self.done, self.likely, self.cores, self.what = n, 0, likely, cores, what
        self._failed = False
        self._begin = time.monotonic()
        self._ended = threading.Event()
        self._reporter: threading.Thread | None = None

    def __enter__(self) -> Compilation:
        """Begin; a thread of its own reports."""
        if when_compiling and Compilation.running.acquire(blocking=False):
            self._reporter = threading.Thread(target=self._report, daemon=True)
            self._reporter.start()
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        """End."""
        self._failed = kind is not None
        self._ended.set()
        if self._reporter is not None:
            self._reporter.join()
            Compilation.running.release()

    def progress(self) -> Progress:
        """How far it is. Seconds left are those of what is done once that tells more than what was likely before."""
        seconds = time.monotonic() - self._begin
        left = max(self.likely - seconds, 0.0)
        if self.done:
            left = max(seconds / self.done, 0.0) * (self.n - self.done)
        return Progress(min(self.done, self.n), self.n, seconds, left, self.cores, self.what)

    def _report(self) -> None:
        """Call the functions of `when_compiling` until it ends, and once more if all is compiled."""
        wait = FIRST_REPORT
        while not self._ended.wait(wait):
            wait = REPORT_INTERVAL
            _tell(self.progress())
        if wait == REPORT_INTERVAL and not self._failed:
            _tell(self.progress()._replace(done=self.n, left=0.0))


def _tell(progress: Progress) -> None:
    for call in when_compiling:
        call(progress)
