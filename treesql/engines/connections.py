"""Connections to DuckDB: their settings and functions, and the database in memory that a process keeps.

Opening a database takes 10 ms and closing it 5; a further connection to one that is open takes none. Tables, views and
macros take up to 50, so a connection that has them is lent again: what it is lent for is one transaction, of which
nothing stays.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb

from treesql import functions
from treesql.runtime import limits

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import sqltypes

MEMORY = ":memory:"
"""Path of a database in memory."""

Connection = duckdb.DuckDBPyConnection
"""A connection to DuckDB, for annotations in rooms that do not import it."""

_NO_EXTERNAL_ACCESS = "SET enable_external_access = false"

_NO_FILE_SYSTEM = "SET disabled_filesystems = 'LocalFileSystem'"

_NO_TEMPORARY_FILES = "SET temp_directory = ''"

_LOCK = "SET lock_configuration = true"

# Only treesql draws a progress bar; query_progress() works.
_PROGRESS = ("SET enable_progress_bar_print = false", "SET enable_progress_bar = true")

FEW_ROWS = 10_000
"""Number of rows up to which planning a statement takes longer than running it: by one thread, as threads that wait for
each other take longer than they save, and by a plan that is kept."""

MAX_USES = 200
"""How often connections to one database are made or lent, until it is replaced by another: DuckDB keeps a few kB for
each connection, and for rows that were inserted and rolled back, which also slow down what comes after them."""

MAX_PREPARED = 64
"""Maximum number of plans that a connection keeps."""

_lock = threading.RLock()

_created: dict[str, list[duckdb.Statement]] = {}
"""Statements of creation as they were parsed, by their text."""

_types: dict[str, sqltypes.DuckDBPyType] = {}
"""Types of functions by their names."""

ROWS = "rows that are copied"
"""Name under which statements on a lent connection read its `Rows`."""


class Rows:
    """Rows of Arrow that a connection knows by one name, whatever they are: a view of each takes longer."""

    def __init__(self) -> None:
        self.shown: pa.Table | None = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """As of Arrow's protocol."""
        import pyarrow as pa

        shown = pa.table({"corpus": pa.nulls(0, pa.string())}) if self.shown is None else self.shown
        return shown.__arrow_c_stream__(requested_schema)


@dataclass(eq=False)
class Lent:
    """A connection that is lent again and again.

    made: names of the tables, views and macros that stay in it, which are never replaced. prepared: names of prepared
    statements by what they are of, that which was run last at the end.
    """

    connection: Connection
    made: set[str] = field(default_factory=set)
    rows: Rows = field(default_factory=Rows)
    prepared: dict[tuple[Hashable, int], str] = field(default_factory=dict)
    n_prepared: int = 0

    def execute_prepared(self, sql: str, of: Hashable, arguments: Sequence[str] = ()) -> Connection:
        """Run a statement whose plan is kept. arguments: literals of its parameters `$1`, `$2`, ..., each named once.

        of: what the plan depends on beside what is made: the statement, the types of `rows`. DuckDB plans a prepared
        statement again each time if a parameter is named twice, if the plan was optimised for the rows of a table, and
        if further relations were made; so plans are not optimised, and made again then.
        """
        key = (of, len(self.made))
        name = self.prepared.pop(key, None)
        if name is None:
            while len(self.prepared) >= MAX_PREPARED:
                self.connection.execute(f"DEALLOCATE {self.prepared.pop(next(iter(self.prepared)))}")
            self.n_prepared += 1
            name = f"kept_{self.n_prepared}"
            self.connection.execute("PRAGMA disable_optimizer")
            try:
                self.connection.execute(f"PREPARE {name} AS {sql}")
            finally:
                with suppress(duckdb.TransactionException):  # one that is aborted, by an error that this would hide
                    self.connection.execute("PRAGMA enable_optimizer")
        self.prepared[key] = name
        return self.connection.execute(f"EXECUTE {name}" + (f"({', '.join(arguments)})" if arguments else ""))


class _Kept:
    """A database without tables, the functions that are known to it, and its connections that are in use.

    process: the one that has opened it; one that is forked has no threads to close it with. memory: limit in bytes.
    few: whether one thread runs its statements, which are on few rows.
    """

    def __init__(self, process: int, memory: int | None, few: bool) -> None:
        self.process = process
        self.memory = memory
        self.few = few
        self.connection = duckdb.connect(MEMORY, config={**memory_config(memory), **({"threads": 1} if few else {})})
        self.functions: set[str] = set()
        self.used: weakref.WeakSet[Connection] = weakref.WeakSet()
        self.idle: list[Lent] = []
        self.uses = 0
        disable_file_access(self.connection)

    def cursor(self) -> Connection:
        """A further connection, which is in use."""
        connection = self.connection.cursor()
        self.used.add(connection)
        return connection


_kept: list[_Kept] = []
"""The last ones for few rows and for many are for further connections, others are still in use or of processes from
which this one was forked."""


def connect(named: Container[str] | None = (), *, few: bool = True) -> Connection:
    """A connection of its own to a database that this process keeps; whatever is made on it has to be temporary.

    named: the functions that are made known, None for all. few: whether it is for at most `FEW_ROWS`. SQL reaches no
    files.
    """
    with _lock:
        return _current(named, few).cursor()


