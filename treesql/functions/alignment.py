"""SQL functions that align words."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import flat, integers, lists_of
from treesql.functions.declared import Function
from treesql.kernels.alignment import common_subsequences


def common_subsequence(left: pa.ChunkedArray, right: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the 1-based positions of a longest common subsequence in both."""
    n = len(left)
    (one, one_offsets), (other, other_offsets) = flat(left), flat(right)
    items = pa.chunked_array([one, other]).combine_chunks().dictionary_encode().indices
    numbers = np.frombuffer(items.buffers()[1], dtype=np.int32, count=len(items)).astype(np.int64)
    found = common_subsequences(numbers[: len(one)], one_offsets, numbers[len(one) :], other_offsets)
    positions = [integers(found.left + 1), integers(found.right + 1)]
    pairs = pa.StructArray.from_arrays(positions, names=["left_position", "right_position"])
    return lists_of(pairs, np.searchsorted(found.pair, np.arange(n + 1)))


FUNCTIONS = (
    Function(
        "common_subsequence",
        "the 1-based positions, in two lists, of the items of a longest common subsequence",
        (("left", "VARCHAR[]"), ("right", "VARCHAR[]")),
        "STRUCT(left_position INTEGER, right_position INTEGER)[]",
        common_subsequence,
    ),
)
