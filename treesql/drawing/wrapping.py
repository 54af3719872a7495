"""Words with arcs in rows that break where few arcs cross.

In a picture, an arc that leaves a row ends in a stub with the word at its other end, and begins again in the row of
that word. In the terminal it goes on through all rows up to that one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, TypeVar

from treesql.drawing.arcs import Arc, Row, Segment, segments_in_row, set_positions
from treesql.drawing.measures import Ruler

_STUB_SHARE = 1 / 6
"""Maximum width of the text at the end of arcs that leave a row together, as a share of the row's."""

_NARROWER = 0.93
"""The factor by which rows are made narrower as long as a row with its stubs is too wide."""

_RAGGED = 6
"""The cost of an empty row in arcs that cross a break."""


@dataclass(frozen=True)
class WrappedArcs:
    """Words of some widths, in units of the ruler, and arcs on both sides of them.

    limit: maximum width of a row, unless a single word or token is wider; None for a single row. inside: words, from
    0, before which no row may break. describe_stub: makes the text at the end of an arc that leaves its row; without
    it arcs go on in the next row.
    """

    widths: Sequence[float]
    above: Sequence[Arc]
    below: Sequence[Arc]
    ruler: Ruler
    limit: float | None
    right_to_left: bool
    inside: Collection[int]
    describe_stub: Callable[[Segment], str] | None = None

    def rows(self) -> list[Row]:
        """Return the fewest rows that hold all words."""
        if not self.widths:
            return [Row([])]
        if self.fits or self.limit is None:
            return [self._whole]
        crossing = count_crossing(len(self.widths), (*self.above, *self.below))
        rows = fill_rows(len(self.widths), self.row, self.extent, crossing, self.limit, self.inside)
        if self.right_to_left:
            widest = max(row.width for row in rows)
            for row in rows:
                row.shift(widest - row.width)
        return rows

    def row(self, first: int, last: int) -> Row:
        """Return the row of the words from one to before another."""
        row = self._begin(first, last)
        set_positions(row, self.widths, self.ruler)
        left, right = self._margins(row)
        row.shift(left)
        row.width += right
        return row

    def extent(self, first: int, last: int) -> float:
        """Return about how wide the row of these words is."""
        words = self._along[last - 1] - self._along[first] + (self.widths[first] + self.widths[last - 1]) / 2
        n = last - first - 1
        return words + self._stub_margins[0][first][n] + self._stub_margins[1][last][n]

    @property
    def fits(self) -> bool:
        """Whether all words are in one row."""
        if not self.widths or self.limit is None:
            return True
        least = sum(self.widths) + self.ruler.gap * (len(self.widths) - 1)
        return least <= self.limit and self._whole.width <= self.limit

    @cached_property
    def _whole(self) -> Row:
        return self.row(0, len(self.widths))

    @cached_property
    def _along(self) -> list[float]:
        """The centres of the words in a single row, from the first."""
        centres = self._whole.centres[:: -1 if self.right_to_left else 1]
        return [abs(centre - centres[0]) for centre in centres]

    @cached_property
    def _stub_margins(self) -> list[list[list[float]]]:
        """About how wide the stubs are at the edge of a row, by side, 0 before its words and 1 behind them, by the word
        before which the edge is, and by the number of words of the row less one."""
        n = len(self.widths)
        # By side, edge and distance of a word from it, the widest of the word's stubs, and those of its dependents.
        leaving: list[list[dict[int, tuple[float, float]]]] = [[{} for _ in range(n + 1)] for _ in (0, 1)]
        for at, stubs in enumerate(self._stubs):
            for other, width, outgoing in stubs:
                side = int(other > at)
                for edge in range(at + 1, other + 1) if side else range(other + 1, at + 1):
                    distance = edge - 1 - at if side else at - edge
                    widest, together = leaving[side][edge].get(distance, (0.0, 0.0))
                    leaving[side][edge][distance] = max(widest, width), together + width * outgoing
        return [[self._widen(stubs, n) for stubs in edges] for edges in leaving]

    def _widen(self, stubs: Mapping[int, tuple[float, float]], n: int) -> list[float]:
        """Return the margins of rows of 1 to n words with these stubs."""
        most = float("inf") if self.limit is None else self.limit * _STUB_SHARE
        margins: list[float] = []
        margin = 0.0
        for distance, (widest, together) in sorted(stubs.items()):
            margins += [margin] * (distance - len(margins))
            margin = max(margin, widest, min(together, most))
        return margins + [margin] * (n - len(margins))

    @cached_property
    def _stubs(self) -> list[list[tuple[int, float, bool]]]:
        """By word the arcs that end there: the other word, the width of a stub, and whether the word is the head."""
        stubs: list[list[tuple[int, float, bool]]] = [[] for _ in self.widths]
        for arc in (*self.above, *self.below):
            if arc.head and self.describe_stub:
                for at, other, side in ((arc.head, arc.dependent, ""), (arc.dependent, arc.head, "right")):
                    width = self.ruler.label(self.describe_stub(Segment(arc, -1, 0, side)))
                    stubs[at - 1].append((other - 1, width, not side))
        return stubs

    @cached_property
    def _sides(self) -> list[list[list[Arc]]]:
        return [_arcs_by_word(len(self.widths), arcs) for arcs in (self.above, self.below)]

    def _begin(self, first: int, last: int) -> Row:
        """Return a row with its segments, before they have positions."""
        places = list(range(first, last))
        row = Row(places[::-1] if self.right_to_left else places)
        if self.describe_stub is None:
            row.above, row.below = (
                segments_in_row(row.words, arcs, self.right_to_left, passing=True) for arcs in (self.above, self.below)
            )
            return row
        row.above, row.below = (
            self._bundle(row, {arc: None for at in places for arc in side[at]}, self.describe_stub)
            for side in self._sides
        )
        return row

    def _bundle(self, row: Row, arcs: Collection[Arc], describe: Callable[[Segment], str]) -> list[Segment]:
        """Return the segments of arcs, with open ends described; those that leave the row from one head on the same
        side under one mark are one line, and so are those that enter it."""
        bundled: list[Segment] = []
        outgoing: dict[tuple[int, bool, str], Segment] = {}
        incoming: dict[tuple[int, bool, str], list[Segment]] = {}
        for segment in segments_in_row(row.words, arcs, self.right_to_left, passing=False):
            is_left = segment.left < 0
            key = segment.arc.head, is_left, segment.arc.mark
            if segment.left == segment.right or not (is_left or segment.right == len(row.words)):
                bundled.append(segment)
                continue
            if segment.dependent:
                bundled.append(segment)
                incoming.setdefault(key, []).append(segment)
                continue
            first = outgoing.get(key)
            if first is not None:
                text = describe(replace(first, more=[*first.more, segment.arc]))
                if self.limit is None or self.ruler.label(text) <= self.limit * _STUB_SHARE:
                    first.more.append(segment.arc)
                    first.stub = text
                    continue
            outgoing[key] = segment
            segment.stub = describe(segment)
            bundled.append(segment)
        for (_, is_left, _), segments in incoming.items():
            _join(segments, is_left, describe)
        return bundled

    def _margins(self, row: Row) -> tuple[float, float]:
        """Return the widths of the texts of stubs at both ends of a row."""
        stubs = [segment for segment in (*row.above, *row.below) if segment.stub]
        left = max((self.ruler.label(segment.stub) for segment in stubs if segment.left < 0), default=0)
        return left, max((self.ruler.label(segment.stub) for segment in stubs if segment.left >= 0), default=0)


