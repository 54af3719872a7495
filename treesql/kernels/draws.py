"""How often every row is drawn, over many draws with replacement at once."""

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
