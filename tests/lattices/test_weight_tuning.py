"""Tuned weights against all paths of small lattices, and against the commands that their rows name."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, Run
from tests.kernels.lattices import distance
from tests.small_lattices import Edge, all_paths, random_lattice
from treesql.errors import Incomparable, TreesqlError
from treesql.lattices import TuningStep
from treesql.lattices.weight_tuning import format_weights

pytestmark = pytest.mark.filterwarnings("ignore:.*edges? lies? on no path", "ignore:.*empty reference")

Lattices = list[tuple[int, list[Edge]]]


def written(folder: Path, n: int, seed: int, empty: bool = False) -> tuple[Path, Path, Lattices, list[list[str]]]:
    """Files of random lattices with two scores per edge, and of their references."""
    chance = Random(seed)
    lattices = [random_lattice(chance) for _ in range(n)]
    references = [[chance.choice("ab") for _ in range(chance.randint(1 - empty, 4))] for _ in lattices]
    file, text = folder / "lattices.jsonl", folder / "references.txt"
    file.write_text("".join(json.dumps({"n_nodes": n, "edges": edges}) + "\n" for n, edges in lattices))
    text.write_text("".join(" ".join(words) + "\n" for words in references))
    return file, text, lattices, references


def features(edges: list[Edge], path: Sequence[int]) -> list[float]:
    """The sums of both scores, and the number of words."""
    return [*(sum(float(str(edges[edge][at])) for edge in path) for at in (3, 4)), float(len(words_of(edges, path)))]


def words_of(edges: list[Edge], path: Sequence[int]) -> list[str]:
    return [str(word) for edge in path for word in edges[edge][2]]  # type: ignore[attr-defined]


def error_rate(lattices: Lattices, references: list[list[str]], weights: Sequence[float]) -> float:
    edits = 0
    for (n, edges), reference in zip(lattices, references, strict=True):
        best = max(
            all_paths(n, edges),
            key=lambda path, edges=edges: sum(w * f for w, f in zip(weights, features(edges, path), strict=True)),
        )
        codes = [tuple(ord(word[0]) for word in words) for words in (words_of(edges, best), reference)]
        edits += distance(*codes)[0]
    return edits / sum(map(len, references))


def values_between(lattices: Lattices, weights: Sequence[float], at: int) -> list[float]:
    """A value of one weight between any two at which the order of paths changes, and beyond them."""
    borders = {0.0}
    for n, edges in lattices:
        lines = []
        for path in all_paths(n, edges):
            own = features(edges, path)
            lines.append((own[at], sum(w * f for k, (w, f) in enumerate(zip(weights, own, strict=True)) if k != at)))
        for (slope, rest), (other_slope, other_rest) in itertools.combinations(lines, 2):
            if slope != other_slope:
                borders.add((other_rest - rest) / (slope - other_slope))
    ordered = sorted(borders)
    return [ordered[0] - 1, *((a + b) / 2 for a, b in itertools.pairwise(ordered) if b - a > 1e-6), ordered[-1] + 1]


def parsed(text: str) -> list[float]:
    numbers, _, words = text.partition(",words=")
    return [*map(float, numbers.split(",")), float(words or 0)]


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)])
def test_every_search_finds_the_best_value_of_its_weight(tmp_path: Path, seed: int) -> None:
    """By all paths, the value of a row is that of its weights, and no other value of the weight that was searched is
    better."""
    file, text, lattices, references = written(tmp_path, 12, seed)
    rows = treesql.lattices.tune(file, reference=text, objective="ger", thresholds="0", seed=seed).rows()
    assert rows[0]["edge_weights"] == "1,1"
    assert {row["changed"] for row in rows} == {None, "score 1", "score 2", "words", "pruning"}
    for before, row in itertools.pairwise(rows):
        weights = parsed(row["edge_weights"])
        assert row["best_error_rate"] == pytest.approx(error_rate(lattices, references, weights))
        if row["changed"] == "pruning":
            continue
        at = ["score 1", "score 2", "words"].index(row["changed"])
        others = parsed(before["edge_weights"])
        best = min(
            error_rate(lattices, references, [*others[:at], value, *others[at + 1 :]])
            for value in values_between(lattices, others, at)
        )
        assert row["best_error_rate"] == pytest.approx(min(best, before["best_error_rate"]))
    assert rows[-1]["best_error_rate"] < rows[0]["best_error_rate"]


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize("objective", ["bleu", "ger"])
def test_rows_are_what_the_commands_give(tmp_path: Path, objective: str) -> None:
    """Pruned by weights and threshold of a row, the best paths by its other weights have its score and density."""
    file, text, *_ = written(tmp_path, 30, 4)
    steps: list[TuningStep] = []
    result = treesql.lattices.tune(file, reference=text, objective=objective, progress=steps.append, iterations=3)
    rows = result.rows()
    score = "bleu" if objective == "bleu" else "best_error_rate"
    assert [step.value for step in steps] == [row[score] for row in rows]
    gains = [row[score] * (1 if objective == "bleu" else -1) for row in rows]
    assert gains == sorted(gains)
    assert gains[-1] > gains[0]
    assert result.percent == {score}
    pruned, output = tmp_path / "pruned.jsonl", tmp_path / "output.txt"
    for row in (rows[0], rows[2], rows[-1]):
        report = treesql.lattices.prune(
            file, criterion="posterior", threshold=row["threshold"], edge_weights=row["pruning_weights"], out=pruned
        ) if row["threshold"] else treesql.score("lattice", file, metric="density")  # fmt: skip
        [found] = report.rows()
        assert found["density_after" if row["threshold"] else "density"] == pytest.approx(row["density"])
        paths = treesql.lattices.oracle(
            pruned if row["threshold"] else file, measure="score", edge_weights=row["edge_weights"]
        )
        output.write_text("".join(" ".join(words) + "\n" for words in paths.arrow()["path_forms"].to_pylist()))
        [scored] = treesql.score("translation", output, reference=text, metric="bleu,wer").rows()
        assert scored["bleu" if objective == "bleu" else "wer"] == pytest.approx(row[score])
    assert rows[-1]["threshold"] > 0
    again = treesql.lattices.tune(file, reference=text, objective=objective, iterations=3)
    assert again.rows() == rows


def test_of_equal_values_the_middle_of_the_widest_interval_is_taken(tmp_path: Path) -> None:
    """By weights of the first score between -10 and -9, and between 2 and 8, the best path is that of the reference."""
    file, text = tmp_path / "l.jsonl", tmp_path / "r.txt"
    scored = [("y", -2, 0), ("x", -1, 10), ("y", 0, 19), ("x", 3, 13), ("y", 5, -3)]
    edges = [[0, 1, [word], first, second] for word, first, second in scored]
    file.write_text(json.dumps({"n_nodes": 2, "edges": edges}) + "\n")
    text.write_text("x\n")
    _, row, *_ = treesql.lattices.tune(file, reference=text, objective="ger", thresholds="0", seed=0).rows()
    assert (row["changed"], row["edge_weights"], row["best_error_rate"]) == ("score 1", "5,1", 0)


def test_of_thresholds_with_the_same_best_value_the_lowest_with_the_fewest_edges_is_taken(tmp_path: Path) -> None:
    """The best path, b, has 1.5 of the mass of 9.5, and eight paths of a have 1 each, so that their edges have 4.

    No weight is right for both lattices; from .16 on b is pruned, from .27 on d as well.
    """
    file, text = tmp_path / "l.jsonl", tmp_path / "r.txt"
    of_a = [[at, at + 1, ["a"] if at == 0 else [], 0.0] for at in range(3) for _ in "12"]
    lattices = [(4, [*of_a, [0, 3, ["b"], math.log(1.5)]]), (2, [[0, 1, ["c"], 1.0], [0, 1, ["d"], 0.0]])]
    file.write_text("".join(json.dumps({"n_nodes": n, "edges": edges}) + "\n" for n, edges in lattices))
    text.write_text("a\nc\n")
    rows = treesql.lattices.tune(
        file, reference=text, objective="ger", thresholds="0.1,0.2,0.28,0.3", iterations=1
    ).rows()
    assert [(row["changed"], row["best_error_rate"], row["edge_weights"], row["threshold"]) for row in rows] == [
        (None, 0.5, "1", 0.0), ("score 1", 0.5, "1", 0.0), ("words", 0.5, "1", 0.0), ("pruning", 0.0, "1", 0.28),
    ]  # fmt: skip


def test_costs_several_references_and_phrases(tmp_path: Path) -> None:
    """Costs begin with -1; the nearest of both references counts, of words of phrases with blanks in them, too."""
    file, one, other = tmp_path / "l.jsonl", tmp_path / "one.txt", tmp_path / "other.txt"
    edges = [[0, 1, ["a b", "c"], 2.0], [0, 1, ["a", "c"], 1.0], [0, 1, ["x"], 1.5]]
    file.write_text(json.dumps({"n_nodes": 2, "edges": edges}) + "\n")
    one.write_text("x\n")
    other.write_text("q q q\n")
    how: dict[str, Any] = {"objective": "ger", "score_sense": "cost", "thresholds": "0"}
    first, *_, last = treesql.lattices.tune(file, reference=[other, one], **how).rows()
    assert (first["edge_weights"], first["best_error_rate"]) == ("-1", 2.0)
    assert last["best_error_rate"] == 0
    started = treesql.lattices.tune(file, reference=one, edge_weights="-1,words=-9", **how).rows()
    assert (started[0]["edge_weights"], started[0]["best_error_rate"], len(started)) == ("-1,words=-9", 0, 4)


def test_weights_as_the_option_takes_them() -> None:
    assert format_weights([1, -0.5, 0]) == "1,-0.5"
    assert format_weights([1 / 3, 2, -1.25]) == "0.33333333333333331,2,words=-1.25"


def test_what_cannot_be_tuned(tmp_path: Path) -> None:
    file, text, *_ = written(tmp_path, 3, 5)
    for how, told in (
        ({"reference": ()}, "name at least one reference"),
        ({"iterations": 0}, "iterations= is 0; it is a number of rounds from 1 on"),
        ({"seed": -1}, "is -1; it is a number from 0 on"),
        ({"scale": -1.0}, "is -1.0; it is a number from 0 on"),
        ({"thresholds": "0,2"}, "a threshold of posteriors is a number from 0 to 1, not 2"),
        ({"objective": "wer"}, "unknown objective 'wer'; did you mean ger"),
    ):
        with pytest.raises(TreesqlError, match=told):
            treesql.lattices.tune(file, **{"reference": text, **how})  # type: ignore[arg-type]
    with pytest.raises(Incomparable, match="has 2 scores, 1 weights are given"):
        treesql.lattices.tune(file, reference=text, edge_weights="1")
    text.write_text("a\n")
    with pytest.raises(TreesqlError, match=r"lattice 2 of lattices\.jsonl has no counterpart"):
        treesql.lattices.tune(file, reference=text)


def test_the_command(run: Any, tmp_path: Path) -> None:
    arguments = ["lattice", "tune", str(FIXTURES / "lattices.plf"), "-r", str(FIXTURES / "lattices.txt"), "--phrases"]
    done: Run = run(*arguments, "--objective", "ger", "--format", "json")
    assert (done.code, done.err) == (0, "")
    rows = json.loads(done.out)
    assert rows == treesql.lattices.tune(arguments[2], reference=arguments[4], objective="ger", phrases=True).rows()
