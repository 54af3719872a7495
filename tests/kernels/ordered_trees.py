"""Ordered trees as nested tuples, in plain Python, and their edit distance by the recurrence on forests, remembered."""

from __future__ import annotations

from functools import cache
from itertools import accumulate

from hypothesis import strategies as st

from tests.kernels.nested import ints
from treesql.kernels.trees import tree_edit

Forest = tuple[tuple[int, "Forest"], ...]
"""Trees of (label, trees below)."""


forests: st.SearchStrategy[Forest] = st.recursive(
    st.just(()), lambda below: st.lists(st.tuples(st.integers(0, 2), below), max_size=3).map(tuple), max_leaves=9
)


def size(forest: Forest) -> int:
    return sum(1 + size(below) for _, below in forest)


@cache
def edit_distance(one: Forest, other: Forest, rename: int) -> int:
    if not one or not other:
        return size(one) + size(other)
    (label, below), (other_label, other_below) = one[-1], other[-1]
    return min(
        edit_distance(one[:-1] + below, other, rename) + 1,
        edit_distance(one, other[:-1] + other_below, rename) + 1,
        edit_distance(one[:-1], other[:-1], rename)
        + edit_distance(below, other_below, rename)
        + (0 if label == other_label else rename),
    )


def preorder(forest: Forest) -> tuple[list[int], list[int]]:
    """Parents and labels."""
    parents: list[int] = []
    labels: list[int] = []
    waiting = [(tree, -1) for tree in reversed(forest)]
    while waiting:
        (label, below), parent = waiting.pop()
        waiting += [(child, len(parents)) for child in reversed(below)]
        parents.append(parent)
        labels.append(label)
    return parents, labels


def ordered(several: list[Forest]) -> tree_edit.OrderedTrees:
    found = [preorder(forest) for forest in several]
    parents = [parent for one, _ in found for parent in one]
    labels = [label for _, one in found for label in one]
    return tree_edit.to_postorder(ints([0, *accumulate(len(one) for one, _ in found)]), ints(parents), ints(labels))
