"""Pairs of aligned trees."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from treesql.drawing.dependencies import Tree
from treesql.drawing.dependency_pictures import MARGIN
from treesql.drawing.measures import em_width
from treesql.drawing.pairs import Link, TreePair
from treesql.drawing.svg import SMALL

ANN = Tree(["Ann", "drinks", "tea"], [2, 0, 2], ["nsubj", "root", "obj"], ["PROPN", "VERB", "NOUN"])
TEE = Tree(["Tee", "trinkt", "Ann"], [2, 0, 2], ["obj", "root", "nsubj"], marks={1: "costly"})
LINKS = [Link(1, 3), Link(2, 2), Link(3, 1, "costly")]


def test_a_pair_in_characters_numbers_the_linked_words() -> None:
    upper, lower = TreePair(ANN, TEE, LINKS).characters().split("\n\n")
    assert re.findall(r"↓\S+", upper) == ["↓3", "↓2", "↓!1"]
    lines = lower.split("\n")
    assert lines[0].split() == ["1", "2", "3"]
    assert lines[1].split() == ["Tee", "trinkt", "Ann"]
    assert "▲" in lines[2]
    assert "!obj" in lower
    assert "▼" in upper
    assert "▼" not in lower


def test_a_pair_as_svg_draws_its_links() -> None:
    svg = TreePair(ANN, TEE, LINKS).svg(standalone=True)
    root = ET.fromstring(svg)
    told = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert [one for one in told if one and "~" in one] == ["Ann ~ Ann", "drinks ~ trinkt", "tea ~ Tee"]
    assert root.get("aria-label") == "Ann drinks tea ~ Tee trinkt Ann"
    width = float(root.get("width", "0"))
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        assert 0 <= float(text.get("x", "0")) <= width
    assert ET.fromstring(TreePair(ANN, TEE, []).svg()) is not None


def test_links_that_lead_nowhere_are_refused() -> None:
    with pytest.raises(ValueError, match="the link 1-4 leads to a word that does not exist"):
        TreePair(ANN, TEE, [Link(1, 4)])


def test_words_of_links_to_other_rows_stand_inside_the_picture() -> None:
    n = 30
    first, second = (
        Tree([f"{name}{at}" for at in range(n)], [0, *range(1, n)], ["dep"] * n) for name in ("eins", "zwei")
    )
    links = [Link(1, at) for at in (n, n - 1, n - 2)] + [Link(at, 1) for at in (n, n - 1, n - 2)]
    picture = TreePair(first, second, links).picture(400)
    labels = re.findall(r'<text class="over" x="(-?\d+)"[^>]*>([^<]*)</text>', picture.body)
    assert any("," in text for _, text in labels)
    for x, text in labels:
        half = SMALL * em_width(text) / 2
        assert half - MARGIN <= int(x) <= picture.width - MARGIN - half + 1, text
