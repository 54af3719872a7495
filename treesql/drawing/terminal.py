"""Bars in the terminal, beside the numbers that they represent."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from treesql.results.result import Result
from treesql.results.tables import on_screen, screen_table

WIDTH = 40
_MARKS = "#=."
_COLOURS = ("blue", "red", "green", "magenta", "yellow", "cyan")


def with_bars(result: Result, value: str, group: str, groups: Sequence[str]) -> Result:
    """Return the table with a column `bar`, 40 characters for 1; the characters `#`, `=` and `.` distinguish the
    groups."""
    bars = [_bar_character(row[group], groups) * _bar_length(row[value]) for row in result.rows()]
    table = result.arrow().append_column("bar", pa.array(bars, pa.string()))
    return Result(table, result.signatures, result.percent)


def with_coloured_bars(result: Result, value: str, group: str, groups: Sequence[str]) -> str:
    """Return the table as terminal text, with bars in a colour per group."""
    from rich.console import Console
    from rich.text import Text

    table = screen_table()
    for name in result.columns:
        table.add_column(
            name, justify="left" if name == group or isinstance(_first_value(result, name), str) else "right"
        )
    table.add_column("")
    for row in result.rows():
        colour = _COLOURS[groups.index(row[group]) % len(_COLOURS)] if row[group] in groups else "white"
        cells = [Text(_format_cell(cell), style=colour if name == group else "") for name, cell in row.items()]
        table.add_row(*cells, Text("█" * _bar_length(row[value]), style=colour))
    return "\n" + on_screen(table, max(Console().width, 100))


def _first_value(result: Result, name: str) -> object:
    column = result.arrow().column(name)
    return column[0].as_py() if len(column) else None


def _format_cell(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def _bar_character(group: object, groups: Sequence[str]) -> str:
    return _MARKS[groups.index(str(group)) % len(_MARKS)] if group in groups else "-"


def _bar_length(value: float | None) -> int:
    return round(WIDTH * min(max(value or 0.0, 0.0), 1.0))
