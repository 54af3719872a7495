"""Units of a medium, and the distribution of space in these units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ruler:
    """label: the width that a label needs, between the ends of an arc or as a node; gap: between words.

    cells: whether units are character cells, which are indivisible; arcs that begin at a word then share its three
    centre cells: left for arcs to the left, right for arcs to the right. Otherwise they begin `fan` pixels from each
    other.
    """

    label: Callable[[str], float]
    gap: float
    fan: float = 1
    cells: bool = False

    def middle(self, width: float) -> float:
        """Return the centre of an object that begins at 0."""
        return (width - 1) // 2 if self.cells else width / 2

    def widen(self, gaps: list[float], first: int, last: int, lacking: float) -> None:
        """Distribute the lacking width equally over the gaps `first` to `last` - 1."""
        if lacking <= 0 or first >= last:
            return
        share, rest = divmod(lacking, last - first) if self.cells else (lacking / (last - first), 0)
        for gap in range(first, last):
            gaps[gap] += share + (gap - first < rest)
