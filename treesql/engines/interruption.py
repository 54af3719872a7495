"""Work of a connection that reports its progress, and that Ctrl-C ends at once.

The work runs in a second thread, so that the first one receives Ctrl-C, which DuckDB ignores while a statement runs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

import duckdb
import pyarrow as pa

POLL_SECONDS = 0.1

Found = TypeVar("Found")

ReportProgress = Callable[[float, float], object]
"""Called ten times a second with the percentage of the statement that is done, and 100."""


def run_interruptibly(
    connection: duckdb.DuckDBPyConnection, work: Callable[[], Found], report: ReportProgress | None
) -> Found:
    """Run the work and return its result. report: without it the work runs in this thread, and is not interrupted.

    Raises what the work raises, and KeyboardInterrupt if that ended it; an interrupt after the work was done has no
    effect.
    """
    if report is None:
        return work()
    found: list[Found] = []
    failure: list[BaseException] = []
    done = threading.Event()

    def guarded() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failure.append(error)
        finally:
            done.set()

    threading.Thread(target=guarded, daemon=True).start()
    try:
        while not done.wait(POLL_SECONDS):
            report(max(connection.query_progress(), 0.0), 100.0)
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
    return found[0]


def read_interruptibly(
    connection: duckdb.DuckDBPyConnection, begin: Callable[[], pa.RecordBatchReader], report: ReportProgress
) -> pa.RecordBatchReader:
    """Run a statement, and return its batches, each of them interruptible as the statement is."""
    reader = run_interruptibly(connection, begin, report)

    def batches() -> Iterator[pa.RecordBatch]:
        while (batch := run_interruptibly(connection, lambda: next(reader, None), report)) is not None:
            yield batch

    return pa.RecordBatchReader.from_batches(reader.schema, batches())
