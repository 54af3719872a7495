"""Dependency trees and their alignments as plain lists, their arrays, and what tells how far their paths differ."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate, combinations
from typing import NamedTuple

from hypothesis import strategies as st

from tests.kernels.nested import ints
from treesql.kernels.trees.dependency_trees import DependencyTrees
from treesql.kernels.trees.spanning_trees import LinkBatch


class Aligned(NamedTuple):
    """Two trees as lists of (head, label), and the links between their words, all counted from 1."""

    reference: list[tuple[int, int]]
    hypothesis: list[tuple[int, int]]
    links: list[tuple[int, int]]


Encoding = tuple[tuple[int, ...], bool, tuple[int, ...]]


@st.composite
def trees(draw: st.DrawFn, largest: int = 9) -> list[tuple[int, int]]:
    """Every word hangs on one that was drawn before it, or on the root."""
    order = draw(st.permutations(range(1, draw(st.integers(0, largest)) + 1)))
    heads = {word: draw(st.sampled_from([0, *order[:at]])) for at, word in enumerate(order)}
    return [(heads[word], draw(st.integers(0, 2))) for word in sorted(order)]


@st.composite
def aligned(draw: st.DrawFn, most: int = 6) -> Aligned:
    """Links of any kind: one to one, many to many, none."""
    reference, hypothesis = draw(trees()), draw(trees())
    pairs = [(i, j) for i in range(1, len(reference) + 1) for j in range(1, len(hypothesis) + 1)]
    links = draw(st.lists(st.sampled_from(pairs), max_size=most, unique=True)) if pairs else []
    return Aligned(reference, hypothesis, links)


def dependency_trees(several: Sequence[Sequence[tuple[int, int]]]) -> DependencyTrees:
    words = [word for one in several for word in one]
    return DependencyTrees(
        ints([0, *accumulate(map(len, several))]),
        ints([head for head, _ in words]),
        ints([label for _, label in words]),
    )


def arrays(several: Sequence[Aligned]) -> tuple[DependencyTrees, DependencyTrees, LinkBatch]:
    links = [link for one in several for link in one.links]
    return (
        dependency_trees([one.reference for one in several]),
        dependency_trees([one.hypothesis for one in several]),
        LinkBatch(
            ints([0, *accumulate(len(one.links) for one in several)]),
            ints([i for i, _ in links]),
            ints([j for _, j in links]),
        ),
    )


def encoding(tree: Sequence[tuple[int, int]], first: int, last: int) -> Encoding:
    """As section 5.3.1 of the source says it."""

    def to_the_root(word: int) -> list[int]:
        return [word, *to_the_root(tree[word - 1][0])] if word else [0]

    one, other = to_the_root(first), to_the_root(last)
    top = next(word for word in one if word in other)
    ascending = [tree[word - 1][1] for word in one[: one.index(top)]]
    descending = [tree[word - 1][1] for word in other[: other.index(top)]]
    return tuple(ascending), first < last, tuple(descending[::-1])


@cache
def levenshtein(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    if not one or not other:
        return len(one) + len(other)
    return min(
        levenshtein(one[1:], other) + 1,
        levenshtein(one, other[1:]) + 1,
        levenshtein(one[1:], other[1:]) + (one[0] != other[0]),
    )


def weight(case: Aligned, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """L and Lmax of two links."""
    if one[0] == other[0] or one[1] == other[1]:
        return 0, 0
    up, side, down = encoding(case.reference, one[0], other[0])
    other_up, other_side, other_down = encoding(case.hypothesis, one[1], other[1])
    disparity = levenshtein(up, other_up) + (side != other_side) + levenshtein(down, other_down)
    return disparity, max(len(up), len(other_up)) + 1 + max(len(down), len(other_down))


def least(case: Aligned) -> tuple[int, int]:
    """Total L and Lmax of the best of all spanning trees, each tried."""
    n = len(case.links)
    edges = [(i, j, *weight(case, case.links[i], case.links[j])) for i, j in combinations(range(n), 2)]
    return min(
        ((sum(edge[2] for edge in some), sum(edge[3] for edge in some)) for some in combinations(edges, max(n - 1, 0))
         if spans(n, [(edge[0], edge[1]) for edge in some])),
        default=(0, 0),
    )  # fmt: skip


def spans(n: int, edges: Sequence[tuple[int, int]]) -> bool:
    """Whether n - 1 edges connect n nodes."""
    reached = {0}
    for _ in range(n):
        reached |= {end for edge in edges for end in edge if reached.intersection(edge)}
    return len(reached) >= n
