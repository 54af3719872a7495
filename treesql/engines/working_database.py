"""The database in memory that a process keeps for rows of files and other passing work.

Opening a database takes 10 ms and closing it 5, a sixth of a score of small files; a further connection to one that is
open takes none.
"""

from __future__ import annotations

import atexit
import functools
import os
import threading
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

import duckdb

from treesql.engines.duckdb import MEMORY, Connection, install_functions, make_unreaching, memory_config
from treesql.runtime import limits

if TYPE_CHECKING:
    import pyarrow as pa

_lock = threading.Lock()


class _Kept:
    """A database that has no tables, and the functions that are known to it."""

    def __init__(self, memory: int | None) -> None:
        self.connection = duckdb.connect(MEMORY, config=memory_config(memory))
        self.installed: set[str] = set()
        make_unreaching(self.connection)

    def close(self, process: int) -> None:
        """Close the database, but not a copy of it in a process that was forked, whose threads are gone."""
        if os.getpid() == process:
            self.connection.close()


@functools.cache
def _kept(process: int, memory: int | None) -> _Kept:
    """The database of a process with a limit of memory in bytes; a forked process opens one of its own."""
    kept = _Kept(memory)
    atexit.register(kept.close, process)
    return kept


def connect(functions: Container[str] | None = ()) -> Connection:
    """A connection of its own to the database that this process keeps; whatever is made on it has to be temporary.

    functions: those that are made known, None for all. SQL reaches no files.
    """
    with _lock:
        kept = _kept(os.getpid(), limits.duckdb_memory())
        install_functions(kept.connection, functions, kept.installed)
        return kept.connection.cursor()


def select_from(tables: Mapping[str, pa.Table], statement: str) -> pa.Table:
    """Return the rows of a SELECT from Arrow tables alone."""
    with connect() as connection:
        for name, rows in tables.items():
            connection.register(name, rows)
        return connection.sql(statement).to_arrow_table()
