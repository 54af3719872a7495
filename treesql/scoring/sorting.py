"""The order of rows of scores and of statistics: by a column, and no more than a limit."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import pyarrow as pa

from treesql.catalog import Query
from treesql.errors import UnknownName, UsageError
from treesql.results.cells import find_starts
from treesql.results.tables import is_numeric
from treesql.runtime.arrays import compute as pc

_ORDER = re.compile(r"\bORDER BY ((?:[^()]|\([^()]*\))*)$")
"""Matches what the rows of a statement are sorted by, beside functions in it."""

_ASCENDING = re.compile(r"(?:\w+\.)?(\w+)(?: NULLS LAST)?")


def column_to_sort_by(sort: str) -> str:
    """Return the column that `COLUMN` or `-COLUMN` names."""
    return sort.removeprefix("-")


def keys_of(query: Query) -> frozenset[str]:
    """Return the columns by which the rows of a statistic are in ascending order."""
    ordered = _ORDER.search(query.body)
    columns = ordered[1].split(",") if ordered else []
    return frozenset(match[1] for column in columns if (match := _ASCENDING.fullmatch(column.strip())))


def sort_rows(rows: pa.Table, sort: str | None, keys: Collection[str], limit: int | None) -> pa.Table:
    """Return the first rows after sorting, all if there is no limit.

    sort: a column, of which keys and texts ascend, counts and scores descend, and with `-` before it the other way
    round; None for the order as it is. Values that are missing come last, and equal ones as they were. keys: columns of
    numbers that ascend. Raises UnknownName, UsageError.
    """
    if sort is not None:
        name = column_to_sort_by(sort)
        if name not in rows.column_names:
            raise UnknownName("column to sort by", name, rows.column_names)
        values = rows[name].combine_chunks()
        if pa.types.is_nested(values.type):
            raise UsageError(f"--sort {sort}: rows are not sorted by lists; name another column")
        ascending = (name in keys or not is_numeric(values.type)) != sort.startswith("-")
        order = "ascending" if ascending else "descending"
        rows = rows.take(pc.sort_indices(pa.table({"key": _starts_of_bins(values)}), sort_keys=[("key", order)]))
    return rows if limit is None else rows.slice(0, limit)


def _starts_of_bins(values: pa.Array) -> pa.Array:
    """Return the lower bounds of bins and numbers that are texts; other values as they are."""
    if not pa.types.is_string(values.type):
        return values
    starts = find_starts(text for text in pc.unique(values).to_pylist() if text is not None)
    if starts is None:
        return values
    return pa.array([None if text is None else starts[text] for text in values.to_pylist()], pa.float64())


def order_of_groups(columns: Sequence[list[Any]]) -> list[int]:
    """Return the numbers of rows in the order of groups: numbers and bins by size, texts by letter, NULL last."""

    def ranks(values: list[Any]) -> list[tuple[bool, Any]]:
        starts = find_starts(value for value in values if isinstance(value, str)) or {}
        return [(value is None, 0 if value is None else starts.get(value, value)) for value in values]

    keys = list(zip(*map(ranks, columns), strict=True))
    return sorted(range(len(keys)), key=keys.__getitem__)
