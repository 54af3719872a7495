"""Tables of documents: numbers as on a screen, the interval in its score's cell, the best scores bold.

Markdown, LaTeX and HTML are written from the same cells: Markdown as GitHub reads it (source: GitHub Flavored Markdown
Spec 0.29, Tables), LaTeX as a tabular with the rules of the package booktabs, and HTML as an element for any page,
without ids, scripts and style sheets.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from treesql.results import pages
from treesql.results.pages import CONTROLS, NEWLINES
from treesql.results.tables import (
    BLOCK,
    cell_width,
    in_blocks,
    is_numeric,
    number_text,
    p_text,
    shown_blocks,
    with_shown_texts,
)

if TYPE_CHECKING:
    import pyarrow as pa

BETTER = {"higher": max, "lower": min}
"""Functions that return the better of several scores, by direction."""

SYSTEM = "system"
"""The column whose values are compared."""


class Cell(NamedTuple):
    """A number or a text. more: what follows a number, such as its interval; best: whether the number is bold.

    On pages, href: where the text leads; mark: classes of the style sheet.
    """

    text: str
    more: str = ""
    best: bool = False
    href: str | None = None
    mark: str = ""


@dataclass(frozen=True)
class DocumentTable:
    """Rows of cells below heads. numeric: whether a column is right-aligned; notes: lines below the table.

    rows: may be made anew, a block at a time, whenever they are asked for. In HTML, caption: a line above the table,
    instead of notes; more: number of further rows, which are not shown.
    """

    heads: Sequence[str]
    numeric: Sequence[bool]
    rows: Collection[Sequence[Cell]]
    notes: Sequence[str] = ()
    caption: str = ""
    more: int = 0

    @property
    def kinds(self) -> list[str]:
        """By column, whether its cells are numbers, texts, or the heads of rows: a first one that has no numbers."""
        return ["number" if right else "text" if at else "head" for at, right in enumerate(self.numeric)]

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
    and number of a row, what follows the number. beside: columns of one score, a system each, which are compared within
    a row. p_values: columns of p-values, shown to four digits.
    """

    percent: Collection[str] = ()
    directions: Mapping[str, str] = field(default_factory=dict)
    groups: Sequence[str] = ()
    heads: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[tuple[str, int], str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    beside: Sequence[str] = ()
    p_values: Collection[str] = ()


def arrange(table: pa.Table, presentation: Presentation) -> DocumentTable:
    """Return the cells of a table: SCORE_low and SCORE_high in the cells of SCORE, and percentages without their sign,
    which is in the head.

    The best score is bold among the systems of a group, if there are two or more with a value; all that look equal.
    """
    shown = with_shown_texts(table.slice(0, 0))
    numeric = {name: is_numeric(kind) for name, kind in zip(shown.column_names, shown.schema.types, strict=True)}
    bounded = frozenset(name for name in numeric if {f"{name}_low", f"{name}_high"} <= numeric.keys())
    bounds = {f"{name}{end}" for name in bounded for end in ("_low", "_high")}
    names = [name for name in numeric if name not in bounds]
    rows = _ArrangedRows(table, presentation, names, bounded, frozenset(_find_best(table, presentation)))
    heads = [_head(presentation.heads.get(name, name), name in presentation.percent) for name in names]
    return DocumentTable(heads, [numeric[name] for name in names], rows, presentation.notes)


@dataclass(frozen=True)
class _ArrangedRows(Collection[Sequence[Cell]]):
    """The rows of a table in a document, of which BLOCK are in memory. names: columns; bounded: those with intervals;
    best: the cells that are bold, by column and number of the row."""

    table: pa.Table
    presentation: Presentation
    names: Sequence[str]
    bounded: frozenset[str]
    best: frozenset[tuple[str, int]]

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __contains__(self, row: object) -> bool:
        return any(row == arranged for arranged in self)

    def __iter__(self) -> Iterator[Sequence[Cell]]:
        first = 0
        for block in shown_blocks(self.table, BLOCK):
            values = {name: block[name].to_pylist() for name in block.column_names}
            yield from zip(*(self._cells(name, values, first) for name in self.names), strict=True)
            first += len(block)

    def _cells(self, name: str, values: Mapping[str, list[Any]], first: int) -> Iterator[Cell]:
        percent = name in self.presentation.percent
        is_p = name in self.presentation.p_values
        texts = (p_text(value) if is_p else number_text(value, percent) for value in values[name])
        if name not in self.bounded and not self.best and not self.presentation.marks:
            yield from map(Cell, texts)
            return
        for at, text in enumerate(texts):
            more = self.presentation.marks.get((name, first + at), "")
            if name in self.bounded and values[name][at] is not None:
                more += _interval(values[f"{name}_low"][at], values[f"{name}_high"][at], percent)
            yield Cell(text, more, (name, first + at) in self.best)


def _head(name: str, percent: bool) -> str:
    return f"{name} (%)" if percent else name


def _interval(low: float | None, high: float | None, percent: bool) -> str:
    if low is None or high is None:
        return ""
    return f" [{number_text(low, percent)}, {number_text(high, percent)}]"


def _find_best(table: pa.Table, presentation: Presentation) -> Iterator[tuple[str, int]]:
    """Yield column and number of the row of every best score."""
    yield from _find_best_beside(table, presentation)
    better = {name: BETTER.get(direction) for name, direction in presentation.directions.items()}
    scores = {name: choose for name, choose in better.items() if choose and name in table.column_names}
    if SYSTEM not in table.column_names or not scores:
        return
    read = with_shown_texts(table.select(list(dict.fromkeys([SYSTEM, *presentation.groups, *scores]))))
    values = {name: read[name].to_pylist() for name in read.column_names}
    groups: dict[tuple[str, ...], list[int]] = {}
    for row in range(len(values[SYSTEM])):
        groups.setdefault(tuple(str(values[name][row]) for name in presentation.groups), []).append(row)
    for name, choose in scores.items():
        column, percent = values[name], name in presentation.percent
        for rows in groups.values():
            known = [row for row in rows if column[row] is not None and column[row] == column[row]]
            if len({values[SYSTEM][row] for row in known}) < 2:
                continue
            best = number_text(choose(column[row] for row in known), percent)
            yield from ((name, row) for row in known if number_text(column[row], percent) == best)


def _find_best_beside(table: pa.Table, presentation: Presentation) -> Iterator[tuple[str, int]]:
    """Yield the same of scores that are compared within a row."""
    names = [name for name in presentation.beside if name in table.column_names]
    choose = BETTER.get(presentation.directions.get(names[0], "")) if len(names) > 1 else None
    if choose is None:
        return
    percent = names[0] in presentation.percent
    for row, values in enumerate(zip(*(table[name].to_pylist() for name in names), strict=True)):
        known = [value for value in values if value is not None]
        best = number_text(choose(known), percent) if len(known) > 1 else None
        yield from (
            (name, row) for name, value in zip(names, values, strict=True) if number_text(value, percent) == best
        )


_MARKDOWN_SIGNS = re.compile(r"[\\`*<|~$]|(?<!\w)_|_(?!\w)|\](?=[(\[])|&(?=#?\w+;)")
"""Characters that would not be text; `_` within a word is."""


def markdown(table: DocumentTable) -> Iterator[str]:
    """Yield the blocks of a table with pipes, numbers right-aligned, and its notes as paragraphs below it."""
    if not table.heads:
        return
    heads = [escape_markdown(head) for head in table.heads]
    widths = [max(3, cell_width(head)) for head in heads]
    for row in table.rows:
        widths = [max(width, cell_width(_markdown_cell(cell))) for width, cell in zip(widths, row, strict=True)]
    rule = [f"{'-' * (width - 1)}{':' if right else '-'}" for width, right in zip(widths, table.numeric, strict=True)]

    def padded(line: Iterable[str]) -> str:
        cells = []
        for text, width, right in zip(line, widths, table.numeric, strict=True):
            blanks = " " * (width - cell_width(text))
            cells.append(blanks + text if right else text + blanks)
        return f"| {' | '.join(cells)} |"

    rows = (padded(map(_markdown_cell, row)) for row in table.rows)
    yield from in_blocks(chain([padded(heads), f"| {' | '.join(rule)} |"], rows))
    yield "".join(f"\n{escape_markdown(note)}\n" for note in table.notes)


def escape_markdown(text: str) -> str:
    """Return a text that stands in a cell as it is; a newline is `<br>`."""
    if text.isalnum():
        return text
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


def latex(table: DocumentTable) -> Iterator[str]:
    """Yield the blocks of a tabular, numbers right-aligned, and its notes as small text below it."""
    if not table.heads:
        return
    columns = "".join("r" if right else "l" for right in table.numeric)
    notes = [r"\par\smallskip", r"{\footnotesize", *(f"{escape_latex(note)}\\par" for note in table.notes), "}"]
    head = [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _latex_line([_guarded(escape_latex(head)) for head in table.heads]),
        r"\midrule",
    ]
    rows = (
        _latex_line([_latex_cell(cell, right) for cell, right in zip(row, table.numeric, strict=True)])
        for row in table.rows
    )
    yield from in_blocks(chain(head, rows, [r"\bottomrule", r"\end{tabular}", *(notes if table.notes else [])]))


def escape_latex(text: str) -> str:
    """Return a text that LaTeX sets as it is, on one line.

    Texts are escaped for pdfLaTeX with UTF-8. Letters that its fonts lack, such as Greek or Chinese ones, need XeLaTeX
    or LuaLaTeX.
    """
    if text.isalnum():
        return text
    text = NEWLINES.sub(" ", CONTROLS.sub("\ufffd", text)).replace("\t", " ")
    return _LATEX_SIGNS.sub(lambda match: _LATEX_COMMANDS.get(match[0], f"{match[0]}{{}}"), text)


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


def html(table: DocumentTable) -> Iterator[str]:
    """Yield the parts of a `table` element, numbers right-aligned; its notes are the caption, below it."""
    return pages.stream("table.html", BLOCK, table=table)
