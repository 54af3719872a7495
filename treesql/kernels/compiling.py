"""How kernels are called so that numba compiles each once.

It compiles once more for an argument that is a literal, and for every pattern of arrays that may and may not be written
to, which depends on who made them.
"""

from __future__ import annotations

from typing import Any, cast

import numba
import numpy as np
from numpy.typing import NDArray

NO, YES = (cast(bool, np.bool_(value)) for value in (False, True))
NONE, ZERO, ONE = (cast(int, np.int64(value)) for value in (-1, 0, 1))
"""Flags and numbers that are no literals."""


def read_only(*arrays: NDArray[Any]) -> Any:
    """Views of arrays that cannot be written to."""
    views = [array.view() for array in arrays]
    for view in views:
        view.flags.writeable = False
    return views


@numba.njit(nogil=True, cache=True)
def copy(source: NDArray[Any], target: NDArray[Any], n: int) -> None:
    """Copy the first n items. A slice assigned to a slice takes half a second more to compile, wherever it stands."""
    for at in range(n):
        target[at] = source[at]


@numba.njit(nogil=True, cache=True)
def largest_step(offsets: NDArray[np.int64]) -> int:
    """The largest difference of neighbours, 0 of fewer than two."""
    largest = 0
    for at in range(len(offsets) - 1):
        largest = max(largest, offsets[at + 1] - offsets[at])
    return largest
