"""Charts of scores with intervals, by category or by number, as SVG that follows the colours of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treesql.drawing.measures import em_width, xml
from treesql.drawing.svg import Picture

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "currentColor", "#8c6bb1")
"""Colours by system, after Okabe and Ito: distinguishable with colour blindness, on white and on black."""

_SIZE, _ROW, _DOT, _GAP, _WIDTH, _HEIGHT, _TOP = 12, 9, 3.6, 9, 560, 220, 8
_SHAPES = ("circle", "square", "diamond", "triangle", "cross", "plus", "ring", "box")


@dataclass(frozen=True)
class ScorePoint:
    """The score of a system in a bucket, with its interval."""

    value: float
    low: float
    high: float


Series = Mapping[str, Sequence[ScorePoint | None]]
"""By system, a point for every bucket; None for a bucket without a score."""


def dots(names: Sequence[str], series: Series, *, axis: str) -> Picture:
    """Draw a row per bucket with a dot and an interval per system. names: of buckets; axis: title of the scores."""
    left = 14 + _SIZE * max((em_width(name) for name in names), default=0)
    scale = _Scale(series, left, left + _WIDTH)
    high = _ROW * len(series) + _GAP
    parts = [_grid_lines(scale, _TOP, _TOP + high * len(names), vertical=True)]
    for at, name in enumerate(names):
        top = _TOP + at * high
        middle = top + high / 2
        parts.append(f'<text x="{left - 8:.1f}" y="{middle + 4:.1f}" text-anchor="end">{xml(name)}</text>')
        for rank, (system, points) in enumerate(series.items()):
            point = points[at]
            if point is not None:
                y = top + _GAP / 2 + _ROW * (rank + 0.5)
                parts.append(_whisker(scale, point, y, rank, f"{name}, {system}"))
    bottom = _TOP + high * len(names)
    parts.append(f'<text x="{left + _WIDTH / 2:.1f}" y="{bottom + 34:.1f}" text-anchor="middle">{xml(axis)}</text>')
    key, depth = _key(list(series), left, bottom + 54)
    return Picture(_group([*parts, key]), left + _WIDTH + 30, bottom + 54 + depth)


def curves(names: Sequence[str], series: Series, *, axis: str, across: str) -> Picture:
    """Draw a line with a band per system over buckets in order. across: title of the buckets."""
    left, bottom = 62.0, _TOP + float(_HEIGHT)
    scale = _Scale(series, bottom, float(_TOP))
    step = _WIDTH / max(len(names) - 1, 1)
    places = [left + step * at for at in range(len(names))]
    parts = [_grid_lines(scale, left, left + _WIDTH, vertical=False)]
    every = max(1, round(len(names) * 46 / _WIDTH))
    for at, name in enumerate(names):
        if at % every == 0:
            parts.append(f'<text x="{places[at]:.1f}" y="{bottom + 18:.1f}" text-anchor="middle">{xml(name)}</text>')
    for rank, (system, points) in enumerate(series.items()):
        parts += _curve(scale, [(x, one) for x, one in zip(places, points, strict=True) if one], rank, system)
    parts.append(f'<text x="{left + _WIDTH / 2:.1f}" y="{bottom + 38:.1f}" text-anchor="middle">{xml(across)}</text>')
    parts.append(
        f'<text transform="translate(14 {_TOP + _HEIGHT / 2:.1f}) rotate(-90)" text-anchor="middle">{xml(axis)}</text>'
    )
    key, depth = _key(list(series), left, bottom + 58)
    return Picture(_group([*parts, key]), left + _WIDTH + 40, bottom + 58 + depth)


class _Scale:
    """Places of scores between two ends, with round numbers as ticks."""

    def __init__(self, series: Series, start: float, end: float) -> None:
        known = [point for points in series.values() for point in points if point is not None]
        low, high = min((one.low for one in known), default=0.0), max((one.high for one in known), default=1.0)
        if high <= low:
            low, high = low - 0.5, high + 0.5
        self.step = _round_step((high - low) / 5)
        self.low = self.step * (low // self.step)
        self.high = self.step * -(-high // self.step)
        self.start, self.end = start, end

    def place(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def ticks(self) -> list[float]:
        return [self.low + self.step * at for at in range(round((self.high - self.low) / self.step) + 1)]


def _round_step(step: float) -> float:
    power = 1.0
    while power * 10 <= step:
        power *= 10
    while power > step:
        power /= 10
    return next(power * one for one in (1, 2, 5, 10) if power * one >= step)


def _group(parts: Sequence[str]) -> str:
    return f'<g font-size="{_SIZE}">{"".join(parts)}</g>'


def _grid_lines(scale: _Scale, start: float, end: float, *, vertical: bool) -> str:
    parts = []
    for tick in scale.ticks:
        at = scale.place(tick)
        line = f"M{at:.1f} {start:.1f}V{end:.1f}" if vertical else f"M{start:.1f} {at:.1f}H{end:.1f}"
        parts.append(f'<path d="{line}" stroke="currentColor" stroke-opacity="0.18"/>')
        x, y, anchor = (at, end + 16, "middle") if vertical else (start - 8, at + 4, "end")
        parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{tick:g}</text>')
    return "".join(parts)


def _whisker(scale: _Scale, point: ScorePoint, y: float, rank: int, name: str) -> str:
    low, high, x = scale.place(point.low), scale.place(point.high), scale.place(point.value)
    colour = PALETTE[rank % len(PALETTE)]
    text = xml(f"{name}: {point.value:.4g} [{point.low:.4g}, {point.high:.4g}]")
    line = f'<path d="M{low:.1f} {y:.1f}H{high:.1f}" stroke="{colour}" stroke-width="1.5"/>'
    return f"<g>{line}{_marker(x, y, rank)}<title>{text}</title></g>"


def _curve(scale: _Scale, points: Sequence[tuple[float, ScorePoint]], rank: int, system: str) -> list[str]:
    if not points:
        return []
    colour = PALETTE[rank % len(PALETTE)]
    above = " ".join(f"{x:.1f},{scale.place(one.high):.1f}" for x, one in points)
    below = " ".join(f"{x:.1f},{scale.place(one.low):.1f}" for x, one in reversed(points))
    line = " ".join(f"{x:.1f},{scale.place(one.value):.1f}" for x, one in points)
    parts = [f'<polygon points="{above} {below}" fill="{colour}" fill-opacity="0.13"/>'] if len(points) > 1 else []
    parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    for x, one in points:
        text = xml(f"{system}: {one.value:.4g} [{one.low:.4g}, {one.high:.4g}]")
        parts.append(f"<g>{_marker(x, scale.place(one.value), rank)}<title>{text}</title></g>")
    return parts


def _marker(x: float, y: float, rank: int) -> str:
    colour, shape, r = PALETTE[rank % len(PALETTE)], _SHAPES[rank % len(_SHAPES)], _DOT
    paths = {
        "square": f"M{x - r:.1f} {y - r:.1f}h{2 * r:g}v{2 * r:g}h-{2 * r:g}z",
        "diamond": f"M{x:.1f} {y - r - 1:.1f}l{r + 1:g} {r + 1:g}l-{r + 1:g} {r + 1:g}l-{r + 1:g} -{r + 1:g}z",
        "triangle": f"M{x:.1f} {y - r - 0.5:.1f}l{r + 0.5:g} {2 * r:g}h-{2 * r + 1:g}z",
        "cross": f"M{x - r:.1f} {y - r:.1f}l{2 * r:g} {2 * r:g}m0 -{2 * r:g}l-{2 * r:g} {2 * r:g}",
        "plus": f"M{x - r - 1:.1f} {y:.1f}h{2 * r + 2:g}m-{r + 1:g} -{r + 1:g}v{2 * r + 2:g}",
        "box": f"M{x - r:.1f} {y - r:.1f}h{2 * r:g}v{2 * r:g}h-{2 * r:g}z",
    }
    if shape in paths:
        filled = shape in ("square", "diamond", "triangle")
        look = f'fill="{colour}"' if filled else f'fill="none" stroke="{colour}" stroke-width="2"'
        return f'<path d="{paths[shape]}" {look}/>'
    look = f'fill="{colour}"' if shape == "circle" else f'fill="none" stroke="{colour}" stroke-width="2"'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" {look}/>'


def _key(systems: Sequence[str], left: float, top: float) -> tuple[str, float]:
    """The key of the systems, a few in a row, and its height."""
    parts, x, y = [], left, top
    for rank, system in enumerate(systems):
        width = 30 + _SIZE * em_width(system)
        if x + width > left + _WIDTH and x > left:
            x, y = left, y + 20
        parts.append(_marker(x + 6, y - 4, rank))
        parts.append(f'<text x="{x + 16:.1f}" y="{y:.1f}">{xml(system)}</text>')
        x += width
    return "".join(parts), y - top + 14
