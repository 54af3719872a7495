"""Counts of pairs of values as the cells of a matrix, whose last row and column are the totals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from treesql.runtime.arrays import compute as pc

Numbers = np.ndarray[Any, Any]
"""Counts, places or cells."""

UNDEFINED = "__undefined__"
"""What stands for NULL among the values of rows and columns."""

_BIN = re.compile(r"(-?\d+(?:\.\d+)?)(?:\.\..+| and more)?")
"""Matches the name of a bin, or a number: `10..19`, `1000 and more`, `0.5`."""


def find_start(label: str) -> float | None:
    """Return the lower bound of a bin by its name; None for a text that is none."""
    match = _BIN.fullmatch(label)
    return None if match is None else float(match[1])


def find_starts(labels: Iterable[str]) -> dict[str, float] | None:
    """Return the lower bounds of bins, or numbers, by their names; None if one of these is neither."""
    starts = {label: find_start(label) for label in labels}
    known = {label: start for label, start in starts.items() if start is not None}
    return known if len(known) == len(starts) else None


def order_values(keys: pa.ChunkedArray, counts: Numbers) -> tuple[Numbers, list[str]]:
    """Return the place of the value of every key, and the values as texts: bins by their numbers, without a value last,
    others, numbers included, by the sum of their counts, descending, then by name.
    """
    texts = pc.fill_null(keys.cast(pa.string()), UNDEFINED).combine_chunks().dictionary_encode()
    values, codes = texts.dictionary.to_pylist(), texts.indices.to_numpy()
    totals = np.bincount(codes, counts, minlength=len(values))
    starts = find_starts(value for value in values if value != UNDEFINED)
    if starts and any(".." in value for value in starts):
        order = sorted(range(len(values)), key=lambda code: starts.get(values[code], np.inf))
    else:
        order = sorted(range(len(values)), key=lambda code: (-totals[code], values[code]))
    places = np.empty(len(values), np.int64)
    places[order] = np.arange(len(values))
    return places[codes], [values[code] for code in order]


def count_cells(shape: tuple[int, ...], places: tuple[Numbers, ...], counts: Numbers) -> Numbers:
    """Return the cells of a matrix, or of one per group, with a further row and column of totals.

    shape: numbers of groups, if there are some, of rows and of columns. places: likewise, those of each count.
    """
    *groups, rows, columns = shape
    cells = np.zeros((*groups, rows + 1, columns + 1), np.int64)
    np.add.at(cells, places, counts)
    cells[..., -1, :] = cells.sum(axis=-2)
    cells[..., -1] = cells.sum(axis=-1)
    return cells


def shares_of_totals(cells: Numbers, share: str, nothing: float) -> Numbers:
    """Return the cells as shares of the total of their `row` or `column`, or of `all`. nothing: a share of 0."""
    whole = {"row": cells[..., -1:], "column": cells[..., -1:, :], "all": cells[..., -1:, -1:]}[share]
    shares: Numbers = np.divide(cells, whole, out=np.full(cells.shape, nothing), where=whole != 0)
    return shares
