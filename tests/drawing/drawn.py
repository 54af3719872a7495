"""What tests of drawings draw."""

from __future__ import annotations

from hypothesis import strategies as st

from treesql.drawing.arcs import Arc

HEBREW = (
    ["הילד", "אכל", "(", "תפוח", ")", "."],
    [2, 0, 4, 2, 4, 2],
    ["nsubj", "root", "punct", "obj", "punct", "punct"],
)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[float], list[Arc], list[Arc]]:
    n = draw(st.integers(1, 14))
    widths = draw(st.lists(st.integers(1, 12), min_size=n, max_size=n))
    heads = draw(st.lists(st.integers(0, n), min_size=n, max_size=n))
    more = draw(
        st.lists(st.tuples(st.integers(0, n), st.integers(1, n), st.sampled_from("a bb")), max_size=6, unique=True)
    )
    above = [Arc(head, at, "x" * (at % 4 + 1)) for at, head in enumerate(heads, 1) if head != at]
    return [float(max(width, 4)) for width in widths], above, [Arc(*one) for one in more if one[0] != one[1]]
