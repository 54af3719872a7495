"""Which requests get the workers: one is always left for light ones."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import cast
from unittest.mock import AsyncMock

import pytest

from treesql.web import pool as pools
from treesql.web.pool import Busy, Gone, Pool, WorkerProcess


class IdleWorker(WorkerProcess):
    """A worker without a process: it is ready again at once, unless it is `stuck`."""

    stuck = False

    async def wait_for_ready(self) -> None:
        """Raises Gone where it is stuck."""
        if self.stuck:
            raise Gone

    def end(self) -> None:
        """Be no worker any more."""
        self.ready = False


def worker() -> IdleWorker:
    made = IdleWorker(cast(asyncio.subprocess.Process, SimpleNamespace(returncode=None, pid=0)), ready=True)
    return made


def with_pool(work: Callable[[Pool], Awaitable[None]], size: int = 3) -> None:
    async def run() -> None:
        made = Pool("t.duckdb", seconds=1.0, memory="1GB", size=size)
        made._free = [worker() for _ in range(size + pools.RESERVE)]
        made._all = set(made._free)
        await work(made)
        made._closed = True

    asyncio.run(run())


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_heavy_requests_leave_a_worker_for_light_ones() -> None:
    async def work(pool: Pool) -> None:
        heavy = [asyncio.ensure_future(pool.take(heavy=True)) for _ in range(5)]
        await settle()
        assert [one.done() for one in heavy] == [True, True, False, False, False]
        light = await asyncio.wait_for(pool.take(heavy=False), 1)
        assert not light.niced
        pool.give_back(heavy[0].result(), heavy=True)
        await settle()
        assert [one.done() for one in heavy[2:]] == [True, False, False]
        assert heavy[2].result() is heavy[0].result()
        for one in heavy[3:]:
            one.cancel()

    with_pool(work)


def test_a_worker_that_does_not_come_back_is_replaced_and_heavy_requests_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(pool: Pool) -> None:
        started = []

        async def start_another() -> None:
            started.append(1)

        monkeypatch.setattr(pool, "_start_another", start_another)
        taken = [await pool.take(heavy=True) for _ in range(2)]
        for one in taken:
            cast(IdleWorker, one).stuck = True
            pool.give_back(one, heavy=True)
        await settle()
        assert (len(started), pool.ready) == (2, 2)
        await pool.take(heavy=True)
        waiting = asyncio.ensure_future(pool.take(heavy=True))
        await asyncio.wait_for(pool.take(heavy=False), 1)
        assert not waiting.done()
        waiting.cancel()

    with_pool(work)


def test_a_request_that_leaves_gives_its_worker_back() -> None:
    async def work(pool: Pool) -> None:
        first = [await pool.take(heavy=True) for _ in range(2)]
        waiting = asyncio.ensure_future(pool.take(heavy=True))
        await settle()
        pool._n_heavy -= 1  # as if one were free
        pool._hand_out()
        waiting.cancel()  # it has a worker, and does not know it yet
        await settle()
        assert waiting.cancelled()
        assert (len(pool._free), pool._n_heavy) == (2, 1)
        assert first[0] not in pool._free

    with_pool(work)


def test_a_worker_without_a_request_is_free_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says that it is ready once after each request, which the one who left has not sent."""

    async def never(self: WorkerProcess) -> tuple[bytes, bytes]:
        await asyncio.sleep(60)
        return b"", b""

    monkeypatch.setattr(WorkerProcess, "receive", never)

    async def work(pool: Pool) -> None:
        pool._free = [WorkerProcess(one.process, ready=True) for one in pool._free]
        leaver = await pool.take(heavy=False)
        pool.give_back(leaver, heavy=False)
        await settle()
        assert (leaver in pool._free, pool._n_light) == (True, 0)
        asked = await pool.take(heavy=False)
        asked.asked = True
        pool.give_back(asked, heavy=False)
        await settle()
        assert (asked in pool._free, pool._n_light) == (False, 1)
        for task in pool._tasks:
            task.cancel()
        await settle()

    with_pool(work)


