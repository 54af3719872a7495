"""Constituency trees: as pictures lines over the words of phrases, and as text trees for the terminal.

PhraseTree(["Rain", "falls"], ["S", "NP", "VP"], [None, 1, 1], [2, 3], tags=["NN", "VBZ"]).svg()

Every phrase is above the words it covers. In text, phrases whose branches cross get different heights.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from treesql.drawing.brackets import Bracket, Bracketed, WordCell
from treesql.drawing.canvas import Canvas
from treesql.drawing.measures import Ruler, em_width, mirrored, printable, runs_right_to_left, stack_spans
from treesql.drawing.svg import SIGNS, SYSTEM_SIGNS, OnPage, WrappedDrawing, check_marks, system_signs, wrapped_on_page
from treesql.results.tables import cell_width

_CELLS = Ruler(label=cell_width, gap=2, cells=True)


@dataclass(frozen=True)
class PhraseTree(WrappedDrawing):
    """A constituency tree. All positions and nodes are 1-based.

    labels: of the phrases in preorder, None for an unlabelled node. parents: the parents of the phrases, None for a
    root. phrases: the parents of the words, None for a word outside all phrases. tags: shown above the words.
    highlights, words: highlighted phrases and words, each with a name to show before it, or ``. marks: phrases that are
    `wrong`, `missed` or `matched`. functions: of the words, on the edges to them. traces: by word that is one, the
    phrase that it stands for. heads: the phrases, and the words, that are heads of the phrases above them, whose lines
    and letters are bolder in pictures. right_to_left: as that of a dependency tree. Where branches of discontinuous
    phrases cross in text, the bar is interrupted. Raises ValueError for a phrase that comes before its parent or has no
    words.
    """

    forms: Sequence[str]
    labels: Sequence[str | None]
    parents: Sequence[int | None]
    phrases: Sequence[int | None]
    tags: Sequence[str | None] | None = None
    highlights: Mapping[int, str] = field(default_factory=dict)
    words: Mapping[int, str] = field(default_factory=dict)
    marks: Mapping[int, str] = field(default_factory=dict)
    right_to_left: bool | None = None
    functions: Sequence[str | None] | None = None
    traces: Mapping[int, int] = field(default_factory=dict)
    heads: tuple[Collection[int], Collection[int]] = ((), ())

    @property
    def title(self) -> str:
        """The words."""
        return " ".join(self.forms)

    def prepare(self) -> Bracketed:
        """Return the words with a line for each phrase, and one below them for each trace. Raises ValueError."""
        tree = _prepare(replace(self, right_to_left=False))
        spans = find_phrase_words(self.parents, self.phrases)
        brackets = [
            Bracket(
                words,
                label,
                self.marks.get(at + 1, ""),
                heavy=at in tree.heads[0],
                highlighted=at + 1 in self.highlights,
            )
            for at, (words, label) in enumerate(zip(spans, tree.labels, strict=True))
        ]
        below = []
        for word, node in tree.traces.items():
            antecedent = spans[node - 1][len(spans[node - 1]) // 2]
            if antecedent != word:
                below.append(Bracket(tuple(sorted((word, antecedent))), "", "enhanced", antecedent=antecedent))
        further = [lines for lines in (tree.functions, tree.tags) if lines]
        cells = [
            WordCell(form, tuple(lines[at] for lines in further), at in tree.heads[1], at in tree.words)
            for at, form in enumerate(tree.forms)
        ]
        right_to_left = runs_right_to_left(self.forms) if self.right_to_left is None else self.right_to_left
        return Bracketed(cells, brackets, below, right_to_left)

    def characters(self, width: int | None = None, colour: bool = False) -> str:
        """Return text; sideways if the tree is wider than `width` columns."""
        tree = _prepare(self, signs=True)
        tags = tree.wider_tags
        widths = [float(max(cell_width(form), cell_width(tag), 1)) for form, tag in zip(tree.forms, tags, strict=True)]
        labels = [max(cell_width(label), 1) for label in tree.labels]
        layout = lay_out_tree(widths, labels, self.parents, tree.phrases, _CELLS)
        if width is None or layout.width <= width:
            return _draw_text(tree, layout).text(colour) + "\n"
        # Sideways, the words are in the order of the sentence.
        return (
            _draw_sideways(_prepare(replace(self, right_to_left=False), signs=True), self.parents).text(colour) + "\n"
        )


@dataclass(frozen=True)
class ComparedPhrases(WrappedDrawing):
    """Phrases of a gold tree and of systems' over the same words, in one picture.

    trees: by system, the gold tree with the phrases that it misses marked, and its own with wrong ones marked. gold:
    the name of the gold tree. signs: what pictures name systems by.
    """

    gold: str
    trees: Mapping[str, tuple[PhraseTree, PhraseTree]]
    signs: Sequence[str] = SYSTEM_SIGNS

    @property
    def title(self) -> str:
        """The words."""
        return next(iter(self.trees.values()))[0].title

    def on_page(self, title: str) -> OnPage:
        """Return pictures for pages of all widths, with right phrases folded, and behind them those of all words."""
        whole = self.prepare()
        folded = wrapped_on_page(whole.folded(), title)
        if len(whole.folded().cells) == len(whole.cells):
            return folded
        further = wrapped_on_page(whole, title).elements
        return replace(folded, summary=f"All {len(whole.cells)} words", further=further)

    def prepare(self) -> Bracketed:
        """Return the words with the lines of gold above them, and those of systems that are wrong below.

        A missed phrase whose words a system has as a phrase of another label has that label behind its own, after `≠`.
        """
        whole = [(gold.prepare(), system.prepare()) for gold, system in self.trees.values()]
        base, signs = whole[0][0], self.signs[: len(whole)]
        above = list(base.above)
        wrong: dict[tuple[tuple[int, ...], str, int], list[int]] = {}
        missed: dict[int, list[int]] = {}
        relabelled: dict[int, dict[str, list[int]]] = {}
        for number, (gold, system) in enumerate(whole):
            by_words: dict[tuple[int, ...], list[int]] = {}
            for at, bracket in enumerate(gold.above):
                if bracket.mark:
                    by_words.setdefault(bracket.words, []).append(at)
            seen: dict[tuple[tuple[int, ...], str], int] = {}
            for bracket in system.above:
                if not bracket.mark:
                    continue
                if by_words.get(bracket.words):
                    at = by_words[bracket.words].pop(0)
                    relabelled.setdefault(at, {}).setdefault(f"≠ {bracket.label}", []).append(number)
                else:
                    copy = seen[bracket.words, bracket.label] = seen.get((bracket.words, bracket.label), -1) + 1
                    wrong.setdefault((bracket.words, bracket.label, copy), []).append(number)
            for at in itertools.chain.from_iterable(by_words.values()):
                missed.setdefault(at, []).append(number)

        for at in missed.keys() | relabelled.keys():
            said = [system_signs(missed.get(at, []), signs, spared=True)]
            said += [f"{label} {system_signs(of, signs)}".rstrip() for label, of in relabelled.get(at, {}).items()]
            mark = "missed" if at in missed else "mislabelled"
            above[at] = replace(above[at], mark=mark, other=" ".join(filter(None, said)))
        below = [Bracket(words, label, "wrong", system_signs(of, signs)) for (words, label, _), of in wrong.items()]
        return replace(base, above=above, below=below)

    def characters(self, width: int | None = None, colour: bool = False) -> str:
        """Return text: the gold tree and that of the system, one below the other, for every system."""
        return "\n".join(
            f"{name}\n{tree.characters(width, colour)}"
            for system, pair in self.trees.items()
            for name, tree in zip((self.gold, system), pair, strict=True)
        )


def find_phrase_words(parents: Sequence[int | None], phrases: Sequence[int | None]) -> list[tuple[int, ...]]:
    """Return the words of every phrase, from 0. Raises ValueError for what is no tree."""
    tree = _find_spans(parents, phrases)
    words: list[list[int]] = [list(of_phrase) for of_phrase in tree.words]
    for node in range(len(parents) - 1, -1, -1):
        for child in tree.phrases[node]:
            words[node] += words[child]
    return [tuple(sorted(of_phrase)) for of_phrase in words]


@dataclass(frozen=True)
class _PreparedTree:
    """A tree in printable texts, with words in display order and numbered from 0."""

    forms: list[str]
    tags: list[str]
    phrases: list[int | None]
    labels: list[str]
    highlights: Mapping[int, str]
    words: set[int]
    marks: Mapping[int, str]
    right_to_left: bool
    functions: list[str]
    traces: Mapping[int, int]
    heads: tuple[Collection[int], Collection[int]]

    @property
    def wider_tags(self) -> list[str]:
        """Of every word its tag or its function, whichever is wider; empty texts where it has neither."""
        tags, functions = (values or [""] * len(self.forms) for values in (self.tags, self.functions))
        return [max(pair, key=em_width) for pair in zip(tags, functions, strict=True)]

    def links(self, layout: TreeLayout) -> list[tuple[float, float]]:
        """Return where links from traces begin, and where those end: below the middle of the antecedent's words."""
        ends = []
        for word, node in self.traces.items():
            below, words = [node - 1], list[int]()
            while below:
                phrase = layout.phrases[below.pop()]
                words += phrase.words
                below += phrase.phrases
            ends.append((layout.centres[word], (layout.centres[min(words)] + layout.centres[max(words)]) / 2))
        return ends


