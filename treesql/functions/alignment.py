"""SQL functions that align words."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import Ints, flat, integers, lists_of, numbers_of
from treesql.functions.declared import Function
from treesql.kernels.alignment import longest_common_subsequences
from treesql.kernels.text import Flags


def common_subsequence(left: pa.ChunkedArray, right: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the 1-based positions of a longest common subsequence in both."""
    n = len(left)
    (one, one_offsets), (other, other_offsets) = flat(left), flat(right)
    items = pa.chunked_array([one, other]).combine_chunks().dictionary_encode().indices
    numbers = np.frombuffer(items.buffers()[1], dtype=np.int32, count=len(items)).astype(np.int64)
    found = longest_common_subsequences(numbers[: len(one)], one_offsets, numbers[len(one) :], other_offsets)
    positions = [integers(found.left + 1), integers(found.right + 1)]
    pairs = pa.StructArray.from_arrays(positions, names=["left_position", "right_position"])
    return lists_of(pairs, np.searchsorted(found.pair, np.arange(n + 1)))


def symmetrise(
    sources: pa.ChunkedArray, targets: pa.ChunkedArray, directions: pa.ChunkedArray, methods: pa.ChunkedArray
) -> pa.Array:
    """For every sentence the links of the union of two alignments that a method takes.

    directions: of every link 1 if the first alignment alone has it, 2 if the second alone, 3 if both have it.
    """
    (source, offsets), (target, _), (direction, _) = map(numbers_of, (sources, targets, directions))
    taken = np.zeros(len(source), dtype=bool)
    wanted = np.repeat(np.array(methods.to_pylist(), dtype=object), np.diff(offsets))
    for method in dict.fromkeys(methods.to_pylist()):
        taken |= (wanted == method) & _taken(method, source, target, direction, offsets)
    kept = np.append(0, np.cumsum(taken))[offsets]
    links = pa.StructArray.from_arrays([integers(source[taken]), integers(target[taken])], names=["source", "target"])
    return lists_of(links, kept)


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
    return kernel.grow_diag(source, target, direction, offsets, finals[method])


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
