"""Shared parts of SVG drawings. Drawings have no ids and no style sheet, and use the text colour of the page.

Attributes say how a drawing looks in a file or a notebook; a page of treesql has rules for their classes in its style
sheet, and shows of each drawing the form that fits its width.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from treesql.drawing.measures import FONTS, em_width, xml
from treesql.results import pages

WIDTH = 900
"""Maximum width of a row of words, in pixels."""

PAGE_WIDTHS = {"at-wide": WIDTH, "at-middle": 640}
"""Widths of the rows of words that a page has, by the class of the picture."""

SMALL = 11
"""Font size of labels, in pixels."""

NARROW = 272
"""Width of a picture for a narrow page."""

COLOURS = {
    "": "currentColor",
    "wrong": "#d8432e",
    "missed": "#8f6fd6",
    "mislabelled": "currentColor",
    "matched": "#d98200",
    "costly": "#d6409f",
    "enhanced": "#2c9a5b",
    "possible": "currentColor",
}
"""A colour per mark, readable on white and on black."""

DASHES = {"missed": "4 3", "possible": "1.5 3"}
"""Dash patterns, which distinguish lines without colour."""

SIGNS = {"wrong": "✗", "missed": "✗", "mislabelled": "≠", "matched": "*", "costly": "!", "possible": "?"}
"""Signs before labels in text drawings, with or without colours."""

SYSTEM_SIGNS = "●■◆▲▼✕"
"""Signs of systems in pictures of several, in their order."""

HIGHLIGHT = 'fill="#e69f00" fill-opacity="0.35"'

SCHEMES = (
    "<style>:root{color-scheme:light dark;color:#1c1e21}@media(prefers-color-scheme:dark){:root{color:#e6e8eb}}</style>"
)
"""The style of a file, which has no page: it follows the colour scheme of its viewer."""


@dataclass(frozen=True)
class Picture:
    """Elements that fill a rectangle, in pixels."""

    body: str
    width: float
    height: float

    def element(self, look: str) -> str:
        """Return an SVG element of a page, which says elsewhere what it shows. look: its class.

        The page's style sheet has what attributes say of lines and colours.
        """
        size = f"{self.width:.0f} {self.height:.0f}"
        across, _, down = size.partition(" ")
        return (
            f'<svg class="{look}" width="{across}" height="{down}" viewBox="0 0 {size}" aria-hidden="true" '
            f'font-size="{SMALL}" fill="currentColor">{self._without_looks()}</svg>'
        )

    def _without_looks(self) -> str:
        return _MINUS.sub("-", _INK.sub("", _LINE.sub(_class_of_line, self.body)))

    def svg(self, title: str, *, standalone: bool) -> str:
        """Return an SVG element with a title for screen readers."""
        across, down = f"{self.width:.0f}", f"{self.height:.0f}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}" viewBox="0 0 {across} {down}" '
            f'role="img" aria-label="{xml(title)}" font-family="{FONTS}" font-size="{SMALL}" fill="currentColor">'
            f"{SCHEMES if standalone else ''}{self.body}</svg>" + ("\n" if standalone else "")
        )


_LINE = re.compile(r'fill="none" stroke="currentColor" stroke-width="([\d.]+)"(?: stroke-dasharray="([\d. ]+)")?')
_INK = re.compile(r' (?:fill-opacity="\.75" stroke-opacity="\.6"|color="#\w+" fill="currentColor"|fill="#\w+")')


_MINUS = re.compile(r"(?<=\d) -(?=\d[^<>]*/>)")
"""A blank in a path that a minus makes superfluous."""


def _class_of_line(match: re.Match[str]) -> str:
    """Return the class that stands for the attributes of `stroke`; dashes are those of the mark."""
    looks = ["line", "heavy" * (float(match[1]) >= _HEAVY), "dotted" * (match[2] == DASHES["possible"])]
    return f'class="{" ".join(filter(None, looks))}"'


_HEAVY = 2


def as_element(document: str, prefix: str = "") -> str:
    """A document for a page: without style sheets, which would be the page's. prefix: makes its ids unique there."""
    element = re.sub(r"<style\b.*?</style>", "", document, flags=re.DOTALL)
    element = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}\1"', element)
    return re.sub(r'(href="#|url\(#)', rf"\1{prefix}", element)


