"""Databases as engines, and the tables, views, macros and versions of DuckDB files and in-memory databases."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from treesql import catalog
from treesql._version import __version__
from treesql.catalog import schemas
from treesql.catalog.header import Header
from treesql.catalog.queries import table_macro
from treesql.engines import manifests
from treesql.engines.connections import (
    MEMORY,
    Connection,
    create,
    draw_no_progress,
    install_functions,
    make_safe,
    memory_config,
)
from treesql.engines.duckdb import DuckDB
from treesql.engines.duckdb_folders import open_folder
from treesql.errors import DatabaseError, UsageError
from treesql.runtime import atomic_files, failures, limits

if TYPE_CHECKING:
    from treesql.engines.spark.engine import SparkFolder

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "write_buffer_row_group_count": 1,  # less memory while loading, and no slower
}

_NO_VARIABLES = "SET python_enable_replacements = false"
"""Without this, SQL finds variables of Python by their names."""


def open_engine(
    path: str, spark: Any, *, read_only: bool, existing: bool, safe: bool, memory: int | None
) -> DuckDB | SparkFolder:
    """An engine that keeps lists, for many statements. Raises DatabaseError, UsageError.

    spark: a session or a master's address, None for DuckDB. The others as for `open_database`.
    """
    if spark is not None:
        from treesql.engines.spark.engine import open_spark  # here, for few databases are on Spark

        return open_spark(path, spark, memory=memory, existing=existing or read_only)
    sealed = safe and (read_only or path == MEMORY)
    engine = open_database(path, read_only=read_only, existing=existing, safe=safe, sealed=sealed, memory=memory)
    engine.caches_lists = True
    return engine


def open_database(
    path: str,
    *,
    read_only: bool = False,
    existing: bool = False,
    safe: bool = False,
    sealed: bool = False,
    memory: int | None = None,
) -> DuckDB:
    """An engine with everything installed; a missing file is created, unless `read_only` or `existing`.

    path: of a file, or of a folder of Parquet, which is read in place.

    `DuckDB.make_macros` makes the macros that do not stay in files, in memory all macros. safe, sealed: as for
    `make_safe`; a sealed connection is safe. memory: maximum number of bytes for DuckDB. Raises DatabaseError where the
    file is missing, busy, of another kind or of another version.
    """
    if manifests.is_folder(path):
        return open_folder(path, safe=safe or sealed, memory=memory)
    connection = connect_file(path, read_only, existing, memory)
    try:
        _install(connection, path, read_only, safe=safe or sealed, sealed=sealed)
    except duckdb.Error as error:
        connection.close()
        if failures.was_interrupted(error):
            raise KeyboardInterrupt from None
        if "configuration has been locked" in str(error):
            what = "this process has a safe connection to this database; close that connection first"
            raise DatabaseError(f"{path}: {what}") from None
        raise DatabaseError(f"{path}: {failures.describe_error(error)}") from None
    except BaseException:
        connection.close()
        raise
    return DuckDB(connection, _missing_macros(path))


@contextmanager
def open_or_make(path: str) -> Iterator[DuckDB]:
    """An engine for writing; a new database is created whole, or not at all if the block raises.

    Raises DatabaseError, UsageError.
    """
    if path == MEMORY or os.path.lexists(path):
        with open_database(path) as engine:
            yield engine
        return
    _remove_rest(path)
    try:
        with atomic_files.write_whole(Path(path), replace=False) as made, open_database(str(made)) as engine:
            yield engine
            engine.connection.execute("CHECKPOINT")
    except DatabaseError as error:
        raise DatabaseError(atomic_files.without_hidden_folders(str(error))) from None


def is_database(path: str) -> bool:
    """Whether a path is a DuckDB database, by its ending if it is missing, or a folder of Parquet with manifests."""
    if manifests.is_folder(path) and manifests.is_data_set(path):
        return True
    if not Path(path).is_file():
        return path.endswith(".duckdb")
    with open(path, "rb") as file:
        return file.read(12)[8:] == b"DUCK"


def _missing_macros(path: str) -> frozenset[str]:
    """The macros that a database lacks, made where SQL names them; in memory all are, as making them takes long."""
    return frozenset({*catalog.names(), *schemas.all_macros()}) if path == MEMORY else catalog.absent_from_files()


def connect_file(path: str, read_only: bool, existing: bool = False, memory: int | None = None) -> Connection:
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
        _remove_rest(path)
        copy_empty_database(Path(path), _make_empty)
    limits.remember_temporary_files(path)
    try:
        connection = duckdb.connect(path, read_only=read_only, config={**_CONFIG, **memory_config(memory)})
    except duckdb.Error as error:
        raise DatabaseError(_explain_failure(path, error, read_only)) from None
    if not read_only:
        _remove_temporary_files(path)
    return connection


def _remove_rest(path: str) -> None:
    """Remove the log of a database that is gone, which does not fit a new one, and its temporary files.

    What was there before the database is seen to be gone is not of one that another process makes meanwhile.
    """
    log, temporary = f"{path}.wal", _temporary_files(path)
    old = _file_state(log)
    if os.path.lexists(path):
        return
    with suppress(OSError):
        if old is not None:
            aside = f"{log}-{os.urandom(4).hex()}"
            os.rename(log, aside)
            if _file_state(aside) != old:  # another process has made the database, and this log
                atomic_files.link(Path(aside), Path(log))
            os.unlink(aside)
    _remove_files(path, temporary)


def _file_state(path: str) -> tuple[int, int, int] | None:
    """What tells a file from others of its name; None of a missing one."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _remove_temporary_files(path: str) -> None:
    """Remove what killed processes wrote beside a database for want of memory; no other has it open."""
    _remove_files(path, _temporary_files(path))


