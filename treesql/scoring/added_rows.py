"""Rows of counts of several blocks of sentences, added up."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

MAX_ROWS = 1 << 18
"""Number of rows of partial sums above which those of equal groups are added up."""


@dataclass
class AddedRows:
    """Rows of several blocks, whose last columns add up over equal values of the first `n_keys`."""

    n_keys: int
    parts: list[pa.Table] = field(default_factory=list)
    n_rows: int = 0

    def add(self, rows: pa.Table) -> None:
        """Add the rows of a block."""
        self.parts.append(rows)
        self.n_rows += len(rows)
        if self.n_rows > MAX_ROWS and len(self.parts) > 1:
            added = self.table()
            # Of sums per sentence nothing adds up, and they are left as they are from here on.
            self.parts, self.n_rows = [added], 0 if len(added) > self.n_rows / 2 else len(added)

    def table(self) -> pa.Table:
        """All rows; not added up where they have lists as keys, by which Arrow does not group."""
        rows = pa.concat_tables(self.parts)
        keys, sums = rows.column_names[: self.n_keys], rows.column_names[self.n_keys :]
        if any(pa.types.is_nested(kind) for kind in rows.schema.types[: self.n_keys]):
            return rows
        found = rows.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in sums])
        return found.rename_columns(rows.column_names).cast(rows.schema)