def test_light_requests_wait_in_a_queue_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "QUEUE", 2)
    monkeypatch.setattr(pools, "WAITING", 0.05)

    async def work(pool: Pool) -> None:
        heavy = [asyncio.ensure_future(pool.take(heavy=True)) for _ in range(5)]
        await settle()
        with pytest.raises(Busy):
            heavy[4].result()
        await asyncio.wait_for(pool.take(heavy=False), 1)
        await asyncio.sleep(0.1)
        for one in heavy[2:4]:
            with pytest.raises(Busy):
                one.result()

    with_pool(work)


def test_a_worker_over_its_limit_is_ended_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "WATCHING", 0.01)
    monkeypatch.setattr(pools, "IDLE", 0.01)
    memory = {0: 10**9, 1: 10**9 + 1}
    monkeypatch.setattr("treesql.web.pool.process.memory_in_use", memory.get)

    async def work(pool: Pool) -> None:
        taken = [await pool.take(heavy=True) for _ in range(2)]
        taken[1].process.pid = 1
        watching = asyncio.ensure_future(pool._watch())
        await asyncio.sleep(0.1)
        watching.cancel()
        assert [(one.over, one.ready) for one in taken] == [(False, True), (True, False)]

    with_pool(work)


def test_workers_that_end_as_soon_as_they_have_started_are_not_started_without_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pools, "IDLE", 0.01)
    monkeypatch.setattr(pools, "RESTARTING", 0.3)

    async def work(pool: Pool) -> None:
        added = []

        async def add() -> None:
            added.append(1)

        monkeypatch.setattr(pool, "_add", add)
        early, late = pool._free[:2]
        late.started -= 1.0
        early.process.returncode = late.process.returncode = 1  # type: ignore[misc]
        watching = asyncio.ensure_future(pool._watch())
        await asyncio.sleep(0.1)
        assert len(added) == 1
        await asyncio.sleep(0.4)
        assert len(added) == 2
        watching.cancel()

    with_pool(work)


def test_a_worker_that_cannot_be_started_is_started_later(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the system has no more processes or files for a moment, and where one does not start in time."""
    monkeypatch.setattr(pools, "RESTARTING", 0.01)
    monkeypatch.setattr(pools, "STARTING", 0.01)
    silent, killed = asyncio.Event(), []

    async def nothing(self: WorkerProcess) -> tuple[bytes, bytes]:
        if not silent.is_set():
            silent.set()
            await asyncio.sleep(60)
        return b"", b""

    found = SimpleNamespace(returncode=None, pid=0, kill=lambda: killed.append(1))
    start = AsyncMock(
        side_effect=[BlockingIOError(11, "no more processes"), OSError(24, "too many files"), *[found] * 2]
    )
    monkeypatch.setattr(WorkerProcess, "receive", nothing)
    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)

    async def work(pool: Pool) -> None:
        before = len(pool._free)
        await asyncio.wait_for(pool._start_another(), 5)
        assert (start.await_count, len(killed), len(pool._free)) == (4, 1, before + 1)

    with_pool(work)
    assert capsys.readouterr().err.splitlines() == [
        "a worker of the server could not be started: no more processes",
        "a worker of the server could not be started: too many files",
        "a worker of the server was not ready after 0.01 seconds",
    ]


@pytest.mark.skipif(os.name == "nt", reason="kills a process")
def test_the_end_waits_for_no_client() -> None:
    """A worker has written more than is read of it, as its client takes nothing."""

    async def work(pool: Pool) -> None:
        writer = await asyncio.create_subprocess_exec("yes", stdin=PIPE, stdout=PIPE, limit=1000)
        pool._all = {WorkerProcess(writer)}
        await asyncio.sleep(0.1)
        began = time.monotonic()
        await asyncio.wait_for(pool.close(), 5)
        assert time.monotonic() - began < pools.ENDING
        assert writer.returncode == -signal.SIGKILL

    with_pool(work)


def test_the_end_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "ENDING", 0.05)

    async def never(self: WorkerProcess) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(WorkerProcess, "wait", never)
    with_pool(lambda pool: asyncio.wait_for(pool.close(), 5))
