"""Shared parts of SVG drawings. Drawings have no ids and no style sheet, and use the text colour of the page."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from treesql.drawing.measures import FONTS, em_width, xml

WIDTH = 1000
"""Maximum width of a row of words, in pixels."""

COLOURS = {
    "": "currentColor",
    "wrong": "#d8432e",
    "missed": "#2f86d6",
    "mislabelled": "#d8432e",
    "matched": "#d98200",
    "costly": "#d6409f",
    "enhanced": "#8f6fd6",
    "possible": "currentColor",
}
"""A colour per mark, readable on white and on black."""

DASHES = {"wrong": "5 3", "missed": "2 3", "possible": "1 4"}
"""Dash patterns, which distinguish lines without colour."""

SIGNS = {"wrong": "✗", "missed": "✗", "mislabelled": "≠", "matched": "*", "costly": "!", "possible": "?"}
"""Signs before labels in text drawings, with or without colours."""

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

    def svg(self, title: str, *, standalone: bool) -> str:
        """Return an SVG element with a title for screen readers."""
        across, down = f"{self.width:.0f}", f"{self.height:.0f}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}" viewBox="0 0 {across} {down}" '
            f'role="img" aria-label="{xml(title)}" font-family="{FONTS}" fill="currentColor">'
            f"{SCHEMES if standalone else ''}{self.body}</svg>" + ("\n" if standalone else "")
        )


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
    def characters(self, width: int | None = None, colour: bool = False) -> str:
        """Return text. width: in columns, None for any; colour: with the escape codes of a colour terminal.

        The terminal itself reverses the letters of right-to-left words; zero-width marks keep the words in place.
        """

    def svg(self, title: str = "", *, width: float | None = WIDTH, standalone: bool = False) -> str:
        """Return an SVG element. title: for screen readers; the words if omitted. width: of a row in pixels, None for
        any. standalone: for a file of its own, which follows the light or dark scheme of its viewer; otherwise the
        drawing has the text colour of the page."""
        return self.picture(width).svg(title or self.title, standalone=standalone)


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


def stroke(mark: str, *, heavy: bool = False) -> str:
    """Return the attributes of the lines of a mark. heavy: whether they are twice as wide."""
    dashes = f' stroke-dasharray="{DASHES[mark]}"' if mark in DASHES else ""
    colour = COLOURS["" if mark == "mislabelled" else mark]
    faint = ' stroke-opacity="0.6"' if mark in ("", "mislabelled") else ""
    return f'fill="none" stroke="{colour}" stroke-width="{(1.2 if not mark else 1.6) * (1 + heavy):g}"{faint}{dashes}'
