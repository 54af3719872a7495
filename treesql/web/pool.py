"""Worker processes: as many requests at once as there are workers, and the others wait for a while.

A request that is stopped is interrupted first, and its worker ended if it goes on; one that uses too much memory is
ended at once. Another takes its place: no other request notices.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from treesql import process
from treesql.errors import DatabaseError
from treesql.web import messages

STOPPING = 0.6
"""Seconds that a worker has to end an interrupted request."""

CLOSING = 10.0
"""Seconds that a worker has after an answer, to close what the request has left."""

WAITING = 30.0
"""Maximum number of seconds that a request waits for a worker."""

QUEUE = 200
"""Maximum number of heavy, and of light, requests that wait."""

RESERVE = 1
"""Number of workers that have started and wait to take the place of one that ends."""

WATCHING = 0.02
"""Seconds between two looks at the memory of workers."""

IDLE = 0.2
"""The same while none has a request."""

ENDING = 0.3
"""Seconds that `close` waits for workers that were killed."""

STARTING = 60.0
"""Seconds that a worker has to start."""

RESTARTING = 1.0
"""Seconds until a worker is started again that could not be, or that ended by itself so soon after its start."""

MEMORY_CODE = 2
"""Exit code of a worker that has ended itself as it used too much memory."""


class Busy(Exception):
    """Too many requests at once."""


class Gone(Exception):
    """A worker that ended while it answered."""


@dataclass(eq=False)
class WorkerProcess:
    """A running worker.

    ready: whether it has started; niced: whether other processes come first, since it has had a heavy request;
    asked: whether it has a request that it is not known to be over with; busy: whether it works on an answer;
    stopping: whether it was interrupted, and interrupts: how many times so far; over: whether it was ended as it used
    too much memory; started: when it had started.
    """

    process: Process
    ready: bool = False
    niced: bool = False
    asked: bool = False
    busy: bool = False
    stopping: bool = False
    interrupts: int = 0
    over: bool = False
    started: float = field(default_factory=time.monotonic)
    _header: tuple[int, bytes] | None = None

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
        """The next message, which is still the next one if this is cancelled. Raises Gone."""
        try:
            if self._header is None:
                self._header = messages.HEADER.unpack(await self.output.readexactly(messages.HEADER.size))
            size, kind = self._header
            content = await self.output.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Gone from None
        self._header = None
        return kind, content

    async def ask(self, path: str, query: str) -> None:
        """Send it a request."""
        self.asked = self.busy = True
        with contextlib.suppress(ConnectionError):  # then it is gone
            self.input.write(messages.pack(messages.REQUEST, [path, query, self.niced]))
            await self.input.drain()

    async def wait_for_ready(self) -> None:
        """Wait until it has ended what it does, and every interrupt has come. Raises Gone, TimeoutError."""
        async with asyncio.timeout(STOPPING if self.stopping else CLOSING):
            while self.asked:
                self.asked = await self.receive() != (messages.READY, b"%d" % self.interrupts)
        self.stopping = False

    def interrupt(self) -> None:
        """Have it stop the request that it works on."""
        if os.name == "nt":
            self.end()
            return
        self.stopping = True
        self.interrupts += 1
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)

    def end(self) -> None:
        """End the process at once."""
        self.ready = False
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()

    async def wait(self) -> None:
        """Wait until the process, which was ended, has: asyncio sees that once all that it wrote is read."""
        await self.output.read()
        await self.process.wait()

    async def ran_out_of_memory(self) -> bool:
        """Whether this process, which has ended, used too much memory."""
        return await self.process.wait() == MEMORY_CODE or self.over


class Pool:
    """Workers of the database at a path. size: number of workers at work, at least two; memory: of each, in bytes."""

    def __init__(self, path: str, *, seconds: float, memory: str | int, size: int | None = None) -> None:
        self.path = path
        self.memory = process.check_size(memory)
        self._settings = json.dumps({"path": path, "seconds": seconds, "memory": self.memory})
        self.size = max(2, size or min(4, 2 * (os.cpu_count() or 1)))
        self._free: list[WorkerProcess] = []
        self._light: deque[asyncio.Future[WorkerProcess]] = deque()
        self._heavy: deque[asyncio.Future[WorkerProcess]] = deque()
        self._n_light = self._n_heavy = 0
        self._all: set[WorkerProcess] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Semaphore(max((os.cpu_count() or 1) // 2, 1))  # the first is ready the sooner
        self._closed = False

    @property
    def ready(self) -> int:
        """The number of workers that can answer requests, or do so."""
        return min(sum(worker.ready for worker in self._all), self.size)

    async def start(self) -> None:
        """Start the workers, and wait for the first one. Raises DatabaseError."""
        await self._add()
        for _ in range(self.size + RESERVE - 1):
            self._run(self._start_another())
        self._run(self._watch())

    async def close(self) -> None:
        """End the workers."""
        self._closed = True
        for task in self._tasks:
            task.cancel()  # a process that was being started is ended before its task is
        self.end()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ENDING):
                await asyncio.gather(*self._tasks, return_exceptions=True)
                await asyncio.gather(*(worker.wait() for worker in self._all), return_exceptions=True)

    def end(self) -> None:
        """End the workers at once."""
        for worker in self._all:
            worker.end()

    async def take(self, *, heavy: bool) -> WorkerProcess:
        """A worker for a request; `give_back` follows. heavy: whether that may take long: one worker is always left for
        the others, and they wait for no heavy one. Raises Busy."""
        queue = self._heavy if heavy else self._light
        if len(queue) >= QUEUE:
            raise Busy
        future: asyncio.Future[WorkerProcess] = asyncio.get_running_loop().create_future()
        queue.append(future)
        self._hand_out()
        try:
            async with asyncio.timeout(WAITING):
                return await future
        except BaseException as error:
            if future in queue:
                queue.remove(future)
            elif future.done() and not future.cancelled():
                self.give_back(future.result(), heavy=heavy)
            if isinstance(error, TimeoutError):
                raise Busy from None
            raise

    def give_back(self, worker: WorkerProcess, *, heavy: bool) -> None:
        """Free a worker once it has ended its request, or start another in its place."""
        self._run(self._restore(worker, heavy=heavy))

    def _hand_out(self) -> None:
        """Give free workers to the requests that wait."""
        while self._light and self._has_room():
            self._n_light += self._give(self._light.popleft(), heavy=False)
        while self._heavy and self._has_room() and self._n_heavy < self.ready - 1:
            self._n_heavy += self._give(self._heavy.popleft(), heavy=True)

    def _has_room(self) -> bool:
        return bool(self._free) and self._n_light + self._n_heavy < self.size

    def _give(self, future: asyncio.Future[WorkerProcess], *, heavy: bool) -> bool:
        """Give a free worker to a request: to a heavy one preferably one that has had others."""
        if future.done():  # its request was stopped
            return False
        worker = next((worker for worker in self._free if worker.niced == heavy), self._free[0])
        self._free.remove(worker)
        worker.niced |= heavy
        future.set_result(worker)
        return True

    async def _restore(self, worker: WorkerProcess, *, heavy: bool) -> None:
        try:
            await worker.wait_for_ready()
            self._free.append(worker)
        except (Gone, TimeoutError):
            worker.end()  # and is known until it has ended, for `close` to wait for it
            self._run(self._start_another())
        finally:
            self._n_heavy -= heavy
            self._n_light -= not heavy
            self._hand_out()

    async def _watch(self) -> None:
        """End workers that use too much memory, as they cannot always do so themselves, and replace those that ended
        while they were free."""
        while True:
            await asyncio.sleep(WATCHING if self._n_light + self._n_heavy else IDLE)
            for worker in self._all:
                if worker.ready and process.memory_in_use(worker.process.pid) > self.memory:
                    worker.over = True
                    worker.end()
            for worker in [idle for idle in self._free if idle.process.returncode is not None]:
                self._free.remove(worker)
                worker.end()
                is_early = time.monotonic() - worker.started < RESTARTING
                self._run(self._start_another(after=RESTARTING if is_early else 0.0))

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        """Have work done that `close` ends."""
        if self._closed:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _start_another(self, *, after: float = 0.0) -> None:
        await asyncio.sleep(after)
        self._all -= {worker for worker in self._all if worker.process.returncode is not None}
        while True:
            try:
                async with self._starting:
                    await self._add()
                return
            except DatabaseError as error:
                print(error, file=sys.stderr)
                await asyncio.sleep(RESTARTING)

    async def _add(self) -> None:
        """Start a worker, which Ctrl-C in a terminal does not reach. Raises DatabaseError."""
        command = [sys.executable, "-P", "-m", "treesql.web.worker", self._settings]
        try:
            started = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=None if sys.stderr else DEVNULL, limit=2**20,
                process_group=None if os.name == "nt" else 0,
            )  # fmt: skip
        except OSError as error:
            raise DatabaseError(f"a worker of the server could not be started: {error.strerror}") from None
        worker = WorkerProcess(started)
        self._all.add(worker)
        try:
            async with asyncio.timeout(STARTING):
                await worker.receive()
        except Gone:
            self._all.discard(worker)
            raise DatabaseError("a worker of the server ended before it was ready; see the messages above") from None
        except TimeoutError:
            worker.end()
            raise DatabaseError(f"a worker of the server was not ready after {STARTING:g} seconds") from None
        except asyncio.CancelledError:
            worker.end()
            raise
        worker.ready, worker.started = True, time.monotonic()
        self._free.append(worker)
        self._hand_out()
