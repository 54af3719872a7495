"""Best paths over a weight, against all paths at values of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels import lattices as slow
from treesql.kernels.lattices import envelopes as kernel


@given(st.lists(slow.lattices(), min_size=1, max_size=4), st.data())
@settings(deadline=None)
def test_envelopes(lattices: list[slow.Lattice], data: st.DataObject) -> None:
    """Between two borders the path of the line is the best one."""
    batch = slow.packed([(lattice, ()) for lattice in lattices])
    n = len(batch.to_node)
    numbers = st.lists(st.integers(-9, 9), min_size=n, max_size=n)
    intercepts, slopes = (np.array(data.draw(numbers), dtype=np.float64) for _ in range(2))
    found = kernel.find_envelopes(batch, intercepts, slopes)
    for at, lattice in enumerate(lattices):
        first = batch.edge_offsets[at]
        lines = range(found.line_offsets[at], found.line_offsets[at + 1])
        borders = [*found.starts[lines.start : lines.stop].tolist(), np.inf]
        assert borders[0] == -np.inf
        assert all(low < high for low, high in pairwise(borders))
        paths = list(slow.paths(lattice))
        of_paths = {tuple(found.edges[found.offsets[line] : found.offsets[line + 1]].tolist()) for line in lines}
        assert of_paths <= set(paths)

        def score(path: tuple[int, ...], weight: float, first: int = int(first)) -> float:
            return float(sum(intercepts[first + edge] + weight * slopes[first + edge] for edge in path))

        for line, (low, high) in zip(lines, pairwise(borders), strict=True):
            path = tuple(found.edges[found.offsets[line] : found.offsets[line + 1]].tolist())
            weight = np.clip(low, -1e3, 1e3) / 2 + np.clip(high, -1e3, 1e3) / 2
            assert score(path, weight) == pytest.approx(max(score(other, weight) for other in paths), abs=1e-6)
        values = [max(score(path, weight) for path in paths) for weight in (-1000.0, 0.5, 1000.0)]
        for weight, value in zip((-1000.0, 0.5, 1000.0), values, strict=True):
            assert max(score(path, weight) for path in of_paths) == pytest.approx(value, abs=1e-6)


def test_a_lattice_without_a_path_has_no_lines() -> None:
    batch = slow.packed([((3, ((0, 1, (1,)),)), ()), ((1, ()), ()), ((2, ((0, 1, (1,)), (0, 1, (2,)))), ())])
    found = kernel.find_envelopes(batch, np.array([0.0, 0.0, 3.0]), np.array([1.0, 1.0, -1.0]))
    assert found.line_offsets.tolist() == [0, 0, 1, 3]
    assert found.starts.tolist() == [-np.inf, -np.inf, 1.5]
    assert found.edges.tolist() == [1, 0]


def test_too_many_lines_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MAX_LINES", 4)
    edges = tuple((node, node + 1, (word,)) for node in range(5) for word in range(3))
    batch = slow.packed([((1, ()), ()), ((6, edges), ())])
    scores = np.arange(15.0)
    with pytest.raises(ValueError, match=r"lattice 1 of the batch.*change too often"):
        kernel.find_envelopes(batch, scores, scores**2)
