"""Parallel treebanks: the score by hand, conditions, and links that were read in a wrong way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import conllu
from tests.evaluation.word_alignments import GOLD, LINKS, LINKS_A, PARSER_A, written
from treesql.errors import Diagnostic, InvalidInput, UsageError
from treesql.evaluation import parallel_treebanks
from treesql.evaluation.parallel_treebanks import ParallelTreebank


def test_parallel_score_by_hand(tmp_path: Path) -> None:
    """UAS 2/3 without the full stop (3/4 with it), 1/2, and AER 1/3."""
    (tmp_path / "a.gold.conllu").write_bytes(conllu("the:2:det cat:3:nsubj sat:0:root .:3:punct"))
    (tmp_path / "a.conllu").write_bytes(conllu("the:3:det cat:3:nsubj sat:0:root .:3:punct"))
    (tmp_path / "b.gold.conllu").write_bytes(conllu("die:2:det Katze:0:root"))
    (tmp_path / "b.conllu").write_bytes(conllu("die:2:det Katze:1:root".replace("1:root", "0:root")))
    links = written(tmp_path / "gold.pharaoh", "0-0 1-1\n"), written(tmp_path / "links.pharaoh", "0-0\n")
    gold = ParallelTreebank(str(tmp_path / "a.gold.conllu"), str(tmp_path / "b.gold.conllu"), links[0])
    system = ParallelTreebank(str(tmp_path / "a.conllu"), str(tmp_path / "b.conllu"), links[1])

    def pts(**parameters: object) -> dict[str, Any]:
        [row] = parallel_treebanks.evaluate(parallel_treebanks.ParallelTask(gold, {"one": system}, parameters)).rows()
        return row

    found = pts()
    assert found == {"system": "one", "uas_a": 2 / 3, "uas_b": 1.0, "aer": 1 - 2 / 3, "pts": pytest.approx(7 / 9)}
    assert list(found) == ["system", "uas_a", "uas_b", "aer", "pts"]
    assert pts(punctuation="all")["uas_a"] == 3 / 4
    assert pts(weight_a=2, weight_b=0, weight_links=1)["pts"] == pytest.approx(2 / 3)
    with pytest.raises(UsageError, match="all weights are 0"):
        pts(weight_a=0, weight_b=0, weight_links=0)
    for wrong in (-1, float("nan"), float("inf")):
        with pytest.raises(UsageError, match=r"weight_b is .*; a weight is a number, 0 or more"):
            pts(weight_b=wrong)
    with pytest.raises(UsageError, match="has links between words, and gold_a_corpus is for dependency trees"):
        parallel_treebanks.evaluate(
            parallel_treebanks.ParallelTask(ParallelTreebank(links[1], gold.b, links[0]), {"one": system})
        )
    far = ParallelTreebank(system.a, system.b, written(tmp_path / "far.pharaoh", "0-2\n"))
    with pytest.raises(InvalidInput, match="links outside of their sentences: 1 of 1"):
        parallel_treebanks.evaluate(parallel_treebanks.ParallelTask(gold, {"one": far}))


def test_a_condition_with_a_query_reads_what_it_needs() -> None:
    """The relations of the words are read by no score of parallel treebanks of all words."""
    gold, system = ParallelTreebank(GOLD, GOLD, LINKS), ParallelTreebank(PARSER_A, PARSER_A, LINKS_A)
    with_obl = "sentence IN (SELECT w.sentence FROM words AS w WHERE w.DEPREL = 'obl')"
    given = {"parameters": {"punctuation": "all"}, "by": "sentence"}
    found = parallel_treebanks.evaluate(
        parallel_treebanks.ParallelTask(gold, {"one": system}, where=with_obl, **given)
    ).rows()
    whole = parallel_treebanks.evaluate(parallel_treebanks.ParallelTask(gold, {"one": system}, **given)).rows()
    with treesql.connect() as db:
        for corpus in (GOLD, PARSER_A):
            db.load(corpus, corpus=corpus)
        chosen = {row["sentence"] for row in db.sql("SELECT sentence FROM words WHERE deprel = 'obl'").rows()}
    assert chosen
    assert [row for row in found if row["uas_a"] is not None] == [row for row in whole if row["sentence"] in chosen]


def test_links_of_parallel_treebanks_that_agree_better_otherwise_are_doubted(tmp_path: Path) -> None:
    """All links are within the sentences, either way round."""
    trees = tmp_path / "trees.conllu"
    trees.write_bytes(conllu(" ".join(f"w{at}:{at}:dep" for at in range(41))))
    gold = written(tmp_path / "gold.pharaoh", " ".join(f"{at}-{at + 1}" for at in range(40)) + "\n")
    turned = written(tmp_path / "turned.pharaoh", " ".join(f"{at + 1}-{at}" for at in range(40)) + "\n")
    systems = {
        "one": ParallelTreebank(str(trees), str(trees), turned),
        "two": ParallelTreebank(str(trees), str(trees), turned),
    }
    told: list[Diagnostic] = []
    task = parallel_treebanks.ParallelTask(ParallelTreebank(str(trees), str(trees), gold), systems, warn=told.append)
    assert [row["aer"] for row in parallel_treebanks.evaluate(task).rows()] == [1, 1]
    assert [one.what for one in told] == [
        "0 of the first 40 links are those of gold.pharaoh; with --reverse it would be 40"
    ]
