"""Opening a DuckDB file or memory as a treesql database: its tables, views and macros, and the version of all these."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from treesql import catalog, functions
from treesql._version import __version__
from treesql.catalog import macros, schemas
from treesql.catalog.header import Header
from treesql.errors import DatabaseError
from treesql.runtime import atomic_files, failures, interrupts, limits

MEMORY = ":memory:"

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "write_buffer_row_group_count": 1,  # less memory while loading, and no slower
}

_NO_VARIABLES = "SET python_enable_replacements = false"  # of Python, which SQL would find by their names

# query_progress() answers, and nothing is drawn but by treesql.
_PROGRESS = ("SET enable_progress_bar = true", "SET enable_progress_bar_print = false")
_NO_EXTERNAL_ACCESS = "SET enable_external_access = false"

_NO_FILE_SYSTEM = "SET disabled_filesystems = 'LocalFileSystem'"

_NO_TEMPORARY_FILES = "SET temp_directory = ''"

_LOCK = "SET lock_configuration = true"


def open_connection(
    path: str,
    *,
    read_only: bool = False,
    existing: bool = False,
    safe: bool = False,
    sealed: bool = False,
    memory: int | None = None,
) -> duckdb.DuckDBPyConnection:
    """A connection with everything installed; a file that is missing is made, unless `read_only` or `existing`.

    Queries of which it has no macros, as `unmade_macros` tells, become such with `make_macros`. safe, sealed: as for
    `make_safe`; a sealed connection is safe. memory: bytes that DuckDB may take. Raises
    DatabaseError where the file is missing, busy, of another kind or of another version.
    """
    return _open(path, read_only, existing, safe or sealed, sealed, memory)[0]


@contextmanager
def open_or_make(path: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection for writing; a database that is not there yet is made whole, or not at all if the work fails.

    Raises DatabaseError, UsageError.
    """
    if path == MEMORY or os.path.lexists(path):
        with open_connection(path) as connection:
            yield connection
        return
    try:
        with atomic_files.whole(Path(path), replace=False) as beside, open_connection(str(beside)) as connection:
            yield connection
            connection.execute("CHECKPOINT")
    except DatabaseError as error:
        raise DatabaseError(atomic_files.as_named(str(error))) from None


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Changes that are made as a whole: none of them where something fails, or is interrupted before they are kept."""
    connection.execute("BEGIN")
    try:
        yield
        with interrupts.committing():
            connection.execute("COMMIT")
    except BaseException:
        with interrupts.deferred(), suppress(duckdb.Error):  # where a commit failed, there is none any more
            connection.execute("ROLLBACK")
        raise


def is_database(path: str) -> bool:
    """Whether a file is a DuckDB database, whatever it is called; one that is not there is, if it is called so."""
    if not Path(path).is_file():
        return path.endswith(".duckdb")
    with open(path, "rb") as file:
        return file.read(12)[8:] == b"DUCK"


def make_safe(connection: duckdb.DuckDBPyConnection, *, sealed: bool = False) -> None:
    """From now on SQL reaches neither the network nor files, but the database's own, and changes no settings.

    sealed: not even the database's own, nor temporary ones. Without it DuckDB lets `COPY` write to the file of the
    database, its log and the folder of temporary files, also where the database is opened for reading only; so any
    connection that runs statements of strangers is sealed. A database that is written to cannot be.
    """
    if sealed:
        connection.execute(_NO_TEMPORARY_FILES)
    connection.execute(_NO_EXTERNAL_ACCESS)
    if sealed:
        connection.execute(_NO_FILE_SYSTEM)
    connection.execute(_LOCK)


def shadow_table(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """A temporary copy of a table, which hides it, unless the database is in memory or the copy is there."""
    sql = "SELECT path IS NULL FROM duckdb_databases() WHERE database_name = current_database()"
    if not connection.execute(sql).fetchall()[0][0]:
        columns = ", ".join(map(schemas.quote, schemas.table(table).names))
        name = schemas.quote(table)
        connection.execute(f"CREATE TEMP TABLE IF NOT EXISTS {name} AS SELECT {columns} FROM {name}")


def missing_macros(path: str) -> frozenset[str]:
    """The queries that are no macros in a database: those that need a kernel, and in memory all, as that takes long."""
    return frozenset(catalog.names()) if path == MEMORY else catalog.kernel_queries()


def make_macros(connection: duckdb.DuckDBPyConnection, queries: Iterable[str]) -> None:
    """Make macros of queries, which live as long as the connection."""
    for name in queries:
        connection.execute(catalog.query(name).macro.replace(" MACRO ", " TEMP MACRO ", 1))


def _open(
    path: str,
    read_only: bool,
    existing: bool,
    safe: bool = False,
    sealed: bool = False,
    memory: int | None = None,
) -> tuple[duckdb.DuckDBPyConnection, bool]:
    """A connection with everything installed, and whether the tables were made just now."""
    connection = connect_file(path, read_only, existing, memory)
    try:
        made = _install_if_missing(connection, path, read_only)
        shared = functions.install(connection)
        if shared and safe:  # what makes it safe would hold for the other connection as well
            raise DatabaseError(f"{path}: this process has this database open; close it before a safe connection")
        connection.execute(_NO_VARIABLES)
        with suppress(duckdb.InvalidInputException):  # a notebook without ipywidgets, where DuckDB can draw no bar
            for statement in _PROGRESS:
                connection.execute(statement)
        if safe:
            make_safe(connection, sealed=sealed)
    except duckdb.Error as error:
        connection.close()
        if failures.was_interrupted(error):
            raise KeyboardInterrupt from None
        if "configuration has been locked" in str(error):
            what = "this process has a safe connection to this database; close that connection first"
            raise DatabaseError(f"{path}: {what}") from None
        raise DatabaseError(f"{path}: {failures.told(error)}") from None
    except BaseException:
        connection.close()
        raise
    return connection, made


def memory_config(memory: int | None = None) -> dict[str, str | bool | int | float | list[str]]:
    """How DuckDB is told of a limit of memory in bytes, this process's own if None is given."""
    most = memory or limits.duckdb_memory()
    return {} if most is None else {"memory_limit": f"{most}B"}


