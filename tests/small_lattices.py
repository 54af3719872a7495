"""Small random lattices with scores, and sums over all of their paths."""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random

import treesql

Edge = list[object]


def all_paths(n_nodes: int, edges: list[Edge], node: int = 0) -> list[list[int]]:
    """The edges of every complete path."""
    if node == n_nodes - 1:
        return [[]]
    return [
        [at, *rest]
        for at, edge in enumerate(edges)
        if edge[0] == node
        for rest in all_paths(n_nodes, edges, int(str(edge[1])))
    ]


def by_hand(n_nodes: int, edges: list[Edge], scores: list[float]) -> list[float]:
    """The posterior of every edge: sums over all paths."""
    paths = all_paths(n_nodes, edges)
    weights = [math.exp(sum(scores[edge] for edge in path)) for path in paths]
    total = sum(weights)
    return [sum(w for w, path in zip(weights, paths, strict=True) if at in path) / total for at in range(len(edges))]


def random_lattice(chance: Random) -> tuple[int, list[Edge]]:
    """A lattice with parallel and empty edges and dead ends, two scores per edge."""
    n = chance.randint(2, 5)
    edges: list[Edge] = [[0, n - 1, ["whole"], -1.0, 2.0]]
    for _ in range(chance.randint(0, 8)):
        start = chance.randrange(n - 1)
        words = chance.choice([[], ["a"], ["a", "b"]])
        edges.append([start, chance.randint(start + 1, n - 1), words, chance.uniform(-5, 1), chance.uniform(-1, 1)])
    return n, edges


def load(folder: Path, lattices: list[tuple[int, list[Edge]]], scores: str | None = None) -> treesql.Database:
    file = folder / "lattices.jsonl"
    file.write_text("".join(json.dumps({"n_nodes": n, "edges": edges}) + "\n" for n, edges in lattices))
    db = treesql.connect(":memory:")
    db.load(file, corpus="lattices", scores=scores)
    return db
