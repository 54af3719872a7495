"""Ctrl-C during compiled code and statements of functions on files, in Python: the caller goes on at once."""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from treesql.engines.connections import MEMORY
from treesql.engines.duckdb_files import open_database
from treesql.errors import StatementError
from treesql.kernels.compiling import MIN_STEPS_BESIDE, Kernel
from treesql.runtime import interrupts, limits

ENDLESS = "SELECT count(*) AS n FROM range(1000000000000)"


@pytest.fixture(autouse=True)
def heard(monkeypatch: pytest.MonkeyPatch) -> None:
    main = threading.main_thread()
    monkeypatch.setattr(interrupts, "raises_here", lambda: threading.current_thread() is main)


@contextmanager
def interrupted() -> Iterator[None]:
    threading.Timer(0.2, _thread.interrupt_main).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        yield
    assert 0.15 < time.monotonic() - began < 2


def kernel_of(function: Callable[..., object], steps: float) -> Kernel:
    """A kernel that counts as compiled."""
    kernel = Kernel(function, False, lambda *arguments: steps, {})
    kernel._compiled = function
    return kernel


def test_a_long_call_of_a_kernel_is_left() -> None:
    released, ended = threading.Event(), threading.Event()

    def wait(values: np.ndarray) -> None:
        released.wait(20)
        ended.set()

    with interrupted():
        kernel_of(wait, 1e9)(np.zeros(3))
    assert not ended.is_set()
    released.set()
    assert ended.wait(5), "it goes on to its end"


def test_results_errors_and_threads_of_kernels() -> None:
    def divide(a: int, b: int) -> tuple[float, threading.Thread]:
        return a / b, threading.current_thread()

    for steps, beside in ((1, False), (MIN_STEPS_BESIDE, True)):
        value, thread = kernel_of(divide, steps)(6, 4)
        assert value == 1.5
        assert (thread is not threading.current_thread()) == beside
        with pytest.raises(ZeroDivisionError):
            kernel_of(divide, steps)(1, 0)


@pytest.mark.parametrize("how", ["table", "aggregated", "rows"])
def test_a_statement_is_stopped_and_the_engine_can_be_used_again(how: str) -> None:
    with open_database(MEMORY) as engine:
        calls = {
            "table": lambda sql: engine.table(sql).to_pylist()[0]["n"],
            "aggregated": lambda sql: engine.table(sql, aggregated=True).to_pylist()[0]["n"],
            "rows": lambda sql: engine.rows(sql)[0][0],
        }
        with interrupted():
            calls[how](ENDLESS)
        assert calls[how]("SELECT 7 AS n") == 7
        with pytest.raises(StatementError, match="nonsense"):
            calls[how]("SELECT nonsense AS n")


def test_what_is_stopped_has_ended_before_the_caller_goes_on() -> None:
    stopped, ended = threading.Event(), threading.Event()

    def work() -> None:
        stopped.wait(20)
        time.sleep(0.2)
        ended.set()

    with interrupted():
        limits.run_beside(work, stopped.set)
    assert ended.is_set()


def test_elsewhere_the_caller_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "raises_here", lambda: False)
    here = threading.current_thread()
    kernel = kernel_of(threading.current_thread, 1e9)
    assert kernel() is here
    assert kernel._run_beside(threading.current_thread, (), 1e9) is here
    with open_database(MEMORY) as engine:
        assert engine._while_interruptible(threading.current_thread) is here
