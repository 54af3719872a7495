"""Items -> scores. The numbers of fixtures/ are counted by hand: 30 words, 5 of them punctuation.

parser-a: wrong heads mat 6, hearing 7, tea 4, 5, 6; wrong universal relations mat 6, know 2, hearing 7, tea 6, and full
relations hearing 2 as well."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.house.rules import in_turn
from tests.scoring.attachment import PAIR, one
from treesql.errors import QueryError, UnknownName, UsageError
from treesql.scoring import items


@pytest.mark.filterwarnings("ignore:.*no item meets the condition")
@in_turn(
    ("options", "words", "uas", "las", "la"),
    [
        ({}, 30, 25 / 30, 24 / 30, 26 / 30),
        ({"relations": "full"}, 30, 25 / 30, 23 / 30, 25 / 30),
        ({"punctuation": "form"}, 25, 20 / 25, 19 / 25, 21 / 25),
        ({"punctuation": "relation"}, 25, 20 / 25, 19 / 25, 21 / 25),
        ({"match": "sent_id"}, 30, 25 / 30, 24 / 30, 26 / 30),
        ({"where": "upos = 'NOUN'"}, 7, 4 / 7, 4 / 7, 4 / 7),
        ({"where": "words = 0"}, 0, None, None, None),
    ],
)
def test_attachment(
    examples: treesql.Database, options: dict[str, object], words: int, uas: float, las: float, la: float
) -> None:
    assert one(examples, "attachment", **options) == pytest.approx({"words": words, "uas": uas, "las": las, "la": la})


def test_punctuation_by_relation_is_that_of_either_tag(db: treesql.Database, tmp_path: Path) -> None:
    """Words with the relation punct or the part of speech PUNCT are left out, of whichever they have one alone."""
    (tmp_path / "gold.conllu").write_bytes(
        conllu("a:2:nsubj:NOUN b:0:root:VERB x:2:discourse:PUNCT y:2:punct:SYM z:2:punct:PUNCT ,:2:obj:NOUN")
    )
    (tmp_path / "system.conllu").write_bytes(
        conllu("a:2:nsubj:NOUN b:0:root:VERB x:1:discourse:PUNCT y:1:punct:SYM z:1:punct:PUNCT ,:1:obj:NOUN")
    )
    for corpus in ("gold", "system"):
        db.load(tmp_path / f"{corpus}.conllu", corpus=corpus)
    for punctuation, words in {"all": 6, "relation": 3, "form": 5}.items():
        row = one(db, "attachment", system_corpus="system", punctuation=punctuation)
        assert row == {"words": words, "uas": 2 / words, "las": 2 / words, "la": 1}, punctuation


def test_exact_match(examples: treesql.Database) -> None:
    assert one(examples, "exact_match") == {"exact_match": 1 / 5, "exact_match_unlabelled": 2 / 5}
    # parser-b errs in mat, hearing and in the full stop of know, which does not count without punctuation
    assert one(examples, "exact_match", system_corpus="parser-b")["exact_match"] == 2 / 5
    assert one(examples, "exact_match", system_corpus="parser-b", punctuation="form")["exact_match"] == 3 / 5


def test_a_system_equals_itself(examples: treesql.Database) -> None:
    row = one(examples, "attachment", "exact_match", system_corpus="gold")
    assert row == {"words": 30, "uas": 1, "las": 1, "la": 1, "exact_match": 1, "exact_match_unlabelled": 1}


def test_relations_left_open_on_both_sides_are_the_same(db: treesql.Database, tmp_path: Path) -> None:
    """As the CoNLL scripts have it, for which `_` is a relation like any other."""
    (tmp_path / "a.conllu").write_bytes(conllu("a:0:_ b:1:_"))
    db.load(tmp_path / "a.conllu", corpus="gold")
    assert one(db, "attachment", system_corpus="gold") == {"words": 2, "uas": 1, "las": 1, "la": 1}


def test_unknown_names_and_broken_conditions(examples: treesql.Database) -> None:
    with pytest.raises(UnknownName, match="did you mean"):
        examples.score("attachment", by="sentnce", **PAIR)
    with pytest.raises(UnknownName, match="unknown corpus 'parser-c'; did you mean parser-"):
        examples.score("attachment", gold_corpus="gold", system_corpus="parser-c")
    with pytest.raises(UnknownName, match="unknown corpus 'parser-c'"):
        examples.query("word_pairs", gold_corpus="gold", system_corpus="parser-c")
    with pytest.raises(QueryError, match="there is no corpus parser-c"):
        examples.sql("FROM attachment('gold', 'parser-c')")
    with pytest.raises(UsageError, match="word_pairs is a relation and has no scores"):
        examples.score("word_pairs", **PAIR)
    with pytest.raises(UnknownName, match="column of the items of attachment 'n_wordz'; did you mean n_words"):
        examples.score("attachment", where="n_wordz > 5", **PAIR)
    with pytest.raises(QueryError, match=r"query attachment with .*nonsense") as caught:
        examples.score("attachment", where="nonsense(head) = 1", **PAIR)
    assert "WITH sentence_pairs AS" in str(caught.value), "the error carries the SQL"


def test_sentences_correspond_by_sent_id(db: treesql.Database, tmp_path: Path, examples: treesql.Database) -> None:
    """A system's file in another order scores the same by sent_id."""
    text = (FIXTURES / "parser-a.conllu").read_text()
    sentences = text.removesuffix("\n\n").split("\n\n")
    (tmp_path / "shuffled.conllu").write_text("\n\n".join(sentences[::-1]) + "\n\n")
    db.load(tmp_path / "shuffled.conllu", corpus="parser-a")
    db.load(FIXTURES / "gold.conllu", corpus="gold")
    assert one(db, "attachment", match="sent_id") == one(examples, "attachment")


