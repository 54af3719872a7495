"""Sums over random subsets of rows, by lookup in tables of the sums of all subsets of eight rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from treesql.kernels.compiling import compiled


@compiled
def subset_sums(eights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the sums of all subsets of eight numbers: [groups, 256] of [groups, 8]. Bit i of the index selects number
    i."""
    tables = np.zeros((len(eights), 256), eights.dtype)
    for g in range(len(eights)):
        for i in range(8):
            for subset in range(1 << i):
                tables[g, (1 << i) + subset] = tables[g, subset] + eights[g, i]
    return tables


@compiled
def add_subset_sums(tables: npt.NDArray[Any], choices: npt.NDArray[np.uint8], sums: npt.NDArray[Any]) -> None:
    """Add to sums[r] the entries tables[g, choices[g, r]] of all groups g.

    tables: int64 or float64[groups, 256]; choices: uint8[groups, runs]; sums: [runs], of the tables' type. O(groups
    runs). Four groups are processed at a time, which reduces reads and writes of `sums`.
    """
    groups, runs = len(choices), len(sums)
    for g in range(0, groups - 3, 4):
        for r in range(runs):
            sums[r] += (
                tables[g, choices[g, r]]
                + tables[g + 1, choices[g + 1, r]]
                + tables[g + 2, choices[g + 2, r]]
                + tables[g + 3, choices[g + 3, r]]
            )
    for g in range(groups - groups % 4, groups):
        for r in range(runs):
            sums[r] += tables[g, choices[g, r]]
