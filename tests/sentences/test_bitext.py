"""Sentences beside their translations."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES
from treesql.drawing.pairs import Link
from treesql.errors import UnknownName, UsageError
from treesql.sentences import bitext
from treesql.sentences.sentence import Translation

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def read() -> Iterator[treesql.Database]:
    """A text, its translation and their links, for reading only."""
    with load() as db:
        yield db


@pytest.fixture
def db() -> Iterator[treesql.Database]:
    """The same, for the test alone."""
    with load() as db:
        yield db


@contextmanager
def load() -> Iterator[treesql.Database]:
    with treesql.connect() as db:
        db.load(FIXTURES / "reference.conllu", corpus="en")
        db.load(FIXTURES / "hypothesis.conllu", corpus="de")
        db.load(FIXTURES / "reference-hypothesis.align", corpus="links", source_corpus="en", target_corpus="de")
        yield db


def translation(db: treesql.Database, name: str, corpus: str, other: str, links: str = "links") -> Translation:
    return db.translation(db.sentence(name, corpus=corpus), corpus=other, alignment=links)


def test_links_lead_from_the_words_of_the_first_sentence(read: treesql.Database) -> None:
    there = translation(read, "letters", "en", "de")
    assert there.sentence.corpus == "de"
    assert there.sentence.text == "she wrote two letters yesterday"
    assert there.links == (Link(1, 5), Link(2, 1), Link(3, 2), Link(4, 3), Link(5, 4))
    back = translation(read, "letters", "de", "en")
    assert sorted((link.second, link.first) for link in back.links) == [(1, 5), (2, 1), (3, 2), (4, 3), (5, 4)]


def test_possible_links_are_marked_and_null_links_left_away(db: treesql.Database, tmp_path: Path) -> None:
    file = tmp_path / "a.wpt"
    file.write_text("1 1 1 S\n1 0 2\n2 1 3 P\n2 2 1 S\n3 1 1\n4 1 1\n5 1 1\n", "utf-8")
    db.load(file, corpus="marked", source_corpus="en", target_corpus="de", null_links=True)
    assert translation(db, "letters", "en", "de", "marked").links == (Link(1, 3, "possible"), Link(2, 1))
    drawn = db.sentence("letters", corpus="en").svg(aligned=translation(db, "letters", "en", "de", "marked"))
    dotted = [lines for lines in ET.fromstring(drawn).iter(f"{SVG}g") if lines.get("stroke-dasharray") == "1.5 3"]
    assert [path.findtext(f"{SVG}title") for lines in dotted for path in lines] == ["yesterday ~ two"]


def test_a_pair_is_drawn_in_characters(read: treesql.Database) -> None:
    text = read.sentence("rain", corpus="en").characters(aligned=translation(read, "rain", "en", "de"))
    assert text.startswith("above: en, below: de\n")
    assert re.findall(r"↓\d", text) == ["↓1", "↓2"]
    assert text.index("▼") < text.index("↓1") < text.index("▲")


def test_words_alone_are_drawn_where_there_is_no_tree(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\nb c\nes regnet\nd\ne\n", "utf-8")
    db.load(tmp_path / "a.txt", corpus="plain")
    text = db.sentence("rain", corpus="en").characters(aligned=translation(db, "rain", "en", "plain"))
    assert "regnet" in text
    assert "▲" not in text


def test_the_alignment_of_two_corpora_is_found(db: treesql.Database) -> None:
    assert bitext.find_alignment(db.engine, "en", "de") == "links"
    assert bitext.find_alignment(db.engine, "de", "en") == "links"
    assert db.translation(db.sentence("rain", corpus="en"), corpus="de").links == (Link(1, 1), Link(2, 2))
    with pytest.raises(UnknownName, match="unknown corpus 'dee'; did you mean de"):
        db.translation(db.sentence("rain", corpus="en"), corpus="dee")
    with pytest.raises(UsageError, match="no alignment was loaded as one of en and fr"):
        bitext.find_alignment(db.engine, "en", "fr")
    db.load(
        FIXTURES / "reference-hypothesis.align", corpus="more", source_corpus="de", target_corpus="en", reverse=True
    )
    with pytest.raises(UsageError, match="several alignments link en and de: links, more"):
        bitext.find_alignment(db.engine, "en", "de")


def test_what_does_not_correspond_is_told(db: treesql.Database, tmp_path: Path) -> None:
    db.load(FIXTURES / "links.pharaoh", corpus="others")
    with pytest.raises(UsageError, match="others links word 3 of sentence 'rain' of en, which has 2"):
        translation(db, "rain", "en", "de", "others")
    with pytest.raises(UsageError, match="de has no links between words; alignments are links, others"):
        translation(db, "rain", "en", "de", "de")
    (tmp_path / "short.txt").write_text("one\n", "utf-8")
    db.load(tmp_path / "short.txt", corpus="short")
    with pytest.raises(UsageError, match="short has only 1 sentences, none that corresponds to sentence 'rain' of en"):
        translation(db, "rain", "en", "short")
    (tmp_path / "short.align").write_text("0-0\n", "utf-8")
    db.load(tmp_path / "short.align", corpus="few")
    with pytest.raises(UsageError, match="few has links of 1 sentences, none of sentence 'rain' of en, number 2"):
        translation(db, "rain", "en", "de", "few")


def test_a_translation_excludes_what_takes_its_room(read: treesql.Database) -> None:
    one = read.sentence("rain", corpus="en")
    for more in ({"enhanced": True}, {"system": one}):
        with pytest.raises(UsageError, match="choose one of them"):
            one.svg(aligned=translation(read, "rain", "en", "de"), **more)


def test_a_number_names_a_sentence_with_words_not_one_of_an_alignment(read: treesql.Database) -> None:
    with pytest.raises(UsageError, match="several corpora: de, en;"):
        read.sentence(2)
