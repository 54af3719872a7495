"""Layout of arcs over a line of words: widths of gaps and heights of arcs.

Units are pixels or character cells, as given by the Ruler.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from treesql.drawing.measures import Ruler


@dataclass(frozen=True)
class Arc:
    """An edge of a graph over words. head, dependent: 1-based positions, head 0 for a root.

    mark: `` (plain), `wrong` (not in the gold tree), `missed` (not in the system's tree), `mislabelled` (only the
    relation differs), `matched` (found by a search), `costly` (on a path of high cost), `enhanced` (not in the basic
    tree) or `possible` (a link that is not sure). other: what pictures write behind the relation, such as `≠ obl`.
    """

    head: int
    dependent: int
    relation: str
    mark: str = ""
    other: str = ""

    @property
    def label(self) -> str:
        """The relation, and what is written behind it."""
        return f"{self.relation} {self.other}" if self.other else self.relation


@dataclass
class Segment:
    """The part of an arc in one row. left, right: positions in the row; -1 and the number of words stand for its ends.

    start, end: where it rises and falls; level: from 1; dependent: `left`, `right` or `` if the dependent is in another
    row. The left and right of a root are the same. more: arcs that leave the row together with it, from the same head;
    stub: the text at its open end, if it has one in pixels. after: the arc to another dependent of the same head, in
    another row, whose line it continues from there.
    """

    arc: Arc
    left: int
    right: int
    dependent: str
    level: int = 0
    start: float = 0
    end: float = 0
    more: list[Arc] = field(default_factory=list)
    stub: str = ""
    after: Segment | None = None

    @property
    def first(self) -> Segment:
        """The segment where its line begins."""
        return self if self.after is None else self.after.first


@dataclass
class Row:
    """A line of words in display order, with the arcs on both sides."""

    words: list[int]
    centres: list[float] = field(default_factory=list)
    width: float = 0
    above: list[Segment] = field(default_factory=list)
    below: list[Segment] = field(default_factory=list)

    def levels(self, side: str) -> int:
        """Return the number of levels of arcs on a side: `above` or `below`."""
        return max((segment.level for segment in getattr(self, side)), default=0)

    def word_centres(self) -> dict[int, float]:
        """Return the centre of every word, by its 1-based position."""
        return {word + 1: centre for word, centre in zip(self.words, self.centres, strict=True)}

    def shift(self, by: float) -> None:
        """Move everything to the right."""
        self.centres = [centre + by for centre in self.centres]
        self.width += by
        for segment in (*self.above, *self.below):
            segment.start += by
            segment.end += by


def set_positions(row: Row, widths: Sequence[float], ruler: Ruler) -> None:
    """Widen the gaps as far as labels require, and compute all positions."""
    word_widths = [widths[word] for word in row.words]
    sides = (row.above, row.below)
    m = len(word_widths)
    # Gap 0 is before the first word, gap m after the last.
    gaps = [0.0] + [ruler.gap] * (m - 1) + [0.0]
    for segments in sides:
        _set_levels(segments, m)
        for segment in segments:
            if segment.left < 0:
                gaps[0] = ruler.gap
            if segment.right == m:
                gaps[m] = ruler.gap
    offsets = [_end_offsets(segments, word_widths, m, ruler) for segments in sides]
    for segments, ends in zip(sides, offsets, strict=True):
        for at in sorted(range(len(segments)), key=lambda at: segments[at].right - segments[at].left):
            segment, (start, end) = segments[at], ends[at]
            if segment.left == segment.right:
                continue
            first, last = segment.left + 1, segment.right + 1
            distance = sum(word_widths[first : last - 1]) + sum(gaps[first:last]) + end - start
            distance += (word_widths[first - 1] - ruler.middle(word_widths[first - 1])) if first else 0
            distance += ruler.middle(word_widths[last - 1]) if last <= m else 0
            if not segment.stub:
                ruler.widen(gaps, first, last, ruler.label(segment.arc.label) - distance)
    row.width = gaps[0]
    for width, gap in zip(word_widths, gaps[1:], strict=True):
        row.centres.append(row.width + ruler.middle(width))
        row.width += width + gap
    for segments, ends in zip(sides, offsets, strict=True):
        for segment, (start, end) in zip(segments, ends, strict=True):
            segment.start = row.centres[segment.left] + start if segment.left >= 0 else 0
            segment.end = row.centres[segment.right] + end if segment.right < m else row.width


def segments_in_row(words: list[int], arcs: Iterable[Arc], right_to_left: bool, *, passing: bool) -> list[Segment]:
    """Return the parts of arcs in a row: those that end here, and with `passing` those that pass through from an
    earlier to a later row."""
    place = {word: at for at, word in enumerate(words)}
    early, late = min(words), max(words)
    segments = []
    for arc in arcs:
        head, dependent = arc.head - 1, arc.dependent - 1
        if head < 0:
            if dependent in place:
                segments.append(Segment(arc, place[dependent], place[dependent], "left"))
            continue
        if max(head, dependent) < early or min(head, dependent) > late:
            continue
        if not (passing or head in place or dependent in place):
            continue
        if head == dependent:
            loop = replace(arc, relation=f"↺{arc.relation}")
            segments.append(Segment(loop, place[dependent], place[dependent], "left"))
            continue
        ends = []
        for word in (head, dependent):
            outside = -1 if (word < early) != right_to_left else len(words)
            ends.append(place.get(word, outside))
        side = "" if dependent not in place else "left" if ends[1] < ends[0] else "right"
        segments.append(Segment(arc, min(ends), max(ends), side))
    return segments


def _set_levels(segments: list[Segment], m: int) -> None:
    """Set levels: a line is above all shorter arcs that it covers or crosses; roots are on top."""
    lines: dict[int, list[Segment]] = {}
    for segment in segments:
        lines.setdefault(id(segment.first), []).append(segment)
    heights = [0] * (m + 1)
    for line in sorted(lines.values(), key=_inner_first_key):
        first, last = _span(line)
        if first == last:
            level = 1 + max(heights[first : last + 2])
        else:
            level = 1 + max(heights[first + 1 : last + 1])
            heights[first + 1 : last + 1] = [level] * (last - first)
        for segment in line:
            segment.level = level


def _span(line: list[Segment]) -> tuple[int, int]:
    return min(segment.left for segment in line), max(segment.right for segment in line)


def _inner_first_key(line: list[Segment]) -> tuple[bool, int, int, int]:
    """Sort key: roots last, then by length."""
    first, last = _span(line)
    arc = line[0].arc
    return (first == last, last - first, abs(arc.head - arc.dependent), first)


def _end_offsets(segments: list[Segment], widths: list[float], m: int, ruler: Ruler) -> list[tuple[float, float]]:
    """Return the positions of both ends of every segment, relative to the centres of its words."""
    if ruler.cells:
        return [
            (0, 0) if segment.left == segment.right
            else (0 if segment.dependent == "left" or segment.left < 0 else 1,
                  0 if segment.dependent == "right" or segment.right == m else -1)
            for segment in segments
        ]  # fmt: skip
    offsets = [[0.0, 0.0] for _ in segments]
    for width, lines in zip(widths, _lines_by_word(segments, m), strict=True):
        step = min(ruler.fan, width / max(len(lines), 1))
        for rank, line in enumerate(sorted(lines.values(), key=lambda line: line[:2])):
            for at, side in line[2]:
                offsets[at][side] = (rank - (len(lines) - 1) / 2) * step
    numbers = {id(segment): at for at, segment in enumerate(segments)}
    for at, segment in enumerate(segments):
        if segment.after is not None:
            side = _SIDES.index(segment.dependent)
            offsets[at][1 - side] = offsets[numbers[id(segment.after)]][side]
    return [(start, end) for start, end in offsets]


_TO_LEFT, _INCOMING, _TO_RIGHT = range(3)
"""Lines that end at a word, from left to right: of arcs to the left, of those to the word, of arcs to the right."""

_SIDES = ("left", "right")

_Line = tuple[int, float, list[tuple[int, int]]]
"""A line at a word: where it leads, its order among these, and the segments that share it, each with the end there."""


def _lines_by_word(segments: Sequence[Segment], m: int) -> list[dict[tuple[int, object], _Line]]:
    """Return the lines that end at each of m words.

    Arcs of one mark from a head to one side share a line, up to where they turn; of two incoming arcs from one side,
    the shorter begins farther out, or the longer one would cross it.
    """
    by_word: list[dict[tuple[int, object], _Line]] = [{} for _ in range(m)]
    for at, segment in enumerate(segments):
        level = float(segment.level)
        if segment.left == segment.right:
            by_word[segment.left][_INCOMING, at] = _INCOMING, 0.0, [(at, 0), (at, 1)]
            continue
        for side, place, leads, order in ((0, segment.left, _TO_RIGHT, -level), (1, segment.right, _TO_LEFT, level)):
            if not 0 <= place < m or (segment.after and segment.dependent != _SIDES[side]):
                continue
            if segment.dependent == _SIDES[side]:
                by_word[place][_INCOMING, at] = _INCOMING, -1 / order, [(at, side)]
                continue
            _, shared, ends = by_word[place].get((leads, segment.arc.mark), (leads, order, []))
            farthest = min(shared, order) if leads == _TO_RIGHT else max(shared, order)
            by_word[place][leads, segment.arc.mark] = leads, farthest, [*ends, (at, side)]
    return by_word


def label_centre(segment: Segment, segments: Sequence[Segment], ruler: Ruler) -> float:
    """Return the centre of a label: that of the arc, unless crossing arcs rise there."""
    start, end = segment.start, segment.end
    crossing = {
        x
        for other in segments
        if other.level > segment.level
        for x in (other.start, other.end)
        if start < x < end
    }  # fmt: skip
    middle = (start + end) / 2
    if not crossing:
        return middle
    stops = [start, *sorted(crossing), end]
    gaps = list(itertools.pairwise(stops))
    need = ruler.label(segment.arc.label)
    middles = [min(max(middle, left + need / 2), right - need / 2) for left, right in gaps if right - left >= need]
    if middles:
        return min(middles, key=lambda at: abs(at - middle))
    left, right = max(gaps, key=lambda gap: gap[1] - gap[0])
    return (left + right) / 2
