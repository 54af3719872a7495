"""Charts as SVG text: bars, points, lines and a heat map, by matplotlib. The same data give the same bytes.

Text stays text, so that a reader can search and select it; every chart carries its title for those who cannot see it,
and has the colours of its page. The import of matplotlib takes 0.23 CPU seconds, a chart 0.06: reports of evaluations,
which have seven tables and take 1.0, draw scores and intervals in the rows of their tables instead.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import linear_regression
from typing import TYPE_CHECKING, Any

from treesql.drawing.measures import em_width, xml
from treesql.drawing.svg import SCHEMES, as_element
from treesql.results.pages import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


WIDTH = 4.6
"""Width of a chart, in inches: whole on a telephone, and two beside each other on a wide page."""

TITLE = "title"
"""The id of the title in a chart, which a page leaves out below a heading of the same words."""

PANELS_IN_ROW = 3
"""Maximum number of panels beside each other in a file."""

MARKERS = "osD^vPX*"
_DASHES: tuple[Any, ...] = ("-", "--", ":", "-.")
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo", "--")
_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "treesql",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 10,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "black",
    "grid.alpha": 0.15,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
}
"""Settings of matplotlib; black is the colour of the page's text."""
_MAX_LEVEL_NAMES = 8
"""Names below an axis are rotated if there are more of them than this, or longer ones."""

BELOW_LABEL = 5.0
"""Distance of a legend from the axis above it, in sizes of its font: the axis's numbers and label are between."""

Points = Mapping[str, Sequence[tuple[float, float, str]]]
"""By group, its points: x, y and name."""


