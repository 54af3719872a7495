"""Several pieces of work, done in threads ahead of their use, with a bounded number of items waiting.

A thread cannot be killed: work that is stopped ends when it passes on its next item.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from treesql.runtime import interrupts

Item = TypeVar("Item")
Found = TypeVar("Found")
Work = Callable[[Callable[[Item], object]], Found]
"""Called with a function that takes items one by one; returns what was found in the end."""

_POLL_SECONDS = 0.1
"""Maximum number of seconds between two looks whether the work was stopped, while its items wait."""


class Production(Generic[Item, Found]):
    """Work in a thread, whose items are used in another one."""

    def __init__(self, work: Work[Item, Found], waiting: int) -> None:
        self._work = work
        self._items: queue.Queue[Item | _End[Found]] = queue.Queue(maxsize=waiting)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._found: list[Found] = []

    def start(self) -> None:
        """Begin the work."""
        self._thread.start()

    def items(self) -> Iterator[Item]:
        """The items, as they come. Raises what the work raises."""
        while not isinstance(item := self._items.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
        self._found += item.found

    @property
    def result(self) -> Found:
        """What the work has returned, once all its items were used."""
        [outcome] = self._found
        return outcome

    def stop(self) -> None:
        """Have the work end at its next item; items that wait are dropped."""
        self._stopped.set()

    def join(self) -> None:
        """Wait until the work has ended."""
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            try:
                last = _End([self._work(self._put)])
            except _Stopped:
                return
            except BaseException as error:
                last = _End([], error)
            self._put(last)
        except _Stopped:
            pass

    def _put(self, item: Item | _End[Found]) -> None:
        while not self._stopped.is_set():
            try:
                self._items.put(item, timeout=_POLL_SECONDS)
                return
            except queue.Full:
                pass
        raise _Stopped


def put_all(work: Generator[Item, None, Found], put: Callable[[Item], object]) -> Found:
    """Do work, and pass on its items; returns what it returns."""
    while True:
        try:
            item = next(work)
        except StopIteration as end:
            outcome: Found = end.value
            return outcome
        put(item)


@contextmanager
def in_threads(
    works: Iterable[Work[Item, Found]], *, threads: int, waiting: int
) -> Iterator[Iterator[Production[Item, Found]]]:
    """Yield an iterator of the works in order: the one that it returned last is running, and those after it.

    threads: maximum number of works that run at a time; waiting: maximum number of items of each that wait. At the end
    of the block all threads have ended.
    """
    running: deque[Production[Item, Found]] = deque()
    coming = iter(works)

    def each() -> Iterator[Production[Item, Found]]:
        while True:
            while len(running) < threads and (work := next(coming, None)) is not None:
                running.append(Production(work, waiting))
                running[-1].start()
            if not running:
                return
            yield running[0]
            _end([running.popleft()])

    try:
        yield each()
    finally:
        with interrupts.deferred():
            _end(running)


def _end(productions: Iterable[Production[Any, Any]]) -> None:
    """Stop works, and wait until they have ended."""
    productions = list(productions)
    for production in productions:
        production.stop()
    for production in productions:
        production.join()


class _Stopped(Exception):
    """The end of work that was stopped."""


class _End(Generic[Found]):
    """The end of work: what it has returned, or the error that it has raised."""

    def __init__(self, found: list[Found], error: BaseException | None = None) -> None:
        self.found, self.error = found, error
