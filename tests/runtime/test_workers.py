"""Work in a second thread: what it returns and raises, and what becomes of it when its caller leaves it."""

from __future__ import annotations

import contextvars
import threading
import traceback
from collections.abc import Iterator

import pytest

from treesql.runtime import interrupts
from treesql.runtime.workers import Worker

VARIABLE = contextvars.ContextVar("VARIABLE", default="default")


class Held:
    """Work that goes on until it is released, and then does something."""

    def __init__(self) -> None:
        self.begun, self.released = threading.Event(), threading.Event()
        self.done: list[str] = []

    def __call__(self) -> str:
        self.begun.set()
        assert self.released.wait(20)
        self.act()
        return "done"

    def act(self) -> None:
        self.done.append("acted")


@pytest.fixture
def held() -> Iterator[Held]:
    work = Held()
    yield work
    work.released.set()


def begin(work: Held) -> Worker[str]:
    worker = Worker(work, clean_up=lambda: work.done.append("cleaned up"))
    worker.start()
    assert work.begun.wait(20)
    return worker


def test_results_and_errors_are_those_of_the_work() -> None:
    def failing() -> None:
        raise LookupError("why")

    VARIABLE.set("of the caller")
    worker = Worker(lambda: (VARIABLE.get(), threading.current_thread()), clean_up=lambda: None)
    worker.start()
    assert worker.finished.wait(20)
    value, thread = worker.result()
    assert value == "of the caller"
    assert thread is not threading.current_thread()
    failed = Worker(failing, clean_up=lambda: None)
    failed.start()
    assert failed.finished.wait(20)
    with pytest.raises(LookupError, match="why") as raised:
        failed.result()
    assert traceback.extract_tb(raised.value.__traceback__)[-1].name == "failing"


def test_what_is_done_after_work_that_was_left(held: Held) -> None:
    worker = begin(held)
    worker.then(lambda: held.done.append("then"))
    assert worker.leave()
    held.released.set()
    worker._thread.join(20)
    assert held.done == ["acted", "cleaned up", "then"]
    worker.then(lambda: held.done.append("at once"))
    assert held.done[-1] == "at once"


def test_work_that_has_finished_is_not_left(held: Held) -> None:
    worker = begin(held)
    held.released.set()
    assert worker.finished.wait(20)
    assert not worker.leave()
    assert worker.result() == "done"
    assert held.done == ["acted"]


def test_a_thread_that_was_never_begun_is_not_left(held: Held) -> None:
    assert not Worker(held, clean_up=lambda: None).leave()


def test_work_that_was_left_commits_nothing(held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    def commit() -> None:
        with interrupts.committing():
            held.done.append("committed")

    monkeypatch.setattr(held, "act", commit)
    worker = begin(held)
    assert worker.leave()
    held.released.set()
    assert worker.finished.wait(20)
    assert held.done == ["cleaned up"]


@pytest.mark.parametrize("after", [False, True])
def test_what_commits_is_waited_for(after: bool) -> None:
    begun, released = threading.Event(), threading.Event()

    def commit() -> str:
        with interrupts.committing():
            if not after:
                begun.set()
                assert released.wait(20)
        if after:
            begun.set()
            assert released.wait(20)
        return "committed"

    worker = Worker(commit, clean_up=lambda: None)
    worker.start()
    assert begun.wait(20)
    threading.Timer(0.2, released.set).start()
    assert not worker.leave()
    assert worker.result() == "committed"


def test_a_commit_that_failed_is_not_waited_for(held: Held) -> None:
    def work() -> str:
        with pytest.raises(OSError, match="full"), interrupts.committing():
            raise OSError("full")
        return held()

    worker = Worker(work, clean_up=lambda: None)
    worker.start()
    assert held.begun.wait(20)
    assert worker.leave()
