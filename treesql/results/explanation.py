"""Why a sentence has its score: a drawing, and a table of what differs."""

from __future__ import annotations

from dataclasses import dataclass

from treesql.results.result import Result


@dataclass(frozen=True)
class Explanation:
    """A drawing of a sentence as text, and the paths that differ."""

    drawing: str
    paths: Result

    def __str__(self) -> str:
        return self.drawing
