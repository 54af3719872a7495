"""The cache of compiled kernels: its folder, entries and locks, without the compiler.

Entries are pickles, which can run anything when they are loaded: only those are read that the user or root has written
and that nobody else can write.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

CACHE_SUFFIX = ".kernel"
"""Suffix of the entries of the cache of compiled kernels; their names begin with that of the kernel."""

DIGEST_BYTES = 32
"""Bytes of the digest at the beginning of an entry, that of the rest."""

TIMES = "times.json"
"""File of the cache with the seconds that kernels, and groups of them, took to compile, by name."""


def cache_folder() -> Path:
    """Return the folder of the cache: in that of NUMBA_CACHE_DIR if it is set, else in the user's folder of caches."""
    from platformdirs import user_cache_path

    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return Path(chosen) / "treesql-kernels" if chosen else user_cache_path("treesql", appauthor=False) / "kernels"


def was_compiled(name: str) -> bool:
    """Return whether the cache had an entry of a kernel when this process first asked for one, maybe an older one."""
    return name in _names_in_cache(cache_folder())


@cache
def _names_in_cache(folder: Path) -> frozenset[str]:
    """The names of the kernels that have entries."""
    with suppress(OSError):
        return frozenset(name.rpartition("-")[0] for name in os.listdir(folder) if name.endswith(CACHE_SUFFIX))
    return frozenset()


def size() -> tuple[int, int]:
    """Return the number of entries of the cache and their bytes."""
    with suppress(OSError):
        sizes = [path.stat().st_size for path in cache_folder().iterdir() if path.suffix == CACHE_SUFFIX]
        return len(sizes), sum(sizes)
    return 0, 0


def read_times() -> dict[str, float]:
    """Return the seconds that kernels and groups of them took to compile when they last were, by name."""
    with suppress(OSError, ValueError, AttributeError):
        times = json.loads((cache_folder() / TIMES).read_text("utf-8"))
        return {str(name): float(seconds) for name, seconds in times.items()}
    return {}


def add_times(times: dict[str, float]) -> None:
    """Keep the seconds that kernels, or groups of them, took to compile."""
    with suppress(OSError):
        _write(cache_folder() / TIMES, json.dumps({**read_times(), **times}, sort_keys=True).encode())


def read_entry(path: Path) -> bytes | None:
    """Return the pickle of an entry; None if there is none, it is damaged, or somebody else could have written it."""
    if not _is_trusted(os.stat(path.parent)):
        return None
    with open(path, "rb") as file:
        if not _is_trusted(os.fstat(file.fileno())):
            return None
        digest, payload = file.read(DIGEST_BYTES), file.read()
    return payload if hashlib.sha256(payload).digest() == digest else None


def write_entry(path: Path, payload: bytes) -> None:
    """Write an entry. Raises OSError."""
    _write(path, hashlib.sha256(payload).digest() + payload)


def set_lock(name: str, held: bool) -> None:
    """Take or release the lock of a kernel, where there are such: not in a folder that is only read."""
    with suppress(OSError):
        if fcntl is not None:
            place = zlib.crc32(name.encode())
            fcntl.lockf(_lock_file(str(cache_folder())), fcntl.LOCK_EX if held else fcntl.LOCK_UN, 1, place)


@cache
def _lock_file(path: str) -> int:
    """The file whose bytes are the locks of kernels; closing it would release all of them."""
    os.makedirs(path, exist_ok=True, mode=_modes()[0])
    if not _is_trusted(os.stat(path)):
        raise PermissionError(f"somebody else can write to {path}")
    return os.open(os.path.join(path, "lock"), os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _modes() -> tuple[int, int]:
    """The modes of the folder and of its entries: everybody can read those in a folder that is chosen, as in images of
    containers."""
    return (0o755, 0o644) if os.environ.get("NUMBA_CACHE_DIR") else (0o700, 0o600)


def _is_trusted(status: os.stat_result) -> bool:
    """Whether the user or root has written a file, and nobody else can."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(path: Path, content: bytes) -> None:
    """Write a file whole, whoever writes it at the same time. Raises OSError."""
    folder_mode, file_mode = _modes()
    path.parent.mkdir(parents=True, exist_ok=True, mode=folder_mode)
    if not _is_trusted(os.stat(path.parent)):
        raise PermissionError(f"somebody else can write to {path.parent}")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, file_mode)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
