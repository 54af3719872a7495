"""Two dependency trees that face each other, with links between their words: aligned sentences."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from treesql.drawing.arcs import Row
from treesql.drawing.dependencies import Tree, with_arcs_below
from treesql.drawing.dependency_pictures import (
    MARGIN,
    PreparedTree,
    draw_row,
    draw_upright,
    row_rules,
    with_margin,
    wrapped,
)  # fmt: skip
from treesql.drawing.measures import em_width, xml
from treesql.drawing.svg import (
    NARROW,
    SIGNS,
    SMALL,
    Picture,
    WrappedDrawing,
    check_marks,
    marked,
    stack,
    stroke,
    titled,
)
from treesql.drawing.wrapping import WrappedArcs

_LINK_HEIGHT, _UNLINKED = 60, 10  # between the words of two trees with and without links
_STUB, _STUB_LINE = 14, 13  # length of a link to another row, and from one line of their texts to the next
_ROW_GAP = 30  # between pairs of rows
_BAND = 4
"""Number of rows by which a word of the second sentence may be away from where it is if rows are equally full."""


@dataclass(frozen=True)
class Link:
    """A word of the first sentence and one of the second, 1-based. mark: as that of an arc."""

    first: int
    second: int
    mark: str = ""


def check_links(links: Iterable[Link], first: Sequence[str], second: Sequence[str]) -> None:
    """Raise ValueError for a link to a word that does not exist."""
    for link in links:
        if not (1 <= link.first <= len(first) and 1 <= link.second <= len(second)):
            raise ValueError(f"the link {link.first}-{link.second} leads to a word that does not exist")


@dataclass(frozen=True)
class TreePair(WrappedDrawing):
    """Two trees and the links between their words.

    To show a path of high cost, mark its edges (`marks` of the trees) and the links at its ends as `costly`. Raises
    ValueError for a link to a word that does not exist, or an unknown mark.
    """

    first: Tree
    second: Tree
    links: Sequence[Link]

    def __post_init__(self) -> None:
        check_links(self.links, self.first.forms, self.second.forms)
        check_marks(link.mark for link in self.links)

    @property
    def title(self) -> str:
        """The words of both."""
        return f"{self.first.title} ~ {self.second.title}"

    def prepare(self) -> _PreparedPair:
        """Validate and prepare both trees. Raises ValueError."""
        return _PreparedPair(self.first.prepare(), self.second.prepare(), self.links)

    def characters(self, width: int | None = None, colour: bool = False) -> str:
        """Return text: below every word of the first sentence are the numbers of the words linked to it."""
        linked: list[list[str]] = [[] for _ in self.first.forms]
        for link in sorted(self.links, key=lambda link: (link.first, link.second)):
            linked[link.first - 1].append(SIGNS.get(link.mark, "") + str(link.second))
        upper = replace(self.first, links=["↓" + ",".join(numbers) if numbers else "" for numbers in linked])
        lower = replace(self.second, numbers=[str(at) for at in range(1, len(self.second.forms) + 1)])
        return f"{upper.characters(width, colour)}\n{lower.characters(width, colour, turned=True)}"


@dataclass(frozen=True)
class _PreparedPair:
    """Two trees and the links between their words."""

    first: PreparedTree
    second: PreparedTree
    links: Sequence[Link]

    @property
    def description(self) -> str:
        """The links, in words."""
        return "; ".join(
            f"{self.first.forms[link.first - 1]} ~ {self.second.forms[link.second - 1]}"
            f"{f' ({link.mark})' if link.mark else ''}"
            for link in self.links
        )

    def picture(self, width: float | None) -> Picture:
        """Return pairs of rows: the first tree's arcs above its words, the second's below, lines between; a link to a
        word in another row ends in a dot with that word."""
        return _draw_pair(self.first, with_arcs_below(self.second), self.links, width)

    def narrow(self) -> Picture:
        """Return a word of both on each line, with those that it is linked to."""
        sides = self.first, self.second
        linked: list[list[list[str]]] = [[[] for _ in side.forms] for side in sides]
        for link in self.links:
            ends = link.first - 1, link.second - 1
            for side in (0, 1):
                there = ends[1 - side]
                text = f"{SIGNS.get(link.mark, '')}{there + 1} {sides[1 - side].forms[there]}"
                linked[side][ends[side]].append(text)
        return stack(
            ("", draw_upright(replace(side, links=[", ".join(words) for words in of_side]), NARROW))
            for side, of_side in zip(sides, linked, strict=True)
        )


def _draw_pair(upper: PreparedTree, lower: PreparedTree, links: Sequence[Link], width: float | None) -> Picture:
    """Draw two trees in pairs of rows."""
    sides = [wrapped(tree, width, numbered=False) for tree in (upper, lower)]
    numbered = not all(side.fits for side in sides)
    if numbered:
        sides = [wrapped(tree, width, numbered=True) for tree in (upper, lower)]
    rows = sides[0].rows()
    pairs = list(itertools.zip_longest(rows, _facing_rows(rows, sides[1], links, len(lower.forms))))
    for above, below in pairs:
        if above and below:
            _align(above, below, links, sides[0].limit)
    widest = max(row.width for pair in pairs for row in pair if row)
    parts: list[str] = []
    tops = [float(MARGIN)]
    for above, below in pairs:
        ends = _draw_pair_of_rows((above, below), (upper, lower), links, tops[-1], widest, parts, numbered)
        tops.append(ends + _ROW_GAP)
    parts.append(row_rules([top - _ROW_GAP / 2 for top in tops[1:-1]], widest))
    return Picture(with_margin(parts), widest + 2 * MARGIN, tops[-1] - _ROW_GAP + MARGIN)


def _facing_rows(rows: Sequence[Row], second: WrappedArcs, links: Sequence[Link], n: int) -> list[Row | None]:
    """Return the rows of n words that face given rows, such that few links lead to another pair of rows.

    Some may be empty, and some more may follow.
    """
    if not n:
        return [None]
    row_of = {word + 1: at for at, row in enumerate(rows) for word in row.words}
    linked: list[list[int]] = [[] for _ in range(n)]
    for link in links:
        linked[link.second - 1].append(row_of[link.first])
    n_rows, limit = len(rows), second.limit or float("inf")
    while True:
        best: list[dict[int, tuple[float, int]]] = [{0: (0.0, 0)}]
        for at in range(n_rows):
            near = range(max(0, int(n * (at + 1 - _BAND) / n_rows)), min(n, int(n * (at + 1 + _BAND) / n_rows)) + 1)
            best.append({})
            for begin, (cost, _) in best[at].items():
                crossing = 0.0
                for end in range(begin, n + 1):
                    if end > begin:
                        crossing += sum(abs(row - at) for row in linked[end - 1])
                        if end - begin > 1 and second.extent(begin, end) > limit:
                            break
                    if end not in near or (end < n and end in second.inside):
                        continue
                    if end not in best[-1] or cost + crossing < best[-1][end][0]:
                        best[-1][end] = cost + crossing, begin
        if n in best[-1]:
            break
        n_rows += 1
    ends, spans = n, list[tuple[int, int]]()
    for at in range(n_rows, 0, -1):
        begin = best[at][ends][1]
        spans.append((begin, ends))
        ends = begin
    return [second.row(*span) if span[0] < span[1] else None for span in reversed(spans)]


def _align(above: Row, below: Row, links: Sequence[Link], limit: float | None) -> None:
    """Shift one of two rows such that linked words are below each other, as far as there is room."""
    places = above.word_centres(), below.word_centres()
    aside = [
        places[1][link.second] - places[0][link.first]
        for link in links
        if link.first in places[0] and link.second in places[1]
    ]
    slope = sum(aside) / len(aside) if aside else (below.width - above.width) / 2
    for row, wanted in ((above, slope), (below, -slope)):
        row.shift(max(0, wanted if limit is None else min(wanted, limit - row.width)))


def _draw_pair_of_rows(
    rows: tuple[Row | None, Row | None],
    trees: tuple[PreparedTree, PreparedTree],
    links: Sequence[Link],
    top: float,
    width: float,
    parts: list[str],
    numbered: bool,
) -> float:
    """Append two rows and the links between them, from `top`; return where they end. One of them may be missing.

    width: of the picture, outside which no text stands.
    """
    places = [row.word_centres() if row else {} for row in rows]
    stubs = [_stubs(places, trees, links, side, width) for side in (0, 1)]
    start = draw_row(rows[0], trees[0], top, parts, numbered=numbered) if rows[0] else top
    heights = [
        _STUB + _STUB_LINE * max((level for *_, level in side), default=-1) + 12 if side else 0 for side in stubs
    ]
    between = _LINK_HEIGHT if links and rows[0] and rows[1] else _UNLINKED
    end = start + max(between, sum(heights) + (between / 2 if all(heights) else 0))
    for mark in sorted({link.mark for link in links}):
        lines = []
        for link in links:
            if link.mark == mark and link.first in places[0] and link.second in places[1]:
                a, b, half = places[0][link.first], places[1][link.second], (start + end) / 2
                said = f"{trees[0].forms[link.first - 1]} ~ {trees[1].forms[link.second - 1]}"
                curve = f"M{a:.0f} {start + 2:.0f}C{a:.0f} {half:.0f} {b:.0f} {half:.0f} {b:.0f} {end - 1:.0f}"
                lines.append(f'<path d="{curve}">{titled(said)}</path>')
        if lines:
            parts.append(marked(mark, f'<g class="links"><g {stroke(mark)}>{"".join(lines)}</g></g>'))
    labels: list[str] = []  # above all lines, which may lead past them
    for side, edge, down in ((0, start + 2, 1), (1, end - 1, -1)):
        for mark, x, middle, text, level in stubs[side]:
            y = edge + down * (_STUB + _STUB_LINE * level)
            line = f'<path {stroke(mark)} d="M{x:.0f} {edge:.0f}V{y:.0f}"/><circle cx="{x:.0f}" cy="{y:.0f}" r="2"/>'
            baseline = y + (12 if down > 0 else -5)
            label = f'<text class="over" x="{middle:.0f}" y="{baseline:.0f}">{xml(text)}</text>'
            parts.append(marked(mark, line))
            labels.append(marked(mark, label))
    parts += labels
    return draw_row(rows[1], trees[1], end, parts, numbered=numbered) if rows[1] else end


_Stub = tuple[str, float, float, str, int]
"""The mark of links to other rows, where they begin, the middle of the words there, these, and their level."""


def _stubs(
    places: Sequence[Mapping[int, float]],
    trees: Sequence[PreparedTree],
    links: Sequence[Link],
    side: int,
    width: float,
) -> list[_Stub]:
    """Return the links from a row to words that do not face it."""
    ends: dict[int, list[tuple[int, str]]] = {}
    for link in links:
        here, there = (link.first, link.second)[:: 1 if side == 0 else -1]
        if here in places[side] and there not in places[1 - side]:
            ends.setdefault(here, []).append((there, link.mark))
    stubs: list[_Stub] = []
    taken: list[float] = []  # by level, where the last text ends
    for here, others in sorted(ends.items(), key=lambda item: places[side][item[0]]):
        text = ", ".join(f"{SIGNS.get(mark, '')}{at} {trees[1 - side].forms[at - 1]}" for at, mark in others)
        x, half = places[side][here], SMALL * em_width(text) / 2 + 3
        middle = max(min(x, width - half), half)
        level = next((level for level, end in enumerate(taken) if end <= middle - half), len(taken))
        taken[level : level + 1] = [middle + half]
        marks = {mark for _, mark in others}
        stubs.append((marks.pop() if len(marks) == 1 else "", x, middle, text, level))
    return stubs
