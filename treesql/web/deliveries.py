"""Answers on their way to clients: each arrives whole, or with an error at its end that its reader sees."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from starlette.types import Send

from treesql.results import pages
from treesql.web import answers
from treesql.web.addresses import FORMATS, HTML
from treesql.web.faults import Failed
from treesql.web.rendering import FAILED

HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of all answers: no scripts but the site's own, no other site that embeds or reads a page."""

SLOWEST = 64 * 1024
"""Minimum number of bytes that a client takes in a second."""

PATIENCE = 10.0
"""Maximum number of seconds that an answer waits for a client that takes less."""

CHUNK = 64 * 1024
"""Number of bytes that are sent at once."""


class Failure(Exception):
    """A request that is not answered: what is wrong, what to do about it, and the status."""

    def __init__(self, what: str, hint: str, status: int) -> None:
        super().__init__(what)
        self.what, self.hint, self.status = what, hint, status


class Delivery:
    """The answer to one request. as_page: whether errors are pages; head_only: whether its client wants no body; abort:
    ends the connection at once."""

    def __init__(self, send: Send, *, as_page: bool, head_only: bool, abort: Callable[[], object]) -> None:
        self._send, self._as_page, self._abort = send, as_page, abort
        self.head_only = head_only
        self._head: Mapping[str, Any] = {}
        self._rest = memoryview(b"")
        self._sending: asyncio.Future[None] | None = None
        self._credit = PATIENCE
        self.begun = False

    @property
    def is_whole(self) -> bool:
        """Whether an answer has begun that its worker has already made."""
        return "content-length" in self._head.get("headers", {})

    async def send_all(self, head: Mapping[str, Any], body: bytes) -> None:
        """Send an answer. head: as of `Answer.head`. Raises Failure where the client takes too little of it."""
        await self.begin({**head, "headers": {**head["headers"], "content-length": str(len(body))}})
        await self.add(body)
        await self.end()

    async def begin(self, head: Mapping[str, Any]) -> None:
        """Send the status and the headers."""
        self._head, self.begun = head, True
        headers = {**HEADERS, **head["headers"]}
        fields = [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": head["status"], "headers": fields})

    async def add(self, part: bytes) -> None:
        """Send a part of the body, of whole rows. Raises Failure where the client takes too little of it.

        If this is cancelled, what is being sent goes on, as it may have been sent, and `fail` sends the rest.
        """
        self._rest = memoryview(part)
        while self._rest:
            began, chunk = time.monotonic(), bytes(self._rest[:CHUNK])
            self._sending, self._rest = asyncio.ensure_future(self._send_body(chunk)), self._rest[CHUNK:]
            try:
                async with asyncio.timeout(self._credit):
                    await asyncio.shield(self._sending)
            except TimeoutError:
                hint = f"take {SLOWEST // 1024} kB a second, or ask for less at a time"
                raise Failure("the answer was taken too slowly", hint, answers.TOO_LONG) from None
            self._credit = min(self._credit - (time.monotonic() - began) + len(chunk) / SLOWEST, PATIENCE)

    async def end(self) -> None:
        """Send the end of the body."""
        await self._send_body(b"", more=False)

    async def fail(self, failure: Failure) -> None:
        """Send an error: in place of the answer, or at the end of its rows. Where neither is possible, the client sees
        that the connection ends before the answer."""
        try:
            async with asyncio.timeout(PATIENCE):
                if not self.begun:
                    await self._send_error(failure)
                elif self.is_whole:
                    raise TimeoutError
                else:
                    form, columns = self._head["form"], self._head["columns"]
                    if self._sending:
                        await asyncio.shield(self._sending)
                    await self._send_body(bytes(self._rest))
                    await self._send_body(answers.broken_end(form, columns, failure.what, failure.hint), more=False)
        except TimeoutError:
            self._abort()
            await asyncio.sleep(0)  # until the connection has ended

    async def _send_error(self, failure: Failure) -> None:
        text = json.dumps({"error": failure.what, "hint": failure.hint}) + "\n"
        if self._as_page:
            text = pages.render("site/failure.html", title=FAILED, failed=Failed(failure.what, failure.hint))
        media = FORMATS[HTML if self._as_page else "json"]
        with contextlib.suppress(Failure):
            await self.send_all({"status": failure.status, "headers": {"content-type": media}}, text.encode())

    async def _send_body(self, data: bytes, *, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": more})
