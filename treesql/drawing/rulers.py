"""The units of a medium, and how room is shared out in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ruler:
    """label: the room that a label needs: between the ends of an arc, or as a node; gap: between words.

    cells: whether units are character cells, which are not divided; arcs that begin at a word then share its three
    middle cells: left for those to the left, right for those to the right. Otherwise they begin `fan` pixels apart.
    """

    label: Callable[[str], float]
    gap: float
    fan: float = 1
    cells: bool = False

    def middle(self, width: float) -> float:
        """The middle of something that begins at 0."""
        return (width - 1) // 2 if self.cells else width / 2

    def widen(self, gaps: list[float], first: int, last: int, lacking: float) -> None:
        """Give gaps `first` to `last` - 1 what is lacking among them, in equal parts."""
        if lacking <= 0 or first >= last:
            return
        share, rest = divmod(lacking, last - first) if self.cells else (lacking / (last - first), 0)
        for gap in range(first, last):
            gaps[gap] += share + (gap - first < rest)
