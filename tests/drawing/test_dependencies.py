"""Dependency trees: what is drawn where, in characters and as SVG."""

from __future__ import annotations

import itertools
import re
import textwrap
import unicodedata
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.drawing.drawn import HEBREW, graphs
from tests.house.rules import in_turn
from treesql.drawing import arcs
from treesql.drawing.arcs import Arc
from treesql.drawing.dependencies import Tree
from treesql.drawing.measures import Ruler, em_width, runs_right_to_left
from treesql.drawing.svg import WIDTH
from treesql.drawing.wrapping import WrappedArcs
from treesql.results.tables import cell_width

SVG = "{http://www.w3.org/2000/svg}"
MAT = (
    ["The", "cat", "sat", "on", "the", "mat", "."],
    [2, 3, 0, 6, 6, 3, 3],
    ["det", "nsubj", "root", "case", "det", "obl", "punct"],
)
HEARING = (
    ["A", "hearing", "is", "scheduled", "on", "the", "issue", "today", "."],
    [2, 4, 4, 0, 7, 7, 2, 4, 4],
    ["det", "nsubj:pass", "aux:pass", "root", "case", "det", "nmod", "obl:unmarked", "punct"],
)


def svg_of(*lists: Any, title: str = "", width: float | None = WIDTH, standalone: bool = False, **further: Any) -> str:
    return Tree(*lists, **further).svg(title, width=width, standalone=standalone)


def text_of(*lists: Any, width: int | None = None, colour: bool = False, **further: Any) -> str:
    return Tree(*lists, **further).characters(width, colour)


def shown_text(text: ET.Element) -> str:
    """What a text shows: without its tooltip."""
    return "".join(text.itertext()).removeprefix(text.findtext(f"{SVG}title") or "")


def drawn(text: str) -> str:
    """A drawing as it stands in a test: without its first line break and the indentation of the code."""
    return textwrap.dedent(text.removeprefix("\n"))


def test_a_tree_in_characters() -> None:
    assert text_of(*MAT, upos=["DET", "NOUN", "VERB", "ADP", "DET", "NOUN", "PUNCT"]) == drawn("""
                    root
                     │╭───────punct────────╮
                     │├─────obl──────╮     │
                     ││   ╭───case──╮│     │
     ╭─det─╮╭─nsubj─╮││   │   ╭─det─┤│     │
     ▼     │▼       │▼│   ▼   ▼     │▼     ▼
    The    cat      sat   on the    mat    .
    DET    NOUN     VERB ADP DET    NOUN PUNCT
    """)


def test_edges_that_cross() -> None:
    assert "nmod─┼┼" in text_of(*HEARING)


def test_brackets_of_hebrew_enclose_their_word() -> None:
    last = text_of(*HEBREW).rstrip("\n").split("\n")[-1]
    assert last.index("(") < last.index("תפוח") < last.index(")")


def columns(line: str) -> dict[int, str]:
    """What stands in which cell of a terminal."""
    found: dict[int, str] = {}
    at = 0
    for character in line:
        if cell_width(character):
            found[at] = character
            at += cell_width(character)
    return found


@pytest.mark.parametrize(
    ("forms", "heads"),
    [
        (MAT[0], MAT[1]),
        (HEARING[0], HEARING[1]),
        (["ワシントン", "の", "人", "。"], [3, 1, 0, 3]),
        (["मैं", "हिन्दी", "में", "बोलता", "हूँ"], [4, 4, 2, 0, 4]),
        (["e\u0301te\u0301", "x"], [0, 1]),
    ],
    ids=["mat", "hearing", "japanese", "hindi", "combining"],
)
def test_an_arrow_points_at_every_word(forms: list[str], heads: list[int]) -> None:
    lines = text_of(forms, heads, ["dep"] * len(forms), width=None).rstrip("\n").split("\n")
    arrows = [at for at, shown in columns(lines[-2]).items() if shown == "▼"]
    words = columns(lines[-1])
    assert len(arrows) == len(forms)
    for arrow in arrows:
        assert any(words.get(at, " ") != " " for at in (arrow - 1, arrow))


def test_the_first_word_of_hebrew_is_at_the_right() -> None:
    lines = text_of(*HEBREW).rstrip("\n").split("\n")
    last = lines[-1]
    assert last.index("הילד") > last.index("אכל") > last.index("תפוח")
    assert last.startswith("\u200e")
    assert text_of(*HEBREW, right_to_left=False).split("\n")[-2].index("הילד") < last.index("אכל")
    svg = ET.fromstring(svg_of(*HEBREW))
    places = {shown_text(text): float(text.get("x", "0")) for text in svg.iter(f"{SVG}text")}
    assert places["הילד"] > places["אכל"] > places["תפוח"]


