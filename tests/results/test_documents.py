"""Tables of documents: which cells there are, which are bold, and how each format writes them."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest
from markdown_it import MarkdownIt

import treesql
from tests.house.rules import in_turn
from treesql.errors import UnknownName
from treesql.results import documents, tables
from treesql.results.documents import Cell, DocumentTable
from treesql.results.result import MAX_ROWS_IN_NOTEBOOK, Result

SCORES = Result(
    pa.table(
        {
            "system": ["a", "b", "c"],
            "words": [30, 30, 30],
            "las": [0.8, 0.9, 0.90001],
            "las_low": [0.7, 0.85, None],
            "las_high": [0.9, 1.0, None],
            "ter": [0.25, 0.5, None],
            "length": [3.5, 2.0, -1.0],
        }
    ),
    dict.fromkeys(("a:words", "a:las", "a:ter", "a:length"), "x"),
    frozenset({"las", "las_low", "las_high"}),
    {"las": "higher", "ter": "lower", "length": "neither"},
)
"""b and c look equal, ter is better when lower and missing once, length has no better side."""

MARKDOWN = """\
| system | words |                   las (%) |      ter | length |
| ------ | ----: | ------------------------: | -------: | -----: |
| a      |    30 |      80.00 [70.00, 90.00] | **0.25** |    3.5 |
| b      |    30 | **90.00** [85.00, 100.00] |      0.5 |      2 |
| c      |    30 |                 **90.00** |        - |     -1 |
"""

LATEX = r"""% \usepackage{booktabs}
\begin{tabular}{lrrrr}
\toprule
system & words & las (\%) & ter & length \\
\midrule
a & 30 & 80.00 [70.00, 90.00] & \textbf{0.25} & 3.5 \\
b & 30 & \textbf{90.00} [85.00, 100.00] & 0.5 & 2 \\
c & 30 & \textbf{90.00} & -- & $-$1 \\
\bottomrule
\end{tabular}
"""

HTML = """\
<table>
<thead><tr><th scope="col">system</th>*<th scope="col">words</th>*<th scope="col">las (%)</th>
*<th scope="col">ter</th>*<th scope="col">length</th></tr></thead>
<tbody>
<tr><th>a</th>*<td>30</td>*<td>80.00 [70.00, 90.00]</td>*<td><strong>0.25</strong></td>*<td>3.5</td></tr>
<tr><th>b</th>*<td>30</td>*<td><strong>90.00</strong> [85.00, 100.00]</td>*<td>0.5</td>*<td>2</td></tr>
<tr><th>c</th>*<td>30</td>*<td><strong>90.00</strong></td>*<td>-</td>*<td>-1</td></tr>
</tbody>
</table>
"""
HTML = re.sub(r"\n?\*<([^>]*)>", r'<\1 style="text-align: right">', HTML).replace("<th>", '<th scope="row" dir="auto">')
"""Cells after `*` are aligned to the right."""

TURNED = """\
| measure |                    a |                         b |         c |
| ------- | -------------------: | ------------------------: | --------: |
| words   |                   30 |                        30 |        30 |
| las (%) | 80.00 [70.00, 90.00] | **90.00** [85.00, 100.00] | **90.00** |
| ter     |             **0.25** |                       0.5 |         - |
| length  |                  3.5 |                         2 |        -1 |
"""

HOSTILE = [
    "_ % & # $ { } ~ ^ \\", "a|b", "**x**", "`c`", "<b>&amp;</b>", "[a](b)", "nsubj_pass", "_x_", "\\|", "x\\", "don't",
    "$x$", "~~s~~", "--", "''", "``", "\\textbf{x}", "vélo 语言", '"',
]  # fmt: skip
"""Texts that are marked up, or end a cell, in one of the formats."""


def best_of(result: Result) -> list[list[bool]]:
    return [[cell.best for cell in row] for row in result._arranged().rows]


def test_scores_in_every_format() -> None:
    assert SCORES.markdown() == MARKDOWN
    assert SCORES.latex() == LATEX
    assert SCORES.html() == HTML
    in_notebook = re.sub(r'(<td style="text-align: right)', r"\1; white-space: nowrap", HTML)
    in_notebook = in_notebook.replace('<th scope="col">', '<th scope="col" style="text-align: start">')
    in_notebook = in_notebook.replace('dir="auto">', 'dir="auto" style="text-align: start; white-space: nowrap">')
    assert SCORES._repr_html_() == in_notebook  # intervals stay on a line, names at the left
    assert SCORES.markdown(turned_by="system") == TURNED


def test_the_best_score_of_a_group_is_bold() -> None:
    table = pa.table(
        {"system": ["a", "b", "a", "b", "a"], "upos": ["X", "X", "Y", "Y", "Z"], "las": [1.0, 0.5, 0, 0, 1]}
    )
    result = Result(table, {"a:las": "las|x"}, frozenset({"las"}), {"las": "higher"})
    assert best_of(result) == [
        [False, False, True], [False, False, False],
        [False, False, True], [False, False, True],  # a tie
        [False, False, False],  # a single system
    ]  # fmt: skip


@in_turn(
    ("values", "direction", "bold"),
    [
        ([1.0, 2.0], "higher", [False, True]),
        ([1.0, 2.0], "lower", [True, False]),
        ([1.0, 2.0], "neither", [False, False]),
        ([2.0, 2.0], "lower", [True, True]),
        ([None, 2.0], "higher", [False, False]),
        ([float("nan"), 2.0, 1.0], "higher", [False, True, False]),
        ([2.0], "higher", [False]),
        ([None, None], "higher", [False, False]),
    ],
)
def test_what_is_best(values: list[float | None], direction: str, bold: list[bool]) -> None:
    systems = [f"s{at}" for at in range(len(values))]
    table = pa.table({"system": systems, "x": pa.array(values, pa.float64())})
    assert [row[1] for row in best_of(Result(table, directions={"x": direction}))] == bold


def test_without_systems_nothing_is_best() -> None:
    table = pa.table({"relation": ["a", "b"], "x": [1.0, 2.0]})
    assert best_of(Result(table, directions={"x": "higher"})) == [[False, False]] * 2


def test_a_column_that_is_missing() -> None:
    with pytest.raises(UnknownName, match="sistem"):
        SCORES.markdown(turned_by="sistem")


def test_tables_without_rows_and_without_columns() -> None:
    empty, nothing = (
        Result(pa.table({"a": pa.array([], pa.string()), "n": pa.array([], pa.int64())})),
        Result(pa.table({})),
    )
    assert empty.markdown() == "| a   |   n |\n| --- | --: |\n"
    assert r"\midrule" + "\n" + r"\bottomrule" in empty.latex()
    assert "<tbody>\n</tbody>" in empty.html()
    assert (nothing.markdown(), nothing.latex(), nothing.html()) == ("", "", "<table>\n</table>\n")


def test_notes() -> None:
    table = DocumentTable(["x"], [True], [[Cell("1", "†")]], ["† p < 0.05", "50%"])
    assert "".join(documents.markdown(table)).endswith("|  1† |\n\n† p \\< 0.05\n\n50%\n")
    assert "".join(documents.latex(table)).endswith(
        "1\\textdagger{} \\\\\n\\bottomrule\n\\end{tabular}\n\\par\\smallskip\n{\\footnotesize\n"
        "\\textdagger{} p \\textless{} 0.05\\par\n50\\%\\par\n}\n"
    )
    assert '<caption style="caption-side: bottom; text-align: left">† p &lt; 0.05<br>\n50%</caption>' in "".join(
        documents.html(table)
    )


@pytest.mark.spread(2)
@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
def test_tables_are_written_in_blocks_of_rows(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each as it is made, and all of them the same as one block."""
    days = pa.array([None, 3, 4, 5, 6, 7, 8], pa.int32()).cast(pa.date32())
    texts = ["é", None, "a\nb ", "|", "x" * 30, "", ""]
    rows = Result(pa.table({"text": texts, "day": days, "n": [1, 2, 30, None, 5, 6, 7]}))
    scores = Result(pa.concat_tables([SCORES.arrow()] * 3), SCORES.signatures, SCORES.percent, SCORES.directions)
    for result in (rows, scores, Result(pa.table({"": ["", "x", "", "", ""]})), rows.head(0)):
        written: dict[int, list[bytes]] = {}
        for size in (1000, 2):
            for module in (documents, tables):
                monkeypatch.setattr(module, "BLOCK", size)
            written[size] = parts_written(result, form)
        assert b"".join(written[1000]) == b"".join(written[2])
        assert len(written[2]) > len(written[1000]) or len(result) < 2


