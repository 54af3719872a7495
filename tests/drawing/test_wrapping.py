"""Words and arcs in rows: every arc whole or in two stubs, nothing on top of anything else."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tests.drawing.drawn import graphs
from treesql.drawing.arcs import Arc, Row, Segment
from treesql.drawing.measures import Ruler
from treesql.drawing.wrapping import WrappedArcs, break_rows

RULER = Ruler(label=lambda text: len(text) + 3.0, gap=1)
Graph = tuple[list[float], list[Arc], list[Arc]]


def name(segment: Segment) -> str:
    """What stands at a stub in these tests: the arcs that leave the row there."""
    return ",".join(f"{arc.head}-{arc.dependent}" for arc in (segment.arc, *segment.more))


def rows_of(graph: Graph, limit: float | None, *, right_to_left: bool = False) -> list[Row]:
    widths, above, below = graph
    return WrappedArcs(widths, above, below, RULER, limit, right_to_left, (), name).rows()


@given(graphs(), st.sampled_from([None, 30.0, 60.0]), st.booleans())
def test_every_arc_is_whole_or_leaves_one_row_for_another(
    graph: Graph, limit: float | None, right_to_left: bool
) -> None:
    laid = rows_of(graph, limit, right_to_left=right_to_left)
    shown = [word for row in laid for word in (row.words[::-1] if right_to_left else row.words)]
    assert shown == list(range(len(graph[0])))
    row_of = {word + 1: at for at, row in enumerate(laid) for word in row.words}
    for arcs, side in ((graph[1], "above"), (graph[2], "below")):
        pointed = [segment.arc for row in laid for segment in getattr(row, side) if segment.dependent]
        assert sorted(pointed, key=str) == sorted(arcs, key=str)
        left = [arc for row in laid for one in getattr(row, side) if not one.dependent for arc in (one.arc, *one.more)]
        torn = [arc for arc in arcs if arc.head and row_of[arc.head] != row_of[arc.dependent]]
        assert sorted(left, key=str) == sorted(torn, key=str)
    if limit is None:
        assert len(laid) == 1


@given(graphs(), st.sampled_from([None, 30.0, 60.0]), st.booleans())
def test_nothing_overlaps(graph: Graph, limit: float | None, right_to_left: bool) -> None:
    for row in rows_of(graph, limit, right_to_left=right_to_left):
        bounds = [
            (centre - graph[0][word] / 2, centre + graph[0][word] / 2)
            for word, centre in zip(row.words, row.centres, strict=True)
        ]
        assert all(end <= start + 1e-6 for (_, end), (start, _) in itertools.pairwise(bounds))
        assert bounds[0][0] >= -1e-6
        assert bounds[-1][1] <= row.width + 1e-6
        for segments in (row.above, row.below):
            by_level: dict[int, list[Segment]] = {}
            for segment in segments:
                by_level.setdefault(segment.level, []).append(segment)
                if segment.stub:
                    room = segment.start if segment.left < 0 else row.width - segment.end
                    assert room >= RULER.label(segment.stub) - 1e-6
                elif segment.left != segment.right:
                    assert segment.end - segment.start >= RULER.label(segment.arc.label) - 1e-6
            for same in by_level.values():
                same.sort(key=lambda segment: segment.left + segment.right)
                for one, other in itertools.pairwise(same):
                    assert one.end <= other.start + 1e-6


def test_arcs_of_a_head_share_a_line_and_a_stub() -> None:
    """Five dependents behind the break: one stub as long as it is short, and all lines begin at one place."""
    arcs = [Arc(1, at, "x") for at in range(2, 8)]
    [whole] = rows_of(([9.0] * 7, arcs, []), None)
    assert len({segment.start for segment in whole.above}) == 1
    first, *_ = rows_of(([9.0] * 7, arcs, []), 36.0)
    assert first.words == [0, 1, 2]
    assert [segment.stub for segment in first.above if not segment.dependent] == ["1-4", "1-5", "1-6", "1-7"]
    wide, *_ = rows_of(([40.0] * 7, arcs, []), 170.0)
    [stub] = [segment.stub for segment in wide.above if not segment.dependent][:1]
    assert stub.startswith(f"1-{len(wide.words) + 1},1-")


def test_arcs_that_enter_a_row_from_one_head_are_one_line() -> None:
    arcs = [Arc(1, at, "x") for at in range(2, 8)]
    _, *further = rows_of(([9.0] * 7, arcs, []), 36.0)
    for row in further:
        (first, *others) = [segment for segment in row.above if segment.dependent]
        assert first.stub == f"1-{first.arc.dependent}"
        assert {segment.level for segment in row.above} == {1}
        for before, segment in itertools.pairwise([first, *others]):
            assert segment.after is before
            assert segment.start == before.end
            assert not segment.stub


def test_rows_break_where_few_arcs_cross() -> None:
    def extent(first: int, last: int) -> float:
        return 10.0 * (last - first)

    assert break_rows(6, extent, [0, 5, 5, 5, 1, 5], 40.0, ()) == [0, 4, 6]
    assert break_rows(6, extent, [0, 5, 1, 5, 5, 5], 40.0, ()) == [0, 2, 6]
    assert break_rows(6, extent, [0, 5, 1, 5, 5, 5], 40.0, {2}) != [0, 2, 6]
    assert break_rows(3, extent, [0, 0, 0], 1.0, ()) == [0, 1, 2, 3]
