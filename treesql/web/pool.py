"""Worker processes: as many requests at once as there are workers, and the others wait for a while.

A request that is stopped is interrupted first, and its worker ended if it goes on: no other request notices.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from treesql.errors import DatabaseError
from treesql.web import messages

STOPPING = 0.6
"""Seconds that a worker has to end an interrupted request."""

WAITING = 30.0
"""Maximum number of seconds that a request waits for a worker."""

QUEUE = 200
"""Maximum number of requests that wait."""

HEAVY = ("search", "sql", "score", "compare", "report")
"""Pages that may take long: they never occupy all workers, so that the others answer at once."""


class Busy(Exception):
    """Too many requests at once."""


class Gone(Exception):
    """A worker that ended while it answered."""


@dataclass(eq=False)
class WorkerProcess:
    """A running worker.

    ready: whether it has started; begun, stopping: whether its answer has begun, or is not wanted any more; again:
    whether it can answer another request.
    """

    process: Process
    ready: bool = False
    begun: bool = False
    stopping: bool = False
    again: bool = True

    @property
    def input(self) -> StreamWriter:
        """Where requests are written."""
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def output(self) -> StreamReader:
        """Where answers are read."""
        assert self.process.stdout is not None
        return self.process.stdout

    async def receive(self) -> tuple[bytes, bytes]:
        """The next message. Raises Gone."""
        try:
            size, kind = messages.HEADER.unpack(await self.output.readexactly(messages.HEADER.size))
            return kind, await self.output.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Gone from None

    def end(self) -> None:
        """End the process at once."""
        self.again = False
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()


class Pool:
    """Workers of the database at a path. size: number of workers, at least two."""

    def __init__(self, path: str, *, seconds: float, memory: str | int, size: int | None = None) -> None:
        self.path = path
        self._settings = json.dumps({"path": path, "seconds": seconds, "memory": memory})
        self.size = max(2, size or min(4, 2 * (os.cpu_count() or 1)))
        self._free: asyncio.Queue[WorkerProcess] = asyncio.Queue()
        self._heavy = asyncio.Semaphore(self.size - 1)
        self._all: set[WorkerProcess] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._waiting = 0
        self._closed = False

    @property
    def ready(self) -> int:
        """The number of workers that can answer requests, or do so."""
        return sum(worker.ready for worker in self._all)

    async def start(self) -> None:
        """Start the workers, and wait for the first one. Raises DatabaseError."""
        await self._add()
        for _ in range(self.size - 1):
            self._start_another()

    async def close(self) -> None:
        """End the workers."""
        self._closed = True
        for task in self._starting:
            task.cancel()  # a process that was being started is ended before its task is
        await asyncio.gather(*self._starting, return_exceptions=True)
        for worker in list(self._all):
            worker.end()
            with contextlib.suppress(Exception):
                await worker.process.wait()

    @asynccontextmanager
    async def worker(self, page: str) -> AsyncIterator[WorkerProcess]:
        """A worker for a request, free again after the block. Raises Busy."""
        if self._waiting >= QUEUE:
            raise Busy
        self._waiting += 1
        async with contextlib.AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(WAITING):
                    if page in HEAVY:
                        await stack.enter_async_context(self._heavy)
                    found = await self._free.get()
            except TimeoutError:
                raise Busy from None
            finally:
                self._waiting -= 1
            try:
                yield found
            finally:
                self._release(found)

    async def stop(self, worker: WorkerProcess, answering: asyncio.Future[Any]) -> None:
        """End the request of a worker: interrupt it, or else end its process. answering: what reads its answer."""
        worker.stopping = True
        if os.name == "nt":
            worker.end()
        with contextlib.suppress(ProcessLookupError):
            worker.process.send_signal(signal.SIGINT)
        await asyncio.wait({answering}, timeout=STOPPING)
        if not answering.done():
            worker.end()
            answering.cancel()
            await asyncio.wait({answering})

    def _release(self, worker: WorkerProcess) -> None:
        if worker.again and worker.process.returncode is None:
            self._free.put_nowait(worker)
            return
        worker.end()  # and is known until it has ended, for `close` to wait for it
        worker.ready = False
        self._start_another()

    def _start_another(self) -> None:
        if not self._closed:
            task = asyncio.get_running_loop().create_task(self._add_or_report())
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    async def _add_or_report(self) -> None:
        self._all -= {worker for worker in self._all if worker.process.returncode is not None}
        try:
            await self._add()
        except DatabaseError as error:
            print(error, file=sys.stderr)

    async def _add(self) -> None:
        command = [sys.executable, "-P", "-m", "treesql.web.worker", self._settings]
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=None if sys.stderr else DEVNULL, limit=2**20
        )
        worker = WorkerProcess(process)
        self._all.add(worker)
        try:
            await worker.receive()
        except Gone:
            self._all.discard(worker)
            raise DatabaseError("a worker of the server ended before it was ready; see the messages above") from None
        except asyncio.CancelledError:
            worker.end()
            raise
        worker.ready = True
        self._free.put_nowait(worker)
