"""Why a request finds nothing."""

from __future__ import annotations

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from treesql.search.grew.vocabulary import Vocabulary
from treesql.search.searches import MAX_WARNINGS


@pytest.mark.parametrize(
    ("request_", "remark"),
    [
        ("pattern { X [!Numbr] }", "no word has the feature 'Numbr'; did you mean Number"),
        ("pattern { X -[^nsbj]-> Y }", "no edge has the relation 'nsbj'; did you mean nsubj"),
        ("pattern { X -[1=ojb|det]-> Y }", "no edge has the relation 'ojb'; did you mean"),
        ("pattern { X []; !meta.spaeker }", "no sentence has the comment 'spaeker'; did you mean speaker?"),
        ("pattern { X -[E:nsbj|det]-> Y }", "no enhanced edge has the relation 'nsbj'; did you mean nsubj"),
    ],
)
def test_unknown_names_are_told(small: treesql.Database, request_: str, remark: str) -> None:
    with pytest.warns(treesql.TreesqlWarning) as warned:
        assert len(small.find(request_))
    assert [str(one.message)[: len(remark)] for one in warned] == [remark]


@in_turn(
    ("request_", "why"),
    [
        ("pattern { X [upos=VRB] }", "no word has `upos=VRB`; did you mean VERB?"),
        ("pattern { X [Number=Snig] }", "no word has `Number=Snig`; did you mean Sing?"),
        ("pattern { X [upos=ADJ, Number=Sing] }", "no word matches `X [upos=ADJ, Number=Sing]`"),
        ("pattern { X -[2=passs]-> Y }", "no edge matches `X -[2=passs]-> Y`"),
        ("pattern { X [upos=ADJ]; X [upos=DET] }", "upos of X cannot be `upos=ADJ` and `upos=DET` at once"),
        ("pattern { X [upos=ADJ, !upos] }", "upos of X cannot be `upos=ADJ` and `!upos` at once"),
        ("pattern { X []; Y []; Z []; X << Y; Y < Z; Z << X }", "X cannot precede itself"),
        ("pattern { X -> Y; Z -> Y }", "Y cannot have both X and Z as heads"),
        ("pattern { X -> Y; Y -> X }", "cannot be below itself: the basic tree has no cycles"),
        (
            "pattern { X [upos=VERB]; X -[det]-> Y }",
            "the clauses joined with it have 3 matches; `X -[det]-> Y` leaves none of them",
        ),
        (
            "pattern { X [upos=VERB]; Y [upos=DET]; X -[nsubj]-> Y }",
            "the others match; `X -[nsubj]-> Y` leaves none of them",
        ),
        (
            "pattern { X -[nsubj]-> Y; X << Y }",
            "the clauses joined with it have 2 matches; `X << Y` leaves none of them",
        ),
        (
            "pattern { X [upos=VERB] } without { X [] }",
            "the pattern alone has 3 matches; `without { X [] }` leaves none",
        ),
        (
            "pattern { X [upos=VERB] } with { X -[obj]-> Y } with { X -[conj]-> Y }",
            "the pattern alone has 3 matches; the",
        ),
    ],
)
def test_why_nothing_is_found(small: treesql.Database, request_: str, why: str) -> None:
    with pytest.warns(treesql.TreesqlWarning) as warned:
        assert not len(small.find(request_))
    assert any(why in str(one.message) for one in warned), [str(one.message) for one in warned]


@pytest.mark.parametrize(
    ("request_", "by"),
    [
        ("pattern { X [] }", "meta.speaker"),
        ("global { meta.speaker = Ann } pattern { X [] }", "meta.speaker"),
        ("global { meta.speaker = Ann } pattern { X [] }", None),
    ],
)
def test_a_key_is_looked_up_once(
    small: treesql.Database, monkeypatch: pytest.MonkeyPatch, request_: str, by: str | None
) -> None:
    asked: list[str] = []
    has_comment = Vocabulary.has_comment

    def listen(self: Vocabulary, key: str) -> bool:
        asked.append(key)
        return has_comment(self, key)

    monkeypatch.setattr(Vocabulary, "has_comment", listen)
    small.find(request_, **({"by": by} if by else {}))
    assert asked == ["speaker"]


def test_many_unknown_names_are_looked_up_once_and_told_shortly(
    small: treesql.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = []
    monkeypatch.setattr(Vocabulary, "features", lambda self: listed.append(1) or ["Number"])
    with pytest.warns(treesql.TreesqlWarning) as warned:
        small.find("pattern { X [" + ", ".join(f"a{n}=b" for n in range(50)) + "] }")
    said = [str(one.message) for one in warned if not issubclass(one.category, treesql.NothingFound)]
    assert said[0].startswith("no word has the feature 'a0'")
    assert said[MAX_WARNINGS:] == ["30 further names of the request are unknown"]
    assert len(listed) == 1


def test_long_clauses_are_told_shortly(small: treesql.Database) -> None:
    with treesql.connect() as trees:
        trees.load(FIXTURES / "gold.mrg")
        for db, request in ((small, "pattern { X [form=" + "x" * 5000 + "] }"), (trees, "N" * 5000 + " < NN")):
            with pytest.warns(treesql.NothingFound, match=r"no (word has|node matches) `.*\.\.\.`") as warned:
                assert not len(db.find(request))
            assert max(len(str(one.message)) for one in warned) < 400
