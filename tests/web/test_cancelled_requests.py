"""Requests that are cancelled, as the server ends: their workers are given back when nothing reads from them."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from treesql.web.pool import Pool, WorkerProcess
from treesql.web.server import Application


class Workers:
    """A pool of one worker, which never answers. free: whether requests get it; given_back: the number of those who
    read from it each time that it was given back; left: the number of requests that wait for it no longer."""

    path, memory = "t.duckdb", 10**9

    def __init__(self, *, free: bool) -> None:
        self._free, self.reading = free, 0
        self.left, self.given_back = 0, list[int]()

    async def take(self, *, heavy: bool) -> WorkerProcess:
        try:
            while not self._free:
                await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.left += 1
            raise
        return cast(WorkerProcess, self)

    def give_back(self, worker: WorkerProcess, *, heavy: bool) -> None:
        self.given_back.append(self.reading)

    busy = False

    async def ask(self, path: str, query: str) -> None: ...

    def interrupt(self) -> None: ...

    async def receive(self) -> tuple[bytes, bytes]:
        self.reading += 1
        try:
            await asyncio.sleep(60)
        finally:
            self.reading -= 1
        return b"", b""


async def _receive() -> dict[str, object]:
    await asyncio.sleep(60)
    return {}


async def _send(message: object) -> None: ...


@pytest.mark.parametrize(
    ("free", "turns", "left", "given_back"),
    [(True, 9, 0, [0]), (False, 9, 1, []), (True, 2, 0, [0])],
    ids=["while it is answered", "while it waits for a worker", "as it gets a worker"],
)
def test_a_cancelled_request_leaves_nothing(free: bool, turns: int, left: int, given_back: list[int]) -> None:
    async def run() -> None:
        pool = Workers(free=free)
        app = Application(cast(Pool, pool), seconds=60.0)
        scope = {
            "type": "http", "path": "/sql.json", "query_string": b"q=SELECT+1", "method": "GET",
            "headers": [(b"host", b"127.0.0.1")],
        }  # fmt: skip
        request = asyncio.ensure_future(app(scope, _receive, cast(Any, _send)))
        for _ in range(turns):
            await asyncio.sleep(0)
        request.cancel()
        await asyncio.wait({request})
        await asyncio.sleep(0)
        assert request.cancelled()
        assert (pool.left, pool.given_back, pool.reading) == (left, given_back, 0)

    asyncio.run(run())
