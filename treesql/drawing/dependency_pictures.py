"""Dependency trees as pictures: rows of words with arcs, and for narrow pages a word on each line."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from treesql.drawing.arcs import Arc, Row, Segment, label_centre
from treesql.drawing.measures import Ruler, em_width, stack_spans, xml
from treesql.drawing.svg import HIGHLIGHT, NARROW, SIGNS, SMALL, Picture, marked, stroke, texts
from treesql.drawing.wrapping import WrappedArcs

MARGIN = 10
"""Pixels around a drawing."""

SIZE, TAG = 14, 10  # font sizes of words and of what is below them
STEP = 17  # from one level of arcs to the next
_STUB = 12  # from the words to the lowest level
_FORM, _LINE, _TOKEN = 20, 14, 19  # heights of the lines of a word
_ROW_GAP = 26  # between rows of words
_RADIUS = 6  # of the corners of arcs

PIXELS = Ruler(label=lambda text: SMALL * em_width(text) + 10, gap=12, fan=5)


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

    @cached_property
    def misattached(self) -> set[int]:
        """The words that some system attaches to another head."""
        return {arc.dependent for arc in (*self.above, *self.below) if arc.mark in ("missed", "wrong")}

    def describe(self, arc: Arc) -> str:
        """Return what an arc says, in words."""
        return f"{arc.mark}: {self._labelled(arc)}" if arc.mark else self._labelled(arc)

    def _labelled(self, arc: Arc) -> str:
        return f"{arc.label} of {self.forms[arc.head - 1]}" if arc.head else arc.label

    @property
    def description(self) -> str:
        """The marked edges, in words, by mark."""
        by_mark: dict[str, list[str]] = {}
        for arc in sorted(self.marked(), key=lambda arc: arc.dependent):
            by_mark.setdefault(arc.mark, []).append(f"{self.forms[arc.dependent - 1]} {self._labelled(arc)}")
        return "; ".join(f"{mark}: {', '.join(arcs)}" if mark else ", ".join(arcs) for mark, arcs in by_mark.items())

    def marked(self) -> list[Arc]:
        """Return the arcs that are not plain."""
        return [arc for arc in (*self.above, *self.below) if arc.mark or arc.other]

    def picture(self, width: float | None) -> Picture:
        """Return rows of at most `width` pixels, unless a word with its stubs is wider."""
        return draw_rows(self, width)

    def narrow(self) -> Picture:
        """Return a word on each line, or a row if all words fit."""
        if wrapped(self, NARROW, numbered=False).fits:
            return self.picture(NARROW)
        return draw_upright(self, NARROW)

    @cached_property
    def tooltips(self) -> dict[int, str]:
        """The notes of words and what marks say of their edges, a line each."""
        lines = {at: list(filter(None, [self.notes.get(at)])) for at in range(1, len(self.forms) + 1)}
        for arc in self.marked():
            lines[arc.dependent].append(self.describe(arc))
        return {at: "\n".join(of_word) for at, of_word in lines.items()}

    def describe_stub(self, segment: Segment, named: bool) -> str:
        """Return the text at the end of an arc that leaves its row: its relation, and the word at its other end."""
        is_left, incoming = segment.left < 0, bool(segment.dependent)
        arrow = "→" if is_left == incoming else "←"
        ends: dict[str, list[str]] = {}
        for arc in (segment.arc, *segment.more):
            at = arc.head if incoming else arc.dependent
            end = f"{at} {self.forms[at - 1]}" if named and not segment.more else str(at)
            ends.setdefault(arc.label, []).append(end)
        return "; ".join(
            f"{', '.join(of_label)} {arrow} {label}" if is_left else f"{label} {arrow} {', '.join(of_label)}"
            for label, of_label in ends.items()
        )


def draw_rows(tree: PreparedTree, width: float | None) -> Picture:
    """Draw a tree in rows of at most `width` pixels, unless a word with its stubs is wider."""
    words = wrapped(tree, width, numbered=False)
    rows = (words if words.fits else wrapped(tree, width, numbered=True)).rows()
    parts: list[str] = []
    tops = [float(MARGIN)]
    widest = max(row.width for row in rows)
    for row in rows:
        tops.append(draw_row(row, tree, tops[-1], parts, numbered=len(rows) > 1) + _ROW_GAP)
    parts.append(row_rules([top - _ROW_GAP / 2 for top in tops[1:-1]], widest))
    return Picture(with_margin(parts), widest + 2 * MARGIN, tops[-1] - _ROW_GAP + MARGIN)


def row_rules(heights: Iterable[float], width: float) -> str:
    """Return the lines between rows."""
    lines = "".join(f"M0 {y:.0f}H{width:.0f}" for y in heights)
    return f'<path class="rule" d="{lines}" stroke="currentColor" stroke-opacity=".2"/>' if lines else ""


def wrapped(tree: PreparedTree, width: float | None, *, numbered: bool) -> WrappedArcs:
    """Return the words of a tree with their arcs. numbered: whether words have their numbers below them."""
    limit = None if width is None else width - 2 * MARGIN
    named = (width is None or width > _MIN_NAMED) and not tree.right_to_left
    return WrappedArcs(
        word_widths(tree, numbered=numbered), tree.above, tree.below, PIXELS, limit, tree.right_to_left, tree.inside,
        lambda segment: tree.describe_stub(segment, named),
    )  # fmt: skip


_MIN_NAMED = 700
"""Minimum width of rows whose stubs name words; those of narrower ones, and of right-to-left text, have numbers."""


def with_margin(parts: Iterable[str]) -> str:
    """Wrap elements in a group with the margin."""
    return f'<g text-anchor="middle" transform="translate({MARGIN} 0)">{"".join(parts)}</g>'


def word_widths(tree: PreparedTree, *, numbered: bool = False) -> list[float]:
    """Return the widths of the words, wide enough for their forms, tags, names, tokens and root labels."""
    widths = [SIZE * em_width(form) + (8 if at in tree.highlights else 2) for at, form in enumerate(tree.forms, 1)]
    for at, tag in enumerate(_tags(tree, numbered)):
        widths[at] = max(widths[at], TAG * em_width(tag))
    for at, name in tree.highlights.items():
        widths[at - 1] = max(widths[at - 1], SMALL * em_width(name))
    for arc in (*tree.above, *tree.below):
        if arc.head in (0, arc.dependent):
            label = SMALL * (em_width(arc.label) + (arc.head > 0)) + 4
            widths[arc.dependent - 1] = max(widths[arc.dependent - 1], label)
    for first, last, form in tree.tokens:
        lacking = SIZE * em_width(form) + 4 - sum(widths[first - 1 : last]) - PIXELS.gap * (last - first)
        for at in range(first - 1, last):
            widths[at] += max(lacking, 0) / (last - first + 1)
    return [math.ceil(width) + math.ceil(width) % 2 for width in widths]


def _tags(tree: PreparedTree, numbered: bool) -> list[str]:
    """Return what stands below the words: their tags, and their numbers."""
    if not numbered:
        return tree.upos
    return [f"{at} {tag}".rstrip() for at, tag in enumerate(tree.upos or [""] * len(tree.forms), 1)]


def draw_row(row: Row, tree: PreparedTree, top: float, parts: list[str], *, numbered: bool = False) -> float:
    """Append the SVG elements of a row that begins at `top`; return where it ends."""
    upper = top + (row.levels("above") * STEP + _STUB if row.above else 0)
    lower = upper + _FORM
    places = row.word_centres()
    _draw_forms(places, tree, upper, parts)
    tags = _tags(tree, numbered)
    if tags:
        parts.append(texts("tag", ((x, tags[at - 1], "") for at, x in places.items()), lower + 9, TAG, _QUIET))
        lower += _LINE
    lower = _draw_tokens(row, tree, lower, parts)
    names = [(places[at], name, "") for at, name in tree.highlights.items() if name and at in places]
    if names:
        parts.append(marked("matched", texts("name", names, lower + 10, SMALL, 'font-weight="bold"')))
        lower += _LINE
    draw_arcs(row.above, row, tree, upper - 1, -1, parts)
    draw_arcs(row.below, row, tree, lower + 3, 1, parts)
    return lower + 2 + (row.levels("below") * STEP + _STUB if row.below else 0)


_QUIET = 'fill-opacity=".7"'
_RIGHT_TO_LEFT = 'direction="rtl"'


def _draw_forms(places: Mapping[int, float], tree: PreparedTree, upper: float, parts: list[str]) -> None:
    """Append the forms of words, with boxes behind highlighted ones."""
    boxes = []
    for at in tree.highlights.keys() & places.keys():
        wide = SIZE * em_width(tree.forms[at - 1]) + 8
        x = places[at] - wide / 2
        boxes.append(f'<rect x="{x:.1f}" y="{upper:g}" width="{wide:.1f}" height="{_FORM}" rx="4" {HIGHLIGHT}/>')
    parts += sorted(boxes)
    direction = _RIGHT_TO_LEFT if tree.right_to_left else ""
    wrong, tooltips = tree.misattached, tree.tooltips
    by_look: dict[str, list[tuple[float, str, str]]] = {"form": [], "form empty": [], "form misattached": []}
    for at, x in places.items():
        look = "form empty" if at in tree.empty else "form misattached" if at in wrong else "form"
        by_look[look].append((x, tree.forms[at - 1], tooltips[at]))
    for look, placed in by_look.items():
        style = ['font-style="italic" fill-opacity=".65"'] * (look == "form empty")
        shown = texts(look, placed, upper + 15, SIZE, " ".join(filter(None, [direction, *style])))
        parts.append(marked("wrong", shown) if look == "form misattached" and shown else shown)


def _draw_tokens(row: Row, tree: PreparedTree, lower: float, parts: list[str]) -> float:
    """Append the forms of multiword tokens below their words; return where they end."""
    places = {word + 1: at for at, word in enumerate(row.words)}
    lines, forms = [], []
    for first, last, form in tree.tokens:
        if first in places:
            left, right = sorted((places[first], places[last]))
            start = row.centres[left] - SIZE * em_width(tree.forms[row.words[left]]) / 2
            end = row.centres[right] + SIZE * em_width(tree.forms[row.words[right]]) / 2
            lines.append(f"M{start:.1f} {lower + 1:g}v3H{end:.1f}v-3")
            forms.append(((start + end) / 2, form, ""))
    if not lines:
        return lower
    parts.append(marked("", f'<path {stroke("")} d="{"".join(lines)}"/>'))
    parts.append(texts("token", forms, lower + 16, SIZE - 1, _RIGHT_TO_LEFT if tree.right_to_left else ""))
    return lower + _TOKEN


def draw_arcs(
    segments: Sequence[Segment], row: Row, tree: PreparedTree, edge: float, side: int, parts: list[str]
) -> None:
    """Append arcs on one side: -1 above, 1 below. edge: the height at which they touch the words."""
    by_mark: dict[str, list[Segment]] = {}
    for segment in segments:
        by_mark.setdefault(segment.arc.mark, []).append(segment)
    for mark, segments_of_mark in sorted(by_mark.items()):
        lines, heads = [], []
        labels: dict[str, list[str]] = {"middle": [], "start": [], "end": []}
        for segment in segments_of_mark:
            height = edge + side * (_STUB + (segment.level - 1) * STEP)
            lines.append(_arc_path(segment, row, edge, height, side))
            if segment.dependent:
                tip = segment.start if segment.dependent == "left" else segment.end
                heads.append(f"M{tip:.0f} {edge:.0f}l-3 {side * 6}h6z")
            anchor = "middle" if not segment.stub else "end" if segment.left < 0 else "start"
            labels[anchor].append(_label(segment, segments, row, height, side))
        arrows = f'<path d="{"".join(heads)}"/>' if heads else ""
        stubs = [f'<g text-anchor="{at}">{"".join(labels[at])}</g>' for at in ("start", "end") if labels[at]]
        parts.append(marked(mark, f'<path {stroke(mark)} d="{"".join(lines)}"/>{arrows}', *labels["middle"], *stubs))


def _label(segment: Segment, segments: Sequence[Segment], row: Row, height: float, side: int) -> str:
    """Return the label of an arc, centred, or the text of a stub, at its side."""
    if segment.stub:
        x = segment.start - 5 if segment.left < 0 else segment.end + 5
        return f'<text x="{x:.0f}" y="{height + 4:.0f}">{with_errors(segment.stub)}</text>'
    label = segment.arc.label
    half = SMALL * em_width(label) / 2
    middle = max(min(label_centre(segment, segments, PIXELS), row.width + MARGIN - half), half - MARGIN)
    return f'<text x="{middle:.0f}" y="{height - 4 if side < 0 else height + 11:.0f}">{with_errors(label)}</text>'


_ERROR = re.compile(r"≠ \S+( [●■◆▲▼✕]+)?")


def with_errors(label: str) -> str:
    """Escape a label for XML, with the other relations in it in the colour of errors."""
    return _ERROR.sub(r'<tspan class="wrong" fill="#d8432e">\g<0></tspan>', xml(label))


def _arc_path(segment: Segment, row: Row, edge: float, height: float, side: int) -> str:
    """Return the path of an arc from its head to its dependent, as far as the row shows it; a stub ends in a tick, and
    what continues another line begins at its bend."""
    start, end = segment.start, segment.end
    if segment.left == segment.right:
        return f"M{start:.0f} {height:.0f}V{edge:.0f}"
    comes, goes, direction = segment.left < 0, segment.right == len(row.words), 1
    if segment.dependent == "left" or (comes and not segment.dependent):
        start, end, comes, goes, direction = end, start, goes, comes, -1  # from right to left
    across = min(_RADIUS, abs(round(end) - round(start)) // 2)
    inward = side * min(_RADIUS, abs(edge - height))
    path = f"M{start:.0f} "
    if segment.after:
        path = f"M{start - direction * across:.0f} {height:.0f}"
    elif comes:
        path += f"{height - 3:.0f}v6m0-3"
    else:
        path += f"{edge:.0f}V{height - inward:.0f}q0 {inward:.0f} {direction * across} {inward:.0f}"
    if goes:
        return f"{path}H{end:.0f}m0-3v6"
    return f"{path}H{end - direction * across:.0f}q{direction * across} 0 {direction * across} {-inward:.0f}V{edge:.0f}"


_WORD, _MORE = 22, 15  # heights of the first line of an upright word, and of further ones
_LEVEL, _MAX_ARCS = 8, 88  # from one vertical line to the next, and their width altogether
_PART_GAP, _TIP = 6, 5  # between parts of a line, and of an arrow
_BOLD = 1.08  # the width of bold letters
_MIN_SIZE = 8  # of the font of a word that is wider than its line


@dataclass
class _Branch:
    """Arcs of one mark from a head to words on one side of it, on one vertical line."""

    head: int
    mark: str
    dependents: list[int]
    level: int = 0

    @property
    def span(self) -> tuple[int, int]:
        """Its first and last word."""
        return min(self.head, *self.dependents), max(self.head, *self.dependents)


@dataclass(frozen=True)
class _Look:
    """How a text of a line looks."""

    name: str
    mark: str = ""
    size: int = SMALL
    style: str = ""


_AS_FORM, _AS_LABEL, _AS_TAG, _AS_BELOW = (
    _Look("form", size=SIZE),
    _Look("label"),
    _Look("tag", size=TAG),
    _Look("below"),
)


class _Sheet:
    """Texts and boxes by look, at places from the side where lines begin: the left one, or the right one."""

    def __init__(self, width: float, right_to_left: bool) -> None:
        self.texts: dict[_Look, list[tuple[float, float, str]]] = {}
        self.boxes: list[str] = []
        self._width, self._right_to_left = width, right_to_left

    def write(self, look: _Look, x: float, y: float, text: str, *, before: bool = False) -> None:
        """Write a text that begins at x, or ends there: before."""
        if before != self._right_to_left:
            look = replace(look, style=" ".join(filter(None, [look.style, 'text-anchor="end"'])))
        if self._right_to_left:
            x = self._width - x
        self.texts.setdefault(look, []).append((x, y, text))

    def box(self, x: float, y: float, width: float) -> None:
        """Add the box behind a highlighted word."""
        if self._right_to_left:
            x = self._width - x - width
        size = f'width="{width:.0f}" height="{_WORD - 2}" rx="4"'
        self.boxes.append(f'<rect x="{x:.0f}" y="{y:.0f}" {size} {HIGHLIGHT}/>')

    def group(self, look: _Look) -> str:
        """Return the texts of a look; what they have in common is said once."""
        written = self.texts[look]
        [common, *others] = {round(x) for x, _, _ in written}
        place = "" if others else f'transform="translate({common} 0)"'
        attributes = " ".join(filter(None, [f'class="{look.name}" font-size="{look.size}"', look.style, place]))
        shown = (
            (f'<text x="{x:.0f}" y="{y:.0f}">' if others else f'<text y="{y:.0f}">') + f"{with_errors(text)}</text>"
            for x, y, text in written
        )
        return f"<g {attributes}>{''.join(shown)}</g>"

    def turned(self, paths: str) -> str:
        """Return paths from the left such that they begin at the side of the sheet."""
        return f'<g transform="matrix(-1 0 0 1 {self._width:g} 0)">{paths}</g>' if self._right_to_left else paths


def draw_upright(tree: PreparedTree, width: float) -> Picture:
    """Draw a tree with a word on each line, `width` pixels wide; of a right-to-left text it is the mirror image."""
    branches = _branches(tree.above)
    levels = _set_levels(branches)
    step = min(_LEVEL, _MAX_ARCS / max(levels, 1))
    tips = step * levels + _TIP + 3  # where arrows end
    digits = TAG * 0.7 * len(str(len(tree.forms)))
    left = tips + 4 + digits + _PART_GAP
    sheet = _Sheet(width, tree.right_to_left)
    centres, top = [], 4.0
    for at in range(1, len(tree.forms) + 1):
        centres.append(top + _WORD / 2)
        sheet.write(_AS_TAG, left - _PART_GAP, top + _WORD / 2 + 4, str(at), before=True)
        top = _draw_word(tree, at, left, width, top, sheet)
    parts = sheet.boxes
    for look in sheet.texts:
        group = sheet.group(look)
        parts.append(marked(look.mark, group) if look.mark or look.name in ("label", "below") else group)
    for mark in sorted({branch.mark for branch in branches}):
        paths, heads = list[str](), list[str]()
        for branch in branches:
            if branch.mark == mark:
                _draw_branch(branch, centres, tips, tips - _TIP - step * branch.level, paths, heads)
        drawn = f'<path {stroke(mark)} d="{"".join(paths)}"/><path d="{"".join(heads)}"/>'
        parts.append(marked(mark, sheet.turned(drawn)))
    return Picture("".join(parts), width, top + 4)


def _branches(arcs: Sequence[Arc]) -> list[_Branch]:
    branches: dict[tuple[int, bool, str], _Branch] = {}
    for arc in arcs:
        if arc.head not in (0, arc.dependent):
            key = arc.head, arc.dependent > arc.head, arc.mark
            branches.setdefault(key, _Branch(arc.head, arc.mark, [])).dependents.append(arc.dependent)
    return list(branches.values())


def _set_levels(branches: list[_Branch]) -> int:
    """Set the level of every line, from 1, such that none lies on another, and shorter ones are nearer to the words.

    Returns the number of levels.
    """
    rows = stack_spans([branch.span for branch in branches])
    for branch, row in zip(branches, rows, strict=True):
        branch.level = row + 1
    return max(rows, default=-1) + 1


def _draw_branch(
    branch: _Branch, centres: Sequence[float], tips: float, x: float, paths: list[str], heads: list[str]
) -> None:
    """Append the line of a branch at `x`, and the arrow heads at its dependents."""
    down = 1 if branch.dependents[0] > branch.head else -1
    start = centres[branch.head - 1] + 4 * down
    far = max(branch.dependents, key=lambda at: abs(at - branch.head))
    paths.append(f"M{tips:.0f} {start:g}H{x:.0f}V{centres[far - 1]:g}H{tips - _TIP:.0f}")
    for at in branch.dependents:
        y = centres[at - 1]
        if at != far:
            paths.append(f"M{x:.0f} {y:g}H{tips - _TIP:.0f}")
        heads.append(f"M{tips:.0f} {y:g}l-{_TIP} -3v6z")


def _draw_word(tree: PreparedTree, at: int, left: float, width: float, top: float, sheet: _Sheet) -> float:
    """Write the lines of a word, from `top`; return where they end."""
    form = tree.forms[at - 1]
    wide, size = SIZE * em_width(form) * (_BOLD if at in tree.misattached else 1), SIZE
    if left + wide > width:
        size = max(int(SIZE * (width - left) / wide), _MIN_SIZE)
        wide = width - left
    baseline = top + _WORD / 2 + 5
    if at in tree.highlights:
        sheet.box(left - 3, top + 1, wide + 6)
    look = replace(_AS_FORM, size=size)
    if at in tree.empty:
        look = replace(look, style='font-style="italic" fill-opacity=".65"')
    if at in tree.misattached:
        look = replace(look, name="form misattached", mark="wrong")
    sheet.write(look, left, baseline, form)
    x = left + wide + _PART_GAP
    for look, text in _texts_of(tree, at):
        wide = look.size * em_width(text)
        if look.name == _AS_BELOW.name or (x + wide > width and x > left):
            x, baseline = left, baseline + _MORE
        if x + wide > width:
            look = replace(look, size=max(int(look.size * (width - x) / wide), _MIN_SIZE))
        sheet.write(look, x, baseline, text)
        x += wide + _PART_GAP
    return baseline - SIZE + _WORD - 3


def _texts_of(tree: PreparedTree, at: int) -> Iterator[tuple[_Look, str]]:
    """Yield what stands behind a word, and on the lines below it."""
    for arc in tree.above:
        if arc.dependent == at:
            yield replace(_AS_LABEL, mark=arc.mark), arc.label
    if tree.upos and tree.upos[at - 1]:
        yield _AS_TAG, tree.upos[at - 1]
    if tree.highlights.get(at):
        yield _Look("name", "matched"), tree.highlights[at]
    for first, last, form in tree.tokens:
        if first == at:
            yield _AS_BELOW, f"{first}-{last} {form}"
    if tree.links and tree.links[at - 1]:
        yield _AS_BELOW, f"~ {tree.links[at - 1]}"
    for arc in tree.below:
        if arc.dependent == at:
            sign = {"wrong": "≠", "enhanced": "+"}.get(arc.mark, SIGNS.get(arc.mark, "also"))
            head = f" of {arc.head} {tree.forms[arc.head - 1]}" if arc.head else ""
            other = f" {arc.other}" if arc.other else ""
            yield replace(_AS_BELOW, mark=arc.mark), f"{sign} {arc.relation}{head}{other}"
