"""Scores as rows of charts, for reports and for the browser: tables of scores, differences of pairs, and splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from treesql import catalog
from treesql.drawing import whiskers
from treesql.drawing.whiskers import Interval, Mark, Scale
from treesql.reports.evaluation_tables import TREEBANK
from treesql.results.cells import find_start
from treesql.results.documents import DocumentTable
from treesql.results.result import Result
from treesql.results.tables import number_text
from treesql.significance.comparison import DAGGER, ComparedPair, Comparison
from treesql.significance.methods import LEVEL as LEVEL
from treesql.significance.methods import MACRO

MAX_COLUMNS = 3
"""Maximum number of systems that are columns of scores and marks of charts; of more, the best so many have marks."""

DASH, MINUS = "\u2013", "\u2212"
"""Between the ends of ranges, and before negative numbers."""

WORSE = DAGGER
"""Behind scores that are worse than the best by more than chance explains."""

Row = dict[str, Any]


class Lane(NamedTuple):
    """A row of a chart. note: what stands behind it; further: what stands below its name."""

    name: str
    marks: Sequence[Mark]
    note: str = ""
    further: str = ""


class ScoreCell(NamedTuple):
    """A score of a system as text, with its interval.

    best: of the row; worse: than the best, by more than chance explains.
    """

    text: str
    interval: str
    best: bool
    worse: bool


class ScoreRow(NamedTuple):
    """A score of all systems. lane: its chart, on a scale of its own."""

    name: str
    doc: str
    cells: Sequence[ScoreCell]
    lane: Lane
    scale: Scale | None

    @property
    def is_shared(self) -> bool:
        """Whether more than one system has a value, if there are several."""
        return len(self.lane.marks) > 1 or len(self.cells) == 1


class Panel(NamedTuple):
    """A score by the values of a column. numbers: all values as a table, if it has one; notes: what is not drawn."""

    title: str
    unit: str
    lanes: Sequence[Lane]
    numbers: DocumentTable | None = None
    notes: Sequence[str] = ()


MAX_HEAT = 62
"""Share of the colour in the cells of the largest numbers, in percent: ink can be read on it."""


class HeatCell(NamedTuple):
    """A cell of a table of numbers. heat: share of its colour, in percent; mark: of one without a colour, `right` for
    what is right and `all` for sums."""

    text: str
    heat: float = 0
    href: str | None = None
    mark: str = ""


class HeatTable(NamedTuple):
    """Numbers by two keys, coloured. heads: the values of the second; rows: those of the first, each with its cells."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[HeatCell]]]


def heat_table(caption: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[HeatCell]]]) -> HeatTable:
    """A table of cells whose heat are numbers of any size, coloured in proportion to them."""
    largest = max((cell.heat for _, cells in rows for cell in cells if not cell.mark), default=0) or 1
    return HeatTable(
        caption, heads,
        [(name, [cell._replace(heat=round(MAX_HEAT * cell.heat / largest)) for cell in cells]) for name, cells in rows],
    )  # fmt: skip


def bin_text(value: str) -> str:
    """The name of a bin for readers, with a dash for `..`; other values as they are."""
    is_range = ".." in value and find_start(value) is not None
    return value.replace("..", " to " if "-" in value else DASH).replace("-", MINUS) if is_range else value


def interval_of(row: Mapping[str, Any], name: str) -> Interval:
    """A score of a row with its bounds."""
    return Interval(row.get(name), row.get(f"{name}_low"), row.get(f"{name}_high"))


def rounded_text(value: float | None, percent: bool) -> str:
    """A score as it stands beside charts: a share in percent, another number below 1,000 with four digits at most."""
    is_rounded = value is not None and not percent and abs(value) < 1000
    return f"{value:.4g}" if is_rounded else number_text(value, percent)


def scored_rows(scores: Result) -> list[Row]:
    """A row per system; of several treebanks, their first averages."""
    return [row for row in scores.rows() if row.get(TREEBANK, MACRO) == MACRO]


def names_with_intervals(scores: Result) -> list[str]:
    """The scores that have intervals."""
    return [name for name in scores.columns if f"{name}_low" in scores.columns]


def score_docs(metrics: Sequence[str]) -> dict[str, str]:
    """What the scores of metrics are, in a few words; of scores of one name, those of the first metric."""
    return {
        score.name: score.doc.partition(";")[0].partition(" (")[0]
        for metric in reversed(metrics)
        for score in catalog.query(metric).scores
    }


def badness(interval: Interval, direction: str | None) -> float:
    """A number that is larger for worse scores."""
    if interval.score is None:
        return float("inf")
    return interval.score if direction == "lower" else -interval.score


def score_rows(
    scores: Result, systems: Sequence[str], comparison: Comparison | None, main: str, docs: Mapping[str, str]
) -> list[ScoreRow]:
    """Scores with a value, the main one first, shares on scales of one width.

    systems: in the order of their colours and shapes.
    """
    row_by_system = {row["system"]: row for row in scored_rows(scores)}
    names = sorted(names_with_intervals(scores), key=lambda name: name != main)
    intervals = {name: {system: interval_of(row_by_system[system], name) for system in systems} for name in names}
    intervals = {
        name: values for name, values in intervals.items() if any(value.is_finite for value in values.values())
    }
    shares = [name for name in intervals if name in scores.percent]
    scales: dict[str, Scale | None] = dict(zip(
        shares, whiskers.scales_of_one_width([[*intervals[name].values()] for name in shares], percent=True),
        strict=True,
    ))  # fmt: skip
    rows = []
    for name, values in intervals.items():
        scale = scales[name] if name in scales else whiskers.scale_of(values.values(), percent=False)
        pairs = None if comparison is None else comparison.pairs(name)
        direction = scores.directions.get(name)
        rows.append(_score_row(name, docs.get(name, ""), values, scale, pairs, direction, name in scores.percent))
    return rows


