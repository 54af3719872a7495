"""Parallel treebanks: the score by hand, its weights and conditions, and why the paths of a sentence score so."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import conllu, heard
from tests.evaluation.aligned_trees import FILES
from tests.evaluation.word_alignments import GOLD, LINKS, LINKS_A, PARSER_A, written
from treesql.errors import InvalidInput, UnknownName, UsageError
from treesql.results.result import Explanation


def score(gold: Sequence[str], *systems: Sequence[str], **how: Any) -> list[dict[str, Any]]:
    """Of trees of a, trees of b, and links."""
    roles = dict(zip(("gold_a", "gold_b", "gold_links"), gold, strict=True))
    named = dict(zip(("one", "two"), systems, strict=False))
    return treesql.score("parallel", **roles, systems=named, **how).rows()


@pytest.fixture
def gold(tmp_path: Path) -> list[str]:
    """Two sentences that are translations, and their links."""
    (tmp_path / "a.gold.conllu").write_bytes(conllu("the:2:det cat:3:nsubj sat:0:root .:3:punct"))
    (tmp_path / "b.gold.conllu").write_bytes(conllu("die:2:det Katze:0:root"))
    links = written(tmp_path / "gold.pharaoh", "0-0 1-1\n")
    return [str(tmp_path / "a.gold.conllu"), str(tmp_path / "b.gold.conllu"), links]


@pytest.fixture
def system(tmp_path: Path) -> list[str]:
    """UAS 2/3 without the full stop (3/4 with it), 1, and AER 1/3."""
    (tmp_path / "a.conllu").write_bytes(conllu("the:3:det cat:3:nsubj sat:0:root .:3:punct"))
    (tmp_path / "b.conllu").write_bytes(conllu("die:2:det Katze:0:root"))
    return [str(tmp_path / "a.conllu"), str(tmp_path / "b.conllu"), written(tmp_path / "links.pharaoh", "0-0\n")]


def test_by_hand(gold: list[str], system: list[str]) -> None:
    [found] = score(gold, system)
    joint = 2 * (2 + 2 + 1) / (2 * 3 + 2 * 2 + 1 + 2)
    scores = {"uas_a": 2 / 3, "uas_b": 1.0, "aer": 1 - 2 / 3, "pts": pytest.approx(7 / 9), "joint_f1": joint}
    assert found == {"system": "one", **scores}
    assert list(found) == ["system", "uas_a", "uas_b", "aer", "pts", "joint_f1"]
    assert score(gold, system, punctuation="all")[0]["uas_a"] == 3 / 4
    [weighed] = score(gold, system, weight_a=2, weight_b=0, weight_links=1)
    assert weighed["pts"] == pytest.approx(2 / 3)


def test_weights_that_are_none(gold: list[str], system: list[str]) -> None:
    with pytest.raises(UsageError, match="all weights are 0"):
        score(gold, system, weight_a=0, weight_b=0, weight_links=0)
    for wrong in (-1, float("nan"), float("inf")):
        with pytest.raises(UsageError, match=r"weight_b is .*; it is a number, 0 or more"):
            score(gold, system, weight_b=wrong)
    with pytest.raises(UsageError, match="the largest weight is 1e-300; multiply all weights by one number"):
        score(gold, system, weight_a=1e-300, weight_b=0, weight_links=0)


def test_links_are_within_the_trees(gold: list[str], system: list[str], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="links outside of their sentences: 1 of 1"):
        score(gold, [*system[:2], written(tmp_path / "far.pharaoh", "0-2\n")])


def test_a_condition_with_a_query_reads_what_it_needs() -> None:
    """The relations of the words are read by no score of parallel treebanks of all words."""
    files = (GOLD, GOLD, LINKS), (PARSER_A, PARSER_A, LINKS_A)
    with_obl = "sentence IN (SELECT w.sentence FROM words AS w WHERE w.DEPREL = 'obl')"
    given = {"punctuation": "all", "by": "sentence", "metric": "uas_a"}
    found = score(*files, where=with_obl, **given)
    whole = score(*files, **given)
    with treesql.connect() as db:
        for corpus in (GOLD, PARSER_A):
            db.load(corpus, corpus=corpus)
        chosen = {row["sentence"] for row in db.sql("SELECT sentence FROM words WHERE deprel = 'obl'").rows()}
    assert chosen
    assert [row for row in found if row["uas_a"] is not None] == [row for row in whole if row["sentence"] in chosen]


def test_links_that_agree_better_otherwise_are_doubted(tmp_path: Path) -> None:
    """All links are within the sentences, either way round."""
    trees = tmp_path / "trees.conllu"
    trees.write_bytes(conllu(" ".join(f"w{at}:{at}:dep" for at in range(41))))
    gold = written(tmp_path / "gold.pharaoh", " ".join(f"{at}-{at + 1}" for at in range(40)) + "\n")
    turned = written(tmp_path / "turned.pharaoh", " ".join(f"{at + 1}-{at}" for at in range(40)) + "\n")
    system = (str(trees), str(trees), turned)
    with heard() as told:
        rows = score((str(trees), str(trees), gold), system, system, metric="aer")
    assert [row["aer"] for row in rows] == [1, 1]
    [doubt] = [one for one in told if "links" in one]
    assert "0 of the first 40 links are those of gold.pharaoh; with reverse=True it would be 40" in doubt


@cache
def explain(sentence: str | int, reference: str, hypothesis: str, alignment: str, **how: Any) -> Explanation:
    return treesql.explain("paths", sentence, reference=reference, systems=[(hypothesis, alignment)], **how)


def test_why_a_sentence_scores_so() -> None:
    found = explain("sherlock", *FILES)
    lines = found.drawing.splitlines()
    assert "the detective is  becoming a   Sherlock Holmes" in lines
    assert " ↓4    ↓!5          ↓!3    ↓1    ↓!2" in lines
    assert "!NSUBJ" in found.drawing  # on a path that costs
    assert "─DET─" in found.drawing  # the detective's own is on none
    assert [(row["disparity"], row["maximum"]) for row in found.paths.rows()] == [(3, 3), (2, 2)]
    assert (len(found.graph), sum(row["chosen"] for row in found.graph.rows())) == (10, 4)
    assert len(explain("oh", *FILES).graph) == 0
    assert explain("oh", *FILES).svg().startswith("<svg")
    assert explain(0, *FILES).paths.rows() == found.paths.rows()
    assert not explain("rain", *FILES).paths.rows()
    assert "↓1,2" in explain("course", *FILES).drawing
    assert len(explain("oh", *FILES).paths) == 0
    with pytest.raises(UnknownName, match="did you mean sherlock"):
        explain("sherlok", *FILES)


@pytest.mark.slow
def test_a_sentence_of_a_database(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as db:
        for corpus, file in zip(("r", "h", "l"), FILES, strict=True):
            db.load(file, corpus=corpus)
    found = explain("sherlock", "r", "h", "l", db=path)
    assert found.drawing == explain("sherlock", *FILES).drawing
    assert found.paths.rows() == explain("sherlock", *FILES).paths.rows()
