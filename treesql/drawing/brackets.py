"""Phrases as pictures: lines over the words that they cover, in rows, and trees compared in one picture."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial

from treesql.drawing.dependency_pictures import MARGIN, SIZE, TAG, row_rules, with_errors, with_margin
from treesql.drawing.measures import Ruler, em_width
from treesql.drawing.svg import HIGHLIGHT, NARROW, SMALL, Picture, marked, stroke, texts, titled
from treesql.drawing.wrapping import fill_rows

_STEP, _FIRST = 18, 10  # from one level of lines to the next, and from the words to the first
_FORM, _LINE, _ROW_GAP = 20, 13, 26  # heights of the lines of words, and between rows
_TICK, _ARROW = 5, 12  # of the ends of lines, and of lines that go on
_MIN_SIZE = 8  # of letters
_MIN_FOLDED = 4
"""Minimum number of words of a phrase that is folded to one cell."""

PIXELS = Ruler(label=lambda text: math.ceil(SMALL * em_width(text)) + 8, gap=12)


@dataclass(frozen=True)
class Bracket:
    """A line over words. words: positions from 0, sorted; other: what is written behind its label.

    heavy: whether it is the head of the phrase above it; highlighted: whether its label is. antecedent: the word that
    the other one, a trace, stands for, if it is a line between these.
    """

    words: tuple[int, ...]
    label: str
    mark: str = ""
    other: str = ""
    heavy: bool = False
    highlighted: bool = False
    antecedent: int | None = None

    @property
    def text(self) -> str:
        """Its label, and what is written behind it."""
        return f"{self.label} {self.other}" if self.other else self.label

    @cached_property
    def width(self) -> float:
        """The least width in pixels of the line, which a label stands on."""
        return PIXELS.label(self.text) if self.antecedent is None else 0.0


@dataclass(frozen=True)
class WordCell:
    """A word, or a folded phrase: its text, and the lines below it. bold: whether it is the head of its phrase."""

    form: str
    lines: tuple[str, ...] = ()
    bold: bool = False
    highlighted: bool = False
    size: int = SIZE

    @cached_property
    def width(self) -> float:
        """Its width in pixels."""
        forms = self.size * em_width(self.form) * (1.08 if self.bold else 1) + 8 * self.highlighted
        return float(math.ceil(max([forms, *(TAG * em_width(line) for line in self.lines)])) + 2)

    def within(self, limit: float) -> WordCell:
        """Return the same in smaller letters, if it is wider than a row."""
        return self if self.width <= limit else replace(self, size=max(int(self.size * limit / self.width), _MIN_SIZE))


@dataclass(frozen=True)
class Bracketed:
    """Words with brackets above them, the inner ones after the outer ones, and below them."""

    cells: Sequence[WordCell]
    above: Sequence[Bracket]
    below: Sequence[Bracket] = ()
    right_to_left: bool = False

    @property
    def description(self) -> str:
        """The marked brackets, in words."""
        marked = [bracket for bracket in (*self.above, *self.below) if bracket.mark or bracket.other]
        return "; ".join(describe(bracket, self) for bracket in marked)

    def picture(self, width: float | None) -> Picture:
        """Return rows of at most `width` pixels, unless one cell is wider."""
        return draw_brackets(self, width)

    def narrow(self) -> Picture:
        """Return rows for a narrow page."""
        return draw_brackets(self, NARROW)

    def folded(self) -> Bracketed:
        """Return the same with each largest phrase in which nothing is wrong as one cell, if anything else is wrong."""
        errors = [set(bracket.words) for bracket in (*self.above, *self.below) if bracket.mark or bracket.other]
        spans: list[tuple[int, int]] = []
        for bracket in sorted(self.above, key=lambda bracket: -len(bracket.words)):
            first, last, words = bracket.words[0], bracket.words[-1], set(bracket.words)
            if (
                len(words) >= max(_MIN_FOLDED, last - first + 1)
                and not any(first <= end and start <= last for start, end in spans)
                and all(words <= error or not words & error for error in errors)
            ):
                spans.append((first, last))
        if not (spans and errors):
            return self
        place: dict[int, int] = {}
        cells: list[WordCell] = []
        at = 0
        while at < len(self.cells):
            last = next((last for first, last in spans if first == at), at)
            if last > at:
                form = f"{self.cells[at].form} … {self.cells[last].form}"
                cells.append(WordCell(form, (f"{last - at + 1} words, all right",)))
            else:
                cells.append(self.cells[at])
            place.update(dict.fromkeys(range(at, last + 1), len(cells) - 1))
            at = last + 1

        def kept(brackets: Sequence[Bracket]) -> list[Bracket]:
            return [
                replace(bracket, words=tuple(sorted({place[word] for word in bracket.words})))
                for bracket in brackets
                if not any(
                    first <= bracket.words[0] and bracket.words[-1] <= last and len(bracket.words) <= last - first
                    for first, last in spans
                )
            ]

        return Bracketed(cells, kept(self.above), kept(self.below), self.right_to_left)


@dataclass
class _BracketPart:
    """A bracket in a row: its places there, and whether it goes on at the left and at the right."""

    bracket: Bracket
    places: list[int]
    open_left: bool
    open_right: bool
    level: int = 0


@dataclass
class _BracketRow:
    """A row of cells in display order. bounds: where they begin and end."""

    words: list[int]
    above: list[_BracketPart]
    below: list[_BracketPart]
    bounds: list[tuple[float, float]] = field(default_factory=list)
    width: float = 0

    def levels(self, side: str) -> int:
        return max((part.level for part in getattr(self, side)), default=0)


def draw_brackets(tree: Bracketed, width: float | None) -> Picture:
    """Draw words with brackets in rows of at most `width` pixels, unless one cell is wider."""
    limit = float("inf") if width is None else width - 2 * MARGIN
    n = len(tree.cells)
    tree = replace(tree, cells=[cell.within(limit - 2 * _ARROW) for cell in tree.cells])
    rows = [_lay_out(tree, 0, n)]
    if rows[0].width > limit:
        crossing = [0] * n
        for bracket in (*tree.above, *tree.below):
            for at in range(bracket.words[0] + 1, bracket.words[-1] + 1):
                crossing[at] += 1
        lay_out = cache(partial(_lay_out, tree))
        ends = list(itertools.accumulate((cell.width + PIXELS.gap for cell in tree.cells), initial=0.0))

        def extent(first: int, last: int) -> float:
            least = ends[last] - ends[first] - PIXELS.gap
            return least if least > limit else lay_out(first, last).width

        rows = fill_rows(n, lay_out, extent, crossing, limit, ())
    widest = max(row.width for row in rows)
    parts: list[str] = []
    tops = [float(MARGIN)]
    for row in rows:
        shift = widest - row.width if tree.right_to_left else 0
        elements: list[str] = []
        tops.append(_draw_row(row, tree, tops[-1], elements) + _ROW_GAP)
        parts.append(f'<g transform="translate({shift:.0f} 0)">{"".join(elements)}</g>' if shift else "".join(elements))
    parts.append(row_rules([top - _ROW_GAP / 2 for top in tops[1:-1]], widest))
    return Picture(with_margin(parts), widest + 2 * MARGIN, tops[-1] - _ROW_GAP + MARGIN)


def _lay_out(tree: Bracketed, first: int, last: int) -> _BracketRow:
    """Return the row of some cells, with gaps that are wide enough for all labels."""
    words = list(range(first, last))[:: -1 if tree.right_to_left else 1]
    above, below = (_parts(side, first, last, tree.right_to_left) for side in (tree.above, tree.below))
    row = _BracketRow(words, above, below)
    widths = [tree.cells[word].width for word in words]
    gaps = [0.0] + [PIXELS.gap] * (len(words) - 1) + [0.0]
    for parts in (row.above, row.below):
        for part in sorted(parts, key=lambda part: part.places[-1] - part.places[0]):
            first, last = part.places[0], part.places[-1]
            gaps[0] = max(gaps[0], _ARROW * part.open_left)
            gaps[-1] = max(gaps[-1], _ARROW * part.open_right)
            lacking = part.bracket.width - sum(widths[first : last + 1]) - sum(gaps[first + 1 : last + 1])
            if first == last:
                widths[first] += max(lacking, 0)
            else:
                PIXELS.widen(gaps, first + 1, last + 1, lacking)
    x = gaps[0]
    for width, gap in zip(widths, gaps[1:], strict=True):
        row.bounds.append((x, x + width))
        x += width + gap
    row.width = x
    return row


def _parts(brackets: Iterable[Bracket], first: int, last: int, right_to_left: bool) -> list[_BracketPart]:
    """Return the parts of brackets over the words from one to before another, in display order."""
    parts = []
    for bracket in brackets:
        inside = bracket.words[bisect_left(bracket.words, first) : bisect_left(bracket.words, last)]
        if inside:
            before, behind = bracket.words[0] < first, bracket.words[-1] >= last
            places = [word - first for word in inside]
            if right_to_left:
                before, behind, places = behind, before, [last - 1 - word for word in reversed(inside)]
            parts.append(_BracketPart(bracket, places, before, behind))
    return parts


def _set_levels(parts: list[_BracketPart], n: int) -> None:
    """Set levels: a bracket is beyond all that it covers or crosses, the inner one of the same words first."""
    heights = [0] * n
    for _, part in sorted(enumerate(parts), key=lambda item: (len(item[1].bracket.words), -item[0])):
        first = 0 if part.open_left else part.places[0]
        last = n - 1 if part.open_right else part.places[-1]
        part.level = 1 + max(heights[first : last + 1])
        heights[first : last + 1] = [part.level] * (last + 1 - first)


def _draw_row(row: _BracketRow, tree: Bracketed, top: float, parts: list[str]) -> float:
    """Append the elements of a row that begins at `top`; return where it ends."""
    for side in (row.above, row.below):
        _set_levels(side, len(row.words))
    upper = top + (row.levels("above") * _STEP + _FIRST if row.above else 0)
    cells = [tree.cells[word] for word in row.words]
    centres = [(start + end) / 2 for start, end in row.bounds]
    for cell, (start, end) in zip(cells, row.bounds, strict=True):
        if cell.highlighted:
            box = f'width="{end - start:.0f}" height="{_FORM}" rx="4"'
            parts.append(f'<rect x="{start:.0f}" y="{upper:.0f}" {box} {HIGHLIGHT}/>')
    direction = 'direction="rtl"' if tree.right_to_left else ""
    for size, bold in sorted({(cell.size, cell.bold) for cell in cells}):
        forms = [
            (x, one.form, "") for x, one in zip(centres, cells, strict=True) if (one.size, one.bold) == (size, bold)
        ]
        style = " ".join(filter(None, [direction, 'font-weight="bold"' * bold]))
        parts.append(texts("form", forms, upper + 15, size, style))
    lower = upper + _FORM
    for line in range(max((len(cell.lines) for cell in cells), default=0)):
        shown = [(x, cell.lines[line], "") for x, cell in zip(centres, cells, strict=True) if len(cell.lines) > line]
        parts.append(texts("tag", shown, lower + 9, TAG, 'fill-opacity=".7"'))
        lower += _LINE
    _draw_side(row, row.above, upper - 1, -1, tree, parts)
    _draw_side(row, row.below, lower + 3, 1, tree, parts)
    return lower + 2 + (row.levels("below") * _STEP + _FIRST if row.below else 0)


def _draw_side(
    row: _BracketRow, side: Sequence[_BracketPart], edge: float, down: int, tree: Bracketed, parts: list[str]
) -> None:
    """Append the brackets on one side: -1 above, 1 below. edge: where the words end."""
    by_look: dict[tuple[str, bool], list[_BracketPart]] = {}
    for part in side:
        by_look.setdefault((part.bracket.mark, part.bracket.heavy), []).append(part)
    for (mark, heavy), same in sorted(by_look.items()):
        lines, gaps, labels = list[str](), list[str](), list[str]()
        for part in same:
            y = edge + down * (_FIRST - 3 + (part.level - 1) * _STEP)
            if part.bracket.antecedent is not None:
                lines.append(_link(row, part, edge, y))
                continue
            _line(row, part, y, down, lines, gaps)
            start, end = row.bounds[part.places[0]][0], row.bounds[part.places[-1]][1]
            x, baseline = (start + end) / 2, y - 3 if down < 0 else y + 11
            if part.bracket.highlighted:
                wide = SMALL * em_width(part.bracket.text) + 6
                size = f'width="{wide:.0f}" height="14" rx="3"'
                labels.append(f'<rect x="{x - wide / 2:.0f}" y="{baseline - 11:.0f}" {size} {HIGHLIGHT}/>')
            note = titled(describe(part.bracket, tree))
            labels.append(f'<text x="{x:.0f}" y="{baseline:.0f}">{note}{with_errors(part.bracket.text)}</text>')
        paths = f'<path {stroke(mark, heavy=heavy)} d="{"".join(lines)}"/>'
        if gaps:
            paths += f'<path {stroke("possible")} d="{"".join(gaps)}"/>'
        parts.append(marked(mark, paths, *labels))


def _line(row: _BracketRow, part: _BracketPart, y: float, down: int, lines: list[str], gaps: list[str]) -> None:
    """Append the paths of a bracket in a row: over its words, and over those between them that it does not cover."""
    runs: list[list[int]] = []
    for place in part.places:
        if runs and runs[-1][1] == place - 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    tick = -down * _TICK
    for at, (first, last) in enumerate(runs):
        goes_left, goes_right = part.open_left and at == 0, part.open_right and at == len(runs) - 1
        start = 2 if goes_left else row.bounds[first][0]
        end = row.width - 2 if goes_right else row.bounds[last][1]
        path = f"M{start + 4:.0f} {y - 3:.0f}l-4 3l4 3m-4-3" if goes_left else f"M{start:.0f} {y + tick:.0f}V{y:.0f}"
        lines.append(f"{path}H{end:.0f}" + ("m-4-3l4 3l-4 3" if goes_right else f"v{tick}"))
        if at:
            gaps.append(f"M{row.bounds[runs[at - 1][1]][1]:.0f} {y:.0f}H{start:.0f}")


def _link(row: _BracketRow, part: _BracketPart, edge: float, y: float) -> str:
    """Return the path of a line from a trace to what it stands for, with an arrow there."""
    centres = [(start + end) / 2 for start, end in (row.bounds[part.places[0]], row.bounds[part.places[-1]])]
    path = f"M2 {y:.0f}" if part.open_left else f"M{centres[0]:.0f} {edge:.0f}V{y:.0f}"
    path += f"H{row.width - 2:.0f}" if part.open_right else f"H{centres[1]:.0f}V{edge:.0f}"
    for place, x in zip((part.places[0], part.places[-1]), centres, strict=True):
        if row.words[place] == part.bracket.antecedent:
            path += f"M{x - 3:.0f} {edge + 4:.0f}l3-4l3 4"
    return path


def describe(bracket: Bracket, tree: Bracketed) -> str:
    """Return what a bracket says, in words."""
    words = " ".join(tree.cells[word].form for word in bracket.words)
    return f"{f'{bracket.mark}: ' if bracket.mark else ''}{bracket.text}: {words}"
