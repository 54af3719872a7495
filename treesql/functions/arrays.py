"""Arrow lists as flat arrays with offsets, and back; and checks of the arguments of SQL functions: kernels trust
offsets, nodes, positions and sizes.

Every check is a few array operations over the rows of a call, and raises InvalidRow for the first row with a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

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
    stored = np.dtype(f"{sign}{values.type.byte_width}")
    data = values.buffers()[1] if len(values) else b""
    numbers = np.frombuffer(data, stored, len(values), values.offset * stored.itemsize if len(values) else 0)
    return numbers.astype(kind, copy=False)


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
    fields = [flatten(whole.field(name)) for name in names]
    check_lengths(f"{', '.join(names)} of a tree must be lists of one length", *(offsets for _, offsets in fields))
    return fields[0][1], [items for items, _ in fields]


def constant_lists(column: pa.ChunkedArray, **kinds: Any) -> list[NDArray[Any]]:
    """The lists of a struct that is the same in all rows, by the names of its fields. ValueError: it is not."""
    whole, lists = _whole(column), []
    for name, kind in kinds.items():
        items, offsets = flatten(whole.field(name))
        values = to_numpy(items, kind)
        first_list = values[: offsets[1]] if len(whole) else values
        if len(values) != len(first_list) * len(whole) or (values.reshape(len(whole), -1) != first_list).any():
            raise ValueError("labels and classes of words must be the same for all trees")
        lists.append(first_list)
    return lists


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


LONGEST = 1000
"""Maximum length of n-grams: there is a column of counts for each length, whether a text is so long or not."""


def constant(name: str, column: pa.ChunkedArray, default: Any) -> Any:
    """The value of all rows, or the default where there are none. name: of the argument. ValueError: several values."""
    values = call("unique", column).to_pylist()
    if len(values) > 1:
        listed = ", ".join(map(str, values[:3]))
        raise ValueError(f"{name} must be the same in all rows, found {listed}; call it for each value")
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


MAX_CELLS = 1 << 26
"""Maximum number of cells in the table of one row: half a gigabyte of 64-bit cells."""


class InvalidRow(ValueError):
    """An invalid argument. row: counted from 0 in the call; what: the value and the fault."""

    def __init__(self, row: int, what: str) -> None:
        self.row, self.what = row, what
        super().__init__(row, what)

    def __str__(self) -> str:
        return f"row {self.row + 1}: {self.what}"


def check_lengths(what: str, offsets: Ints, *others: Ints) -> None:
    """Check that lists which belong together have one length in every row. offsets: where those of each row begin."""
    for other in others:
        if not np.array_equal(offsets, other):
            lengths, other_lengths = np.diff(offsets), np.diff(other)
            row = int(np.flatnonzero(lengths != other_lengths)[0])
            raise InvalidRow(row, f"{what}: lists of {lengths[row]} and of {other_lengths[row]}")


def check_range(what: str, values: NDArray[Any], low: int, high: Ints | int, offsets: Ints) -> None:
    """Check that low <= value <= high. high: one number, or one for every row, whose values `offsets` delimits."""
    if not len(values) or (int(values.min()) >= low and _within(values, high, offsets)):
        return
    most = high if isinstance(high, int) else np.repeat(high, np.diff(offsets))
    at = int(((values < low) | (values > most)).argmax())
    raise InvalidRow(row_of(at, offsets), f"{what}: {values[at]}")


def _within(values: NDArray[Any], high: Ints | int, offsets: Ints) -> bool:
    """Whether no value is above the limit of its row. Compares the maximum of each row, which is faster."""
    if isinstance(high, int):
        return int(values.max()) <= high
    filled = np.flatnonzero(offsets[1:] > offsets[:-1])
    return bool((np.maximum.reduceat(values, offsets[filled]) <= high[filled]).all())


def check_heads(heads: Ints, offsets: Ints) -> None:
    """Check that heads are words of their sentence, or 0. Whether they form a cycle is left to the kernels."""
    check_range("a head is no word of the sentence", heads, 0, np.diff(offsets), offsets)


def check_tree(parents: NDArray[Any], node_offsets: Ints, phrases: NDArray[Any], word_offsets: Ints) -> None:
    """Check that phrases come after those above them, and that words are below phrases of their tree."""
    check_parents(parents, node_offsets)
    check_range("a word is below no phrase of its tree", phrases, 0, np.diff(node_offsets), word_offsets)


def check_parents(parents: NDArray[Any], offsets: Ints) -> None:
    """Check that the phrases of every tree, counted from 1, come after those above them; 0 is above all."""
    positions = np.arange(len(parents)) - np.repeat(offsets[:-1], np.diff(offsets))
    wrong = (parents < 0) | (parents > positions)
    if wrong.any():
        at = int(wrong.argmax())
        what = f"the phrases of a tree must be in preorder; phrase {positions[at] + 1} is below {parents[at]}"
        raise InvalidRow(row_of(at, offsets), what)


def check_link_order(source: Ints, target: Ints, offsets: Ints) -> None:
    """Check that links are sorted by source and target in every row, and that none is repeated."""
    if len(source) < 2:
        return
    rising = (source[1:] > source[:-1]) | ((source[1:] == source[:-1]) & (target[1:] > target[:-1]))
    starts = offsets[1:-1]
    rising[starts[(starts > 0) & (starts < len(source))] - 1] = True
    if not rising.all():
        at = int((~rising).argmax()) + 1
        link = f"{source[at]}-{target[at]} comes after {source[at - 1]}-{target[at - 1]}"
        raise InvalidRow(row_of(at, offsets), f"links must be sorted by source and target, each given once; {link}")


def check_lattices(n_nodes: Ints, offsets: Ints, edge: Ints, from_node: Ints, to_node: Ints) -> None:
    """Check that every lattice has a node, and that its edges lead from a lower to a higher one of its nodes.

    n_nodes: (lattices,); offsets: (lattices + 1,); edge: (edges,) the numbers by which edges are named.
    """
    if len(n_nodes) and int(n_nodes.min()) < 1:
        row = int(n_nodes.argmin())
        raise InvalidRow(row, f"a lattice has 1 node or more, not {n_nodes[row]}")
    rising = bool((to_node > from_node).all())
    if not len(edge) or (rising and int(from_node.min()) >= 0 and _within(to_node, n_nodes - 1, offsets)):
        return
    wrong = (from_node < 0) | (from_node >= to_node) | (to_node >= np.repeat(n_nodes, np.diff(offsets)))
    at = int(wrong.argmax())
    row = row_of(at, offsets)
    led = f"edge {edge[at]} leads from node {from_node[at]} to node {to_node[at]}"
    nodes = f"nodes of this lattice are 0 to {n_nodes[row] - 1}" if n_nodes[row] > 1 else "this lattice has one node"
    raise InvalidRow(row, f"{led}; edges lead from a lower to a higher node, and {nodes}")


def check_cells(what: str, heights: Ints, widths: Ints) -> None:
    """Check that the table of every row has no more than MAX_CELLS cells. heights, widths: its rows and columns."""
    if not len(heights) or int(heights.max()) * int(widths.max()) <= MAX_CELLS:
        return
    cells = heights.astype(np.float64) * widths
    row = int(cells.argmax())
    if cells[row] > MAX_CELLS:
        size = f"{heights[row]:,} by {widths[row]:,} {what}"
        raise InvalidRow(row, f"{size} are too many to compare; no more than {MAX_CELLS:,} pairs are")


@contextmanager
def explain_faults(*checks: Callable[[], None]) -> Iterator[None]:
    """Where a kernel raises ValueError, run checks that name the row and the value.

    For kernels that check every value themselves, so that valid values are checked once.
    """
    try:
        yield
    except ValueError:
        for check in checks:
            check()
        raise


def row_of(at: int, offsets: Ints) -> int:
    """The row of an item of a list."""
    return int(np.searchsorted(offsets, at, side="right")) - 1
