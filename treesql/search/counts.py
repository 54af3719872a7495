"""Numbers of matches of parts of a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import duckdb

from treesql.search.grew.syntax import GrewRequest, Item
from treesql.search.request import PreparedRequest


def count_matches(connection: duckdb.DuckDBPyConnection, prepared: PreparedRequest, items: Sequence[Item]) -> int:
    """Return the number of matches of some items alone."""
    part = replace(prepared, request=GrewRequest(prepared.request.text, tuple(items)))
    return int(connection.execute(part.select_count().sql).fetchall()[0][0])