def _temporary_files(path: str) -> list[Path]:
    """What other processes wrote beside a database for want of memory."""
    prefix = f"duckdb_temp_{os.getpid()}_"
    return [file for file in Path(f"{path}.tmp").glob("duckdb_temp_*") if not file.name.startswith(prefix)]


def _remove_files(path: str, temporary: Iterable[Path]) -> None:
    for file in temporary:
        file.unlink(missing_ok=True)
    with suppress(OSError):  # it is not there, or other connections of this process use it
        os.rmdir(f"{path}.tmp")


def _install(connection: Connection, path: str, read_only: bool, *, safe: bool, sealed: bool) -> None:
    """Install everything in a database, and make the connection safe."""
    _install_if_missing(connection, path, read_only)
    shared = install_functions(connection)
    if shared and safe:  # what makes it safe would hold for the other connection as well
        raise DatabaseError(f"{path}: this process has this database open; close it before a safe connection")
    connection.execute(_NO_VARIABLES)
    draw_no_progress(connection)
    if safe:
        make_safe(connection, sealed=sealed)


def _explain_failure(path: str, error: duckdb.Error, read_only: bool) -> str:
    message = str(error)
    if "Could not set lock on file" in message:
        holder = re.search(r"PID (\d+)", message)
        process = f"process {holder.group(1)}" if holder else "another process"
        purpose = " for writing" if read_only else ""
        return f"{path}: {process} has this database open{purpose}; wait until it is done, or end it"
    if "with a different configuration" in message:
        return f"{path}: this process has this database open with other options; close that connection first"
    if "not a valid DuckDB database file" in message:
        return f"{path}: this is not a DuckDB database; name a database made by `treesql load`"
    return f"{path}: {failures.describe_error(error)}"


def _install_if_missing(connection: Connection, path: str, read_only: bool) -> None:
    """Install the tables, views and macros that are missing."""
    if path == MEMORY or not has_table(connection, "installation"):
        if path != MEMORY and (
            read_only or connection.execute("SELECT count(*) FROM duckdb_tables()").fetchall()[0][0]
        ):
            raise DatabaseError(f"{path}: this database was not made by treesql; name one made by `treesql load`")
        _create(connection, with_macros=path != MEMORY)
        return
    version = schema_version(connection, path)
    if version > schemas.SCHEMA_VERSION:
        raise DatabaseError(f"{path}: made by a newer treesql (tables of version {version}); update treesql to read it")
    if version < schemas.SCHEMA_VERSION:
        mend = "load its corpora again into a new database, or export them with the treesql that made it"
        raise DatabaseError(f"{path}: made by an older treesql (tables of version {version}); {mend}")
    if _installed_catalogue(connection) != catalog.digest():
        if read_only:
            _install_macros(connection, temporary=True)
        else:
            connection.execute("BEGIN")
            drop_views_and_macros(connection)
            install_views_and_macros(connection)
            stamp_installation(connection)
            connection.execute("COMMIT")


def _make_empty(path: Path) -> None:
    """Make a database without rows, with an empty log. Raises duckdb.Error."""
    with duckdb.connect(str(path)) as connection:
        _create(connection, with_macros=True)
        connection.execute("CHECKPOINT")


def _create(connection: Connection, *, with_macros: bool) -> None:
    """Create the tables and views of a new database, and the macros unless they are made where SQL names them."""
    connection.execute("BEGIN")
    create(connection, *(table.ddl for table in schemas.all_tables().values()))
    _install_views(connection)
    if with_macros:
        _install_macros(connection)
    stamp_installation(connection)
    connection.execute("COMMIT")


def has_table(connection: Connection, name: str) -> bool:
    """Whether a table of this name exists."""
    counts = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = ?", [name]).fetchall()
    return bool(counts[0][0])


