"""Tables of documents: numbers as on a screen, the interval in its score's cell, the best scores bold.

Markdown, LaTeX and HTML are written from the same cells.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

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