def connect_file(
    path: str, read_only: bool, existing: bool = False, memory: int | None = None
) -> duckdb.DuckDBPyConnection:
    """Connect to a database file, or `:memory:`. Raises DatabaseError with the cause and the fix."""
    if path == MEMORY:
        return duckdb.connect(path, config=memory_config(memory))
    if "\0" in path or path.encode("utf-8", "replace").decode() != path:
        raise DatabaseError(f"{path!a}: this name has NUL in it, or is not UTF-8; choose another one")
    if Path(path).exists() and not Path(path).is_file():
        raise DatabaseError(f"{path}: this is a folder or a device; name a database made by `treesql load`")
    if (read_only or existing) and not Path(path).is_file():
        raise DatabaseError(f"{path}: there is no such database; `treesql load {path} FILE... --corpus NAME` makes one")
    if not read_only:
        atomic_files.remove_leftovers(Path(path).parent)
    limits.remember_temporary_files(path)
    try:
        return duckdb.connect(path, read_only=read_only, config={**_CONFIG, **memory_config(memory)})
    except duckdb.Error as error:
        raise DatabaseError(_explain_failure(path, error, read_only)) from None


def _explain_failure(path: str, error: duckdb.Error, read_only: bool) -> str:
    message = str(error)
    if "Could not set lock on file" in message:
        holder = re.search(r"PID (\d+)", message)
        process = f"process {holder.group(1)}" if holder else "another process"
        how = " for writing" if read_only else ""
        return f"{path}: {process} has this database open{how}; wait until it is done, or end it"
    if "with a different configuration" in message:
        return f"{path}: this process has this database open with other options; close that connection first"
    if "not a valid DuckDB database file" in message:
        return f"{path}: this is no DuckDB database; name a database made by `treesql load`"
    return f"{path}: {failures.told(error)}"


