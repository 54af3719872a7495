"""Waiting for a query: a progress bar on a terminal, and Ctrl-C ends it at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

POLL_SECONDS = 0.1


def run_interruptibly(connection: duckdb.DuckDBPyConnection, work: Callable[[], None]) -> None:
    """Do the work in a second thread; this one is free to hear Ctrl-C, which DuckDB does not while it is busy.

    Raises what the work raises, and KeyboardInterrupt where that ended it; work that was done all the same is done.
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

    with _progress(connection) as show:
        threading.Thread(target=guarded, daemon=True).start()
        try:
            while not done.wait(POLL_SECONDS):
                show()
        except KeyboardInterrupt:
            connection.interrupt()
            done.wait()
            if failure:
                raise
    if failure:
        try:
            raise failure[0]
        finally:
            failure.clear()  # or the error, and the connection with it, would live until the process ends


@contextmanager
def _progress(connection: duckdb.DuckDBPyConnection) -> Iterator[Callable[[], object]]:
    """What shows how far the query is; nothing where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("query"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("query", total=100)
        yield lambda: bar.update(task, completed=max(connection.query_progress(), 0))
