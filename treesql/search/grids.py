"""Groups by two keys as a grid: a row per value of the first key, a column per value of the second, with totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from treesql.errors import UsageError

Numbers = np.ndarray[Any, Any]
"""Numbers of groups, or of the cells of a grid."""

CORPUS = "corpus"
"""The key whose values have words of their own."""

TOTAL = "total"
"""Name of the row and of the column of totals."""

UNDEFINED = "__undefined__"

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
    (row_at, rows), (column_at, columns) = (_in_order(groups[name], counts) for name in names)
    shown = len(rows) if limit is None else min(limit, len(rows))
    _check_size(names, shown, len(columns))
    cells = np.zeros((shown + 1, len(columns) + 1), np.int64)
    for at, end, totals in ((row_at, shown, cells[:, -1]), (column_at, len(columns), cells[-1])):
        sums = np.bincount(at, counts, minlength=end) if len(at) else np.zeros(end)
        totals[:end] = sums[:end]
    cells[-1, -1] = counts.sum()
    inside = row_at < shown
    cells[row_at[inside], column_at[inside]] = counts[inside]
    values = _divided(cells, share, _words_of_cells(names, rows[:shown], columns, words))
    labels = [str(names[0]), *_distinct([*columns, TOTAL], names[0])]
    return pa.table([pa.array([*rows[:shown], TOTAL]), *(pa.array(column) for column in values.T)], labels)


def _in_order(keys: pa.ChunkedArray, counts: Numbers) -> tuple[Numbers, list[str]]:
    """Return the place of the value of every group, and the values as texts, those with most matches first."""
    texts = pc.fill_null(keys.cast(pa.string()), UNDEFINED).combine_chunks().dictionary_encode()
    values, codes = texts.dictionary.to_pylist(), texts.indices.to_numpy()
    totals = np.bincount(codes, counts, minlength=len(values))
    order = sorted(range(len(values)), key=lambda code: (-totals[code], values[code]))
    places = np.empty(len(values), np.int64)
    places[order] = np.arange(len(values))
    return places[codes], [values[code] for code in order]


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
    if share is None:
        return cells
    wholes = {"row": cells[:, -1:], "column": cells[-1:], "all": cells[-1:, -1:]}[share]
    shares: Numbers = np.divide(cells, wholes, out=np.zeros(cells.shape), where=wholes > 0)
    return shares


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