def test_upright_hebrew_is_the_mirror_image() -> None:
    """On narrow pages words end at the right, below each other, and arcs are beyond them."""
    tree = Tree(["אבג", "דה", "מנ", "זחט"] * 4, [0, *[1] * 15], ["root", *["dep"] * 15])
    mirrored, plain = (replace(tree, right_to_left=way).prepare().narrow() for way in (True, False))
    assert (mirrored.width, mirrored.height) == (plain.width, plain.height)
    places = [float(x) for x in re.findall(r'<text x="([\d.]+)" y', plain.body)]
    assert [mirrored.width - float(x) for x in re.findall(r'<text x="([\d.]+)" y', mirrored.body)] == places
    assert plain.body.count('text-anchor="end"') == 1  # the numbers
    assert mirrored.body.count('text-anchor="end"') == 2  # words and relations
    assert 'transform="matrix(-1 0 0 1 272 0)"' in mirrored.body


def test_which_way_texts_run() -> None:
    assert runs_right_to_left(["هذا", "OK", "كتاب"])
    assert not runs_right_to_left(["die", "מצה", "ist", "gut"])
    assert not runs_right_to_left([])


def test_long_sentences_are_broken_into_rows() -> None:
    for width in (30, 40, 60, 80):
        text = text_of(*HEARING, width=width)
        assert max(cell_width(line) for line in text.split("\n")) <= width
        for form in HEARING[0]:
            assert form in text
    rows = text_of(*HEARING, width=40).split("\n\n")
    assert len(rows) > 1
    assert all("punct" in row for row in rows)  # in every row that the arc is in


def test_wrong_edges_are_marked_with_and_without_colour() -> None:
    plain = text_of(*MAT, marks={6: "wrong", 2: "mislabelled"})
    assert "✗obl" in plain
    assert "≠nsubj" in plain
    assert "\x1b" not in plain
    coloured = text_of(*MAT, marks={6: "wrong"}, colour=True)
    assert "\x1b[31m" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == text_of(*MAT, marks={6: "wrong"})
    svg = svg_of(*MAT, marks={6: "missed"})
    assert "stroke-dasharray" in svg
    assert "stroke-dasharray" not in svg_of(*MAT)


def test_arcs_below_words_point_up() -> None:
    below = [Arc(0, 3, "root"), Arc(2, 6, "nmod", "wrong")]
    lines = text_of(*MAT, below=below).rstrip("\n").split("\n")
    words = next(at for at, line in enumerate(lines) if "The" in line)
    assert lines[words + 1].count("▲") == 2
    assert "✗nmod" in "\n".join(lines[words:])
    assert "nmod" not in "\n".join(lines[:words])
    assert ">nmod<" in svg_of(*MAT, below=below).replace("</title>", ">")


def test_names_tokens_and_empty_nodes() -> None:
    forms, heads, relations = (
        ["I", "do", "n't", "know", "know"],
        [4, 4, 4, 0, None],
        ["nsubj", "aux", "advmod", "root", None],
    )
    options = {"highlights": {4: "V", 1: ""}, "tokens": [(2, 3, "don't")], "empty": [5]}
    text = text_of(forms, heads, relations, **options)  # type: ignore[arg-type]
    assert "(know)" in text
    assert "don't" in text
    assert "═V" in text
    svg = svg_of(forms, heads, relations, notes={4: "lemma & more"}, **options)  # type: ignore[arg-type]
    assert ">don&#x27;t<" in svg
    assert ">V<" in svg
    assert "lemma &amp; more" in svg
    assert svg.count("<rect") == 2
    assert "italic" in svg


def test_svg_is_well_formed_and_always_the_same() -> None:
    forms = ["<b>", "&amp;", "a\x00b\x1b[31m", '"', "\ud800"]
    svg = svg_of(forms, [0, 1, 1, 1, 1], ["root", "<dep>", "a&b", "x", None], title="<&>", standalone=True)
    assert svg == svg_of(forms, [0, 1, 1, 1, 1], ["root", "<dep>", "a&b", "x", None], title="<&>", standalone=True)
    root = ET.fromstring(svg)
    assert root.get("aria-label") == "<&>"
    texts = [shown_text(text) for text in root.iter(f"{SVG}text")]
    assert {"<b>", "&amp;", "a\ufffdb\ufffd[31m", '"', "\ufffd"} <= set(texts)
    assert "prefers-color-scheme" in svg
    assert "<style" not in svg_of(*MAT)
    assert "\x1b" not in text_of(forms, [0, 1, 1, 1, 1], ["root", "<dep>", "a&b", "x", None])


def test_no_word_and_one_word() -> None:
    assert ET.fromstring(svg_of([], [], [])).tag == f"{SVG}svg"
    assert text_of([], [], []) == "\n"
    assert text_of(["Hello"], [None], [None]) == "Hello\n"
    assert text_of(["Hi"], [0], ["root"]).split() == ["root", "▼", "Hi"]


