"""Lattices pruned by an arbiter and by posteriors, beside peers, and cuts that make no sense."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

import treesql
from tests.house.rules import in_turn
from tests.lattice_tasks import lattice_task
from tests.lattices.scored_lattices import LATTICES, REFERENCES, by_score, run, task
from tests.small_lattices import Edge, by_hand
from treesql.errors import TreesqlError, UsageError
from treesql.lattices import arbiter
from treesql.lattices.arbiter import Arbiter, Feature, PruningCut


def edges_of(path: Path) -> list[list[list[str]]]:
    return [[edge[2] for edge in json.loads(line)["edges"]] for line in path.read_text().splitlines()]


def test_pruning_without_a_reference(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    found = arbiter.apply(task(references=False), by_score(), PruningCut(share=0.5), folder / "out.jsonl")
    # Of 8 edges those with -6, -4, -3 and -2.5 fail, of 4 two; of the equal ones the first.
    assert edges_of(folder / "out.jsonl") == [[["the"], ["cat"], ["sat"], []], [["a"], ["fog"]]]
    before, after = found.rows()
    assert (before["pruning"], before["edges"], before["density"]) == ("none", 12, 12 / 7)
    assert after == {
        "pruning": "arbiter", "n_nodes": 7, "edges": 6, "pruned": 6, "trimmed": 0, "kept_path_edges": 0,
        "density": 6 / 7, "ger": None, "ger_rate": None, "swcd": None, "ger_p": None, "swcd_p": None,
            "seed": None,
    }  # fmt: skip


def test_pruning_by_probability(folder: Path) -> None:
    # Log-odds are 0.5 - 3 (score + 2) / 2: above 0 below a score of -5 / 3.
    rows = arbiter.apply(task(references=False), by_score(), PruningCut()).rows()
    assert rows[1]["pruned"] == sum(edge[3] < -5 / 3 for _, edges in LATTICES for edge in edges)
    rows = arbiter.apply(task(references=False), by_score(), PruningCut(probability=1)).rows()
    assert rows[1]["edges"] == 12


def test_pruning_to_a_density(folder: Path) -> None:
    """As few edges of all lattices as leave so many per node, the worst scores first."""
    scores = sorted(edge[3] for _, edges in LATTICES for edge in edges)
    for limit in (1, 8 / 7, 1.5, 2):
        [before, after] = arbiter.apply(
            task(references=False), by_score(), PruningCut(density=limit), folder / "out.jsonl"
        ).rows()
        left = {
            edge[3] for line in (folder / "out.jsonl").read_text().splitlines() for edge in json.loads(line)["edges"]
        }
        assert after["density"] <= limit
        assert limit < after["density"] + 2 / 7 or after["edges"] == before["edges"]
        assert max(left) == scores[-1]
        if after["pruned"]:
            assert not left.intersection(scores[: after["pruned"]]) - set(scores[after["pruned"] :]), "the worst failed"
    with pytest.raises(UsageError, match=r"no pruning leaves a density of 0\.1: a path of every lattice remains"):
        arbiter.apply(task(references=False), by_score(), PruningCut(density=0.1))


@pytest.mark.slow
def test_a_path_is_always_left(folder: Path) -> None:
    found = arbiter.apply(task(), by_score(), PruningCut(share=1), folder / "out.jsonl").rows()
    assert edges_of(folder / "out.jsonl") == [[["the"], ["cat", "sat"]], [["a"], ["fog"]]], (
        "fewest edges, then likeliest"
    )
    assert found[1]["kept_path_edges"] == 4
    pruned = dict.fromkeys(("arbiter", "posterior", "oracle", "random"), 4)
    assert {row["pruning"]: row["edges"] for row in found} == {"none": 12, **pruned}


@pytest.mark.slow
def test_scores_beside_peers(folder: Path) -> None:
    found = arbiter.apply(task(), by_score(), PruningCut(share=0.5), folder / "out.jsonl")
    rows = {row["pruning"]: row for row in found.rows()}
    assert [rows[name]["edges"] >= 6 for name in ("arbiter", "oracle", "random")] == [True] * 3
    [scored] = json.loads(
        run("score", "lattice", "out.jsonl", "-r", "references.txt", "--format", "json").stdout
    )  # the file is what was scored
    for name in ("ger", "ger_rate", "swcd", "density"):
        assert rows["arbiter"][name] == pytest.approx(scored[name])
    assert (rows["none"]["ger"], rows["arbiter"]["ger"]) == (0, 1)
    assert all(0 < rows[name]["ger_p"] <= 1 for name in ("arbiter", "oracle"))
    assert rows["random"]["ger_p"] is rows["none"]["swcd_p"] is None
    seeds = {name: row["seed"] for name, row in rows.items()}
    assert seeds == {**dict.fromkeys(rows), "random": 12345}, "what is random is one draw"
    assert found.signatures["ger_rate"].startswith(
        "ger_rate|empty_references:count|substitution_cost:1.0|insertion_cost:1.0|deletion_cost:1.0|reordering:none"
        "|lattice:lattices.jsonl@"
    )
    again = arbiter.apply(task(), by_score(), PruningCut(share=0.5))
    assert again.rows() == found.rows(), "seeds are fixed"


@pytest.mark.thorough
def test_empty_references_are_told(folder: Path) -> None:
    (folder / "references.txt").write_text("the cat sat\n\n")
    told: list[str] = []
    found = arbiter.apply(task(warn=lambda one: told.append(str(one))), by_score(), PruningCut(share=0.5)).rows()
    assert told == [
        "lattices.jsonl: 1 lattice has an empty reference, for which swcd is not defined; it is that of the others"
    ]
    assert found[0]["ger"] == 2, "no path of the second lattice has fewer than two words"


@pytest.mark.thorough
def test_an_infinite_distance_is_none(folder: Path) -> None:
    (folder / "references.txt").write_text("the cat sat\nnothing shared\n")
    found = arbiter.apply(task(min_redundancy=0), by_score(), PruningCut(share=0.5)).rows()
    assert [row["swcd"] for row in found] == [None] * 5
    assert [row["swcd_p"] for row in found] == [None] * 5
    assert all(row["ger"] is not None for row in found)


def test_lattices_with_other_scores_are_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="edges with 2 scores, these have 1; fit one"):
        arbiter.apply(task(), by_score(scores=2), PruningCut())
    with pytest.raises(UsageError, match="edges with 1 score, these have none"):
        arbiter.apply(lattice_task(["unscored.jsonl"], []), by_score(), PruningCut(), folder / "out.jsonl")
    assert not (folder / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("cut", "told"),
    [
        ({"share": 0.5, "probability": 0.5}, "name one of them"),
        ({"share": 0.5, "density": 1}, "name one of them"),
        ({"share": 1.5}, "a share of edges is a number from 0 to 1, not 1.5"),
        ({"share": math.nan}, "not nan"),
        ({"probability": -0.1}, "a probability is a number from 0 to 1"),
    ],
    ids=range(5),
)
def test_cuts_that_make_no_sense(cut: dict[str, float], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        PruningCut(**cut)


@pytest.mark.thorough
def test_lattices_without_edges_stay_as_they_are(folder: Path) -> None:
    (folder / "lattices.jsonl").write_text('{"n_nodes": 1, "edges": []}\n{"n_nodes": 1, "edges": []}\n')
    judge = Arbiter((Feature("place", 0.5, 0.25, 2.0),), 0.5, 0, 1, 1)
    found = arbiter.apply(task(), judge, PruningCut(share=0.5), folder / "out.jsonl").rows()
    assert [(row["edges"], row["ger"]) for row in found] == [(0, 5)] * 5
    assert edges_of(folder / "out.jsonl") == [[], []]


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


@pytest.mark.spread(2)
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
