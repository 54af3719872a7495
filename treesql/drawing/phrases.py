"""Layout of constituency trees: words on one line, every phrase above the words it covers.

Units are pixels or character cells. Phrases whose branches cross get different heights.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from treesql.drawing.rulers import Ruler

_MAX_SHIFT = 8
"""Maximum number of pixels by which a phrase is shifted to be straight above one of its children."""

_MARGIN = 1
"""Pixels by which a place for a label becomes wider than the label."""

_MAX_TRIALS = 20
"""Maximum number of times that words are moved apart for labels that lie on lines that pass."""


@dataclass(frozen=True)
class PlacedPhrase:
    """level: 1 just above the words; x: of its line, under its label; left: where its label begins.

    phrases, words: its children, numbered from 0.
    """

    level: int
    x: float
    left: float
    phrases: tuple[int, ...]
    words: tuple[int, ...]


@dataclass(frozen=True)
class TreeLayout:
    """centres: of the words; phrases: in preorder; width: of the drawing."""

    centres: list[float]
    phrases: list[PlacedPhrase]
    width: float

    @property
    def levels(self) -> int:
        """The number of levels."""
        return max((phrase.level for phrase in self.phrases), default=0)


@dataclass(frozen=True)
class _TreeSpans:
    """Children of every phrase, and its first and last word."""

    phrases: list[list[int]]
    words: list[list[int]]
    spans: list[tuple[int, int]]
    continuous: bool


def lay_out_tree(
    widths: Sequence[float],
    labels: Sequence[float],
    parents: Sequence[int | None],
    phrases: Sequence[int | None],
    ruler: Ruler,
) -> TreeLayout:
    """Lay out a tree. widths: of words; labels: widths of the labels of phrases, in preorder; parents: of phrases,
    1-based, None for a root; phrases: the parents of words, 1-based, None for a word outside all phrases.

    Raises ValueError for a phrase that comes before its parent or has no words.
    """
    tree = _find_spans(parents, phrases)
    own = list(widths)
    for label, (first, last) in zip(labels, tree.spans, strict=True):
        if first == last:
            own[first] = max(own[first], label)
    gaps = [ruler.gap] * len(own)
    for node in sorted(range(len(labels)), key=lambda node: tree.spans[node][1] - tree.spans[node][0]):
        first, last = tree.spans[node]
        ruler.widen(gaps, first, last, labels[node] - sum(own[first : last + 1]) - sum(gaps[first:last]))
    levels = _find_levels(tree)
    for _ in range(_MAX_TRIALS):
        starts = [0.0, *itertools.accumulate(width + gap for width, gap in zip(own, gaps, strict=True))]
        bounds = [(start, start + width) for start, width in zip(starts, own, strict=False)]
        found, lacking = _place(tree, labels, (parents, phrases), levels, bounds, ruler)
        if not lacking:
            break
        for gap, width in lacking.items():
            gaps[gap] += width
    centres = [start + ruler.middle(end - start) for start, end in bounds]
    return TreeLayout(centres, [found[node] for node in range(len(labels))], bounds[-1][1] if bounds else 0)


def _place(
    tree: _TreeSpans,
    labels: Sequence[float],
    above: tuple[Sequence[int | None], Sequence[int | None]],
    levels: Sequence[int],
    bounds: Sequence[tuple[float, float]],
    ruler: Ruler,
) -> tuple[dict[int, PlacedPhrase], dict[int, float]]:
    """Place phrases above words that begin and end at `bounds`, from below. Return also by gap between words by how
    much it has to be wider for labels that lie on lines that pass. above: the parents of phrases and of words."""
    parents, phrases = above
    centres = [start + ruler.middle(end - start) for start, end in bounds]
    found: dict[int, PlacedPhrase] = {}
    lacking: dict[int, float] = {}
    for node in sorted(range(len(labels)), key=lambda node: levels[node]):
        first, last = tree.spans[node]
        below = [centres[word] for word in tree.words[node]] + [found[child].x for child in tree.phrases[node]]
        wanted = (min(below) + max(below)) / 2 if not ruler.cells else (min(below) + max(below)) // 2
        nearest = min((abs(x - wanted), x) for x in below)[1]
        if abs(nearest - wanted) <= (1 if ruler.cells else _MAX_SHIFT):
            wanted = nearest
        passing: list[float] = []
        if not tree.continuous:
            passing = [centres[at] for at, up in enumerate(phrases) if up is not None and levels[up - 1] > levels[node]]
            passing += [
                found[child].x
                for child, up in enumerate(parents)
                if up is not None and levels[child] < levels[node] < levels[up - 1]
            ]
        left, narrow = _label_start(wanted, labels[node], bounds[first][0], bounds[last][1], passing, ruler)
        if narrow is not None and first < last:
            middle, width = narrow
            gap = min(range(first, last), key=lambda at: abs(bounds[at][1] + bounds[at + 1][0] - 2 * middle))
            lacking[gap] = max(lacking.get(gap, 0), width)
        x = left + ruler.middle(labels[node])
        found[node] = PlacedPhrase(levels[node], x, left, tuple(tree.phrases[node]), tuple(tree.words[node]))
    return found, lacking


def _find_spans(parents: Sequence[int | None], phrases: Sequence[int | None]) -> _TreeSpans:
    """Return the children and spans of all phrases. Raises ValueError."""
    children: list[list[int]] = [[] for _ in parents]
    words: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent is not None:
            if not 1 <= parent <= node:
                raise ValueError(f"phrase {node + 1} comes before its parent, {parent}")
            children[parent - 1].append(node)
    for word, phrase in enumerate(phrases):
        if phrase is not None:
            words[phrase - 1].append(word)
    sizes, firsts, lasts = [0] * len(parents), [0] * len(parents), [0] * len(parents)
    for node in reversed(range(len(parents))):
        below = [(word, word) for word in words[node]] + [(firsts[child], lasts[child]) for child in children[node]]
        if not below:
            raise ValueError(f"phrase {node + 1} has no words")
        firsts[node], lasts[node] = min(first for first, _ in below), max(last for _, last in below)
        sizes[node] = len(words[node]) + sum(sizes[child] for child in children[node])
    spans = list(zip(firsts, lasts, strict=True))
    return _TreeSpans(
        children,
        words,
        spans,
        all(last - first + 1 == size for (first, last), size in zip(spans, sizes, strict=True)),
    )


def _find_levels(tree: _TreeSpans) -> list[int]:
    """Return every phrase's level: one above its highest child, or more if needed to avoid phrases that it crosses."""
    heights = [0] * len(tree.spans)
    for node in reversed(range(len(heights))):
        heights[node] = 1 + max((heights[child] for child in tree.phrases[node]), default=0)
    if tree.continuous:
        return heights
    levels = [0] * len(heights)
    taken: dict[int, list[tuple[int, int]]] = {}
    for node in sorted(
        range(len(heights)), key=lambda node: (heights[node], tree.spans[node][1] - tree.spans[node][0])
    ):
        first, last = tree.spans[node]
        level = 1 + max((levels[child] for child in tree.phrases[node]), default=0)
        while any(first <= end and start <= last for start, end in taken.get(level, ())):
            level += 1
        levels[node] = level
        taken.setdefault(level, []).append((first, last))
    return levels


def _label_start(
    wanted: float, width: float, left: float, right: float, passing: Sequence[float], ruler: Ruler
) -> tuple[float, tuple[float, float] | None]:
    """Return the left end of a label, as near as possible to the wanted centre, such that it hides no passing line.

    If there is no such place, return also the middle of the one that is nearly wide enough, and the width it lacks.
    """
    start = wanted - ruler.middle(width)
    before, behind = (2, 1) if ruler.cells else (0, 0)  # a line is in a cell, and a blank beside it
    stops = [left, *(x for x in sorted(passing) if left < x < right), right]
    places = [
        (a + before * (at > 0), b - behind * (at < len(stops) - 2))
        for at, (a, b) in enumerate(itertools.pairwise(stops))
    ]
    found = [min(max(start, a), b - width) for a, b in places if b - a >= width]
    if found:
        return min(found, key=lambda x: abs(x - start)), None
    a, b = max(places, key=lambda place: place[1] - place[0])
    lacking = width - (b - a)
    return min(max(start, left), right - width), ((a + b) / 2, lacking if ruler.cells else lacking + _MARGIN)
