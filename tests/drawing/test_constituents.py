"""Constituency trees: what is drawn where, in characters and as SVG."""

from __future__ import annotations

import itertools
import textwrap
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treesql.drawing import constituents
from treesql.drawing.constituents import PhraseTree
from treesql.drawing.measures import Ruler

SVG = "{http://www.w3.org/2000/svg}"
RAIN = (["Rain", "falls", "today", "."], ["S", "NP", "VP", "ADVP"], [None, 1, 1, 3], [2, 3, 4, 1])
TAGS = ["NN", "VBZ", "NN", "."]
# A book arrived about bees: NP is "a book about bees".
BEES = (["A", "book", "arrived", "about", "bees", "."], ["S", "NP", "PP"], [None, 1, 2], [2, 2, 1, 3, 3, None])


def svg_of(*lists: Any, title: str = "", standalone: bool = False, **further: Any) -> str:
    return PhraseTree(*lists, **further).svg(title, standalone=standalone)


def text_of(*lists: Any, width: int | None = None, colour: bool = False, **further: Any) -> str:
    return PhraseTree(*lists, **further).characters(width, colour)


def test_a_tree_in_characters() -> None:
    assert text_of(*RAIN, tags=TAGS) == textwrap.dedent("""\
                   S
         ╭─────────┼────────╮
         │         VP       │
         │      ╭──┴───╮    │
         NP     │     ADVP  │
         │      │      │    │
         NN    VBZ     NN   .
        Rain  falls  today  .
    """)


def test_branches_of_a_discontinuous_phrase_cross() -> None:
    assert text_of(*BEES) == textwrap.dedent("""\
                 S
                 ├──╮
                 NP │
        ╭───┬────┴──│──────────╮
        │   │       │          PP
        │   │       │       ╭──┴──╮
        A  book  arrived  about  bees  .
    """)


def test_a_tree_that_is_too_wide_lies_on_its_side() -> None:
    assert text_of(*RAIN, tags=TAGS, width=15) == textwrap.dedent("""\
        S
        ├─NP
        │ ╰─NN Rain
        ├─VP
        │ ├─VBZ falls
        │ ╰─ADVP
        │   ╰─NN today
        ╰─. .
    """)
    # Words out of order have their positions.
    assert text_of(*BEES, width=5) == textwrap.dedent("""\
        S
        ├─NP
        │ ├─1 A
        │ ├─2 book
        │ ╰─PP
        │   ├─4 about
        │   ╰─5 bees
        ╰─3 arrived
        6 .
    """)


def test_nodes_without_names() -> None:
    assert text_of(["a", "b", "c"], [None, "x", None], [None, 1, 1], [2, 3, 3]) == textwrap.dedent("""\
        │
        ├──╮
        x  │
        │  ├──╮
        a  b  c
    """)
    assert ET.fromstring(svg_of(["a", "b"], [None], [None], [1, 1])).tag == f"{SVG}svg"


def test_marks_and_names() -> None:
    text = text_of(*RAIN, marks={2: "wrong"}, highlights={3: "X"}, words={2: "V"})
    assert "✗NP" in text
    assert "X: VP" in text
    assert "V: falls" in text
    svg = svg_of(*RAIN, marks={2: "wrong"}, highlights={3: ""}, words={2: ""})
    assert svg.count("<rect") == 2
    assert 'class="wrong"' in svg
    assert "\x1b[31m" in text_of(*RAIN, marks={2: "wrong"}, colour=True)


def test_right_to_left() -> None:
    forms = ["הילד", "אכל"]
    last = text_of(forms, ["S"], [None], [1, 1]).split("\n")[-2]
    assert last.index("הילד") > last.index("אכל")
    svg = ET.fromstring(svg_of(forms, ["S"], [None], [1, 1]))
    places = {text.text: float(text.get("x", "0")) for text in svg.iter(f"{SVG}text")}
    assert places["הילד"] > places["אכל"]
    lying = text_of(forms, ["S"], [None], [1, 1], width=3)
    assert lying.index("הילד") < lying.index("אכל")


def test_lines_to_heads_are_wider() -> None:
    root = ET.fromstring(svg_of(*RAIN, heads=([3], [2])))
    widths = {path.attrib["stroke-width"]: path.attrib["d"].count("M") for path in root.iter(f"{SVG}path")}
    assert widths == {"1.1": 3, "2.2": 1}  # S, NP and ADVP, and VP
    bold = [group for group in root.iter(f"{SVG}g") if group.get("font-weight") == "bold"]
    assert ["".join(group.itertext()) for group in bold] == ["falls"]


