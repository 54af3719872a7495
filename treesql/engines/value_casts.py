"""Values of any type as the texts that DuckDB makes of them, for results, which know no engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import duckdb
import pyarrow as pa

from treesql.results.tables import Cast


@contextmanager
def open_casts(schema: pa.Schema) -> Iterator[Cast]:
    """Yield what evaluates expressions on tables of a schema, as for `tables.cast_by`.

    The time zone is that of the first column with one.
    """
    connection = duckdb.connect(config={"threads": 1})

    def cast(table: pa.Table, expressions: Sequence[str]) -> pa.Table:
        return connection.from_arrow(table).project(", ".join(expressions)).to_arrow_table()

    try:
        zone = next(filter(None, map(_zone, schema.types)), "").replace("'", "''")
        with suppress(duckdb.Error):  # a zone that DuckDB does not know
            if zone:
                connection.execute(f"SET TimeZone = '{zone}'")
        yield cast
    finally:
        connection.close()


def _zone(kind: pa.DataType) -> str | None:
    """The time zone of a type, or of the first one in it that has one."""
    if pa.types.is_timestamp(kind):
        return str(kind.tz) if kind.tz else None
    parts = (kind.field(at).type for at in range(kind.num_fields)) if pa.types.is_nested(kind) else ()
    return next(filter(None, map(_zone, parts)), None)