@in_turn(
    ("wrong", "message"),
    [
        ({"heads": [0, 1, 2]}, "2 forms, but 3 heads"),
        ({"upos": ["X"]}, "2 forms, but 1 upos"),
        ({"heads": [0, 3]}, "head 3: the sentence has 2 words"),
        ({"highlights": {0: ""}}, "highlight 0: the sentence has 2 words"),
        ({"marks": {3: "wrong"}}, "mark 3: the sentence has 2 words"),
        ({"marks": {1: "wrog"}}, "unknown mark 'wrog'; marks are wrong, missed"),
        ({"below": [Arc(1, 5, "x")]}, "dependent below 5"),
        ({"tokens": [(1, 4, "x")]}, "last word of a token 4"),
    ],
)
def test_what_cannot_be_drawn_is_told(wrong: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"forms": ["a", "b"], "heads": [0, 1], "relations": ["root", "x"], **wrong}
    for draw in (Tree.svg, Tree.characters):
        with pytest.raises(ValueError, match=message):
            draw(Tree(**given))


def test_an_edge_from_a_word_to_itself_is_drawn() -> None:
    assert "↺dep" in text_of(["a", "b"], [0, 1], ["root", "x"], below=[Arc(2, 2, "dep")])
    assert "↺dep" in svg_of(["a", "b"], [0, 1], ["root", "x"], below=[Arc(2, 2, "dep")])


@example([(2, "aaaaaaa人人"), (3, "aaaaaa人人人")], None, False)
@given(
    st.lists(st.tuples(st.integers(1, 3), st.text("ab人", min_size=1, max_size=9)), min_size=1, max_size=6),
    st.sampled_from([None, 10, 25]),
    st.booleans(),
)
def test_tokens_are_whole_and_in_one_row(tokens: list[tuple[int, str]], width: int | None, right_to_left: bool) -> None:
    ends = list(itertools.accumulate(length for length, _ in tokens))
    spans = [(end - length + 1, end, form) for end, (length, form) in zip(ends, tokens, strict=True) if length > 1]
    forms = ["x"] * ends[-1]
    heads: list[int | None] = [0] + [1] * (len(forms) - 1)
    text = text_of(forms, heads, ["r"] * len(forms), tokens=spans, width=width, right_to_left=right_to_left)
    shown = re.findall(r"└─*([ab人]+)─*┘", text)
    assert sorted(shown) == sorted(form for _, _, form in spans)


@given(graphs(), st.sampled_from([None, 20, 45]), st.booleans(), st.booleans())
def test_nothing_overlaps(
    graph: tuple[list[float], list[Arc], list[Arc]], limit: int | None, right_to_left: bool, fanned: bool
) -> None:
    widths, above, below = graph
    ruler = Ruler(label=lambda text: len(text) + 3, gap=1, cells=not fanned)
    laid = WrappedArcs(widths, above, below, ruler, limit, right_to_left, ()).rows()
    shown = [word for row in laid for word in (row.words[::-1] if right_to_left else row.words)]
    assert shown == list(range(len(widths)))
    for arc_list, side in ((above, "above"), (below, "below")):
        pointed = [s.arc for row in laid for s in getattr(row, side) if s.dependent]
        assert sorted(pointed, key=str) == sorted(arc_list, key=str)
    for row in laid:
        assert all(
            b - a >= (widths[row.words[at]] + widths[row.words[at + 1]]) / 2
            for at, (a, b) in enumerate(zip(row.centres, row.centres[1:], strict=False))
        )
        for segments in (row.above, row.below):
            by_level: dict[int, list[arcs.Segment]] = {}
            for one in segments:
                by_level.setdefault(one.level, []).append(one)
                assert one.left == one.right or one.end - one.start >= len(one.arc.relation) + 3 - 1e-6
                assert one.start - 1e-6 <= arcs.label_centre(one, segments, ruler) <= one.end + 1e-6
            for same in by_level.values():
                same.sort(key=lambda one: one.left + one.right)
                for one, other in itertools.pairwise(same):
                    assert one.end <= other.start + 1e-6


def test_measures() -> None:
    assert cell_width("añb") == 3
    assert cell_width("人。") == 4
    assert em_width("i") < em_width("a") < em_width("m") < em_width("人")
    assert em_width("a\u0301") == em_width("a")
    assert unicodedata.combining("\u0301")


@pytest.mark.parametrize("right_to_left", [False, True])
def test_no_label_leaves_the_picture(right_to_left: bool) -> None:
    heads: list[int | None] = [0, *[1] * 9]
    relations = ["root:of:all:roots", *["r"] * 9]
    drawn = svg_of(["$", *"abcdefghi"], heads, relations, right_to_left=right_to_left, width=None)
    root = ET.fromstring(drawn)
    [label] = [text for text in root.iter(f"{SVG}text") if "".join(text.itertext()).endswith("root:of:all:roots")]
    half = 5.5 * em_width("root:of:all:roots")
    assert half - 0.6 <= 10 + float(label.get("x", "0")) <= float(root.get("width", "0")) - half + 0.6
