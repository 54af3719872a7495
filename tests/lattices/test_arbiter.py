"""Arbiters: features by hand, labels from tau, a fit whose gradient is zero, files, and the commands."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treesql
from tests.house.rules import in_turn
from tests.lattice_tasks import lattice_task
from tests.lattices.scored_lattices import LATTICES, by_score, run, task
from treesql import catalog
from treesql.errors import InvalidInput, TreesqlError, UnknownName, UsageError
from treesql.lattices import arbiter
from treesql.lattices.arbiter import Arbiter, Feature, PruningCut


def test_features_by_hand(folder: Path) -> None:
    with treesql.connect() as db:
        db.load("lattices.jsonl", corpus="lattices")
        rows = (
            db.query("edge_features", lattice_corpus="lattices").arrow().sort_by("edge").sort_by("sentence").to_pylist()
        )
    assert [row["edge"] for row in rows] == [*range(8), *range(4)]
    phrase = rows[3]  # `the hat` from 1 to 2; `the` stands three times, `hat` once; `the` leaves from 0 and 1
    assert phrase == {
        "sentence": 0, "edge": 3, "phrase_length": 2, "node_distance": 1, "n_nodes": 4, "edges_per_node": 2,
        "place": pytest.approx(1 / 3), "competing_edges": 1, "leaving_edges": 2, "entering_edges": 1, "same_phrases": 0,
        "lattice_count_mean": 2, "lattice_count_least": 1, "lattice_count_most": 3, "relative_count": 1,
        "places_mean": 1.5, "scores": [-2.5], "score_distances": [2.0],
        "score_agreements": [pytest.approx(((1 + math.exp(-5) + math.exp(-2)) / 3 + math.exp(-2)) / 2)],
    }  # fmt: skip
    empty = rows[6]
    assert (empty["phrase_length"], empty["lattice_count_mean"], empty["places_mean"]) == (0, 0, 0)
    assert (empty["score_distances"], empty["score_agreements"]) == ([1.0], [])
    assert [row["same_phrases"] for row in rows] == [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert [row["node_distance"] for row in rows[4:6]] == [1, 2]


def test_lists_of_scores_become_columns() -> None:
    lists = {
        "scores": [[1.0, 2.0], [], [3.0]],
        "score_distances": [[0.0, 0.5], [], [1.0]],
        "score_agreements": [[], [], []],
    }
    table = pa.table({"sentence": [0, 0, 1], "edge": [1, 0, 0], **lists}).cast(
        pa.schema({"sentence": pa.int32(), "edge": pa.int32()} | {name: pa.list_(pa.float64()) for name in lists})
    )
    found = arbiter.features(table).to_pydict()
    assert found == {
        "sentence": [0, 0, 1], "edge": [0, 1, 0], "score_1": [0, 1, 3], "score_2": [0, 2, 0],
        "score_distance_1": [0, 0, 1], "score_distance_2": [0, 0.5, 0],
    }  # fmt: skip


@pytest.mark.parametrize("raw", [False, True])
def test_labels_by_two_thresholds(folder: Path, raw: bool) -> None:
    low, high = (-0.2, 0.1) if raw else (-1, 0.5)
    found = arbiter.examples(task(), low, high, raw=raw)
    rows = found.rows()
    for row in rows:
        value = row["tau"] if raw else row["tau_normalised"]
        assert row["label"] == ("prune" if value < low else "keep" if value > high else None)
        assert row["tau_normalised"] == pytest.approx(row["tau"] * len(LATTICES[row["sentence"]][1]))
    assert {row["label"] for row in rows} == {"prune", "keep", None}
    options = f"{'raw' if raw else 'normalised'}|below:{low:g}|above:{high:g}|min_redundancy:1.0"
    assert found.signature.startswith(f"label|{options}|empty_references:count|lattice:")


def test_tau_of_examples_is_that_of_the_query(folder: Path) -> None:
    found = arbiter.examples(task()).rows()
    with treesql.connect() as db:
        db.load("lattices.jsonl", corpus="l")
        db.load("references.txt", corpus="r")
        effects = db.query("edge_effects", lattice_corpus="l", reference_corpus="r").rows()
    expected = {(row["sentence"], row["edge"]): (row["tau"], row["on_oracle_path"]) for row in effects}
    assert {(row["sentence"], row["edge"]): (row["tau"], row["on_oracle_path"]) for row in found} == expected


def test_the_nearest_path(folder: Path) -> None:
    rows = arbiter.examples(task()).rows()
    kept = [(row["sentence"], row["edge"]) for row in rows if row["on_oracle_path"]]
    assert kept == [(0, 0), (0, 2), (0, 4), (1, 0), (1, 1)]


def test_an_empty_reference_labels_nothing(folder: Path) -> None:
    (folder / "references.txt").write_text("the cat sat\n\n")
    rows = arbiter.examples(task(), 0, 0).rows()
    assert {row["label"] for row in rows if row["sentence"] == 1} == {None}


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [(1, -1, "the lower first, not 1 and -1"), (math.nan, 1, "two finite thresholds"), (0, math.inf, "two finite")],
    ids=range(3),
)
def test_thresholds_that_make_no_sense(folder: Path, low: float, high: float, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        arbiter.examples(task(), low, high)


def test_examples_need_references_and_edges(folder: Path) -> None:
    with pytest.raises(UsageError, match="at least one reference"):
        arbiter.examples(task(references=False))
    (folder / "lattices.jsonl").write_text('{"n_nodes": 1, "edges": []}\n')
    (folder / "references.txt").write_text("a\n")
    with pytest.raises(UsageError, match="has no edges to learn from"):
        arbiter.examples(task())


def made_up(n: int = 200) -> pa.Table:
    """Examples whose label depends on two features, one of them constant beside."""
    random = np.random.default_rng(1)
    a, b = random.normal(3, 2, n), random.normal(0, 0.1, n)
    prune = random.random(n) < 1 / (1 + np.exp(-(a - 3) + 8 * b))
    label = [None if at % 10 == 0 else "prune" if one else "keep" for at, one in enumerate(prune)]
    labels = {"label": pa.array(label, pa.string()), "on_oracle_path": ~prune}
    return pa.table({"phrase_length": a, "score_1": b, "n_nodes": np.full(n, 7), **labels})


@pytest.mark.spread(4)
@pytest.mark.parametrize("label", arbiter.LABELS)
@pytest.mark.parametrize("regularisation", [0.1, 1.0])
def test_a_fit_is_where_the_gradient_is_zero(learning: None, regularisation: float, label: str) -> None:
    table = made_up()
    found = arbiter.fit(table, label=label, regularisation=regularisation)
    used = table.filter(pa.compute.is_valid(table["label"])) if label == "tau" else table
    prune = ~used["on_oracle_path"].to_numpy()
    probability = 1 / (1 + np.exp(-found.log_odds(used)))
    assert (found.prune, found.keep, found.label) == (prune.sum(), (~prune).sum(), label)
    assert (probability - prune).sum() == pytest.approx(0, abs=1e-2)
    for one in found.features:
        column = (used[one.name].to_numpy() - one.mean) / one.deviation
        assert column.mean() == pytest.approx(0, abs=1e-9)
        gradient = regularisation * ((probability - prune) * column).sum() + one.coefficient
        assert gradient == pytest.approx(0, abs=1e-2)
    weights = {one.name: one.coefficient for one in found.features}
    assert weights["phrase_length"] > 0 > weights["score_1"]
    assert (weights["n_nodes"], found.scores) == (0, 1)


def test_coefficients_of_features_that_go_together_are_those_of_the_smallest_loss(learning: None) -> None:
    random = np.random.default_rng(2)
    n = 2000
    shared = random.exponential(5, n)
    columns = {f"score_{at}": shared + random.normal(0, 0.1, n) for at in range(1, 5)}
    prune = random.random(n) < 1 / (1 + np.exp(-(columns["score_1"] - columns["score_2"]) * 5 - 2))
    table = pa.table({**columns, "label": pa.nulls(n, pa.string()), "on_oracle_path": ~prune})
    found = arbiter.fit(table)
    probability = 1 / (1 + np.exp(-found.log_odds(table)))
    assert (probability - prune).sum() == pytest.approx(0, abs=1e-4)
    for one in found.features:
        column = (table[one.name].to_numpy() - one.mean) / one.deviation
        assert ((probability - prune) * column).sum() + one.coefficient == pytest.approx(0, abs=1e-4)


def test_a_fit_without_an_end_is_told(learning: None) -> None:
    table = made_up()
    told_apart = pa.array(table["phrase_length"].to_numpy() < 3)
    with pytest.raises(UsageError, match=r"no fit was found in .* take a smaller --regularisation"):
        arbiter.fit(table.set_column(4, "on_oracle_path", told_apart), regularisation=1e12)


def test_a_fit_of_some_features(learning: None) -> None:
    found = arbiter.fit(made_up(), ["phrase_length"])
    assert [one.name for one in found.features] == ["phrase_length"]
    assert found.scores == 0
    assert [row["feature"] for row in found.weights().rows()] == ["intercept", "phrase_length"]
    with pytest.raises(UnknownName, match="did you mean n_nodes"):
        arbiter.fit(made_up(), ["n_node"])
    with pytest.raises(UnknownName, match="feature of the examples 'tau'"):
        arbiter.fit(made_up().append_column("tau", made_up()["score_1"]), ["tau"])


@pytest.mark.parametrize("label", ["prune", "keep", None])
def test_examples_with_one_label(label: str | None) -> None:
    table = made_up()
    table = table.set_column(3, "label", pa.array([label] * len(table), pa.string()))
    lacking = "keep" if label == "prune" else "prune"
    with pytest.raises(InvalidInput, match=f"examples: of 200 examples none says `{lacking}`; .*; move the thresholds"):
        arbiter.fit(table, label="tau")
    table = table.set_column(4, "on_oracle_path", pa.array([label == "keep"] * len(table)))
    with pytest.raises(InvalidInput, match=r"none says .*; give lattices with more than one path"):
        arbiter.fit(table)
    with pytest.raises(UnknownName, match="label"):
        arbiter.fit(table, label="swcd")


def test_features_that_are_no_numbers() -> None:
    table = made_up()
    values = table["phrase_length"].to_pylist()
    values[1:4] = [math.nan, math.inf, None]
    table = table.set_column(0, "phrase_length", pa.array(values, pa.float64()))
    with pytest.raises(InvalidInput, match="phrase_length is not a finite number in 3 examples; leave it out"):
        arbiter.fit(table)
    for wrong in (0, -1, math.nan, math.inf):
        with pytest.raises(UsageError, match="regularisation is a finite number above 0"):
            arbiter.fit(made_up(), regularisation=wrong)


def test_without_scikit_learn_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    monkeypatch.setitem(sys.modules, "sklearn.exceptions", None)
    with pytest.raises(UsageError, match=r"pip install 'treesql\[arbiter\]'"):
        arbiter.fit(made_up())


def test_log_odds_by_hand() -> None:
    judge = Arbiter((Feature("place", 0.5, 0.25, 2.0), Feature("n_nodes", 10, 2, -1.0)), 0.5, 0, 1, 1)
    table = pa.table({"place": [0.5, 1.0], "n_nodes": [10, 14]})
    assert judge.log_odds(table).tolist() == [0.5, 0.5 + 4 - 2]
    assert Arbiter(judge.features, 1, 0, 1, 1).log_odds(table).tolist() == [1, 3], "whole numbers in a file"
    with pytest.raises(UsageError, match="features that are not here: n_nodes; fit it again"):
        judge.log_odds(table.drop_columns(["n_nodes"]))


def test_a_file_says_everything(tmp_path: Path) -> None:
    judge = Arbiter(
        (Feature("place", 0.5, 0.25, 2.0), Feature("score_1", -1, 1 / 3, 0.1)), -0.1, 2, 10, 20, "tau", 0.5, "ü|x"
    )
    (tmp_path / "a.json").write_text(judge.text())
    assert arbiter.read(str(tmp_path / "a.json")) == judge
    told = json.loads(judge.text())
    assert (told["format"], told["version"], told["treesql"]) == ("treesql arbiter", 1, treesql.__version__)


@in_turn(
    ("change", "told"),
    [
        ({"format": "other"}, "it has no `format: treesql arbiter`"),
        ({"version": 2}, "version 2 of arbiters, known is 1"),
        ({"intercept": "a"}, "damaged .*'a' is not a number"),
        ({"intercept": math.nan}, "damaged .*not finite"),
        ({"features": []}, "damaged"),
        ({"features": [{"name": "place"}]}, "damaged .*'mean'"),
        ({"features": [{"name": "place", "mean": 0, "deviation": 0, "coefficient": 1}]}, "damaged"),
        ({"examples": None}, "damaged"),
        ({"label": "swcd"}, "damaged .*label 'swcd'"),
    ],
)
def test_files_that_are_no_arbiters(tmp_path: Path, change: dict[str, object], told: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(json.loads(by_score().text()) | change))
    with pytest.raises(InvalidInput, match=f"a.json: .*{told}"):
        arbiter.read(str(path))


def test_other_files_are_no_arbiters_and_no_examples(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for data in (b"", b"\xff", b"[1]", b"PAR1"):
        path.write_bytes(data)
        with pytest.raises(InvalidInput, match="this is not an arbiter"):
            arbiter.read(str(path))
        with pytest.raises(InvalidInput, match="this is not a Parquet file"):
            arbiter.read_examples(str(path))
    for read in (arbiter.read, arbiter.read_examples):
        with pytest.raises(InvalidInput, match="there is no such file"):
            read(str(tmp_path / "b"))
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(InvalidInput, match="this is not a file of examples"):
        arbiter.read_examples(str(path))
    for label, on_path, told in (
        ("good", True, "there is a label 'good'"),
        ("keep", None, "not true or false everywhere"),
    ):
        columns = {"place": [0.5], "label": [label], "on_oracle_path": pa.array([on_path], pa.bool_())}
        pq.write_table(pa.table(columns), path)
        with pytest.raises(InvalidInput, match=told):
            arbiter.read_examples(str(path))


@pytest.mark.thorough
def test_a_database_as_well(folder: Path) -> None:
    with treesql.connect("a.duckdb") as db:
        db.load("lattices.jsonl", corpus="l")
        db.load("references.txt", corpus="r")
    wanted = lattice_task(["l"], ["r"], database="a.duckdb")
    from_files = arbiter.apply(task(), by_score(), PruningCut(share=0.5))
    assert arbiter.apply(wanted, by_score(), PruningCut(share=0.5)).rows() == from_files.rows()
    assert arbiter.examples(wanted).rows() == arbiter.examples(task()).rows()


@pytest.mark.slow
def test_the_commands(learning: None, folder: Path) -> None:
    made = run(
        "lattice",
        "examples",
        "lattices.jsonl",
        "-r",
        "references.txt",
        "--below",
        "0",
        "--above",
        "0",
        "-o",
        "e.parquet",
    )
    labels = pq.read_table("e.parquet")["label"].to_pylist()
    assert (
        made.output
        == f"e.parquet: 12 edges, {labels.count('prune')} labelled prune, {labels.count('keep')} labelled keep\n"
    )
    assert b"label|normalised|below:0" in pq.read_table("e.parquet").schema.metadata[b"signature"]
    printed = run("lattice", "fit", "e.parquet", "-o", "m.json", "--features", "place,score_1", "--format", "json")
    judge = arbiter.read("m.json")
    assert {row["feature"]: row["coefficient"] for row in json.loads(printed.stdout)} == {
        "intercept": judge.intercept, **{one.name: one.coefficient for one in judge.features}
    }  # fmt: skip
    assert judge.learned_from.startswith("label|normalised|below:0|above:0|")
    options = ["-r", "references.txt", "--share", "0.5", "--report", "json", "--seed", "7", "-o", "out.plf"]
    applied = run("lattice", "apply", "m.json", "lattices.jsonl", *options)
    rows = json.loads(applied.stdout)
    assert [row["pruning"] for row in rows] == ["none", "arbiter", "posterior", "oracle", "random"]
    assert len((folder / "out.plf").read_text().splitlines()) == 2


@in_turn(
    ("arguments", "told"),
    [
        (["examples", "lattices.jsonl", "-o", "o"], "at least one reference"),
        (["examples", "lattices.jsonl", "-r", "references.txt", "-o", "o.csv"], "a file that ends in .parquet$"),
        (["fit", "lattices.jsonl", "-o", "o"], "this is not a Parquet file"),
        (["apply", "lattices.jsonl", "lattices.jsonl", "-o", "o.jsonl"], "this is not an arbiter"),
        (["apply", "m.json", "lattices.jsonl", "--seed", "1"], "needs? references"),
        (["apply", "m.json", "lattices.jsonl", "--to", "plf"], "--to needs a file to write"),
        (["apply", "m.json", "lattices.jsonl", "--share", "2", "-o", "o.jsonl"], "from 0 to 1"),
        (["apply", "m.json", "lattices.jsonl", "--min-redundancy", "1"], "needs? references"),
        (["apply", "m.json", "lattices.jsonl", "-r", "references.txt", "--min-redundancy", "-1"], "0 or more"),
        (["apply", "m.json", "unscored.jsonl", "-o", "o.jsonl"], "these have none"),
        (["apply", "m.json", "lattices.jsonl", "-o", "o.xyz"], "its ending is of no format"),
    ],
)
def test_bad_input_is_one_line(folder: Path, arguments: list[str], told: str) -> None:
    (folder / "m.json").write_text(by_score().text())
    with pytest.raises(TreesqlError, match=told) as caught:
        run("lattice", *arguments)
    assert "\n" not in str(caught.value)
    assert not any((folder / name).exists() for name in ("o", "o.csv", "o.jsonl", "o.xyz"))


def test_features_are_those_of_the_query() -> None:
    known = [column.name for column in catalog.query("edge_features").columns]
    names = arbiter.feature_names([*known, "score_1", "score_distance_12", "score_agreement_1", "tau", "label"])
    assert {"sentence", "edge", "scores", "score_distances", "score_agreements", "tau", "label"}.isdisjoint(names)
    assert {"score_1", "score_distance_12", "score_agreement_1", "places_mean"} <= set(names)
