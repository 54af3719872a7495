"""Kernels that run twice, interpreted and compiled, and must give the same bytes.

What is allocated and never written has any bytes. With ENVIRONMENT the C library fills it with a byte by which it is
recognised; in a process without it, such bytes may count as differences.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from treesql.kernels import compiling
from treesql.kernels.compiling import Kernel

ENVIRONMENT = {"GLIBC_TUNABLES": "glibc.malloc.perturb=90:glibc.malloc.tcache_count=0"}
UNWRITTEN = 90 ^ 0xFF
"""The byte that the C library then fills allocated memory with."""

left_to_the_compiler: Counter[str] = Counter()
"""Calls that could not be interpreted, by kernel: overflows, divisions by zero and what is no number."""

checked: Counter[str] = Counter()
"""Calls that gave the same both ways, by kernel."""

differences: list[str] = []
"""What differed: where SQL calls a kernel, its failure is that of the statement."""

compiled: set[str] = set()
"""Kernels that were called compiled since the test began."""

usual, usual_compiled, usual_room = Kernel.__call__, Kernel.call_compiled, compiling._room_like


def filled_room(array: Any) -> Any:
    """Stand in for `_room_like`: room with numbers that a kernel would not take for its own."""
    room = usual_room(array)
    room.fill(UNWRITTEN)
    return room


def note_compiled(kernel: Kernel, *arguments: Any) -> Any:
    """Stand in for `Kernel.call_compiled`."""
    compiled.add(kernel.name)
    return usual_compiled(kernel, *arguments)


class Differs(pytest.fail.Exception):
    """A kernel that gives one thing interpreted and another compiled; no test expects it as an error."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        differences.append(what)


def call(kernel: Kernel, *arguments: Any) -> Any:
    """Stand in for `Kernel.__call__`."""
    if compiling._thread.interprets:
        return usual(kernel, *arguments)
    copies = [_copy(argument) for argument in arguments]
    interpreted, failure = None, None
    try:
        interpreted = kernel.interpret(*copies)
    except (FloatingPointError, OverflowError):
        left_to_the_compiler[_name(kernel)] += 1
        return kernel.call_compiled(*arguments)
    except Exception as error:
        failure = error
    try:
        compiled = kernel.call_compiled(*arguments)
    except Exception as error:
        same = isinstance(error, ZeroDivisionError) or str(error) == str(failure)
        if type(error) is not type(failure) or not same:
            raise Differs(f"{_name(kernel)} raises {error!r} compiled, {failure!r} interpreted") from error
        raise
    if failure is not None:
        raise Differs(f"{_name(kernel)} raises {failure!r} interpreted, nothing compiled") from failure
    for what, one, other in (("returns", interpreted, compiled), ("writes", tuple(copies), arguments)):
        if not _is_same(one, other):
            raise Differs(f"{_name(kernel)} {what} {one!r} interpreted, {other!r} compiled, from {arguments!r}"[:5000])
    checked[_name(kernel)] += 1
    return compiled


def _name(kernel: Kernel) -> str:
    return f"{kernel.__module__.rpartition('.')[2]}.{kernel.py_func.__name__}"


def _copy(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        copied = value.copy()
        copied.flags.writeable = value.flags.writeable
        return copied
    if isinstance(value, tuple):
        parts = [_copy(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values have one type and the same bytes, but for those that compiled code has not written."""
    if compiling.is_scratch(one):
        return type(one) is type(other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        items, others = (
            np.frombuffer(array.tobytes(), np.uint8).reshape(array.size, array.itemsize) for array in (one, other)
        )
        return bool(((items == others).all(axis=1) | (others == UNWRITTEN).all(axis=1)).all())
    if isinstance(one, float) and isinstance(other, float):
        return np.float64(one).tobytes() == np.float64(other).tobytes()
    return type(one) is type(other) and bool(one == other)
