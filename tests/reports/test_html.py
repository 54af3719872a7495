"""Folders of results: whole or not at all, and a page that needs nothing but itself."""

from __future__ import annotations

import csv
import re
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from treesql.drawing import charts
from treesql.errors import UsageError
from treesql.reports import html
from treesql.reports.html import Exhibit
from treesql.results.result import Result

TABLE = pa.table({"name": ["<b> & co", 'say "x", y'], "n": [1234, None], "share": [0.25, None]})
RESULT = Result(TABLE, {"las": "las|gold:x@1"}, frozenset({"share"}))


def exhibits() -> list[Exhibit]:
    rows = [("a<b", 0.2, "function"), ("b", 0.4, "content")]
    svg = charts.bars(rows, title="Bars & <more>", value="x", groups=("function", "content"))
    return [Exhibit("one", "First <one>", "What & how.", RESULT, svg), Exhibit("two", "Second", "Text.", RESULT, svg)]


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


class Page(HTMLParser):
    """What a page holds: ids, references, and tags that are open at the end."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.references: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.references += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_needs_nothing_but_itself() -> None:
    text = html.page("A & B", exhibits(), {"Files": ["0123  a<b.conllu"]}, "Summary.")
    page = Page(text)
    assert not page.open
    assert len(set(page.ids)) == len(page.ids)
    assert page.references
    assert {reference[:1] for reference in page.references} == {"#"}
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(page.ids)
    assert "<script" not in text
    assert not re.search(r"https?://(?!www\.w3\.org/(2000/svg|1999/xlink))", text)
    for shown in (
        "&lt;b&gt; &amp; co</th>",
        ">share (%)</th>",
        ">1234</td>",
        ">25.00</td>",
        ">-</td>",
        "a&lt;b.conllu",
        "First &lt;one&gt;",
    ):
        assert shown in text


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
