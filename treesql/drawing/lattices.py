"""Lattices as text and as pictures, with the edges of paths marked."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from treesql.drawing.measures import em_width, xml
from treesql.drawing.svg import Drawing, OnPage, Picture, beside, marked, scrolling_on_page, stroke

MARK = "*"
EMPTY = "ε"
ARROW = "->"
_SIZE, _SMALL, _TAG = 13, 11, 10  # font sizes
_BAR, _STEP, _MARGIN, _PAD = 18, 21, 10, 8  # heights of a bar and of a row, around all, and beside a label
_MIN_GAP = 24  # from one node to the next

_MAX_ROWS = 12
"""Maximum number of rows of edges of a lattice on a page that are on no path."""

_MIN_FOLDED = 5
"""Minimum number of edges that two paths share without a break and that are folded to one in large lattices."""

_LARGE = 40
"""Maximum number of nodes of a lattice in which nothing is folded."""

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
    """A lattice to draw. path: the edges of the path that is nearest to a reference; best: those of the path with the
    best score, which pictures have beside it."""

    n_nodes: int
    edges: Sequence[DrawnEdge]
    path: Collection[int] = ()
    best: Collection[int] = ()

    def picture(self, width: float | None = None) -> Picture:
        """Return nodes on one line, whatever the width, and edges as bars from node to node: first the two paths, one
        high bar where they share an edge, then other edges, short ones first."""
        return beside(*self._parts(len(self.edges)))

    def on_page(self, title: str) -> OnPage:
        """Return the names of rows, which stay, and nodes and edges, which scroll. Of large lattices, stretches that
        both paths share and rows far below are folded; all edges then follow as text."""
        small, hidden = self._folded()
        drawn = scrolling_on_page(*small._parts(_MAX_ROWS), title, self._describe())
        if not hidden and max(_heights(small._others()).values(), default=0) < _MAX_ROWS:
            return drawn
        lines = text(self.n_nodes, self.edges, self.path)
        return replace(drawn, summary=f"All {len(self.edges)} edges", lines=lines)

    def _describe(self) -> str:
        """Its size and its paths, in words."""
        said = [f"{self.n_nodes} nodes, {len(self.edges)} edges"]
        for name, path in (("nearest path", self.path), ("best path", self.best)):
            words = " ".join(edge.label for edge in self.edges if edge.number in path)
            said += [f"{name}: {words}"] * bool(path)
        return "; ".join(said)

    def _others(self) -> list[DrawnEdge]:
        return [edge for edge in self.edges if edge.number not in self.path and edge.number not in self.best]

    def _folded(self) -> tuple[Lattice, int]:
        """Return the lattice with shared stretches of its paths as one edge each, and the number of hidden edges."""
        shared = [edge for edge in self.edges if edge.number in self.path and edge.number in self.best]
        shared.sort(key=lambda edge: edge.from_node)
        runs: list[list[DrawnEdge]] = []
        for edge in shared:
            if runs and runs[-1][-1].to_node == edge.from_node:
                runs[-1].append(edge)
            else:
                runs.append([edge])
        runs = [run for run in runs if len(run) >= _MIN_FOLDED] if self.n_nodes > _LARGE else []
        inside = {node: run[0].number for run in runs for node in range(run[0].from_node + 1, run[-1].to_node)}
        if not inside:
            return self, 0
        place = {node: at for at, node in enumerate(node for node in range(self.n_nodes) if node not in inside)}
        hidden = {edge.number for edge in self.edges if edge.from_node in inside or edge.to_node in inside}
        edges = [
            replace(edge, from_node=place[edge.from_node], to_node=place[edge.to_node])
            for edge in self.edges
            if edge.number not in hidden
        ]
        for run in runs:
            own = {run[0].number, *(edge.number for edge in run)}
            n_other = sum(
                edge.number not in own and run[0].number in (inside.get(edge.from_node), inside.get(edge.to_node))
                for edge in self.edges
            )
            others = f"{n_other} other{'s' * (n_other != 1)}"
            ends = f"{run[0].label} … {run[-1].label} ({len(run)} edges, {others})"
            edges.append(DrawnEdge(run[0].number, place[run[0].from_node], place[run[-1].to_node], [ends]))
        names = {at: node for node, at in place.items()}
        return _FoldedLattice(len(place), edges, self.path, self.best, names), len(hidden)

    def _name(self, node: int) -> int:
        return node

    def _parts(self, max_rows: int) -> tuple[Picture, Picture]:
        """Return the names of the rows, and the nodes and edges. max_rows: of edges that are on no path."""
        places = self._places()
        paths = [path for path in (self.path, self.best) if path]
        top = _MARGIN + 22
        names = [
            (f"{name} path", top + _STEP * at + 13)
            for at, name in enumerate(name for name, path in (("nearest", self.path), ("best", self.best)) if path)
        ]
        others = top + _STEP * len(paths) + 6 * bool(paths)
        heights = _heights(self._others())
        rows = min(max(heights.values(), default=-1) + 1, max_rows)
        bars: dict[str, list[str]] = {}
        for edge in self.edges:
            near, best = edge.number in self.path, edge.number in self.best
            mark, y, high = "", top, _BAR
            if near and best:
                high = _STEP + _BAR
            elif near and self.best:
                mark = "missed"
            elif best and self.path:
                mark, y = "wrong", top + _STEP
            elif not (near or best):
                if heights[edge.number] >= max_rows:
                    continue
                mark, y = "possible", others + _STEP * heights[edge.number]
            bars.setdefault(mark, []).append(_bar(edge, places, y, high, mark))
        more = sum(height >= max_rows for height in heights.values())
        bottom = others + _STEP * rows
        if rows and paths:
            names.append(("other edges", others + 13))
        if more:
            names.append((f"{more} more", bottom + 13))
            bottom += _STEP
        lines = "".join(f"M{x:.0f} {_MARGIN + 16}V{bottom:.0f}" for x in places)
        body = f'<path class="rule" d="{lines}" stroke="currentColor" stroke-opacity=".15"/>'
        body += "".join(marked("" if mark == "possible" else mark, *of_mark) for mark, of_mark in sorted(bars.items()))
        nodes = "".join(
            f'<text x="{x:.0f}" y="{_MARGIN + 10}">{self._name(node)}</text>' for node, x in enumerate(places)
        )
        body += f'<g class="tag" font-size="{_TAG}" fill-opacity=".7">{nodes}</g>'
        wide = max((_SMALL * em_width(name) for name, _ in names), default=0) + _MARGIN + 6 * bool(names)
        labels = "".join(f'<text x="{_MARGIN / 2:.0f}" y="{y:.0f}">{name}</text>' for name, y in names)
        height = bottom + _MARGIN
        return (
            Picture(f'<g class="tag" font-size="{_SMALL}" fill-opacity=".7">{labels}</g>', wide, height),
            Picture(f'<g text-anchor="middle">{body}</g>', (places[-1] if places else 0) + 2 * _MARGIN, height),
        )

    def _places(self) -> list[float]:
        """Return the place of each node, such that every label has room between its nodes."""
        entering: list[list[DrawnEdge]] = [[] for _ in range(self.n_nodes)]
        for edge in self.edges:
            entering[edge.to_node].append(edge)
        places: list[float] = []
        for node in range(self.n_nodes):
            least = places[-1] + _MIN_GAP if places else float(_MARGIN)
            wide = [places[edge.from_node] + _SIZE * em_width(edge.label) + 2 * _PAD for edge in entering[node]]
            places.append(max([least, *wide]))
        return places

    def characters(self, width: int | None = None, colour: bool = False) -> str:
        """Return a line per edge, whatever the width, and the number of paths."""
        lines = text(self.n_nodes, self.edges, self.path, colour=colour)
        return f"{lines}\n\n{describe_paths(self.n_nodes, self.edges)}\n"


@dataclass(frozen=True)
class _FoldedLattice(Lattice):
    """A lattice in which some nodes are left out. names: of the others, their numbers."""

    names: Mapping[int, int] = field(default_factory=dict)

    def _name(self, node: int) -> int:
        return self.names[node]


def _bar(edge: DrawnEdge, places: Sequence[float], y: float, high: float, mark: str) -> str:
    """Return the bar of an edge, with its label in it."""
    start, end = places[edge.from_node] + 2, places[edge.to_node] - 2
    size = _SMALL if mark == "possible" else _SIZE
    box = f'<rect x="{start:.0f}" y="{y:.0f}" width="{end - start:.0f}" height="{high}" rx="3" '
    line = stroke("missed" if mark == "missed" else "") if mark != "possible" else stroke("") + ' stroke-opacity=".4"'
    label = f'<text x="{(start + end) / 2:.0f}" y="{y + high / 2 + 4:.0f}" font-size="{size}"'
    return f"{box}{line}/>{label}>{xml(edge.label)}</text>"


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
