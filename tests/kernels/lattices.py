"""Random lattices, all their paths, and slow definitions of what kernels find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from hypothesis import strategies as st

from treesql.kernels.arrays import Ints
from treesql.kernels.lattices.lattices import LatticeBatch

Edge = tuple[int, int, tuple[int, ...]]
Lattice = tuple[int, tuple[Edge, ...]]
Words = tuple[int, ...]

words = st.lists(st.integers(0, 4), max_size=5).map(tuple)


@st.composite
def lattices(draw: st.DrawFn) -> Lattice:
    """A lattice with a complete path, and edges that may lie on none."""
    n = draw(st.integers(1, 6))
    edges: list[Edge] = []
    node = 0
    while node < n - 1:
        to = draw(st.integers(node + 1, n - 1))
        edges.append((node, to, tuple(draw(words)[:3])))
        node = to
    for _ in range(draw(st.integers(0, 6)) if n > 1 else 0):
        start = draw(st.integers(0, n - 2))
        edges.append((start, draw(st.integers(start + 1, n - 1)), tuple(draw(words)[:3])))
    return n, tuple(draw(st.permutations(edges)))


items = st.lists(st.tuples(lattices(), words), min_size=1, max_size=4)


def packed(items: Sequence[tuple[Lattice, Words]]) -> LatticeBatch:
    edges = [edge for (_, members), _ in items for edge in members]
    return LatticeBatch(
        ints([n for (n, _), _ in items]),
        offsets([len(members) for (_, members), _ in items]),
        ints([edge[0] for edge in edges]),
        ints([edge[1] for edge in edges]),
        offsets([len(edge[2]) for edge in edges]),
        ints([word for edge in edges for word in edge[2]]),
        offsets([len(reference) for _, reference in items]),
        ints([word for _, reference in items for word in reference]),
    )


def ints(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)


def offsets(lengths: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(ints(lengths))]).astype(np.int64)


def paths(lattice: Lattice, node: int = 0) -> Iterator[tuple[int, ...]]:
    """All paths to the last node, by the numbers of their edges."""
    n, edges = lattice
    if node == n - 1:
        yield ()
    for number, (start, to, _) in enumerate(edges):
        if start == node:
            yield from ((number, *rest) for rest in paths(lattice, to))


def text(lattice: Lattice, path: Sequence[int]) -> Words:
    return tuple(word for number in path for word in lattice[1][number][2])


@cache
def distance(one: Words, other: Words) -> tuple[int, int]:
    """Fewest edits, and the fewest insertions and deletions among them."""
    if not one or not other:
        return len(one) + len(other), len(one) + len(other)
    edits, indels = distance(one[1:], other[1:])
    found = [(edits + (one[0] != other[0]), indels)]
    found += [(rest[0] + 1, rest[1] + 1) for rest in (distance(one[1:], other), distance(one, other[1:]))]
    return min(found)


def bag_distance(one: Words, other: Words) -> int:
    hits = sum(min(one.count(word), other.count(word)) for word in set(one))
    return max(len(one), len(other)) - hits
