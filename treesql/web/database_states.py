"""States of a served database, which other processes may change: a folder of Parquet gets and loses corpora."""

from __future__ import annotations

import os

MANIFEST = os.path.join("_manifest", "manifest.json")
"""The file of a folder of Parquet that is replaced with every change."""


def state_of(path: str) -> tuple[int, int, int] | None:
    """The inode, the time of the last change in nanoseconds and the size of a database file, or of a folder's manifest.

    None where there is no such file, and of object stores, which are not asked.
    """
    try:
        found = os.stat(os.path.join(path, MANIFEST) if os.path.isdir(path) else path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
