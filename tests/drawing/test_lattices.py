"""Pictures of lattices."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from treesql.drawing.lattices import DrawnEdge, Lattice, describe_paths, text

pairs = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 7)), max_size=40)


def heights(edges: list[DrawnEdge]) -> list[int]:
    """The rows of the edges' labels in the picture, from the first below the nodes."""
    body = Lattice(20, edges).picture().body
    labels = [int(y) for y in re.findall(r'<text x="\d+" y="(\d+)" font-size="11">a<', body)]
    return [(label - 45) // 21 for label in labels]


@given(pairs)
def test_arcs_are_as_low_as_those_below_allow(pairs: list[tuple[int, int]]) -> None:
    """The shortest arc first, at the lowest height where it overlaps none before it."""
    edges = [DrawnEdge(number, start, start + length, ["a"]) for number, (start, length) in enumerate(pairs)]
    expected: dict[int, int] = {}
    for edge in sorted(edges, key=lambda edge: (edge.to_node - edge.from_node, edge.from_node, edge.number)):
        below = {
            expected[other.number]
            for other in edges
            if other.number in expected and other.from_node < edge.to_node and edge.from_node < other.to_node
        }
        expected[edge.number] = min(set(range(len(edges))) - below)
    assert heights(edges) == [expected[edge.number] for edge in edges]


def test_many_parallel_arcs() -> None:
    edges = [DrawnEdge(number, 0, 1, ["a"]) for number in range(5_000)]
    assert heights(edges) == [*range(5_000)]


def test_a_long_label_does_not_widen_the_other_lines() -> None:
    edges = [DrawnEdge(0, 0, 1, ["long"] * 1_000), DrawnEdge(1, 0, 1, ["short"])]
    first, second, last = text(2, edges).split("\n")
    assert first.startswith("0    long long")
    assert len(first) > 4_000
    assert second == f"     {'short':<80} -> 1"
    assert last == "1"


def test_what_is_folded_is_counted() -> None:
    """Edges of the stretch that both paths share, and others between its nodes."""
    shared = [DrawnEdge(node, node, node + 1, ["a"]) for node in range(40)]
    further = [DrawnEdge(40 + at, at, at + 1, ["b"]) for at in range(2)]
    drawn = [Lattice(41, [*shared, *further[:n]], range(40), range(40)).on_page("") for n in range(3)]
    said = [re.findall(r"\(40 edges, ([^)]*)\)", "".join(page.elements)) for page in drawn]
    assert said == [["0 others"], ["1 other"], ["2 others"]]


def test_numbers_of_paths() -> None:
    """Exact up to 30 digits."""
    two = [DrawnEdge(2 * node + way, node, node + 1, ["a"]) for node in range(20_000) for way in range(2)]
    assert describe_paths(11, two[:20]) == "1024 paths"
    assert describe_paths(100, two[:198]) == f"{2**99} paths"
    assert describe_paths(20_001, two) == "about 10^6021 paths"
    assert describe_paths(1, []) == "1 paths"
