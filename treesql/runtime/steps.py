"""Work that may take long, and how much of it is done: the command line shows that on terminals.

Work may be within other work, as a statement is in a block of files: `now` reports the outermost whose number of steps
is known. Where nobody listens, nothing is noted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple, TypeVar

Item = TypeVar("Item")

MEGABYTES = "MB"
"""The steps of work that reads files."""

_BYTES_OF_STEP = 1 << 20


class Steps(NamedTuple):
    """How many steps of some work are done, of how many, and after how many seconds.

    what: they are, in the plural; where n is 0, as it is not known, what is done.
    """

    done: float
    n: float
    what: str
    seconds: float

    @property
    def left(self) -> float | None:
        """Number of seconds that the others take, if they take as long; None before the first."""
        return self.seconds / self.done * (self.n - self.done) if self.done > 0 else None


when_done: list[Callable[[], object]] = []
"""Called whenever work begins, goes on or ends."""


class Work:
    """Some work. measure: returns how many steps are done, below 0 where that is not known; else they are added."""

    def __init__(self, what: str, n: float, measure: Callable[[], float] | None) -> None:
        self._what, self._n, self._measure = what, n, measure
        self._began, self._done = time.monotonic(), 0.0

    def add(self, steps: float = 1) -> None:
        """Report further steps that are done."""
        self.set(self._done + steps)

    def set(self, done: float, n: float | None = None) -> None:
        """Report how many steps are done, and of how many, where this becomes known."""
        self._done, self._n = done, self._n if n is None else n
        _tell()

    def add_bytes(self, n_bytes: int) -> None:
        """Report bytes that are read, if that is the work."""
        if self._what == MEGABYTES:
            self.add(n_bytes / _BYTES_OF_STEP)

    def steps(self) -> Steps:
        """What is done; n is 0 where that is not known."""
        done, n = self._done, self._n
        if self._measure is not None:
            done = -1.0
            with suppress(Exception):  # of a connection that has been closed meanwhile
                done = self._measure()
        if done < 0:
            done, n = 0.0, 0.0
        return Steps(min(done, n or done), n, self._what, time.monotonic() - self._began)


_works: list[Work] = []
"""What is worked on, the outermost first."""


def now() -> Steps | None:
    """The outermost work whose number of steps is known, else the outermost; None where there is none."""
    found = [work.steps() for work in tuple(_works)]
    return next((steps for steps in found if steps.n), found[0] if found else None)


def _tell() -> None:
    for report in when_done:
        report()


@contextmanager
def working(what: str, n: float = 0, measure: Callable[[], float] | None = None) -> Iterator[Work]:
    """Note that the block is some work, of n steps; 0 where that is not known. Parameters as for `Steps` and `Work`."""
    work = Work(what, n, measure)
    if not when_done:
        yield work
        return
    _works.append(work)
    _tell()
    try:
        yield work
    finally:
        _works.remove(work)
        _tell()


@contextmanager
def reading(n_bytes: int) -> Iterator[None]:
    """Note that the block reads so many bytes of files."""
    with working(MEGABYTES, n_bytes / _BYTES_OF_STEP):
        yield


def add_bytes(n_bytes: int) -> None:
    """Report bytes that have been read, by any thread."""
    for work in tuple(_works):
        work.add_bytes(n_bytes)


def each(items: Collection[Item], what: str) -> Iterator[Item]:
    """The items, of which each is reported as done once the next one is asked for; a single one is no step."""
    with working(what, len(items) if len(items) > 1 else 0) as work:
        for item in items:
            yield item
            work.add()
