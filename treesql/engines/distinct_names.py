"""Batches of any SQL with a name of its own for every column."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from treesql.errors import QueryError

Read = Callable[[], pa.RecordBatch | None]
"""Returns the next batch, None after the last."""


def with_distinct_names(
    reader: pa.RecordBatchReader, sql: str, run: Callable[[Read], pa.RecordBatch | None] | None = None
) -> pa.RecordBatchReader:
    """Return the batches of a statement with distinct column names: `a`, `a_2`. Errors of batches are QueryErrors.

    run: runs what reads each batch, within limits.
    """
    names: dict[str, int] = {}
    for column in reader.schema.names:
        name, number = column, names.get(column, 1)
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names[column] = number
        names.setdefault(name, 1)
    schema = pa.schema([field.with_name(name) for field, name in zip(reader.schema, names, strict=True)])

    def read() -> pa.RecordBatch | None:
        try:
            return next(reader, None)
        except (OSError, pa.ArrowException) as error:
            raise QueryError(str(error), sql) from None

    def batches() -> Iterator[pa.RecordBatch]:
        while (batch := read() if run is None else run(read)) is not None:
            yield batch.rename_columns(list(names))

    return pa.RecordBatchReader.from_batches(schema, batches())