def _install_if_missing(connection: duckdb.DuckDBPyConnection, path: str, read_only: bool) -> bool:
    """Install what is missing; returns whether that was everything."""
    if path == MEMORY or not has_table(connection, "installation"):
        if path != MEMORY and (
            read_only or connection.execute("SELECT count(*) FROM duckdb_tables()").fetchall()[0][0]
        ):
            raise DatabaseError(f"{path}: this database was not made by treesql; name one made by `treesql load`")
        connection.execute("BEGIN")
        for table in schemas.all_tables().values():
            connection.execute(table.ddl)
        install_views_and_macros(connection, queries=path != MEMORY)
        stamp_installation(connection)
        connection.execute("COMMIT")
        return True
    version = schema_version(connection, path)
    if version > schemas.SCHEMA_VERSION:
        raise DatabaseError(newer_message(path, version))
    if version < schemas.SCHEMA_VERSION:
        raise DatabaseError(
            f"{path}: made by an older treesql (tables of version {version}); run `treesql upgrade {path}`"
        )
    if _installed_catalogue(connection) != catalog.digest():
        if read_only:
            _install_macros(connection, temporary=True)
        else:
            connection.execute("BEGIN")
            drop_views_and_macros(connection)
            install_views_and_macros(connection)
            stamp_installation(connection)
            connection.execute("COMMIT")
    return False


def newer_message(path: str, version: int) -> str:
    """The message for a database of a newer treesql."""
    return f"{path}: made by a newer treesql (tables of version {version}); update treesql to read it"


def has_table(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Whether a connection reaches a table of this name."""
    found = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = ?", [name]).fetchall()
    return bool(found[0][0])


def schema_version(connection: duckdb.DuckDBPyConnection, path: str) -> int:
    """The version of the tables of a database. Raises DatabaseError where treesql did not make it."""
    if not has_table(connection, "installation"):
        raise DatabaseError(f"{path}: this database was not made by treesql; name one made by `treesql load`")
    try:
        found = connection.execute("SELECT schema_version FROM installation").fetchall()
    except duckdb.BinderException:
        found = []
    if len(found) != 1 or not isinstance(found[0][0], int):
        raise DatabaseError(
            f"{path}: its table installation does not tell its version; take a copy of the database, or load its "
            "corpora again"
        )
    return found[0][0]


def _installed_catalogue(connection: duckdb.DuckDBPyConnection) -> str:
    return str(connection.execute("SELECT catalogue FROM installation").fetchall()[0][0])


def stamp_installation(connection: duckdb.DuckDBPyConnection) -> None:
    """Record the versions of the schema and of treesql, and the digest of the catalogue."""
    connection.execute("DELETE FROM installation")
    values = [schemas.SCHEMA_VERSION, catalog.digest(), __version__]
    connection.execute("INSERT INTO installation VALUES (?, ?, ?)", values)


def install_views_and_macros(connection: duckdb.DuckDBPyConnection, queries: bool = True) -> None:
    """Create the views and macros of the catalogue. queries: whether those of queries as well."""
    for view in schemas.all_views().values():
        connection.execute(_view_ddl(view))
    _install_macros(connection, queries=queries)


def _view_ddl(view: Header) -> str:
    return f"CREATE VIEW {schemas.quote(view.name)} AS\n{view.body}"


def _install_macros(connection: duckdb.DuckDBPyConnection, temporary: bool = False, queries: bool = True) -> None:
    """The macros that need no kernel: they work in any DuckDB client. queries: those of queries/ too."""
    for statement in macros.statements(temporary=temporary):
        connection.execute(statement)
    for query in catalog.all_queries().values() if queries else ():
        if not query.needs_kernel:
            connection.execute(query.macro.replace(" MACRO ", " TEMP MACRO ", 1) if temporary else query.macro)


def drop_views_and_macros(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop what an installation made; views and macros that a user added stay."""
    for name in schemas.all_views():
        connection.execute(f"DROP VIEW IF EXISTS {schemas.quote(name)}")
    for name in catalog.names():
        connection.execute(f"DROP MACRO TABLE IF EXISTS {name}")
    for name in macros.all_macros():
        connection.execute(f"DROP MACRO IF EXISTS {name}")
        connection.execute(f"DROP MACRO IF EXISTS {name}_of_columns")