def bars(rows: Sequence[tuple[str, float, str]], *, title: str, value: str, groups: Sequence[str]) -> str:
    """Draw horizontal bars from the top down, coloured and hatched by group. rows: name, value and group."""
    with _single_axes(title, WIDTH, 1.2 + 0.22 * max(len(rows), 1), value) as (axes, out):
        for at, group in enumerate(groups):
            members = [(position, amount) for position, (_, amount, its) in enumerate(rows) if its == group]
            axes.barh(
                [position for position, _ in members], [amount for _, amount in members], label=group,
                color=_colour(at), hatch=HATCHES[at % len(HATCHES)], edgecolor="white", linewidth=0,
            )  # fmt: skip
        axes.set_yticks(range(len(rows)), [name for name, _, _ in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        _legend(axes, groups)
    return out[0]


def scatter(groups: Points, *, title: str, x: str, y: str) -> str:
    """Draw named points, with a colour, a marker and a least-squares line per group."""
    with _single_axes(title, WIDTH, 4, x, y) as (axes, out):
        for at, (group, points) in enumerate(groups.items()):
            across, up = [point[0] for point in points], [point[1] for point in points]
            axes.scatter(across, up, label=group, color=_colour(at), marker=MARKERS[at % len(MARKERS)])
            if len(set(across)) > 1:
                slope, start = linear_regression(across, up)
                ends = [min(across), max(across)]
                axes.plot(ends, [start + slope * end for end in ends], color=_colour(at), linewidth=1, alpha=0.6)
        axes.margins(0.12)
        annotate_points(axes, [point for points in groups.values() for point in points])
        _legend(axes, list(groups))
    return out[0]


def lines(
    groups: Mapping[str, Sequence[tuple[float, float]]], *, title: str, x: str, y: str, names: Sequence[str] = ()
) -> str:
    """Draw a line with markers per group. names: tick labels for x = 0, 1, 2, ... instead of numbers, of things without
    an order, whose markers are not joined."""
    from matplotlib.ticker import MaxNLocator

    with _single_axes(title, WIDTH, 3.6, x, y) as (axes, out):
        for at, (group, points) in enumerate(groups.items()):
            across, up = [point[0] for point in points], [point[1] for point in points]
            axes.plot(
                across, up, label=group, color=_colour(at), marker=MARKERS[at % len(MARKERS)], markersize=5,
                linestyle="" if names else "-",
            )  # fmt: skip
        if names:
            rotated = len(names) > _MAX_LEVEL_NAMES or max(map(len, names)) > _MAX_LEVEL_NAMES
            axes.set_xticks(
                range(len(names)), names, rotation=60 if rotated else 0, ha="right" if rotated else "center"
            )
        else:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="y")
        _legend(axes, list(groups))
    return out[0]


@dataclass(frozen=True)
class Line:
    """A series of points (x, y) in a LinePanel, with fitted curves by name.

    colour, style: numbers of a colour, and of a marker and a dash pattern. joined: by lines, unless curves are fitted.
    intervals: lowest and highest y of every point; labels: names of the points. right: on the axis on the right.
    """

    name: str
    points: Sequence[tuple[float, float]]
    colour: int
    style: int
    fitted: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    intervals: Sequence[tuple[float, float]] = ()
    labels: Sequence[str] = ()
    joined: bool = True
    right: bool = False


@dataclass(frozen=True)
class LinePanel:
    """Lines in one chart. x, y: titles of axes; right: of an axis on the right, and None without one.

    scale: slope and intercept of the line from values on the right to those on the left at the same height.
    """

    name: str
    lines: Sequence[Line]
    x: str
    y: str = ""
    right: str | None = None
    scale: tuple[float, float] = (1.0, 0.0)


def line_panels(
    shown: Sequence[LinePanel], *, title: str, log_x: bool = False, log_y: bool = False, zero: bool = False
) -> str:
    """Draw charts of several lines, each with its legend below it, beside each other. zero: also a line at 0."""
    panels = [_draw_panel(panel, title, log_x, log_y, zero) for panel in shown]
    sizes = [tuple(_PIXELS * float(length) for length in _SIZE.findall(panel)[:2]) for panel in panels]
    columns = [sizes[at::PANELS_IN_ROW] for at in range(min(len(sizes), PANELS_IN_ROW))]
    wide = [max(across for across, _ in column) for column in columns]
    top, parts = 30.0, list[str]()
    for first in range(0, len(panels), PANELS_IN_ROW):
        row = range(first, min(first + PANELS_IN_ROW, len(panels)))
        for at in row:
            place = f'<svg class="panel" x="{sum(wide[: at - first]):g}" y="{top:g}"'
            parts.append(as_element(panels[at], f"p{at}-").replace("<svg", place, 1))
        top += max(sizes[at][1] for at in row)
    heading = f'<text x="{sum(wide) / 2:g}" y="20" font-size="15" font-family="sans-serif" text-anchor="middle">'
    size = f'width="{sum(wide):g}" height="{top:g}" viewBox="0 0 {sum(wide):g} {top:g}"'
    return _with_title(f'<svg xmlns="{_SVG}" {size}>{heading}{xml(title)}</text>\n{"".join(parts)}</svg>\n', title)


_SVG = "http://www.w3.org/2000/svg"
_PIXELS = 4 / 3
"""Pixels of a point, in which matplotlib measures."""

_SIZE = re.compile(r' (?:width|height)="([\d.]+)pt"')


def panels_of(chart: str) -> list[str]:
    """Return the panels of a chart that has several, for a page on which they wrap, else the chart itself."""
    return re.findall(r'<svg class="panel".*?</svg>\n?', chart, re.DOTALL) or [chart]


def _draw_panel(panel: LinePanel, title: str, log_x: bool, log_y: bool, zero: bool) -> str:
    with _figure(f"{title}: {panel.name}", WIDTH, 3.4) as (figure, out):
        axes = figure.add_subplot()
        if zero:
            axes.axhline(0, color="#888888", linewidth=0.8)
        for line in panel.lines:
            _draw_line(axes, line, panel.scale if line.right else (1.0, 0.0))
        axes.set_title(panel.name, fontsize=10)
        axes.set_xlabel(panel.x)
        axes.set_ylabel(panel.y)
        for log, axis, name in ((log_x, axes.xaxis, "x"), (log_y, axes.yaxis, "y")):
            if log:
                (axes.set_xscale if name == "x" else axes.set_yscale)("log")
                axis.set_major_formatter(_plain_number)
                axis.set_minor_formatter(_few_plain_numbers(*axis.get_view_interval()))
        axes.grid(axis="y")
        if panel.right is not None and panel.scale[0]:
            axes.secondary_yaxis("right", functions=_both_ways(*panel.scale)).set_ylabel(panel.right)
        if any(line.name or line.fitted for line in panel.lines):
            axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, 0), borderaxespad=BELOW_LABEL)
    return out[0]


