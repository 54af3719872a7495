"""Tables of documents: numbers as on a screen, the interval in its score's cell, the best scores bold.

Markdown, LaTeX and HTML are written from the same cells: Markdown as GitHub reads it (source: GitHub Flavored Markdown
Spec 0.29, Tables), LaTeX as a tabular with the rules of the package booktabs, and HTML as an element for any page,
without ids, scripts and style sheets.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape as escape_text
from typing import TYPE_CHECKING, Any

from treesql.results.tables import is_numeric, number_text
from treesql.results.texts import with_shown_texts

if TYPE_CHECKING:
    import pyarrow as pa

BETTER = {"higher": max, "lower": min}
"""Functions that return the better of several scores, by direction."""

SYSTEM = "system"
"""The column whose values are compared."""

CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that HTML forbids and LaTeX refuses."""

NEWLINES = re.compile("\r\n|[\n\r\u2028\u2029]")


@dataclass(frozen=True)
class Cell:
    """A number or a text. more: what follows a number, such as its interval; best: whether the number is bold."""

    text: str
    more: str = ""
    best: bool = False


@dataclass(frozen=True)
class DocumentTable:
    """Rows of cells below heads. numeric: whether a column is right-aligned; notes: lines below the table."""

    heads: Sequence[str]
    numeric: Sequence[bool]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()

    def transpose(self, key: str) -> DocumentTable:
        """Return the table with a row per column; the values of the column `key` are its heads."""
        at = list(self.heads).index(key)
        others = [column for column in range(len(self.heads)) if column != at]
        rows = [[Cell(self.heads[column]), *(row[column] for row in self.rows)] for column in others]
        heads = ["measure", *(row[at].text for row in self.rows)]
        return DocumentTable(heads, [False, *[True] * len(self.rows)], rows, self.notes)


@dataclass(frozen=True)
class Presentation:
    """How the columns of a table are shown.

    percent: columns of shares, shown as percentages. directions: by score `higher`, `lower` or `neither`. groups:
    columns whose values only systems in the same group are compared in. heads: other heads of columns. marks: by column
    and number of a row, what follows the number.
    """

    percent: Collection[str] = ()
    directions: Mapping[str, str] = field(default_factory=dict)
    groups: Sequence[str] = ()
    heads: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[tuple[str, int], str] = field(default_factory=dict)
    notes: Sequence[str] = ()


def arrange(table: pa.Table, how: Presentation) -> DocumentTable:
    """Return the cells of a table: SCORE_low and SCORE_high in the cells of SCORE, and percentages without their sign,
    which is in the head.

    The best score is bold among the systems of a group, if there are two or more with a value; all that look equal.
    """
    table = with_shown_texts(table)
    numeric = {name: is_numeric(kind) for name, kind in zip(table.column_names, table.schema.types, strict=True)}
    values = {name: table[name].to_pylist() for name in table.column_names}
    bounded = [name for name in values if {f"{name}_low", f"{name}_high"} <= values.keys()]
    bounds = {f"{name}{end}" for name in bounded for end in ("_low", "_high")}
    best = set(_find_best(values, how)) if SYSTEM in values else set()
    shown = [name for name in values if name not in bounds]
    cells = []
    for name in shown:
        percent = name in how.percent
        column = []
        for row, value in enumerate(values[name]):
            more = how.marks.get((name, row), "")
            if name in bounded and value is not None:
                more += _interval(values[f"{name}_low"][row], values[f"{name}_high"][row], percent)
            column.append(Cell(number_text(value, percent), more, (name, row) in best))
        cells.append(column)
    heads = [_head(how.heads.get(name, name), name in how.percent) for name in shown]
    return DocumentTable(heads, [numeric[name] for name in shown], list(zip(*cells, strict=True)), how.notes)


def _head(name: str, percent: bool) -> str:
    return f"{name} (%)" if percent else name


def _interval(low: float | None, high: float | None, percent: bool) -> str:
    if low is None or high is None:
        return ""
    return f" [{number_text(low, percent)}, {number_text(high, percent)}]"


