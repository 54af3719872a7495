"""Cycles among the heads of a sentence, for error messages."""

from __future__ import annotations

from collections.abc import Sequence

WORDS_SHOWN = 8
"""Maximum number of words of a cycle in a message."""


def find_cycle(heads: Sequence[int]) -> list[int]:
    """The words of the first cycle, from its smallest; empty where there is none.

    heads: of words 1, 2, ...; 0 or less for a root.
    """
    checked: set[int] = set()
    for start in range(1, len(heads) + 1):
        path: dict[int, None] = {}
        word = start
        while word > 0 and word not in checked and word not in path:
            path[word] = None
            word = heads[word - 1]
        if word in path:
            cycle = [*path][[*path].index(word) :]
            smallest = cycle.index(min(cycle))
            return cycle[smallest:] + cycle[:smallest]
        checked.update(path)
    return []


def describe_cycle(cycle: Sequence[int]) -> str:
    """A cycle in words: `heads form a cycle, 2 -> 3 -> 2`."""
    shown = [*map(str, cycle[:WORDS_SHOWN]), *["..."] * (len(cycle) > WORDS_SHOWN), str(cycle[0])]
    return f"heads form a cycle, {' -> '.join(shown)}"
