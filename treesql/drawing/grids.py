"""Alignment grids: the words of a sentence by those of its translation, with a mark in the cell of every link.

AlignmentGrid(["Ann", "drinks", "tea"], ["Ann", "trinkt", "Tee"], [Link(1, 1), Link(2, 2), Link(3, 3, "possible")])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treesql.drawing.canvas import Canvas
from treesql.drawing.measures import em_width, letters, printable, xml
from treesql.drawing.pairs import Link, check_links
from treesql.drawing.svg import COLOURS, Drawing, Picture
from treesql.results.tables import cell_width

POSSIBLE = "possible"
"""Mark of links that are not sure."""

_CELL, _SIZE, _MARGIN, _GAP = 22, 14, 10, 6  # pixels: of a cell, of the font, around the grid, from it to words
_LEAN, _ACROSS, _DOWN = 60, 0.5, 0.866  # the angle of the words above the grid, its cosine and sine

_KEY = "squares: links, open if only possible"
_KEY_OF_SYSTEM = "squares: links, open if only possible, blue if missed; discs: the system's, red if wrong"
_SMALL, _BELOW = 12, 24  # pixels: the font of the key, and its height below the grid

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

    The mark of a link is `possible` or ``, for sure links; those of a system count the same. Raises ValueError for a
    link to a word that does not exist.
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
        """Return a picture, as wide as necessary: squares for links, filled if they are sure, discs for the system's.

        Sure links that the system lacks are blue, its links that are neither sure nor possible red.
        """
        before = max((_SIZE * em_width(word) for word in self.source), default=0) + _GAP
        above = max((_SIZE * em_width(word) for word in self.target), default=0) * _DOWN + _SIZE + _GAP
        across, down = _CELL * len(self.target), _CELL * len(self.source)
        key = _KEY if self.system is None else _KEY_OF_SYSTEM
        parts = [self._lines(), self._words(), *map(self._cell, self._cells())]
        parts.append(f'<text x="{-before:.1f}" y="{down + _BELOW - 6}" font-size="{_SMALL}">{xml(key)}</text>')
        widths_from_end = enumerate(_SIZE * em_width(word) * _ACROSS for word in reversed(self.target))
        lean = max((width - _CELL * at for at, width in widths_from_end), default=0)
        return Picture(
            f'<g transform="translate({_MARGIN + before:.1f} {_MARGIN + above:.1f})">{"".join(parts)}</g>',
            2 * _MARGIN + max(before + across + max(lean, 0), _SMALL * em_width(key)),
            2 * _MARGIN + above + down + _BELOW,
        )

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

    def _cell(self, cell: tuple[Link, bool, bool]) -> str:
        """Return the marks of a link, with a tooltip."""
        link, gold, proposed = cell
        x, y = _CELL * (link.second - 1), _CELL * (link.first - 1)
        possible, missed = link.mark == POSSIBLE, self._is_missed(*cell)
        words = f"{self.source[link.first - 1]} ~ {self.target[link.second - 1]}"
        kind = "wrong" if not gold else "possible" if possible else "missed" if missed else "sure"
        parts = [f"<title>{xml(f'{words}: {kind}')}</title>"]
        if gold:
            colour = COLOURS["missed" if missed else ""]
            fill = 'fill="none"' if possible else f'fill="{colour}" fill-opacity="0.85"'
            parts.append(
                f'<rect x="{x + 3}" y="{y + 3}" width="{_CELL - 6}" height="{_CELL - 6}" {fill} stroke="{colour}" '
                'stroke-width="1.6"/>'
            )
        if proposed:
            colour = COLOURS["matched" if gold else "wrong"]
            parts.append(f'<circle cx="{x + _CELL / 2:g}" cy="{y + _CELL / 2:g}" r="5" fill="{colour}"/>')
        return f"<g>{''.join(parts)}</g>"

    def _lines(self) -> str:
        """Return the lines between the cells."""
        across, down = _CELL * len(self.target), _CELL * len(self.source)
        path = [f"M0 {_CELL * at}h{across}" for at in range(len(self.source) + 1)]
        path += [f"M{_CELL * at} 0v{down}" for at in range(len(self.target) + 1)]
        return f'<path d="{"".join(path)}" fill="none" stroke="currentColor" stroke-opacity="0.25"/>'

    def _words(self) -> str:
        """Return source words at the left of the grid, and target words above it."""
        rows = [
            f'<text x="{-_GAP}" y="{_CELL * at + _CELL / 2 + _SIZE / 3:.1f}" text-anchor="end">{xml(word)}</text>'
            for at, word in enumerate(self.source)
        ]
        columns = [
            f'<text transform="translate({_CELL * at + _CELL / 2 + _SIZE / 4:.1f} {-_GAP}) rotate({-_LEAN})">'
            f"{xml(word)}</text>"
            for at, word in enumerate(self.target)
        ]
        return f'<g font-size="{_SIZE}">{"".join(rows + columns)}</g>'
