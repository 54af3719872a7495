"""Quartets: how two trees over the same leaves resolve every set of four, counted exactly for trees of any degree.

The trees are treated as unrooted: a root with two children is not a node. Four leaves form a butterfly ab|cd if the
span of some node separates two of them from the others, and a star if none does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import YES, compiled, inlined, largest_difference
from treesql.kernels.quartets_in_any_order import count_in_any_order
from treesql.kernels.quartets_in_same_order import count_in_same_order
from treesql.kernels.skeletons import Skeletons

MAX_LEAVES = 50_000
"""Maximum number of leaves of a tree: counts of quartets then fit 64 bits."""

TOO_LARGE = -2
"""The total of pairs of trees that are too large to be compared."""

_NOT_COUNTED = -3
"""The total of pairs that are still to be compared."""


class Quartets(NamedTuple):
    """Numbers of quartets per pair of trees; all are negative where there are fewer than 4 leaves, or too many.

    total = C(n, 4) = gold_butterflies + test_butterflies - same - different + both_star.
    """

    total: Ints
    gold_butterflies: Ints
    test_butterflies: Ints
    same: Ints
    different: Ints
    both_star: Ints


def count_quartets(gold: Skeletons, test: Skeletons) -> Quartets:
    """Compare the i-th tree of one batch with the i-th of the other, which must have as many leaves.

    Trees with the same order of leaves, such as two parses, take O(n + sum of the children in the common span, over the
    pairs of nodes above the same two children of each): about O(n log n) for balanced trees and for flat ones, O(n * n)
    at worst, such as for a left-branching and a right-branching tree, and O(n) memory. Others take O(n * n + sum of
    d * d' over the pairs of nodes that interact) and O(n * min(d, d') + d * d') memory, d and d' the degrees of such
    nodes (or the highest in each tree), and for the rectangles of polytomies up to min(d, d') times that. Counts are
    exact. The total is TOO_LARGE for pairs with more than MAX_LEAVES leaves, and in different orders for pairs whose
    nodes have too many children for MAX_CELLS.

    Source: the definitions of Estabrook, McMorris & Meacham 1985; directed quartets as in Christiansen, Mailund,
    Pedersen, Randers & Stissing 2006; pairs in the same order: see count_in_same_order.
    """
    if not np.array_equal(gold.leaf_offsets, test.leaf_offsets):
        raise ValueError("the trees of a pair must have the same number of leaves")
    found = np.full((6, len(gold.leaf_offsets) - 1), _NOT_COUNTED, np.int64)
    _count_quartets(*gold, *test, MAX_LEAVES, None, found)
    if (found[0] == _NOT_COUNTED).any():
        _count_quartets(*gold, *test, MAX_LEAVES, YES, found)
    return Quartets(*found)


def _cost(gold_nodes: Ints, gold_first: Ints, gold_end: Ints, leaf_offsets: Ints, *others: object) -> float:
    """A step for each pair of leaves, of trees whose leaves are in different orders."""
    return float((np.diff(leaf_offsets) ** 2).sum())


@compiled(cost=_cost)
def _count_quartets(
    gold_nodes: Ints,
    gold_first: Ints,
    gold_end: Ints,
    leaf_offsets: Ints,
    gold_leaves: Ints,
    test_nodes: Ints,
    test_first: Ints,
    test_end: Ints,
    _: Ints,
    test_leaves: Ints,
    most_leaves: int,
    in_any_order: bool | None,
    found: Ints,
) -> None:
    """Fill the columns of pairs that are not counted yet. in_any_order: None leaves pairs in other orders out, and what
    counts them is not compiled."""
    pairs = len(leaf_offsets) - 1
    longest = largest_difference(leaf_offsets)
    where = np.empty(longest, np.int64)
    order = np.empty(longest, np.int64)
    one, other = np.empty((4, longest + 1), np.int64), np.empty((4, longest + 1), np.int64)
    for pair in range(pairs):
        if found[0, pair] != _NOT_COUNTED:
            continue
        start = leaf_offsets[pair]
        n = leaf_offsets[pair + 1] - start
        if n < 4 or n > most_leaves:
            for column in range(6):
                found[column, pair] = -1
            if n >= 4:
                found[0, pair] = TOO_LARGE
            continue
        for position in range(n):
            where[gold_leaves[start + position]] = position
        same_order = True
        for position in range(n):
            order[position] = where[test_leaves[start + position]]
            same_order = same_order and order[position] == position
        one_first, one_end = _nodes(gold_nodes, gold_first, gold_end, pair)
        other_first, other_end = _nodes(test_nodes, test_first, test_end, pair)
        total = n * (n - 1) // 2 * (n - 2) // 3 * (n - 3) // 4
        if same_order:
            counts = count_in_same_order(one_first, one_end, other_first, other_end, n, one, other)
        elif in_any_order is None:
            continue
        else:
            counts = count_in_any_order(one_first, one_end, other_first, other_end, n, order)
        found[0, pair] = total if counts[0] >= 0 else TOO_LARGE
        for column in range(4):
            found[column + 1, pair] = counts[column]
        found[5, pair] = total - counts[0] - counts[1] + counts[2] + counts[3] if counts[0] >= 0 else -1


@inlined
def _nodes(offsets: Ints, first: Ints, end: Ints, pair: int) -> tuple[Ints, Ints]:
    """The first and last leaves of the nodes of a tree."""
    here = slice(offsets[pair], offsets[pair + 1])
    return first[here], end[here]
