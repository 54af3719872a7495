"""Lattices as text and as SVG, with the edges of one path marked."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from treesql.drawing.measures import xml
from treesql.drawing.svg import Drawing, Picture

MARK = "*"
EMPTY = "ε"
ARROW = "->"
_GAP, _STEP, _MARGIN, _RADIUS = 120, 26, 30, 9
PATH = "#d8432e"
"""Colour of a path, readable on white and on black."""

_MAX_WIDTH = 80
"""Maximum number of characters to which labels are padded; longer ones are not cut."""

_MAX_DIGITS = 30
"""Maximum number of digits of a number of paths; larger ones are given as a power of ten."""


@dataclass(frozen=True)
class DrawnEdge:
    """An edge of a lattice: its number, its two nodes, its words."""

    number: int
    from_node: int
    to_node: int
    words: Sequence[str]

    @property
    def label(self) -> str:
        """Its words, or a symbol for none."""
        return " ".join(self.words) or EMPTY


def text(n_nodes: int, edges: Sequence[DrawnEdge], path: Collection[int] = (), *, colour: bool = False) -> str:
    """Return one line per edge, grouped by its first node; edges and nodes of the path are marked.

    colour: the path is bold, for a terminal.
    """
    nodes = {0, *(edge.to_node for edge in edges if edge.number in path)} if path else set()
    below: dict[int, list[DrawnEdge]] = {}
    for edge in edges:
        below.setdefault(edge.from_node, []).append(edge)
    width = min(max((len(edge.label) for edge in edges), default=0), _MAX_WIDTH)
    digits = len(str(n_nodes - 1))
    lines = []
    for node in range(n_nodes):
        leaving = below.get(node, [])
        mark = MARK if node in nodes else " "
        for at, edge in enumerate(leaving):
            head = f"{node:>{digits}}{mark}" if at == 0 else " " * (digits + 1)
            on_path = edge.number in path
            line = f"{head} {MARK if on_path else ' '} {edge.label:<{width}} {ARROW} {edge.to_node}"
            lines.append(f"\x1b[1m{line}\x1b[0m" if colour and on_path else line)
        if not leaving:
            lines.append(f"{node:>{digits}}{mark}".rstrip())
    return "\n".join(lines)


def count_paths(n_nodes: int, edges: Sequence[DrawnEdge]) -> int:
    """Return the number of paths from the first node to the last."""
    ways = [0] * n_nodes
    ways[n_nodes - 1] = 1
    for edge in sorted(edges, key=lambda edge: -edge.from_node):
        ways[edge.from_node] += ways[edge.to_node]
    return ways[0]


def describe_paths(n_nodes: int, edges: Sequence[DrawnEdge]) -> str:
    """Return the number of paths in words."""
    n = count_paths(n_nodes, edges)
    return f"{n} paths" if n < 10**_MAX_DIGITS else f"about 10^{math.log10(n):.0f} paths"


@dataclass(frozen=True)
class Lattice(Drawing):
    """A lattice to draw with other drawings; the edges of a path are marked."""

    n_nodes: int
    edges: Sequence[DrawnEdge]
    path: Collection[int] = ()

    def picture(self, width: float | None = None) -> Picture:
        """Return nodes in one row, whatever the width, and edges as arcs above it, parallel ones at different heights;
        the path is red."""
        heights = _heights(self.edges)
        base = _MARGIN + _STEP * (1 + max(heights.values(), default=0))
        top = base - _RADIUS  # where edges end, above their nodes
        parts = []
        for edge in self.edges:
            start, end = _MARGIN + _GAP * edge.from_node, _MARGIN + _GAP * edge.to_node
            rise = _STEP * heights[edge.number]
            colour = PATH if edge.number in self.path else "currentColor"
            bend = top - 4 * rise / 3
            parts.append(
                f'<path d="M{start},{top} C{start + _GAP / 3:.0f},{bend:.0f} {end - _GAP / 3:.0f},{bend:.0f} '
                f'{end},{top}" fill="none" stroke="{colour}"/>'
                f'<text x="{(start + end) / 2:.0f}" y="{top - rise - 3}" fill="{colour}">{xml(edge.label)}</text>'
            )
        for node in range(self.n_nodes):
            x = _MARGIN + _GAP * node
            parts.append(
                f'<circle cx="{x}" cy="{base}" r="{_RADIUS}" fill="none" stroke="currentColor"/>'
                f'<text x="{x}" y="{base + 4}" fill="currentColor">{node}</text>'
            )
        body = f'<g font-size="12" text-anchor="middle">{"".join(parts)}</g>'
        return Picture(body, 2 * _MARGIN + _GAP * (self.n_nodes - 1), base + _MARGIN)

    def characters(self, width: int | None = None, colour: bool = False) -> str:
        """Return a line per edge, whatever the width, and the number of paths."""
        lines = text(self.n_nodes, self.edges, self.path, colour=colour)
        return f"{lines}\n\n{describe_paths(self.n_nodes, self.edges)}\n"


def _heights(edges: Sequence[DrawnEdge]) -> dict[int, int]:
    """Return the height of each edge's arc, such that overlapping arcs differ and the shortest are lowest.

    O(log nodes) operations per edge, on integers with a bit per height.
    """
    heights: dict[int, int] = {}
    taken = _TakenHeights(max((edge.to_node for edge in edges), default=0))
    for edge in sorted(edges, key=lambda edge: (edge.to_node - edge.from_node, edge.from_node, edge.number)):
        bits = taken.between(edge.from_node, edge.to_node)
        lowest = ~bits & (bits + 1)
        taken.add(edge.from_node, edge.to_node, lowest)
        heights[edge.number] = lowest.bit_length() - 1
    return heights


class _TakenHeights:
    """Heights of arcs between nodes, as bits: a segment tree over the gaps between neighbouring nodes.

    some: by vertex of the tree, heights taken in a gap below it; whole: those of arcs that span all its gaps.
    """

    def __init__(self, n_gaps: int) -> None:
        self._n = max(n_gaps, 1)
        self._some, self._whole = [0] * (2 * self._n), [0] * (2 * self._n)

    def between(self, start: int, end: int) -> int:
        """Return the heights taken in the gaps from one node to another."""
        bits = 0
        for vertex in self._cover(start, end):
            bits |= self._some[vertex]
            while vertex := vertex // 2:
                bits |= self._whole[vertex]
        return bits

    def add(self, start: int, end: int, bits: int) -> None:
        """Take heights in the gaps from one node to another."""
        for vertex in self._cover(start, end):
            self._whole[vertex] |= bits
            while vertex:
                self._some[vertex] |= bits
                vertex //= 2

    def _cover(self, start: int, end: int) -> list[int]:
        """Return the fewest vertices of the tree that have these gaps below them."""
        vertices = []
        low, high = start + self._n, end + self._n
        while low < high:
            if low % 2:
                vertices.append(low)
                low += 1
            if high % 2:
                high -= 1
                vertices.append(high)
            low, high = low // 2, high // 2
        return vertices
