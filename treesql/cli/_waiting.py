"""Wait for a query, with a progress bar on a terminal; Ctrl-C ends it at once."""

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
            failure.clear()  # the error would keep the connection alive until the process ends


@contextmanager
def _progress(connection: duckdb.DuckDBPyConnection) -> Iterator[Callable[[], object]]:
    """Yield a function that shows the progress of the query, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("query"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("query", total=100)
        yield lambda: bar.update(task, completed=max(connection.query_progress(), 0))
