"""A connection that computes scores."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """One without tables."""
    with duckdb.connect() as one:
        yield one
