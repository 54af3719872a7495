"""Quartets: how two trees over the same leaves resolve every set of four, counted exactly for trees of any degree.

The trees are treated as unrooted: a root with two children is not a node. Four leaves form a butterfly ab|cd if the
span of some node separates two of them from the others, and a star if none does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import compiled
from treesql.kernels.quartets_in_any_order import count_in_any_order
from treesql.kernels.quartets_in_same_order import count_in_same_order
from treesql.kernels.skeletons import Skeletons

MAX_LEAVES = 50_000
"""Maximum number of leaves of a tree: counts of quartets then fit 64 bits."""

TOO_LARGE = -2
"""The total of pairs of trees that are too large to be compared."""


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
    return Quartets(*_count_quartets(*gold, *test, MAX_LEAVES))


@compiled
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
) -> Ints:
    pairs = len(leaf_offsets) - 1
    found = np.full((6, pairs), -1, np.int64)
    longest = 0
    for pair in range(pairs):
        longest = max(longest, leaf_offsets[pair + 1] - leaf_offsets[pair])
    where = np.empty(longest, np.int64)
    order = np.empty(longest, np.int64)
    one, other = np.empty((4, longest + 1), np.int64), np.empty((4, longest + 1), np.int64)
    for pair in range(pairs):
        start = leaf_offsets[pair]
        n = leaf_offsets[pair + 1] - start
        if n < 4:
            continue
        if n > most_leaves:
            found[0, pair] = TOO_LARGE
            continue
        for position in range(n):
            where[gold_leaves[start + position]] = position
        same_order = True
        for position in range(n):
            order[position] = where[test_leaves[start + position]]
            same_order = same_order and order[position] == position
        gold_slice = slice(gold_nodes[pair], gold_nodes[pair + 1])
        test_slice = slice(test_nodes[pair], test_nodes[pair + 1])
        one_first, one_end = gold_first[gold_slice], gold_end[gold_slice]
        other_first, other_end = test_first[test_slice], test_end[test_slice]
        total = n * (n - 1) // 2 * (n - 2) // 3 * (n - 3) // 4
        if same_order:
            counts = count_in_same_order(one_first, one_end, other_first, other_end, n, one, other)
        else:
            counts = count_in_any_order(one_first, one_end, other_first, other_end, n, order)
        if counts[0] < 0:
            found[0, pair] = TOO_LARGE
            continue
        found[0, pair] = total
        for column in range(4):
            found[column + 1, pair] = counts[column]
        found[5, pair] = total - counts[0] - counts[1] + counts[2] + counts[3]
    return found
