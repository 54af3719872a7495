"""Dominated edges against the comparison of all pairs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.lattices import Lattice, Words, ints, lattices, offsets, words
from treesql.kernels.compiling import NO, YES
from treesql.kernels.lattices.lattices import Hits, edges_on_paths, find_hits
from treesql.kernels.lattices.position_independent import without_dominated_edges


def graph_of(lattice: Lattice, reference: Words) -> Hits:
    n_nodes, edges = lattice
    from_node, to_node = ints([edge[0] for edge in edges]), ints([edge[1] for edge in edges])
    order, starts, _ = edges_on_paths(n_nodes, from_node, to_node)
    word_offsets = offsets([len(edge[2]) for edge in edges])
    found = ints([word for edge in edges for word in edge[2]])
    times, hit_offsets, hits = find_hits(to_node, word_offsets, found, ints(reference), np.full(5, -1, dtype=np.int64))
    return Hits(n_nodes, to_node, order, starts, word_offsets, hit_offsets, hits, times, len(reference))


def kept_edges(lattice: Lattice, reference: Words, on_paths: list[int], same_length: bool) -> list[int]:
    """The edges that no other one dominates; of equal edges the first one."""
    hits = [Counter(edge[2]) & Counter(reference) for edge in lattice[1]]

    def dominates(one: int, other: int) -> bool:
        (*nodes, left), (*other_nodes, right) = lattice[1][one], lattice[1][other]
        lengths = len(left) == len(right) if same_length else len(left) <= len(right)
        return nodes == other_nodes and lengths and hits[other] <= hits[one]

    return [
        edge
        for edge in on_paths
        if not any(
            dominates(other, edge) and (other < edge or not dominates(edge, other))
            for other in on_paths
            if other != edge
        )
    ]


parallel = st.lists(words, min_size=1, max_size=30).map(
    lambda phrases: (2, tuple((0, 1, phrase) for phrase in phrases))
)


@pytest.mark.parametrize("same_length", [False, True])
@given(lattice=st.one_of(lattices(), parallel), reference=words)
@settings(max_examples=20)
def test_edges_that_no_other_dominates(same_length: bool, lattice: Lattice, reference: Words) -> None:
    graph = graph_of(lattice, reference)
    found = without_dominated_edges(graph, YES if same_length else NO)
    assert found.order.tolist() == kept_edges(lattice, reference, graph.order.tolist(), same_length)
    first = np.repeat(np.arange(graph.n_nodes), np.diff(found.starts))
    assert first.tolist() == [lattice[1][edge][0] for edge in found.order]
