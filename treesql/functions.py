"""Kernels as SQL functions over Arrow batches: each is a line of FUNCTIONS and what turns lists into arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from treesql.kernels.alignment import Ints, common_subsequences


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


FUNCTIONS = (
    Function(
        "common_subsequence",
        "the 1-based positions, in two lists, of the items of a longest common subsequence",
        (("left", "VARCHAR[]"), ("right", "VARCHAR[]")),
        "STRUCT(left_position INTEGER, right_position INTEGER)[]",
        common_subsequence,
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


def _integers(values: Ints) -> pa.Array:
    return pa.Array.from_buffers(pa.int32(), len(values), [None, pa.py_buffer(values.astype("i4"))])