def _prepare(tree: PhraseTree, *, signs: bool = False) -> _PreparedTree:
    """Validate a tree and prepare it for drawing. signs: with mark signs before labels. Raises ValueError."""
    lists = {"phrases": tree.phrases, "tags": tree.tags or tree.forms, "functions": tree.functions or tree.forms}
    for name, values in lists.items():
        if len(values) != len(tree.forms):
            raise ValueError(f"{len(tree.forms)} forms, but {len(values)} {name}")
    antecedents = tree.traces.values()
    nodes_by_role = {
        "phrase": tree.phrases,
        "highlight": tree.highlights,
        "mark": tree.marks,
        "antecedent": antecedents,
    }
    for name, nodes in nodes_by_role.items():
        for at in nodes:
            if at is not None and not 1 <= at <= len(tree.labels):
                raise ValueError(f"{name} {at}: the tree has {len(tree.labels)} phrases")
    check_marks(tree.marks.values())
    right_to_left = runs_right_to_left(tree.forms) if tree.right_to_left is None else tree.right_to_left
    forms = [_with_name(form, tree.words.get(at)) for at, form in enumerate(tree.forms, 1)]
    if right_to_left and signs:
        forms = [mirrored(form) for form in forms]
    order = list(range(len(forms)))[:: -1 if right_to_left else 1]
    labels = [_with_name(label or "", tree.highlights.get(at)) for at, label in enumerate(tree.labels, 1)]
    if signs:
        labels = [SIGNS.get(tree.marks.get(at, ""), "") + label for at, label in enumerate(labels, 1)]
    tags, functions = (values if values is not None and any(values) else () for values in (tree.tags, tree.functions))
    return _PreparedTree(
        [forms[at] for at in order],
        [printable(tags[at] or "") for at in order] if tags else [],
        [tree.phrases[at] for at in order],
        labels,
        tree.highlights,
        {order.index(at - 1) for at in tree.words},
        tree.marks,
        right_to_left,
        [printable(functions[at] or "") for at in order] if functions else [],
        {order.index(word - 1): node for word, node in tree.traces.items()},
        ({node - 1 for node in tree.heads[0]}, {order.index(word - 1) for word in tree.heads[1]}),
    )


