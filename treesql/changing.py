"""SQL of a user's own that changes a database: all its statements in one transaction, where they can be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from treesql import storage

_CHANGE = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE_INTO", "CREATE", "CREATE_FUNC", "ALTER", "DROP"})
_ALONE = frozenset(
    {"TRANSACTION", "ATTACH", "DETACH", "CALL", "VACUUM", "PRAGMA", "COPY_DATABASE", "EXECUTE", "EXPORT", "LOAD"}
)
"""What begins and ends transactions itself, reaches other databases, or may do either."""


def kinds(connection: duckdb.DuckDBPyConnection, sql: str) -> frozenset[str]:
    """The kinds of statements, as DuckDB calls them; none where it cannot parse them."""
    try:
        return frozenset(one.type.name for one in connection.extract_statements(sql))
    except duckdb.Error:
        return frozenset()


def changes(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Whether statements change tables, and may stand together in one transaction."""
    found = kinds(connection, sql)
    return bool(found & _CHANGE) and not found & _ALONE


@contextmanager
def together(connection: duckdb.DuckDBPyConnection, sql: str) -> Iterator[None]:
    """A transaction for statements that `changes` says may stand in one; nothing for others."""
    if not changes(connection, sql):
        yield
        return
    with storage.transaction(connection):
        yield
