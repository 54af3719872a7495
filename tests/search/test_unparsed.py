"""Text that is tagged but not parsed: requests without edges find its words, statistics leave them out, scores warn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.conftest import heard
from treesql.errors import DatabaseError

PARSED = "1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
UNPARSED = "1\tthe\tthe\tDET\t_\t_\t_\t_\t_\t_\n2\tdog\tdog\tNOUN\t_\t_\t_\t_\t_\t_\n\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("unparsed")
    for name, text in {"gold": PARSED + PARSED, "half": PARSED + UNPARSED, "none": UNPARSED + UNPARSED}.items():
        (made / f"{name}.conllu").write_text(text)
    return made


@pytest.fixture(scope="module")
def loaded(folder: Path) -> Iterator[treesql.Database]:
    """A database of the corpora half and none."""
    with treesql.connect() as db:
        for name in ("half", "none"):
            db.load(folder / f"{name}.conllu", corpus=name)
        yield db


@pytest.mark.parametrize("name", ["half", "none"])
def test_requests_without_edges_find_words_without_heads(loaded: treesql.Database, name: str) -> None:
    for request in ("pattern { X [upos=NOUN] }", "pattern { D [upos=DET]; N [upos]; D < N }", "pattern { }"):
        assert loaded.find(request, count=True, corpus=name).rows() == [{"count": 2}]


def test_requests_with_edges_need_heads(folder: Path, loaded: treesql.Database) -> None:
    need = "requests with edges need words with heads"
    for request in ("pattern { X -> Y }", "pattern { X ->> Y }", "pattern { X [upos] } without { * -> X }"):
        with pytest.raises(DatabaseError, match=need):
            loaded.find(request, corpus="none")
        assert len(loaded.find(request, corpus="half")) > 0
    with pytest.raises(DatabaseError, match=need):
        treesql.find(folder / "none.conllu", request)
    assert len(treesql.find(folder / "half.conllu", request)) > 0


def test_shares_are_those_in_parsed_words(folder: Path) -> None:
    with heard() as warnings:
        [row] = treesql.stats(folder / "half.conllu").rows()
        relations = treesql.stats(folder / "half.conllu", relations=True).rows()
    assert (row["function_share"], row["content_share"], row["other_share"]) == (0.5, 0.5, 0)
    assert {one["relation"]: one["share"] for one in relations} == {"det": 0.5, "root": 0.5, None: 0}
    assert sum("2 of 4 words have no head" in warning for warning in warnings) == 2
    with heard() as warnings:
        [row] = treesql.stats(folder / "none.conllu").rows()
    assert row["function_share"] is None
    assert any("4 of 4 words have no head" in warning for warning in warnings)


def test_scores_warn_of_sentences_of_a_system_without_heads(folder: Path) -> None:
    gold, half = str(folder / "gold.conllu"), str(folder / "half.conllu")
    with heard() as warnings:
        [row] = treesql.score("dependency", gold=gold, systems=[half]).rows()
    assert row["las"] == 0.5
    assert [one for one in warnings if "1 sentence without heads: 1 (from 0)" in one]
    with heard() as warnings:
        treesql.score("dependency", gold=gold, systems=[half], metric="tagging")
    assert not warnings
