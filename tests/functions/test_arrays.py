"""Arrow lists as flat arrays."""

from __future__ import annotations

import pyarrow as pa

from tests.house.rules import in_turn
from treesql.functions.arrays import flatten

LISTS = [["a", "b"], [], ["c"], ["d", "e", "f"], []]


@in_turn("kind", [pa.list_(pa.string()), pa.large_list(pa.string())])
@in_turn(("first", "last"), [(0, 5), (1, 4), (2, 2), (3, 5), (4, 5)])
def test_lists_and_parts_of_them(kind: pa.DataType, first: int, last: int) -> None:
    whole = pa.array(LISTS, kind)
    items, offsets = flatten(whole.slice(first, last - first))
    assert items.to_pylist() == [item for one in LISTS[first:last] for item in one]
    assert offsets.tolist() == [sum(map(len, LISTS[first:at])) for at in range(first, last + 1)]
    in_chunks = pa.chunked_array([whole.slice(first, 1), whole.slice(first + 1)]) if first < 4 else whole.slice(first)
    assert flatten(in_chunks)[0].to_pylist() == [item for one in LISTS[first:] for item in one]


def test_a_list_that_is_null_has_no_items() -> None:
    items, offsets = flatten(pa.array([["a"], None, ["b", "c"]]).slice(1))
    assert (items.to_pylist(), offsets.tolist()) == (["b", "c"], [0, 0, 2])
