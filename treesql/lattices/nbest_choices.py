"""The order of hypotheses in n-best lists, and the best of the first ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treesql.errors import UnknownName, UsageError
from treesql.kernels.arrays import Floats, Ints, positions_in_list

MAX_SIZE = 1 << 31
"""Maximum number of hypotheses of a list that can be asked for."""

SCORE = "score"
"""The name of the score of a hypothesis among weights."""


def parse_sizes(given: str | int | Sequence[int]) -> list[int]:
    """Numbers of hypotheses, ascending, each once. Raises UsageError."""
    parts = given.split(",") if isinstance(given, str) else [given] if isinstance(given, int) else list(given)
    found = set()
    for part in parts:
        text = str(part).strip()
        if not (text.isascii() and text.isdigit()) or not 1 <= int(text) < MAX_SIZE:
            raise UsageError(f"n is {text or 'empty'}; write numbers from 1 on, with commas between, such as 1,2,5,10")
        found.add(int(text))
    if not found:
        raise UsageError("n is empty; name at least one number of hypotheses")
    return sorted(found)


def parse_weights(given: str, names: Sequence[str]) -> tuple[float, list[float]]:
    """The weight of the score, and that of every feature. names: of the features. Raises UsageError, UnknownName."""
    factors, score = [0.0] * len(names), 0.0
    parts = [part.strip() for part in given.split(",") if part.strip()]
    if not any("=" in part for part in parts):
        if len(parts) != len(names):
            numbers, features = (f"{len(one)} {{}}{'s' * (len(one) != 1)}" for one in (parts, names))
            what = f"--weights has {numbers.format('number')}, and hypotheses have {features.format('feature')}"
            raise UsageError(f"{what}; give each a weight, or write NAME=WEIGHT")
        return 0.0, [_weight(part) for part in parts]
    for part in parts:
        name, equals, value = part.rpartition("=")
        if not equals:
            raise UsageError(f"--weights has {part} without a name; write NAME=WEIGHT for all, or numbers alone")
        if name != SCORE and name not in filter(None, names):
            raise UnknownName("feature", name, list(dict.fromkeys([SCORE, *filter(None, names)])))
        weight = _weight(value)
        if name in names:
            factors = [weight if one == name else factor for one, factor in zip(names, factors, strict=True)]
        else:
            score = weight
    return score, factors


def _weight(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise UsageError(f"the weight {text} is not a finite number; write one such as -0.5")
    return value


def sort_lists(lists: Ints, weighted: Floats) -> Ints:
    """The places of all hypotheses, those of every list by their weighted sums, the largest first, else in order.

    lists: (lists + 1,), the first and last hypothesis of every list.
    """
    list_of = np.repeat(np.arange(len(lists) - 1), np.diff(lists))
    return np.lexsort((-weighted, list_of))


def best_places(costs: Ints | Floats, lists: Ints, sizes: Sequence[int]) -> Ints:
    """Of the first hypotheses of every list the place of that with the least cost, the first if several have it.

    costs: of all hypotheses, one list after the other; lists: (lists + 1,). Returns (sizes, lists).
    """
    lengths = np.diff(lists)
    place = positions_in_list(lengths)
    found = np.empty((len(sizes), len(lengths)), np.int64)
    for at, size in enumerate(sizes):
        kept = np.flatnonzero(place < size)
        starts = np.concatenate([[0], np.cumsum(np.minimum(lengths, size))[:-1]])
        least = np.minimum.reduceat(costs[kept], starts)
        is_best = costs[kept] == np.repeat(least, np.minimum(lengths, size))
        first = np.flatnonzero(is_best)
        list_of = np.searchsorted(starts, first, side="right") - 1
        _, firsts = np.unique(list_of, return_index=True)
        found[at] = kept[first[firsts]]
    return found