def borrow(named: Container[str] | None = (), *, few: bool = True) -> Lent:
    """A connection that others have had before and that is in no transaction, else a new one. Parameters as for
    `connect`.

    It may run no SQL of users. It is given back by `give_back`, or closed.
    """
    with _lock:
        kept = _current(named, few)
        if not kept.idle:
            lent = Lent(kept.cursor())
            lent.connection.register(ROWS, lent.rows)
            return lent
        lent = kept.idle.pop()
        kept.used.add(lent.connection)
        return lent


def give_back(lent: Lent) -> None:
    """End the transaction of a connection without its changes, and have it lent again."""
    lent.connection.rollback()
    with _lock:
        kept = next((kept for kept in map(_last, (True, False)) if kept and lent.connection in kept.used), None)
        if kept is None:  # it is of a database that is closed once nothing uses it
            lent.connection.close()
            return
        kept.used.discard(lent.connection)
        kept.idle.append(lent)


def _last(few: bool) -> _Kept | None:
    """The database that was opened last for few rows, or for many."""
    return next((kept for kept in reversed(_kept) if kept.few == few), None)


def _current(named: Container[str] | None, few: bool) -> _Kept:
    """The database for one more connection, with functions that are made known."""
    process, memory = os.getpid(), limits.duckdb_memory()
    kept = _last(few)
    if kept is None or (kept.process, kept.memory) != (process, memory) or kept.uses >= MAX_USES:
        _close(lambda kept: kept.few == few and not kept.used)
        kept = _Kept(process, memory, few)
        _kept.append(kept)
    kept.uses += 1
    install_functions(kept.connection, named, kept.functions)
    return kept


def connect_alone(named: Container[str] | None = ()) -> Connection:
    """A connection to a database in memory of its own, which reaches files. named: as for `connect`."""
    connection = duckdb.connect(MEMORY, config=memory_config())
    install_functions(connection, named)
    return connection


def _close(which: Callable[[_Kept], bool]) -> None:
    """Close databases of this process with all connections to them."""
    for kept in [kept for kept in _kept if kept.process == os.getpid() and which(kept)]:
        _kept.remove(kept)
        for lent in kept.idle:
            lent.connection.close()
        kept.connection.close()


def _unlock() -> None:
    """Make the lock anew: the thread that held it as this process was forked is not in this process."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock)
atexit.register(_close, lambda kept: True)  # DuckDB has to forget functions before Python ends


def select_from(tables: Mapping[str, pa.Table], statement: str) -> pa.Table:
    """Return the rows of a SELECT from Arrow tables alone."""
    with connect(few=max(map(len, tables.values())) <= FEW_ROWS) as connection:
        for name, rows in tables.items():
            connection.register(name, rows)
        return connection.sql(statement).to_arrow_table()


def memory_config(memory: int | None = None) -> dict[str, str | bool | int | float | list[str]]:
    """DuckDB's configuration for a limit of memory in bytes; None stands for the limit of this process."""
    most = memory or limits.duckdb_memory()
    return {} if most is None else {"memory_limit": f"{most}B"}


def make_safe(connection: Connection, *, sealed: bool = False) -> None:
    """From now on SQL reaches no network and no files but the database's own, and changes no settings.

    sealed: not even the database's own files, nor temporary ones. Otherwise DuckDB lets `COPY` write to the file of the
    database, its log and the folder of temporary files, even where the database is open for reading only. So every
    connection that runs untrusted statements is sealed. A database that is written to cannot be sealed.
    """
    if sealed:
        connection.execute(_NO_TEMPORARY_FILES)
    disable_file_access(connection)
    if sealed:
        connection.execute(_NO_FILE_SYSTEM)
    connection.execute(_LOCK)


def disable_file_access(connection: Connection) -> None:
    """From now on SQL reaches no network and no files but the database's own, on all connections to it."""
    connection.execute(_NO_EXTERNAL_ACCESS)


def draw_no_progress(connection: Connection) -> None:
    """Keep DuckDB from drawing a progress bar, as it does in notebooks and interactive sessions."""
    with suppress(duckdb.InvalidInputException):  # a notebook without ipywidgets, where DuckDB can draw no bar
        for statement in _PROGRESS:
            connection.execute(statement)


def create(connection: Connection, *texts: str) -> None:
    """Create tables, views or macros of macros/ by SQL that this process parses once, which takes as long as to run it:
    it is the same on all connections."""
    for sql in texts:
        if sql not in _created:
            _created[sql] = connection.extract_statements(sql)
        for statement in _created[sql]:
            connection.execute(statement)


def _type(connection: Connection, name: str) -> sqltypes.DuckDBPyType:
    """A type, from its name, which DuckDB takes longer to parse than to make a function known."""
    if name not in _types:
        _types[name] = connection.sqltype(name)
    return _types[name]


def install_functions(
    connection: Connection, named: Container[str] | None = None, known: set[str] | None = None
) -> bool:
    """Make functions known to a connection, which must be closed before the process ends: those named, else all.

    known: those that are known already, to which the others are added. Connections of one process to one database share
    functions. Returns whether another connection had installed some.
    """
    shared = False
    known = set() if known is None else known
    for function in functions.FUNCTIONS:
        if function.name in known or (named is not None and function.name not in named):
            continue
        types = [_type(connection, kind) for _, kind in function.parameters]
        returned = _type(connection, function.returns)
        make_known: Any = connection.create_function
        nulls = "special" if function.gives_nulls else "default"
        try:
            make_known(function.name, function.bounded, types, returned, type="arrow", null_handling=nulls)
        except duckdb.CatalogException:  # it exists
            shared = True
        known.add(function.name)
    return shared
