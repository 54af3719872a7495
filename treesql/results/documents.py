"""Tables of documents: numbers as on a screen, the interval in its score's cell, the best scores bold.

Markdown, LaTeX and HTML are written from the same cells.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from treesql.results.texts import shown_blocks, with_shown_texts

if TYPE_CHECKING:
    import pyarrow as pa

BETTER = {"higher": max, "lower": min}
"""Functions that return the better of several scores, by direction."""

SYSTEM = "system"
"""The column whose values are compared."""

BLOCK = 4096
"""Number of rows whose cells are in memory at a time. What is freed at once is freed while no other thread runs."""

CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that HTML forbids and LaTeX refuses."""

NEWLINES = re.compile("\r\n|[\n\r\u2028\u2029]")


class Cell(NamedTuple):
    """A number or a text. more: what follows a number, such as its interval; best: whether the number is bold."""

    text: str
    more: str = ""
    best: bool = False


@dataclass(frozen=True)
class DocumentTable:
    """Rows of cells below heads. numeric: whether a column is right-aligned; notes: lines below the table.

    rows: may be made anew, a block at a time, whenever they are asked for.
    """

    heads: Sequence[str]
    numeric: Sequence[bool]
    rows: Collection[Sequence[Cell]]
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


def cell_width(text: str) -> int:
    """The number of cells of a terminal that a text takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cell_text(value: object, percent: bool) -> str:
    """Return a value as text, with the sign of a percentage; `-` for none."""
    if isinstance(value, float) and percent:
        return f"{number_text(value, True)}%"
    return number_text(value, percent)


def number_text(value: object, percent: bool) -> str:
    """Return a value as text, a share as a percentage without its sign; `-` for none."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{100 * value:.2f}" if percent else f"{value:.6g}"
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def is_numeric(kind: pa.DataType) -> bool:
    """Whether the values of an Arrow type are numbers."""
    return str(kind).startswith(("int", "uint", "double", "float", "decimal"))


def arrange(table: pa.Table, how: Presentation) -> DocumentTable:
    """Return the cells of a table: SCORE_low and SCORE_high in the cells of SCORE, and percentages without their sign,
    which is in the head.

    The best score is bold among the systems of a group, if there are two or more with a value; all that look equal.
    """
    shown = with_shown_texts(table.slice(0, 0))
    numeric = {name: is_numeric(kind) for name, kind in zip(shown.column_names, shown.schema.types, strict=True)}
    bounded = frozenset(name for name in numeric if {f"{name}_low", f"{name}_high"} <= numeric.keys())
    bounds = {f"{name}{end}" for name in bounded for end in ("_low", "_high")}
    names = [name for name in numeric if name not in bounds]
    rows = _ArrangedRows(table, how, names, bounded, frozenset(_find_best(table, how)))
    heads = [_head(how.heads.get(name, name), name in how.percent) for name in names]
    return DocumentTable(heads, [numeric[name] for name in names], rows, how.notes)


@dataclass(frozen=True)
class _ArrangedRows(Collection[Sequence[Cell]]):
    """The rows of a table in a document, of which BLOCK are in memory. names: columns; bounded: those with intervals;
    best: the cells that are bold, by column and number of the row."""

    table: pa.Table
    how: Presentation
    names: Sequence[str]
    bounded: frozenset[str]
    best: frozenset[tuple[str, int]]

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __contains__(self, row: object) -> bool:
        return any(row == one for one in self)

    def __iter__(self) -> Iterator[Sequence[Cell]]:
        first = 0
        for block in shown_blocks(self.table, BLOCK):
            values = {name: block[name].to_pylist() for name in block.column_names}
            yield from zip(*(self._cells(name, values, first) for name in self.names), strict=True)
            first += len(block)

    def _cells(self, name: str, values: Mapping[str, list[Any]], first: int) -> Iterator[Cell]:
        percent = name in self.how.percent
        texts = (number_text(value, percent) for value in values[name])
        if name not in self.bounded and not self.best and not self.how.marks:
            yield from map(Cell, texts)
            return
        for at, text in enumerate(texts):
            more = self.how.marks.get((name, first + at), "")
            if name in self.bounded and values[name][at] is not None:
                more += _interval(values[f"{name}_low"][at], values[f"{name}_high"][at], percent)
            yield Cell(text, more, (name, first + at) in self.best)


def in_blocks(lines: Iterable[str]) -> Iterator[str]:
    """Lines as texts of BLOCK lines each."""
    rest = iter(lines)
    while block := list(islice(rest, BLOCK)):
        yield "".join(f"{line}\n" for line in block)


def _head(name: str, percent: bool) -> str:
    return f"{name} (%)" if percent else name


def _interval(low: float | None, high: float | None, percent: bool) -> str:
    if low is None or high is None:
        return ""
    return f" [{number_text(low, percent)}, {number_text(high, percent)}]"


def _find_best(table: pa.Table, how: Presentation) -> Iterator[tuple[str, int]]:
    """Yield column and number of the row of every best score."""
    scores = [name for name in how.directions if how.directions[name] in BETTER and name in table.column_names]
    if SYSTEM not in table.column_names or not scores:
        return
    read = with_shown_texts(table.select(list(dict.fromkeys([SYSTEM, *how.groups, *scores]))))
    values = {name: read[name].to_pylist() for name in read.column_names}
    groups: dict[tuple[str, ...], list[int]] = {}
    for row in range(len(values[SYSTEM])):
        groups.setdefault(tuple(str(values[name][row]) for name in how.groups), []).append(row)
    for name in scores:
        column, percent = values[name], name in how.percent
        for rows in groups.values():
            known = [row for row in rows if column[row] is not None and column[row] == column[row]]
            if len({values[SYSTEM][row] for row in known}) < 2:
                continue
            best = number_text(BETTER[how.directions[name]](column[row] for row in known), percent)
            yield from ((name, row) for row in known if number_text(column[row], percent) == best)
