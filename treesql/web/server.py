"""The server: checks requests, has workers answer them, and stops those whose client has left or whose time is over."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import socket
import webbrowser
from collections.abc import AsyncIterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount
from starlette.types import Message, Receive, Scope, Send

import treesql
from treesql import TreesqlError, UsageError
from treesql._version import __version__
from treesql.reports.page_frame import SORTING, STYLE
from treesql.web import answers, messages
from treesql.web.addresses import HTML, MAX_LENGTH, Address
from treesql.web.kept_answers import KeptAnswer, KeptAnswers
from treesql.web.pool import Busy, Pool, WorkerProcess

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

SLOW_CLIENT = 30.0
"""Maximum number of seconds until a client takes a part of an answer."""

SPARE = 0.5
"""Seconds after its limit at which a request is stopped that has not stopped itself."""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>treesql</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/style.css"></head>
<body><main><h1>This did not work</h1><p class="note" role="alert">{what}</p><p>{hint}</p>
<p><a href="/">Corpora</a></p></main></body>
</html>
"""
"""The page of an error that the server reports itself."""

LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Application:
    """The ASGI application of a database. host: the address it listens on, besides the loopback a name it has."""

    def __init__(self, pool: Pool, *, seconds: float, host: str = LOOPBACK[0]) -> None:
        self._pool, self._seconds = pool, seconds
        self._kept = KeptAnswers(pool.path)
        self._public = host not in LOOPBACK
        self._hosts = {*LOOPBACK, host}
        folder = Path(__file__).parent / "static"
        self._static = {
            "/static/style.css": ("text/css; charset=utf-8", STYLE + (folder / "style.css").read_text("utf-8")),
            "/static/script.js": (
                "text/javascript; charset=utf-8",
                SORTING + (folder / "script.js").read_text("utf-8"),
            ),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        path = scope.get("raw_path", scope["path"].encode()).partition(b"?")[0].decode("latin-1")
        query = scope["query_string"].decode("latin-1")
        refused = self._refuse(scope, path, query)
        if refused is not None:
            await refused(scope, receive, send)
        elif path == "/health":
            health = {"status": "ok", "treesql": __version__, "workers": self._pool.size, "ready": self._pool.ready}
            await JSONResponse(health, headers=HEADERS)(scope, receive, send)
        elif path in self._static:
            media, text = self._static[path]
            headers = {**HEADERS, "cache-control": "max-age=600"}
            await Response(text, headers=headers, media_type=media)(scope, receive, send)
        else:
            await self._answer(path, query, scope, receive, send)

    def _refuse(self, scope: Scope, path: str, query: str) -> Response | None:
        """The answer to a request that is refused: of another site, by another name, too long, or a change."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._is_own_name(headers.get("host", "")):
            hint = f"open it as http://{LOOPBACK[0]}:PORT/, or start it with --host NAME"
            return _error("this server does not answer to this name", hint, answers.BAD)
        if scope["method"] not in ("GET", "HEAD"):
            return _error("this server changes nothing", "use GET", 405)
        site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "navigate")
        if site not in ("none", "same-origin") and (mode != "navigate" or headers.get("sec-fetch-dest") != "document"):
            return _error("another site asks for this", "open the address in a tab of its own", 403)
        if len(path) + len(query) > MAX_LENGTH:
            hint = f"an address has {MAX_LENGTH:,} characters at most; write a shorter request"
            return _error("the address is too long", hint, answers.TOO_LARGE)
        return None

    def _is_own_name(self, host: str) -> bool:
        name = host.rpartition(":")[0] if ":" in host and not host.endswith("]") else host
        name = name.strip("[]").lower().rstrip(".")
        if name in self._hosts:
            return True
        if not self._public:
            return False
        with contextlib.suppress(ValueError):  # names of other sites may lead here, addresses of digits do not
            ipaddress.ip_address(name)
            return True
        return name == socket.gethostname().lower()

    async def _answer(self, path: str, query: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with what the same address had before if that is kept."""
        gone: asyncio.Future[Any] = asyncio.ensure_future(_wait_until_gone(receive))
        key = self._kept.key(path, query) if scope["method"] == "GET" else None
        try:
            if key and self._kept.get(key) is None and (other := self._kept.running(key)):
                # At most once: if that one fails, all who waited for it ask the workers, whose queue is bounded.
                await asyncio.wait({gone, other}, timeout=self._seconds + SPARE, return_when=asyncio.FIRST_COMPLETED)
            found = self._kept.get(key) if key else None
            if found is None and not gone.done():
                with self._kept.run(key) if key else contextlib.nullcontext():
                    found = await self._run(path, query, scope, receive, send, gone, is_kept=key is not None)
                    if key and found:
                        self._kept.keep(key, found)
            if found is not None and not gone.done():
                async with asyncio.timeout(SLOW_CLIENT):
                    await send(_start(found.head))
                    await send({"type": "http.response.body", "body": b"".join(found.parts), "more_body": False})
        finally:
            gone.cancel()

    async def _run(
        self, path: str, query: str, scope: Scope, receive: Receive, send: Send, gone: asyncio.Future[Any], *,
        is_kept: bool,
    ) -> KeptAnswer | None:  # fmt: skip
        """Have a worker answer a request. is_kept: whether its answer is returned, if it is small, instead of sent."""
        waiting = contextlib.AsyncExitStack()
        try:
            taken: asyncio.Future[Any] = asyncio.ensure_future(
                waiting.enter_async_context(self._pool.worker(path.split("/")[1].split(".")[0]))
            )
            await asyncio.wait({gone, taken}, return_when=asyncio.FIRST_COMPLETED)
            if not taken.done():
                taken.cancel()
                return None
            return await self._pass_on(taken.result(), path, query, scope, gone, send, is_kept=is_kept)
        except Busy:
            said = _error("too many requests at once", "try again in a moment", 503)
            await said(scope, receive, send)
            return None
        finally:
            await waiting.aclose()

    async def _pass_on(
        self, worker: WorkerProcess, path: str, query: str, scope: Scope, gone: asyncio.Future[Any], send: Send, *,
        is_kept: bool,
    ) -> KeptAnswer | None:  # fmt: skip
        """Have a worker answer, and pass on what it answers, until it ends, the client leaves or time is over.

        Once an answer has begun, only the time that its worker takes for each part counts, which it limits itself.
        """
        seconds = min(self._seconds, _asked_seconds(query))
        head_only = scope["method"] == "HEAD"
        passing: asyncio.Future[Any] = asyncio.ensure_future(
            self._exchange(worker, path, query, send, head_only, is_kept)
        )
        await asyncio.wait({gone, passing}, timeout=seconds + SPARE, return_when=asyncio.FIRST_COMPLETED)
        if worker.begun:
            await asyncio.wait({gone, passing}, return_when=asyncio.FIRST_COMPLETED)
        said = f"stopped after {seconds:g} seconds", "narrow the request; the server's limit is its option --timeout"
        status, was_done = answers.TOO_LONG, passing.done()
        if not was_done:
            await self._pool.stop(worker, passing)
        error = None if passing.cancelled() else passing.exception()
        if was_done and error is None:
            whole: KeptAnswer | None = passing.result()
            return whole
        if was_done:
            worker.end()
            said, status = ("the server ran out of memory or failed", "ask for less at a time"), answers.FAILED
        if worker.begun and not gone.done():
            raise ConnectionAbortedError(said[0])  # the client sees that its answer is not whole
        if not gone.done():
            await _send_error(send, *said, status, as_page=_asks_for_page(path, query))
        return None

    async def _exchange(
        self, worker: WorkerProcess, path: str, query: str, send: Send, head_only: bool, is_kept: bool
    ) -> KeptAnswer | None:
        """Send a request to a worker, and its answer to the client. Raises Gone, TimeoutError, OSError.

        is_kept: whether an answer without error that is small is returned when it is whole, and not sent.
        """
        worker.begun = worker.stopping = False
        worker.input.write(messages.pack(messages.REQUEST, [path, query]))
        await worker.input.drain()
        kept: KeptAnswer | None = None
        while True:
            kind, content = await worker.receive()
            if kind == messages.STOPPED:
                return None
            if kind == messages.END:
                worker.again = json.loads(content) and not worker.stopping
                if worker.stopping:
                    return None
                if kept is None:
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
                return kept
            if worker.stopping:
                continue
            if kind == messages.HEAD:
                head = json.loads(content)
                if is_kept and head["status"] == answers.OK:
                    kept = KeptAnswer(head)
                    continue
                worker.begun = True
                await send(_start(head))
            elif kept is None or not kept.add(content):
                if kept is not None:
                    worker.begun = True
                    await send(_start(kept.head))
                    content, kept = b"".join(kept.parts), None
                if not head_only:
                    async with asyncio.timeout(SLOW_CLIENT):
                        await send({"type": "http.response.body", "body": content, "more_body": True})


def _start(head: dict[str, str | int]) -> Message:
    own = {"content-type": str(head["media"])}
    own |= {name: str(value) for name, value in head.items() if name not in ("status", "media")}
    headers = [(name.encode(), value.encode("latin-1", "replace")) for name, value in {**HEADERS, **own}.items()]
    return {"type": "http.response.start", "status": head["status"], "headers": headers}


def _asks_for_page(path: str, query: str) -> bool:
    with contextlib.suppress(TreesqlError):
        return Address.parse(path, query).form == HTML
    return False


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _asked_seconds(query: str) -> float:
    try:
        found = float(parse_qs(query).get("timeout", ["inf"])[-1])
    except ValueError:
        return float("inf")
    return found if found > 0 else float("inf")


def _error(what: str, hint: str, status: int) -> Response:
    return JSONResponse({"error": what, "hint": hint}, status, headers=HEADERS)


async def _send_error(send: Send, what: str, hint: str, status: int, *, as_page: bool) -> None:
    """Send an error that no worker can report any more."""
    body, media = json.dumps({"error": what, "hint": hint}).encode(), "application/json"
    if as_page:
        body, media = _PAGE.format(what=escape(what), hint=escape(hint)).encode(), "text/html; charset=utf-8"
    await send(_start({"status": status, "media": media}))
    await send({"type": "http.response.body", "body": body, "more_body": False})


def make_app(pool: Pool, *, seconds: float, host: str = LOOPBACK[0]) -> Starlette:
    """The application, which starts and ends the workers."""

    @contextlib.asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        await pool.start()
        try:
            yield
        finally:
            await pool.close()

    return Starlette(routes=[Mount("/", Application(pool, seconds=seconds, host=host))], lifespan=running)


def run(path: str, *, port: int, host: str, show: bool, seconds: float, memory: str | int) -> None:
    """Serve a database until the process is interrupted. Raises UsageError, DatabaseError."""
    with treesql.connect(path, read_only=True, existing=True, safe=True, memory=memory):
        pass  # to report what is wrong with it before anything starts
    bound = _bind(host, port)
    named = f"[{host}]" if ":" in host else host
    address = f"http://{named}:{bound.getsockname()[1]}/"
    app = make_app(Pool(path, seconds=seconds, memory=memory), seconds=seconds, host=host)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    print(f"{path} is served at {address} until Ctrl-C")
    if show:
        webbrowser.open(address)
    uvicorn.Server(config).run(sockets=[bound])


def _bind(host: str, port: int) -> socket.socket:
    """Listen at an address. Raises UsageError."""
    try:
        [(family, *_, place), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        bound = socket.socket(family, socket.SOCK_STREAM)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(place)
        except BaseException:
            bound.close()
            raise
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{host}:{port}: {why}; choose another --port or --host") from None
    return bound
