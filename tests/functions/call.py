"""A function called with constants."""

from __future__ import annotations

import duckdb


def value(connection: duckdb.DuckDBPyConnection, sql: str) -> object:
    [(found,)] = connection.execute(f"SELECT {sql}").fetchall()
    return found
