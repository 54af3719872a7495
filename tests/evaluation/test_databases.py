"""Corpora of an open database scored and compared: by a kind with its roles, or by metrics with their parameters."""

from __future__ import annotations

import pytest

import treesql
from tests.conftest import heard
from tests.evaluation.systems import GOLD, A, B, rows
from tests.house.rules import in_turn
from treesql.errors import UnknownName, UsageError

PARSER = {"gold_corpus": "gold", "system_corpus": "parser-a"}
few = pytest.mark.filterwarnings("ignore:.*(only 5 sentences|differ in . of 5 sentences)")


def test_a_kind_is_scored_as_its_files_are(examples: treesql.Database) -> None:
    given = {"punctuation": "form", "by": "upos", "where": "upos <> 'X'"}
    found = examples.score("dependency", gold="gold", systems={"parser-a.conllu": "parser-a"}, **given)
    assert found.rows() == rows(A, **given)
    several = examples.score("dependency", gold="gold", systems=["parser-a", "parser-b"], metric="las")
    assert several.rows() == [{"system": "parser-a", "las": 24 / 30}, {"system": "parser-b", "las": 27 / 30}]
    assert list(several.signatures) == ["parser-a:las", "parser-b:las"]
    table = examples.score("dependency", gold="gold", systems=["parser-a"], table="upos_accuracy")
    assert table.rows() == [{**row, "system": "parser-a"} for row in rows(A, table="upos_accuracy")]
    more = examples.score("constituency", gold="gold parses", systems=["test parses"], with_="ted")
    assert more.rows()[0]["ted"] >= 0


def test_metrics_are_scored_in_one_row(examples: treesql.Database) -> None:
    [row] = examples.score("attachment", "exact_match", **PARSER).rows()
    assert list(row) == ["words", "uas", "las", "la", "exact_match", "exact_match_unlabelled"]
    assert (row["las"], row["exact_match"]) == (24 / 30, 1 / 5)
    lattices = {"lattice_corpus": "lattices", "reference_corpus": "references"}
    [one] = examples.score("graph_error", **lattices).rows()
    [two] = examples.score("graph_error", **lattices, other_corpora="references-2").rows()
    assert (one["ger"], two["ger"]) == (1, 0)
    kind = {"systems": ["lattices"], "reference": ["references", "references-2"]}
    assert examples.score("lattice", **kind, metric="ger").rows() == [{"system": "lattices", "ger": 0}]


def test_words_that_differ_are_aligned(db: treesql.Database, cut: str) -> None:
    for corpus, path in (("gold", GOLD), ("a", A), ("cut", cut)):
        db.load(path, corpus=corpus)
    with heard() as told:
        found = db.score("dependency", gold="gold", systems=["a", "cut"], metric="las")
        [alone] = db.score("attachment", gold_corpus="gold", system_corpus="cut").rows()
        [row] = db.compare("dependency", gold="gold", systems=["a", "cut"], metric="las", runs=10).rows()
    assert found.rows() == [{**row, "system": name} for row, name in zip(aligned(cut), ("a", "cut"), strict=True)]
    assert (alone["las"], row["score_b"]) == (found.rows()[1]["las"], found.rows()[1]["las"])
    aligning = [one for one in told if "aligned by their characters" in one]
    assert [one.split(":")[0] for one in aligning] == ["gold"] * 3
    with heard():
        [exact] = db.score("exact_match", gold_corpus="gold", system_corpus="cut").rows()
    assert exact == {"exact_match": 0, "exact_match_unlabelled": 0}


def aligned(cut: str) -> list[dict[str, object]]:
    """LAS of parser-a and cut, of files."""
    with heard():
        return rows(A, cut, metric="las")


def test_warnings_point_at_the_caller(db: treesql.Database, cut: str) -> None:
    for corpus, path in (("gold", GOLD), ("cut", cut)):
        db.load(path, corpus=corpus)
    for names, given in (
        ("dependency", {"gold": "gold", "systems": ["cut"], "metric": "las"}),
        ("attachment", {"gold_corpus": "gold", "system_corpus": "cut"}),
    ):
        with pytest.warns(treesql.TreesqlWarning) as told:
            db.score(names, **given)
        assert [one.filename for one in told] == [__file__]


