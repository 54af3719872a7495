"""Wait for a query, with a progress bar on a terminal; Ctrl-C ends it at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from treesql.runtime.limits import Interruptible

POLL_SECONDS = 0.1


class Observable(Interruptible, Protocol):
    """What can be interrupted, and knows how much of its statement is done."""

    def query_progress(self) -> float:
        """Return a percentage; below 0 if it is not known."""


def run_interruptibly(engine: Observable, work: Callable[[], None]) -> None:
    """Run the work in a second thread, so that this one receives Ctrl-C, which DuckDB ignores while a query runs.

    Raises what the work raises, and KeyboardInterrupt if that ended it; an interrupt after the work was done has no
    effect.
    """
    failure: list[BaseException] = []
    done = threading.Event()

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            failure.append(error)
        finally:
            done.set()

    with _progress(engine) as show:
        threading.Thread(target=guarded, daemon=True).start()
        try:
            while not done.wait(POLL_SECONDS):
                show()
        except KeyboardInterrupt:
            engine.interrupt()
            done.wait()
            if failure:
                raise
    if failure:
        try:
            raise failure[0]
        finally:
            failure.clear()  # the error would keep the engine alive until the process ends


@contextmanager
def _progress(engine: Observable) -> Iterator[Callable[[], object]]:
    """Yield a function that shows the progress of the query, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("query"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("query", total=100)
        yield lambda: bar.update(task, completed=max(engine.query_progress(), 0))
