"""Why the paths of a sentence score so."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.evaluation.aligned_trees import FILES
from treesql.errors import UnknownName
from treesql.results.result import Explanation


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


def test_a_sentence_of_a_database(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as db:
        for corpus, file in zip(("r", "h", "l"), FILES, strict=True):
            db.load(file, corpus=corpus)
    found = explain("sherlock", "r", "h", "l", db=path)
    assert found.drawing == explain("sherlock", *FILES).drawing
    assert found.paths.rows() == explain("sherlock", *FILES).paths.rows()
