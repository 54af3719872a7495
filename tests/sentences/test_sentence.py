"""Sentences as they are shown: in notebooks, as text, in pages; and those that cannot be drawn."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

import treesql
from tests.reports.pages import check_page
from tests.sentences.reading import sentence
from treesql.errors import UsageError
from treesql.sentences import sentence as sentences_sentence
from treesql.sentences.drawn_sentences import DrawnSentences


def test_a_notebook_and_a_print_show_the_tree(examples: treesql.Database) -> None:
    found = examples.sentence("know", corpus="gold")
    html = found._repr_html_()
    assert html.startswith("<div")
    assert "don&#x27;t" in html
    assert "<style" not in html
    assert ET.fromstring(str(found._repr_svg_())).get("aria-label") == "I don't know."
    assert "└don't┘" in str(found)
    assert found.svg() == found._repr_svg_()


def test_a_sentence_without_trees_shows_its_text_but_cannot_be_drawn(tmp_path: Path) -> None:
    found = sentence(b"1\tHi\t_\t_\t_\t_\t_\t_\t_\t_\n2\t<b>\t_\t_\t_\t_\t_\t_\t_\t_\n\n", tmp_path / "a.conllu")
    assert str(found) == "Hi <b>"
    assert found._repr_html_() == '<p dir="auto">Hi &lt;b&gt;</p>\n'
    assert found._repr_svg_() is None
    with pytest.raises(UsageError, match=r"sentence '0' of a\.conllu has no tree to draw"):
        found.svg()
    with pytest.raises(UsageError, match="no enhanced dependencies"):
        found.svg(enhanced=True)


def test_a_sentence_too_long_to_be_drawn(examples: treesql.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its text is printed, and SQL is named that shows its rows; so is that of the sentence beside it."""
    found = examples.sentence("tea", corpus="gold")
    short = examples.sentence(0, corpus="hypothesis")
    assert found._repr_svg_() is not None
    monkeypatch.setattr(sentences_sentence, "MAX_WORDS", 5)
    what = "sentence 'tea' of gold has 7 words, and 5 at most are drawn; .* WHERE corpus = 'gold' AND sentence = 3 "
    with pytest.raises(UsageError, match=what):
        found.svg()
    with pytest.raises(UsageError, match=what):
        short.svg(system=found)
    assert short.svg()
    assert str(found) == "Ann drinks tea and Bob coffee."
    assert found._repr_svg_() is None


def test_a_page_holds_every_drawing_and_nothing_from_elsewhere(examples: treesql.Database) -> None:
    found = [replace(examples.sentence(name, corpus="gold"), corpus="a < b") for name in ("mat", "tea")]
    page = DrawnSentences(tuple((one, one.drawings()) for one in found), ("", "legend")).html()
    check_page(page)
    assert page.count("<svg") == 2
    assert "<h1>a &lt; b</h1>" in page
    assert "<p>legend</p>" in page
    assert "color-scheme: light dark" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
