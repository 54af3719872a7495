"""Ctrl-C, and other signals that end a process: deferred while something is made permanent.

What is interrupted has not been done. So signals are deferred while a transaction is committed or a file is moved to
its place. A signal that came before, and that a library swallowed, is raised before that. In programs that use treesql
as a library, their handlers stay, and are called afterwards.

Python calls handlers in the main thread, between its own instructions: not while that runs compiled code, which may
take minutes. So a process that runs a command alone is watched by a thread, which ends it GRACE seconds after a signal,
whatever its other threads do: compiled code does not hold Python's lock. Files and databases stay as they were, as all
are written whole or not at all.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _thread
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a process and let it clean up."""

GRACE = 0.3
"""Seconds in which a command ends by itself after a signal, before its process is ended."""

INTERRUPTED = "interrupted"
"""What a command reports that a signal has ended, before notes on what it had done."""

_POLL = 0.02
"""Seconds between two looks whether something is still being made permanent."""

_AGAIN = 0.05
"""Seconds before a signal that came during an import is raised again."""

Handler = Callable[[int, FrameType | None], object]


class Interrupt(KeyboardInterrupt):
    """A signal. A subclass, as Python ends by SIGINT where KeyboardInterrupt itself leaves the main module."""


class GivenUp(Exception):
    """A commit of work that was given up."""


class _State:
    """The state of signals. watched: whether a thread ends the process after one; waiting, commits: number of blocks
    that defer them, and of those that make something permanent; over: whether a signal comes too late."""

    listens = False
    watched = False
    heard: int | None = None
    waiting = 0
    commits = 0
    over = False


_state = _State()
_given_up: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
_committing: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
"""Threads whose work was given up; those that make something permanent, or have done so."""

_ending = threading.Lock()
"""Taken by what ends the process, and reports why."""

_clean_ups: list[Callable[[], object]] = []
"""Functions that are called before the process is ended at once."""

_notes: list[Callable[[], str]] = []
"""Functions that return what unfinished work has done, in words."""


def heard() -> int | None:
    """The number of the last signal that came while `listening`; None if there was none."""
    return _state.heard


def raises_here() -> bool:
    """Whether Ctrl-C raises KeyboardInterrupt in this thread, as Python does by itself in the main one."""
    # `signal.getsignal` also looks for the handler among constants, which takes 6 µs.
    return _in_main_thread() and _signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _in_main_thread() -> bool:
    """Whether this is the main thread. `current_thread` would keep a note of each of DuckDB's own threads for ever."""
    return threading.get_ident() == threading.main_thread().ident


def came_too_late() -> bool:
    """Whether the work was done before any signal came."""
    return _state.listens and _state.over


def is_committing() -> bool:
    """Whether something is made permanent now."""
    return _state.commits > 0


@contextmanager
def noting(note: Callable[[], str]) -> Iterator[None]:
    """Have the report of a process that is ended in the block say what the work has done; "" if that is nothing."""
    _notes.append(note)
    try:
        yield
    finally:
        _notes.remove(note)


def at_sudden_end(clean_up: Callable[[], object]) -> None:
    """Have a function called before this process is ended at once: it removes unfinished files, or ends children."""
    _clean_ups.append(clean_up)


def begin_to_end() -> bool:
    """Whether the caller is the first that ends this process, and reports why; always where nothing watches it."""
    return not _state.watched or _ending.acquire(blocking=False)


def end_process(code: int, line: str) -> NoReturn:
    """End this process now, whatever its threads do, with a line on standard error; none where the end is reported.

    What is unfinished is removed.
    """
    if _ending.acquire(blocking=False):
        clear = "\r\x1b[2K\x1b[?25h" if sys.stderr is not None and sys.stderr.isatty() else ""  # of a progress bar
        with suppress(OSError):
            os.write(2, f"{clear}{line}\n".encode())
    for clean_up in tuple(_clean_ups):
        with suppress(OSError):
            clean_up()
    os._exit(code)


def give_up(thread: threading.Thread) -> bool:
    """Have `committing` raise GivenUp in a thread. Returns False if that has committed, or does so now."""
    _given_up.add(thread)
    return thread not in _committing


