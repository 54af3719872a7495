"""Learners of arbiters: fits by slow and closed forms, files that are fitted again, faults."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.lattices.scored_lattices import task
from treesql.errors import InvalidInput, TreesqlError, UnknownName, UsageError
from treesql.lattices import arbiter, learners

pytestmark = pytest.mark.usefixtures("learning")


def examples(n: int = 60, lattices: int = 6) -> pa.Table:
    """Examples of several lattices whose label depends on two features."""
    random = np.random.default_rng(3)
    a, b = random.normal(3, 2, n), random.normal(0, 1, n)
    prune = random.random(n) < 1 / (1 + np.exp(-(a - 3) + 2 * b))
    tau = np.where(np.arange(n) % 7 == 0, np.inf, b - a / 4)
    labels = {"label": pa.array([None] * n, pa.string()), "on_oracle_path": ~prune, "tau_normalised": tau}
    sentence = pa.array(np.arange(n) % lattices, pa.int32())
    return pa.table({"sentence": sentence, "phrase_length": a, "places_mean": b, **labels})


def standardised(table: pa.Table) -> Any:
    data = np.column_stack([table[name].to_numpy() for name in ("phrase_length", "places_mean")])
    return (data - data.mean(axis=0)) / data.std(axis=0)


@pytest.mark.parametrize("label", arbiter.LABELS)
def test_regression_is_the_closed_form(label: str) -> None:
    """Coefficients solve (X'X + I / C) w = X'(y - mean); the intercept is the mean, as columns of X have mean 0."""
    table = examples()
    if label == "tau":
        table = table.set_column(3, "label", pa.array(["prune", "keep"] * 30, pa.string()))
    fitted = arbiter.fit(table, label=label, learner="regression", regularisation=0.5)
    tau = table["tau_normalised"].to_numpy()
    used = table.filter(pa.array(np.isfinite(tau))) if label == "tau" else table
    target = -tau[np.isfinite(tau)] if label == "tau" else (~table["on_oracle_path"].to_numpy()).astype(float)
    data = standardised(used)
    expected = np.linalg.solve(data.T @ data + np.eye(2) / 0.5, data.T @ (target - target.mean()))
    assert [feature.coefficient for feature in fitted.features] == pytest.approx(expected.tolist())
    assert fitted.intercept == pytest.approx(target.mean())
    assert fitted.log_odds(used) == pytest.approx(data @ expected + target.mean())
    assert not fitted.has_probabilities


def test_pairs_are_those_of_one_lattice(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(1)
    prune = np.array([chance.random() < 0.4 for _ in range(30)])
    lattice = np.array([chance.randrange(5) for _ in range(30)])
    expected = {
        (i, j)
        for i, j in itertools.permutations(range(30), 2)
        if lattice[i] == lattice[j] and prune[i] and not prune[j]
    }
    found = list(zip(*(indices.tolist() for indices in learners.pairs(prune, lattice, 1)), strict=True))
    assert len(found) == len(expected)
    assert set(found) == expected
    monkeypatch.setattr(learners, "MAX_PAIRS", 10)
    drawn = list(zip(*(indices.tolist() for indices in learners.pairs(prune, lattice, 1)), strict=True))
    assert len(set(drawn)) == 10
    assert set(drawn) < expected


def test_a_ranking_is_where_the_gradient_of_all_pairs_is_zero() -> None:
    table = examples()
    fitted = arbiter.fit(table, learner="ranking", regularisation=0.1)
    weights = np.array([feature.coefficient for feature in fitted.features])
    data, prune = standardised(table), ~table["on_oracle_path"].to_numpy()
    lattice = table["sentence"].to_numpy()
    gradient = weights.copy()
    for i, j in itertools.permutations(range(len(prune)), 2):
        if lattice[i] == lattice[j] and prune[i] and not prune[j]:
            difference = data[i] - data[j]
            gradient -= 0.1 * difference / (1 + np.exp(weights @ difference))
    assert gradient == pytest.approx([0, 0], abs=1e-3)
    assert fitted.intercept == 0
    assert weights[0] > 0 > weights[1]


@pytest.mark.slow  # looking classifiers up imports all of scikit-learn
@pytest.mark.parametrize("name", ["DecisionTreeClassifier", "LinearSVC"])
def test_a_classifier_is_fitted_again_from_its_file(tmp_path: Path, name: str) -> None:
    table = examples()
    fitted = arbiter.fit(table, learner=name, seed=4)
    (tmp_path / "arbiter.json").write_text(fitted.text())
    again = arbiter.read(str(tmp_path / "arbiter.json"))
    alone = learners.make_classifier(name, 4).fit(standardised(table), ~table["on_oracle_path"].to_numpy())
    judged = learners.judge(alone, standardised(table))
    assert fitted.log_odds(table).tolist() == again.log_odds(table).tolist() == judged.tolist()
    assert again.has_probabilities == (name == "DecisionTreeClassifier") == fitted.has_probabilities
    assert [row["coefficient"] for row in again.weights().rows()] == [None, None]
    assert (again.learner, again.seed, again.text()) == (name, 4, fitted.text())


def test_shares_are_for_learners_without_probabilities(folder: Path) -> None:
    made = arbiter.examples(task(), 0, 0).arrow()
    ranking = arbiter.fit(made, learner="ranking")
    with pytest.raises(UsageError, match="the learner ranking has no probabilities"):
        arbiter.apply(task(), ranking, arbiter.PruningCut())
    rows = arbiter.apply(task(), ranking, arbiter.PruningCut(share=0.25)).rows()
    assert [row["pruning"] for row in rows[:2]] == ["none", "arbiter"]
    assert rows[1]["edges"] < rows[0]["edges"]


@pytest.mark.slow  # as above
def test_what_is_no_learner(tmp_path: Path) -> None:
    table = examples()
    with pytest.raises(UnknownName, match="unknown learner 'Forest'; known: "):
        arbiter.fit(table, learner="Forest")
    with pytest.raises(UsageError, match="VotingClassifier is made of other estimators"):
        arbiter.fit(table, learner="VotingClassifier")
    with pytest.raises(UsageError, match="MultinomialNB cannot learn from these examples: Negative values"):
        arbiter.fit(table, learner="MultinomialNB")
    alone = table.set_column(0, "sentence", pa.array(range(60), pa.int32()))
    with pytest.raises(UsageError, match="no lattice has edges of both labels"):
        arbiter.fit(alone, learner="ranking")
    for learner in ("ranking", "RandomForestClassifier"):
        with pytest.raises(UsageError, match="a seed is a number from 0 on"):
            arbiter.fit(table, learner=learner, seed=-1)
    told = "a seed of the learner RandomForestClassifier is a number from 0 to 4294967295, not 4294967296"
    with pytest.raises(UsageError, match=told):
        arbiter.fit(table, learner="RandomForestClassifier", seed=1 << 32)
    content = json.loads(arbiter.fit(table, learner="DecisionTreeClassifier").text())
    for damaged in ({"training": None}, {"training": "!"}, {"training": "AAAA"}):
        (tmp_path / "arbiter.json").write_text(json.dumps(content | damaged))
        with pytest.raises(InvalidInput, match="this arbiter is damaged"):
            arbiter.read(str(tmp_path / "arbiter.json"))
    (tmp_path / "arbiter.json").write_text(json.dumps(content | {"learner": "os.system"}))
    with pytest.raises(TreesqlError, match=r"unknown learner 'os.system'"):
        arbiter.read(str(tmp_path / "arbiter.json")).log_odds(table)
