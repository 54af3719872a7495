"""Scores with their intervals as marks on a scale: positions are percentages, so that a drawing fits any width."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treesql.results.tables import number_text

STEPS = 5
"""Number of steps of a scale, at least."""


@dataclass(frozen=True)
class WhiskerMark:
    """A score of a system: what is printed of it, and where it stands. is_worse: than the best, by more than chance
    explains; is_open: chance can explain its difference from the best."""

    text: str
    interval: str
    places: tuple[float, float, float] | None = None
    is_best: bool = False
    is_worse: bool = False
    is_open: bool = False


@dataclass(frozen=True)
class WhiskerRow:
    """Scores of all systems. ticks: texts of the scale by their places; zero: the place of 0, if the scale has it."""

    label: str
    marks: Sequence[WhiskerMark]
    ticks: Mapping[float, str]
    zero: float | None = None


Interval = tuple[float | None, float | None, float | None]
"""A lower bound, a score, an upper bound."""


Differences = Mapping[str, Mapping[tuple[int, int], bool]]
"""Whether a difference is more than chance explains, by label and the numbers of two systems."""


def rows_of(
    intervals: Mapping[str, Sequence[Interval]],
    percent: bool,
    differences: Differences,
    lower: Collection[str] = (),
    *,
    is_shared: bool = False,
) -> list[WhiskerRow]:
    """Rows by label, those that have a score, all on scales of the same width.

    lower: labels of scores of which lower ones are better. is_shared: whether all rows are on the same scale, whose
    texts stand in the first one.
    """
    factor = 100.0 if percent else 1.0
    intervals = {label: row for label, row in intervals.items() if any(one[1] is not None for one in row)}
    known = {label: [factor * value for one in row for value in one if value is not None and math.isfinite(value)]
             for label, row in intervals.items()}  # fmt: skip
    if is_shared:
        every = [value for values in known.values() for value in values]
        known = dict.fromkeys(known, every)
    spans = [max(values) - min(values) for values in known.values() if values]
    step = _step(max(spans, default=0.0) / STEPS or 1.0)
    width = max((_steps(values, step) for values in known.values() if values), default=STEPS)
    rows: list[WhiskerRow] = []
    for label, row in intervals.items():
        values = known[label]
        start = math.floor(min(values, default=0.0) / step)
        start -= (width - (_steps(values, step) if values else width)) // 2
        has_negative = not percent or min(values, default=0.0) < 0
        ends = range(start if has_negative else max(start, 0), start + width + 1)
        places = [place for place in ends if not percent or place * step <= 100]
        is_written = not (is_shared and rows)
        ticks = {100 * (place - start) / width: f"{place * step:g}" if is_written else "" for place in places}
        best = _best(row, label in lower) if len(row) > 1 else None
        pairs = differences.get(label, {})
        marks = [
            _mark(one, percent, number == best, pairs.get((number, best or 0)), start * step, step * width)
            for number, one in enumerate(row)
        ]
        zero = 100 * -start / width if start <= 0 <= start + width else None
        rows.append(WhiskerRow(label, marks, ticks, zero))
    return rows


def _best(row: Sequence[Interval], lower: bool) -> int | None:
    scores = {number: one[1] for number, one in enumerate(row) if one[1] is not None and math.isfinite(one[1])}
    if not scores:
        return None
    return (min if lower else max)(scores, key=lambda number: scores[number])


def _mark(one: Interval, percent: bool, is_best: bool, differs: bool | None, start: float, width: float) -> WhiskerMark:
    low, score, high = one
    if score is None:
        return WhiskerMark("-", "")
    texts = ["" if value is None else number_text(value, percent) for value in (low, score, high)]
    places = None
    if low is not None and high is not None and math.isfinite(low + score + high):
        factor = 100.0 if percent else 1.0
        low_at, at, high_at = (round(100 * (factor * value - start) / width, 2) for value in (low, score, high))
        places = (low_at, at, high_at)
    interval = f"{texts[0]} to {texts[2]}" if texts[0] else ""
    return WhiskerMark(
        texts[1], interval, places, is_best, differs is True and not is_best, differs is False and not is_best
    )


def _step(least: float) -> float:
    """1, 2 or 5 times a power of ten, at least as large."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * 0.9999)


def _steps(values: Sequence[float], step: float) -> int:
    return max(math.ceil(max(values) / step) - math.floor(min(values) / step), 1)


def significant_differences(rows: Sequence[Mapping[str, Any]], systems: Sequence[str], level: float) -> Differences:
    """Which differences of a comparison have a p-value, corrected, below a level."""
    found: dict[str, dict[tuple[int, int], bool]] = {}
    for row in rows:
        if row["p_corrected"] is not None:
            pair = (systems.index(row["system_a"]), systems.index(row["system_b"]))
            differs = row["p_corrected"] < level
            found.setdefault(row["metric"], {}).update({pair: differs, pair[::-1]: differs})
    return found
