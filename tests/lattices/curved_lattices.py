"""Lattices of one sentence in three densities, and tau by the removal of edges."""

from __future__ import annotations

import math

SPARSE = [[0, 1, ["a"]], [1, 2, ["x"]], [2, 3, ["c"]]]
MIDDLE = [*SPARSE, [1, 2, ["b"]]]
DENSE = [*MIDDLE, [0, 1, ["y"]], [1, 2, ["y"]], [2, 3, ["x"]], [2, 3, ["c", "x"]]]
REFERENCE = "a b c"


def sigma2_and_redundancy(edges: list[list[object]]) -> tuple[float, float]:
    words = [word for edge in edges for word in edge[2]]  # type: ignore[attr-defined]
    reference = REFERENCE.split()
    vocabulary = {*words, *reference}
    fits = sum(words.count(w) * reference.count(w) for w in vocabulary) / sum(
        reference.count(w) ** 2 for w in vocabulary
    )
    redundancy = max(1.0, fits)
    return sum((words.count(w) - redundancy * reference.count(w)) ** 2 for w in vocabulary), redundancy


def tau(edges: list[list[object]], at: int) -> float:
    """By real removal."""
    before, after = sigma2_and_redundancy(edges), sigma2_and_redundancy(edges[:at] + edges[at + 1 :])
    return after[0] / before[0] - (after[1] / before[1]) ** 2 if before[0] else math.inf
