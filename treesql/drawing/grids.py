"""Alignment grids: the words of a sentence by those of its translation, with a mark in the cell of every link.

AlignmentGrid(["Ann", "drinks", "tea"], ["Ann", "trinkt", "Tee"], [Link(1, 1), Link(2, 2), Link(3, 3, "possible")])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from treesql.drawing.canvas import Canvas
from treesql.drawing.measures import em_width, letters, printable, xml
from treesql.drawing.pairs import Link, check_links
from treesql.drawing.svg import Drawing, OnPage, Picture, beside, marked, scrolling_on_page, stroke
from treesql.results.tables import cell_width

POSSIBLE = "possible"
"""Mark of links that are not sure."""

_MARGIN, _GAP = 10, 6  # pixels: around the grid, from it to words


class _Sizes(NamedTuple):
    """Pixels of a cell and its font, of half a box and half a cross, and of the radii of a circle and a dot."""

    cell: int
    font: int
    box: int
    circle: float
    cross: int
    dot: float


_OF_WORDS, _OF_NUMBERS = _Sizes(22, 14, 7, 8, 4, 4), _Sizes(16, 11, 5, 6, 3, 3)

_SIGNS = {
    (True, False, False): "■",
    (True, True, False): "□",
    (True, False, True): "■",
    (True, True, True): "▣",
    (False, False, True): "✗",
}
"""Signs of text drawings, by whether a gold alignment has the link, whether it is only possible, and whether the
system has it."""

_MISSED = "○"
"""Sign of a sure link that a system lacks."""


@dataclass(frozen=True)
class AlignmentGrid(Drawing):
    """Source words, a row each; target words, a column each; their links, and those of a system to compare.

    The mark of a link is `possible` or ``, for sure links; those of a system count the same. A grid whose words are
    numbers has smaller cells. Raises ValueError for a link to a word that does not exist.
    """

    source: Sequence[str]
    target: Sequence[str]
    links: Sequence[Link]
    system: Sequence[Link] | None = None

    def __post_init__(self) -> None:
        check_links((*self.links, *(self.system or ())), self.source, self.target)

    @property
    def title(self) -> str:
        """The words of both sides."""
        return f"{' '.join(self.source)} ~ {' '.join(self.target)}"

    def picture(self, width: float | None = None) -> Picture:
        """Return a picture, as wide as necessary: boxes for sure links and dotted circles for possible ones, dots for
        those of the system. Boxes of links that the system misses are dashed; its wrong links are crosses."""
        return beside(*self._parts())

    def on_page(self, title: str) -> OnPage:
        """Return the source words, which stay, and the grid, which scrolls."""
        return scrolling_on_page(*self._parts(), title, "; ".join(self._describe(*cell) for cell in self._cells()))

    @property
    def _sizes(self) -> _Sizes:
        return _OF_NUMBERS if all(word.isdecimal() for word in (*self.source, *self.target)) else _OF_WORDS

    def _parts(self) -> tuple[Picture, Picture]:
        """Return the source words, and the grid below target words."""
        cell, size, *_ = self._sizes
        base = (cell + size) // 2 - 2
        before = max((size * em_width(word) for word in self.source), default=0) + _GAP + _MARGIN
        above = max((size * em_width(word) for word in self.target), default=0) + _GAP + _MARGIN
        across, down = cell * len(self.target), cell * len(self.source)
        rows = [
            f'<text x="{before - _GAP:.0f}" y="{above + cell * at + base:.0f}">{xml(word)}</text>'
            for at, word in enumerate(self.source)
        ]
        columns = [
            f'<text transform="translate({cell * at + base} {-_GAP}) rotate(-90)">{xml(word)}</text>'
            for at, word in enumerate(self.target)
        ]
        names = f'<g class="form" font-size="{size}" text-anchor="end">{"".join(rows)}</g>'
        words = f'<g class="form" font-size="{size}">{"".join(columns)}</g>'
        sheet = f'<g transform="translate(0 {above:.0f})">{self._lines()}{words}{self._marks()}</g>'
        height = above + down + _MARGIN
        return Picture(names, before, height), Picture(sheet, across + _MARGIN, height)

    def characters(self, width: int | None = None, colour: bool = False) -> str:
        """Return text, with the letters of target words one below the other. width: in columns; wider grids are broken
        into several."""
        before = max((cell_width(printable(word)) for word in self.source), default=0) + 1
        n = len(self.target)
        size = n if width is None else min(max((width - before) // 2, 1), n)
        starts = range(0, max(n, 1), max(size, 1))
        return "\n\n".join(self._block(start, min(start + size, n), before).text(colour) for start in starts) + "\n"

    def _block(self, start: int, end: int, before: int) -> Canvas:
        """Return the columns of some target words, from `start` to `end`, from 0. before: columns of source words."""
        canvas = Canvas()
        columns = [letters(printable(word)) for word in self.target[start:end]]
        height = max(map(len, columns), default=0)
        for at, column in enumerate(columns):
            for row, letter in enumerate(column, height - len(column)):
                canvas.write(row, before + 2 * at, letter)
        for row, word in enumerate(map(printable, self.source), height):
            canvas.write(row, before - 1 - cell_width(word), word)
            for at in range(end - start):
                canvas.write(row, before + 2 * at, "·", "faint")
        for link, gold, proposed in self._cells():
            if start < link.second <= end:
                sign, style = self._sign(link, gold, proposed)
                canvas.write(height + link.first - 1, before + 2 * (link.second - 1 - start), sign, style)
        return canvas

    def _sign(self, link: Link, gold: bool, proposed: bool) -> tuple[str, str]:
        """Return the sign of a cell and its style."""
        if self._is_missed(link, gold, proposed):
            return _MISSED, "missed"
        return _SIGNS[gold, link.mark == POSSIBLE and gold, proposed], "" if gold else "wrong"

    def _is_missed(self, link: Link, gold: bool, proposed: bool) -> bool:
        return self.system is not None and gold and not proposed and link.mark != POSSIBLE

    def _cells(self) -> Iterator[tuple[Link, bool, bool]]:
        """Yield every link once, with whether the gold alignment and the system have it."""
        gold = {(link.first, link.second): link for link in sorted(self.links, key=lambda link: link.mark != POSSIBLE)}
        proposed = {(link.first, link.second): link for link in self.system or ()}
        for cell in sorted(gold.keys() | proposed.keys()):
            yield gold.get(cell) or proposed[cell], cell in gold, cell in proposed

    def _describe(self, link: Link, gold: bool, proposed: bool) -> str:
        """Return what a cell says, in words."""
        kind = "wrong" if not gold else "possible" if link.mark == POSSIBLE else "sure"
        if self._is_missed(link, gold, proposed):
            kind = "missed"
        elif self.system is not None and gold:
            kind += ", found" if proposed else ", not found"
        return f"{self.source[link.first - 1]} ~ {self.target[link.second - 1]}: {kind}"

    def _marks(self) -> str:
        """Return the marks of all links, each with a tooltip."""
        cell, _, box, circle, cross, dot = self._sizes
        by_mark: dict[str, list[str]] = {}
        for link, gold, proposed in self._cells():
            x, y = cell * link.second - cell // 2, cell * link.first - cell // 2
            missed = self._is_missed(link, gold, proposed)
            mark = "wrong" if not gold else "missed" if missed else ""
            parts = [f"<title>{xml(self._describe(link, gold, proposed))}</title>"]
            if not gold:
                whole = 2 * cross
                path = f"M{x - cross} {y - cross}l{whole} {whole}m0-{whole}l-{whole} {whole}"
                parts.append(f'<path d="{path}" {stroke(mark, heavy=True)}/>')
            elif link.mark == POSSIBLE:
                parts.append(f'<circle cx="{x}" cy="{y}" r="{circle:g}" {stroke(POSSIBLE)}/>')
            else:
                parts.append(
                    f'<rect x="{x - box}" y="{y - box}" width="{2 * box}" height="{2 * box}" rx="2" {stroke(mark)}/>'
                )
            if gold and proposed:
                parts.append(f'<circle class="form" cx="{x}" cy="{y}" r="{dot:g}"/>')
            by_mark.setdefault(mark, []).append(f"<g>{''.join(parts)}</g>")
        return "".join(marked(mark, *cells) for mark, cells in sorted(by_mark.items()))

    def _lines(self) -> str:
        """Return the lines between the cells."""
        cell = self._sizes.cell
        across, down = cell * len(self.target), cell * len(self.source)
        path = [f"M0 {cell * at}h{across}" for at in range(len(self.source) + 1)]
        path += [f"M{cell * at} 0v{down}" for at in range(len(self.target) + 1)]
        return f'<path d="{"".join(path)}" fill="none" stroke="currentColor" stroke-opacity=".15"/>'
