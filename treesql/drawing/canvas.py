"""A grid of character cells: box-drawing lines that join where they meet, and texts on top of them."""

from __future__ import annotations

import unicodedata

from treesql.results.tables import cell_width

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_LINES = " ╵╷│╴╯╮┤╶╰╭├─┴┬┼"
"""Characters by the sum of the sides where their lines join."""

_CODES = {
    "wrong": "31",
    "missed": "34",
    "mislabelled": "31",
    "matched": "33",
    "enhanced": "35",
    "found": "1;33",
    "faint": "2",
}
_LEFT_TO_RIGHT = "\u200e"


class Canvas:
    """Cells by row and column, from 0. Texts hide lines."""

    def __init__(self) -> None:
        self._lines: dict[tuple[int, int], int] = {}
        self._texts: dict[tuple[int, int], str] = {}
        self._styles: dict[tuple[int, int], str] = {}
        self._crossed: set[tuple[int, int]] = set()

    def across(self, row: int, start: int, end: int, style: str = "", *, open_at: str = "") -> None:
        """Draw a horizontal line between the centres of two cells, or to their edges: open_at `left`, `right`."""
        for column in range(start, end + 1):
            joins = _RIGHT if column < end or "right" in open_at else 0
            joins |= _LEFT if column > start or "left" in open_at else 0
            self._join(row, column, joins, style)

    def stem(self, column: int, turn: int, foot: int, style: str = "") -> None:
        """Draw a vertical line from the centre of the cell where it turns to the far edge of the cell at its foot."""
        for row in range(min(turn, foot), max(turn, foot) + 1):
            joins = _UP | _DOWN if row != turn else _DOWN if foot >= turn else _UP
            self._join(row, column, joins, style)

    def cross(self, row: int, column: int) -> None:
        """Let a vertical line pass a horizontal one that it does not join."""
        self._crossed.add((row, column))

    def write(self, row: int, column: int, text: str, style: str = "") -> None:
        """Write a text from a cell on. Characters of zero width are attached to the preceding character."""
        at = last = column
        for end, character in enumerate(text, 1):
            after = column + cell_width(text[:end])
            if last < at and (after == at or not cell_width(character)):
                self._texts[row, last] += character
            else:
                self._texts[row, at] = character
                self._styles[row, at] = style
                last, at = at, at + 1
            for more in range(at, after):
                self._texts[row, more] = ""
            at = max(at, after)
        if any(unicodedata.bidirectional(character) in ("R", "AL") for character in text):
            self._texts[row, last] += _LEFT_TO_RIGHT

    def centre(self, row: int, middle: int, text: str, style: str = "") -> None:
        """Write a text centred on a cell."""
        self.write(row, middle - (cell_width(text) - 1) // 2, text, style)

    def text(self, colour: bool = False) -> str:
        """Return the rows, without trailing blanks."""
        filled = self._lines.keys() | self._texts.keys()
        height = max((row for row, _ in filled), default=-1) + 1
        ends = [0] * height
        for row, column in filled:
            ends[row] = max(ends[row], column + 1)
        return "\n".join(self._row(row, ends[row], colour) for row in range(height))

    def _row(self, row: int, end: int, colour: bool) -> str:
        parts = []
        for column in range(end):
            place = (row, column)
            shown = self._texts.get(place)
            if shown is None:
                shown = _LINES[_UP | _DOWN if place in self._crossed else self._lines.get(place, 0)]
            code = _CODES.get(self._styles.get(place, "")) if colour and shown.strip() else None
            parts.append(f"\x1b[{code}m{shown}\x1b[0m" if code else shown)
        line = "".join(parts).rstrip()
        return _LEFT_TO_RIGHT + line if _LEFT_TO_RIGHT in line else line

    def _join(self, row: int, column: int, joins: int, style: str) -> None:
        place = (row, column)
        self._lines[place] = self._lines.get(place, 0) | joins
        if style or place not in self._styles:
            self._styles[place] = style
