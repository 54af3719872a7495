"""Ctrl-C, and other signals that end a process: heard at any time, but not while something is made permanent.

What is interrupted has not been done. So signals wait while a transaction is committed or a file is moved to its place;
a signal that came before, and was lost in a library on its way, is found again before that. In a program of someone
else's, whose handlers are kept, they are called afterwards.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Those that end a process, and leave it time to clean up."""

Handler = Callable[[int, FrameType | None], object]


class Interrupt(KeyboardInterrupt):
    """A signal. Python ends by SIGINT where a KeyboardInterrupt, and no heir of it, was passed by `exec`."""


class _State:
    """What was heard. waiting: signals are heard later, for so many reasons; over: they come too late."""

    listens = False
    heard: int | None = None
    waiting = 0
    over = False


_state = _State()


def heard() -> int | None:
    """The number of the last signal that came while `listening`; None if there was none."""
    return _state.heard


def came_too_late() -> bool:
    """Whether what was asked for was done before any signal was heard."""
    return _state.listens and _state.over


def is_committing() -> bool:
    """Whether something is being made permanent, or removed, just now."""
    return _state.waiting > 0


@contextmanager
def listening(*, to_the_end: bool = False) -> Iterator[None]:
    """Signals that end the process raise KeyboardInterrupt, unless they are ignored, as they are in the background.

    to_the_end: nothing of the program follows, and what comes later still is not heard. Handlers are of a process's
    main thread alone; in other threads this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = (signal.SIG_DFL, signal.default_int_handler)
    before = {number: signal.getsignal(number) for number in SIGNALS}
    _state.listens, _state.heard, _state.over = True, None, False
    try:
        for number, handler in before.items():
            if handler in usual:
                signal.signal(number, _hear)
        yield
    finally:
        _state.over = True
        for number, handler in before.items():
            if handler in usual:  # Python gives its own handlers up while it ends, and ignored signals stay ignored
                signal.signal(number, signal.SIG_IGN if to_the_end else handler)
        _state.listens = to_the_end


def _hear(number: int, frame: FrameType | None) -> None:
    _state.heard = number
    if not _state.waiting and not _state.over:
        raise Interrupt


@contextmanager
def deferred() -> Iterator[None]:
    """Signals wait until this is done: something is made that must be known to whoever removes it, or removed."""
    with _waiting():
        yield
    if _state.listens and _state.heard is not None and not _state.over:
        raise Interrupt


@contextmanager
def committing() -> Iterator[None]:
    """What is made permanent here is made so as a whole, and then it is too late for `listening` to be interrupted.

    Raises KeyboardInterrupt where a signal came before, whoever had it.
    """
    with _waiting():
        if _state.listens and _state.heard is not None and not _state.over:
            raise Interrupt
        yield
        _state.over = _state.listens


@contextmanager
def _waiting() -> Iterator[None]:
    """Signals wait; a handler that is not of this module is called at the end."""
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