class Drawing(ABC):
    """A drawing of plain lists, as a picture and as text, in rows of at most a given width.

    The same lists give the same bytes. Raises ValueError for what cannot be drawn, by the latest when it is drawn.
    """

    @property
    def title(self) -> str:
        """The words, for screen readers."""
        return ""

    @abstractmethod
    def picture(self, width: float | None = None) -> Picture:
        """Return a picture; width in pixels."""

    @abstractmethod
    def on_page(self, title: str) -> OnPage:
        """Return the pictures for a page. title: as of `svg`."""

    @abstractmethod
    def characters(self, width: int | None = None, colour: bool = False) -> str:
        """Return text. width: in columns, None for any; colour: with the escape codes of a colour terminal.

        The terminal itself reverses the letters of right-to-left words; zero-width marks keep the words in place.
        """

    def svg(self, title: str = "", *, width: float | None = WIDTH, standalone: bool = False) -> str:
        """Return an SVG element. title: for screen readers; the words if omitted. width: of a row in pixels, None for
        any. standalone: for a file of its own, which follows the light or dark scheme of its viewer; otherwise the
        drawing has the text colour of the page."""
        return self.picture(width).svg(title or self.title, standalone=standalone)

    def page(self, title: str = "") -> str:
        """Return an element of a page of treesql, of which the page shows what fits its width. title: as of `svg`."""
        return page_of([("", self)], title)


class Prepared(Protocol):
    """What is drawn in rows."""

    @property
    def description(self) -> str:
        """What marks say, in words."""

    def picture(self, width: float | None) -> Picture:
        """Return rows of at most `width` pixels, None for a single one."""

    def narrow(self) -> Picture:
        """Return a picture for a narrow page."""


class WrappedDrawing(Drawing):
    """A drawing of words in rows of at most the given width."""

    @abstractmethod
    def prepare(self) -> Prepared:
        """Validate and prepare what is drawn. Raises ValueError."""

    def picture(self, width: float | None = WIDTH) -> Picture:
        """Return a picture, with rows of at most `width` pixels."""
        return self.prepare().picture(width)

    def on_page(self, title: str) -> OnPage:
        """Return pictures for pages of all widths."""
        return wrapped_on_page(self.prepare(), title)


@dataclass(frozen=True)
class OnPage:
    """The pictures of a drawing for a page: SVG elements, of which the page shows what fits its width.

    title: for screen readers; description: what marks say, in words. scrolls: whether all are shown, beside each other
    in a box that scrolls, in which the first one stays. summary: of what is folded below: further pictures or lines.
    """

    title: str
    description: str
    elements: Sequence[str]
    scrolls: bool = False
    summary: str = ""
    further: Sequence[str] = ()
    lines: str = ""


def wrapped_on_page(prepared: Prepared, title: str) -> OnPage:
    """Return pictures for pages of all widths; equal ones are there once."""
    pictures = {name: prepared.picture(width) for name, width in PAGE_WIDTHS.items()} | {"at-narrow": prepared.narrow()}
    classes: dict[Picture, list[str]] = {}
    for name, picture in pictures.items():
        classes.setdefault(picture, []).append(name)
    elements = [picture.element(" ".join(names)) for picture, names in classes.items()]
    # Tooltips are for windows that are wide enough for the first picture.
    elements[1:] = [_TOOLTIP.sub("", element) for element in elements[1:]]
    return OnPage(title, prepared.description, elements)


_TOOLTIP = re.compile("<title>.*?</title>", re.DOTALL)


