"""Widths of texts, in the terminal and in SVG with unknown fonts, their direction, and the space that they share."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape

from treesql.results.pages import CONTROLS
from treesql.results.tables import cell_width
from treesql.results.tables import runs_right_to_left as runs_right_to_left

FONTS = "'Noto Sans', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"

_NARROW = frozenset("iljI.,:;'|!`·")
_SLIM = frozenset('ftr()[]{}-/\\ "°Jsczvxyk')
_BROAD = frozenset("mwMW@%—…―æœÆŒ©®½¼¾шщжюыфмШЩЖЮМФЫЉЊљњ\u0906\u0911\u0912\u0913\u0914")
_BROAD_AT_END = frozenset("بتثپسشصضفكکگ")
_BROADEST = frozenset("‰‱ǱǄǲǅǳǆ")
_MIRRORED = str.maketrans("()[]{}<>«»\u2039\u203a", ")(][}{><»«\u203a\u2039")


@lru_cache(maxsize=1 << 16)
def em_width(text: str) -> float:
    """Return an upper estimate of the width in units of the font size: as in DejaVu Sans, which is wider than most
    fonts."""
    return sum(map(_character_width, text)) + 0.6 * (text[-1:] in _BROAD_AT_END)


@cache
def _character_width(character: str) -> float:
    kind = unicodedata.category(character)
    if kind in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in _NARROW:
        return 0.34
    if character in _SLIM:
        return 0.56 if character.isalpha() else 0.42
    if character in _BROAD:
        return 1.0
    if character in _BROADEST:
        return 1.5
    if kind == "Mc":
        return 0.4
    return 0.77 if kind == "Lu" else 0.65


def letters(text: str) -> list[str]:
    """Return the characters of a text, each with those without a width that follow it, such as accents."""
    clusters: list[str] = []
    for character in text:
        if clusters and not cell_width(character):
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def mirrored(form: str) -> str:
    """Replace the brackets of a word without letters by their mirror images: a terminal reverses the words of a
    right-to-left script, but not isolated brackets."""
    return form if any(map(str.isalnum, form)) else form.translate(_MIRRORED)


def stack_spans(spans: Sequence[tuple[float, float]]) -> list[int]:
    """Return the row of each span, from 0, such that none in a row touch. Short ones first."""
    rows: list[list[tuple[float, float]]] = []
    row_of = [0] * len(spans)
    for at in sorted(range(len(spans)), key=lambda at: (spans[at][1] - spans[at][0], spans[at])):
        first, last = spans[at]
        row = next(
            (row for row, taken in enumerate(rows) if all(last < start or end < first for start, end in taken)),
            len(rows),
        )
        rows[row : row + 1] = [[*rows[row], spans[at]] if row < len(rows) else [spans[at]]]
        row_of[at] = row
    return row_of


def printable(text: str) -> str:
    """Return a text on one line, without characters that XML forbids or that control a terminal."""
    if text.isprintable():  # nearly always, and found ten times as fast
        return text
    return CONTROLS.sub("\ufffd", text).translate({9: " ", 10: " ", 13: " ", 0x2028: " ", 0x2029: " "})


def xml(text: str) -> str:
    """Escape a text for an XML element or attribute."""
    return escape(printable(text), quote=True)


@dataclass(frozen=True)
class Ruler:
    """label: the width that a label needs, between the ends of an arc or as a node; gap: between words.

    cells: whether units are character cells, which are indivisible; arcs that begin at a word then share its three
    centre cells: left for arcs to the left, right for arcs to the right. Otherwise they begin `fan` pixels from each
    other.
    """

    label: Callable[[str], float]
    gap: float
    fan: float = 1
    cells: bool = False

    def middle(self, width: float) -> float:
        """Return the centre of an object that begins at 0."""
        return (width - 1) // 2 if self.cells else width / 2

    def widen(self, gaps: list[float], first: int, last: int, lacking: float) -> None:
        """Distribute the lacking width equally over the gaps `first` to `last` - 1."""
        if lacking <= 0 or first >= last:
            return
        share, rest = divmod(lacking, last - first) if self.cells else (lacking / (last - first), 0)
        for gap in range(first, last):
            gaps[gap] += share + (gap - first < rest)
