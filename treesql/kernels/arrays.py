"""Types of NumPy arrays, for all modules, and positions in lists that are stored one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
SmallInts = NDArray[np.int32]
Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def positions_in_list(lengths: Ints) -> Ints:
    """Return the 0-based position of every item in its list, from the lengths of the lists."""
    return np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