def _score_row(
    name: str, doc: str, intervals: Mapping[str, Interval], scale: Scale | None,
    pairs: Sequence[ComparedPair] | None, direction: str | None, percent: bool,
) -> ScoreRow:  # fmt: skip
    """pairs: those that are compared in the score, None where no systems are compared at all."""
    best = min(intervals, key=lambda system: badness(intervals[system], direction))
    sides = [(pair.first, pair.second) for pair in pairs or () if pair.differs]
    apart = {system for side in sides if best in side for system in side if intervals[system].ends} - {best}
    known = [system for system, interval in intervals.items() if interval.score is not None]
    directed = len(known) > 1 and direction in ("higher", "lower")
    best_text = rounded_text(intervals[best].score, percent)
    cells, marks = [], []
    for rank, (system, interval) in enumerate(intervals.items()):
        text = rounded_text(interval.score, percent)
        ends = [rounded_text(end, percent) for end in (interval.low, interval.high)] if interval.span(percent) else []
        cells.append(ScoreCell(text, DASH.join(ends), directed and text == best_text, system in apart))
        hollow = bool(pairs) and system != best and system not in apart
        if scale is not None:
            tested = pairs is None or bool(pairs)
            marks.append(whiskers.mark(f"{name}, {system}", rank, interval, scale, hollow, tested))
    return ScoreRow(name, doc, cells, Lane(name, [*filter(None, marks)]), scale)


def scale_note(rows: Sequence[ScoreRow]) -> str:
    """How wide the scales of scores are: those of shares alike, others each as it needs; nothing without shares."""
    scales = [row.scale for row in rows if row.scale is not None]
    shares = [scale for scale in scales if scale.percent]
    if not shares:
        return ""
    which = "all" if len(shares) == len(scales) else "those in percent"
    return f"each row in its own place, {which} {100 * (shares[0].ticks[-1] - shares[0].ticks[0]):.4g} points wide"


def looks_of(lanes: Iterable[Lane]) -> set[str]:
    """The looks of marks that occur: `hollow` where chance can explain the difference, `pale` what is not tested."""
    marks = [mark for lane in lanes for mark in lane.marks]
    looks = {"hollow"} if any(mark.hollow and mark.tested for mark in marks) else set()
    return looks | ({"pale"} if any(not mark.tested for mark in marks) else set())


def looks_of_scores(rows: Sequence[ScoreRow]) -> set[str]:
    """The looks of marks that occur, and `worse` where a score is worse than the best beyond chance."""
    looks = looks_of(row.lane for row in rows)
    return looks | ({"worse"} if any(cell.worse for row in rows for cell in row.cells) else set())


def scale_of_pairs(pairs: Sequence[ComparedPair], percent: bool) -> Scale | None:
    """The scale of differences, with 0 on it; None where none has a value."""
    return whiskers.scale_of((Interval(pair.difference, pair.low, pair.high) for pair in pairs), percent, zero=True)


def pair_lanes(pairs: Sequence[ComparedPair], scale: Scale | None) -> list[tuple[ComparedPair, Mark | None]]:
    """Pairs of systems with the marks of their differences."""
    return [
        (pair, None if scale is None else whiskers.mark(
            f"{pair.first} over {pair.second}, {pair.p_text}", 0, Interval(pair.difference, pair.low, pair.high), scale,
            not pair.differs,
        ))
        for pair in pairs
    ]  # fmt: skip


def best_first(pairs: Sequence[ComparedPair]) -> list[ComparedPair]:
    """Pairs by how many others their systems are above: first how the best one differs from the next."""
    wins = Counter(pair.first for pair in pairs)
    return sorted(pairs, key=lambda pair: (-wins[pair.first], -wins[pair.second]))


class Differences(NamedTuple):
    """The differences of a score. unit: what they are called; lanes: pairs, marked; texts: the scores by system."""

    unit: str
    scale: Scale | None
    lanes: Sequence[tuple[ComparedPair, Mark | None]]
    texts: Mapping[str, str]


def differences(comparison: Comparison, name: str) -> Differences:
    """The differences of a score, those of the best system first, with the scores that differ."""
    pairs, percent = best_first(comparison.pairs(name)), name in comparison.scores.percent
    scale = scale_of_pairs(pairs, percent)
    texts = {str(row["system"]): rounded_text(row[name], percent) for row in scored_rows(comparison.scores)}
    return Differences(("points of " if percent else "") + name, scale, pair_lanes(pairs, scale), texts)


def value_lanes(
    intervals: Mapping[str, Mapping[str, Interval]], notes: Mapping[str, str], percent: bool, of_systems: bool = True
) -> tuple[list[Lane], Scale | None]:
    """A score of systems by value, all on one scale; the differences of several are not tested.

    notes: what stands behind a value; of_systems: not of several scores of one.
    """
    scale = whiskers.scale_of((one for by_system in intervals.values() for one in by_system.values()), percent)
    lanes = []
    for value, by_system in intervals.items():
        tested = not of_systems or len(by_system) == 1
        marks = [
            whiskers.mark(f"{value}, {system}", rank, interval, scale, tested=tested) if scale else None
            for rank, (system, interval) in enumerate(by_system.items())
        ]
        lanes.append(Lane(value, [*filter(None, marks)], notes.get(value, "")))
    return lanes, scale
