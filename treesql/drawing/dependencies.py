"""Dependency trees: arcs above the words, as SVG and in the terminal.

    svg(["Ann", "drinks", "tea"], [2, 0, 2], ["nsubj", "root", "obj"])

Arcs below the words are a second graph of the same words: a system's tree, or enhanced dependencies.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from treesql.drawing import arcs
from treesql.drawing.arcs import Arc, Row, Segment
from treesql.drawing.canvas import Canvas
from treesql.drawing.measures import cells, em, mirrored, printable, runs_right_to_left, xml
from treesql.drawing.rulers import Ruler
from treesql.drawing.svg import COLOURS, HIGHLIGHT, SIGNS, Picture, require_known, stroke

WIDTH = 1000
"""Pixels of a row of words."""

_SIZE, _SMALL = 16, 12  # of letters
_STEP = 19  # from one level of arcs to the next
_STUB = 12  # from the words to the lowest level
_MARGIN = 10
_BETWEEN = 22  # rows
_LINKS = 70  # between the words of two trees
_FORM, _LINE, _TOKEN = 22, 15, 20  # heights of the lines of a word
_PIXELS = Ruler(label=lambda text: _SMALL * em(text) + 12, gap=12, fan=7)
_CELLS = Ruler(label=lambda text: cells(text) + 3, gap=1, cells=True)


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
    """An SVG element with a tree; the same arguments give the same bytes. All positions are 1-based.

    heads: 0 for a root, None for a word without a head. relations: to the heads. upos: what stands below the words.
    highlights: positions of words that stand out, each with a name to stand below it, or ``. marks: positions of
    dependents whose edge is not plain, each with its mark (see arcs.Arc). below: arcs below the words. tokens: first
    and last word and form of each multiword token. empty: positions of empty nodes. notes: what words tell when pointed
    at. title: read aloud; the forms if left out. right_to_left: where the first word is; told from the forms if None.
    width: of a row in pixels; longer sentences are broken into rows, None for never. standalone: for a file of its own,
    with colours that follow the reader's light or dark scheme; otherwise the drawing takes the colour of the page.
    Raises ValueError where lists differ in length, a word is not there, or a mark is unknown.
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
    """The same in characters. Wrong and missed edges have a cross before their relation, mislabelled ones `≠`.

    width: columns of a row; longer sentences are broken into rows, None for never. colour: with the codes of a terminal
    that takes colours. Letters of a word that runs from right to left are left to the terminal to turn; marks of no
    width keep the words in their places. Raises ValueError as `svg` does.
    """
    tree = Tree(forms, heads, relations, upos, highlights or {}, marks or {}, below, tokens, empty, {}, right_to_left)
    return tree.characters(width, colour)


@dataclass(frozen=True)
class Tree:
    """What is drawn of a sentence; see `svg`. numbers, links: short texts above and below the words, in a terminal."""

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
        """It as a picture, with rows of at most `width` pixels."""
        given = _given(self)
        limit = None if width is None else width - 2 * _MARGIN
        parts: list[str] = []
        top, widest = float(_MARGIN), 0.0
        widths = _pixel_widths(given)
        for row in arcs.rows(widths, given.above, given.below, _PIXELS, limit, given.right_to_left, given.inside):
            top = _draw(row, given, top, parts) + _BETWEEN
            widest = max(widest, row.width)
        return Picture(_framed(parts), widest + 2 * _MARGIN, top - _BETWEEN + _MARGIN)

    def characters(self, width: int | None = None, colour: bool = False, *, turned: bool = False) -> str:
        """It in characters, with rows of at most `width` columns. turned: with its arcs below the words."""
        given = _given(self, signs=True)
        if turned:
            given = _turned(given)
        widths = _cell_widths(given)
        rows = arcs.rows(widths, given.above, given.below, _CELLS, width, given.right_to_left, given.inside)
        return "\n\n".join(_type(row, given).text(colour) for row in rows) + "\n"