def _with_name(text: str, name: str | None) -> str:
    """Return a printable text, with its name before it."""
    return printable(f"{name}: {text}" if name else text)


def _draw_text(tree: _PreparedTree, layout: TreeLayout) -> Canvas:
    """Draw a tree in characters, phrases above the words."""
    canvas = Canvas()
    foot = 2 * layout.levels
    bars = []
    for node, phrase in enumerate(layout.phrases, 1):
        label, mark = tree.labels[node - 1], tree.marks.get(node, "")
        row, stem = foot - 2 * phrase.level, int(phrase.x)
        below = [(int(layout.phrases[child].x), foot - 2 * layout.phrases[child].level) for child in phrase.phrases]
        below += [(int(layout.centres[word]), foot) for word in phrase.words]
        for column, end in below:
            if column == stem:
                canvas.stem(column, row, end - 1, mark)
            else:
                canvas.stem(column, row + 1, end - 1, mark)
                canvas.across(row + 1, min(stem, column), max(stem, column), mark)
        bars.append(Bar(node, row + 1, below))
        canvas.stem(stem, row + 1, row, mark)
        canvas.write(row, int(phrase.left), label, "found" if node in tree.highlights else mark)
    for node, places in find_crossings(bars, layout).items():
        for x in places:
            canvas.cross(foot - 2 * layout.phrases[node - 1].level + 1, int(x))
    above = [values for values in (tree.functions, tree.tags) if values]
    for word, (x, form) in enumerate(zip(layout.centres, tree.forms, strict=True)):
        for lower, values in enumerate(above):
            canvas.centre(foot + lower, int(x), values[word], "faint")
        canvas.centre(foot + len(above), int(x), form, "found" if word in tree.words else "")
    links = stack_links((int(start), int(end)) for start, end in tree.links(layout))
    _write_links(canvas, links, foot + len(above) + 1)
    return canvas


