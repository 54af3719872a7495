"""Compilation of kernels, and argument types that make numba compile each kernel only once.

numba compiles a function again for literal arguments, and for every combination of writeable and read-only arrays,
which depends on the caller.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import event
from numpy.typing import NDArray

from treesql.kernels import when_compiling

Function = TypeVar("Function", bound=Callable[..., Any])

NO, YES = (cast(bool, np.bool_(value)) for value in (False, True))
NONE, ZERO, ONE = (cast(int, np.int64(value)) for value in (-1, 0, 1))
"""Flags and numbers typed as NumPy scalars, so that numba does not treat them as literals."""


class _FirstCompilation(event.Listener):
    """Listener for the first compilation in a process."""

    def on_start(self, _: event.Event) -> None:
        """Call the registered functions, once."""
        for call in when_compiling:
            call()
        when_compiling.clear()

    def on_end(self, _: event.Event) -> None:
        """Ignore the end of a compilation."""


event.register("numba:compile", _FirstCompilation())  # type: ignore[no-untyped-call]


def compiled(function: Function) -> Function:
    """Compile a function at its first call and cache it for later processes. It releases the GIL."""
    return cast(Function, numba.njit(nogil=True, cache=True)(function))


def inlined(function: Function) -> Function:
    """Compile a function as `compiled` does, and inline it into its callers."""
    return cast(Function, numba.njit(nogil=True, cache=True, inline="always")(function))


def read_only(*arrays: NDArray[Any]) -> Any:
    """Return read-only views of arrays."""
    views = [array.view() for array in arrays]
    for view in views:
        view.flags.writeable = False
    return views


@compiled
def copy(source: NDArray[Any], target: NDArray[Any], n: int) -> None:
    """Copy the first n items. Assigning a slice to a slice would add half a second of compilation per occurrence."""
    for at in range(n):
        target[at] = source[at]


@compiled
def largest_difference(offsets: NDArray[np.int64]) -> int:
    """Return the largest difference between neighbouring offsets, 0 for fewer than two offsets."""
    largest = 0
    for at in range(len(offsets) - 1):
        largest = max(largest, offsets[at + 1] - offsets[at])
    return largest
