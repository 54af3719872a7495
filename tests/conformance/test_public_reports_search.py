"""Search, and sentences by their numbers, on inputs after public bug reports; values of other tools and definitions."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conformance.cases import CASES, needs
from tests.conftest import heard
from treesql.errors import NothingFound, RequestError, TreesqlWarning, UsageError

REPORTS = CASES / "reports"

pytestmark = needs(REPORTS)


def test_every_sentence_is_shown_by_its_number(tmp_path: Path) -> None:
    with treesql.connect() as db:
        with pytest.warns(TreesqlWarning, match="2 sentences with a repeated sent_id: 1, 2"):
            db.load(REPORTS / "repeated-ids.conllu", corpus="trees")
        for number, form in enumerate(("dog", "cat", "cow", "hen")):
            assert db.sentence(f"#{number}").words[0]["form"] == form
            assert db.sentence(number).words[0]["form"] == form
        with pytest.raises(UsageError, match="by its number: '#1', '#3'"):
            db.sentence("2")


@pytest.mark.parametrize(
    ("file", "requests"),
    [("unlabelled-top.mrg", ("@NP $. VP", "NP-SBJ $ VP")), ("tregex-tokens.mrg", ("NP<(DT$..NN)", "foo$..bar"))],
)
def test_counts_of_tregex(db: treesql.Database, file: str, requests: tuple[str, ...]) -> None:
    db.load(REPORTS / file, corpus="trees")
    for request_text in requests:
        assert db.find(request_text, count=True).rows() == [{"count": 1}], request_text


def test_a_brace_in_a_regular_expression_makes_no_grew_request() -> None:
    found = treesql.find(REPORTS / "tregex-tokens.mrg", "/^[a-z]{3}$/", by="sentence,node.label")
    labels = [(row["sentence"], row["node.label"]) for row in found.rows()]
    assert sorted(labels) == [(0, "bar"), (0, "foo"), (1, "dog"), (1, "the")]
    with pytest.warns(NothingFound, match="no node matches"):
        assert treesql.find(REPORTS / "tregex-tokens.mrg", r"NN < /\{/", count=True).rows() == [{"count": 0}]


def test_a_name_given_twice_in_a_conjunction_is_an_error() -> None:
    with pytest.raises(RequestError, match="the name `a` is given twice in one conjunction"):
        treesql.find(REPORTS / "tregex-tokens.mrg", "foo=a $ bar=a")


@pytest.mark.parametrize(("name", "expected"), [("half-parsed", 2), ("unparsed", 1)])
def test_words_without_heads_are_found(name: str, expected: int) -> None:
    found = treesql.find(REPORTS / f"{name}.conllu", "pattern { X[upos=NOUN] }", count=True)
    assert found.rows() == [{"count": expected}]


def test_shares_over_parsed_words() -> None:
    with heard() as warnings:
        [row] = treesql.stats(REPORTS / "half-parsed.conllu").rows()
    shares = [round(100 * row[f"{name}_share"], 2) for name in ("function", "content", "other")]
    assert shares == [33.33, 66.67, 0]
    assert any("3 of 6 words have no head" in warning for warning in warnings)


def test_every_value_of_a_repeated_feature_is_found() -> None:
    for value in ("Acc", "Nom"):
        with pytest.warns(TreesqlWarning, match=r"repeated-feature\.conllu:5: 1 sentence with a repeated feature"):
            found = treesql.find(REPORTS / "repeated-feature.conllu", f"pattern {{ X[Case={value}] }}", columns="X")
        assert [row["X"] for row in found.rows()] == [4]


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize("key", ["newdoc", 'meta."newdoc id"'])
def test_sentences_by_document(key: str) -> None:
    found = treesql.find(REPORTS / "documents.conllu", "pattern { }", by=key)
    assert {row[key]: row["count"] for row in found.rows()} == {"alpha": 3, "beta": 2}
    request = 'pattern { meta."newdoc id" = alpha }'
    assert treesql.find(REPORTS / "documents.conllu", request, count=True).rows() == [{"count": 3}]