def test_an_unparsed_system_scores_zero(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "gold.conllu").write_bytes(conllu("a:0:root b:1:x"))
    (tmp_path / "system.conllu").write_bytes(conllu("a:_:_ b:_:_"))
    for name in ("gold", "system"):
        db.load(tmp_path / f"{name}.conllu", corpus=name)
    with pytest.warns(treesql.TreesqlWarning, match="1 sentence without heads"):
        assert one(db, "attachment", system_corpus="system") == {"words": 2, "uas": 0, "las": 0, "la": 0}


def test_a_score_is_no_metric(examples: treesql.Database) -> None:
    with pytest.raises(UsageError, match=r"las is a score; name its metric, .*attachment"):
        examples.score("las", **PAIR)


@pytest.mark.usefixtures("toy_metric")
def test_a_metric_is_one_file(examples: treesql.Database) -> None:
    """Corpus, group and sentence scores, conditions and a signature, with nothing but the file."""
    assert examples.score("form_length", text_corpus="gold", where="sentence = 4").rows() == [
        {"words": 2, "mean_length": 3.0}
    ]
    by_upos = {
        row["upos"]: row["mean_length"] for row in examples.score("form_length", text_corpus="gold", by="upos").rows()
    }
    assert by_upos["PUNCT"] == 1
    assert by_upos["INTJ"] == 5
    by_sentence = examples.score("form_length", text_corpus="gold", by="sentence").rows()
    assert by_sentence[4] == {"sentence": 4, "sent_id": "hello", "words": 2, "mean_length": 3.0}
    assert items.find_metric("form_length").reference_corpus == "text_corpus"
    assert examples.score("form_length", text_corpus="gold").signature.startswith("words,mean_length|text:gold.conllu@")


def names(**columns: list[str]) -> list[tuple[str, list[str]]]:
    """By metric, in the order of the columns."""
    return [(query.name, [score.name for score in scores]) for query, scores in items.scores_of(columns)]


def test_scores_are_in_the_order_in_which_they_are_named() -> None:
    assert names(attachment=["words", "uas", "las", "la"]) == [("attachment", ["uas", "las", "la"])]
    assert names(exact_match=["exact_match", "exact_match_unlabelled"], attachment=["la", "uas"]) == [
        ("exact_match", ["exact_match", "exact_match_unlabelled"]), ("attachment", ["la", "uas"]),
    ]  # fmt: skip
    assert names() == []


def test_counts_alone_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match=r"^words of attachment cannot be compared; its scores are uas, uas_prec"):
        names(attachment=["words"])


def test_two_scores_of_one_name() -> None:
    with pytest.raises(
        UsageError,
        match="and aligned_dependency_tree_edit both have a score tree_edit_normalised; name one",
    ):
        names(dependency_tree_edit=["tree_edit_normalised"], aligned_dependency_tree_edit=["tree_edit_normalised"])
    assert len(names(attachment=["las"], exact_match=["exact_match"])) == 2
