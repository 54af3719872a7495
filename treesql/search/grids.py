"""Groups by two keys as a grid: a row per value of the first key, a column per value of the second, with totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa

from treesql.errors import UsageError
from treesql.results.cells import Numbers, count_cells, order_values, shares_of_totals

CORPUS = "corpus"
"""The key whose values have words of their own."""

TOTAL = "total"
"""Name of the row and of the column of totals."""

MAX_COLUMNS = 1000
"""Maximum number of columns of a grid."""

MAX_CELLS = 20_000_000
"""Maximum number of cells of a grid: 160 MB of counts."""


def grid_of(groups: pa.Table, *, share: str | None, words: Mapping[str, int] | None, limit: int | None) -> pa.Table:
    """Return groups as a grid, the values with most matches first, the totals last.

    groups: two keys and `count`. share: `row`, `column` or `all`, the total that counts are divided by. words: by
    corpus, for rates per million words. limit: maximum number of rows; the totals are always those of all groups.
    Raises UsageError for a grid that is too large.
    """
    names = groups.column_names[:2]
    counts = groups["count"].to_numpy()
    (row_at, rows), (column_at, columns) = (order_values(groups[name], counts) for name in names)
    shown = len(rows) if limit is None else min(limit, len(rows))
    _check_size(names, shown, len(columns))
    cells = count_cells((shown + 1, len(columns)), (np.minimum(row_at, shown), column_at), counts)
    cells = np.delete(cells, shown, axis=0)  # the sum of the rows beyond the limit
    values = _divided(cells, share, _words_of_cells(names, rows[:shown], columns, words))
    labels = [str(names[0]), *_distinct([*columns, TOTAL], names[0])]
    return pa.table([pa.array([*rows[:shown], TOTAL]), *(pa.array(column) for column in values.T)], labels)


def _check_size(names: list[str], rows: int, columns: int) -> None:
    if columns > MAX_COLUMNS:
        raise UsageError(
            f"{names[1]} has {columns:,} values, and a grid at most {MAX_COLUMNS:,} columns; exchange the keys, or "
            "choose one with fewer values"
        )
    if rows * columns > MAX_CELLS:
        raise UsageError(f"a grid of {rows:,} rows and {columns:,} columns is too large; limit its rows (--limit)")


def _words_of_cells(
    names: list[str], rows: list[str], columns: list[str], words: Mapping[str, int] | None
) -> Numbers | None:
    """Return the number of words that each cell counts in: of a corpus in its row or column, of all elsewhere."""
    if words is None:
        return None
    total = sum(words.values())
    found = np.full((len(rows) + 1, len(columns) + 1), total, np.float64)
    if names[1] == CORPUS:
        found[:, :-1] = [words[name] for name in columns]
    if names[0] == CORPUS:
        found[:-1] = np.array([words[name] for name in rows], np.float64).reshape(-1, 1)
    return found


def _divided(cells: Numbers, share: str | None, words: Numbers | None) -> Numbers:
    if words is not None:
        rates: Numbers = np.divide(cells * 1e6, words, out=np.full(cells.shape, np.nan), where=words > 0)
        return rates
    return cells if share is None else shares_of_totals(cells, share, nothing=0.0)


def _distinct(names: Iterable[str], first: str) -> list[str]:
    """Return names of columns, numbered where a name, in any case, was used before them: the last ones keep `total`."""
    found: list[str] = []
    used = {first.lower(), TOTAL}
    *values, last = names
    for name in values:
        number, distinct = 1, name
        while distinct.lower() in used:
            number += 1
            distinct = f"{name} {number}"
        used.add(distinct.lower())
        found.append(distinct)
    return [*found, last]