def _both_ways(slope: float, intercept: float) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Functions from values on the left axis to those on the right, and back."""
    return lambda left: (left - intercept) / slope, lambda right: slope * right + intercept


def _draw_line(axes: Axes, line: Line, scale: tuple[float, float]) -> None:
    """Draw a series, its intervals and its fitted curves; values on the right are moved to the scale on the left."""
    slope, intercept = scale
    across, up = [x for x, _ in line.points], [slope * y + intercept for _, y in line.points]
    colour = _colour(line.colour)
    dashes = _DASHES[line.style % len(_DASHES)] if line.joined and not line.fitted else ""
    axes.plot(
        across, up, label=line.name or None, color=colour, marker=MARKERS[line.style % len(MARKERS)],
        markersize=4 if line.joined else 2.5, linestyle=dashes, linewidth=1, alpha=1 if line.joined else 0.6,
    )  # fmt: skip
    for x, (low, high) in zip(across, line.intervals, strict=False):
        axes.plot([x, x], [low, high], color=colour, linewidth=1, alpha=0.7)
    for x, y, name in zip(across, up, line.labels, strict=False):
        axes.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=FONT_SIZE)
    for rank, (name, curve) in enumerate(line.fitted.items()):
        style = _DASHES[rank % len(_DASHES)]
        axes.plot([x for x, _ in curve], [y for _, y in curve], label=name, color=colour, linewidth=1, linestyle=style)


def _plain_number(value: float, position: float) -> str:
    """The label of a tick without powers of ten: 0.5, 20."""
    return f"{value:g}"


def _few_plain_numbers(low: float, high: float) -> Callable[[float, float], str]:
    """Labels of ticks between powers of ten: of 2 and 5 on an axis of less than three powers."""
    narrow = low > 0 and high / low < 1000

    def label(value: float, position: float) -> str:
        first = f"{value:e}"[0]
        return f"{value:g}" if narrow and first in "25" else ""

    return label


def heat_map(names: Sequence[str], cells: Mapping[tuple[str, str], float | None], *, title: str) -> str:
    """Draw a triangle of values from -1 (blue) to 1 (red), each written into its cell; rows and columns are named.

    The triangle is the lower one, whose cells stand beside the names of its rows. Colours are opaque at -1 and 1 and
    let the page through at 0, in light and dark.
    """
    side = 2.2 + 0.55 * len(names)
    with _single_axes(title, side + 0.6, side) as (axes, out):
        for row, b in enumerate(names[1:]):
            for column, a in enumerate(names[: row + 1]):
                value = cells.get((a, b))
                x, y = [column, column + 1, column + 1, column], [row, row, row + 1, row + 1]
                colour = "#808080" if value is None else "#b2172b" if value > 0 else "#2166ab"
                axes.fill(x, y, color=colour, alpha=0.15 if value is None else abs(value), linewidth=0)
                text = "-" if value is None else f"{round(value, 2) + 0.0:.2f}"
                ink = "white" if value is not None and abs(value) > 0.7 else "#000000"
                axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=ink, fontsize=9)
        edges = len(names) - 1
        axes.set_xlim(0, max(edges, 1))
        axes.set_ylim(max(edges, 1), 0)
        axes.set_xticks([at + 0.5 for at in range(edges)], names[:-1], rotation=60, ha="right")
        axes.set_yticks([at + 0.5 for at in range(edges)], names[1:])
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    return out[0]


@contextmanager
def _single_axes(title: str, width: float, height: float, x: str = "", y: str = "") -> Iterator[tuple[Axes, list[str]]]:
    """Yield the axes of a figure, sized in inches, and a list that receives its SVG at the end."""
    with _figure(title, width, height) as (figure, out):
        axes = figure.add_subplot()
        axes.set_title(title, fontsize=11).set_gid(TITLE)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        yield axes, out


@contextmanager
def _figure(title: str, width: float, height: float) -> Iterator[tuple[Figure, list[str]]]:
    """Yield an empty figure, sized in inches, and a list that receives its SVG at the end."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    out: list[str] = []
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)  # type: ignore[arg-type, unused-ignore]
        warnings.simplefilter("ignore", UserWarning)  # the fonts of the viewer are used, not those of this machine
        figure = Figure(figsize=(width, height))
        FigureCanvasSVG(figure)
        yield figure, out
        file = io.BytesIO()
        nothing: dict[str, Any] = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(file, format="svg", metadata=nothing, bbox_inches="tight")
    out.append(_as_document(file.getvalue().decode(), title))


def _as_document(svg: str, title: str) -> str:
    """The SVG of matplotlib in the colours of the reader's scheme, with a title for screen readers, and without a
    prologue that refers to other hosts."""
    body = svg[svg.index("<svg") :].replace("#000000", "currentColor")
    body = re.sub(r"\s*<metadata>.*?</metadata>|<style\b.*?</style>", "", body, flags=re.DOTALL)
    body = _DOTS.sub(_styled_once, body)
    return _with_title(body.replace("<svg", '<svg stroke-linejoin="round"', 1), title)


