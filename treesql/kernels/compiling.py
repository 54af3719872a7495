"""Kernels that run interpreted on small inputs, and compiled on large ones.

A kernel is plain Python that numba can compile. To import numba takes a third of a second and to compile a kernel
seconds, so that a call on a small input is over sooner without. Both ways give the same bytes: numba computes small
integers in 64 bits, and so does an interpreted call, whose arguments are widened; and what NumPy reports as an
overflow, a division by zero or no number is left to the compiled kernel, whatever it makes of it.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from treesql.errors import UsageError
from treesql.kernels import kernel_cache
from treesql.runtime import interrupts, limits, steps

Function = TypeVar("Function", bound=Callable[..., Any])
Tuple = TypeVar("Tuple", bound=tuple[Any, ...])
Cost = Callable[..., float]
"""What a call costs, in steps of the innermost loop, from its arguments."""

NO, YES = (cast(bool, np.bool_(value)) for value in (False, True))
NONE, ZERO, ONE = (cast(int, np.int64(value)) for value in (-1, 0, 1))
"""Flags and numbers typed as NumPy scalars: numba compiles a function again for literal arguments."""

INTERPRETED_SECONDS = "TREESQL_INTERPRETED_SECONDS"
"""Environment variable: seconds for which a process may interpret kernels. 0: all calls are compiled."""

PATIENCE = 6
"""How many times as long kernels are interpreted that were never compiled: that takes seconds for each."""

SECONDS_PER_STEP = 2e-6
"""Time of a step of an interpreted kernel, until it was measured."""

SECONDS_TO_LOAD = 0.005
"""Time to load a kernel from the cache, in a process that has loaded another one."""

FEW_STEPS, MEASURED_STEPS = 500, 50_000
"""Steps whose time is that of the call itself, and those from which on the measured time of a step is taken."""


def read_limit() -> float:
    """Return the seconds for which a process may interpret kernels. Raises UsageError for what is no number."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return float("inf")
    text = os.environ.get(INTERPRETED_SECONDS, "0.25")
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"the environment variable {INTERPRETED_SECONDS} is {text!r}; it is a number") from None


MIN_STEPS_BESIDE = 50_000
"""Steps from which on a compiled call of the main thread runs in another one, which takes a ten-thousandth of a
second: Ctrl-C ends the call for its caller."""


class _Thread(threading.local):
    """What NumPy does in this thread at an overflow while it interprets a kernel, "" while it does not: the kernels
    that an interpreted one calls are interpreted as well."""

    interprets = ""


_thread = _Thread()


class Kernel:
    """A function that is interpreted or compiled, as its docstring says; the outermost call decides.

    Compiled code that the process has used is used again. Otherwise the call is interpreted while the seconds that
    kernels were interpreted and those that the call is likely to take are within the limit, PATIENCE times as many if
    the kernel was never compiled; its time is measured. In a process that has called compiled kernels, one that is in
    the cache is loaded where that is likely to take less time.

    name: that of the function with its module's. wraps: its unsigned integers overflow on purpose. cost: see
    `compiled`. options: those of numba.
    """

    limit = read_limit()
    spent = 0.0
    """Seconds that the process has interpreted kernels."""
    has_compiler = False
    """Whether the process has called a compiled kernel, so that others need only be loaded."""

    def __init__(self, function: Callable[..., Any], wraps: bool, cost: Cost | None, options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self.targetoptions = function, options
        self.name = name_of(function)
        self._cost = cost or count_items
        self._overflow = "ignore" if wraps else "raise"
        self._compiled: Callable[..., Any] | None = None
        self._seconds, self._steps = 0.0, 0.0

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        if _thread.interprets:
            return self._call_inner(arguments)
        if steps.when_done:
            with steps.working("computing"):
                return self._call_outermost(arguments)
        return self._call_outermost(arguments)

    def _call_outermost(self, arguments: tuple[Any, ...]) -> Any:
        if self._compiled is not None and not interrupts.raises_here():
            return self._compiled(*arguments)
        n_steps = self._cost(*arguments) + FEW_STEPS
        if self._compiled is not None:
            return self._run_beside(self._compiled, arguments, n_steps)
        rate = self._seconds / self._steps if self._steps else 0.0
        if self._steps < MEASURED_STEPS:
            rate = max(rate, SECONDS_PER_STEP)
        likely = n_steps * rate
        may_load = Kernel.has_compiler and self.limit < float("inf")
        if may_load and likely > SECONDS_TO_LOAD and kernel_cache.was_compiled(self.name):
            return self._run_beside(self.call_compiled, arguments, n_steps)
        seconds = Kernel.spent + likely
        if seconds <= self.limit or (seconds <= PATIENCE * self.limit and not kernel_cache.was_compiled(self.name)):
            return self._interpret(arguments, n_steps)
        return self._run_beside(self.call_compiled, arguments, n_steps)

    def _run_beside(self, function: Callable[..., Any], arguments: tuple[Any, ...], steps: float) -> Any:
        """Call a compiled function, and raise KeyboardInterrupt meanwhile if the call may take long."""
        if steps < MIN_STEPS_BESIDE or not interrupts.raises_here():
            return function(*arguments)
        return limits.run_beside(lambda: function(*arguments))

    def _call_inner(self, arguments: tuple[Any, ...]) -> Any:
        """Call the function within an interpreted call of another kernel."""
        outer = _thread.interprets
        if outer == self._overflow:
            return self.py_func(*arguments)
        _thread.interprets = self._overflow
        try:
            with np.errstate(over=self._overflow):  # type: ignore[arg-type]
                return self.py_func(*arguments)
        finally:
            _thread.interprets = outer

    def call_compiled(self, *arguments: Any) -> Any:
        """Call the compiled function, which is loaded or compiled if it was not called before."""
        from treesql.kernels import compiler  # brings numba

        Kernel.has_compiler = True
        result = compiler.call(self, arguments)
        self._compiled = compiler.dispatcher(self)
        return result

    def interpret(self, *arguments: Any) -> Any:
        """Call the function itself, in the arithmetic of the compiled one.

        Raises FloatingPointError or OverflowError where that is not possible; arguments may have changed by then.
        """
        widened: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}
        wide = [_widen(argument, widened) for argument in arguments]
        _thread.interprets = self._overflow
        try:
            with np.errstate(over=self._overflow, divide="raise", invalid="raise"):  # type: ignore[arg-type]
                result = self.py_func(*wide)
        finally:
            _thread.interprets = ""
        for narrow, computed in widened.values():
            if narrow.flags.writeable:
                narrow[...] = computed.astype(narrow.dtype)
        return _as_returned(result)

    def _interpret(self, arguments: tuple[Any, ...], steps: float) -> Any:
        """Interpret a call and measure it; restore the arguments and call the compiled function where that fails."""
        before: list[tuple[NDArray[Any], NDArray[Any]]] = []
        for argument in arguments:
            _keep_writeable(argument, before)
        begin = time.thread_time()
        try:
            return self.interpret(*arguments)
        except (FloatingPointError, OverflowError):
            for array, kept in before:
                array[...] = kept
            return self.call_compiled(*arguments)
        finally:
            seconds = time.thread_time() - begin
            Kernel.spent += seconds
            self._seconds += seconds
            self._steps += steps

    @property
    def _numba_type_(self) -> Any:
        """What numba takes the kernel for where another one calls it."""
        from treesql.kernels import compiler

        return compiler.type_of(self)


