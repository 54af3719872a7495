"""Record batches of schemas/ from columns that are computed only if they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.kernels.arrays import Flags, Ints
from treesql.readers import Options, State
from treesql.readers.fields import numbers

Columns = Mapping[str, Callable[[], pa.Array | Ints | Flags]]
"""Functions that return the values of each column; columns without any value may be missing."""


def record_batch(table: str, columns: Columns, state: State, options: Options) -> pa.RecordBatch:
    """Columns in the table's order and types; `sentence` counts on from the sentences before."""
    chosen = None if options.columns is None else options.columns.get(table, frozenset())
    fields = [field for field in schemas.table(table).arrow_schema(chosen) if field.name in columns]
    arrays = []
    for column in fields:
        values = columns[column.name]()
        if column.name == "sentence":
            values = values + state.sentences
        arrays.append(numbers(values, column.type) if isinstance(values, np.ndarray) else values)
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def group_of_items(offsets: Ints) -> Ints:
    """For every item the number of its group."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def items_before_group(offsets: Ints) -> Ints:
    """For every item the number of items before its group."""
    return np.repeat(offsets[:-1], np.diff(offsets))


def list_array(offsets: Ints, values: pa.Array) -> pa.Array:
    """Lists of values. offsets: where each begins and ends."""
    return pa.ListArray.from_arrays(numbers(offsets, pa.int32()), values)


def list_array_or_null(offsets: Ints, values: pa.Array) -> pa.Array:
    """The same, NULL where a list would be empty."""
    return pa.ListArray.from_arrays(
        numbers(offsets, pa.int32()), values, mask=numbers(np.diff(offsets) == 0, pa.bool_())
    )
