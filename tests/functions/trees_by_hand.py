"""What SQL functions of constituency trees return, in plain Python."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

from tests.functions.packed_trees import Case, Counts
from tests.kernels.leaves import number_by_hand
from tests.kernels.nested import Leaves, conflict, quartet_side
from tests.kernels.ordered_trees import Forest, edit_distance
from tests.kernels.phrases import Names, Parse, continuous, forest_of, inner_sets, leaf_sets, still_in_order
from treesql.kernels.trees.skeletons import TRACE


def members(sets: set[Leaves], n: int, unrooted: bool) -> set[Leaves]:
    everything = frozenset(range(n))
    if not unrooted:
        return {one for one in sets if len(one) < n}
    return {one if 0 in one else everything - one for one in sets if len(one) <= n - 2}


class Both(NamedTuple):
    """Two trees and the numbers of their leaves."""

    gold: Case
    test: Case
    numbers: list[int]
    test_numbers: list[int]
    comparable: bool

    @property
    def in_order(self) -> bool:
        sides = ((self.gold, self.numbers), (self.test, self.test_numbers))
        return all(still_in_order(side.tree, numbers) for side, numbers in sides)

    @property
    def sets(self) -> tuple[set[Leaves], set[Leaves], int]:
        one, other = (
            inner_sets(side.tree, numbers)
            for side, numbers in ((self.gold, self.numbers), (self.test, self.test_numbers))
        )
        return one, other, sum(number >= 0 for number in self.numbers)


def both(gold: Case, test: Case, by: int) -> Both:
    one, other = (list(zip(side.forms, side.kinds, strict=True)) for side in (gold, test))
    return Both(gold, test, *number_by_hand(one, other, by))


def counted_splits(pair: Both, rooting: str) -> Counts:
    """What split_counts says."""
    if not pair.comparable:
        return None
    gold, test, n = pair.sets
    unrooted = rooting == "unrooted"
    one, other = members(gold, n, unrooted), members(test, n, unrooted)
    against = [(a, b) for a in one for b in other if conflict(a, b, n, unrooted)]
    return (
        n, len(one), len(other), len(one & other), len({a for a, _ in against}), len({b for _, b in against})
    )  # fmt: skip


def counted_quartets(pair: Both) -> Counts:
    """What quartet_counts says."""
    gold, test, n = pair.sets
    if not pair.comparable or n < 4:
        return None
    found = [(quartet_side(gold, four), quartet_side(test, four)) for four in combinations(range(n), 4)]
    return (
        comb(n, 4),
        sum(a is not None for a, _ in found),
        sum(b is not None for _, b in found),
        sum(a is not None and a == b for a, b in found),
        sum(a is not None and b is not None and a != b for a, b in found),
        sum(a is None and b is None for a, b in found),
    )


def skeleton(tree: Parse, numbers: list[int]) -> Forest:
    """Without labels and unary nodes; where phrases have gaps, those below a phrase stand in front of its words."""
    gaps = not continuous(tree, numbers)
    words = [word if numbers[word] >= 0 else -1 for word in range(len(numbers))]
    below = leaf_sets(tree, words)

    def joined(node: int) -> Forest:
        found: list[tuple[tuple[bool, int], tuple[int, Forest]]] = [
            ((gaps, word), (numbers[word], ())) for word in words if word >= 0 and tree.phrases[word] == node
        ]
        for child, above in enumerate(tree.parents, 1):
            if above == node and below[child - 1]:
                inner = joined(child)
                found.append(((False, min(below[child - 1])), inner[0] if len(inner) == 1 else (-1, inner)))
        return tuple(one for _, one in sorted(found))

    top = joined(0)
    return ((-1, top),) if len(top) > 1 else top


def skeleton_edits(pair: Both) -> int | None:
    if not pair.comparable:
        return None
    return edit_distance(skeleton(pair.gold.tree, pair.numbers), skeleton(pair.test.tree, pair.test_numbers), 1)


def forest(one: Case) -> Forest:
    """With labels, tags and words, without traces."""
    kept = [kind != TRACE for kind in one.kinds]
    return forest_of(one.tree, Names(one.labels, one.tags, one.forms, kept))


def known(function: str, pair: Both) -> Counts | int:
    if function == "split_counts":
        return counted_splits(pair, "unrooted")
    return counted_quartets(pair) if function == "quartet_counts" else skeleton_edits(pair)