def facing(tree: Tree, other: Tree, links: Sequence[tuple[int, int, str]]) -> Picture:
    """Two trees, one with its arcs above and one with its arcs below, and lines between words: first, second, mark."""
    upper, lower = _given(tree), _turned(_given(other))
    [row] = arcs.rows(_pixel_widths(upper), upper.above, (), _PIXELS, None, upper.right_to_left)
    [below] = arcs.rows(_pixel_widths(lower), (), lower.below, _PIXELS, None, lower.right_to_left)
    before, after = row.places(), below.places()
    aside = [after[second] - before[first] for first, second, _ in links]
    # Linked words as straight above one another as can be.
    slope = sum(aside) / len(aside) if aside else (below.width - row.width) / 2
    row.shift(max(slope, 0))
    below.shift(max(-slope, 0))
    widest = max(row.width, below.width)
    parts: list[str] = []
    start = _draw(row, upper, _MARGIN, parts)
    end = start + _LINKS
    bottom = _draw(below, lower, end, parts)
    before, after = row.places(), below.places()
    for first, second, mark in links:
        a, b, half = before[first], after[second], (start + end) / 2
        told = xml(f"{upper.forms[first - 1]} ~ {lower.forms[second - 1]}")
        parts.append(
            f'<path {stroke(mark)} d="M{a:.1f} {start + 2:g}C{a:.1f} {half:g} {b:.1f} {half:g} {b:.1f} {end - 1:g}">'
            f"<title>{told}</title></path>"
        )
    return Picture(_framed(parts), widest + 2 * _MARGIN, bottom + _MARGIN)


@dataclass(frozen=True)
class _Shown:
    """The same in printable texts."""

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
        """The words, from 0, that stand inside a token, where no row begins."""
        return {at for first, last, _ in self.tokens for at in range(first, last)}


