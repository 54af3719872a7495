"""Slow definitions of what pruning does: edges are really removed, all paths are looked at, numbers are fractions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from tests.kernels.lattices import Lattice, Words, paths

Number = Fraction | float
"""A fraction, or an infinite float."""


def distance(
    lattice: Lattice, references: Sequence[Words], low: Fraction, alive: set[int] | None = None
) -> tuple[Fraction, Fraction]:
    """Redundancy, bounded, and the sum of squared differences, of some of the edges or of all."""
    edges = [edge for number, edge in enumerate(lattice[1]) if alive is None or number in alive]
    own = Counter(word for edge in edges for word in edge[2])
    other: Counter[int] = Counter()
    for reference in references:
        other |= Counter(reference)
    squares = sum(count * count for count in other.values())
    redundancy = max(low, Fraction(sum(own[word] * other[word] for word in own), squares))
    return redundancy, sum(((own[word] - redundancy * other[word]) ** 2 for word in {*own, *other}), start=Fraction(0))


def tau(
    lattice: Lattice, references: Sequence[Words], low: Fraction, edge: int, alive: set[int] | None = None
) -> Number:
    """3.47, from the distances with the edge and without it."""
    present = set(range(len(lattice[1]))) if alive is None else alive
    redundancy, sigma2 = distance(lattice, references, low, present)
    less, without = distance(lattice, references, low, present - {edge})
    if redundancy == 0:
        return -math.inf
    return math.inf if sigma2 == 0 else without / sigma2 - (less / redundancy) ** 2


def complete(lattice: Lattice, alive: set[int]) -> list[tuple[int, ...]]:
    """All complete paths of these edges."""
    return [path for path in paths(lattice) if alive.issuperset(path)]


def trimmed(lattice: Lattice, alive: set[int]) -> set[int]:
    """Those of the edges that lie on a complete path of them."""
    return {edge for path in complete(lattice, alive) for edge in path}


def prune(lattice: Lattice, failing: set[int], preference: Sequence[Number]) -> tuple[set[int], tuple[int, ...] | None]:
    """The edges kept before trimming, and the path that is kept if need be."""
    alive = set(range(len(lattice[1]))) - failing
    if complete(lattice, alive):
        return alive, None

    def order(path: tuple[int, ...]) -> tuple[int, Number, tuple[int, ...]]:
        return len(failing.intersection(path)), -sum(preference[edge] for edge in path), path

    path = min(paths(lattice), key=order)
    return alive | set(path), path


def greedy(
    lattice: Lattice, references: Sequence[Words], low: Fraction, threshold: Fraction, normalised: bool
) -> tuple[set[int], set[int]]:
    """The edges kept before trimming, and those of them that fail, but without which no path would be left."""
    alive = set(range(len(lattice[1])))
    while True:
        limit = threshold / len(alive) if normalised and alive else threshold
        taus = {edge: tau(lattice, references, low, edge, alive) for edge in alive}
        failing = {edge for edge in alive if taus[edge] < limit}
        free = [edge for edge in failing if complete(lattice, alive - {edge})]
        if not free:
            return alive, failing
        alive.remove(min(free, key=lambda edge: (taus[edge], edge)))