def schema_version(connection: Connection, path: str) -> int:
    """The version of the tables of a database. Raises DatabaseError where it has none."""
    try:
        versions = connection.execute("SELECT schema_version FROM installation").fetchall()
    except duckdb.BinderException:
        versions = []
    if len(versions) != 1 or not isinstance(versions[0][0], int):
        raise DatabaseError(
            f"{path}: its table installation does not name its version; restore it from a "
            "backup, or load its corpora again"
        )
    return versions[0][0]


def _installed_catalogue(connection: Connection) -> str:
    return str(connection.execute("SELECT catalogue FROM installation").fetchall()[0][0])


def stamp_installation(connection: Connection) -> None:
    """Record the versions of the schema and of treesql, and the digest of the catalogue."""
    connection.execute("DELETE FROM installation")
    values = [schemas.SCHEMA_VERSION, catalog.digest(), __version__]
    connection.execute("INSERT INTO installation VALUES (?, ?, ?)", values)


def install_views_and_macros(connection: Connection) -> None:
    """Create the views and macros of the catalogue."""
    _install_views(connection)
    _install_macros(connection)


def _install_views(connection: Connection) -> None:
    create(connection, *map(_view_ddl, schemas.all_views().values()))


def _view_ddl(view: Header) -> str:
    return f"CREATE VIEW {schemas.quote(view.name)} AS\n{view.body}"


def _install_macros(connection: Connection, temporary: bool = False) -> None:
    """Create the macros that stay in a database, for any DuckDB client."""
    for statement in schemas.statements(schemas.all_macros().values(), temporary=temporary):
        connection.execute(statement)
    for query in catalog.all_queries().values():
        if query.stays_in_files:
            made = table_macro(query)
            connection.execute(made.replace(" MACRO ", " TEMP MACRO ", 1) if temporary else made)


def drop_views_and_macros(connection: Connection) -> None:
    """Drop the views and macros of an installation; those that a user added stay."""
    for name in schemas.all_views():
        connection.execute(f"DROP VIEW IF EXISTS {schemas.quote(name)}")
    for name in catalog.names():
        connection.execute(f"DROP MACRO TABLE IF EXISTS {name}")
    for name in schemas.all_macros():
        connection.execute(f"DROP MACRO IF EXISTS {name}")
        connection.execute(f"DROP MACRO IF EXISTS {name}_of_columns")


_TABLES = """
SELECT c.table_name AS name, list(c.column_name ORDER BY c.column_index) AS columns
FROM duckdb_columns() AS c
WHERE c.schema_name = 'main' AND NOT c.internal
GROUP BY c.table_name ORDER BY c.table_name
"""


def list_tables(engine: DuckDB) -> pa.Table:
    """List the tables and views of a database: `name, columns`, sorted by name."""
    return engine.table(_TABLES)


_DIGITS = 16
"""Number of digits of digests in the name of the file that is kept."""


def copy_empty_database(path: Path, make: Callable[[Path], None]) -> None:
    """Make a missing file a copy of the empty database that is kept, which `make` makes where there is none.

    It is kept between processes, for parsing the SQL of all its macros takes half a second: where Python keeps compiled
    modules, in `__pycache__` beside this module, if that can be written. Only files that no connection has open are
    read: a process that closes a file loses all its locks of it.
    """
    if os.path.lexists(path):
        return
    with suppress(OSError, UsageError, duckdb.Error):  # DuckDB makes the file then, or says why not
        kept = _find_empty_database() or _keep_empty_database(make)
        with atomic_files.write_whole(path, replace=False, final=False) as made:
            shutil.copyfile(kept, made)


def _find_empty_database() -> Path | None:
    """The database that is kept, if its bytes are those written."""
    named = sorted(_cache_folder().glob(f"{_name_prefix()}*.duckdb"))
    return next((file for file in named if file.stem == _name_prefix() + _digest_of_file(file)), None)


def _keep_empty_database(make: Callable[[Path], None]) -> Path:
    """Make a database and keep it, instead of those of other catalogues. Raises OSError, UsageError, duckdb.Error."""
    folder = _cache_folder()
    folder.mkdir(exist_ok=True)
    for other in folder.glob("empty-*.duckdb"):
        other.unlink(missing_ok=True)
    unnamed = folder / f"empty-{os.getpid()}.duckdb"
    with atomic_files.write_whole(unnamed, final=False) as made:
        make(made)
    kept = folder / f"{_name_prefix()}{_digest_of_file(unnamed)}.duckdb"
    os.replace(unnamed, kept)
    return kept


def _cache_folder() -> Path:
    return Path(__file__).parent / "__pycache__"


def _name_prefix() -> str:
    """The beginning of the file's name: whatever the database depends on."""
    parts = (catalog.digest(), __version__, duckdb.__version__)
    return f"empty-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:_DIGITS]}-"


def _digest_of_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS]
