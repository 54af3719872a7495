"""What all drawings as SVG share. They hold no ids and no style sheet of the page, and take the colour of its text."""

from __future__ import annotations

from treesql.drawing.measures import FONTS, xml

COLOURS = {
    "": "currentColor",
    "wrong": "#d8432e",
    "missed": "#2f86d6",
    "mislabelled": "#d8432e",
    "matched": "#d98200",
    "enhanced": "#8f6fd6",
}
"""A colour per mark, each to be read on white and on black."""

DASHES = {"wrong": "5 3", "missed": "2 3"}
"""Lines that are told apart without their colour."""

HIGHLIGHT = 'fill="#e69f00" fill-opacity="0.35"'

# In a file of its own the drawing knows no page: it follows the reader's scheme.
_SCHEMES = (
    "<style>:root{color-scheme:light dark;color:#1c1e21}@media(prefers-color-scheme:dark){:root{color:#e6e8eb}}</style>"
)


def document(body: str, width: float, height: float, title: str, *, standalone: bool) -> str:
    """An SVG element with a title for those who cannot see it."""
    across, down = f"{width:.0f}", f"{height:.0f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}" viewBox="0 0 {across} {down}" '
        f'role="img" aria-label="{xml(title)}" font-family="{FONTS}" fill="currentColor">'
        f"{_SCHEMES if standalone else ''}{body}</svg>" + ("\n" if standalone else "")
    )


def stroke(mark: str) -> str:
    """The attributes of the lines of a mark."""
    dashes = f' stroke-dasharray="{DASHES[mark]}"' if mark in DASHES else ""
    colour = COLOURS["" if mark == "mislabelled" else mark]
    faint = ' stroke-opacity="0.6"' if mark in ("", "mislabelled") else ""
    return f'fill="none" stroke="{colour}" stroke-width="{1.2 if not mark else 1.6}"{faint}{dashes}'