def test_svg_is_well_formed_and_always_the_same() -> None:
    svg = svg_of(["<a>", "b&"], ["S<", None], [None, 1], [2, 1], tags=['"', "\x00"], standalone=True)
    assert svg == svg_of(["<a>", "b&"], ["S<", None], [None, 1], [2, 1], tags=['"', "\x00"], standalone=True)
    texts = {text.text or text[0].tail for text in ET.fromstring(svg).iter(f"{SVG}text")}
    assert {"<a>", "b&", "S<", '"', "\ufffd"} <= texts


@pytest.mark.parametrize(
    ("parents", "words", "message"),
    [([2, None], [1, 2], "before its parent"), ([None, 1], [1, 1], "phrase 2 has no words")],
    ids=["order", "empty"],
)
def test_what_is_no_tree_is_refused(parents: list[int | None], words: list[int | None], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        svg_of(["a", "b"], ["X", "Y"], parents, words)


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int | None], list[int | None], bool]:
    """Parents of phrases, phrases of words, and whether words may be anywhere."""
    n = draw(st.integers(1, 10))
    shape: list[int | None] = [None]
    words: list[int | None] = []

    def grow(node: int, n_words: int) -> None:
        if n_words == 1 or draw(st.booleans()):
            words.extend([node] * n_words)
            return
        cut = draw(st.integers(1, n_words - 1))
        for part in (cut, n_words - cut):
            if part == 1 and draw(st.booleans()):
                words.append(node)
            else:
                shape.append(node)
                grow(len(shape), part)

    grow(1, n)
    scattered = draw(st.booleans())
    if scattered:
        words = draw(st.permutations(words))
    return shape, list(words), scattered


@given(trees(), st.booleans(), st.data())
def test_nothing_overlaps(
    tree: tuple[list[int | None], list[int | None], bool], cells: bool, data: st.DataObject
) -> None:
    parents, words, scattered = tree
    sizes = st.integers(1, 9).map(float)
    widths = data.draw(st.lists(sizes, min_size=len(words), max_size=len(words)))
    labels = data.draw(st.lists(sizes, min_size=len(parents), max_size=len(parents)))
    ruler = Ruler(label=len, gap=2, cells=cells)
    layout = constituents.lay_out_tree(widths, labels, parents, words, ruler)
    assert len(layout.phrases) == len(parents)
    for left, right in itertools.pairwise(range(len(words))):
        assert layout.centres[right] - layout.centres[left] >= (widths[left] + widths[right]) / 2
    by_level: dict[int, list[tuple[float, float]]] = {}
    for node, phrase in enumerate(layout.phrases):
        assert all(layout.phrases[child].level < phrase.level for child in phrase.phrases)
        assert phrase.left >= -1e-6
        assert phrase.left + labels[node] <= layout.width + 1e-6
        by_level.setdefault(phrase.level, []).append((phrase.left, phrase.left + labels[node]))
        below = [layout.centres[word] for word in phrase.words] + [layout.phrases[one].x for one in phrase.phrases]
        assert below
    for spans in by_level.values():
        for (_, end), (start, _) in itertools.pairwise(sorted(spans)):
            assert end <= start + 1e-6
    lines = [(layout.centres[word], 0, layout.phrases[up - 1].level) for word, up in enumerate(words) if up]
    lines += [
        (one.x, one.level, layout.phrases[up - 1].level) for one, up in zip(layout.phrases, parents, strict=True) if up
    ]
    for node, phrase in enumerate(layout.phrases):
        passing = [x for x, low, high in lines if low < phrase.level < high]
        assert not any(phrase.left + 1e-6 < x < phrase.left + labels[node] - 1e-6 for x in passing)
    if not scattered:
        heights = [0] * len(parents)
        for node in reversed(range(len(parents))):
            heights[node] = 1 + max((heights[one] for one, up in enumerate(parents) if up == node + 1), default=0)
        assert [phrase.level for phrase in layout.phrases] == heights
    text_of(["w"] * len(words), ["X"] * len(parents), parents, words)
    text_of(["w"] * len(words), ["X"] * len(parents), parents, words, width=1)
    ET.fromstring(svg_of(["w"] * len(words), ["X"] * len(parents), parents, words))
