"""Dependency trees as text: one row of words with arcs above and below, in character cells."""

from __future__ import annotations

from collections.abc import Sequence

from treesql.drawing.arcs import Row, Segment
from treesql.drawing.canvas import Canvas
from treesql.drawing.measures import cell_width
from treesql.drawing.prepared_trees import PreparedTree
from treesql.drawing.rulers import Ruler

CELLS = Ruler(label=lambda text: cell_width(text) + 3, gap=1, cells=True)


def cell_widths(given: PreparedTree) -> list[float]:
    """Return the widths of the words, wide enough for their forms, tags, names, tokens, labels and arcs."""
    widths = [max(cell_width(_word_text(given, at)), 1) for at in range(1, len(given.forms) + 1)]
    for at, tag in enumerate(given.upos):
        widths[at] = max(widths[at], cell_width(tag))
    for line in (given.numbers, given.links):
        for at, short in enumerate(line):
            widths[at] = max(widths[at], cell_width(short))
    for at, name in given.highlights.items():
        widths[at - 1] = max(widths[at - 1], cell_width(name) + 2)
    for arc in (*given.above, *given.below):
        if arc.head in (0, arc.dependent):
            widths[arc.dependent - 1] = max(widths[arc.dependent - 1], cell_width(arc.relation) + (arc.head > 0))
        else:
            # An incoming arc needs a cell on each side for outgoing arcs.
            widths[arc.head - 1] = max(widths[arc.head - 1], 3)
    for first, last, form in given.tokens:
        lacking = cell_width(form) + 2 - sum(widths[first - 1 : last]) - (last - first)
        for at in range(first - 1, last):
            widths[at] += -(-max(lacking, 0) // (last - first + 1))
    return [float(width) for width in widths]


def draw_row(row: Row, given: PreparedTree) -> Canvas:
    """Draw a row in characters."""
    canvas = Canvas()
    top = row.levels("above") + 1 if row.above else 1 if given.numbers else 0
    below = top + 1
    places = {word + 1: at for at, word in enumerate(row.words)}
    centres = [int(centre) for centre in row.centres]
    for at, centre in zip(places, centres, strict=True):
        style = "found" if at in given.highlights else "faint" if at in given.empty else ""
        canvas.centre(top, centre, _word_text(given, at), style)
    for line in (given.upos, given.links):
        for at, centre in zip(places, centres, strict=True):
            if line:
                canvas.centre(below, centre, line[at - 1], "faint")
        below += bool(line)
    for at, centre in zip(places, centres, strict=True):
        if given.numbers:
            canvas.centre(top - 1, centre, given.numbers[at - 1], "faint")
    tokens = [one for one in given.tokens if any(at in places for at in range(one[0], one[1] + 1))]
    widths = cell_widths(given) if tokens else []
    for first, last, form in tokens:
        own = [places[at] for at in range(first, last + 1) if at in places]
        left, right = centres[min(own)], centres[max(own)]
        begin = left - int(CELLS.middle(widths[row.words[min(own)]]))
        end = right - int(CELLS.middle(widths[row.words[max(own)]])) + int(widths[row.words[max(own)]])
        wide = max(right - left + 1, cell_width(form) + 2)
        left = min(max((left + right + 1 - wide) // 2, begin), end - wide)
        right = left + wide - 1
        canvas.across(below, left, right)
        canvas.write(below, left, "└")
        canvas.write(below, right, "┘")
        canvas.write(below, (left + right + 1 - cell_width(form)) // 2, form)
    below += bool(tokens)
    found = {at: name for at, name in given.highlights.items() if at in places}
    for at, name in found.items():
        wide = max(cell_width(_word_text(given, at)), cell_width(name) + 2 if name else 1)
        canvas.centre(below, centres[places[at]], "═" * wide, "found")
        canvas.centre(below, centres[places[at]], name, "found")
    below += bool(found)
    _draw_arcs(canvas, row.above, row, top, -1)
    _draw_arcs(canvas, row.below, row, below - 1, 1)
    return canvas


def _draw_arcs(canvas: Canvas, segments: Sequence[Segment], row: Row, edge: int, side: int) -> None:
    """Draw arcs on one side of the row `edge`: -1 above, 1 below. Marked arcs are drawn last, over the others."""
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
        left = int(segment.label) - (cell_width(relation) - 1) // 2
        canvas.write(height, left, relation, segment.arc.mark)
    for tip, style in tips:
        canvas.write(edge + side, tip, "▼" if side < 0 else "▲", style)


def _word_text(given: PreparedTree, at: int) -> str:
    """Return the text of a word in the terminal."""
    form = given.forms[at - 1]
    return f"({form})" if at in given.empty else form
