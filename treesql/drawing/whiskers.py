"""Scores with intervals on scales: places in percent of a width that the page chooses, so that text keeps its size.

A lane is one row of a chart: the marks of several systems below each other, all on one scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from treesql.results.tables import number_text

TICKS, MOST_TICKS = 5, 7
"""About so many steps has a scale, and at most so many has one of several rows."""


class Interval(NamedTuple):
    """A score and the ends of its interval; None for what has no value."""

    score: float | None
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> list[float]:
        """The finite numbers that there are: a mark without an interval is a point."""
        return [end for end in self if end is not None and math.isfinite(end)]

    @property
    def is_finite(self) -> bool:
        """Whether the score is a number."""
        return self.score is not None and math.isfinite(self.score)

    def span(self, percent: bool, between: str = ", ") -> str:
        """The ends as text; nothing without an interval."""
        if self.score is None or self.low is None or self.high is None:
            return ""
        return f"{number_text(self.low, percent)}{between}{number_text(self.high, percent)}"

    def text(self, percent: bool) -> str:
        """The score and its interval: `76.46 [75.50, 77.40]`; `-` for no value."""
        span = self.span(percent)
        return number_text(self.score, percent) + (f" [{span}]" if span else "")


@dataclass(frozen=True)
class Scale:
    """A scale from the first to the last of ticks at equal distances. percent: whether numbers are shares."""

    ticks: Sequence[float]
    percent: bool

    def place(self, value: float) -> float:
        """The place of a value, in percent of the width."""
        return round(100 * (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0]), 2)

    @property
    def labels(self) -> list[tuple[float, str]]:
        """Places and texts of the ticks, with as many decimals each; of many every second one."""
        shown = self.ticks[:: 1 + (len(self.ticks) > 2 * TICKS)]
        texts = [f"{100 * tick if self.percent else tick:.4g}" for tick in shown]
        decimals = max(len(text.partition(".")[2]) for text in texts)
        if decimals and not any("e" in text for text in texts):
            texts = [f"{float(text):.{decimals}f}" for text in texts]
        return [(self.place(tick), text) for tick, text in zip(shown, texts, strict=True)]

    @property
    def steps(self) -> int:
        """Number of steps between ticks."""
        return len(self.ticks) - 1


class Mark(NamedTuple):
    """A system's score in a lane. rank: of its colour and shape; at, low, high: places; hollow: whether chance can
    explain how far it is from the best; title: what it is, and its score with its interval, at the end; tested: whether
    a test could tell, which is so for all where nothing is compared."""

    rank: int
    at: float
    low: float
    high: float
    hollow: bool
    title: str
    tested: bool = True


def mark(
    name: str, rank: int, interval: Interval, scale: Scale, hollow: bool = False, tested: bool = True
) -> Mark | None:
    """The mark of a score on a scale; None for one without a value, or with an end that is not finite."""
    if interval.score is None or not all(math.isfinite(end) for end in interval if end is not None):
        return None
    low, at, high = (
        scale.place(interval.score if end is None else end) for end in (interval.low, interval.score, interval.high)
    )
    return Mark(rank, at, low, high, hollow, f"{name}: {interval.text(scale.percent)}", tested)


def scale_of(intervals: Iterable[Interval], percent: bool, zero: bool = False) -> Scale | None:
    """The scale that has room for all intervals, and for 0 where it is asked for; None without any."""
    ends = [end for interval in intervals for end in interval.ends]
    if not ends:
        return None
    ends += [0.0] * zero
    return Scale(round_numbers(min(ends), max(ends)), percent)


def round_numbers(low: float, high: float) -> list[float]:
    """About six round numbers, from one that is not above the lowest value to one that is not below the highest."""
    if high <= low:
        low, high = max(low - 0.5, min(low, 0.0)), high + 0.5
    step = _round_step((high - low) / TICKS)
    first, last = math.floor(round(low / step, 9)), math.ceil(round(high / step, 9))
    return [step * at for at in range(first, last + 1)]


def scales_of_one_width(rows: Sequence[Sequence[Interval]], percent: bool) -> list[Scale | None]:
    """The scales of rows that stand each in its own place, with steps of one width: that which the widest row needs.

    Shares up to 1 have their place between 0 and 1.
    """
    ends = [[end for interval in row for end in interval.ends] for row in rows]
    widest = max((max(row) - min(row) for row in ends if row), default=0.0)
    step = _round_step((widest or 0.05) / MOST_TICKS)
    steps = math.ceil(round(widest / step, 9)) + 1
    are_shares = percent and max(map(max, filter(None, ends)), default=0.0) <= 1
    if are_shares:
        steps = min(steps, round(1 / step))
    return [Scale(_place_ticks(row, step, steps, are_shares), percent) if row else None for row in ends]


def _place_ticks(ends: Sequence[float], step: float, steps: int, are_shares: bool) -> list[float]:
    """The ticks of a scale of so many steps, with the values in the middle."""
    first = math.floor(round((min(ends) + max(ends) - step * steps) / 2 / step + 0.5, 9))
    first = min(first, math.floor(round(min(ends) / step, 9)))
    first = max(first, math.ceil(round(max(ends) / step, 9)) - steps)
    if are_shares:
        first = max(min(first, math.floor(round(1 / step, 9)) - steps), 0)
    return [step * (first + at) for at in range(steps + 1)]


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10 times a power of ten that is not below a number."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least * (1 - 1e-9))
