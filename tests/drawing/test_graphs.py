"""Weighted graphs: labels apart from each other, chosen edges, large graphs, wrong edges."""

from __future__ import annotations

import itertools
import math
import re

import pytest

from treesql.drawing.graphs import DISTANCE_OF_LABELS, WeightedEdge, WeightedGraph


def complete(n: int) -> WeightedGraph:
    edges = [WeightedEdge(i, j, f"{i}/{j}", j == i + 1) for i, j in itertools.combinations(range(n), 2)]
    return WeightedGraph([f"w{at}" for at in range(n)], edges)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_labels_are_apart(n: int) -> None:
    body = complete(n).picture().body
    labels = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>\d/\d<', body)
    assert len(labels) == n * (n - 1) // 2
    places = [(float(x), float(y)) for x, y in labels]
    assert all(math.dist(a, b) > DISTANCE_OF_LABELS - 8 for a, b in itertools.combinations(places, 2))
    assert body.count('stroke-width="2.5"') == n - 1


def test_large_graphs_label_the_chosen_edges() -> None:
    body = complete(12).picture().body
    assert len(re.findall(r">\d+/\d+<", body)) == 11
    assert body.count("<path") == 66


def test_edges_and_nodes() -> None:
    assert WeightedGraph([], []).picture().body == ""
    assert "a &lt; b" in WeightedGraph(["a < b"], []).picture().body
    with pytest.raises(ValueError, match="the edge 0-1 leads to a node that does not exist"):
        WeightedGraph(["a"], [WeightedEdge(0, 1, "", False)])