def parts_written(result: Result, form: str) -> list[bytes]:
    class Sink(io.BytesIO):
        def write(self, data: Any) -> int:
            parts.append(bytes(data))
            return len(data)

    parts: list[bytes] = []
    treesql.write(result, Sink(), format=form)
    return parts


class Cells(HTMLParser):
    """The texts of the cells of a table; a line break is a newline."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.texts.append("")
        elif tag == "br":
            self.texts[-1] += "\n"

    def handle_data(self, data: str) -> None:
        if self.texts:
            self.texts[-1] += data.replace("\n", "")


@in_turn("text", [*HOSTILE, "a\nb"])
def test_hostile_texts_are_read_back(text: str) -> None:
    """By a reader of Markdown with tables and struck text, and by one of HTML."""
    result = Result(pa.table({"form": [text], "n": [1]}))
    rendered = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(result.markdown())
    for page in (Cells(rendered), Cells(result.html())):
        assert page.texts == ["form", "n", text, "1"]
        assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "br"}


@in_turn(
    ("text", "escaped"),
    [
        ("_ % & # $ { }", r"\_ \% \& \# \$ \{ \}"),
        ("~^\\", r"\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("\\textbf{x}", r"\textbackslash{}textbf\{x\}"),
        ("<|>", r"\textless{}\textbar{}\textgreater{}"),
        ("--- '' `` ,, ?` !`", r"-{}-{}- '{}' `{}` ,{}, ?{}` !{}`"),
        ("don't co-op, a", "don't co-op, a"),
        ("a\nb\tc\r\nd\x00e", "a b c d?e"),
        ("↑ † ↓", r"$\uparrow$ \textdagger{} $\downarrow$"),
    ],
)  # fmt: skip
def test_texts_in_latex(text: str, escaped: str) -> None:
    assert documents.escape_latex(text) == escaped


def test_a_row_of_latex_does_not_begin_with_an_argument() -> None:
    text = Result(pa.table({"form": ["[x]", "*", "-"]})).latex()
    assert text.splitlines()[5:8] == [r"{[}x] \\", r"{*} \\", r"- \\"]


def test_control_characters_are_replaced() -> None:
    result = Result(pa.table({"form": ["a\x00\x1bb"]}))
    assert "a\ufffd\ufffdb" in result.markdown()
    assert "a\ufffd\ufffdb" in result.html()


def test_a_notebook_shows_the_first_rows() -> None:
    long = Result(pa.table({"n": range(MAX_ROWS_IN_NOTEBOOK + 1500)}))
    shown = long._repr_html_()
    assert shown.count("<tr>") == MAX_ROWS_IN_NOTEBOOK + 1
    assert shown.endswith("<p>1,500 more rows</p>\n")


def test_tab_separated_values() -> None:
    table = pa.table(
        {"form": ['"', "a\tb", "c\\n", "d\ne\r", None, ""], "x": [0.1, 1e-07, 1e300, None, 2.0, 1 / 3], "y": [True] * 6}
    )
    file, comma = io.BytesIO(), io.BytesIO()
    treesql.write(Result(table), file, format="tsv")
    treesql.write(Result(table), comma, format="csv")
    assert file.getvalue().decode().splitlines() == [
        "form\tx\ty", '"\t0.1\ttrue', "a\\tb\t1e-7\ttrue", "c\\\\n\t1e+300\ttrue", "d\\ne\\r\t\ttrue", "\t2\ttrue",
        "\t0.3333333333333333\ttrue",
    ]  # fmt: skip
    read = list(csv.reader(io.StringIO(file.getvalue().decode()), delimiter="\t", quoting=csv.QUOTE_NONE))
    of_csv = list(csv.reader(io.StringIO(comma.getvalue().decode(), newline="")))
    assert [row[1:] for row in read] == [row[1:] for row in of_csv]
    unescape = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\"}
    assert [re.sub(r"\\.", lambda found: unescape[found[0]], row[0]) for row in read] == [row[0] for row in of_csv]


def test_tab_separated_values_without_rows() -> None:
    for table, text in ((pa.table({"a": pa.array([], pa.int64())}), "a\n"), (pa.table({}), "\n")):
        file = io.BytesIO()
        treesql.write(Result(table), file, format="tsv")
        assert file.getvalue().decode() == text
