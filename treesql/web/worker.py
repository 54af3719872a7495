"""A process that answers requests, one at a time, on a connection of its own: `python -m treesql.web.worker SETTINGS`.

It reads requests from standard input and writes answers to standard output. SIGINT stops the request that it works on,
whose answer then is STOPPED; what does not end by it, ends with the process.
"""

from __future__ import annotations

import io
import json
import os
import sys
from typing import BinaryIO

from treesql import process
from treesql.web import messages
from treesql.web.answers import TOO_LARGE
from treesql.web.site import Site

BUFFER = 64 * 1024
"""Bytes of a part of an answer."""


class AnswerFile(io.RawIOBase):
    """A file whose contents are sent in parts to the server."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def writable(self) -> bool:
        """Whether it can be written to: yes."""
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Send a part."""
        part = bytes(data)
        if part:
            self._out.write(messages.pack(messages.PART, part))
            self._out.flush()
        return len(part)


def main(settings: str) -> None:
    """Answer requests until standard input ends. settings: of the site, as JSON."""
    process.use_one_thread_for_algebra()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    with process.of_command_line(), Site(**json.loads(settings)) as site:
        site.warm()
        _send(out, messages.READY)
        while True:
            try:
                message = messages.read(sys.stdin.buffer)
                if message is None:
                    return
                path, query = json.loads(message[1])
                if not _answer(site, path, query, out):
                    return
            except KeyboardInterrupt:  # a stop that came when the request had ended
                continue


def _answer(site: Site, path: str, query: str, out: BinaryIO) -> bool:
    """Answer a request; returns whether the process can answer others."""
    try:
        answer = site.answer(path, query)
        _send(out, messages.HEAD, {"status": answer.status, "media": answer.media, **answer.headers})
        with io.BufferedWriter(AnswerFile(out), BUFFER) as file:  # type: ignore[type-var]
            answer.write(file)
        site.renew()
    except KeyboardInterrupt:
        _send(out, messages.STOPPED)
        return True
    _send(out, messages.END, answer.status != TOO_LARGE)
    return answer.status != TOO_LARGE  # memory that was in use once may stay in use


def _send(out: BinaryIO, kind: bytes, content: object = b"") -> None:
    out.write(messages.pack(kind, content))
    out.flush()


if __name__ == "__main__":
    main(sys.argv[1])