def _write_links(canvas: Canvas, links: Sequence[tuple[float, float, int]], top: int) -> None:
    """Draw lines below the words from traces to their antecedents. top: the first row below the words."""
    for trace, end, row in links:
        for column in (int(trace), int(end)):
            canvas.stem(column, top + 1 + row, top, "enhanced")
            for left, right, other in links:
                if other < row and min(left, right) < column < max(left, right):
                    canvas.cross(top + 1 + other, column)
        canvas.across(top + 1 + row, int(min(trace, end)), int(max(trace, end)), "enhanced")


def _draw_sideways(tree: _PreparedTree, parents: Sequence[int | None]) -> Canvas:
    """Draw a tree sideways; words get their positions if they are not in order."""
    canvas = Canvas()
    firsts: dict[int, int] = {}
    for word, up in enumerate(tree.phrases):
        while up is not None and up not in firsts:
            firsts[up] = word
            up = parents[up - 1]
    below: dict[int | None, list[tuple[int, int, int]]] = {}
    for node, up in enumerate(parents, 1):
        below.setdefault(up, []).append((firsts[node], 0, node))
    for word, up in enumerate(tree.phrases):
        below.setdefault(up, []).append((word, 1, word))
    order: list[tuple[int, int, int, int]] = []
    waiting = [(0, child) for child in sorted(below.get(None, []), reverse=True)]
    while waiting:
        depth, (_, kind, at) = waiting.pop()
        order.append((len(order), depth, kind, at))
        if kind == 0:
            waiting += [(depth + 1, child) for child in sorted(below.get(at, []), reverse=True)]
    words = [at for _, _, kind, at in order if kind]
    in_order = words == sorted(words)
    last: dict[int, int] = {}  # by depth, the row of the parent
    for row, depth, kind, at in order:
        if depth:
            canvas.stem(2 * depth - 2, row, last[depth - 1])
            canvas.across(row, 2 * depth - 2, 2 * depth - 1, open_at="right")
        if kind:
            tag = f"{tree.tags[at]} " if tree.tags and tree.tags[at] else ""
            form = tree.forms[at] if in_order else f"{at + 1} {tree.forms[at]}"
            canvas.write(row, 2 * depth, tag, "faint")
            canvas.write(row, 2 * depth + cell_width(tag), form, "found" if at in tree.words else "")
        else:
            last[depth] = row
            label = tree.labels[at - 1] or "╮"
            canvas.write(row, 2 * depth, label, "found" if at in tree.highlights else tree.marks.get(at, ""))
    return canvas


@dataclass(frozen=True)
class Bar:
    """A bar above the children of a phrase, at a height; and the lines down to them, each by x and its lower end."""

    node: int
    height: float
    lines: Sequence[tuple[float, float]]


def find_crossings(bars: Sequence[Bar], layout: TreeLayout) -> dict[int, list[float]]:
    """Return by node the places where lines to children of other phrases cross its bar. Heights grow downwards."""
    crossings: dict[int, list[float]] = {}
    for bar in bars:
        ends = [*(x for x, _ in bar.lines), layout.phrases[bar.node - 1].x]
        left, right = min(ends), max(ends)
        for other in bars:
            if other.node != bar.node and other.height < bar.height:
                crossed = [x for x, end in other.lines if left < x < right and end > bar.height]
                crossings.setdefault(bar.node, []).extend(crossed)
    return {node: sorted(set(places)) for node, places in crossings.items() if places}


