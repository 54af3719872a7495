"""Compilation of kernels, and argument types that make numba compile each kernel only once.

numba compiles a function again for literal arguments, and for every combination of writeable and read-only arrays,
which depends on the caller.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numpy.typing import NDArray

from treesql.kernels import Together

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

Function = TypeVar("Function", bound=Callable[..., Any])

NO, YES = (cast(bool, np.bool_(value)) for value in (False, True))
NONE, ZERO, ONE = (cast(int, np.int64(value)) for value in (-1, 0, 1))
"""Flags and numbers typed as NumPy scalars, so that numba does not treat them as literals."""


class _Cache(FunctionCache):
    """numba's cache of a function, which several processes may fill at once.

    numba keeps an index of the signatures and the code of each in files of their own: without a lock, a process could
    find the code of one signature under another, and several would compile the same. n_held: number of functions that
    are locked, one within another, under numba's own lock of all threads.
    """

    n_held = 0

    def load_overload(self, sig: object, target_context: object) -> Any:
        """Return the code for a signature, None if it is to be compiled."""
        found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        if found is None and Together.pending is not None and _Cache.n_held <= 1:
            self._set_lock(False)  # for the processes that compile
            Together.compile()
            self._set_lock(True)
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        if found is None:
            Together.tell_once()
        return found

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let no other process load or compile the function, and no other thread any: one that held the lock of a
        function while it waited for numba's would keep the processes that compile, and so all, waiting."""
        with global_compiler_lock:
            self._set_lock(True)
            _Cache.n_held += 1
            try:
                yield
            finally:
                _Cache.n_held -= 1
                self._set_lock(False)

    def _set_lock(self, held: bool) -> None:
        """Take or release the lock, where there are such: not in a folder that is only read."""
        with suppress(OSError):
            if fcntl is not None:
                place = zlib.crc32(self._cache_file._index_path.encode())
                fcntl.lockf(_lock_file(self.cache_path), fcntl.LOCK_EX if held else fcntl.LOCK_UN, 1, place)


@cache
def _lock_file(folder: str) -> int:
    """The file whose bytes are the locks of the functions of a folder; closing it would release all of them."""
    return os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT, 0o666)


def compiled(function: Function) -> Function:
    """Compile a function at its first call and cache it for later processes. It releases the GIL."""
    return _dispatcher(function)


def inlined(function: Function) -> Function:
    """Compile a function as `compiled` does, and inline it into its callers."""
    return _dispatcher(function, inline="always")


def _dispatcher(function: Function, **how: str) -> Function:
    njit: Any = numba.njit  # whose types know nothing of no_cfunc_wrapper
    dispatcher = njit(nogil=True, no_cfunc_wrapper=True, **how)(function)
    cache, compile_one = _Cache(function), dispatcher.compile  # type: ignore[no-untyped-call]

    def compile_locked(sig: object) -> object:
        with cache.locked():
            return compile_one(sig)

    dispatcher._cache, dispatcher.compile = cache, compile_locked
    return cast(Function, dispatcher)


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
