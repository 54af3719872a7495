"""Kernels as SQL functions over Arrow batches: each is a line of FUNCTIONS and what turns lists into arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from treesql.kernels.alignment import Ints, common_subsequences
from treesql.kernels.text import Flags


@dataclass(frozen=True)
class Function:
    """A scalar SQL function: its DuckDB types, and what it does with Arrow arrays of one length."""

    name: str
    doc: str
    parameters: tuple[tuple[str, str], ...]
    returns: str
    call: Callable[..., pa.Array]


def common_subsequence(left: pa.ChunkedArray, right: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the 1-based positions of a longest common subsequence in both."""
    n = len(left)
    (one, one_offsets), (other, other_offsets) = _flat(left), _flat(right)
    items = pa.chunked_array([one, other]).combine_chunks().dictionary_encode().indices
    numbers = np.frombuffer(items.buffers()[1], dtype=np.int32, count=len(items)).astype(np.int64)
    found = common_subsequences(numbers[: len(one)], one_offsets, numbers[len(one) :], other_offsets)
    offsets = np.searchsorted(found.pair, np.arange(n + 1)).astype(np.int32)
    positions = [_integers(found.left + 1), _integers(found.right + 1)]
    pairs = pa.StructArray.from_arrays(positions, names=["left_position", "right_position"])
    return pa.ListArray.from_arrays(pa.Array.from_buffers(pa.int32(), n + 1, [None, pa.py_buffer(offsets)]), pairs)


def symmetrise(
    sources: pa.ChunkedArray, targets: pa.ChunkedArray, directions: pa.ChunkedArray, methods: pa.ChunkedArray
) -> pa.Array:
    """For every sentence the links of the union of two alignments that a method takes.

    directions: of every link 1 if the first alignment alone has it, 2 if the second alone, 3 if both have it.
    """
    (source, offsets), (target, _), (direction, _) = map(_numbers, (sources, targets, directions))
    taken = np.zeros(len(source), dtype=bool)
    wanted = np.repeat(np.array(methods.to_pylist(), dtype=object), np.diff(offsets))
    for method in dict.fromkeys(methods.to_pylist()):
        taken |= (wanted == method) & _taken(method, source, target, direction, offsets)
    kept = np.append(0, np.cumsum(taken))[offsets]
    links = pa.StructArray.from_arrays([_integers(source[taken]), _integers(target[taken])], names=["source", "target"])
    positions = pa.Array.from_buffers(pa.int32(), len(kept), [None, pa.py_buffer(kept.astype("i4"))])
    return pa.ListArray.from_arrays(positions, links)


def _taken(method: str, source: Ints, target: Ints, direction: Ints, offsets: Ints) -> Flags:
    if method in ("union", "intersection"):
        flags: Flags = direction >= (1 if method == "union" else 3)
        return flags
    from treesql.kernels import symmetrisation as kernel  # here, for it brings the compiler

    finals = {
        "grow-diag": kernel.NO_FINAL,
        "grow-diag-final": kernel.FINAL,
        "grow-diag-final-and": kernel.FINAL_AND,
    }
    return kernel.grown(source, target, direction, offsets, finals[method])


FUNCTIONS = (
    Function(
        "common_subsequence",
        "the 1-based positions, in two lists, of the items of a longest common subsequence",
        (("left", "VARCHAR[]"), ("right", "VARCHAR[]")),
        "STRUCT(left_position INTEGER, right_position INTEGER)[]",
        common_subsequence,
    ),
    Function(
        "symmetrise",
        "the links of the union of two alignments of a sentence that a method takes: union, intersection, grow-diag, "
        "grow-diag-final or grow-diag-final-and",
        (("sources", "INTEGER[]"), ("targets", "INTEGER[]"), ("directions", "INTEGER[]"), ("method", "VARCHAR")),
        'STRUCT("source" INTEGER, "target" INTEGER)[]',
        symmetrise,
    ),
)


def install(connection: duckdb.DuckDBPyConnection) -> None:
    """Make all functions known to a connection, which must be closed before the process ends."""
    for function in FUNCTIONS:
        types = [kind for _, kind in function.parameters]
        create: Any = connection.create_function
        create(function.name, function.call, types, function.returns, type="arrow")


def _flat(lists: pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """The items of lists one after the other, and where each list begins and ends."""
    whole = lists.combine_chunks()
    width = np.dtype(np.int64 if pa.types.is_large_list(whole.type) else np.int32)
    start = whole.offsets.offset * width.itemsize
    offsets = np.frombuffer(whole.offsets.buffers()[1], dtype=width, count=len(whole) + 1, offset=start)
    return whole.flatten(), offsets.astype(np.int64) - int(offsets[0])


def _numbers(lists: pa.ChunkedArray) -> tuple[Ints, Ints]:
    """The numbers in lists of integers, and where each list begins and ends."""
    items, offsets = _flat(lists)
    values = np.frombuffer(items.buffers()[1], dtype=np.int32)[items.offset :][: len(items)]
    return values.astype(np.int64), offsets


def _integers(values: Ints) -> pa.Array:
    return pa.Array.from_buffers(pa.int32(), len(values), [None, pa.py_buffer(values.astype("i4"))])