def stack_links(links: Iterable[tuple[float, float]]) -> list[tuple[float, float, int]]:
    """Return links below the words with the row of each, from 0, such that none in a row overlap. Short ones first."""
    placed = sorted(links, key=lambda ends: (abs(ends[0] - ends[1]), ends))
    rows = stack_spans([(min(ends), max(ends)) for ends in placed])
    return [(start, end, row) for (start, end), row in zip(placed, rows, strict=True)]


_MAX_SHIFT = 8
"""Maximum number of pixels by which a phrase is shifted to be straight above one of its children."""

_LABEL_MARGIN = 1
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
    word_widths = list(widths)
    for label, (first, last) in zip(labels, tree.spans, strict=True):
        if first == last:
            word_widths[first] = max(word_widths[first], label)
    gaps = [ruler.gap] * len(word_widths)
    for node in sorted(range(len(labels)), key=lambda node: tree.spans[node][1] - tree.spans[node][0]):
        first, last = tree.spans[node]
        ruler.widen(gaps, first, last, labels[node] - sum(word_widths[first : last + 1]) - sum(gaps[first:last]))
    levels = _find_levels(tree)
    for _ in range(_MAX_TRIALS):
        starts = [0.0, *itertools.accumulate(width + gap for width, gap in zip(word_widths, gaps, strict=True))]
        bounds = [(start, start + width) for start, width in zip(starts, word_widths, strict=False)]
        placed, lacking = _place(tree, labels, (parents, phrases), levels, bounds, ruler)
        if not lacking:
            break
        for gap, width in lacking.items():
            gaps[gap] += width
    centres = [start + ruler.middle(end - start) for start, end in bounds]
    return TreeLayout(centres, [placed[node] for node in range(len(labels))], bounds[-1][1] if bounds else 0)


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
    placed: dict[int, PlacedPhrase] = {}
    lacking: dict[int, float] = {}
    for node in sorted(range(len(labels)), key=lambda node: levels[node]):
        first, last = tree.spans[node]
        below = [centres[word] for word in tree.words[node]] + [placed[child].x for child in tree.phrases[node]]
        centre = (min(below) + max(below)) / 2 if not ruler.cells else (min(below) + max(below)) // 2
        nearest = min((abs(x - centre), x) for x in below)[1]
        if abs(nearest - centre) <= (1 if ruler.cells else _MAX_SHIFT):
            centre = nearest
        passing: list[float] = []
        if not tree.continuous:
            passing = [centres[at] for at, up in enumerate(phrases) if up is not None and levels[up - 1] > levels[node]]
            passing += [
                placed[child].x
                for child, up in enumerate(parents)
                if up is not None and levels[child] < levels[node] < levels[up - 1]
            ]
        left, narrow = _label_start(centre, labels[node], bounds[first][0], bounds[last][1], passing, ruler)
        if narrow is not None and first < last:
            middle, width = narrow
            gap = min(range(first, last), key=lambda at: abs(bounds[at][1] + bounds[at + 1][0] - 2 * middle))
            lacking[gap] = max(lacking.get(gap, 0), width)
        x = left + ruler.middle(labels[node])
        placed[node] = PlacedPhrase(levels[node], x, left, tuple(tree.phrases[node]), tuple(tree.words[node]))
    return placed, lacking


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
    centre: float, width: float, left: float, right: float, passing: Sequence[float], ruler: Ruler
) -> tuple[float, tuple[float, float] | None]:
    """Return the left end of a label, as near as possible to the wanted centre, such that it hides no passing line.

    If there is no such place, return also the middle of the one that is nearly wide enough, and the width it lacks.
    """
    start = centre - ruler.middle(width)
    before, behind = (2, 1) if ruler.cells else (0, 0)  # a line is in a cell, and a blank beside it
    stops = [left, *(x for x in sorted(passing) if left < x < right), right]
    places = [
        (a + before * (at > 0), b - behind * (at < len(stops) - 2))
        for at, (a, b) in enumerate(itertools.pairwise(stops))
    ]
    starts = [min(max(start, a), b - width) for a, b in places if b - a >= width]
    if starts:
        return min(starts, key=lambda x: abs(x - start)), None
    a, b = max(places, key=lambda place: place[1] - place[0])
    lacking = width - (b - a)
    return min(max(start, left), right - width), ((a + b) / 2, lacking if ruler.cells else lacking + _LABEL_MARGIN)
