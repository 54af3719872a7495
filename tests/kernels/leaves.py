"""Which leaves of two trees are the same, by lists and dictionaries."""

from __future__ import annotations

from treesql.kernels.trees.skeletons import COMMON, LEFT_OUT, ORDER, TRACE

Words = list[tuple[int, int]]
"""Name and kind of every leaf of a tree."""


Numbers = tuple[list[int], list[int], bool]


def number_by_hand(gold: Words, test: Words, by: int) -> Numbers:
    """The numbers of both sides, and whether they can be compared."""
    one = {i: name for i, (name, kind) in enumerate(gold) if kind != TRACE}
    other = {j: name for j, (name, kind) in enumerate(test) if kind != TRACE}
    if by == ORDER:
        same = list(one.values()) == list(other.values())
        partners = dict(zip(one, other, strict=False))
    else:
        once = all(len(set(side.values())) == len(side) for side in (one, other))
        same = once and (by == COMMON or set(one.values()) == set(other.values()))
        partners = {i: j for i in one for j in other if one[i] == other[j]}
    found, test_found = [-1] * len(gold), [-1] * len(test)
    if same:
        counted = [i for i in partners if gold[i][1] != LEFT_OUT]
        for number, i in enumerate(counted):
            found[i] = test_found[partners[i]] = number
    return found, test_found, same
