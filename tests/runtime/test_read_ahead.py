"""Works in threads: their items in order, their errors at their place, and their end."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from tests.house.rules import in_turn
from treesql.runtime.read_ahead import Work, in_threads

Put = Callable[[int], object]


def counting(number: int, items: int, started: list[int] | None = None) -> Work[int, str]:
    """Work that passes on `number` so many times."""

    def work(put: Put) -> str:
        if started is not None:
            started.append(number)
        for _ in range(items):
            put(number)
        return f"{items} of {number}"

    return work


def failing(put: Put) -> str:
    put(7)
    raise ValueError("seven")


def threads() -> int:
    return threading.active_count()


@in_turn("n_threads", [1, 2, 5])
@in_turn("sizes", [[], [0], [3], [0, 0], [1, 50, 0, 2]])
def test_items_come_in_order_with_the_results(n_threads: int, sizes: list[int]) -> None:
    before = threads()
    works = [counting(number, size) for number, size in enumerate(sizes)]
    with in_threads(works, threads=n_threads, waiting=2) as running:
        found = [(list(one.items()), one.result) for one in running]
    assert found == [([number] * size, f"{size} of {number}") for number, size in enumerate(sizes)]
    assert threads() == before


def test_an_error_comes_after_the_items_before_it_and_others_go_on() -> None:
    with in_threads([failing, counting(1, 3)], threads=2, waiting=2) as running:
        items = next(running).items()
        assert next(items) == 7
        with pytest.raises(ValueError, match="seven"):
            next(items)
        assert list(next(running).items()) == [1, 1, 1]
        assert next(running, None) is None


def test_no_more_works_are_started_than_may_run() -> None:
    started: list[int] = []
    works = [counting(number, 100, started) for number in range(9)]
    with in_threads(works, threads=3, waiting=1) as running:
        first = next(running)
        assert len(list(first.items())) == 100
        assert sorted(started) == [0, 1, 2]


def test_works_are_left_in_the_middle() -> None:
    """Items that wait are dropped, and the threads end."""
    before = threads()
    with in_threads([counting(number, 10**9) for number in range(4)], threads=2, waiting=1) as running:
        assert next(next(running).items()) == 0
        assert next(next(running).items()) == 1
        assert threads() <= before + 2
    assert threads() == before


def test_an_error_of_the_user_ends_the_threads() -> None:
    before = threads()

    def interrupted() -> None:
        with in_threads([counting(0, 10**9)], threads=2, waiting=1) as running:
            next(next(running).items())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert threads() == before


def test_nothing_runs_before_it_is_asked_for() -> None:
    started: list[int] = []
    with in_threads([counting(0, 1, started)], threads=2, waiting=1):
        pass
    assert started == []
