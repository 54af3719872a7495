"""How kernels are compiled, and called so that numba compiles each once.

It compiles once more for an argument that is a literal, and for every pattern of arrays that may and may not be written
to, which depends on who made them.
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
"""Flags and numbers that are no literals."""


class _First(event.Listener):
    """Hears of the first compilation in a process."""

    def on_start(self, _: event.Event) -> None:
        """Tell who wants to know, once."""
        for tell in when_compiling:
            tell()
        when_compiling.clear()

    def on_end(self, _: event.Event) -> None:
        """Nothing is told of the end."""


event.register("numba:compile", _First())  # type: ignore[no-untyped-call]


def compiled(function: Function) -> Function:
    """Compiled at its first use, and kept for later processes; other threads run beside it."""
    return cast(Function, numba.njit(nogil=True, cache=True)(function))


def inlined(function: Function) -> Function:
    """The same for a function that becomes part of those that call it."""
    return cast(Function, numba.njit(nogil=True, cache=True, inline="always")(function))


def read_only(*arrays: NDArray[Any]) -> Any:
    """Views of arrays that cannot be written to."""
    views = [array.view() for array in arrays]
    for view in views:
        view.flags.writeable = False
    return views


@compiled
def copy(source: NDArray[Any], target: NDArray[Any], n: int) -> None:
    """Copy the first n items. A slice assigned to a slice takes half a second more to compile, wherever it stands."""
    for at in range(n):
        target[at] = source[at]


@compiled
def largest_step(offsets: NDArray[np.int64]) -> int:
    """The largest difference of neighbours, 0 of fewer than two."""
    largest = 0
    for at in range(len(offsets) - 1):
        largest = max(largest, offsets[at + 1] - offsets[at])
    return largest
