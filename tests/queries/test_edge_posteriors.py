"""Posteriors of edges against sums over all paths, and lattices whose scores cannot be weighted."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.house.rules import in_turn
from tests.small_lattices import Edge, by_hand, load, random_lattice
from treesql.errors import Incomparable, TreesqlError
from treesql.scoring import scores


@pytest.mark.filterwarnings("ignore:.*edges lie on no path")
@pytest.mark.parametrize(
    ("sense", "weights", "scale", "factors"),
    [
        (None, "", 1.0, (1, 1)), ("cost", "", 1.0, (-1, -1)), (None, "0.5,-2", 1.0, (0.5, -2)),
        ("cost", "1,0", 0.3, (0.3, 0)), (None, "", 0.0, (0, 0)),
    ],
)  # fmt: skip
def test_posteriors_are_shares_of_the_sum_over_all_paths(
    tmp_path: Path, sense: str | None, weights: str, scale: float, factors: tuple[float, float]
) -> None:
    chance = Random(5)
    lattices = [random_lattice(chance) for _ in range(40)]
    expected = []
    for n, edges in lattices:
        pairs = [[float(str(one)) for one in edge[3:]] for edge in edges]
        expected += by_hand(n, edges, [factors[0] * one + factors[1] * two for one, two in pairs])
    with load(tmp_path, lattices, sense) as db:
        found = scores.run_statistic(
            db._engine, "edge_posteriors", {"lattice_corpus": "lattices", "edge_weights": weights, "scale": scale}
        )
    assert found.arrow()["posterior"].to_pylist() == pytest.approx(expected, abs=1e-12)


def test_one_path_and_large_scores(tmp_path: Path) -> None:
    one: list[Edge] = [[0, 1, ["a"], -1e6], [1, 2, ["b"], -2e6]]
    two: list[Edge] = [[0, 1, ["a"], -1e6], [0, 1, [], -1e6]]
    with load(tmp_path, [(3, one), (2, two)]) as db:
        found = (
            scores.run_statistic(db._engine, "edge_posteriors", {"lattice_corpus": "lattices"})
            .arrow()["posterior"]
            .to_pylist()
        )
    assert found == pytest.approx([1.0, 1.0, 0.5, 0.5], abs=1e-9)


@in_turn(
    ("scores", "weights", "message"),
    [
        ([[1.0], []], "", "edge 1 of lattice 1 has 0 scores, others have 1"),
        ([[], []], "", "posteriors and best paths need lattices with scores"),
        ([[1.0], [2.0]], "1,2", "has 1 score, 2 weights are given"),
        ([[1.0], [2.0]], "nan", "not all finite numbers"),
        ([[1.0], [2.0]], "1e999", "not all finite numbers"),
        ([[1.0], [2.0]], "one", "not all finite numbers"),
    ],
)
def test_scores_that_cannot_be_weighted_are_refused(
    tmp_path: Path, scores: list[list[float]], weights: str, message: str
) -> None:
    edges: list[Edge] = [[0, 1, [word], *given] for word, given in zip("ab", scores, strict=True)]
    with load(tmp_path, [(2, edges)]) as db, pytest.raises(Incomparable, match=message):
        scores.run_statistic(db._engine, "edge_posteriors", {"lattice_corpus": "lattices", "edge_weights": weights})


def test_scores_beyond_the_limit_are_refused(tmp_path: Path) -> None:
    with load(tmp_path, [(2, [[0, 1, ["a"], 1e200]])]) as db, pytest.raises(TreesqlError, match="edge 0 has the score"):
        scores.run_statistic(db._engine, "edge_posteriors", {"lattice_corpus": "lattices"})
