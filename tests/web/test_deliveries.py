"""Answers on their way to clients: whole, or with an end that readers of their format see."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from treesql.web import answers, deliveries
from treesql.web.deliveries import CHUNK, Delivery, Failure

Message = MutableMapping[str, Any]

JSON = {"status": 200, "headers": {"content-type": "application/json"}, "form": "json", "columns": 1}


class Client:
    """What a client takes: everything at once, or nothing from a number of messages on until it is `awake`."""

    def __init__(self, sleeps_after: int = 10**9) -> None:
        self.taken: list[Message] = []
        self.awake = asyncio.Event()
        self.aborted = 0
        self._sleeps_after = sleeps_after

    async def send(self, message: Message) -> None:
        if len(self.taken) >= self._sleeps_after:
            await self.awake.wait()
        self.taken.append(message)

    def abort(self) -> None:
        self.aborted += 1

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.taken)

    @property
    def ended(self) -> bool:
        return self.taken[-1].get("more_body") is False


def deliver(
    work: Callable[[Client, Delivery], Awaitable[None]], client: Client | None = None, *, as_page: bool = False
) -> Client:
    """What a client gets of a piece of work."""
    reader = client or Client()

    async def run() -> None:
        await work(reader, Delivery(reader.send, as_page=as_page, head_only=False, abort=reader.abort))

    asyncio.run(run())
    return reader


@pytest.mark.parametrize("as_page", [False, True])
def test_an_error_before_an_answer_is_whole(as_page: bool) -> None:
    async def fail(client: Client, delivery: Delivery) -> None:
        await delivery.fail(Failure("<b> is no way", 'ask "otherwise"', 413))

    client = deliver(fail, as_page=as_page)
    head = dict(client.taken[0]["headers"])
    assert client.taken[0]["status"] == 413
    assert head[b"content-length"] == str(len(client.body)).encode()
    assert head[b"x-content-type-options"] == b"nosniff"
    assert client.ended
    if as_page:
        assert b"&lt;b&gt; is no way" in client.body
    else:
        assert json.loads(client.body) == {"error": "<b> is no way", "hint": 'ask "otherwise"'}


def test_json_that_fails_in_the_middle_ends_with_the_error() -> None:
    async def fail(client: Client, delivery: Delivery) -> None:
        await delivery.begin(JSON)
        await delivery.add(b'{"columns": ["a"], "rows": [\n[1],\n[2]')
        await delivery.fail(Failure("stopped", "ask for less", 408))

    found = json.loads(deliver(fail).body)
    assert found["rows"] == [[1], [2]]
    assert list(found)[-1] == "error"
    assert (found["error"], found["hint"]) == ("stopped", "ask for less")


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_no_reader_takes_the_end_of_broken_csv_for_a_row(columns: int) -> None:
    head = ",".join(f"c{at}" for at in range(columns)) + "\n"
    rows = (",".join(["1"] * columns) + "\n") * 3
    text = head + rows + answers.broken_end("csv", columns, 'no "room", at\nall', "try, again").decode()
    with pytest.raises(csv.Error):
        list(csv.reader(io.StringIO(text), strict=True))
    assert [len(row) for row in csv.reader(io.StringIO(text))] == [columns] * 4 + [columns + 1]
    with pytest.raises(pa.ArrowInvalid):
        pc.read_csv(io.BytesIO(text.encode()))
    with pytest.raises(pl.exceptions.ComputeError):
        pl.read_csv(io.BytesIO(text.encode()))


@pytest.mark.parametrize("columns", [1, 3])
def test_the_end_of_broken_tsv_has_a_cell_too_many(columns: int) -> None:
    end = answers.broken_end("tsv", columns, "a\tb\nc", "").decode()
    assert end == "error: a b c" + "\t" * columns + "error\n"


def test_a_client_that_takes_nothing_is_given_up_and_gets_the_end_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "PATIENCE", 0.05)
    part = b'{"columns": ["a"], "rows": [\n["' + b"x" * 3 * CHUNK + b'"]'

    async def give_up(client: Client, delivery: Delivery) -> None:
        await delivery.begin(JSON)
        with pytest.raises(Failure, match="too slowly") as failure:
            await delivery.add(part)
        client.awake.set()
        await delivery.fail(failure.value)

    client = deliver(give_up, Client(sleeps_after=2))
    assert json.loads(client.body)["error"] == "the answer was taken too slowly"
    assert (client.ended, client.aborted) == (True, 0)


def test_a_client_that_takes_less_than_the_slowest_rate_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every chunk is taken, but each later than it may be."""
    monkeypatch.setattr(deliveries, "PATIENCE", 0.2)
    monkeypatch.setattr(deliveries, "SLOWEST", CHUNK * 100)

    class Slow(Client):
        async def send(self, message: Message) -> None:
            await asyncio.sleep(0.05 if self.taken else 0)
            await super().send(message)

    async def give_up(client: Client, delivery: Delivery) -> None:
        await delivery.begin(JSON)
        with pytest.raises(Failure, match="too slowly"):
            await delivery.add(b"x" * 100 * CHUNK)
        assert 2 < len(client.taken) < 20

    deliver(give_up, Slow())


@pytest.mark.parametrize("is_whole", [True, False])
def test_what_can_have_no_end_is_cut_off(is_whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "PATIENCE", 0.05)
    head = {**JSON, "headers": {"content-length": "100"} if is_whole else {}}

    async def fail(client: Client, delivery: Delivery) -> None:
        await delivery.begin(head)
        await delivery.fail(Failure("stopped", "", 408))

    client = deliver(fail, Client(sleeps_after=10 if is_whole else 1))
    assert (client.body, client.aborted) == (b"", 1)


@pytest.mark.parametrize("takes_first", [True, False])
def test_a_part_that_is_cancelled_is_sent_once(takes_first: bool) -> None:
    """Whether what was being sent then had arrived already or not."""
    rows = b"".join(b"%s\n[%d]" % (b"," if i else b"", i) for i in range(3 * CHUNK))

    class Slow(Client):
        async def send(self, message: Message) -> None:
            if takes_first:
                self.taken.append(message)
            await self.awake.wait()
            if not takes_first:
                self.taken.append(message)

    async def work(client: Client, delivery: Delivery) -> None:
        client.awake.set()
        await delivery.begin(JSON)
        await delivery.add(b'{"columns": ["a"], "rows": [')
        client.awake.clear()
        adding = asyncio.ensure_future(delivery.add(rows))
        await asyncio.sleep(0.01)
        adding.cancel()
        await asyncio.wait({adding})
        client.awake.set()
        await delivery.fail(Failure("stopped", "ask for less", 408))

    found = json.loads(deliver(work, Slow()).body)
    assert found == {
        "columns": ["a"],
        "rows": [[i] for i in range(3 * CHUNK)],
        "hint": "ask for less",
        "error": "stopped",
    }