_DOTS = re.compile(
    r'(<g clip-path="[^"]+")>(\s*<use [^>]*? style="([^"]*)"/>(?:\s*<use [^>]*? style="\3"/>)+)(?=\s*</g>)'
)
"""Markers of one look in a group."""


def _styled_once(dots: re.Match[str]) -> str:
    """Return a group of markers that has their look, instead of each."""
    look = f' style="{dots[3]}"'
    return f"{dots[1]}{look}>{dots[2].replace(look, '')}"


def _with_title(svg: str, title: str) -> str:
    head = f'<svg role="img" aria-label="{xml(title)}" fill="currentColor"'
    return svg.replace("<svg", head, 1).replace(">", f">\n {SCHEMES}<title>{xml(title)}</title>", 1)


def _legend(axes: Axes, groups: Sequence[str]) -> None:
    """Write the names of several groups between the title and the chart."""
    if len(groups) > 1:
        columns = len(groups) if sum(map(len, groups)) <= _LEGEND_LETTERS else 1
        lines = sum(1 + name.count("\n") for name in groups) // columns
        axes.legend(fontsize=_LEGEND_SIZE, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, ncols=columns)
        axes.set_title(axes.get_title(), fontsize=11, pad=_LEGEND_SIZE * (1.4 * lines + 1))


_LEGEND_SIZE = 9
_LEGEND_LETTERS = 36
"""Letters of names that have room on one line."""


def _colour(at: int) -> str:
    return PALETTE[at % len(PALETTE)][0]


FONT_SIZE = 8
GAP = 4
"""Distance of a name from its point, in points of a font."""

RADIUS = 3
"""Half the width of a marker."""

_CLEAR = 2
"""Distance that a name keeps from the markers of other points, where there is room."""

_FAR = 14
_FAR_OUT = 10_000
_SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0))

Box = tuple[float, float, float, float]


def annotate_points(axes: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """Write names beside points (x, y, name), clear of others; in a crowd farther away, with a line to the point.

    The limits of the axes must be final.
    """
    axes.autoscale_view()
    scale = 72 / axes.figure.dpi
    spots = [tuple(scale * coordinate for coordinate in axes.transData.transform((x, y))) for x, y, _ in points]
    left_edge, bottom_edge, right_edge, top_edge = (scale * edge for edge in axes.bbox.extents)
    taken: list[Box] = [
        (left_edge - _FAR_OUT, bottom_edge, left_edge, top_edge),
        (right_edge, bottom_edge, right_edge + _FAR_OUT, top_edge),
        (left_edge, bottom_edge - _FAR_OUT, right_edge, bottom_edge),
        (left_edge, top_edge, right_edge, top_edge + _FAR_OUT),
    ]
    for (left, height, name), (x, y) in sorted(zip(points, spots, strict=True)):
        if not name:
            continue
        width = em_width(name) * FONT_SIZE
        others = [_square(at, up, RADIUS + _CLEAR) for at, up in spots if (at, up) != (x, y)]
        avoided = [*taken, _square(x, y, RADIUS), *others]
        boxes = [
            (distance, across, up, _box(x, y, width, across, up, distance))
            for distance in (GAP, _FAR, 2 * _FAR, 3 * _FAR)
            for across, up in _SIDES
        ]
        # a name farther away costs as much as a small overlap, which hides nothing
        distance, _, _, box = min(boxes, key=lambda spot: spot[0] + sum(_overlap(spot[3], other) for other in avoided))
        taken.append(box)
        axes.annotate(
            name, (left, height), xytext=(box[0] - x, box[1] - y), textcoords="offset points", fontsize=FONT_SIZE,
            arrowprops={"arrowstyle": "-", "color": "#999999", "linewidth": 0.5} if distance > GAP else None,
        )  # fmt: skip


def _box(x: float, y: float, width: float, across: int, up: int, distance: float) -> Box:
    """The rectangle of a name on a side of its point."""
    left = x + across * distance - (0 if across > 0 else width if across < 0 else width / 2)
    bottom = y + up * distance - (0 if up > 0 else FONT_SIZE if up < 0 else FONT_SIZE / 2)
    return left, bottom, left + width, bottom + FONT_SIZE


def _square(x: float, y: float, half: float) -> Box:
    return x - half, y - half, x + half, y + half


def _overlap(box: Box, other: Box) -> float:
    """The area that two rectangles share."""
    across = min(box[2], other[2]) - max(box[0], other[0])
    up = min(box[3], other[3]) - max(box[1], other[1])
    return across * up if across > 0 and up > 0 else 0.0
