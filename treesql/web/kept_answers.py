"""Answers that the server keeps, so that an address is answered once, also if several clients ask for it together."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from treesql import TreesqlError
from treesql.web.addresses import HTML, Address
from treesql.web.messages import state_of

MAX_BYTES = 64_000_000
"""Maximum number of bytes of all kept answers."""

MAX_ANSWER = 1_000_000
"""Maximum number of bytes of a kept answer."""

VOLATILE = ("sql", "report")
"""Pages whose answers differ from time to time, as `SELECT random()` does, or are asked for once."""

Key = tuple[object, ...]
"""The state of the database, and an address."""


@dataclass
class KeptAnswer:
    """An answer as a worker gives it: its head, and its body in parts."""

    head: dict[str, Any] = field(default_factory=dict)
    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, part: bytes) -> bool:
        """Add a part; return whether the answer is still small enough to be kept."""
        self.parts.append(part)
        self.size += len(part)
        return self.size <= MAX_ANSWER


class KeptAnswers:
    """The last answers of a database. path: a file, which nothing changes as long as it is served; of folders, which
    may get further corpora, no answer is kept."""

    def __init__(self, path: str, max_bytes: int = MAX_BYTES) -> None:
        self._path, self._max_bytes = path, max_bytes
        self._kept: OrderedDict[Key, KeptAnswer] = OrderedDict()
        self._running: dict[Key, asyncio.Future[None]] = {}
        self._bytes = 0

    def key(self, path: str, query: str) -> Key | None:
        """The key of an address, None if its answer is not kept: of SQL, of all rows, of what is no address."""
        with suppress(TreesqlError):
            address = Address.parse(path, query)
            address.refuse_nul()
            is_bounded = address.form in (HTML, "svg") or bool(address.get("limit"))
            is_volatile = bool(address.parts) and address.parts[0] in VOLATILE
            state = state_of(self._path)
            if is_volatile or not is_bounded or os.path.isdir(self._path) or state is None:
                return None
            parameters = tuple(sorted(address.parameters, key=lambda pair: pair[0]))
            return state, address.parts, parameters, address.form
        return None

    def get(self, key: Key) -> KeptAnswer | None:
        """The answer that is kept, if there is one."""
        answer = self._kept.get(key)
        if answer is not None:
            self._kept.move_to_end(key)
        return answer

    def running(self, key: Key) -> asyncio.Future[None] | None:
        """What is done when another request for the same address has ended, None if there is none."""
        return self._running.get(key)

    @contextmanager
    def run(self, key: Key) -> Iterator[None]:
        """Have other requests for the same address wait during the block, unless they wait for another one already."""
        if key in self._running:
            yield
            return
        ended = self._running[key] = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            del self._running[key]
            ended.set_result(None)

    def keep(self, key: Key, answer: KeptAnswer) -> None:
        """Keep an answer, and forget the ones that were not asked for the longest."""
        self._bytes += answer.size - (self._kept[key].size if key in self._kept else 0)
        self._kept[key] = answer
        self._kept.move_to_end(key)
        while self._bytes > self._max_bytes:
            self._bytes -= self._kept.popitem(last=False)[1].size
