"""Dependency trees: arcs above the words, as SVG and as text for the terminal.

    Tree(["Ann", "drinks", "tea"], [2, 0, 2], ["nsubj", "root", "obj"]).svg()

Arcs below the words are a second graph over the same words: a system's tree, or enhanced dependencies.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from treesql.drawing.arcs import Arc, Row, Segment, label_centre
from treesql.drawing.canvas import Canvas
from treesql.drawing.dependency_pictures import PreparedTree
from treesql.drawing.measures import Ruler, mirrored, printable, runs_right_to_left
from treesql.drawing.svg import SIGNS, SYSTEM_SIGNS, WrappedDrawing, check_marks, system_signs
from treesql.drawing.wrapping import WrappedArcs
from treesql.results.tables import cell_width


@dataclass(frozen=True)
class Tree(WrappedDrawing):
    """A dependency tree. All positions are 1-based.

    heads: 0 for a root, None for a word without a head. relations: to the heads. upos: shown below the words.
    highlights: positions of highlighted words, each with a name to show below it, or ``. marks: positions of dependents
    whose edge is not plain, each with its mark (see arcs.Arc); in text, wrong and missed edges have a cross before
    their relation, mislabelled ones `≠`. below: arcs below the words. tokens: first and last word and form of each
    multiword token. empty: positions of empty nodes. notes: tooltips of words. right_to_left: the direction of the
    words; inferred from the forms if None. numbers, links: short texts above and below the words, in text drawings.
    Raises ValueError if lists differ in length, a position does not exist, or a mark is unknown.
    """

    forms: Sequence[str]
    heads: Sequence[int | None]
    relations: Sequence[str | None]
    upos: Sequence[str | None] | None = None
    highlights: Mapping[int, str] = field(default_factory=dict)
    marks: Mapping[int, str] = field(default_factory=dict)
    below: Sequence[Arc] = ()
    tokens: Sequence[tuple[int, int, str]] = ()
    empty: Collection[int] = ()
    notes: Mapping[int, str] = field(default_factory=dict)
    right_to_left: bool | None = None
    numbers: Sequence[str] = ()
    links: Sequence[str] = ()

    @property
    def title(self) -> str:
        """The words."""
        return " ".join(self.forms)

    def prepare(self) -> PreparedTree:
        """Validate the tree and prepare its pictures. An arc below the words that is above them, too, is drawn once.

        Raises ValueError.
        """
        return prepare([self])

    def characters(self, width: int | None = None, colour: bool = False, *, turned: bool = False) -> str:
        """Return text, with rows of at most `width` columns. turned: with the arcs below the words."""
        tree = _prepare(self, signs=True)
        if turned:
            tree = with_arcs_below(tree)
        rows = WrappedArcs(
            cell_widths(tree), tree.above, tree.below, CELLS, width, tree.right_to_left, tree.inside
        ).rows()
        return "\n\n".join(draw_text_row(row, tree).text(colour) for row in rows) + "\n"


@dataclass(frozen=True)
class ComparedTrees(WrappedDrawing):
    """The trees of several systems in one picture: each is that of gold, with the system's arcs below.

    trees: by system, with the same words and the same heads. signs: what pictures name systems by.
    """

    trees: Mapping[str, Tree]
    signs: Sequence[str] = SYSTEM_SIGNS

    @property
    def title(self) -> str:
        """The words."""
        return next(iter(self.trees.values())).title

    def prepare(self) -> PreparedTree:
        """Validate the trees and prepare their pictures. Raises ValueError."""
        return prepare(list(self.trees.values()), self.signs)

    def characters(self, width: int | None = None, colour: bool = False) -> str:
        """Return text: a tree per system."""
        return "\n".join(f"{name}\n{tree.characters(width, colour)}" for name, tree in self.trees.items())


def prepare(trees: Sequence[Tree], signs: Sequence[str] = SYSTEM_SIGNS) -> PreparedTree:
    """Validate and combine trees of the same words with the same heads, whose arcs below are those of several systems.

    An arc below that is also above is left out: it is right. Another relation is written behind that of gold, after
    `≠`, or after `~` if it is not counted as wrong. Raises ValueError.
    """
    whole = [_prepare(tree) for tree in trees]
    signs = signs[: len(whole)]
    missed: dict[int, list[int]] = {}
    others: dict[int, dict[str, list[int]]] = {}
    below: dict[Arc, list[int]] = {}
    for at, tree in enumerate(whole):
        above = {(arc.head, arc.dependent): arc for arc in tree.above}
        for arc in tree.above:
            if arc.mark == "missed":
                missed.setdefault(arc.dependent, []).append(at)
        for arc in tree.below:
            twin = above.get((arc.head, arc.dependent))
            if twin is None or arc.mark not in ("", "mislabelled"):
                below.setdefault(arc, []).append(at)
            elif twin.relation != arc.relation:
                other = f"{'≠' if arc.mark else '~'} {arc.relation}"
                others.setdefault(arc.dependent, {}).setdefault(other, []).append(at)

    def combined(arc: Arc) -> Arc:
        if arc.dependent not in missed and arc.dependent not in others:
            return arc
        by = missed.get(arc.dependent, [])
        said = [
            f"{other} {system_signs(systems, signs)}".rstrip()
            for other, systems in others.get(arc.dependent, {}).items()
        ]
        mark = "missed" if by else "mislabelled" if any("≠" in other for other in said) else arc.mark
        return replace(arc, mark=mark, other=" ".join(filter(None, [system_signs(by, signs, spared=True), *said])))

    return replace(
        whole[0],
        above=[combined(arc) for arc in whole[0].above],
        below=[replace(arc, other=system_signs(systems, signs)) for arc, systems in below.items()],
    )


def with_arcs_below(tree: PreparedTree) -> PreparedTree:
    """Return the tree with its arcs below the words."""
    return replace(tree, above=[], below=tree.above)


def _prepare(tree: Tree, *, signs: bool = False) -> PreparedTree:
    """Validate a tree and prepare it for drawing. signs: with mark signs before relations. Raises ValueError."""

    def shown(arc: Arc) -> Arc:
        sign = SIGNS.get(arc.mark, "") if signs else ""
        return Arc(arc.head, arc.dependent, sign + printable(arc.relation), arc.mark)

    _check(tree)
    edges = zip(tree.forms, tree.heads, tree.relations, strict=True)
    above = [
        Arc(head, at, relation or "_", tree.marks.get(at, ""))
        for at, (_, head, relation) in enumerate(edges, 1)
        if head is not None
    ]
    right_to_left = runs_right_to_left(tree.forms) if tree.right_to_left is None else tree.right_to_left
    forms = [printable(form) for form in tree.forms]
    if signs and right_to_left:
        forms = [mirrored(form) for form in forms]
    return PreparedTree(
        forms,
        [printable(tag or "") for tag in tree.upos] if tree.upos is not None and any(tree.upos) else [],
        {at: printable(name) for at, name in tree.highlights.items()},
        [(first, last, printable(form)) for first, last, form in tree.tokens],
        frozenset(tree.empty),
        tree.notes,
        [shown(arc) for arc in above],
        [shown(arc) for arc in tree.below],
        right_to_left,
        tree.numbers,
        tree.links,
    )


def _check(tree: Tree) -> None:
    """Raise ValueError if a position does not exist, lists differ in length, or a mark is unknown."""
    n = len(tree.forms)
    for name, values in (("heads", tree.heads), ("relations", tree.relations), ("upos", tree.upos)):
        if values is not None and len(values) != n:
            raise ValueError(f"{n} forms, but {len(values)} {name}")
    positions_by_role = {
        "head": [head for head in tree.heads if head],
        "head below": [arc.head for arc in tree.below if arc.head],
        "dependent below": [arc.dependent for arc in tree.below],
        "highlight": tree.highlights,
        "mark": tree.marks,
        "empty node": tree.empty,
        "first word of a token": [first for first, _, _ in tree.tokens],
        "last word of a token": [last for _, last, _ in tree.tokens],
    }
    for name, positions in positions_by_role.items():
        for at in positions:
            if not 1 <= at <= n:
                raise ValueError(f"{name} {at}: the sentence has {n} words")
    check_marks([*tree.marks.values(), *(arc.mark for arc in tree.below)])


CELLS = Ruler(label=lambda text: cell_width(text) + 3, gap=1, cells=True)


def cell_widths(tree: PreparedTree) -> list[float]:
    """Return the widths of the words, wide enough for their forms, tags, names, tokens, labels and arcs."""
    widths = [max(cell_width(_word_text(tree, at)), 1) for at in range(1, len(tree.forms) + 1)]
    for at, tag in enumerate(tree.upos):
        widths[at] = max(widths[at], cell_width(tag))
    for line in (tree.numbers, tree.links):
        for at, short in enumerate(line):
            widths[at] = max(widths[at], cell_width(short))
    for at, name in tree.highlights.items():
        widths[at - 1] = max(widths[at - 1], cell_width(name) + 2)
    for arc in (*tree.above, *tree.below):
        if arc.head in (0, arc.dependent):
            widths[arc.dependent - 1] = max(widths[arc.dependent - 1], cell_width(arc.relation) + (arc.head > 0))
        else:
            # An incoming arc needs a cell on each side for outgoing arcs.
            widths[arc.head - 1] = max(widths[arc.head - 1], 3)
    for first, last, form in tree.tokens:
        lacking = cell_width(form) + 2 - sum(widths[first - 1 : last]) - (last - first)
        for at in range(first - 1, last):
            widths[at] += -(-max(lacking, 0) // (last - first + 1))
    return [float(width) for width in widths]


def draw_text_row(row: Row, tree: PreparedTree) -> Canvas:
    """Draw a row in characters."""
    canvas = Canvas()
    top = row.levels("above") + 1 if row.above else 1 if tree.numbers else 0
    below = top + 1
    places = {word + 1: at for at, word in enumerate(row.words)}
    centres = [int(centre) for centre in row.centres]
    for at, centre in zip(places, centres, strict=True):
        style = "found" if at in tree.highlights else "faint" if at in tree.empty else ""
        canvas.centre(top, centre, _word_text(tree, at), style)
    for line in (tree.upos, tree.links):
        for at, centre in zip(places, centres, strict=True):
            if line:
                canvas.centre(below, centre, line[at - 1], "faint")
        below += bool(line)
    for at, centre in zip(places, centres, strict=True):
        if tree.numbers:
            canvas.centre(top - 1, centre, tree.numbers[at - 1], "faint")
    tokens = [token for token in tree.tokens if any(at in places for at in range(token[0], token[1] + 1))]
    widths = cell_widths(tree) if tokens else []
    for first, last, form in tokens:
        columns = [places[at] for at in range(first, last + 1) if at in places]
        left, right = centres[min(columns)], centres[max(columns)]
        begin = left - int(CELLS.middle(widths[row.words[min(columns)]]))
        end = right - int(CELLS.middle(widths[row.words[max(columns)]])) + int(widths[row.words[max(columns)]])
        wide = max(right - left + 1, cell_width(form) + 2)
        left = min(max((left + right + 1 - wide) // 2, begin), end - wide)
        right = left + wide - 1
        canvas.across(below, left, right)
        canvas.write(below, left, "└")
        canvas.write(below, right, "┘")
        canvas.write(below, (left + right + 1 - cell_width(form)) // 2, form)
    below += bool(tokens)
    matched = {at: name for at, name in tree.highlights.items() if at in places}
    for at, name in matched.items():
        wide = max(cell_width(_word_text(tree, at)), cell_width(name) + 2 if name else 1)
        canvas.centre(below, centres[places[at]], "═" * wide, "found")
        canvas.centre(below, centres[places[at]], name, "found")
    below += bool(matched)
    _draw_text_arcs(canvas, row.above, row, top, -1)
    _draw_text_arcs(canvas, row.below, row, below - 1, 1)
    return canvas


def _draw_text_arcs(canvas: Canvas, segments: Sequence[Segment], row: Row, edge: int, side: int) -> None:
    """Draw arcs on one side of the row `edge`: -1 above, 1 below. Marked arcs are drawn last, over the others."""
    tips = []
    for segment in sorted(segments, key=lambda segment: segment.arc.mark):
        mark = segment.arc.mark
        style = "" if mark == "mislabelled" else mark
        start, end = int(segment.start), int(segment.end) - (segment.right == len(row.words))
        height = edge + side * (segment.level + 1)
        foot = edge + side
        comes, goes = segment.left < 0, segment.right == len(row.words)
        if not comes:
            canvas.stem(start, height, foot, style)
        if not goes:
            canvas.stem(end, height, foot, style)
        canvas.across(height, start, end, style, open_at="left" * comes + "right" * goes)
        if segment.dependent:
            tips.append((start if segment.dependent == "left" else end, style))
    for segment in segments:
        height = edge + side * (segment.level + 1)
        centre = int(label_centre(segment, segments, CELLS))
        canvas.centre(height, centre, segment.arc.relation, segment.arc.mark)
    for tip, style in tips:
        canvas.write(edge + side, tip, "▼" if side < 0 else "▲", style)


def _word_text(tree: PreparedTree, at: int) -> str:
    """Return the text of a word in the terminal."""
    form = tree.forms[at - 1]
    return f"({form})" if at in tree.empty else form
