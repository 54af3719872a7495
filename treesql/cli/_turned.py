"""Wide tables on the screen: a row per column of the table, a column per row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.cli._output import _cell

if TYPE_CHECKING:
    from treesql.results import Result


def turned(result: Result, key: str) -> Result:
    """The table as text, turned: the values of the column `key` become the names of the columns."""
    import pyarrow as pa

    from treesql.results import Result

    measures = [name for name in result.columns if name != key]
    columns: dict[str, list[str]] = {"measure": measures}
    for row in result.rows():
        cells = [_cell(row[name], name in result.percent) for name in measures]
        width = max(map(len, (*cells, str(row[key]))))
        columns[str(row[key]).rjust(width)] = [cell.rjust(width) for cell in cells]
    return Result(pa.table(columns))
