"""Messages between the server and its workers: a length, a kind, and bytes."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

READY, REQUEST, HEAD, PART, END, FAILED = b"r", b"q", b"h", b"p", b"e", b"f"
"""Kinds: the worker waits for a request, and the number of times that it was interrupted; a request, and whether it is
heavy; the head of its answer; a part of its body, of whole rows; its end; or what failed in the middle of it, and what
to do."""

HEADER = struct.Struct(">Ic")


def pack(kind: bytes, content: Any = b"") -> bytes:
    """A message. content: bytes, or what JSON has."""
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return HEADER.pack(len(data), kind) + data


def read(file: BinaryIO) -> tuple[bytes, bytes] | None:
    """The next message; None at the end of the file."""
    head = file.read(HEADER.size)
    if len(head) < HEADER.size:
        return None
    size, kind = HEADER.unpack(head)
    return kind, file.read(size)
