"""Scores by sentence and by any column."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.scoring.attachment import PAIR
from treesql.errors import UsageError


def test_by_sentence_every_sentence_has_a_row(examples: treesql.Database) -> None:
    rows = examples.score(
        "attachment", "exact_match", by="sentence", where="upos <> 'INTJ' AND form <> '!'", **PAIR
    ).rows()
    assert [row["sent_id"] for row in rows] == ["mat", "know", "hearing", "tea", "hello"]
    assert [row["uas"] for row in rows] == [6 / 7, 1, 8 / 9, 4 / 7, None]
    assert [row["words"] for row in rows] == [7, 5, 9, 7, 0]
    assert list(rows[0])[:3] == ["sentence", "sent_id", "words"]


@pytest.mark.parametrize(
    ("by", "group", "words", "uas", "exact_match"),
    [
        ("upos", "CCONJ", 1, 0.0, None),  # a column of the items: exact match has no word
        ("system_deprel", "cc", 1, 0.0, None),
        ("deprel", "nsubj:pass", 1, 1.0, None),  # of the gold word
        ("depth", 1, 5, 1.0, None),
        ("n_words", 9, 9, 8 / 9, 0.0),  # of the gold sentence: exact match has it too
        ("sent_id", "hello", 2, 1.0, 1.0),
        ("treebank", None, 30, 25 / 30, 1 / 5),  # of the corpus
    ],
)
def test_by_any_column(
    examples: treesql.Database, by: str, group: object, words: int, uas: float, exact_match: float | None
) -> None:
    rows = examples.score("attachment", "exact_match", by=by, **PAIR).rows()
    assert list(rows[0])[:2] == [by, "words"]
    assert sum(row["words"] for row in rows) == 30
    [row] = [row for row in rows if row[by] == group]
    assert (row["words"], row["uas"], row.get("exact_match")) == (words, pytest.approx(uas), exact_match)


def test_what_is_summed_is_no_group(examples: treesql.Database) -> None:
    with pytest.raises(UsageError, match="words is a count; group by another column"):
        examples.score("attachment", by="words", **PAIR)
    with pytest.raises(UsageError, match="at least one metric"):
        examples.score(**PAIR)


@pytest.mark.filterwarnings("ignore:.*repeated feature:treesql.TreesqlWarning")
def test_a_word_with_a_feature_twice_counts_once(db: treesql.Database, tmp_path: Path) -> None:
    line = "1\ta\t_\t_\t_\tNumber=Plur|Number=Sing\t0\troot\t_\t_\n\n"
    (tmp_path / "a.conllu").write_text(line)
    db.load(tmp_path / "a.conllu", corpus="gold")
    [row] = db.score("attachment", gold_corpus="gold", system_corpus="gold", by="Number").rows()
    assert (row["Number"], row["words"]) == ("Plur", 1)
