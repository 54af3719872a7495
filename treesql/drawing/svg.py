"""What all drawings as SVG share. They hold no ids and no style sheet of the page, and take the colour of its text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from treesql.drawing.measures import FONTS, em, xml

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
"""A colour per mark, each to be read on white and on black."""

DASHES = {"wrong": "5 3", "missed": "2 3", "possible": "1 4"}
"""Lines that are told apart without their colour."""

SIGNS = {"wrong": "✗", "missed": "✗", "mislabelled": "≠", "matched": "*", "costly": "!", "possible": "?"}
"""What stands before a label in a terminal, with or without colours."""

HIGHLIGHT = 'fill="#e69f00" fill-opacity="0.35"'

# In a file of its own the drawing knows no page: it follows the reader's scheme.
_SCHEMES = (
    "<style>:root{color-scheme:light dark;color:#1c1e21}@media(prefers-color-scheme:dark){:root{color:#e6e8eb}}</style>"
)


@dataclass(frozen=True)
class Picture:
    """Elements that fill a rectangle, in pixels."""

    body: str
    width: float
    height: float

    def svg(self, title: str, *, standalone: bool) -> str:
        """An SVG element with a title for those who cannot see it."""
        across, down = f"{self.width:.0f}", f"{self.height:.0f}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}" viewBox="0 0 {across} {down}" '
            f'role="img" aria-label="{xml(title)}" font-family="{FONTS}" fill="currentColor">'
            f"{_SCHEMES if standalone else ''}{self.body}</svg>" + ("\n" if standalone else "")
        )


class Drawing(Protocol):
    """What can be drawn both as a picture and in characters, in rows of at most a width."""

    def picture(self, width: float | None = None) -> Picture:
        """As a picture; width in pixels."""

    def characters(self, width: int | None = None, colour: bool = False) -> str:
        """In characters; width in columns."""


def stacked(pictures: Iterable[tuple[str, Picture]]) -> Picture:
    """Pictures one below the other, each under its caption, if it has one."""
    parts = []
    width = top = 0.0
    for caption, picture in pictures:
        if caption:
            parts.append(f'<text x="10" y="{top + 18:g}" font-size="13" font-weight="bold">{xml(caption)}</text>')
            top += 26
        parts.append(f'<g transform="translate(0 {top:g})">{picture.body}</g>')
        top += picture.height
        width = max(width, picture.width, 13 * 1.1 * em(caption) + 20)
    return Picture("".join(parts), width, top)


def require_known(marks: Iterable[str]) -> None:
    """Raises ValueError where a mark is none that can be drawn."""
    for mark in marks:
        if mark not in COLOURS:
            raise ValueError(f"unknown mark {mark!r}; marks are {', '.join(filter(None, COLOURS))}")


def stroke(mark: str) -> str:
    """The attributes of the lines of a mark."""
    dashes = f' stroke-dasharray="{DASHES[mark]}"' if mark in DASHES else ""
    colour = COLOURS["" if mark == "mislabelled" else mark]
    faint = ' stroke-opacity="0.6"' if mark in ("", "mislabelled") else ""
    return f'fill="none" stroke="{colour}" stroke-width="{1.2 if not mark else 1.6}"{faint}{dashes}'
