"""Pieces of work in threads: results in order, the first failure, interrupts, and no more threads than processors."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable

import pytest

from tests.house.rules import in_turn
from treesql.runtime import threads
from treesql.runtime.threads import free_threads, run_in_threads


@pytest.fixture(params=[1, 2, 5])
def processors(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(threads, "n_cores", lambda: request.param)
    return int(request.param)


def returning(value: int) -> Callable[[], int]:
    return lambda: value


def failing(text: str) -> Callable[[], int]:
    def fail() -> int:
        raise ValueError(text)

    return fail


@in_turn("n", [0, 1, 2, 50])
def test_results_come_in_order(processors: int, n: int) -> None:
    before = threading.active_count()
    assert run_in_threads([returning(at) for at in range(n)]) == list(range(n))
    assert threading.active_count() == before
    assert free_threads() == processors


def test_the_first_failure_is_raised(processors: int) -> None:
    pieces = [returning(0), failing("one"), returning(2), failing("three"), returning(4)]
    with pytest.raises(ValueError, match="one"):
        run_in_threads(pieces)
    assert free_threads() == processors


def test_nested_calls_use_no_more_threads_than_processors(processors: int) -> None:
    running, most, lock = 0, 0, threading.Lock()

    def leaf() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.001)
        with lock:
            running -= 1

    run_in_threads([lambda: run_in_threads([leaf] * 4)] * 4)
    assert most <= processors


def test_an_interrupt_is_raised_when_running_pieces_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "n_cores", lambda: 2)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where pytest runs in the background
    main, ended, begun, in_main = threading.current_thread(), [], threading.Event(), threading.Event()

    def piece() -> None:
        if threading.current_thread() is main:
            in_main.set()
            begun.wait(30)
            _thread.interrupt_main()
            time.sleep(1)  # the interrupt comes here
        else:
            begun.set()
            in_main.wait(30)
            time.sleep(0.05)
            ended.append(True)

    try:
        with pytest.raises(KeyboardInterrupt):
            run_in_threads([piece] * 6)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == [True]
    assert free_threads() == 2


def test_work_goes_on_without_further_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "n_cores", lambda: 3)

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert run_in_threads([returning(1), returning(2)]) == [1, 2]
