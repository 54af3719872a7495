"""Pruning by posteriors: what is below the threshold goes, a path remains, and references are not needed."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import treesql
from tests.house.rules import in_turn
from tests.lattices.scored_lattices import LATTICES, REFERENCES, by_score
from tests.small_lattices import Edge, by_hand
from treesql.errors import TreesqlError
from treesql.lattices.arbiter import Arbiter, Feature


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lattices.jsonl"
    path.write_text("".join(json.dumps({"n_nodes": n, "edges": edges}) + "\n" for n, edges in LATTICES))
    (tmp_path / "references.txt").write_text("".join(f"{line}\n" for line in REFERENCES))
    return path


def posteriors(scale: float = 1.0) -> list[tuple[list[list[object]], list[float]]]:
    """The edges of every lattice with their posteriors, by sums over all paths."""
    found = []
    for n, edges in LATTICES:
        listed: list[Edge] = [list(edge) for edge in edges]
        found.append((listed, by_hand(n, listed, [scale * float(str(edge[3])) for edge in edges])))
    return found


@pytest.mark.parametrize(("threshold", "scale"), [(0.01, 1.0), (0.2, 1.0), (0.2, 0.5), (0.05, 0.0)])
def test_what_is_below_the_threshold_goes(file: Path, threshold: float, scale: float) -> None:
    out = file.with_name("out.jsonl")
    how = {"criterion": "posterior", "threshold": threshold, "scale": scale}
    [row] = treesql.lattices.prune(file, out=out, **how).rows()  # type: ignore[arg-type]
    expected = [[edge for edge, share in zip(*one, strict=True) if share >= threshold] for one in posteriors(scale)]
    assert [json.loads(line)["edges"] for line in out.read_text().splitlines()] == expected
    n = sum(len(edges) for edges in expected)
    assert (row["edges_before"], row["edges_after"], row["trimmed"], row["ger_before"]) == (12, n, 0, None)


@pytest.mark.slow
def test_a_path_remains(file: Path) -> None:
    """No edge is on all paths, so that all fail at 1: of the shortest paths the best are kept."""
    out = file.with_name("out.jsonl")
    treesql.lattices.prune(file, criterion="posterior", threshold=1.0, out=out)
    left = [[edge[2] for edge in json.loads(line)["edges"]] for line in out.read_text().splitlines()]
    assert left == [[["the"], ["cat", "sat"]], [["a"], ["fog"]]]
    swept = treesql.lattices.prune(
        file, reference=file.with_name("references.txt"), criterion="posterior", threshold=[0.0, 0.2, 1.0]
    ).rows()
    assert [row["edges_after"] for row in swept] == sorted((row["edges_after"] for row in swept), reverse=True)
    assert [(row["edges_after"], row["kept_path_edges"]) for row in swept[::2]] == [(12, 0), (4, 4)]
    assert math.isclose(swept[0]["density_after"], 12 / 7)


@pytest.mark.thorough
def test_an_arbiter_is_compared_with_it(file: Path) -> None:
    """Lattices with scores are also pruned by posteriors, to the density of the arbiter or the next above."""
    of = {"reference": file.with_name("references.txt")}
    rows = treesql.lattices.apply(by_score(), file, **of).rows()  # type: ignore[arg-type]
    assert [row["pruning"] for row in rows] == ["none", "arbiter", "posterior", "oracle", "random"]
    by = {row["pruning"]: row for row in rows}
    assert by["arbiter"]["edges"] <= by["posterior"]["edges"] < by["none"]["edges"]
    assert by["posterior"]["ger_p"] is not None


@pytest.mark.thorough
def test_costs_are_log_likelihoods_of_the_other_sign(file: Path) -> None:
    """`--scores cost`: the same edges go; JSON lines are written with log-likelihoods, which they are read as."""
    costs = file.with_name("costs.jsonl")
    turned = [(n, [[*edge[:3], -float(str(edge[3]))] for edge in edges]) for n, edges in LATTICES]
    costs.write_text("".join(json.dumps({"n_nodes": n, "edges": edges}) + "\n" for n, edges in turned))
    of = {"reference": file.with_name("references.txt")}
    pruned, compared = {}, {}
    by_cost = Arbiter((Feature("score_1", 2.0, 2.0, 3.0),), 0.5, 1, 1, 1)  # decides as by_score(); peers read the sign
    for name, path, scores in (("likely", file, None), ("cost", costs, "cost"), ("wrong", costs, None)):
        model = by_score() if name == "likely" else by_cost
        out = file.with_name(f"{name}.jsonl")
        treesql.lattices.prune(path, criterion="posterior", threshold=0.2, scores=scores, out=out)
        pruned[name] = [json.loads(line)["edges"] for line in out.read_text().splitlines()]
        rows = treesql.lattices.apply(model, path, share=0.5, scores=scores, **of).rows()  # type: ignore[arg-type]
        [compared[name]] = [{**row} for row in rows if row["pruning"] == "posterior"]
    assert pruned["cost"] == pruned["likely"] != pruned["wrong"]
    assert compared["cost"] == compared["likely"] != compared["wrong"]


@in_turn(
    ("how", "message"),
    [
        ({"criterion": "posterior"}, "no posterior is below 0"),
        ({"criterion": "posterior", "threshold": 1.5}, "from 0 to 1, not 1.5"),
        ({"criterion": "posterior", "threshold": 0.5, "greedy": True}, "are of tau, not of posteriors"),
        ({"criterion": "posterior", "threshold": 0.5, "edge_weights": "1,2"}, "2 weights are given"),
        ({"criterion": "posterior", "threshold": 0.5, "scale": math.nan}, "a finite number, not nan"),
        ({"scale": 2.0, "reference": "r"}, "add criterion='posterior'"),
        ({"criterion": "confidence"}, "unknown criterion 'confidence'"),
    ],
)
def test_what_cannot_be_pruned(file: Path, how: dict[str, object], message: str) -> None:
    with pytest.raises(TreesqlError, match=message):
        treesql.lattices.prune(file, **how)  # type: ignore[arg-type]
