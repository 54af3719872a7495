"""Word dependency entropy, class scores and weighted attachment on real treebanks and parser outputs.

Separation: over the treebanks of Universal Dependencies 1.2 every function relation lies below every content relation,
as the draft's figure 2 has it. Left out are relations with fewer than 100 words in all treebanks together: `vocative`
(71 words) and `csubjpass` (15) are content relations that occur too rarely for many different forms.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conformance.cases import CASES, DATA, needs, of_one_pair
from treesql.scoring import scores, treebank_inputs
from treesql.treebanks.typology import TypologyTask, correlations, measure

RELEASE = DATA / "ud" / "r1.2"
FOLDER = CASES / "dependency"
FEWEST_WORDS = 100

LIGHT = ("aux", "case", "cc", "clf", "cop", "det", "mark")
"""Relations that the weights file of the CoNLL 2017 shared task gives 0.1; punct has 0, all others 1."""


@needs(RELEASE)
def test_function_relations_lie_below_content_relations() -> None:
    paths = [str(path) for path in sorted(RELEASE.iterdir()) if path.is_dir()]
    with treebank_inputs.open_treebanks(paths, ["averaged_word_entropy"]) as connection:
        rows = scores.run_statistic(connection, "averaged_word_entropy").rows()
    common = [row for row in rows if row["words"] >= FEWEST_WORDS]
    assert {row["relation"] for row in rows} - {row["relation"] for row in common} >= {"vocative", "csubjpass"}
    function = {row["relation"]: row["wde"] for row in common if row["class"] == "function"}
    content = {row["relation"]: row["wde"] for row in common if row["class"] == "content"}
    assert len(function) == 10  # all of the draft's table 2
    assert len(content) >= 19
    assert max(function.values()) < min(content.values())


def weighted_runs() -> Iterator[Any]:
    """Every run of the CoNLL 2017 scorer with weights that printed numbers for the same words."""
    for path in sorted(FOLDER.glob("expected/*.json")):
        case = json.loads(path.read_text())
        for run in case["runs"]:
            if "-w" in run["options"].split() and run.get("results") and not case["system"].endswith("_raw"):
                yield pytest.param(run, id=path.stem)


@needs(FOLDER)
def test_there_are_runs_with_weights() -> None:
    assert len(list(weighted_runs())) >= 4


@pytest.mark.parametrize("run", of_one_pair(weighted_runs(), every=3))
def test_weighted_las_of_the_shared_task_of_2017(run: dict[str, Any]) -> None:
    with treesql.connect() as db:
        for corpus in ("gold", "system"):
            db.load(FOLDER / run[corpus], corpus=corpus)
        db.sql(
            f"""
            INSERT INTO relation_weights
            SELECT DISTINCT 'clas', udeprel,
                   CASE WHEN udeprel IN {LIGHT} THEN 0.1 WHEN udeprel = 'punct' THEN 0 ELSE 1 END
            FROM words
            """
        )
        [row] = db.score("weighted_attachment", gold_corpus="gold", system_corpus="system", weights="clas").rows()
    printed = {result["field"]: result["value"] for result in run["results"] if result["metric"] == "WeightedLAS"}
    assert round(100 * row["wlas"], 2) == printed["recall"]
    assert round(100 * row["wlas_precision"], 2) == printed["precision"]


@pytest.mark.slow
@needs(FOLDER)
def test_the_experiment_with_the_parser_of_the_draft() -> None:
    """MaltParser on the gold files among its outputs: LAS as scorers print it, strong correlations as in the draft."""
    pairs = str(FOLDER / "pairs")
    measured = measure(TypologyTask(pairs, pairs, system="malt"))
    rows = {row["treebank"]: row for row in measured.of_system("malt").rows()}
    assert sorted(rows) == ["Croatian", "Danish", "English", "English-EWT", "Finnish"]
    for treebank, row in rows.items():
        runs = json.loads(Path(FOLDER / "expected" / f"{treebank}.malt.json").read_text())["runs"]
        [printed] = {
            result["value"]
            for run in runs
            if run["script"].startswith("udeval") and run.get("results")
            for result in run["results"]
            if (result["metric"], result["field"]) == ("LAS", "recall")
        }
        assert round(100 * row["las"], 2) == printed
    found = {(row["metric_a"], row["metric_b"]): row["r"] for row in correlations(measured, "malt").rows()}
    for pair in (("wlas", "las"), ("las", "content_precision"), ("content_precision", "content_recall")):
        assert found[pair] > 0.9
    assert found["function_share", "content_share"] < -0.5
