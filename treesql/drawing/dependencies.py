"""Dependency trees: arcs above the words, as SVG and as text for the terminal.

    Tree(["Ann", "drinks", "tea"], [2, 0, 2], ["nsubj", "root", "obj"]).svg()

Arcs below the words are a second graph over the same words: a system's tree, or enhanced dependencies.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from treesql.drawing import arcs
from treesql.drawing.arcs import Arc, Row, Segment
from treesql.drawing.canvas import Canvas
from treesql.drawing.measures import Ruler, em_width, mirrored, printable, runs_right_to_left, xml
from treesql.drawing.svg import COLOURS, HIGHLIGHT, SIGNS, WIDTH, Drawing, Picture, check_marks, stroke
from treesql.results.tables import cell_width

_ROW_GAP = 22  # between rows of words
_LINK_HEIGHT = 70  # between the words of two trees


@dataclass(frozen=True)
class Tree(Drawing):
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

    def picture(self, width: float | None = WIDTH) -> Picture:
        """Return a picture, with rows of at most `width` pixels."""
        tree = _prepare(self)
        limit = None if width is None else width - 2 * MARGIN
        parts: list[str] = []
        top, widest = float(MARGIN), 0.0
        widths = pixel_widths(tree)
        for row in arcs.lay_out_rows(widths, tree.above, tree.below, PIXELS, limit, tree.right_to_left, tree.inside):
            top = draw_svg_row(row, tree, top, parts) + _ROW_GAP
            widest = max(widest, row.width)
        return Picture(with_margin(parts), widest + 2 * MARGIN, top - _ROW_GAP + MARGIN)

    def characters(self, width: int | None = None, colour: bool = False, *, turned: bool = False) -> str:
        """Return text, with rows of at most `width` columns. turned: with the arcs below the words."""
        tree = _prepare(self, signs=True)
        if turned:
            tree = with_arcs_below(tree)
        widths = cell_widths(tree)
        rows = arcs.lay_out_rows(widths, tree.above, tree.below, CELLS, width, tree.right_to_left, tree.inside)
        return "\n\n".join(draw_text_row(row, tree).text(colour) for row in rows) + "\n"


def facing(tree: Tree, other: Tree, links: Sequence[tuple[int, int, str]]) -> Picture:
    """Draw two trees, one with arcs above and one with arcs below, and lines between words: first, second, mark."""
    upper, lower = _prepare(tree), with_arcs_below(_prepare(other))
    [row] = arcs.lay_out_rows(pixel_widths(upper), upper.above, (), PIXELS, None, upper.right_to_left)
    [below] = arcs.lay_out_rows(pixel_widths(lower), (), lower.below, PIXELS, None, lower.right_to_left)
    before, after = row.word_centres(), below.word_centres()
    aside = [after[second] - before[first] for first, second, _ in links]
    # Align linked words as vertically as possible.
    slope = sum(aside) / len(aside) if aside else (below.width - row.width) / 2
    row.shift(max(slope, 0))
    below.shift(max(-slope, 0))
    widest = max(row.width, below.width)
    parts: list[str] = []
    start = draw_svg_row(row, upper, MARGIN, parts)
    end = start + _LINK_HEIGHT
    bottom = draw_svg_row(below, lower, end, parts)
    before, after = row.word_centres(), below.word_centres()
    for first, second, mark in links:
        a, b, half = before[first], after[second], (start + end) / 2
        tooltip = xml(f"{upper.forms[first - 1]} ~ {lower.forms[second - 1]}")
        parts.append(
            f'<path {stroke(mark)} d="M{a:.1f} {start + 2:g}C{a:.1f} {half:g} {b:.1f} {half:g} {b:.1f} {end - 1:g}">'
            f"<title>{tooltip}</title></path>"
        )
    return Picture(with_margin(parts), widest + 2 * MARGIN, bottom + MARGIN)


@dataclass(frozen=True)
class PreparedTree:
    """A tree in printable texts."""

    forms: list[str]
    upos: list[str]
    highlights: Mapping[int, str]
    tokens: list[tuple[int, int, str]]
    empty: Collection[int]
    notes: Mapping[int, str]
    above: list[Arc]
    below: list[Arc]
    right_to_left: bool
    numbers: Sequence[str]
    links: Sequence[str]

    @property
    def inside(self) -> set[int]:
        """The words, from 0, that are inside a token, before which no row may break."""
        return {at for first, last, _ in self.tokens for at in range(first, last)}


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


MARGIN = 10
"""Pixels around a drawing."""

_SIZE, _SMALL = 16, 12  # font sizes
_STEP = 19  # from one level of arcs to the next
_STUB = 12  # from the words to the lowest level
_FORM, _LINE, _TOKEN = 22, 15, 20  # heights of the lines of a word

PIXELS = Ruler(label=lambda text: _SMALL * em_width(text) + 12, gap=12, fan=7)


def with_margin(parts: Iterable[str]) -> str:
    """Wrap elements in a group with the margin."""
    return f'<g text-anchor="middle" transform="translate({MARGIN} 0)">{"".join(parts)}</g>'


def pixel_widths(tree: PreparedTree) -> list[float]:
    """Return the widths of the words, wide enough for their forms, tags, names, tokens and root labels."""
    widths = [_SIZE * em_width(form) + (8 if at in tree.highlights else 2) for at, form in enumerate(tree.forms, 1)]
    for at, tag in enumerate(tree.upos):
        widths[at] = max(widths[at], 10 * em_width(tag))
    for at, name in tree.highlights.items():
        widths[at - 1] = max(widths[at - 1], _SMALL * em_width(name))
    for arc in (*tree.above, *tree.below):
        if arc.head in (0, arc.dependent):
            widths[arc.dependent - 1] = max(
                widths[arc.dependent - 1], _SMALL * (em_width(arc.relation) + (arc.head > 0)) + 4
            )
    for first, last, form in tree.tokens:
        lacking = 13 * em_width(form) + 4 - sum(widths[first - 1 : last]) - PIXELS.gap * (last - first)
        for at in range(first - 1, last):
            widths[at] += max(lacking, 0) / (last - first + 1)
    return [math.ceil(width) + math.ceil(width) % 2 for width in widths]


def draw_svg_row(row: Row, tree: PreparedTree, top: float, parts: list[str]) -> float:
    """Append the SVG elements of a row that begins at `top`; return where it ends."""
    upper = top + (row.levels("above") * _STEP + _STUB if row.above else 0)
    baseline = upper + 16
    lower = upper + _FORM
    direction = ' direction="rtl"' if tree.right_to_left else ""
    places = {word + 1: at for at, word in enumerate(row.words)}
    words = []
    for at, centre in zip(places, row.centres, strict=True):
        tooltip = _word_tooltip(tree.notes.get(at))
        form = f'<text x="{centre:g}" y="{baseline:g}">{tooltip}{xml(tree.forms[at - 1])}</text>'
        if at in tree.highlights:
            wide = _SIZE * em_width(tree.forms[at - 1]) + 8
            form = (
                f'<rect x="{centre - wide / 2:.1f}" y="{upper:g}" width="{wide:.1f}" height="{_FORM}" rx="4" '
                f"{HIGHLIGHT}/>{form}"
            )
        if at in tree.empty:
            form = f'<g font-style="italic" fill-opacity="0.65">{form}</g>'
        words.append(form)
    parts.append(f'<g font-size="{_SIZE}"{direction}>{"".join(words)}</g>')
    if tree.upos:
        tags = [
            f'<text x="{centre:g}" y="{lower + 10:g}">{xml(tree.upos[at - 1])}</text>'
            for at, centre in zip(places, row.centres, strict=True)
        ]
        parts.append(f'<g font-size="10" fill-opacity="0.7">{"".join(tags)}</g>')
        lower += _LINE
    tokens = [token for token in tree.tokens if any(at in places for at in range(token[0], token[1] + 1))]
    if tokens:
        parts.append(f'<g font-size="13"{direction}>')
        for first, last, form in tokens:
            columns = [places[at] for at in range(first, last + 1) if at in places]
            start, end = _extent(row, tree, min(columns), max(columns))
            parts.append(
                f'<path d="M{start:.1f} {lower + 1:g}v3H{end:.1f}v-3" {stroke("")}/>'
                f'<text x="{(start + end) / 2:.1f}" y="{lower + 16:g}">{xml(form)}</text>'
            )
        parts.append("</g>")
        lower += _TOKEN
    names = {at: name for at, name in tree.highlights.items() if name and at in places}
    if names:
        name_texts = [
            f'<text x="{row.centres[places[at]]:g}" y="{lower + 11:g}">{xml(name)}</text>' for at, name in names.items()
        ]
        parts.append(
            f'<g font-size="{_SMALL}" font-weight="bold" fill="{COLOURS["matched"]}">{"".join(name_texts)}</g>'
        )
        lower += _LINE
    lower += 2
    _draw_svg_arcs(row.above, row, tree, upper - 1, -1, parts)
    _draw_svg_arcs(row.below, row, tree, lower + 1, 1, parts)
    return lower + (row.levels("below") * _STEP + _STUB if row.below else 0)


def _draw_svg_arcs(
    segments: Sequence[Segment], row: Row, tree: PreparedTree, edge: float, side: int, parts: list[str]
) -> None:
    """Append arcs on one side: -1 above, 1 below. edge: the height at which they touch the words."""
    by_mark: dict[str, list[Segment]] = {}
    for segment in segments:
        by_mark.setdefault(segment.arc.mark, []).append(segment)
    for mark, marked in sorted(by_mark.items()):
        lines, heads, labels = [], [], []
        for segment in marked:
            arc = segment.arc
            height = edge + side * (_STUB + (segment.level - 1) * _STEP)
            tooltip = f"<title>{xml(_edge_tooltip(arc, tree.forms))}</title>"
            lines.append(f'<path d="{_arc_path(segment, row, edge, height, side)}">{tooltip}</path>')
            if segment.dependent:
                tip = segment.start if segment.dependent == "left" else segment.end
                heads.append(f"M{tip:.1f} {edge:g}l-3.5 {side * 7}h7z")
            baseline = height - 4 if side < 0 else height + 12
            middle = _keep_inside(segment.label, _SMALL * em_width(arc.relation) / 2, row.width)
            labels.append(f'<text x="{middle:.1f}" y="{baseline:g}">{tooltip}{xml(arc.relation)}</text>')
        colour = f' fill="{COLOURS[mark]}"' if mark else ""
        arrows = f' fill-opacity="0.8" d="{"".join(heads)}"'
        parts.append(
            f"<g {stroke(mark)}>{''.join(lines)}</g><path{colour if mark != 'mislabelled' else ''}{arrows}/>"
            f'<g font-size="{_SMALL}"{colour}>{"".join(labels)}</g>'
        )


def _keep_inside(middle: float, half: float, width: float) -> float:
    """Return the centre of a label that stays inside the picture: the arrow of a root may be at the edge of its
    word."""
    return max(min(middle, width + MARGIN - half), half - MARGIN)


def _arc_path(segment: Segment, row: Row, edge: float, height: float, side: int) -> str:
    """Return the path of an arc: its rise, its line and its fall, as far as the row shows them."""
    start, end = segment.start, segment.end
    if segment.left == segment.right:
        return f"M{start:.1f} {height:g}V{edge:g}"
    radius = min(8, (end - start) / 2, abs(edge - height))
    turn = height - side * radius
    rise = (
        f"M{start:.1f} {height:g}"
        if segment.left < 0
        else f"M{start:.1f} {edge:g}V{turn:g}q0 {side * radius:g} {radius:g} {side * radius:g}"
    )
    if segment.right == len(row.words):
        return f"{rise}H{end:.1f}"
    return f"{rise}H{end - radius:.1f}q{radius:g} 0 {radius:g} {-side * radius:g}V{edge:g}"


def _extent(row: Row, tree: PreparedTree, left: int, right: int) -> tuple[float, float]:
    """Return the left and right edge of the forms of adjacent words."""
    half = [_SIZE * em_width(tree.forms[row.words[at]]) / 2 for at in (left, right)]
    return row.centres[left] - half[0], row.centres[right] + half[1]


def _edge_tooltip(arc: Arc, forms: Sequence[str]) -> str:
    """Return the tooltip of an edge."""
    head = forms[arc.head - 1] + " → " if arc.head else ""
    return f"{head}{forms[arc.dependent - 1]}: {arc.relation}{f' ({arc.mark})' if arc.mark else ''}"


def _word_tooltip(note: str | None) -> str:
    """Return the tooltip of a word, if it has a note."""
    lines = (note or "").split("\n")
    return f"<title>{chr(10).join(map(xml, lines))}</title>" if note else ""


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
        canvas.centre(height, int(segment.label), segment.arc.relation, segment.arc.mark)
    for tip, style in tips:
        canvas.write(edge + side, tip, "▼" if side < 0 else "▲", style)


def _word_text(tree: PreparedTree, at: int) -> str:
    """Return the text of a word in the terminal."""
    form = tree.forms[at - 1]
    return f"({form})" if at in tree.empty else form
