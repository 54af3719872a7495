"""Answers that the server keeps: which, how long, and who else gets them."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from treesql.web import messages
from treesql.web import pool as pools
from treesql.web.kept_answers import MAX_ANSWER, KeptAnswer, KeptAnswers, Key
from treesql.web.pool import Pool, WorkerProcess
from treesql.web.server import Application

SEARCH = "/search?q=pattern{V-[obj]->O}&corpus=gold"
DATA = "/search.json?q=pattern{V-[obj]->O}&limit=5"


def key_of(kept: KeptAnswers, address: str) -> Key | None:
    path, _, query = address.partition("?")
    return kept.key(path, query)


def test_a_key_is_what_an_address_means(web_database: Path) -> None:
    kept = KeptAnswers(str(web_database))
    assert key_of(kept, "/search?corpus=gold&q=pattern%7BV-[obj]-%3EO%7D") == key_of(kept, SEARCH)
    assert key_of(kept, "/search?q=a&corpus=x&corpus=y") != key_of(kept, "/search?q=a&corpus=y&corpus=x")
    assert key_of(kept, DATA) == key_of(kept, DATA.replace(".json", "") + "&format=json")
    assert key_of(kept, DATA) not in (key_of(kept, SEARCH), key_of(kept, DATA.replace("5", "6")))


@pytest.mark.parametrize("address", ["/sql?q=SELECT+random()", "/report/dependency?gold=a", "/search.csv?q=x", "/a%00"])
def test_what_is_not_kept(address: str, web_database: Path) -> None:
    assert key_of(KeptAnswers(str(web_database)), address) is None


def test_no_answer_of_another_state_or_of_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "t.duckdb"
    file.write_bytes(b"1")
    kept = KeptAnswers(str(file))
    before = key_of(kept, SEARCH)
    os.utime(file, (1, 1))
    assert before is not None
    assert key_of(kept, SEARCH) not in (before, None)
    file.unlink()
    assert key_of(kept, SEARCH) is None
    assert key_of(KeptAnswers(str(tmp_path)), SEARCH) is None


def test_the_answers_asked_for_last_are_kept_within_the_bound() -> None:
    kept = KeptAnswers("t.duckdb", max_bytes=25)
    for number in range(3):
        answer = KeptAnswer({"status": 200})
        assert answer.add(b"0123456789")
        kept.keep((number,), answer)
        kept.get((0,))
    assert [kept.get((number,)) is not None for number in range(3)] == [True, False, True]
    kept.keep((2,), answer)
    assert kept.get((0,)) is not None
    assert not KeptAnswer().add(b"x" * (MAX_ANSWER + 1))


def test_requests_that_run_together_are_waited_for_until_the_first_has_ended() -> None:
    async def run() -> None:
        kept = KeptAnswers("t.duckdb")
        with kept.run((1,)):
            first = kept.running((1,))
            with kept.run((1,)):
                assert kept.running((1,)) is first
            assert first is not None
            assert not first.done()
        assert first.done()
        assert kept.running((1,)) is None

    asyncio.run(run())


class Told:
    """A worker whose messages are given, and the delivery of its answer."""

    head_only = False

    def __init__(self, **head: object) -> None:
        self._messages = [(messages.HEAD, json.dumps(head).encode()), (messages.PART, b"x"), (messages.END, b"")]
        self.sent: list[object] = []

    async def ask(self, path: str, query: str) -> None:
        """The request."""

    async def receive(self) -> tuple[bytes, bytes]:
        """The next message."""
        return self._messages.pop(0)

    async def begin(self, head: dict[str, object]) -> None:
        """What stands before the body."""

    async def add(self, part: bytes) -> None:
        """A part of the body."""
        self.sent.append(part)

    async def end(self) -> None:
        """The end of the body."""
        self.sent.append(None)


@pytest.mark.parametrize(("status", "is_final"), [(200, True), (200, False), (404, True)])
def test_answers_are_kept_that_an_address_always_has(web_database: Path, status: int, is_final: bool) -> None:
    """Others are sent: errors, and the first page as long as questions for it are tried."""
    application = Application(Pool(str(web_database), seconds=20.0, memory="1GB", size=1), seconds=20.0)
    told: Any = Told(status=status, is_final=is_final)
    kept = asyncio.run(application._exchange(told, "/", "", told, is_kept=True))
    is_kept = status == 200 and is_final
    assert (kept is not None, told.sent) == (is_kept, [] if is_kept else [b"x", None])


class CountedPool(Pool):
    """A pool that counts the requests that its workers answer."""

    runs = 0

    async def take(self, *, heavy: bool) -> WorkerProcess:
        """A worker for a request."""
        self.runs += 1
        return await super().take(heavy=heavy)


@pytest.mark.slow
def test_an_address_is_answered_once_for_all_also_if_the_first_leaves(
    web_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "RESERVE", 0)

    async def visit() -> None:
        pool = CountedPool(str(web_database), seconds=20.0, memory="1GB", size=2)
        await pool.start()
        try:
            await ask_together(pool)
            await leave_first(pool)
        finally:
            await pool.close()

    asyncio.run(visit())


async def ask_together(pool: CountedPool) -> None:
    transport = httpx.ASGITransport(Application(pool, seconds=20.0))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        found = await asyncio.gather(*(client.get(SEARCH) for _ in range(4)), client.get(DATA))
        assert pool.runs == 2
        assert {one.status_code for one in found} == {200}
        assert len({one.text for one in found}) == 2
        again = await client.get(SEARCH)
        assert (pool.runs, again.text, again.headers) == (2, found[0].text, found[0].headers)
        wrong = ["/search?q=pattern{V-[obj]-O}"] * 3
        assert {one.status_code for one in await asyncio.gather(*map(client.get, wrong))} == {400}
        assert pool.runs == 5
        pool.runs = 2
        for _ in range(2):  # errors are no answers, and SQL may change its mind
            assert (await client.get("/corpora/nope")).status_code == 404
            assert (await client.get("/sql", params={"q": "SELECT random()"})).status_code == 200
        assert pool.runs == 6
        large = "/sql.json", {"q": f"SELECT repeat('x', {2 * MAX_ANSWER}) AS a", "limit": "1"}
        assert len((await client.get(large[0], params=large[1])).text) > 2 * MAX_ANSWER
        assert (await client.head(SEARCH)).content == b""


async def leave_first(pool: CountedPool) -> None:
    """Who waits for another is answered if that one leaves. An application keeps answers of its own."""
    application = Application(pool, seconds=20.0)
    bodies: list[bytes] = []

    async def ask(leaves: asyncio.Event | None) -> None:
        async def receive() -> dict[str, object]:
            if leaves is not None:
                await leaves.wait()
                return {"type": "http.disconnect"}
            await asyncio.Event().wait()
            return {}

        async def send(message: dict[str, object]) -> None:  # type: ignore[explicit-any]
            bodies.append(message.get("body", b""))  # type: ignore[arg-type]

        path, _, query = SEARCH.partition("?")
        headers = [(b"host", b"127.0.0.1")]
        scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": headers}
        await application(scope, receive, send)  # type: ignore[arg-type]

    leaves = asyncio.Event()
    first, second = asyncio.ensure_future(ask(leaves)), asyncio.ensure_future(ask(None))
    await asyncio.sleep(0)
    leaves.set()
    await asyncio.wait_for(asyncio.gather(first, second), 20)
    assert b"</html>" in b"".join(bodies)
    assert b"".join(bodies).count(b"</html>") == 1


@pytest.mark.slow
def test_a_pool_that_is_closed_leaves_no_process(web_database: Path) -> None:
    """Neither one that was being started nor one that was ended a moment ago."""
    started: list[WorkerProcess] = []

    async def open_and_close() -> None:
        pool = Pool(str(web_database), seconds=20.0, memory="1GB", size=2)
        await pool.start()
        worker = await pool.take(heavy=False)
        worker.end()
        pool.give_back(worker, heavy=False)
        await asyncio.sleep(0)  # the others begin
        started.extend(pool._all)
        await pool.close()
        assert not pool._tasks
        started.extend(pool._all)

    asyncio.run(open_and_close())
    assert [worker.process.returncode for worker in started] == [-signal.SIGKILL] * len(started)
    gc.collect()  # a process that is lost warns of itself here
