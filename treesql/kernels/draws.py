"""Random choices of rows, of many runs at once: how often each is drawn, and sums over random subsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from treesql.kernels.compiling import compiled


@compiled
def count_draws(words: npt.NDArray[np.uint32], n_rows: int, times: npt.NDArray[Any]) -> None:
    """Write how often each of n rows is drawn in every run: times[r, row], of draws words[r, i] * n >> 32.

    words: uint32[runs, n or more], of which n are used; times: float32 or float64[runs, n]. O(runs n).
    """
    wide = np.uint64(n_rows)
    for run in range(len(times)):
        for row in range(n_rows):
            times[run, row] = 0
        for at in range(n_rows):
            times[run, (np.uint64(words[run, at]) * wide) >> np.uint64(32)] += 1


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