def scrolling_on_page(names: Picture, sheet: Picture, title: str, description: str) -> OnPage:
    """Return the names of rows, which stay, and the rows, which scroll."""
    return OnPage(title, description, [names.element("names"), sheet.element("rows")], scrolls=True)


class Drawable(Protocol):
    """What a page shows."""

    @property
    def title(self) -> str:
        """What it shows, for screen readers."""

    def picture(self, width: float | None = None) -> Picture:
        """Return a picture; width in pixels."""

    def on_page(self, title: str) -> OnPage:
        """Return the pictures for a page."""


def page_of(drawings: Iterable[tuple[str, Drawable]], title: str) -> str:
    """Return drawings for a page, one below the other, each under its caption, if it has one."""
    return pages.render("drawing.html", drawings=[(text, one.on_page(title or one.title)) for text, one in drawings])


def beside(names: Picture, sheet: Picture) -> Picture:
    """Return the names of rows and the rows as one picture."""
    body = f'{names.body}<g transform="translate({names.width:.0f} 0)">{sheet.body}</g>'
    return Picture(body, names.width + sheet.width, max(names.height, sheet.height))


def stack(pictures: Iterable[tuple[str, Picture]]) -> Picture:
    """Return pictures one below the other, each under its caption, if it has one."""
    parts = []
    width = top = 0.0
    for caption, picture in pictures:
        if caption:
            parts.append(f'<text x="10" y="{top + 18:g}" font-size="13" font-weight="bold">{xml(caption)}</text>')
            top += 26
        parts.append(f'<g transform="translate(0 {top:g})">{picture.body}</g>')
        top += picture.height
        width = max(width, picture.width, 13 * 1.1 * em_width(caption) + 20)
    return Picture("".join(parts), width, top)


def check_marks(marks: Iterable[str]) -> None:
    """Raise ValueError for an unknown mark."""
    for mark in marks:
        if mark not in COLOURS:
            raise ValueError(f"unknown mark {mark!r}; marks are {', '.join(filter(None, COLOURS))}")


def system_signs(systems: Sequence[int], signs: Sequence[str], *, spared: bool = False) -> str:
    """Return the signs of some systems, by their numbers; none if there is one. spared: none for all, either.

    signs: of all systems.
    """
    if len(signs) == 1 or (spared and len(systems) == len(signs)):
        return ""
    return "".join(signs[at] for at in systems)


def stroke(mark: str, *, heavy: bool = False) -> str:
    """Return the attributes of lines in the colour of their group. heavy: whether they are twice as wide."""
    dashes = f' stroke-dasharray="{DASHES[mark]}"' if mark in DASHES else ""
    width = (1.1 if mark in PLAIN else 1.5) * (1 + heavy)
    return f'fill="none" stroke="currentColor" stroke-width="{width:g}"{dashes}'


PLAIN = ("", "mislabelled", "possible")
"""Marks of what is right, which is drawn quietly."""


def marked(mark: str, *elements: str) -> str:
    """Return elements in the colour of a mark."""
    ink = 'fill-opacity=".75" stroke-opacity=".6"' if mark in PLAIN else f'color="{COLOURS[mark]}" fill="currentColor"'
    look = " ".join(filter(None, ["plain" * (mark in PLAIN), mark]))
    return f'<g class="{look}" {ink}>{"".join(elements)}</g>'


def texts(look: str, placed: Iterable[tuple[float, str, str]], y: float, size: int, further: str = "") -> str:
    """Return texts on one line, each with its x and its tooltip. look: their class."""
    parts = [f'<text x="{x:.0f}">{titled(note)}{xml(text)}</text>' for x, text, note in placed]
    if not parts:
        return ""
    further = f" {further}" if further else ""
    return f'<g class="{look}" font-size="{size}" transform="translate(0 {y:g})"{further}>{"".join(parts)}</g>'


def titled(note: str) -> str:
    """Return the tooltip of an element, if it has one."""
    return f"<title>{chr(10).join(map(xml, note.split(chr(10))))}</title>" if note else ""
