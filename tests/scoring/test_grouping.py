"""Scores by sentence and by any column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.house.rules import in_turn
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


@in_turn(
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


def test_a_row_for_every_combination(examples: treesql.Database) -> None:
    by = ["upos", "Number", "n_words/5"]
    counted = examples.sql(
        "SELECT w.upos, feature(w.feats, 'Number') AS number, l.n_words // 5 AS bin, count(*) AS words, "
        "avg(a.correct_head) AS uas FROM attachment('gold', 'parser-a') AS a "
        "JOIN words AS w ON w.corpus = 'gold' AND w.sentence = a.sentence AND w.word = a.word "
        "JOIN sentences AS l ON l.corpus = 'gold' AND l.sentence = a.sentence "
        "GROUP BY ALL ORDER BY ALL NULLS LAST"
    ).rows()
    rows = examples.score("attachment", "relation_class_scores", by=by, **PAIR).rows()
    assert list(rows[0])[:4] == [*by, "words"]
    assert [(row["upos"], row["Number"], row["n_words/5"], row["words"], row["uas"]) for row in rows] == [
        (row["upos"], row["number"], f"{5 * row['bin']}..{5 * row['bin'] + 4}", row["words"], pytest.approx(row["uas"]))
        for row in counted
    ]
    assert all(row["content_recall"] is not None for row in rows if row["upos"] == "NOUN")


def test_however_several_columns_are_written(examples: treesql.Database) -> None:
    expected = examples.score("attachment", by=["upos", "deprel"], **PAIR)
    for by in ("upos,deprel", " upos , deprel ", ("upos", "deprel"), ["upos,deprel"]):
        found = examples.score("attachment", by=by, **PAIR)
        assert found.arrow().equals(expected.arrow())
        assert found.signatures == expected.signatures
    assert "|by:upos,deprel|" in expected.signature
    turned = examples.score("attachment", by="deprel,upos", **PAIR)
    assert turned.columns[:2] == ["deprel", "upos"]
    assert turned.signature != expected.signature
    plain = examples.score("attachment", **PAIR)
    for nothing in (None, (), []):
        assert examples.score("attachment", by=nothing, **PAIR).arrow().equals(plain.arrow())


@in_turn(
    ("by", "message"),
    [
        (["upos", "upos"], "cannot group by upos twice"),
        (["upos", "UPOS"], "cannot group by upos twice; name each column once, whatever its case"),
        (["deprel", "words"], "words is a count; group by another column"),
        (["deprel", "words/5"], "words is a count; group by another column"),
        (",", "by is ','; name a column, or several with commas between"),
        ([""], "a name is empty; write a name"),
        (5, r"by takes text, a sequence of texts or None, not 5 \(int\)"),
    ],
)
def test_columns_that_cannot_be_groups(examples: treesql.Database, by: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        examples.score("attachment", by=by, **PAIR)


def test_sentences_within_combinations(examples: treesql.Database) -> None:
    """Combinations that occur are rows; a sentence alone is one whether or not it has items."""
    rows = examples.score("attachment", "exact_match", by=["upos", "sentence"], **PAIR).rows()
    assert list(rows[0])[:4] == ["upos", "sentence", "sent_id", "words"]
    assert sum(row["words"] for row in rows) == 30
    assert {row["sent_id"] for row in rows if row["upos"] == "INTJ"} == {"hello"}
    both = examples.score("attachment", by=["sentence", "sent_id"], **PAIR)
    assert both.columns[:3] == ["sentence", "sent_id", "words"]
    blocks = examples.score("attachment", by="sentence/2", where="upos <> 'INTJ' AND form <> '!'", **PAIR).rows()
    assert [(row["sentence/2"], row["words"]) for row in blocks] == [("0..1", 12), ("2..3", 16)]


@pytest.mark.filterwarnings("ignore:.*repeated feature:treesql.TreesqlWarning")
def test_a_word_with_a_feature_twice_counts_once(db: treesql.Database, tmp_path: Path) -> None:
    line = "1\ta\t_\t_\t_\tNumber=Plur|Number=Sing\t0\troot\t_\t_\n\n"
    (tmp_path / "a.conllu").write_text(line)
    db.load(tmp_path / "a.conllu", corpus="gold")
    [row] = db.score("attachment", gold_corpus="gold", system_corpus="gold", by="Number").rows()
    assert (row["Number"], row["words"]) == ("Plur", 1)
