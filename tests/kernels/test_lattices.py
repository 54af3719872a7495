"""Orders and shapes of lattices against slow definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels import lattices as slow
from treesql.kernels.lattices import lattices
from treesql.kernels.lattices.lattices import lattice_structure, scores_of_words, sort_topologically


@given(st.lists(slow.lattices(), min_size=1, max_size=4))
@settings(deadline=None, max_examples=40)
def test_shapes(lattices: list[slow.Lattice]) -> None:
    batch = slow.packed([(lattice, ()) for lattice in lattices])
    found = lattice_structure(batch.n_nodes, batch.edge_offsets, batch.from_node, batch.to_node)
    for at, lattice in enumerate(lattices):
        alive = {edge for path in slow.paths(lattice) for edge in path}
        assert found.complete[at]
        assert found.dead_edges[at] == len(lattice[1]) - len(alive)


@given(st.data(), st.integers(1, 6))
@settings(max_examples=20)
def test_orders(data: st.DataObject, n: int) -> None:
    """Any edges that do not leave the last node: either a cycle is found, or all lead ahead."""
    place = st.tuples(st.integers(0, max(n - 2, 0)), st.integers(0, n - 1))
    edges = data.draw(st.lists(place, max_size=8)) if n > 1 else []
    first = data.draw(st.integers(0, max(n - 2, 0)))
    starts, ends = slow.ints([start for start, _ in edges]), slow.ints([end for _, end in edges])
    numbers, _, cycle = sort_topologically(slow.ints([n]), slow.ints([0, len(edges)]), starts, ends, slow.ints([first]))
    reach = {node: {end for start, end in edges if start == node} for node in range(n)}
    for _ in range(n):
        reach = {node: ends.union(*(reach[end] for end in ends)) for node, ends in reach.items()}
    on_cycles = {node for node in range(n) if node in reach[node]}
    if on_cycles:
        assert cycle[0] in on_cycles
        return
    assert cycle[0] == -1
    assert sorted(numbers.tolist()) == list(range(n))
    assert all(numbers[start] < numbers[end] for start, end in edges)
    assert numbers[n - 1] == n - 1
    assert numbers[first] == 0 or any(end == first for _, end in edges)


@given(slow.items, st.data())
@settings(deadline=None)
def test_scores_of_words(items: list[tuple[slow.Lattice, slow.Words]], data: st.DataObject) -> None:
    """Texts are those of a path, or any; scores are whole, so that sums are the same in any order."""
    own = [(lattice, data.draw(st.sampled_from([slow.text(lattice, path) for path in slow.paths(lattice)] + [words])))
           for lattice, words in items]  # fmt: skip
    batch = slow.packed(own)
    scores = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=len(batch.to_node), max_size=len(batch.to_node))))
    found = scores_of_words(batch, scores.astype(np.float64)).tolist()
    for at, (lattice, words) in enumerate(own):
        first = batch.edge_offsets[at]
        sums = [sum(scores[first + edge] for edge in path) for path in slow.paths(lattice)
                if slow.text(lattice, path) == words]  # fmt: skip
        assert found[at] == max(sums, default=-np.inf)


def test_too_many_places_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 31 nodes, each but the last is reached by any number of repeated words."""
    edges = [(node, node + 1, words) for node in range(30) for words in ((), (1,))]
    batch = slow.packed([((2, ((0, 1, (1,)),)), (1,)), ((31, tuple(edges)), (1,) * 20)])
    assert scores_of_words(batch, np.zeros(61)).tolist() == [0, 0]
    monkeypatch.setattr(lattices, "MAX_PLACES", 100)
    with pytest.raises(ValueError, match=r"lattice 1 of the batch.* 20 words is in too many places of its 31 nodes"):
        scores_of_words(batch, np.zeros(61))
