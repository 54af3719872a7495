"""The database in memory that a process keeps for rows of files and other passing work.

Opening a database takes 10 ms and closing it 5, a sixth of a score of small files; a further connection to one that is
open takes none.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING

import duckdb

from treesql.engines.duckdb import MEMORY, Connection, install_functions, make_unreaching, memory_config
from treesql.runtime import limits

if TYPE_CHECKING:
    import pyarrow as pa

MAX_CONNECTIONS = 200
"""After so many connections another database is opened: DuckDB keeps a few kB for each."""

_lock = threading.Lock()


class _Kept:
    """A database without tables, the functions that are known to it, and its connections that are in use.

    process: the one that has opened it; one that is forked has no threads to close it with. memory: limit in bytes.
    """

    def __init__(self, process: int, memory: int | None) -> None:
        self.process = process
        self.memory = memory
        self.connection = duckdb.connect(MEMORY, config=memory_config(memory))
        self.functions: set[str] = set()
        self.used: weakref.WeakSet[Connection] = weakref.WeakSet()
        self.connections = 0
        make_unreaching(self.connection)


_kept: list[_Kept] = []
"""The last one is for further connections, others are still in use or of processes from which this one was forked."""


def connect(functions: Container[str] | None = ()) -> Connection:
    """A connection of its own to the database that this process keeps; whatever is made on it has to be temporary.

    functions: those that are made known, None for all. SQL reaches no files.
    """
    with _lock:
        process, memory = os.getpid(), limits.duckdb_memory()
        kept = _kept[-1] if _kept else None
        if kept is None or (kept.process, kept.memory) != (process, memory) or kept.connections >= MAX_CONNECTIONS:
            _close(lambda one: not one.used)
            kept = _Kept(process, memory)
            _kept.append(kept)
        kept.connections += 1
        install_functions(kept.connection, functions, kept.functions)
        connection = kept.connection.cursor()
        kept.used.add(connection)
        return connection


def _close(which: Callable[[_Kept], bool]) -> None:
    """Close databases of this process with all connections to them."""
    for one in [one for one in _kept if one.process == os.getpid() and which(one)]:
        _kept.remove(one)
        one.connection.close()


atexit.register(_close, lambda one: True)  # DuckDB has to forget functions before Python ends


def select_from(tables: Mapping[str, pa.Table], statement: str) -> pa.Table:
    """Return the rows of a SELECT from Arrow tables alone."""
    with connect() as connection:
        for name, rows in tables.items():
            connection.register(name, rows)
        return connection.sql(statement).to_arrow_table()
