"""Scores in the order in which they are named: in tables of scores, comparisons and reports, also over treebanks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES

FILES: dict[str, Any] = {
    "gold": FIXTURES / "gold.conllu", "systems": [FIXTURES / "parser-a.conllu", FIXTURES / "parser-b.conllu"]
}  # fmt: skip

ORDERS = ["las,uas", "uas,las", "content_recall,las,uas", "las,content_recall,uas"]
"""The last has scores of one metric on both sides of another's."""

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


@pytest.mark.spread(2)
@pytest.mark.parametrize("metric", ORDERS)
def test_comparisons_list_scores_as_they_are_named(metric: str) -> None:
    found = treesql.compare("dependency", **FILES, metric=metric, ci=False)
    assert ",".join(row["metric"] for row in found.rows()) == metric
    assert ",".join(found.scores.columns[1:]) == metric
    assert ",".join(treesql.score("dependency", **FILES, metric=metric).columns[1:]) == metric


@pytest.mark.spread(2)
@pytest.mark.parametrize("metric", ["uas,las", "content_recall,las"])
def test_the_first_score_of_a_report_is_its_main_one(metric: str) -> None:
    tables = treesql.report("dependency", **FILES, metric=metric).tables
    first = metric.partition(",")[0]
    for name in ("buckets", "sentences"):
        assert {row["metric"] for row in tables[name].rows()} == {first}
    assert ",".join(row["metric"] for row in tables["comparison"].rows()) == metric
    assert [name for name in tables["scores"].columns[1:] if not name.endswith(("_low", "_high"))] == metric.split(",")


def test_comparisons_of_treebanks_and_of_corpora(tmp_path: Path) -> None:
    for side, path in (("gold", FILES["gold"]), *zip("ab", FILES["systems"], strict=True)):
        (tmp_path / side).mkdir()
        for treebank in ("xx", "yy"):
            (tmp_path / side / f"{treebank}.conllu").write_bytes(path.read_bytes())
    folders = {"gold": tmp_path / "gold", "systems": [tmp_path / "a", tmp_path / "b"]}
    rows = treesql.compare("dependency", **folders, metric="las,content_recall,uas", ci=False).rows()
    assert [(row["treebank"], row["metric"]) for row in rows] == [
        (treebank, metric) for treebank in ("xx", "yy", "macro", "micro") for metric in ("las", "content_recall", "uas")
    ]
    with treesql.connect() as db:
        for name, path in (("gold", FILES["gold"]), *zip("ab", FILES["systems"], strict=True)):
            db.load(path, corpus=name)
        found = db.compare("las", "uas", gold_corpus="gold", systems=["a", "b"])
        assert [row["metric"] for row in found.rows()] == ["las", "uas"]