@contextmanager
def listening(*, to_the_end: bool = False) -> Iterator[None]:
    """Have signals that end the process raise KeyboardInterrupt, unless they are ignored, as in background jobs.

    to_the_end: whether the process does nothing else, and ends after the block: it is ended GRACE seconds after a
    signal if it has not by itself, and signals after the block are ignored. Only the main thread of a process can set
    handlers; in other threads this does nothing.
    """
    if not _in_main_thread():
        yield
        return
    usual = (signal.SIG_DFL, signal.default_int_handler)
    before = {number: signal.getsignal(number) for number in SIGNALS}
    _state.listens, _state.heard, _state.over = True, None, False
    report = sys.unraisablehook

    def report_others(args: sys.UnraisableHookArgs) -> None:
        if args.exc_type is not Interrupt:  # raised in a callback, where Python ignores it, it is kept as `heard`
            report(args)

    sys.unraisablehook = report_others
    try:
        for number, handler in before.items():
            if handler in usual:
                signal.signal(number, _hear)
        if to_the_end:
            _begin_to_watch()
        yield
    finally:
        _state.over = True
        sys.unraisablehook = report
        for number, handler in before.items():
            if handler in usual:  # Python gives its own handlers up while it ends, and ignored signals stay ignored
                signal.signal(number, signal.SIG_IGN if to_the_end else handler)
        _state.listens = to_the_end


def listen_again() -> None:
    """Take signals back for which a library has set a handler of its own, while `listening` in the main thread."""
    if _state.listens and _in_main_thread():
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _hear)


def _begin_to_watch() -> None:
    """Start the thread that ends the process, to which Python's handler in C writes the numbers of signals.

    Windows before Python 3.12 has no pipe for that, so that a command ends when its compiled code has ended.
    """
    if not hasattr(os, "set_blocking"):
        return
    received, sent = os.pipe()
    os.set_blocking(sent, False)
    signal.set_wakeup_fd(sent, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(received,), daemon=True).start()
    _state.watched = True


def _watch(received: int) -> None:
    """End the process some time after a signal, unless what the command was to do is done by then."""
    while True:
        number = os.read(received, 1)[0]
        if signal.getsignal(number) is not _hear and _state.heard is None:  # of a server
            continue
        time.sleep(GRACE)
        while is_committing():
            time.sleep(_POLL)
        if not _state.over or _ending.locked():
            end_process(128 + number, "; ".join([INTERRUPTED, *filter(None, (note() for note in _notes))]))


def _hear(number: int, frame: FrameType | None) -> None:
    is_ended = _state.watched and _state.heard is not None  # by the first one
    _state.heard = number
    if _state.waiting or _state.over or is_ended:
        return
    if _is_being_imported("duckdb"):  # an exception there aborts the process, in the binding of its enumerations
        again = threading.Timer(_AGAIN, _thread.interrupt_main, [number])
        again.daemon = True
        again.start()
        return
    raise Interrupt


def _is_being_imported(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


@contextmanager
def deferred() -> Iterator[None]:
    """Defer signals to the end of the block, in which something is made or removed together with its record."""
    with _waiting():
        yield
    if _state.listens and _state.heard is not None and not _state.over:
        raise Interrupt


@contextmanager
def committing() -> Iterator[None]:
    """Defer signals while something is made permanent; afterwards they come too late.

    Raises KeyboardInterrupt where a signal came before, whatever caught it; GivenUp in a thread that was given up.
    """
    thread = threading.current_thread()
    with _waiting():
        if _state.listens and _state.heard is not None and not _state.over:
            raise Interrupt
        _committing.add(thread)
        _state.commits += 1
        try:
            if thread in _given_up:
                raise GivenUp
            yield
        except BaseException:
            _committing.discard(thread)
            raise
        else:
            _state.over = _state.listens
        finally:
            _state.commits -= 1


def resume() -> None:
    """Go on with other work after `committing`: signals are not too late any more.

    Raises KeyboardInterrupt where one came in the meantime.
    """
    if _state.listens:
        _state.over = False
        if _state.heard is not None:
            raise Interrupt


@contextmanager
def _waiting() -> Iterator[None]:
    """Defer signals; handlers of other modules are called at the end."""
    if _state.listens or not _in_main_thread():
        _state.waiting += 1
        try:
            yield
        finally:
            _state.waiting -= 1
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in SIGNALS}
    handlers: dict[int, Handler] = {number: handler for number, handler in before.items() if callable(handler)}
    for number in handlers:
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(came):
            handlers[number](number, None)
