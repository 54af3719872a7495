"""Templates: all text is escaped, nothing is left out silently, and markup stands in them alone."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from tests.conftest import ROOT
from tests.house.rules import assert_none
from treesql.results import pages
from treesql.results.documents import Cell, DocumentTable
from treesql.results.pages import Figure

HOSTILE = "<b>\x1b&\"'"
MARKUP = re.compile(r"</?(?:div|p|table|thead|tbody|tr|td|th|ul|li|span|h[1-6]|pre|figure|section|details|ruby)[ >]")


def test_a_table_for_a_page() -> None:
    cells = [Cell(HOSTILE), Cell("1", "†", True), Cell("2", href="#s?a&b", mark="h3 right")]
    table = DocumentTable(["", "a\nb", "n"], [False, True, True], [cells], caption="c <d>", more=1234)
    assert pages.render("table.html", table=table) == (
        "<table>\n<caption>c &lt;d&gt;</caption>\n<thead><tr><td></td>"
        '<th scope="col" style="text-align: right">a<br>b</th><th scope="col" style="text-align: right">n</th></tr>'
        '</thead>\n<tbody>\n<tr><th scope="row" dir="auto">&lt;b&gt;\ufffd&amp;&#34;&#39;</th>'
        '<td style="text-align: right"><strong>1</strong>†</td>'
        '<td class="h3 right" style="text-align: right"><a href="#s?a&amp;b">2</a></td></tr>\n</tbody>\n</table>\n'
        "<p>1,234 more rows</p>\n"
    )


def test_parts_of_a_notebook() -> None:
    figures = [Figure(HOSTILE, "<svg></svg>"), Figure(text="a"), Figure(why="b")]
    assert pages.notebook(*figures) == (
        '<p>&lt;b&gt;\ufffd&amp;&#34;&#39;</p>\n<div style="overflow-x: auto"><svg></svg></div>\n'
        '<p dir="auto">a</p>\n<p>b</p>\n'
    )
    assert pages.notebook(table=DocumentTable([], [], [])) == "<table>\n</table>\n"


def test_signs_in_code_keep_quotes() -> None:
    text = pages.render_text("{{ what|coded }}", what="expected `|`, `,` or `obj`")
    assert re.sub(' style="[^"]*"', "", text) == (
        "expected <code>&#39;|&#39;</code>, <code>&#39;,&#39;</code> or <code>obj</code>"
    )
    assert text.count("nowrap") == 3
    assert "nowrap" not in pages.render_text("{{ what|coded }}", what=f"write `{'x' * 30}`")


def test_what_a_template_names_has_to_be_given() -> None:
    with pytest.raises(UndefinedError, match="'figures' is undefined"):
        pages.render("drawings.html", title="x")


def test_the_page_of_components_shows_what_it_says() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "components.py"))["page"]()
    assert "hollow: chance can explain the difference from malt" in page
    assert "pale: not tested" in page
    assert "each row in its own place, all 8 points wide" in page
    heat = "&lt;td style=&quot;--v:62%&quot;&gt;48&lt;/td&gt;&lt;td class=&quot;all&quot;&gt;31&lt;/td&gt;"
    assert heat in page  # the largest number has the most colour, sums have none


def literals(text: str) -> list[str]:
    """The texts of a module that are no docstrings."""
    tree = ast.parse(text)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in alone)
    return [node.value for node in constants if isinstance(node.value, str)]


def test_markup_stands_in_templates_alone() -> None:
    def found_in(path: Path) -> list[str]:
        text = path.read_text("utf-8")
        return [one[:80] for one in literals(text) if MARKUP.search(one)] if MARKUP.search(text) else []

    assert_none({str(path.relative_to(ROOT)): found_in(path) for path in sorted((ROOT / "treesql").rglob("*.py"))})


def test_markup_in_modules_is_found() -> None:
    assert [one for one in literals('"""<p>"""\nx = f"<p>{x}</p>"\n"<td>"\n') if MARKUP.search(one)] == ["<p>", "</p>"]
