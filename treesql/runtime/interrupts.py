"""Ctrl-C, and other signals that end a process: deferred while something is made permanent.

What is interrupted has not been done. So signals are deferred while a transaction is committed or a file is moved to
its place. A signal that came before, and that a library swallowed, is raised before that. In programs that use treesql
as a library, their handlers stay, and are called afterwards.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a process and let it clean up."""

_AGAIN = 0.05
"""Seconds before a signal that came during an import is raised again."""

Handler = Callable[[int, FrameType | None], object]


class Interrupt(KeyboardInterrupt):
    """A signal. A subclass, as Python ends by SIGINT where KeyboardInterrupt itself leaves the main module."""


class GivenUp(Exception):
    """A commit of work that was given up."""


class _State:
    """The state of signals. waiting: number of blocks that defer them; over: whether a signal comes too late."""

    listens = False
    heard: int | None = None
    waiting = 0
    over = False


_state = _State()
_given_up: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
_committing: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
"""Threads whose work was given up; those that make something permanent, or have done so."""


def heard() -> int | None:
    """The number of the last signal that came while `listening`; None if there was none."""
    return _state.heard


def came_too_late() -> bool:
    """Whether the work was done before any signal came."""
    return _state.listens and _state.over


def is_committing() -> bool:
    """Whether a block that defers signals runs now."""
    return _state.waiting > 0


def give_up(thread: threading.Thread) -> bool:
    """Have `committing` raise GivenUp in a thread. Returns False if that has committed, or does so now."""
    _given_up.add(thread)
    return thread not in _committing


@contextmanager
def listening(*, to_the_end: bool = False) -> Iterator[None]:
    """Have signals that end the process raise KeyboardInterrupt, unless they are ignored, as in background jobs.

    to_the_end: whether the process ends after the block, so that later signals are ignored. Only the main thread of a
    process can set handlers; in other threads this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
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
        yield
    finally:
        _state.over = True
        sys.unraisablehook = report
        for number, handler in before.items():
            if handler in usual:  # Python gives its own handlers up while it ends, and ignored signals stay ignored
                signal.signal(number, signal.SIG_IGN if to_the_end else handler)
        _state.listens = to_the_end


def _hear(number: int, frame: FrameType | None) -> None:
    _state.heard = number
    if _state.waiting or _state.over:
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
        try:
            if thread in _given_up:
                raise GivenUp
            yield
        except BaseException:
            _committing.discard(thread)
            raise
        _state.over = _state.listens


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
    if _state.listens or threading.current_thread() is not threading.main_thread():
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
