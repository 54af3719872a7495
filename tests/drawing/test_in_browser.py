"""Drawings on a page in a real browser: what fits is shown, whole, and nothing is cut at any width."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import OpenPage, accessibility_faults, axe_script, one_browser, open_page
from tests.conftest import thorough_but
from tests.drawing.drawn import HEBREW
from treesql.drawing.arcs import Arc
from treesql.drawing.constituents import ComparedPhrases, PhraseTree
from treesql.drawing.dependencies import ComparedTrees, Tree
from treesql.drawing.grids import AlignmentGrid
from treesql.drawing.lattices import DrawnEdge, Lattice
from treesql.drawing.pairs import Link, TreePair
from treesql.drawing.svg import Drawing
from treesql.results import pages
from treesql.results.pages import Figure

pytestmark = pytest.mark.slow

LONG = "Donaudampfschiffahrtsgesellschaft"
FORMS = ["Four", "guys", "around", "a", "large", "square", "open", LONG, "cook", "your", "food", ",", "and", "when"] * 2
HEADS = [2, 9, 8, 8, 8, 8, 8, 2, 0, 11, 9, 9, 9, 17, 17, 17, 20, 19, 20, 9, 20, 24, 24, 20, 9, 9, 9, 9]

CUT = """() => {
  const found = [];
  for (const svg of document.querySelectorAll('.drawn svg')) {
    const frame = svg.getBoundingClientRect();
    if (!frame.width) continue;
    for (const text of svg.querySelectorAll('text')) {
      const box = text.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1
          || box.bottom > frame.bottom + 1) found.push(text.textContent);
    }
    const room = svg.parentElement.getBoundingClientRect();
    if (!svg.closest('.wide') && frame.right > room.right + 1) found.push(svg.getAttribute('class'));
  }
  for (const cell of document.querySelectorAll('.edits li')) {
    const box = cell.getBoundingClientRect();
    if (box.height > 61 || cell.scrollWidth > cell.clientWidth + 1) found.push(cell.textContent);
  }
  return found;
}"""
"""Texts outside of their pictures, pictures outside of their boxes, and words of edits that are broken or overlap."""

SHOWN = """() => [...document.querySelectorAll('.drawn:not(.wide)')].map(one =>
  [...one.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().width)
    .map(svg => svg.className.baseVal))"""
"""The classes of the pictures that each drawing shows."""


def drawings() -> dict[str, Drawing]:
    """One of every sort, long ones and short ones."""
    n = len(FORMS)
    heads: list[int | None] = list(HEADS)
    moved = [Arc(2, at, "nmod:poss", "wrong") for at in (5, 12, 20, 26)]
    marks = {arc.dependent: "missed" for arc in moved}
    systems = {
        name: Tree(FORMS, heads, ["nmod"] * n, ["NOUN"] * n, {3: "V"}, marks, moved, [(1, 2, "Fourguys")], [9])
        for name in ("one", "two")
    }
    labels, parents = ["S", "NP", "VP", "PP", "NP"], [None, 1, 1, 3, 4]
    phrases = [2] * 8 + [3] * 6 + [4] * 4 + [5] * 10
    gold = PhraseTree(FORMS, labels, parents, phrases, ["NN"] * n, marks={4: "missed"})
    system = PhraseTree(FORMS, labels, parents, [2] * 8 + [3] * 5 + [4] * 5 + [5] * 10, marks={4: "wrong"})
    scattered = PhraseTree(FORMS, labels, parents, [at % 5 + 1 for at in range(n)])
    hebrew = Tree(HEBREW[0] * 4, [at % 24 for at in range(24)], ["nsubj"] * 24, ["NOUN"] * 24)
    links = [Link(at, at * 5 % n + 1, "possible" * (at % 3 == 0)) for at in range(1, n)]
    edges = [DrawnEdge(at, at, at + 1, [FORMS[at % n]]) for at in range(50)]
    edges += [DrawnEdge(50 + at, at, at + 1, ["other"]) for at in range(50)]
    return {
        "trees": ComparedTrees(systems), "short": Tree(["Ann", "drinks"], [2, 0], ["nsubj", "root"]), "rtl": hebrew,
        "brackets": ComparedPhrases("gold", {"system": (gold, system)}), "scattered": scattered,
        "pair": TreePair(Tree(FORMS, heads, ["nmod"] * n), hebrew, [Link(at, at * 5 % 24 + 1) for at in range(1, n)]),
        "grid": AlignmentGrid(FORMS, FORMS, links, links[5:]),
        "lattice": Lattice(51, edges, range(50), {*range(49), 99}),
    }  # fmt: skip


def edits(words: str) -> list[tuple[str, str, str]]:
    """Words, of which every third is replaced, every fifth missing and every seventh extra."""
    steps = []
    for at, word in enumerate(words.split()):
        kind = "substitution" if at % 3 == 1 else "deletion" if at % 5 == 2 else "insertion" if at % 7 == 3 else "match"
        steps.append((kind, "***" if kind == "insertion" else word, "***" if kind == "deletion" else word[::-1]))
    return steps


@pytest.fixture(scope="module", autouse=True)
def browser() -> Iterator[None]:
    """One browser for all pages of the module."""
    with one_browser():
        yield


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    figures = [Figure(name, drawing.page(name), scrolls=False) for name, drawing in drawings().items()]
    figures += [Figure("edits", edits=edits(" ".join(FORMS)), rows=("a-reference-with-a-long-name", "mt"))]
    figures += [Figure("edits in Hebrew", edits=edits(" ".join(HEBREW[0] * 4)), rows=("ref", "mt"))]
    path = tmp_path_factory.mktemp("drawings") / "page.html"
    path.write_text(pages.render("drawings.html", title="Drawings", figures=figures), "utf-8")
    return path


def unfold(opened: OpenPage) -> None:
    opened.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")


@pytest.mark.parametrize(
    ("width", "form"), [(320, "at-narrow"), (400, "at-narrow"), (768, "at-middle"), (1300, "at-wide")]
)
def test_what_fits_is_shown_and_nothing_is_cut(width: int, form: str, page: Path, tmp_path: Path) -> None:
    with open_page(page, tmp_path / "profile", width=width, scheme="dark" if width == 400 else "light") as opened:
        unfold(opened)
        assert opened.overflows == []
        assert opened.page.evaluate(CUT) == []
        shown = opened.page.evaluate(SHOWN)
        assert all(len(pictures) == 1 for pictures in shown)
        trees, short, *_ = (pictures[0] for pictures in shown)
        assert trees == form
        assert short == "at-wide at-middle at-narrow"  # the same picture at every width
        assert opened.said == []


def test_names_of_rows_stay(page: Path, tmp_path: Path) -> None:
    """In a box that scrolls, and on every line of aligned words, where they begin at the right in Hebrew."""
    with open_page(page, tmp_path / "profile", width=400) as opened:
        unfold(opened)
        left = "[...document.querySelectorAll('.names')].map(one => one.getBoundingClientRect().left)"
        before = opened.page.evaluate(left)
        opened.page.evaluate("document.querySelectorAll('.wide').forEach(one => { one.scrollLeft = 150; })")
        assert opened.page.evaluate(left) == before
        assert len(before) == 2
        first = "[...document.querySelectorAll('.edits')].map(one => one.children[0].getBoundingClientRect().x)"
        latin, hebrew = opened.page.evaluate(first)
        assert latin < 200 < hebrew


def test_drawings_pass_an_accessibility_checker(page: Path, tmp_path: Path) -> None:
    with open_page(page, tmp_path / "profile") as opened:
        unfold(opened)
        assert accessibility_faults(opened, axe_script()) == []


@pytest.mark.parametrize("scheme", thorough_but(["light", "dark"], "dark"))
def test_colours_are_those_of_the_scheme(scheme: str, page: Path, tmp_path: Path) -> None:
    """Marks have a contrast of 4.5 with the page."""
    with open_page(page, tmp_path / "profile", scheme=scheme) as opened:
        background = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        for mark in ("plain", "wrong", "missed"):
            colour = opened.page.evaluate(f"getComputedStyle(document.querySelector('.drawn .{mark} text')).fill")
            assert contrast(colour, background) >= 4.5, (mark, colour)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as CSS writes them, as WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
