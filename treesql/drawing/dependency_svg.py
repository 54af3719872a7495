"""Dependency trees as SVG elements: one row of words with arcs above and below."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from treesql.drawing.arcs import Arc, Row, Segment
from treesql.drawing.measures import em_width, xml
from treesql.drawing.prepared_trees import PreparedTree
from treesql.drawing.rulers import Ruler
from treesql.drawing.svg import COLOURS, HIGHLIGHT, stroke

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


def pixel_widths(given: PreparedTree) -> list[float]:
    """Return the widths of the words, wide enough for their forms, tags, names, tokens and root labels."""
    widths = [_SIZE * em_width(form) + (8 if at in given.highlights else 2) for at, form in enumerate(given.forms, 1)]
    for at, tag in enumerate(given.upos):
        widths[at] = max(widths[at], 10 * em_width(tag))
    for at, name in given.highlights.items():
        widths[at - 1] = max(widths[at - 1], _SMALL * em_width(name))
    for arc in (*given.above, *given.below):
        if arc.head in (0, arc.dependent):
            widths[arc.dependent - 1] = max(
                widths[arc.dependent - 1], _SMALL * (em_width(arc.relation) + (arc.head > 0)) + 4
            )
    for first, last, form in given.tokens:
        lacking = 13 * em_width(form) + 4 - sum(widths[first - 1 : last]) - PIXELS.gap * (last - first)
        for at in range(first - 1, last):
            widths[at] += max(lacking, 0) / (last - first + 1)
    return [math.ceil(width) + math.ceil(width) % 2 for width in widths]


def draw_row(row: Row, given: PreparedTree, top: float, parts: list[str]) -> float:
    """Append the SVG elements of a row that begins at `top`; return where it ends."""
    upper = top + (row.levels("above") * _STEP + _STUB if row.above else 0)
    baseline = upper + 16
    lower = upper + _FORM
    direction = ' direction="rtl"' if given.right_to_left else ""
    places = {word + 1: at for at, word in enumerate(row.words)}
    words = []
    for at, centre in zip(places, row.centres, strict=True):
        tooltip = _word_tooltip(given.notes.get(at))
        form = f'<text x="{centre:g}" y="{baseline:g}">{tooltip}{xml(given.forms[at - 1])}</text>'
        if at in given.highlights:
            wide = _SIZE * em_width(given.forms[at - 1]) + 8
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


def _draw_arcs(
    segments: Sequence[Segment], row: Row, given: PreparedTree, edge: float, side: int, parts: list[str]
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
            tooltip = f"<title>{xml(_edge_tooltip(arc, given.forms))}</title>"
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


def _extent(row: Row, given: PreparedTree, left: int, right: int) -> tuple[float, float]:
    """Return the left and right edge of the forms of adjacent words."""
    half = [_SIZE * em_width(given.forms[row.words[at]]) / 2 for at in (left, right)]
    return row.centres[left] - half[0], row.centres[right] + half[1]


def _edge_tooltip(arc: Arc, forms: Sequence[str]) -> str:
    """Return the tooltip of an edge."""
    head = forms[arc.head - 1] + " → " if arc.head else ""
    return f"{head}{forms[arc.dependent - 1]}: {arc.relation}{f' ({arc.mark})' if arc.mark else ''}"


def _word_tooltip(note: str | None) -> str:
    """Return the tooltip of a word, if it has a note."""
    lines = (note or "").split("\n")
    return f"<title>{chr(10).join(map(xml, lines))}</title>" if note else ""
