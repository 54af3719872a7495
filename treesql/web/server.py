"""The server: checks requests, has workers answer them, and stops those whose client has left or whose time is over."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import os
import re
import signal
import socket
import threading
import webbrowser
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

import treesql
from treesql import TreesqlError, UsageError, process
from treesql._version import __version__
from treesql.errors import DatabaseError, MemoryLimit
from treesql.results import pages
from treesql.web import answers, messages
from treesql.web.addresses import HTML, MAX_LENGTH, Address
from treesql.web.deliveries import HEADERS, Delivery, Failure
from treesql.web.kept_answers import KeptAnswer, KeptAnswers
from treesql.web.pool import Busy, Gone, Pool, WorkerProcess

GRACE_SECONDS = 0.5
"""Seconds after its limit at which a request is stopped that has not stopped itself."""

MIN_MEMORY = 400_000_000
"""Minimum limit of memory: that of a worker, which takes half of it before it answers anything."""

LOOPBACK = ("127.0.0.1", "::1", "localhost")

LINGERING = 2.0
"""Seconds in which a client takes the answer to what was no request."""

ENDING = 0.3
"""Seconds that requests have to end once their connections have."""

BACKLOG = 128
"""Connections that wait until the server has started."""

HEAVY = ("search", "sql", "score", "compare", "report")
"""Pages that may take long: the others never wait for them."""

Answering = asyncio.Future[KeptAnswer | None]
"""What ends with an answer, which it has if that is kept."""

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|((?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+))(?::[0-9]*)?", re.ASCII)
"""A host and its port, as RFC 9110, section 7.2, and RFC 3986, section 3.2.2, have them."""


class Application:
    """The ASGI application of a database. host: the address it listens on, besides the loopback a name it has."""

    def __init__(self, pool: Pool, *, seconds: float, host: str = LOOPBACK[0]) -> None:
        self._pool, self._seconds = pool, seconds
        self._kept = KeptAnswers(pool.path)
        self._public = host not in LOOPBACK
        self._hosts = {*LOOPBACK, host}
        self._static = {
            "/static/style.css": ("text/css; charset=utf-8", pages.render("site/site.css")),
            "/static/script.js": ("text/javascript; charset=utf-8", pages.render("site/site.js")),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or start and end the workers."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        path = scope.get("raw_path", scope["path"].encode()).partition(b"?")[0].decode("latin-1")
        query = scope["query_string"].decode("latin-1")
        abort = scope.get("state", {}).get(ABORT, lambda: None)
        head_only = scope["method"] == "HEAD"
        delivery = Delivery(send, as_page=_asks_for_page(path, query), head_only=head_only, abort=abort)
        try:
            self._check(scope, path, query)
            if path == "/health":
                health = {"status": "ok", "treesql": __version__, "workers": self._pool.size, "ready": self._pool.ready}
                await delivery.send_all(_head("application/json"), json.dumps(health).encode())
            elif path in self._static:
                media, text = self._static[path]
                await delivery.send_all(_head(media, {"cache-control": "max-age=600"}), text.encode())
            else:
                await self._answer(path, query, scope["method"], receive, delivery)
        except Failure as failure:
            await delivery.fail(failure)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Have workers from the start of the server to its end."""
        await receive()
        try:
            await self._pool.start()
        except TreesqlError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        try:
            await send({"type": "lifespan.startup.complete"})
            await receive()
        finally:
            await self._pool.close()
        await send({"type": "lifespan.shutdown.complete"})

    def _check(self, scope: Scope, path: str, query: str) -> None:
        """Raise Failure for a request of another site, by another name, of a change, or that is too long."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._is_own_name(headers.get("host", "")):
            hint = f"open it as http://{LOOPBACK[0]}:PORT/, or start it with --host NAME"
            raise Failure("this server does not answer to this name", hint, answers.BAD)
        if scope["method"] not in ("GET", "HEAD"):
            raise Failure("this server changes nothing", "use GET", 405)
        site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "navigate")
        if site not in ("none", "same-origin") and (mode != "navigate" or headers.get("sec-fetch-dest") != "document"):
            raise Failure("another site asks for this", "open the address in a tab of its own", 403)
        if len(path) + len(query) > MAX_LENGTH:
            hint = f"an address has {MAX_LENGTH:,} characters at most; write a shorter request"
            raise Failure("the address is too long", hint, answers.TOO_LARGE)

    def _is_own_name(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        literal, name = match.groups()
        with contextlib.suppress(ValueError):  # names of other sites may lead here, addresses of digits do not
            address = ipaddress.IPv6Address(literal) if literal else ipaddress.IPv4Address(name)
            return self._public or str(address) in self._hosts
        name = (name or "").lower().rstrip(".")
        return name in self._hosts or (self._public and name == socket.gethostname().lower())

    async def _answer(self, path: str, query: str, method: str, receive: Receive, delivery: Delivery) -> None:
        """Answer a request, with what the same address had before if that is kept. Raises Failure."""
        gone: asyncio.Future[Any] = asyncio.ensure_future(_wait_until_gone(receive))
        key = self._kept.key(path, query) if method == "GET" else None
        try:
            if key and self._kept.get(key) is None and (other := self._kept.running(key)):
                # At most once: if that one fails, all who waited for it ask the workers, whose queue is bounded.
                await asyncio.wait(
                    {gone, other}, timeout=self._seconds + GRACE_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
            answer = self._kept.get(key) if key else None
            if answer is None and not gone.done():
                with self._kept.run(key) if key else contextlib.nullcontext():
                    answer = await self._run(path, query, delivery, gone, is_kept=key is not None)
                    if key and answer:
                        self._kept.keep(key, answer)
            if answer is not None and not gone.done():
                await delivery.send_all(answer.head, b"".join(answer.parts))
        except Failure:
            if not gone.done():
                raise
        finally:
            gone.cancel()

    async def _run(
        self, path: str, query: str, delivery: Delivery, gone: asyncio.Future[Any], *, is_kept: bool
    ) -> KeptAnswer | None:
        """Have a worker answer a request. is_kept: whether its answer is returned, if it is small, instead of sent.

        The worker is free again when this returns, whatever the client does. Raises Failure.
        """
        heavy = _is_heavy(path, query)
        taking: asyncio.Future[WorkerProcess] = asyncio.ensure_future(self._pool.take(heavy=heavy))
        try:
            await asyncio.wait({gone, taking}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if not taking.cancel() and not taking.exception():
                self._pool.give_back(taking.result(), heavy=heavy)
            raise
        if not taking.done():
            taking.cancel()
            return None
        try:
            worker = taking.result()
        except Busy:
            raise Failure("too many requests at once", "try again in a moment", answers.UNAVAILABLE) from None
        answering: Answering = asyncio.ensure_future(self._exchange(worker, path, query, delivery, is_kept))
        try:
            return await self._wait_for(answering, delivery, gone, min(self._seconds, _asked_seconds(query)))
        except Gone:
            if await worker.ran_out_of_memory():
                raise Failure(*answers.said_of(MemoryLimit(self._pool.memory)), answers.TOO_LARGE) from None
            raise Failure("the server failed", "try again, or ask for less at a time", answers.FAILED) from None
        finally:
            if worker.busy:
                worker.interrupt()
            self._pool.give_back(worker, heavy=heavy)

    async def _wait_for(
        self, answering: Answering, delivery: Delivery, gone: asyncio.Future[Any], seconds: float
    ) -> KeptAnswer | None:
        """Wait until an answer has ended, its client has left or time is over, and return it or end it.

        The time is that of the whole answer, until the last row is taken; an answer that is sent once it is whole has
        the same time again for that. Raises Failure, Gone.
        """
        try:
            for _ in range(2):
                await asyncio.wait(
                    {gone, answering}, timeout=seconds + GRACE_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                if gone.done() or answering.done() or not delivery.is_whole:
                    break
            if answering.done():
                return answering.result()
        finally:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)  # so that nothing of it reads from its worker
        if gone.done():
            return None
        hint = "narrow the request; the server's limit is its option --timeout"
        raise Failure(f"stopped after {seconds:g} seconds", hint, answers.TOO_LONG)

    async def _exchange(
        self, worker: WorkerProcess, path: str, query: str, delivery: Delivery, is_kept: bool
    ) -> KeptAnswer | None:
        """Send a request to a worker, and its answer to the client. Raises Gone, Failure.

        is_kept: whether an answer without error that is small is returned when it is whole, and not sent.
        """
        await worker.ask(path, query)
        kept: KeptAnswer | None = None
        while True:
            kind, content = await worker.receive()
            if kind == messages.END:
                worker.busy = False
                if kept is None:
                    await delivery.end()
                return kept
            if kind == messages.FAILED:
                what, hint = json.loads(content)
                raise Failure(what, hint, answers.FAILED)
            if kind == messages.HEAD:
                head = json.loads(content)
                if is_kept and head["status"] == answers.OK and head["is_final"]:
                    kept = KeptAnswer(head)
                else:
                    await delivery.begin(head)
                    if delivery.head_only:
                        await delivery.end()
                        return None
            elif kept is None:
                await delivery.add(content)
            elif not kept.add(content):
                await delivery.begin(kept.head)
                await delivery.add(b"".join(kept.parts))
                kept = None


ABORT = "abort"
"""The key of what ends a connection at once, in the state of a request."""


class Connection(H11Protocol):
    """A connection of a client: also what is no request gets an answer with all headers."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin a connection."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, ABORT: transport.abort}
        self._refused = False

    def data_received(self, data: bytes) -> None:
        """Read what the client sends; after what was no request nothing."""
        if not self._refused:
            super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, and end the connection: later, as closing it before all is read would lose the
        answer."""
        self._refused = True
        error = {"error": "this is no request that the server reads", "hint": "send HTTP/1.1, in less than 64 kB"}
        body = json.dumps(error).encode() + b"\n"
        headers = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"}
        fields = (f"{name}: {value}" for name, value in {**HEADERS, **headers}.items())
        lines = ["HTTP/1.1 400 Bad Request", *fields, "", ""]
        self.transport.write("\r\n".join(lines).encode("latin-1") + body)
        self.transport.write_eof()
        self.loop.call_later(LINGERING, self.transport.close)


class Server(uvicorn.Server):
    """A server that ends within a second: answers that are being sent end as they are, and a second signal leaves no
    time at all."""

    def __init__(self, config: uvicorn.Config, pool: Pool) -> None:
        super().__init__(config)
        self._pool = pool

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end by a signal, or end by it."""
        if self.should_exit:
            self._pool.end()
            os._exit(128 + sig)
        super().handle_exit(sig, frame)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle SIGHUP as the others, where it ends treesql."""
        with super().capture_signals():
            handled = getattr(signal, "SIGHUP", signal.SIGTERM)
            before = signal.getsignal(handled)
            if not callable(before) or threading.current_thread() is not threading.main_thread():
                yield
                return
            signal.signal(handled, self.handle_exit)
            try:
                yield
            finally:
                signal.signal(handled, before)  # which gets it now, if it came

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all connections, so that their requests end by themselves, and the workers."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await super().shutdown(sockets)


def _head(media: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    return {"status": answers.OK, "headers": {"content-type": media, **(headers or {})}}


def _asks_for_page(path: str, query: str) -> bool:
    with contextlib.suppress(TreesqlError):
        return Address.parse(path, query).form == HTML
    return False


def _is_heavy(path: str, query: str) -> bool:
    """Whether a request may take long: a search, SQL, scores, and tables and texts of whole corpora."""
    with contextlib.suppress(TreesqlError):
        address = Address.parse(path, query)
        is_text = address.form == "conllu" and address.parts[:1] == ("corpora",)
        return "".join(address.parts[:1]) in HEAVY or bool(address.several("table")) or is_text
    return False


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _asked_seconds(query: str) -> float:
    try:
        seconds = float(parse_qs(query).get("timeout", ["inf"])[-1])
    except ValueError:
        return float("inf")
    return seconds if seconds > 0 else float("inf")


def run(path: str, *, port: int, host: str, show: bool, seconds: float, memory: str | int) -> None:
    """Serve a database until the process is interrupted. Raises UsageError, DatabaseError."""
    if process.check_size(memory) < MIN_MEMORY:
        raise UsageError(f"--memory {memory}: a worker of the server takes more; name {MIN_MEMORY // 10**6}MB or more")
    # Open as long as it is served, so that no command writes to it while no worker has it open.
    with treesql.connect(path, read_only=True, existing=True, safe=True):
        bound = _bind(host, port)
        named = f"[{host}]" if ":" in host else host
        address = f"http://{named}:{bound.getsockname()[1]}/"
        pool = Pool(path, seconds=seconds, memory=memory)
        app = Application(pool, seconds=seconds, host=host)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, http=Connection, ws="none",
            timeout_graceful_shutdown=ENDING,  # type: ignore[arg-type]
        )  # fmt: skip
        print(f"{path} is served at {address} until Ctrl-C")
        if show:
            webbrowser.open(address)
        server = Server(config, pool)
        server.run(sockets=[bound])
        if not server.started:
            raise DatabaseError(f"{path}: the server could not be started; see the messages above")


def _bind(host: str, port: int) -> socket.socket:
    """Listen at an address, 0 for any free port. Raises UsageError."""
    try:
        [(family, *_, place), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        bound = socket.socket(family, socket.SOCK_STREAM)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(place)
            bound.listen(BACKLOG)  # who opens the address before the server has started waits for it
        except BaseException:
            bound.close()
            raise
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{host}:{port}: {why}; choose another --port or --host") from None
    return bound
