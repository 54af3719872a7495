"""Where the nodes of a constituency tree go: words on one line, every phrase above all that it covers.

Units are pixels or character cells. Phrases whose branches cross are kept apart by their heights.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from treesql.drawing.rulers import Ruler

_NEAR = 8
"""Pixels by which a phrase is moved aside to stand straight above one of its children."""


@dataclass(frozen=True)
class Phrase:
    """level: 1 just above the words; x: of its line, under its label; left: where its label begins.

    phrases, words: below it, numbered from 0.
    """

    level: int
    x: float
    left: float
    phrases: tuple[int, ...]
    words: tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """centres: of the words; phrases: in preorder; width: of all."""

    centres: list[float]
    phrases: list[Phrase]
    width: float

    @property
    def levels(self) -> int:
        """The number of levels."""
        return max((phrase.level for phrase in self.phrases), default=0)


@dataclass(frozen=True)
class _Tree:
    """What is below every phrase, and from which word to which it goes."""

    phrases: list[list[int]]
    words: list[list[int]]
    spans: list[tuple[int, int]]
    continuous: bool


def lay_out(
    widths: Sequence[float],
    labels: Sequence[float],
    parents: Sequence[int | None],
    phrases: Sequence[int | None],
    ruler: Ruler,
) -> Layout:
    """widths: of words; labels: widths of the labels of phrases, in preorder; parents: of phrases, 1-based, None at the
    top; phrases: those that words hang on, 1-based, None for a word outside of all.

    Raises ValueError where a phrase comes before its parent or has no words.
    """
    tree = _below(parents, phrases)
    own = list(widths)
    for label, (first, last) in zip(labels, tree.spans, strict=True):
        if first == last:
            own[first] = max(own[first], label)
    gaps = [ruler.gap] * len(own)
    for node in sorted(range(len(labels)), key=lambda node: tree.spans[node][1] - tree.spans[node][0]):
        first, last = tree.spans[node]
        ruler.widen(gaps, first, last, labels[node] - sum(own[first : last + 1]) - sum(gaps[first:last]))
    starts = [0.0, *itertools.accumulate(width + gap for width, gap in zip(own, gaps, strict=True))]
    centres = [start + ruler.middle(width) for start, width in zip(starts, own, strict=False)]
    levels = _levels(tree)
    found: dict[int, Phrase] = {}
    for node in sorted(range(len(labels)), key=lambda node: levels[node]):
        first, last = tree.spans[node]
        below = [centres[word] for word in tree.words[node]] + [found[child].x for child in tree.phrases[node]]
        wanted = (min(below) + max(below)) / 2 if not ruler.cells else (min(below) + max(below)) // 2
        nearest = min((abs(x - wanted), x) for x in below)[1]
        if abs(nearest - wanted) <= (1 if ruler.cells else _NEAR):
            wanted = nearest
        passing: list[float] = []
        if not tree.continuous:
            passing = [centres[at] for at, up in enumerate(phrases) if up is not None and levels[up - 1] > levels[node]]
            passing += [
                found[child].x
                for child, up in enumerate(parents)
                if up is not None and levels[child] < levels[node] < levels[up - 1]
            ]
        left = _free(wanted, labels[node], starts[first], starts[last] + own[last], passing, ruler)
        x = left + ruler.middle(labels[node])
        found[node] = Phrase(levels[node], x, left, tuple(tree.phrases[node]), tuple(tree.words[node]))
    return Layout(centres, [found[node] for node in range(len(labels))], starts[-1] - (gaps[-1] if gaps else 0))


def _below(parents: Sequence[int | None], phrases: Sequence[int | None]) -> _Tree:
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
    return _Tree(
        children,
        words,
        spans,
        all(last - first + 1 == size for (first, last), size in zip(spans, sizes, strict=True)),
    )


def _levels(tree: _Tree) -> list[int]:
    """Every phrase a level above the highest below it, or as many more as keep it clear of others that it crosses."""
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


def _free(wanted: float, width: float, left: float, right: float, passing: Sequence[float], ruler: Ruler) -> float:
    """Where a label begins whose middle is as near as can be to the one wanted, and that hides no line that passes."""
    start = wanted - ruler.middle(width)
    line = 1 if ruler.cells else 0
    rooms = [left, *(x for x in sorted(passing) if left < x < right), right]
    found = [
        min(max(start, a + line * (at > 0)), b - width)
        for at, (a, b) in enumerate(itertools.pairwise(rooms))
        if b - a - line * (at > 0) >= width
    ]
    return min(found, key=lambda x: abs(x - start)) if found else min(max(start, left), right - width)
