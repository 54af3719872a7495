"""Alignment grids."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from treesql.drawing.grids import AlignmentGrid
from treesql.drawing.pairs import Link

SVG = "{http://www.w3.org/2000/svg}"
ANN, TEE = ["Ann", "drinks", "hot tea"], ["Ann", "trinkt", "Tee"]
GOLD = [Link(1, 1), Link(2, 2), Link(2, 3, "possible"), Link(3, 3, "possible")]
SYSTEM = [Link(1, 1), Link(1, 3), Link(3, 3)]


def test_a_grid_in_characters() -> None:
    assert AlignmentGrid(ANN, TEE, GOLD).characters() == "\n".join(
        [
            "          t",
            "          r",
            "          i",
            "        A n T",
            "        n k e",
            "        n t e",
            "    Ann ■ · ·",
            " drinks · ■ □",
            "hot tea · · □",
            "",
        ]
    )
    compared = AlignmentGrid(ANN, TEE, GOLD, SYSTEM).characters().split("\n")
    assert compared[-4:] == ["    Ann ■ · ✗", " drinks · ○ □", "hot tea · · ▣", ""]


def test_wide_grids_are_broken_and_wide_letters_take_two_columns() -> None:
    blocks = AlignmentGrid(ANN, TEE, GOLD).characters(12).split("\n\n")
    assert [block.split("\n")[-1 - block.endswith("\n")] for block in blocks] == ["hot tea · ·", "hot tea □"]
    assert all(len(line) <= 12 for block in blocks for line in block.split("\n"))
    assert AlignmentGrid(["a"], ["漢字", "b"], [Link(1, 2)]).characters() == "  漢\n  字b\na · ■\n"
    assert AlignmentGrid(ANN, TEE, GOLD).characters(1).count("hot tea") == 3


def test_accents_stay_with_their_letters() -> None:
    decomposed = "e\u0301te\u0301"
    assert AlignmentGrid(["a"], [decomposed, "b"], [Link(1, 1)]).characters() == "  e\u0301\n  t\n  e\u0301 b\na ■ ·\n"


def test_colours_are_of_the_terminal_alone_where_asked_for() -> None:
    coloured = AlignmentGrid(ANN, TEE, GOLD, SYSTEM).characters(colour=True)
    assert "\x1b[31m✗" in coloured
    assert "\x1b[34m○" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == AlignmentGrid(ANN, TEE, GOLD, SYSTEM).characters()


def test_a_grid_as_svg() -> None:
    root = ET.fromstring(AlignmentGrid(ANN, TEE, GOLD, SYSTEM).svg(standalone=True))
    assert root.get("aria-label") == "Ann drinks hot tea ~ Ann trinkt Tee"
    assert [title.text for title in root.iter(f"{SVG}title")] == [
        "Ann ~ Ann: sure, found",
        "drinks ~ Tee: possible, not found",
        "hot tea ~ Tee: possible, found",
        "drinks ~ trinkt: missed",
        "Ann ~ Tee: wrong",
    ]
    dots = [circle for circle in root.iter(f"{SVG}circle") if circle.get("r") == "4"]
    assert (len(list(root.iter(f"{SVG}rect"))), len(dots)) == (2, 2)  # sure links, and those that are found
    dashed = [mark.get("stroke-dasharray") for name in ("rect", "circle") for mark in root.iter(f"{SVG}{name}")]
    assert dashed == [None, "4 3", None, "1.5 3", "1.5 3", None]
    alone = ET.fromstring(AlignmentGrid(ANN, TEE, GOLD).svg())
    assert not [circle for circle in alone.iter(f"{SVG}circle") if circle.get("r") == "4"]
    assert [title.text for title in alone.iter(f"{SVG}title")][1] == "drinks ~ trinkt: sure"


def test_a_link_given_as_sure_and_as_possible_is_sure() -> None:
    assert AlignmentGrid(["a"], ["b"], [Link(1, 1), Link(1, 1, "possible")]).characters() == "  b\na ■\n"
    assert AlignmentGrid(["a"], ["b"], [Link(1, 1, "possible"), Link(1, 1)]).characters() == "  b\na ■\n"


def test_nothing_to_draw() -> None:
    assert AlignmentGrid(["a"], ["b"], []).characters() == "  b\na ·\n"
    assert AlignmentGrid(["a"], ["b"], [Link(1, 1)], []).characters() == "  b\na ○\n"
    assert AlignmentGrid([], [], []).characters() == "\n"
    for source, target in (([], []), (["a"], []), ([], ["b"])):
        assert ET.fromstring(AlignmentGrid(source, target, []).svg()) is not None


@pytest.mark.parametrize("link", [Link(0, 1), Link(1, 4), Link(4, 1)])
def test_links_that_lead_nowhere_are_refused(link: Link) -> None:
    for gold, system in (([link], None), ([], [link])):
        with pytest.raises(ValueError, match=rf"the link {link.first}-{link.second} leads to a word that does not"):
            AlignmentGrid(ANN, TEE, gold, system)
