"""States of a served database, which other processes may change: a folder of Parquet gets and loses corpora."""

from __future__ import annotations

import os
from contextlib import suppress

MANIFESTS = "_manifest"
"""The folder in a folder of Parquet in which a file changes with every corpus."""

Identity = tuple[int, int, int]
"""Inode, time of the last change in nanoseconds, and size of a file."""


def state_of(path: str) -> object:
    """What is different when the database has changed: the identities of the file, or of the manifests of a folder.

    Object stores are not asked: theirs is always the same.
    """
    with suppress(OSError):
        if not os.path.isdir(path):
            return _identity(os.stat(path))
        with os.scandir(os.path.join(path, MANIFESTS)) as entries:
            return {entry.name: _identity(entry.stat()) for entry in entries}
    return None


def _identity(found: os.stat_result) -> Identity:
    return found.st_ino, found.st_mtime_ns, found.st_size
