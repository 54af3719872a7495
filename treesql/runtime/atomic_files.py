"""Files and folders that are written whole or not at all: in a hidden folder next to their place, then moved there.

A process that is killed leaves its folder. The next process of this machine that writes there removes it, unless a
process holds a lock on it: so a process makes its folder anew where another has locked it first.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from treesql.errors import UsageError
from treesql.runtime import interrupts

try:
    import fcntl
except ImportError:  # a system without these locks: nothing counts as a leftover
    fcntl = None  # type: ignore[assignment]

PREFIX = ".treesql-"
_NAME = re.compile(re.escape(PREFIX) + r"(?P<machine>.*)-\d+-[0-9a-f]{8}")
_HIDDEN = re.compile(re.escape(PREFIX) + r"[^/]*-\d+-[0-9a-f]{8}/")
_TRIES = 3
"""Maximum number of folders that are made where others remove them."""

DISK_FULL_ERRORS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
DISK_FULL_MESSAGES = ("No space left on device", "File too large", "Disk quota exceeded")
"""Error numbers and messages of systems that have no room for a file."""


class NotKept(UsageError):
    """What was written could not be put in its place: nothing is there."""


@contextmanager
def write_whole(out: Path, *, replace: bool = True, final: bool = True) -> Iterator[Path]:
    """A path in a hidden folder to write to; it is moved to `out` at the end, and removed if the block raises.

    Where `out` is a link, what it points to is written. replace: whether an existing file is replaced. final: whether
    this is what the command was to do, so that signals come too late afterwards. Raises UsageError where nothing can be
    written, and for `-`, by which standard output is meant.
    """
    if str(out) == "-":
        raise UsageError("nothing is written to standard output by the name -; name a file or folder, such as ./out")
    held: _Folder | None = None
    try:
        try:
            target = out.resolve()
            with interrupts.deferred():
                remove_leftovers(target.parent)
                held = _Folder(target.parent)
            yield held.path / target.name
        except OSError as error:
            if held is None or error.filename is None or str(error.filename).startswith(str(held.path)):
                raise UsageError(_why_not(out, error, "name a place that can be written")) from None
            raise
        with interrupts.committing() if final else interrupts.deferred():
            try:
                _move(held.path / target.name, target, replace)
            except FileExistsError:
                raise NotKept(f"{out}: another process made it in the meantime; try again") from None
            except OSError as error:
                raise NotKept(_why_not(out, error, "choose another name")) from None
    finally:
        with interrupts.deferred():
            if held is not None:
                held.remove()


@contextmanager
def hidden_folder(parent: Path) -> Iterator[Path]:
    """A hidden folder in another one to prepare files in, which is removed with what is left in it."""
    with interrupts.deferred():
        held = _Folder(parent)
    try:
        yield held.path
    finally:
        with interrupts.deferred():
            held.remove()


@contextmanager
def removed_if_empty(*folders: Path) -> Iterator[None]:
    """Remove folders, the inner ones first, if nothing is in them at the end of the block, or of the process in it."""
    _maybe_empty.extend(folders)
    try:
        yield
    finally:
        _remove_empty(folders)
        for folder in folders:
            _maybe_empty.remove(folder)


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, written to the disk before anything else. Raises OSError.

    Some systems cannot do it for folders, and need not.
    """
    is_folder = path.is_dir()
    try:
        opened = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
    except OSError:
        if not is_folder:
            raise


def without_hidden_folders(text: str) -> str:
    """A message with paths as the user named them, without hidden folders."""
    return _HIDDEN.sub("", text)


def remove_leftovers(folder: Path) -> None:
    """Remove what killed processes of this machine left in a folder; never what a running process has locked."""
    if fcntl is None:
        return
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.startswith(PREFIX)]
    except OSError:
        return
    for name in names:
        matched = _NAME.fullmatch(name)
        if matched and matched["machine"] == _machine() and folder / name not in _folders:
            lock = _lock(folder / name)
            if lock is not None:
                shutil.rmtree(folder / name, ignore_errors=True)
                os.close(lock)


_folders: set[Path] = set()
"""The hidden folders that this process writes to now."""

_maybe_empty: list[Path] = []
"""Folders that are removed if this process leaves nothing in them."""

_REMOVALS = 5
"""Times that a folder is removed into which other threads may still write."""


def _remove_folders() -> None:
    """Remove the hidden folders of this process, before it is ended at once."""
    for folder in list(_folders):
        for _ in range(_REMOVALS):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
    _remove_empty(_maybe_empty)


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


interrupts.at_sudden_end(_remove_folders)


class _Folder:
    """A hidden folder of this process, locked. Raises OSError."""

    def __init__(self, parent: Path) -> None:
        for _ in range(_TRIES):
            self.path = parent / f"{PREFIX}{_machine()}-{os.getpid()}-{os.urandom(4).hex()}"
            _folders.add(self.path)
            self.path.mkdir(0o700)
            self._lock = _lock(self.path, waits=True)
            if fcntl is None or self.path.exists():  # otherwise it was taken for a leftover before it was locked
                return
            self.remove()
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(parent))

    def remove(self) -> None:
        """Remove the folder and what is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        _folders.discard(self.path)
        if self._lock is not None:
            os.close(self._lock)


def _machine() -> str:
    return re.sub(r"[^A-Za-z0-9.]", "_", platform.node())[:64]


def _lock(path: Path, *, waits: bool = False) -> int | None:
    """A lock on a folder until the descriptor is closed or the process ends; None where another process has it.

    waits: until no other process has it.
    """
    if fcntl is None:
        return None
    opened = None
    try:
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(opened, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        return opened
    except OSError:
        if opened is not None:
            os.close(opened)
        return None


def _move(made: Path, target: Path, replace: bool) -> None:
    """Raises OSError."""
    if replace:
        os.replace(made, target)
    else:
        link(made, target)


def link(made: Path, target: Path) -> None:
    """Move a file to a name that is not taken yet. Raises OSError."""
    try:
        os.link(made, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(target):
            raise FileExistsError from None
        os.rename(made, target)


def system_message(error: OSError) -> str:
    """The system's message; Arrow has it at the end of a longer text."""
    text = error.strerror or str(error) or type(error).__name__
    matched = re.search(r"\[errno \d+\] (.*)$", text, re.IGNORECASE)
    return matched[1] if matched else text


def _why_not(out: Path, error: OSError, hint: str) -> str:
    if error.errno in DISK_FULL_ERRORS or any(said in str(error) for said in DISK_FULL_MESSAGES):
        hint = "make room on the disk, or name another place"
    elif error.errno == errno.ENAMETOOLONG:
        hint = "choose a shorter name"
    return f"{out}: {system_message(error)}; {hint}"
