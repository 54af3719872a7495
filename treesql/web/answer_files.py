"""Bodies of answers, which a worker sends to the server in parts of whole rows, or once they are whole."""

from __future__ import annotations

import io
from tempfile import SpooledTemporaryFile
from typing import BinaryIO

from treesql.web import messages
from treesql.web.answers import MAX_PART, MAX_WHOLE, Answer, AnswerTooLarge

IN_MEMORY = 16_000_000
"""Maximum number of bytes that wait in memory, beyond which they wait on disk."""

PART = 64 * 1024
"""Minimum number of bytes of a part but the last; of an answer that is whole, their maximum."""


class AnswerFile(io.RawIOBase):
    """The body of an answer that is written.

    out: where messages are written. begin_at: number of bytes that wait until an answer begins that is sent in parts;
    before, it can still be another one. Raises AnswerTooLarge while it is written.
    """

    def __init__(self, out: BinaryIO, answer: Answer, begin_at: int = PART) -> None:
        self._out, self._answer, self._begin_at = out, answer, begin_at
        self._waiting = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115, closed with this file
        self.begun = False

    def writable(self) -> bool:
        """Whether it can be written to: yes."""
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Take bytes, which wait for the end of their row."""
        self._waiting.write(data)
        rows = MAX_PART + (0 if self.begun else self._begin_at)
        if self._waiting.tell() > (rows if self._answer.streams else MAX_WHOLE):
            raise AnswerTooLarge(self._answer.streams)
        return memoryview(data).nbytes

    def flush(self) -> None:
        """Send what was written, if it is enough: all that was written are whole rows."""
        if self._answer.streams and self._waiting.tell() >= (PART if self.begun else self._begin_at):
            if not self.begun:
                self._send_head()
            self._send_rows()

    def end(self) -> None:
        """Send what waits: the answer is whole."""
        if not self.begun:
            self._send_head(self._waiting.tell())
            self._waiting.seek(0)
            while part := self._waiting.read(PART):
                self._send(messages.PART, part)
        elif self._waiting.tell():
            self._send_rows()

    def close(self) -> None:
        """Forget what waits."""
        if not self.closed:
            self._forget()  # as the base class flushes
            super().close()
            self._waiting.close()

    def _send_head(self, size: int | None = None) -> None:
        self.begun = True
        self._send(messages.HEAD, self._answer.head(size))

    def _send_rows(self) -> None:
        self._waiting.seek(0)
        self._send(messages.PART, self._waiting.read())
        self._forget()

    def _forget(self) -> None:
        self._waiting.seek(0)
        self._waiting.truncate()

    def _send(self, kind: bytes, content: object) -> None:
        self._out.write(messages.pack(kind, content))
        self._out.flush()
