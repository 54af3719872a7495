"""Where lines of a constituency tree cross, and the lines below its words from traces to their antecedents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

GAP = 4
"""Pixels between a line and a bar that is interrupted where it crosses it."""


@dataclass(frozen=True)
class Bar:
    """A bar above the children of a phrase, at a height; and the lines down to them, each by x and its lower end."""

    node: int
    height: float
    lines: Sequence[tuple[float, float]]


def find_crossings(bars: Sequence[Bar], reach: Sequence[tuple[float, float]]) -> dict[int, list[float]]:
    """Return by node the places where lines to children of other phrases cross its bar. Heights grow downwards.

    reach: where the bar of each of `bars` begins and ends.
    """
    found: dict[int, list[float]] = {}
    for bar, (left, right) in zip(bars, reach, strict=True):
        for other in bars:
            if other.node != bar.node and other.height < bar.height:
                crossed = [x for x, end in other.lines if left < x < right and end > bar.height]
                found.setdefault(bar.node, []).extend(crossed)
    return {node: sorted(set(places)) for node, places in found.items() if places}


def horizontal(start: float, end: float, gaps: Iterable[float]) -> str:
    """Return the path along a bar, from where the pen is, that leaves out the surroundings of crossing lines."""
    places = sorted((x for x in gaps if min(start, end) < x < max(start, end)), reverse=start > end)
    sign = 1 if end > start else -1
    parts = [f"H{x - sign * GAP:.1f}m{sign * 2 * GAP} 0" for x in places if abs(x - start) > GAP and abs(x - end) > GAP]
    return "".join(parts) + f"H{end:.1f}"


def stack_links(links: Iterable[tuple[float, float]]) -> list[tuple[float, float, int]]:
    """Return links below the words with the row of each, from 0, such that none in a row overlap. Short ones first."""
    placed: list[tuple[float, float, int]] = []
    for one, other in sorted(links, key=lambda ends: (abs(ends[0] - ends[1]), ends)):
        left, right, row = min(one, other), max(one, other), 0
        while any(at == row and left <= max(a, b) and min(a, b) <= right for a, b, at in placed):
            row += 1
        placed.append((one, other, row))
    return placed
