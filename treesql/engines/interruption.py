"""Work of an engine that reports its progress, and that Ctrl-C ends at once.

The work runs in a second thread, so that the first one receives Ctrl-C, which DuckDB ignores while a statement runs.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

import pyarrow as pa

from treesql import errors
from treesql.engines import Engine

POLL_SECONDS = 0.1

Found = TypeVar("Found")

ReportProgress = Callable[[float, float], object]
"""Called ten times a second with the percentage of the statement that is done, and 100."""


def run_interruptibly(engine: Engine, work: Callable[[], Found], report: ReportProgress | None) -> Found:
    """Run the work and return its result. report: without it the work runs in this thread, and is not interrupted.

    Raises what the work raises, and KeyboardInterrupt if that ended it; an interrupt after the work was done has no
    effect.
    """
    if report is None:
        return work()
    found: list[Found] = []
    failure: list[BaseException] = []
    done = threading.Event()

    warnings: list[errors.Issued] = []

    def guarded() -> None:
        try:
            with errors.collecting(warnings):
                found.append(work())
        except BaseException as error:
            failure.append(error)
        finally:
            done.set()

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(guarded,), daemon=True).start()
    try:
        while not done.wait(POLL_SECONDS):
            report(max(engine.query_progress(), 0.0), 100.0)
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
    for warning in warnings:
        errors.issue(*warning)
    return found[0]


def read_interruptibly(
    engine: Engine, reader: pa.RecordBatchReader, report: ReportProgress | None
) -> pa.RecordBatchReader:
    """Return the batches of a statement, each of them interruptible as the statement is. report: None for a reader
    whose batches are not interrupted."""
    if report is None:
        return reader

    def batches() -> Iterator[pa.RecordBatch]:
        while (batch := run_interruptibly(engine, lambda: next(reader, None), report)) is not None:
            yield batch

    return pa.RecordBatchReader.from_batches(reader.schema, batches())