@overload
def compiled(function: Function) -> Function: ...
@overload
def compiled(*, wraps: bool = False, cost: Cost | None = None) -> Callable[[Function], Function]: ...


def compiled(function: Any = None, *, wraps: bool = False, cost: Cost | None = None) -> Any:
    """Make a kernel of a function. Compiled, it releases the GIL; its code is kept for later processes.

    wraps: its unsigned integers of 64 bits overflow on purpose. cost: the steps of a call from its arguments, where
    these are not as many as the items of all arrays.
    """
    if function is None:
        return lambda declared: Kernel(declared, wraps, cost, {})
    return Kernel(function, wraps, cost, {})


@overload
def inlined(function: Function) -> Function: ...
@overload
def inlined(*, wraps: bool = False) -> Callable[[Function], Function]: ...


def inlined(function: Any = None, *, wraps: bool = False) -> Any:
    """Make a kernel as `compiled` does, whose compiled code is inlined into its callers."""
    if function is None:
        return lambda declared: Kernel(declared, wraps, None, {"inline": "always"})
    return Kernel(function, wraps, None, {"inline": "always"})


_scratch_types: set[type] = set()


def scratch(kind: type[Tuple]) -> type[Tuple]:
    """Mark a named tuple of arrays as room to work in: a call reads no item of them that it has not written, and leaves
    nothing there for its caller. An interpreted call gets room of its own, so that no large array is copied."""
    _scratch_types.add(kind)
    return kind


def is_scratch(value: object) -> bool:
    """Return whether an argument is room to work in."""
    return type(value) in _scratch_types


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function with its module's, as file names can have it."""
    return f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}".replace("<", "").replace(">", "")


def count_items(*arguments: Any) -> float:
    """Return the number of items of all arrays, those in tuples included, but not of room to work in."""
    n = 0.0
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            n += argument.size
        elif isinstance(argument, tuple) and not is_scratch(argument):
            n += count_items(*argument)
    return n


def count_cells(left: Any, left_offsets: Any, right: Any, right_offsets: Any, *others: Any) -> float:
    """Return the number of cells of the tables of all pairs of sequences."""
    return float(np.diff(left_offsets) @ np.diff(right_offsets))


def _widen(value: Any, widened: dict[int, tuple[NDArray[Any], NDArray[Any]]]) -> Any:
    """An argument whose integers of less than 64 bits have 64. widened: arrays and their wide copies, by identity."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "iu" or value.dtype.itemsize == 8:
            return value
        if id(value) not in widened:
            wide = value.astype(np.int64)
            wide.flags.writeable = value.flags.writeable
            widened[id(value)] = value, wide
        return widened[id(value)][1]
    if isinstance(value, tuple):
        parts = [_room_like(part) if is_scratch(value) else _widen(part, widened) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, np.integer) and value.dtype.itemsize < 8:
        return np.int64(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return np.int64(value)
    return value


def _room_like(array: NDArray[Any]) -> NDArray[Any]:
    """An array of the same shape, of integers of 64 bits instead of smaller ones."""
    is_small = array.dtype.kind in "iu" and array.dtype.itemsize < 8
    return np.empty(array.shape, np.int64 if is_small else array.dtype)


def _keep_writeable(value: Any, kept: list[tuple[NDArray[Any], NDArray[Any]]]) -> None:
    """Add the arrays that a call may change, with copies. Those that are widened change only when it has succeeded."""
    if isinstance(value, np.ndarray):
        if value.flags.writeable and (value.dtype.kind not in "iu" or value.dtype.itemsize == 8):
            kept.append((value, value.copy()))
    elif isinstance(value, tuple) and not is_scratch(value):
        for part in value:
            _keep_writeable(part, kept)


def _as_returned(value: Any) -> Any:
    """A result as compiled code returns it: scalars are Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        parts = [_as_returned(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def read_only(*arrays: NDArray[Any]) -> Any:
    """Return read-only views of arrays: numba compiles a function again for each combination of writeable and read-only
    arrays, which depends on the caller."""
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
