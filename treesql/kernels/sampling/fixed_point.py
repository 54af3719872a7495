"""Sums of numbers with fractions that are the same for any order: as whole numbers of a small unit.

Doubles that are added one after another are rounded at every step, so that their sum depends on the order of rows, on
threads and on the blocks that a library cuts its input into. Whole numbers below 2**53 are added without rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treesql.kernels.arrays import Floats

UNITS = 2.0**40
"""SQL sums a count that is no whole number in units of which 1 has this many."""

PRECISION = 53
"""Bits of a double: the unit of a column is at most the last bit of its greatest number."""

_SMALLEST = -900
"""Exponent of the smallest greatest number that has a unit of its own, so that no unit is 0."""

_OUT_OF_REACH = 2.0**100
"""SQL has no sum above 2**87; numbers of other sources may be so large that fractions beside them are of no account."""

PART = 2.0**24
"""A number of units is cut into parts below this, so that sums of up to 2**28 of them stay below LARGEST."""

LARGEST = 2.0**52
"""Sums of whole numbers are exact up to here, whatever their order."""


class Parts(NamedTuple):
    """Columns cut into columns of whole numbers.

    values: float64[n, m], the lowest part of a column first. column[m]: which one it is a part of. weight[m]: what 1 of
    it stands for. n_columns: how many columns were cut.
    """

    values: Floats
    column: npt.NDArray[np.int64]
    weight: Floats
    n_columns: int

    def joined(self, sums: Floats) -> Floats:
        """The sums of the columns, float64[r, k], from sums of their parts, float64[r, m]: rounded at the end alone."""
        totals = np.zeros((self.n_columns, len(sums))).T  # columns are used one by one
        for at in range(len(self.column) - 1, -1, -1):
            totals[:, self.column[at]] += sums[:, at] * self.weight[at]
        return totals


def split(rows: Floats) -> Parts:
    """Columns, float64[n, k], of finite numbers as whole numbers of which n may be summed in any order.

    A column of whole numbers whose sums are below LARGEST is its own only part. Any other is rounded to its unit, the
    last bit of its greatest number and never more than 1 / UNITS, and cut into parts.
    """
    values: list[Floats] = []
    column: list[int] = []
    weight: list[float] = []
    n = max(len(rows), 1)
    for at, numbers in enumerate(rows.T):
        greatest = float(np.abs(numbers).max(initial=0))
        unit, rest = 1.0, numbers
        if greatest * n >= LARGEST or (numbers != np.rint(numbers)).any():
            unit = _unit(greatest)
            rest = np.rint(numbers / unit)
        while np.abs(rest).max(initial=0) * n >= LARGEST:
            above = np.floor(rest / PART)
            values.append(rest - above * PART)
            column.append(at)
            weight.append(unit)
            rest, unit = above, unit * PART
        values.append(rest)
        column.append(at)
        weight.append(unit)
    stacked = np.stack(values, axis=1) if values else np.zeros((len(rows), 0))
    return Parts(stacked, np.array(column, np.int64), np.array(weight), rows.shape[1])


def total(rows: Floats) -> Floats:
    """The sum of every column: float64[1, k] of float64[n, k]."""
    parts = split(rows)
    return parts.joined(parts.values.sum(axis=0, keepdims=True))


def total_by_group(rows: Floats, groups: npt.NDArray[np.int64], n_groups: int) -> Floats:
    """The sums of every column over the rows of each group: float64[n_groups, k] of float64[n, k] and groups[n]."""
    parts = split(rows)
    sums = np.zeros((n_groups, parts.values.shape[1]))
    np.add.at(sums, groups, parts.values)
    return parts.joined(sums)


def _unit(greatest: float) -> float:
    """A power of 2: the last bit of a column's greatest number, and 1 / UNITS or less unless that is out of reach."""
    last_bit = max(int(np.frexp(greatest)[1]), _SMALLEST) - PRECISION
    return 2.0 ** (last_bit if greatest > _OUT_OF_REACH else min(last_bit, -int(np.log2(UNITS))))
