"""Batches that readers make, together as many rows of a table as are worth an INSERT."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from treesql import readers
from treesql.catalog import schemas

ROWS_AT_ONCE = 122_880
"""Rows of one INSERT: a row group of DuckDB."""

MIN_ROWS_OF_CHUNK = 2048
"""Mean number of rows of the chunks of an Arrow table below which they are joined: a vector of DuckDB."""

Rows = tuple[schemas.Table, pa.Table]
"""Rows of a table."""


class WaitingBatches:
    """Batches that wait until they are large enough for an INSERT: one INSERT for every chunk or file is slower."""

    def __init__(self) -> None:
        self._batches: list[readers.Batch] = []
        self._n_rows = 0

    def add(self, batch: readers.Batch) -> Iterator[Rows]:
        """Take a batch; the rows of those that are enough now, or that have other columns than this one."""
        if self._batches and _columns(batch) != _columns(self._batches[-1]):
            yield from self.tables()
        self._batches.append(batch)
        self._n_rows += max(rows.num_rows for rows in batch.values())
        if self._n_rows >= ROWS_AT_ONCE:
            yield from self.tables()

    def tables(self) -> Iterator[Rows]:
        """The rows of all that wait, table by table."""
        batches, self._batches, self._n_rows = self._batches, [], 0
        for name in batches[0] if batches else ():
            rows = pa.Table.from_batches([batch[name] for batch in batches])
            few = rows.num_rows < MIN_ROWS_OF_CHUNK * len(batches)
            yield schemas.table(name), rows.combine_chunks() if few else rows


def _columns(batch: readers.Batch) -> list[tuple[str, pa.Schema]]:
    return [(name, rows.schema) for name, rows in batch.items()]