@in_turn(
    ("names", "given", "error", "message"),
    [
        ((), PARSER, UsageError, "name at least one metric"),
        (("atachment",), PARSER, UnknownName, "did you mean attachment"),
        (("upos_accuracy",), PARSER, UsageError, "upos_accuracy is a statistic and has no scores"),
        (("dependency", "attachment"), PARSER, UsageError, "dependency is a kind of evaluation; name its metrics by"),
        (("attachment",), {"gold": "gold", "system": "parser-a"}, UnknownName, "parameter of attachment 'gold'"),
        (("attachment",), {**PARSER, "punctation": "all"}, UnknownName, "did you mean punctuation"),
        (("attachment",), {**PARSER, "punctuation": "some"}, UsageError, "punctuation cannot be 'some'"),
        (("attachment",), {"gold_corpus": "gold"}, UsageError, "system_corpus"),
        (("attachment",), {**PARSER, "system_corpus": "parser-c"}, UnknownName, "did you mean parser-b or parser-a"),
        (("attachment",), {**PARSER, "system_corpus": "links"}, UsageError, "links has links between words, and "),
        (("attachment", "agreement"), PARSER, UsageError, "agreement is not a metric of the kind dependency"),
        (("dependency",), {"gold": "gold"}, UsageError, "name at least one system: SYSTEM"),
        (("dependency",), PARSER, UnknownName, "unknown option of the kind dependency 'gold_corpus'"),
        (("dependency",), {"gold": "gold", "systems": ["parser-c"]}, UnknownName, "unknown corpus 'parser-c'"),
        (("dependency",), {"gold": "gold", "systems": ["parser-a"], "format": "conllx"}, UsageError, "with db="),
    ],
)  # fmt: skip
def test_what_cannot_be_scored(
    examples: treesql.Database, names: tuple[str, ...], given: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        examples.score(*names, **given)


@few
def test_comparisons_by_a_kind_or_by_scores(examples: treesql.Database) -> None:
    systems, how = ["parser-a", "parser-b"], {"runs": 100, "seed": 1}
    by_kind = examples.compare("dependency", gold="gold", systems=systems, metric="las", **how)
    by_score = examples.compare("attachment.las", gold_corpus="gold", systems=systems, **how)
    of_files = treesql.compare(
        "dependency", gold=GOLD, systems=dict(zip(systems, (A, B), strict=True)), metric="las", **how
    )
    assert by_kind.rows() == by_score.rows() == of_files.rows()
    several = examples.compare("las", "exact_match", gold_corpus="gold", systems=systems).rows()
    assert [row["metric"] for row in several] == ["las", "exact_match", "exact_match_unlabelled"]
    [row] = examples.compare(
        "attachment.las",
        systems={name: {"system_corpus": "parser-a", "punctuation": name} for name in ("all", "form")},
        gold_corpus="gold",
    ).rows()
    assert (row["score_a"], row["score_b"]) == (24 / 30, 19 / 25)


@in_turn(
    ("names", "given", "error", "message"),
    [
        ((), {}, UsageError, "name at least one metric"),
        (("lass",), {}, UnknownName, "unknown metric or score 'lass'; did you mean las"),
        (
            ("precision",),
            {},
            UsageError,
            "precision is a score of several metrics; write agreement.precision or evalb.p",
        ),
        (("las",), {}, UsageError, "attachment needs a value for gold_corpus: corpus of the gold trees"),
        (("las",), {"gold_corpus": "gold", "punctation": "all"}, UnknownName, "did you mean punctuation"),
        (("las",), {"gold_corpus": "gld"}, UnknownName, "unknown corpus 'gld'; did you mean gold"),
        (("las", "agreement"), {"gold_corpus": "gold"}, UsageError, "agreement is not a metric of the kind dependency"),
        (
            ("dependency", "las"),
            {"gold": "gold"},
            UsageError,
            "dependency is a kind of evaluation; name its metrics by",
        ),
        (("dependency",), {"gold": "gold", "systems": ["parser-a"]}, UsageError, "two systems at least"),
    ],
)
def test_what_cannot_be_compared(
    examples: treesql.Database, names: tuple[str, ...], given: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        examples.compare(*names, **{"systems": ["parser-a", "parser-b"], **given})