def _join(segments: list[Segment], is_left: bool, describe: Callable[[Segment], str]) -> None:
    """Let arcs that enter a row from one head on one side be one line, each from the dependent before its own."""
    before: Segment | None = None
    for segment in sorted(segments, key=lambda segment: segment.right if is_left else -segment.left):
        if before is None or (segment.right if is_left else segment.left) == (before.right if is_left else before.left):
            segment.stub = describe(segment)
        elif is_left:
            segment.left, segment.after = before.right, before
        else:
            segment.right, segment.after = before.left, before
        before = segment


class _Wide(Protocol):
    @property
    def width(self) -> float: ...


Wide = TypeVar("Wide", bound=_Wide)


def fill_rows(
    n: int,
    lay_out: Callable[[int, int], Wide],
    extent: Callable[[int, int], float],
    crossing: Sequence[int],
    limit: float,
    inside: Collection[int],
) -> list[Wide]:
    """Return the rows of n words, as `break_rows` has them, that are laid out at most as wide as `limit`."""
    target = limit
    while True:
        rows = [lay_out(*span) for span in itertools.pairwise(break_rows(n, extent, crossing, target, inside))]
        if all(row.width <= limit for row in rows) or target < limit / 8:
            return rows
        target *= _NARROWER


def count_crossing(n: int, arcs: Sequence[Arc]) -> list[int]:
    """Return the number of arcs that cross the gap before each of n words."""
    steps = [0] * (n + 2)
    for arc in arcs:
        if arc.head:
            first, last = sorted((arc.head, arc.dependent))
            steps[first] += 1
            steps[last] -= 1
    return list(itertools.accumulate(steps))[:n]


def break_rows(
    n: int, extent: Callable[[int, int], float], crossing: Sequence[int], target: float, inside: Collection[int]
) -> list[int]:
    """Return where rows of n words begin and the last one ends, from 0: as few rows as fit into `target`, which break
    where few arcs cross and are about equally long. extent: of the words from one to before another. A row has at
    least one word."""
    best: list[tuple[int, float, int]] = [(0, 0.0, 0)]
    for end in range(1, n + 1):
        chosen, tried = (n, float("inf"), 0), 0
        for begin in range(end - 1, -1, -1) if end == n or end not in inside else ():
            if begin in inside:
                continue
            size = extent(begin, end)
            if size > target and tried:
                if size > 2 * target or end - begin > tried + _LOOK_BACK:
                    break
                continue
            tried += 1
            rows, cost, _ = best[begin]
            if rows < chosen[0]:
                ragged = _RAGGED * (1 - size / target) ** 2 if size < target else 0.0
                chosen = min(chosen, (rows + 1, cost + crossing[begin] * (begin > 0) + ragged, begin))
        best.append(chosen)
    breaks = [n]
    while breaks[-1]:
        breaks.append(best[breaks[-1]][2])
    return breaks[::-1]


_LOOK_BACK = 3
"""Number of rows that are tried although they are too long: with more words, a row may have shorter stubs."""


def _arcs_by_word(n: int, arcs: Sequence[Arc]) -> list[list[Arc]]:
    """Return the arcs that end at each word."""
    by_word: list[list[Arc]] = [[] for _ in range(n)]
    for arc in arcs:
        for at in {arc.head, arc.dependent} - {0}:
            by_word[at - 1].append(arc)
    return by_word
