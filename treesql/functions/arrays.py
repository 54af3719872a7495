"""Arrow lists as flat arrays with offsets, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from treesql.functions.checks import check_lengths
from treesql.kernels.arrays import Bytes, Flags, Ints
from treesql.runtime.arrays import call, encode


def flatten(lists: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """The items of lists one after the other, and where each list begins and ends."""
    whole = lists.combine_chunks() if isinstance(lists, pa.ChunkedArray) else lists
    width = np.dtype(np.int64 if pa.types.is_large_list(whole.type) else np.int32)
    start = whole.offsets.offset * width.itemsize
    offsets = np.frombuffer(whole.offsets.buffers()[1], dtype=width, count=len(whole) + 1, offset=start)
    if whole.null_count:  # `flatten` leaves out what a list that is NULL may have
        lengths = np.where(call("is_null", whole).to_numpy(zero_copy_only=False), 0, np.diff(offsets))
        return whole.flatten(), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    items = whole.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))  # `flatten` would import pyarrow.compute
    return items, offsets.astype(np.int64) - int(offsets[0])


def bytes_of(texts: pa.ChunkedArray) -> tuple[Bytes, Ints]:
    """The bytes of strings one after the other, and where each string begins and ends."""
    whole = texts.chunk(0) if texts.num_chunks == 1 else texts.combine_chunks()
    width = np.dtype(
        np.int64 if pa.types.is_large_string(whole.type) else np.int32
    )  # `cast` would import pyarrow.compute
    offsets = np.frombuffer(whole.buffers()[1], width, len(whole) + 1, whole.offset * width.itemsize).astype(np.int64)
    data = whole.buffers()[2]
    text = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]] if data else np.empty(0, np.uint8)
    return text, offsets - offsets[0]


def flatten_integers(lists: pa.ChunkedArray) -> tuple[Ints, Ints]:
    """The numbers in lists of integers, and where each list begins and ends. ValueError: a NULL among them."""
    items, offsets = flatten(lists)
    return to_numpy(items, np.int64), offsets


def integer_array(values: Ints, absent: Flags | None = None) -> pa.Array:
    """An INTEGER array; NULL where `absent`."""
    return to_arrow(np.asarray(values, dtype=np.int32), absent)


def encode_strings(*columns: pa.Array) -> list[Ints]:
    """Strings as numbers, the same in all columns."""
    items = encode(pa.chunked_array(columns).combine_chunks()).indices
    return np.split(to_numpy(items, np.int64), np.cumsum([len(column) for column in columns])[:-1])


def list_array(values: pa.Array, offsets: Ints) -> pa.Array:
    """Lists of items. offsets: where each list begins and ends."""
    return pa.ListArray.from_arrays(integer_array(offsets), values)


def to_numpy(values: pa.Array, kind: Any) -> NDArray[Any]:
    """A NumPy array of numbers. ValueError: a NULL among them.

    From the buffer: `to_numpy` would import pandas where it is installed. Flags are no numbers of whole bytes.
    """
    if values.null_count:
        raise ValueError("a list of this function cannot hold NULL")
    if pa.types.is_boolean(values.type):
        return np.asarray(values.to_numpy(zero_copy_only=False), dtype=kind)
    sign = "f" if pa.types.is_floating(values.type) else "u" if pa.types.is_unsigned_integer(values.type) else "i"
    own = np.dtype(f"{sign}{values.type.byte_width}")
    data = values.buffers()[1] if len(values) else b""
    found = np.frombuffer(data, own, len(values), values.offset * own.itemsize if len(values) else 0)
    return found.astype(kind, copy=False)


def to_arrow(values: NDArray[Any], absent: Flags | None = None) -> pa.Array:
    """An Arrow array of numbers or flags; NULL where `absent`.

    From the buffer: `pa.array` would import np.ma, and pandas where it is installed.
    """
    validity = None if absent is None else pa.py_buffer(np.packbits(~absent, bitorder="little"))
    data = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [validity, pa.py_buffer(data)])


def fields_of_struct(column: pa.ChunkedArray, *names: str) -> tuple[Ints, list[pa.Array]]:
    """Where the lists of some fields of a struct begin and end, and the items of each field.

    ValueError: lists of different lengths in one row.
    """
    whole = _whole(column)
    found = [flatten(whole.field(name)) for name in names]
    check_lengths(f"{', '.join(names)} of a tree must be lists of one length", *(offsets for _, offsets in found))
    return found[0][1], [items for items, _ in found]


def constant_lists(column: pa.ChunkedArray, **kinds: Any) -> list[NDArray[Any]]:
    """The lists of a struct that is the same in all rows, by the names of its fields. ValueError: it is not."""
    whole, found = _whole(column), []
    for name, kind in kinds.items():
        items, offsets = flatten(whole.field(name))
        values = to_numpy(items, kind)
        one = values[: offsets[1]] if len(whole) else values
        if len(values) != len(one) * len(whole) or (values.reshape(len(whole), -1) != one).any():
            raise ValueError("labels and classes of words must be the same for all trees")
        found.append(one)
    return found


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


LONGEST = 1000
"""Maximum length of n-grams: there is a column of counts for each length, whether a text is so long or not."""


def constant(name: str, column: pa.ChunkedArray, default: Any) -> Any:
    """The value of all rows, or the default where there are none. name: of the argument. ValueError: several values."""
    values = call("unique", column).to_pylist()
    if len(values) > 1:
        found = ", ".join(map(str, values[:3]))
        raise ValueError(f"{name} must be the same in all rows, found {found}; call it for each value")
    return values[0] if values else default


def longest_n_grams(column: pa.ChunkedArray) -> int:
    """The length of the longest n-grams, the same in all rows. ValueError: several, or a length that is none."""
    longest = constant("longest", column, 1)
    if not 0 <= longest <= LONGEST:
        raise ValueError(f"longest is {longest}; it is a number from 0 to {LONGEST}")
    return int(longest)


def constant_choice(column: pa.ChunkedArray, choices: tuple[str | bool, ...]) -> int:
    """The number of the choice that is the value of all rows. ValueError: another value, or several."""
    values = call("unique", column).to_pylist()
    if len(values) != 1 or values[0] not in choices:
        raise ValueError(
            f"this argument must be the same in all rows, one of {', '.join(map(str, choices))}; found {values}"
        )
    return choices.index(values[0])
