"""Correspondence between the leaves of two trees, for a batch of pairs: by order, or by name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Flags, Ints, Keys
from treesql.kernels.compiling import NO, YES, compiled, read_only

ORDER, NAME, COMMON = 0, 1, 2
"""How leaves correspond: ORDER, by position, with equal names; NAME, by unique names that both trees have; COMMON, by
unique names, ignoring those that only one tree has."""

WORD, LEFT_OUT, TRACE = 0, 1, 2
"""Kinds of leaves. Traces are ignored; a word that is LEFT_OUT in the gold tree is left out of both trees."""


class Leaves(NamedTuple):
    """Leaves of a batch of trees: offsets (trees + 1,), names (leaves,) and kinds (leaves,)."""

    offsets: Ints
    names: Keys
    kinds: Bytes


class LeafNumbers(NamedTuple):
    """Numbers of the leaves of both sides.

    gold, test: (leaves,), the same number for the same leaf on both sides, 0..n-1 in the order of the gold tree, -1 for
    a leaf that is left out; comparable: (pairs,), whether two trees have the same leaves; where they do not, all
    numbers are -1.
    """

    gold: Ints
    test: Ints
    comparable: Flags


def number_leaves(gold: Leaves, test: Leaves, by: int) -> LeafNumbers:
    """Number the leaves of the i-th tree of one batch and the i-th tree of the other. O(n); by names O(n log n)."""
    if len(gold.offsets) != len(test.offsets):
        raise ValueError("both batches must have the same number of trees")
    common = None if by == ORDER else YES if by == COMMON else NO
    return LeafNumbers(*_number_leaves(*Leaves(*read_only(*gold)), *Leaves(*read_only(*test)), common))


@compiled
def _number_leaves(
    offsets: Ints,
    names: Keys,
    kinds: Bytes,
    test_offsets: Ints,
    test_names: Keys,
    test_kinds: Bytes,
    common: bool | None,
) -> tuple[Ints, Ints, Flags]:
    """common: whether names that only one tree has are ignored; None: by order, for which no sorting is compiled."""
    pairs = len(offsets) - 1
    found, test_found = np.full(len(names), -1, np.int64), np.full(len(test_names), -1, np.int64)
    comparable = np.zeros(pairs, np.bool_)
    for pair in range(pairs):
        one, other = slice(offsets[pair], offsets[pair + 1]), slice(test_offsets[pair], test_offsets[pair + 1])
        if common is None:
            same = _number_by_order(
                names[one], kinds[one], test_names[other], test_kinds[other], found[one], test_found[other]
            )
        else:
            same = _number_by_name(
                names[one],
                kinds[one],
                test_names[other],
                test_kinds[other],
                common,
                found[one],
                test_found[other],
            )
        comparable[pair] = same
        if not same:
            found[one] = -1
            test_found[other] = -1
    return found, test_found, comparable


@compiled
def _number_by_order(
    names: Keys, kinds: Bytes, test_names: Keys, test_kinds: Bytes, found: Ints, test_found: Ints
) -> bool:
    number, j = 0, 0
    for i in range(len(names)):
        if kinds[i] == TRACE:
            continue
        while j < len(test_names) and test_kinds[j] == TRACE:
            j += 1
        if j == len(test_names) or names[i] != test_names[j]:
            return False
        if kinds[i] != LEFT_OUT:
            found[i] = test_found[j] = number
            number += 1
        j += 1
    while j < len(test_names) and test_kinds[j] == TRACE:
        j += 1
    return j == len(test_names)


@compiled
def _number_by_name(
    names: Keys, kinds: Bytes, test_names: Keys, test_kinds: Bytes, common: bool, found: Ints, test_found: Ints
) -> bool:
    own, others = np.flatnonzero(kinds != TRACE), np.flatnonzero(test_kinds != TRACE)
    order, test_order = own[np.argsort(names[own])], others[np.argsort(test_names[others])]
    for k in range(1, len(order)):
        if names[order[k]] == names[order[k - 1]]:
            return False
    for k in range(1, len(test_order)):
        if test_names[test_order[k]] == test_names[test_order[k - 1]]:
            return False
    i, j = 0, 0
    while i < len(order) or j < len(test_order):
        if i < len(order) and j < len(test_order) and names[order[i]] == test_names[test_order[j]]:
            if kinds[order[i]] != LEFT_OUT:
                found[order[i]], test_found[test_order[j]] = 0, order[i]
            i, j = i + 1, j + 1
        elif not common:
            return False
        elif j == len(test_order) or (i < len(order) and names[order[i]] < test_names[test_order[j]]):
            i += 1
        else:
            j += 1
    number = 0
    for k in range(len(found)):
        if found[k] == 0:
            found[k] = number
            number += 1
    for k in range(len(test_found)):
        if test_found[k] >= 0:
            test_found[k] = found[test_found[k]]
    return True