def _given(tree: Tree, *, signs: bool = False) -> _Shown:
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
        # A terminal turns the words of a right-to-left script, but brackets that stand alone it leaves as they are.
        forms = [form if any(map(str.isalnum, form)) else mirrored(form) for form in forms]
    return _Shown(
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
    """Raises ValueError where anything is said of a word that is not there, or a mark is unknown."""
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
    require_known([*tree.marks.values(), *(arc.mark for arc in tree.below)])


def _turned(given: _Shown) -> _Shown:
    """With the arcs of the tree below the words."""
    return replace(given, above=[], below=given.above)


def _framed(parts: Iterable[str]) -> str:
    return f'<g text-anchor="middle" transform="translate({_MARGIN} 0)">{"".join(parts)}</g>'


def _pixel_widths(given: _Shown) -> list[float]:
    widths = [_SIZE * em(form) + (8 if at in given.highlights else 2) for at, form in enumerate(given.forms, 1)]
    for at, tag in enumerate(given.upos):
        widths[at] = max(widths[at], 10 * em(tag))
    for at, name in given.highlights.items():
        widths[at - 1] = max(widths[at - 1], _SMALL * em(name))
    for arc in (*given.above, *given.below):
        if arc.head in (0, arc.dependent):
            widths[arc.dependent - 1] = max(widths[arc.dependent - 1], _SMALL * (em(arc.relation) + (arc.head > 0)) + 4)
    for first, last, form in given.tokens:
        lacking = 13 * em(form) + 4 - sum(widths[first - 1 : last]) - _PIXELS.gap * (last - first)
        for at in range(first - 1, last):
            widths[at] += max(lacking, 0) / (last - first + 1)
    return [math.ceil(width) + math.ceil(width) % 2 for width in widths]


def _draw(row: Row, given: _Shown, top: float, parts: list[str]) -> float:
    """Add the elements of a row that begins at `top`; returns where it ends."""
    upper = top + (row.levels("above") * _STEP + _STUB if row.above else 0)
    baseline = upper + 16
    lower = upper + _FORM
    direction = ' direction="rtl"' if given.right_to_left else ""
    places = {word + 1: at for at, word in enumerate(row.words)}
    words = []
    for at, centre in zip(places, row.centres, strict=True):
        form = f'<text x="{centre:g}" y="{baseline:g}">{_note(given.notes.get(at))}{xml(given.forms[at - 1])}</text>'
        if at in given.highlights:
            wide = _SIZE * em(given.forms[at - 1]) + 8
            form = (
                f'<rect x="{centre - wide / 2:.1f}" y="{upper:g}" width="{wide:.1f}" height="{_FORM}" rx="4" '
                f"{HIGHLIGHT}/>{form}"
            )
        if at in given.empty:
            form = f'<g font-style="italic" fill-opacity="0.65">{form}</g>'
        words.append(form)
    parts.append(f'<g font-size="{_SIZE}"{direction}>{"".join(words)}</g>')
    if given.upos:
        tags = [
            f'<text x="{centre:g}" y="{lower + 10:g}">{xml(given.upos[at - 1])}</text>'
            for at, centre in zip(places, row.centres, strict=True)
        ]
        parts.append(f'<g font-size="10" fill-opacity="0.7">{"".join(tags)}</g>')
        lower += _LINE
    tokens = [one for one in given.tokens if any(at in places for at in range(one[0], one[1] + 1))]
    if tokens:
        parts.append(f'<g font-size="13"{direction}>')
        for first, last, form in tokens:
            own = [places[at] for at in range(first, last + 1) if at in places]
            start, end = _extent(row, given, min(own), max(own))
            parts.append(
                f'<path d="M{start:.1f} {lower + 1:g}v3H{end:.1f}v-3" {stroke("")}/>'
                f'<text x="{(start + end) / 2:.1f}" y="{lower + 16:g}">{xml(form)}</text>'
            )
        parts.append("</g>")
        lower += _TOKEN
    names = {at: name for at, name in given.highlights.items() if name and at in places}
    if names:
        named = [
            f'<text x="{row.centres[places[at]]:g}" y="{lower + 11:g}">{xml(name)}</text>' for at, name in names.items()
        ]
        parts.append(f'<g font-size="{_SMALL}" font-weight="bold" fill="{COLOURS["matched"]}">{"".join(named)}</g>')
        lower += _LINE
    lower += 2
    _draw_arcs(row.above, row, given, upper - 1, -1, parts)
    _draw_arcs(row.below, row, given, lower + 1, 1, parts)
    return lower + (row.levels("below") * _STEP + _STUB if row.below else 0)


def _draw_arcs(segments: Sequence[Segment], row: Row, given: _Shown, edge: float, side: int, parts: list[str]) -> None:
    """Arcs on one side: -1 above, 1 below. edge: the height at which they touch the words."""
    by_mark: dict[str, list[Segment]] = {}
    for segment in segments:
        by_mark.setdefault(segment.arc.mark, []).append(segment)
    for mark, marked in sorted(by_mark.items()):
        lines, heads, labels = [], [], []
        for segment in marked:
            arc = segment.arc
            height = edge + side * (_STUB + (segment.level - 1) * _STEP)
            told = f"<title>{xml(_told(arc, given.forms))}</title>"
            lines.append(f'<path d="{_path(segment, row, edge, height, side)}">{told}</path>')
            if segment.dependent:
                tip = segment.start if segment.dependent == "left" else segment.end
                heads.append(f"M{tip:.1f} {edge:g}l-3.5 {side * 7}h7z")
            baseline = height - 4 if side < 0 else height + 12
            middle = _inside(segment.label, _SMALL * em(arc.relation) / 2, row.width)
            labels.append(f'<text x="{middle:.1f}" y="{baseline:g}">{told}{xml(arc.relation)}</text>')
        colour = f' fill="{COLOURS[mark]}"' if mark else ""
        arrows = f' fill-opacity="0.8" d="{"".join(heads)}"'
        parts.append(
            f"<g {stroke(mark)}>{''.join(lines)}</g><path{colour if mark != 'mislabelled' else ''}{arrows}/>"
            f'<g font-size="{_SMALL}"{colour}>{"".join(labels)}</g>'
        )


def _inside(middle: float, half: float, width: float) -> float:
    """The middle of a label that does not leave the picture: the arrow of a root may stand at the edge of its word."""
    return max(min(middle, width + _MARGIN - half), half - _MARGIN)


def _path(segment: Segment, row: Row, edge: float, height: float, side: int) -> str:
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


def _extent(row: Row, given: _Shown, left: int, right: int) -> tuple[float, float]:
    """From where to where the forms of some neighbours go."""
    half = [_SIZE * em(given.forms[row.words[at]]) / 2 for at in (left, right)]
    return row.centres[left] - half[0], row.centres[right] + half[1]


def _told(arc: Arc, forms: Sequence[str]) -> str:
    head = forms[arc.head - 1] + " → " if arc.head else ""
    return f"{head}{forms[arc.dependent - 1]}: {arc.relation}{f' ({arc.mark})' if arc.mark else ''}"


def _note(note: str | None) -> str:
    lines = (note or "").split("\n")
    return f"<title>{chr(10).join(map(xml, lines))}</title>" if note else ""


def _shown(given: _Shown, at: int) -> str:
    """What stands for a word in the terminal."""
    form = given.forms[at - 1]
    return f"({form})" if at in given.empty else form


def _cell_widths(given: _Shown) -> list[float]:
    widths = [max(cells(_shown(given, at)), 1) for at in range(1, len(given.forms) + 1)]
    for at, tag in enumerate(given.upos):
        widths[at] = max(widths[at], cells(tag))
    for line in (given.numbers, given.links):
        for at, short in enumerate(line):
            widths[at] = max(widths[at], cells(short))
    for at, name in given.highlights.items():
        widths[at - 1] = max(widths[at - 1], cells(name) + 2)
    for arc in (*given.above, *given.below):
        if arc.head in (0, arc.dependent):
            widths[arc.dependent - 1] = max(widths[arc.dependent - 1], cells(arc.relation) + (arc.head > 0))
        else:
            # Room for an arc to the left and one to the right beside the arc that comes in.
            widths[arc.head - 1] = max(widths[arc.head - 1], 3)
    for first, last, form in given.tokens:
        lacking = cells(form) + 2 - sum(widths[first - 1 : last]) - (last - first)
        for at in range(first - 1, last):
            widths[at] += -(-max(lacking, 0) // (last - first + 1))
    return [float(width) for width in widths]


def _type(row: Row, given: _Shown) -> Canvas:
    """A row in characters."""
    canvas = Canvas()
    top = row.levels("above") + 1 if row.above else 1 if given.numbers else 0
    below = top + 1
    places = {word + 1: at for at, word in enumerate(row.words)}
    centres = [int(centre) for centre in row.centres]
    for at, centre in zip(places, centres, strict=True):
        style = "found" if at in given.highlights else "faint" if at in given.empty else ""
        canvas.centre(top, centre, _shown(given, at), style)
    for line in (given.upos, given.links):
        for at, centre in zip(places, centres, strict=True):
            if line:
                canvas.centre(below, centre, line[at - 1], "faint")
        below += bool(line)
    for at, centre in zip(places, centres, strict=True):
        if given.numbers:
            canvas.centre(top - 1, centre, given.numbers[at - 1], "faint")
    tokens = [one for one in given.tokens if any(at in places for at in range(one[0], one[1] + 1))]
    widths = _cell_widths(given) if tokens else []
    for first, last, form in tokens:
        own = [places[at] for at in range(first, last + 1) if at in places]
        left, right = centres[min(own)], centres[max(own)]
        begin = left - int(_CELLS.middle(widths[row.words[min(own)]]))
        end = right - int(_CELLS.middle(widths[row.words[max(own)]])) + int(widths[row.words[max(own)]])
        wide = max(right - left + 1, cells(form) + 2)
        left = min(max((left + right + 1 - wide) // 2, begin), end - wide)
        right = left + wide - 1
        canvas.across(below, left, right)
        canvas.write(below, left, "└")
        canvas.write(below, right, "┘")
        canvas.write(below, (left + right + 1 - cells(form)) // 2, form)
    below += bool(tokens)
    found = {at: name for at, name in given.highlights.items() if at in places}
    for at, name in found.items():
        wide = max(cells(_shown(given, at)), cells(name) + 2 if name else 1)
        canvas.centre(below, centres[places[at]], "═" * wide, "found")
        canvas.centre(below, centres[places[at]], name, "found")
    below += bool(found)
    _type_arcs(canvas, row.above, row, top, -1)
    _type_arcs(canvas, row.below, row, below - 1, 1)
    return canvas


def _type_arcs(canvas: Canvas, segments: Sequence[Segment], row: Row, edge: int, side: int) -> None:
    """Arcs on one side of the row `edge`: -1 above, 1 below. Marked ones come last, over the others."""
    tips = []
    for segment in sorted(segments, key=lambda one: one.arc.mark):
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
        relation = segment.arc.relation
        left = int(segment.label) - (cells(relation) - 1) // 2
        canvas.write(height, left, relation, segment.arc.mark)
    for tip, style in tips:
        canvas.write(edge + side, tip, "▼" if side < 0 else "▲", style)
