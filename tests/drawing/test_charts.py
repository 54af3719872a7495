"""Charts: well-formed SVG with its texts as text, the same bytes every time."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache

import pyarrow as pa
import pytest

from tests.house.rules import check_each
from treesql.drawing import charts, terminal
from treesql.drawing.measures import em_width
from treesql.drawing.svg import as_element
from treesql.results.pages import PALETTE
from treesql.results.result import Result

BARS = [("neg", 0.1, "function"), ("a<b & $x$", 0.5, "content"), ("日本", 0.4, "other")]
POINTS = {"content": [(0.1, 0.2, "Danish"), (0.3, 0.4, "Dutch")], "function": [(0.2, 0.3, "Polish")], "none": []}
LINES = {"las": [(0.0, 0.5), (1.0, 0.7)], "wlas": [(0.0, 0.4)]}
PANELS = [
    charts.LinePanel("swcd", [
        charts.Line("", [(1.8, 0.37), (6.7, 0.38)], 0, 0, {"logarithm": [(1.8, 0.37), (4, 0.375), (6.7, 0.38)]},
                    labels=["sparse", ""])], "density", "share"),
    charts.LinePanel("ger < 1", [charts.Line("", [(1.8, 0.6), (6.7, 0.4)], 0, 0)], "density", "share"),
]  # fmt: skip
CELLS = {("a", "b"): 1.0, ("a", "c"): None, ("b", "c"): -0.004}

DRAWN: dict[str, Callable[[], str]] = {
    "bars": lambda: charts.bars(BARS, title="Bars <1>", value="wde", groups=("function", "content", "other")),
    "scatter": lambda: charts.scatter(POINTS, title="Points", x="sttr", y="share"),
    "lines": lambda: charts.lines(LINES, title="Lines", x="k", y="variance"),
    "named lines": lambda: charts.lines(LINES, title="Lines", x="", y="score", names=["Danish", "Church Slavonic"]),
    "panels": lambda: charts.line_panels(PANELS, title="Panels"),
    "heat map": lambda: charts.heat_map(["a", "b", "c"], CELLS, title="Heat"),
}


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@cache
def drawn(name: str) -> str:
    return DRAWN[name]()


def test_every_chart_is_svg_that_says_what_it_is_the_same_whatever_the_settings() -> None:
    import matplotlib

    def check(name: str) -> None:
        svg = drawn(name)
        root = ET.fromstring(svg)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        title = root.find("{http://www.w3.org/2000/svg}title")
        assert title is not None
        assert root.get("role") == "img"
        assert root.get("aria-label") == title.text
        assert title.text in texts(svg)
        assert not re.search(r"<metadata|DOCTYPE|\d{4}-\d\d-\d\dT", svg)
        assert "stroke: currentColor" in svg or name == "heat map"
        assert "#000000" not in svg
        element = as_element(svg, "own-")
        assert "<style" not in element
        ids = re.findall(r'\bid="([^"]+)"', element)
        assert all(one.startswith("own-") for one in ids)
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', element)) <= set(ids)
        with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": "x", "svg.fonttype": "path"}):
            assert DRAWN[name]() == svg
            assert matplotlib.rcParams["font.size"] == 30

    check_each(check, {name: name for name in DRAWN})


def test_panels() -> None:
    shown = texts(drawn("panels"))
    assert {"swcd", "ger < 1", "sparse", "logarithm"} <= set(shown)
    assert shown.count("density") == shown.count("share") == 2
    first, second = map(texts, charts.panels_of(drawn("panels")))
    assert "swcd" in first
    assert "ger < 1" in second
    assert charts.panels_of(drawn("bars")) == [drawn("bars")]


def test_panels_have_three_beside_each_other() -> None:
    [panel] = PANELS[1:]
    svg = charts.line_panels([panel] * 4, title="Four")
    places = re.findall(r'<svg class="panel" x="([\d.]+)" y="([\d.]+)"', svg)
    assert len({x for x, _ in places}) == 3
    assert [y for _, y in places].count(places[0][1]) == 3


def test_a_long_legend_does_not_flatten_the_panel() -> None:
    def of_lines(n: int) -> tuple[float, float]:
        """The height of the picture, and of the line from the lowest to the highest value."""
        line = charts.Line("a", [(1, 0.0), (2, 1.0)], 0, 0)
        svg = charts.line_panels([charts.LinePanel("p", [line] * n, "x")], title="t")
        ends = re.findall(r"<path d=\"M [\d.]+ ([\d.]+) \nL [\d.]+ ([\d.]+) \n\" clip-path", svg)
        rises = [abs(float(low) - float(high)) for low, high in ends]
        return float(re.search(r'height="([\d.]+)"', svg)[1]), max(rises)  # type: ignore[index]

    (low, of_two), (high, of_twelve) = of_lines(2), of_lines(12)
    assert high > low + 90
    assert of_twelve == pytest.approx(of_two, rel=0.25)


def test_bars() -> None:
    svg = drawn("bars")
    assert {"neg", "a<b & $x$", "日本", "function", "content", "other", "wde"} <= set(texts(svg))
    for colour in PALETTE[:3]:
        assert colour[0] in svg
    assert ET.fromstring(charts.bars([], title="None", value="x", groups=())).tag.endswith("svg")


def test_names_of_a_crowd_are_apart() -> None:
    crowd = [(0.5 + at % 4 * 0.001, 0.5 + at // 4 * 0.001, f"Treebank {at}") for at in range(12)]
    crowded = charts.scatter({"all": [*crowd, (0.0, 0.0, "far"), (1.0, 1.0, "away")]}, title="", x="", y="")
    found = re.findall(r' x="([\d.]+)" y="([\d.]+)"[^>]*>Treebank', crowded)
    places = [(float(x), float(y)) for x, y in found]
    assert len(places) == 12
    assert all(abs(b - y) >= 7.9 or abs(a - x) > 40 for (a, b), (x, y) in itertools.combinations(places, 2))


def test_names_are_clear_of_the_markers_of_other_points() -> None:
    shares = [(0.617, 0.616, "Croatian"), (0.627, 0.662, "Finnish"), (0.652, 0.651, "Polish")]
    ends = [(0.438, 0.544, "Dutch"), (0.463, 0.637, "Persian"), (0.627, 0.173, "")]
    svg = charts.scatter({"content": [*shares, *ends]}, title="", x="", y="")
    markers = [(float(x), float(y)) for x, y in re.findall(r'<use [^>]*x="([\d.]+)" y="([\d.]+)"/>', svg)]
    names = re.findall(r' x="([\d.]+)" y="([\d.]+)"[^>]*>(Polish|Croatian)<', svg)
    assert len(names) == 2
    for left, base, name in names:
        width = em_width(name) * charts.FONT_SIZE
        gaps = sorted(
            max(float(left) - x, x - float(left) - width, y - float(base), float(base) - charts.FONT_SIZE - y)
            for x, y in markers
        )
        assert gaps[1] >= charts.RADIUS + 2, "the first is the gap to its own point"


def test_treebanks_without_an_order_are_not_joined() -> None:
    line = re.compile(rf'style="fill: none; stroke: {PALETTE[0][0]}')
    assert line.search(drawn("lines"))
    assert not line.search(drawn("named lines"))


def test_points_and_lines_are_drawn_with_their_names() -> None:
    assert {"Danish", "Dutch", "Polish", "content", "function", "sttr", "share"} <= set(texts(drawn("scatter")))
    assert {"las", "wlas", "k", "variance"} <= set(texts(drawn("lines")))
    assert {"Danish", "Church Slavonic"} <= set(texts(drawn("named lines")))


def test_a_heat_map_writes_every_cell() -> None:
    svg = drawn("heat map")
    assert sorted(texts(svg)) == sorted(["1.00", "-", "0.00", "b", "c", "a", "b", "Heat"])
    assert "#b2172b" in svg  # the red of 1
    assert "#808080" in svg  # the grey of what is not there


@pytest.mark.slow
def test_no_window_system_is_touched() -> None:
    code = "from treesql.drawing import charts; import sys\ncharts.lines({}, title='', x='', y=''); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "matplotlib.pyplot" not in done.stdout.split()


WDE = Result(
    pa.table({"relation": ["cc", "obj", "x"], "class": ["function", "content", "odd"], "wde": [0.1, 1.0, None]})
)


def test_bars_in_a_file_are_ascii() -> None:
    rows = terminal.with_bars(WDE, "wde", "class", ("function", "content", "other")).rows()
    assert [row["bar"] for row in rows] == ["####", "=" * 40, ""]


def test_bars_on_a_terminal_have_a_colour_per_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = terminal.with_coloured_bars(WDE, "wde", "class", ("function", "content", "other"))
    cc, obj, odd = (next(line for line in text.splitlines() if name in line) for name in ("cc ", "obj", "odd"))
    assert "\x1b[34m" + "█" * 4 in cc
    assert "\x1b[31m" + "█" * 40 in obj
    assert "█" not in odd
