"""What the server and its workers tell each other: messages of a length, a kind, and bytes; and states of the served
database, which other processes may change: a folder of Parquet gets and loses corpora.
"""

from __future__ import annotations

import json
import os
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


MANIFEST = os.path.join("_manifest", "manifest.json")
"""The file of a folder of Parquet that is replaced with every change."""


def state_of(path: str) -> tuple[int, int, int] | None:
    """The inode, the time of the last change in nanoseconds and the size of a database file, or of a folder's manifest.

    None where there is no such file, and of object stores, which are not asked.
    """
    try:
        status = os.stat(os.path.join(path, MANIFEST) if os.path.isdir(path) else path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
