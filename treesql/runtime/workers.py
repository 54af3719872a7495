"""Work in a second thread, which its caller may leave.

A thread cannot be killed. Work that was left runs to its end, begins no commit any more, and nobody gets its result.
"""

from __future__ import annotations

import atexit
import contextvars
import signal
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from treesql.runtime import interrupts

Found = TypeVar("Found")


class Worker(Generic[Found]):
    """A thread that does one piece of work, with the context variables of the thread that makes it.

    clean_up: called after work that was left. finished: set when all of this has ended.
    """

    def __init__(self, work: Callable[[], Found], clean_up: Callable[[], object]) -> None:
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=self._run, args=(lambda: context.run(work), clean_up), daemon=True)
        self._state = threading.Lock()
        self.finished = threading.Event()
        self.left = False
        self._found: list[Found] = []
        self._failure: BaseException | None = None
        self._then: Callable[[], object] = lambda: None

    def start(self) -> None:
        """Begin the work."""
        self._thread.start()

    @property
    def has_failed(self) -> bool:
        """Whether the work has raised an error."""
        return self._failure is not None

    def result(self) -> Found:
        """What the work has returned. Raises what it has raised."""
        if self._failure is not None:
            try:
                raise self._failure
            finally:
                self._failure = None  # its traceback leads here: the circle would keep a connection alive
        return self._found.pop()

    def leave(self) -> bool:
        """Leave the work unless it has ended; once it commits, wait for its end. Returns whether it was left."""
        if not interrupts.give_up(self._thread):
            self.finished.wait()
        with self._state:
            self.left = self._thread.ident is not None and not self.finished.is_set()
        if self.left:
            if not _left:
                atexit.register(_keep_from_crashing)
            _left.add(self)
        return self.left

    def then(self, action: Callable[[], object]) -> None:
        """Act when the work has ended: in its thread, or at once."""
        with self._state:
            ended = self.finished.is_set()
            if not ended:
                self._then = action
        if ended:
            action()

    def _run(self, work: Callable[[], Found], clean_up: Callable[[], object]) -> None:
        try:
            self._found.append(work())
        except BaseException as error:
            self._failure = error
        with self._state:
            if not self.left:
                self.finished.set()
                return
        self._found, self._failure = [], None
        with suppress(Exception):
            clean_up()
        with self._state:
            self.finished.set()
        with suppress(Exception):
            self._then()


_left: weakref.WeakSet[Worker[Any]] = weakref.WeakSet()
"""Workers whose callers have left them."""

_SECONDS_TO_EXIT = 30
"""Maximum number of seconds in which a process ends while work that was left runs."""


def _keep_from_crashing() -> None:
    """Have this process end as usual though work that was left runs.

    A thread that takes Python's lock while Python ends (up to 3.13) is ended there. With glibc that unwinds its stack,
    which crashes in C++: `terminate` in the call of a DuckDB function, other signals where DuckDB had called Python.
    Such a thread waits instead. Neither are C++'s objects removed that it uses, nor what it leaks is listed.
    """
    if all(worker.finished.is_set() for worker in _left):
        return
    import ctypes

    with suppress(AttributeError, OSError, ValueError):  # another C library, where nothing is unwound
        libc = ctypes.CDLL(None)
        libc.on_exit(libc._exit, None)
        ctypes.CDLL("libstdc++.so.6")._ZSt13set_terminatePFvvE(libc.pause)
        for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS):
            libc.signal(int(number), libc.pause)
        libc.alarm(_SECONDS_TO_EXIT)
        libc.fopen.restype = ctypes.c_void_p
        ctypes.c_void_p.in_dll(libc, "stderr").value = libc.fopen(b"/dev/null", b"w")  # of C; Python has its own
