"""Names beside the points of a chart, each where it covers no other name, no point and no axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treesql.drawing.measures import em_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FONT_SIZE = 8
GAP = 4
"""Distance of a name from its point, in points of a font."""

RADIUS = 3
"""Half the width of a marker."""

_FAR = 14
_FAR_OUT = 10_000
_SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0))

Box = tuple[float, float, float, float]


def annotate_points(axes: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """Write names beside points (x, y, name); in a crowd farther away, with a line to the point.

    The limits of the axes must be final.
    """
    axes.autoscale_view()
    scale = 72 / axes.figure.dpi
    spots = [tuple(scale * one for one in axes.transData.transform((x, y))) for x, y, _ in points]
    left_edge, bottom_edge, right_edge, top_edge = (scale * one for one in axes.bbox.extents)
    taken: list[Box] = [
        (left_edge - _FAR_OUT, bottom_edge, left_edge, top_edge),
        (right_edge, bottom_edge, right_edge + _FAR_OUT, top_edge),
        (left_edge, bottom_edge - _FAR_OUT, right_edge, bottom_edge),
        (left_edge, top_edge, right_edge, top_edge + _FAR_OUT),
    ]
    taken += [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in spots]
    for (left, height, name), (x, y) in sorted(zip(points, spots, strict=True)):
        if not name:
            continue
        width = em_width(name) * FONT_SIZE
        boxes = [
            (distance, across, up, _box(x, y, width, across, up, distance))
            for distance in (GAP, _FAR, 2 * _FAR, 3 * _FAR)
            for across, up in _SIDES
        ]
        distance, _, _, box = min(boxes, key=lambda one: sum(_overlap(one[3], other) for other in taken))
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


def _overlap(one: Box, other: Box) -> float:
    """The area that two rectangles share."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    up = min(one[3], other[3]) - max(one[1], other[1])
    return across * up if across > 0 and up > 0 else 0.0
