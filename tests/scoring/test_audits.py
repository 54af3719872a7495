"""What cannot be compared is refused by the audits of a metric."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import conllu, heard
from tests.scoring.attachment import one
from treesql.errors import Incomparable, UsageError
from treesql.scoring import items, scores

ENDED = "the texts part here: the system's text has ended where the gold text has `b`"


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize(
    ("gold", "system", "match", "messages"),
    [
        (
            "a:0:root",
            "a:0:root|b:0:root",
            "order",
            ["the texts part here: `b` where the gold text has ended"],
        ),
        (
            "a:0:root|b:0:root",
            "a:0:root",
            "order",
            [ENDED],
        ),
        (
            "a:0:root b:1:x",
            "a:0:root",
            "order",
            [ENDED],
        ),
        ("a:0:root b:1:x", "a:0:root c:1:x", "order", ["the texts part here: `c` where the gold text has `b`"]),
        ("a:_:_", "a:0:root", "order", ["this gold sentence is not parsed"]),
        (
            "a:0:root",
            "a:0:root",
            "sent_id",
            ["gold sentence 1 has no sent_id; .*match='order'", "sentence 1 of system has no sent_id"],
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    db: treesql.Database, tmp_path: Path, gold: str, system: str, match: str, messages: list[str]
) -> None:
    for name, sentences in (("gold", gold), ("system", system)):
        (tmp_path / f"{name}.conllu").write_bytes(conllu(*sentences.split("|")))
        db.load(tmp_path / f"{name}.conllu", corpus=name)
    with pytest.raises(Incomparable, match=messages[0]):
        db.query("attachment", gold_corpus="gold", system_corpus="system", match=match)
    with pytest.raises(Incomparable, match=messages[0]) as caught:
        db.score("exact_match", gold_corpus="gold", system_corpus="system", match=match)
    assert len(caught.value.faults) == len(messages)
    assert all(fault.line >= 1 and fault.path.startswith(str(tmp_path)) for fault in caught.value.faults)


def test_sent_ids_that_differ(db: treesql.Database, tmp_path: Path) -> None:
    """Ids that repeat are the only fault that is reported: others follow from it."""
    texts = {"gold": ["x", "y"], "system": ["x", "z"], "twice": ["x", "x"]}
    for name, ids in texts.items():
        written = [
            f"# sent_id = {one}\n".encode() + conllu(f"{name}:0:root" if name == "twice" else "a:0:root") for one in ids
        ]
        (tmp_path / f"{name}.conllu").write_bytes(b"".join(written))
        with heard():
            db.load(tmp_path / f"{name}.conllu", corpus=name)

    def faults(gold: str, system: str) -> list[str]:
        with pytest.raises(Incomparable) as caught:
            db.query("attachment", gold_corpus=gold, system_corpus=system, match="sent_id")
        return [fault.what for fault in caught.value.faults]

    assert faults("gold", "system") == [
        "gold sentence y has no counterpart in system, where no sentence has its sent_id",
        "sentence z of system has no counterpart among the gold sentences, of which none has its sent_id",
    ]
    for pair in (("gold", "twice"), ("twice", "gold")):
        assert faults(*pair) == ["2 sentences of twice have the sent_id x, so that sentences cannot be matched by it"]


def test_repeated_sent_ids_cannot_be_matched(db: treesql.Database, tmp_path: Path) -> None:
    sentence = b"# sent_id = x\n" + conllu("a:0:root")
    (tmp_path / "twice.conllu").write_bytes(sentence * 2)
    with pytest.warns(treesql.TreesqlWarning, match="1 sentence with a repeated sent_id: x"):
        db.load(tmp_path / "twice.conllu", corpus="gold")
    with pytest.raises(
        Incomparable,
        match=r"2 sentences of gold have the sent_id x, so .* matched by it; .*match='order'",
    ):
        db.score("attachment", gold_corpus="gold", system_corpus="gold", match="sent_id")
    assert one(db, "attachment", system_corpus="gold")["uas"] == 1


@pytest.mark.usefixtures("toy_metric")
def test_an_audit_has_its_own_default_where_the_metric_does_not_declare_a_parameter(examples: treesql.Database) -> None:
    """The longest forms of gold have 7 and 9 characters, `hearing` and `scheduled`; the audit allows 6."""
    for ask in (
        lambda name, **given: examples.score(name, text_corpus="gold", **given),
        lambda name, **given: scores.sentence_sums(examples.engine, [name], {"text_corpus": "gold", **given}),
        lambda name, **given: scores.select_items(
            examples.engine, name, {"text_corpus": "gold", **given}, ["sentence"]
        ),
        lambda name, **given: examples.query(name, text_corpus="gold", **given),
    ):
        with pytest.raises(Incomparable, match="hearing is long"):
            ask("audited")
        with pytest.raises(Incomparable, match="hearing is long"):
            ask("audited_as_given")
        ask("audited_as_given", longest=9)
    assert examples.score("audited", text_corpus="hypotheses").rows() == [{"audited_length": 12}]
    [counted] = scores.sentence_sums(examples.engine, ["audited"], {"text_corpus": "hypotheses"})
    assert counted.values[:, 0, 0].tolist() == [3, 6, 3]
    [row] = examples.score("audited_as_given", "audited", text_corpus="gold", longest=9).rows()
    assert row == {"audited_as_given_length": 30, "audited_length": 30}


def test_scores_of_one_name_are_not_asked_for_at_once() -> None:
    scores_of = {"attachment": ["las", "uas"], "further": ["uas"]}
    with pytest.raises(UsageError, match="attachment and further both have a score uas; name one at a time"):
        items.check_distinct_scores(scores_of)