def _find_best(values: Mapping[str, list[Any]], how: Presentation) -> Iterator[tuple[str, int]]:
    """Yield column and number of the row of every best score."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for row in range(len(values[SYSTEM])):
        groups.setdefault(tuple(str(values[name][row]) for name in how.groups), []).append(row)
    for name, direction in how.directions.items():
        if direction not in BETTER or name not in values:
            continue
        column, percent = values[name], name in how.percent
        for rows in groups.values():
            known = [row for row in rows if column[row] is not None and column[row] == column[row]]
            if len({values[SYSTEM][row] for row in known}) < 2:
                continue
            best = number_text(BETTER[direction](column[row] for row in known), percent)
            yield from ((name, row) for row in known if number_text(column[row], percent) == best)


_MARKDOWN_SIGNS = re.compile(r"[\\`*<|~$]|(?<!\w)_|_(?!\w)|\](?=[(\[])|&(?=#?\w+;)")
"""Characters that would not be text; `_` within a word is."""


def markdown(table: DocumentTable) -> str:
    """Return a table with pipes, numbers right-aligned, and its notes as paragraphs below it."""
    if not table.heads:
        return ""
    from rich.cells import cell_len

    lines = [
        [escape_markdown(head) for head in table.heads],
        *([_markdown_cell(cell) for cell in row] for row in table.rows),
    ]
    widths = [max(3, *map(cell_len, column)) for column in zip(*lines, strict=True)]
    rule = [f"{'-' * (width - 1)}{':' if right else '-'}" for width, right in zip(widths, table.numeric, strict=True)]

    def padded(line: list[str]) -> str:
        cells = []
        for text, width, right in zip(line, widths, table.numeric, strict=True):
            blanks = " " * (width - cell_len(text))
            cells.append(blanks + text if right else text + blanks)
        return f"| {' | '.join(cells)} |"

    notes = "".join(f"\n{escape_markdown(note)}\n" for note in table.notes)
    return "\n".join([padded(lines[0]), f"| {' | '.join(rule)} |", *map(padded, lines[1:])]) + "\n" + notes


def escape_markdown(text: str) -> str:
    """Return a text that stands in a cell as it is; a newline is `<br>`."""
    return NEWLINES.sub("<br>", _MARKDOWN_SIGNS.sub(r"\\\g<0>", CONTROLS.sub("\ufffd", text)))


def _markdown_cell(cell: Cell) -> str:
    text = escape_markdown(cell.text)
    return f"{f'**{text}**' if cell.best else text}{cell.more}"


_LATEX_COMMANDS = {
    **{character: f"\\{character}" for character in "_%&#${}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "†": r"\textdagger{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "\ufffd": "?",
}
_LATEX_SIGNS = re.compile(rf"[{re.escape(''.join(_LATEX_COMMANDS))}]|-(?=-)|'(?=')|`(?=`)|,(?=,)|[?!](?=`)")
"""Characters with a command, and first ones of pairs that fonts join to dashes, quotes and inverted marks."""

_MINUS = re.compile(r"(?<![\w.])-(?=[\d.i])")


def latex(table: DocumentTable) -> str:
    """Return a tabular, numbers right-aligned, and its notes as small text below it."""
    if not table.heads:
        return ""
    columns = "".join("r" if right else "l" for right in table.numeric)
    notes = [r"\par\smallskip", r"{\footnotesize", *(f"{escape_latex(note)}\\par" for note in table.notes), "}"]
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _latex_line([_guarded(escape_latex(head)) for head in table.heads]),
            r"\midrule",
            *(
                _latex_line([_latex_cell(cell, right) for cell, right in zip(row, table.numeric, strict=True)])
                for row in table.rows
            ),
            r"\bottomrule",
            r"\end{tabular}",
            *(notes if table.notes else []),
            "",
        ]
    )


def escape_latex(text: str) -> str:
    """Return a text that LaTeX sets as it is, on one line.

    Texts are escaped for pdfLaTeX with UTF-8. Letters that its fonts lack, such as Greek or Chinese ones, need XeLaTeX
    or LuaLaTeX.
    """
    text = NEWLINES.sub(" ", CONTROLS.sub("\ufffd", text)).replace("\t", " ")
    return _LATEX_SIGNS.sub(lambda found: _LATEX_COMMANDS.get(found[0], f"{found[0]}{{}}"), text)


def _latex_line(cells: list[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _latex_cell(cell: Cell, number: bool) -> str:
    text = _signed(cell.text) if number else _guarded(escape_latex(cell.text))
    bold = rf"\textbf{{{text}}}" if cell.best else text
    return f"{bold}{_signed(cell.more)}"


def _signed(text: str) -> str:
    """Return numbers with minus signs for hyphens, and a dash for none."""
    return "--" if text == "-" else _MINUS.sub("$-$", escape_latex(text))


def _guarded(text: str) -> str:
    r"""Return a cell that does not begin with `[` or `*`, which \\ before it would take for its argument."""
    return f"{{{text[0]}}}{text[1:]}" if text[:1] in ("[", "*") else text


_HTML_RIGHT = ' style="text-align: right"'


def html(table: DocumentTable) -> str:
    """Return a `table` element, numbers right-aligned; its notes are the caption, below it."""
    notes = "<br>\n".join(map(escape_html, table.notes))
    parts = [f'<caption style="caption-side: bottom; text-align: left">{notes}</caption>'] if notes else []
    heads = [
        f'<th scope="col"{_html_style(right)}>{escape_html(head)}</th>'
        for head, right in zip(table.heads, table.numeric, strict=True)
    ]
    if heads:
        parts.append(f"<thead><tr>{''.join(heads)}</tr></thead>")
        parts += ["<tbody>", *(_html_row(row, table.numeric) for row in table.rows), "</tbody>"]
    return "\n".join(["<table>", *parts, "</table>", ""])


def escape_html(text: str) -> str:
    """Return a text for an element; a newline is `<br>`."""
    return NEWLINES.sub("<br>", escape_text(CONTROLS.sub("\ufffd", text)))


def _html_row(row: Sequence[Cell], numeric: Sequence[bool]) -> str:
    """Return a row; a first cell that is no number is its head."""
    cells = []
    for at, (cell, right) in enumerate(zip(row, numeric, strict=True)):
        text = escape_html(cell.text)
        content = (f"<strong>{text}</strong>" if cell.best else text) + escape_html(cell.more)
        is_head = at == 0 and not right
        cells.append(f'<th scope="row">{content}</th>' if is_head else f"<td{_html_style(right)}>{content}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _html_style(right: bool) -> str:
    return _HTML_RIGHT if right else ""
