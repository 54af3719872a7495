"""Dependency trees: arcs above the words, as SVG and as text for the terminal.

    svg(["Ann", "drinks", "tea"], [2, 0, 2], ["nsubj", "root", "obj"])

Arcs below the words are a second graph over the same words: a system's tree, or enhanced dependencies.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from treesql.drawing import arcs, dependency_svg, dependency_text
from treesql.drawing.arcs import Arc
from treesql.drawing.dependency_svg import MARGIN, PIXELS
from treesql.drawing.dependency_text import CELLS
from treesql.drawing.measures import mirrored, printable, runs_right_to_left, xml
from treesql.drawing.prepared_trees import PreparedTree, with_arcs_below
from treesql.drawing.svg import SIGNS, Picture, check_marks, stroke

WIDTH = 1000
"""Maximum width of a row of words, in pixels."""

_ROW_GAP = 22  # between rows of words
_LINK_HEIGHT = 70  # between the words of two trees


def svg(
    forms: Sequence[str],
    heads: Sequence[int | None],
    relations: Sequence[str | None],
    *,
    upos: Sequence[str | None] | None = None,
    highlights: Mapping[int, str] | None = None,
    marks: Mapping[int, str] | None = None,
    below: Sequence[Arc] = (),
    tokens: Sequence[tuple[int, int, str]] = (),
    empty: Collection[int] = (),
    notes: Mapping[int, str] | None = None,
    title: str = "",
    right_to_left: bool | None = None,
    width: float | None = WIDTH,
    standalone: bool = False,
) -> str:
    """Return an SVG element with a tree; the same arguments give the same bytes. All positions are 1-based.

    heads: 0 for a root, None for a word without a head. relations: to the heads. upos: shown below the words.
    highlights: positions of highlighted words, each with a name to show below it, or ``. marks: positions of dependents
    whose edge is not plain, each with its mark (see arcs.Arc). below: arcs below the words. tokens: first and last word
    and form of each multiword token. empty: positions of empty nodes. notes: tooltips of words. title: for screen
    readers; the forms if omitted. right_to_left: the direction of the words; inferred from the forms if None. width: of
    a row in pixels; longer sentences are broken into rows, None for never. standalone: for a file of its own, with
    colours that follow the viewer's light or dark scheme; otherwise the drawing uses the page's text colour. Raises
    ValueError if lists differ in length, a position does not exist, or a mark is unknown.
    """
    tree = Tree(
        forms, heads, relations, upos, highlights or {}, marks or {}, below, tokens, empty, notes or {}, right_to_left
    )
    return tree.picture(width).svg(title or " ".join(forms), standalone=standalone)


def text(
    forms: Sequence[str],
    heads: Sequence[int | None],
    relations: Sequence[str | None],
    *,
    upos: Sequence[str | None] | None = None,
    highlights: Mapping[int, str] | None = None,
    marks: Mapping[int, str] | None = None,
    below: Sequence[Arc] = (),
    tokens: Sequence[tuple[int, int, str]] = (),
    empty: Collection[int] = (),
    right_to_left: bool | None = None,
    width: int | None = None,
    colour: bool = False,
) -> str:
    """Return the tree as text. Wrong and missed edges have a cross before their relation, mislabelled ones `≠`.

    width: columns of a row; longer sentences are broken into rows, None for never. colour: with the escape codes of a
    colour terminal. The terminal itself reverses the letters of right-to-left words; zero-width marks keep the words in
    place. Raises ValueError as `svg` does.
    """
    tree = Tree(forms, heads, relations, upos, highlights or {}, marks or {}, below, tokens, empty, {}, right_to_left)
    return tree.characters(width, colour)


@dataclass(frozen=True)
class Tree:
    """Content of a drawing; see `svg`. numbers, links: short texts above and below the words, in text drawings."""

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

    def picture(self, width: float | None = WIDTH) -> Picture:
        """Return a picture, with rows of at most `width` pixels."""
        given = _prepare(self)
        limit = None if width is None else width - 2 * MARGIN
        parts: list[str] = []
        top, widest = float(MARGIN), 0.0
        widths = dependency_svg.pixel_widths(given)
        for row in arcs.lay_out_rows(
            widths, given.above, given.below, PIXELS, limit, given.right_to_left, given.inside
        ):
            top = dependency_svg.draw_row(row, given, top, parts) + _ROW_GAP
            widest = max(widest, row.width)
        return Picture(dependency_svg.with_margin(parts), widest + 2 * MARGIN, top - _ROW_GAP + MARGIN)

    def characters(self, width: int | None = None, colour: bool = False, *, turned: bool = False) -> str:
        """Return text, with rows of at most `width` columns. turned: with the arcs below the words."""
        given = _prepare(self, signs=True)
        if turned:
            given = with_arcs_below(given)
        widths = dependency_text.cell_widths(given)
        rows = arcs.lay_out_rows(widths, given.above, given.below, CELLS, width, given.right_to_left, given.inside)
        return "\n\n".join(dependency_text.draw_row(row, given).text(colour) for row in rows) + "\n"


def facing(tree: Tree, other: Tree, links: Sequence[tuple[int, int, str]]) -> Picture:
    """Draw two trees, one with arcs above and one with arcs below, and lines between words: first, second, mark."""
    upper, lower = _prepare(tree), with_arcs_below(_prepare(other))
    [row] = arcs.lay_out_rows(dependency_svg.pixel_widths(upper), upper.above, (), PIXELS, None, upper.right_to_left)
    [below] = arcs.lay_out_rows(dependency_svg.pixel_widths(lower), (), lower.below, PIXELS, None, lower.right_to_left)
    before, after = row.word_centres(), below.word_centres()
    aside = [after[second] - before[first] for first, second, _ in links]
    # Align linked words as vertically as possible.
    slope = sum(aside) / len(aside) if aside else (below.width - row.width) / 2
    row.shift(max(slope, 0))
    below.shift(max(-slope, 0))
    widest = max(row.width, below.width)
    parts: list[str] = []
    start = dependency_svg.draw_row(row, upper, MARGIN, parts)
    end = start + _LINK_HEIGHT
    bottom = dependency_svg.draw_row(below, lower, end, parts)
    before, after = row.word_centres(), below.word_centres()
    for first, second, mark in links:
        a, b, half = before[first], after[second], (start + end) / 2
        tooltip = xml(f"{upper.forms[first - 1]} ~ {lower.forms[second - 1]}")
        parts.append(
            f'<path {stroke(mark)} d="M{a:.1f} {start + 2:g}C{a:.1f} {half:g} {b:.1f} {half:g} {b:.1f} {end - 1:g}">'
            f"<title>{tooltip}</title></path>"
        )
    return Picture(dependency_svg.with_margin(parts), widest + 2 * MARGIN, bottom + MARGIN)


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
    turned = runs_right_to_left(tree.forms) if tree.right_to_left is None else tree.right_to_left
    forms = [printable(form) for form in tree.forms]
    if signs and turned:
        # A terminal reverses the words of a right-to-left script, but not isolated brackets.
        forms = [form if any(map(str.isalnum, form)) else mirrored(form) for form in forms]
    return PreparedTree(
        forms,
        [printable(tag or "") for tag in tree.upos] if tree.upos is not None and any(tree.upos) else [],
        {at: printable(name) for at, name in tree.highlights.items()},
        [(first, last, printable(form)) for first, last, form in tree.tokens],
        frozenset(tree.empty),
        tree.notes,
        [shown(arc) for arc in above],
        [shown(arc) for arc in tree.below],
        turned,
        tree.numbers,
        tree.links,
    )


def _check(tree: Tree) -> None:
    """Raise ValueError if a position does not exist, lists differ in length, or a mark is unknown."""
    n = len(tree.forms)
    for name, values in (("heads", tree.heads), ("relations", tree.relations), ("upos", tree.upos)):
        if values is not None and len(values) != n:
            raise ValueError(f"{n} forms, but {len(values)} {name}")
    named = {
        "head": [head for head in tree.heads if head],
        "head below": [arc.head for arc in tree.below if arc.head],
        "dependent below": [arc.dependent for arc in tree.below],
        "highlight": tree.highlights,
        "mark": tree.marks,
        "empty node": tree.empty,
        "first word of a token": [first for first, _, _ in tree.tokens],
        "last word of a token": [last for _, last, _ in tree.tokens],
    }
    for name, positions in named.items():
        for at in positions:
            if not 1 <= at <= n:
                raise ValueError(f"{name} {at}: the sentence has {n} words")
    check_marks([*tree.marks.values(), *(arc.mark for arc in tree.below)])
