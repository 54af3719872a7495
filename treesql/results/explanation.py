"""Why a sentence has its score: a drawing, and tables of what differs and what was chosen."""

from __future__ import annotations

from dataclasses import dataclass

from treesql.results.result import Result
from treesql.runtime.failures import convert_errors_of_class


@dataclass(frozen=True)
@convert_errors_of_class
class Explanation:
    """A drawing of a sentence as text and as an SVG document, the paths that differ, and the graph of all paths.

    graph: a row per pair of links with its weights, and whether it was chosen; rows of the query meta_graph.
    """

    drawing: str
    paths: Result
    graph: Result
    picture: str

    def __str__(self) -> str:
        return self.drawing

    def svg(self) -> str:
        """The trees with their links, and below them the graph, as an SVG document."""
        return self.picture
