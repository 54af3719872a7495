"""Cycles among heads, as messages name them."""

from __future__ import annotations

from tests.house.rules import in_turn
from treesql.readers.sentences import describe_cycle, find_cycle


@in_turn(
    ("heads", "expected"),
    [
        ([], []),
        ([0], []),
        ([2, 0, 2], []),
        ([1], [1]),
        ([2, 1], [1, 2]),
        ([0, 4, 2, 3], [2, 4, 3]),
        ([3, 0, 4, 3], [3, 4]),
        ([-5, 3, 2], [2, 3]),
        ([2, 1, 4, 3], [1, 2]),
    ],
)
def test_the_first_cycle_begins_with_its_smallest_word(heads: list[int], expected: list[int]) -> None:
    assert find_cycle(heads) == expected


def test_long_cycles_are_cut_off() -> None:
    assert describe_cycle([2, 3]) == "heads form a cycle, 2 -> 3 -> 2"
    assert describe_cycle(range(1, 10)) == "heads form a cycle, 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> ... -> 1"
