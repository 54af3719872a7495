"""Steps of work that may take long, which are reported as they are done: the command line shows them on terminals."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple, TypeVar

Item = TypeVar("Item")


class Steps(NamedTuple):
    """How many steps of some work are done, of how many, and after how many seconds. what: they are, in the plural."""

    done: int
    n: int
    what: str
    seconds: float

    @property
    def left(self) -> float:
        """Number of seconds that the others take, if they take as long."""
        return self.seconds / max(self.done, 1) * (self.n - self.done)


when_done: list[Callable[[Steps], object]] = []
"""Called after every step."""


def tell(steps: Steps) -> None:
    """Report steps that are done."""
    for report in when_done:
        report(steps)


def each(items: Collection[Item], what: str) -> Iterator[Item]:
    """The items, of which each is reported as done once the next one is asked for."""
    began = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        tell(Steps(done, len(items), what, time.monotonic() - began))
