"""Weighted graphs as SVG: nodes on a circle, edges with labels, of which some are chosen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from treesql.drawing.measures import em_width, xml
from treesql.drawing.svg import COLOURS, OnPage, Picture

FONT_SIZE = 14
LABEL_SIZE = 12
MARGIN = 12
MIN_RADIUS = 110
DISTANCE_OF_NODES = 70
"""Minimum length of the arc between two nodes."""

MAX_LABELLED = 8
"""Maximum number of nodes of a graph whose edges all have their labels; of a larger one only chosen edges do."""

PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
"""Where on an edge its label may stand, as shares of its length, the best first."""

DISTANCE_OF_LABELS = 30
"""Distance of two labels that is enough."""

Point = tuple[float, float]


@dataclass(frozen=True)
class WeightedEdge:
    """An edge between two nodes, 0-based. chosen: drawn as a strong line."""

    first: int
    second: int
    label: str
    chosen: bool


@dataclass(frozen=True)
class WeightedGraph:
    """Nodes with labels, and edges between them. Raises ValueError for an edge to a node that does not exist."""

    nodes: Sequence[str]
    edges: Sequence[WeightedEdge]

    def __post_init__(self) -> None:
        for edge in self.edges:
            if not (0 <= edge.first < len(self.nodes) and 0 <= edge.second < len(self.nodes)):
                raise ValueError(f"the edge {edge.first}-{edge.second} leads to a node that does not exist")

    @property
    def title(self) -> str:
        """The nodes."""
        return ", ".join(self.nodes)

    def on_page(self, title: str) -> OnPage:
        """Return the picture, which scrolls."""
        chosen = [edge for edge in self.edges if edge.chosen]
        said = (f"{self.nodes[edge.first]} - {self.nodes[edge.second]}: {edge.label}" for edge in chosen)
        return OnPage(title, "; ".join(said), [self.picture().element("rows")], scrolls=True)

    def picture(self, width: float | None = None) -> Picture:
        """Return a picture, nodes clockwise from the top in their order, chosen edges above the others."""
        radius = max(MIN_RADIUS, len(self.nodes) * DISTANCE_OF_NODES / (2 * math.pi))
        half = max((em_width(node) for node in self.nodes), default=0) * FONT_SIZE / 2 + MARGIN
        centre = (radius + 2 * half, radius + 3 * FONT_SIZE)
        spots = [_spot(centre, radius, at, len(self.nodes)) for at in range(len(self.nodes))]
        edges = sorted(self.edges, key=lambda edge: edge.chosen)
        lines = [_line(spots[edge.first], spots[edge.second], edge.chosen) for edge in edges]
        labelled = [edge for edge in reversed(edges) if edge.chosen or len(self.nodes) <= MAX_LABELLED]
        placed: list[Point] = []
        for edge in labelled:
            placed.append(_place(spots[edge.first], spots[edge.second], placed))
        labels = [_label(place, edge) for place, edge in zip(placed, labelled, strict=True)]
        names = [_name(node, spot, centre) for node, spot in zip(self.nodes, spots, strict=True)]
        return Picture("".join([*lines, *labels, *names]), 2 * centre[0], 2 * centre[1])


def _spot(centre: Point, radius: float, at: int, n: int) -> Point:
    angle = 2 * math.pi * at / n - math.pi / 2
    return centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)


def _line(start: Point, end: Point, chosen: bool) -> str:
    look = (
        f'stroke="{COLOURS["costly"]}" stroke-width="2.5"' if chosen else 'stroke="currentColor" stroke-opacity="0.3"'
    )
    return f'<path d="M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}" fill="none" {look}/>'


def _place(start: Point, end: Point, placed: Sequence[Point]) -> Point:
    """The first place on an edge that is far enough from labels that have theirs, or the farthest."""
    places = [(start[0] + at * (end[0] - start[0]), start[1] + at * (end[1] - start[1])) for at in PLACES]
    return max(places, key=lambda place: min([DISTANCE_OF_LABELS, *(math.dist(place, label) for label in placed)]))


def _label(place: Point, edge: WeightedEdge) -> str:
    x, y = place
    look = ' font-weight="bold"' if edge.chosen else ' fill-opacity="0.7"'
    return (
        f'<text x="{x:.1f}" y="{y + LABEL_SIZE / 3:.1f}" font-size="{LABEL_SIZE}" text-anchor="middle"{look}>'
        f"{xml(edge.label)}</text>"
    )


def _name(node: str, spot: Point, centre: Point) -> str:
    """The dot of a node, and its label on the side that is turned away from the centre."""
    across, down = spot[0] - centre[0], spot[1] - centre[1]
    length = math.hypot(across, down)
    x, y = spot[0] + across / length * MARGIN, spot[1] + down / length * 1.4 * FONT_SIZE + FONT_SIZE / 3
    anchor = "middle" if abs(across) < length / 4 else "start" if across > 0 else "end"
    return (
        f'<circle cx="{spot[0]:.1f}" cy="{spot[1]:.1f}" r="4"/>'
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{FONT_SIZE}" text-anchor="{anchor}">{xml(node)}</text>'
    )
