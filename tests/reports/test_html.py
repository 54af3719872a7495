"""Folders of results: whole or not at all, and a page that needs nothing but itself."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.reports.pages import check_page
from treesql.drawing import charts
from treesql.errors import UsageError
from treesql.reports import html
from treesql.reports.html import Exhibit, Lanes, StudyAnswer
from treesql.reports.score_charts import Lane, Panel
from treesql.results import pages
from treesql.results.result import Result

TABLE = pa.table({"name": ["<b> & co", 'say "x", y'], "n": [1234, None], "share": [0.25, None]})
RESULT = Result(TABLE, {"las": "las|gold:x@1"}, frozenset({"share"}))


def exhibits() -> list[Exhibit]:
    rows = [("a<b", 0.2, "function"), ("b", 0.4, "content")]
    svg = charts.bars(rows, title="Bars & <more>", value="x", groups=("function", "content"))
    return [
        Exhibit("one", "First <one>", "What & how.", RESULT, svg),
        Exhibit("two", "Second", "Text.", RESULT, svg, part=html.DIFFERENCES, words=["a < b"]),
    ]


def test_files(tmp_path: Path) -> None:
    written = html.write_report(tmp_path / "r", "Title", exhibits()[:1], {"Versions": ["v<1>"]})
    assert [path.name for path in written] == ["one.csv", "one.parquet", "one.svg", "report.html"]
    assert all(path.exists() for path in written)
    assert list(csv.reader((tmp_path / "r" / "one.csv").read_text().splitlines())) == [
        ["name", "n", "share"], ["<b> & co", "1234", "0.25"], ['say "x", y', "", ""],
    ]  # fmt: skip
    found = pq.read_table(tmp_path / "r" / "one.parquet")
    assert found.to_pylist() == TABLE.to_pylist()
    assert found.schema.metadata[b"signature"] == b"las|gold:x@1"
    assert (tmp_path / "r").stat().st_mode & 0o777 == tmp_path.joinpath("r", "one.csv").stat().st_mode & 0o777 | 0o111


def test_a_page_needs_nothing_but_itself() -> None:
    text = html.page("A & B", exhibits(), {"Files": ["0123  a<b.conllu"]}, "Summary.")
    page = check_page(text)
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(page.ids)
    assert [title for level, title in page.headings if level == 2] == [
        "Scores", "Where they differ", "How this was computed",
    ]  # fmt: skip
    for shown in (
        "&lt;b&gt; &amp; co</th>",
        ">share (%)</th>",
        ">1234</td>",
        ">25.00</td>",
        ">-</td>",
        "a&lt;b.conllu",
        "First &lt;one&gt;",
        "<summary>LaTeX</summary>",
        "<li>a &lt; b</li>",
    ):
        assert shown in text.replace("<wbr>", "")


def test_the_answer_comes_first_with_its_picture() -> None:
    lanes = Lanes(["las"], Panel("Percent", "", [Lane("Danish", [])]), None)
    svg = exhibits()[0].svg
    lead = Exhibit("lead", "Lead", "About it.", RESULT, svg, part=html.ANSWER, lanes=lanes)
    text = html.page("T", [*exhibits(), lead], {}, "Kicker.", StudyAnswer("a is <best>", ["Surely."]))
    page = check_page(text)
    assert page.headings[0] == (1, "a is <best>")
    assert text.index("Surely.") < text.index("About it.") < text.index("Danish") < text.index("What &amp; how.")
    assert not lead.figures  # the page has lanes instead, which are as wide as it


def test_wide_charts_scroll_and_others_shrink() -> None:
    [narrow] = exhibits()[0].figures
    assert not narrow.scrolls
    names = [f"metric_{at}" for at in range(12)]
    heat = Exhibit("heat", "Heat", "Text.", RESULT, charts.heat_map(names, {}, title="Heat"))
    assert heat.figures[0].scrolls
    assert heat.is_wide


def test_a_folder_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert html.write_report(tmp_path / "empty", "T", exhibits(), {})
    (tmp_path / "file").write_text("mine")
    for name in ("empty", "file"):
        with pytest.raises(UsageError, match="exists and is not empty; remove it"):
            html.write_report(tmp_path / name, "T", exhibits(), {})
    with pytest.raises(UsageError, match="there is no folder"):
        html.write_report(tmp_path / "no" / "such", "T", exhibits(), {})
    assert (tmp_path / "file").read_text() == "mine"


def test_whole_or_not_at_all(tmp_path: Path) -> None:
    broken = Exhibit("no/such", "T", "x", RESULT)
    with pytest.raises(UsageError, match="/r: No such file or directory; name a place that can be written"):
        html.write_report(tmp_path / "r", "T", [*exhibits(), broken], {})
    assert list(tmp_path.iterdir()) == []


def test_a_page_and_its_data(tmp_path: Path) -> None:
    out, data = tmp_path / "r.html", tmp_path / "data"
    long = Exhibit("spans", "Spans", "Text.", RESULT, limit=1)
    assert html.write_report(out, "T", [*exhibits(), long], {}) == [out]
    assert "<p>1 more row, which <code>--data DIR</code> writes</p>" in out.read_text("utf-8")
    html.write_report(tmp_path / "all", "T", [long], {})
    assert "<p>1 more row: spans.csv among the data</p>" in (tmp_path / "all" / "report.html").read_text("utf-8")
    shutil.rmtree(tmp_path / "all")
    written = html.write_report(out, "T", exhibits()[:1], {}, data=data)
    assert [path.name for path in written] == ["one.csv", "one.parquet", "one.svg", "r.html"]
    for place, folder, told in (
        (tmp_path / "folder", tmp_path / "d", "the folder .* receives the data as well"),
        (tmp_path / "no" / "r.html", None, "there is no folder"),
        (out, data, "exists and is not empty"),
    ):
        with pytest.raises(UsageError, match=told):
            html.write_report(place, "T", exhibits(), {}, data=folder)
    broken = Exhibit("no/such", "T", "x", RESULT)
    with pytest.raises(UsageError):
        html.write_report(tmp_path / "s.html", "T", [broken], {}, data=tmp_path / "e")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "r.html"]


def test_a_command_line() -> None:
    options = {"a": ["x y", "b"], "between": [(1, 2.5)], "flag": True, "none": None, "no": False, "-o": "r", "seed": 0}
    assert html.command_line(["treesql", "c"], options) == (
        "treesql c --a 'x y' --a b --between 1 2.5 --flag -o r --seed 0"
    )


def test_the_style_sheets_are_small_and_load_nothing() -> None:
    templates = Path(pages.__file__).parent / "templates"
    assert sum((templates / name).stat().st_size for name in ("style.css", "site/site.css")) <= 20_000
    text = pages.render("site/site.css")
    assert not re.search(r"@import|url\(", text)
    for number, (light, dark) in enumerate(pages.PALETTE, 1):
        assert f"--s{number}: {light};" in text
        assert f"--s{number}: {dark};" in text


def test_lines_of_charts_have_the_colours_of_the_page() -> None:
    [figure] = exhibits()[0].figures
    assert f"var(--s1, {pages.PALETTE[0][0]})" in figure.svg
    assert "var(" not in str(exhibits()[0].svg)  # a file is read without the style sheet


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("upos = 'NOUN'", "\"upos = 'NOUN'\""), ("a b", "'a b'"), ("form = '$'", "'form = '\"'\"'$'\"'\"''"),
        ("it's \"so\"", "'it'\"'\"'s \"so\"'"),
    ],
)  # fmt: skip
def test_conditions_in_commands_are_read_as_they_are_typed(value: str, written: str) -> None:
    line = html.command_line(["treesql", "score"], {"where": value})
    assert line == f"treesql score --where {written}"
    assert shlex.split(line)[-1] == value


def test_a_title_that_is_the_heading_is_not_in_the_chart_again() -> None:
    chart = charts.lines({"a": [(1.0, 0.5), (2.0, 0.7)]}, title="Scores & co", x="n", y="las")
    [same] = Exhibit("one", "Scores & co: malt", "Text.", RESULT, chart).figures
    assert ">Scores &amp; co<" not in same.svg.replace("<title>Scores &amp; co<", "")
    [other] = Exhibit("one", "Others", "Text.", RESULT, chart).figures
    assert ">Scores &amp; co</text>" in other.svg


def test_exhibits_of_a_group_are_folded_together() -> None:
    first, second = Exhibit("a", "A", "Text.", RESULT), Exhibit("b", "B", "Text.", RESULT, group="The same for b")
    text = html.page("T", [first, second, Exhibit("c", "C", "Text.", RESULT, group="The same for a")], {})
    assert re.findall("The same for .", text) == ["The same for b", "The same for a"]
    before, _, behind = text.partition("<details><summary>The same for b</summary>")
    assert '<h3 id="a">' in before
    assert '<h3 id="b">' in behind.partition("</details>")[0]
