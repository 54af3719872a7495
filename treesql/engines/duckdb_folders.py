"""Folders of Parquet as databases: DuckDB in memory, with views of the parts in place of the tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import duckdb

from treesql import catalog
from treesql.catalog import macros, schemas
from treesql.catalog.schemas import literal, quote
from treesql.engines import manifests
from treesql.engines.connections import (
    MEMORY,
    Connection,
    draw_no_progress,
    install_functions,
    make_safe,
    memory_config,
)
from treesql.engines.duckdb import DuckDB, select_within
from treesql.engines.manifests import FEATURES, Manifest
from treesql.errors import DatabaseError, UsageError
from treesql.runtime import failures, limits

PartsByTable = Mapping[str, Sequence[str]]
"""By table, its files: FOLDER/TABLE/NAME/FILE."""

DEFAULT_MEMORY = 1_500_000_000
"""Maximum number of bytes for DuckDB unless another is named: beyond it, joins and groups are written to disk."""

MEMORY_PER_CORE = 250_000_000
"""Number of bytes for each core, where all of them together need more than DEFAULT_MEMORY."""

CORPORA = "corpora"
"""The table with a row per corpus."""

_CORPUS = "url_decode(parse_filename(parse_dirpath(t.filename)))"
"""The corpus of a row of files: the name of their folder."""

_NO_VARIABLES = "SET python_enable_replacements = false"

_CHANGES = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE_INTO", "ALTER", "DROP"})
"""Types of statements that change tables."""

_WRITING = frozenset({"copy", "export", "attach", "execute", "prepare", "import", "install", "load", "pragma", "call"})
"""Words of statements that EXPLAIN ANALYZE would run."""


class DuckDBFolder(DuckDB):
    """A folder of Parquet as an engine: SQL reads its parts in place, and changes none.

    folder: as the user names it. is_safe: whether SQL may do nothing but read the folder.
    """

    def __init__(self, connection: Connection, folder: str, found: Sequence[Manifest], *, is_safe: bool) -> None:
        super().__init__(connection, {*catalog.names(), *macros.all_macros()})
        self.folder = folder
        self._found = found
        self._is_safe = is_safe

    def refresh(self) -> None:
        """Read the manifests again, and show the corpora that the folder has now. Raises DatabaseError."""
        self._found = manifests.read_manifests(self.folder)
        show_parts(self.connection, parts_by_table(self.folder, self._found))

    def files(self) -> list[str]:
        """The parts that are read; as for `DuckDB`. Those of an object store are no files."""
        parts = {} if "://" in self.folder else parts_by_table(self.folder, self._found)
        return [path for paths in parts.values() for path in paths]

    def select_range(self, table: str, sentences: range, columns: Sequence[str]) -> str:
        """Return a SELECT of rows of a range of sentences, which opens the parts that have some; as for `Engine`."""
        paths = parts_by_table(self.folder, self._found, sentences).get(table, ())
        return select_within(f"({select_parts(schemas.table(table), paths)})", sentences, columns)

    def check_statement(self, sql: str) -> None:
        """Raise UsageError for SQL that would change the rows of corpora, or write to the folder of a safe engine.

        DuckDB cannot read some files and write none, so only SELECT and EXPLAIN run if the engine is safe.
        """
        words = catalog.words(sql.lower())
        try:
            types = {str(one.type).rpartition(".")[2] for one in self.connection.extract_statements(sql)}
        except (duckdb.Error, ValueError, TypeError):  # running it reports what is wrong
            return
        changes = not types.isdisjoint(_CHANGES) and not words.isdisjoint(schemas.all_tables())
        explains = "EXPLAIN" in types and not words.isdisjoint(_WRITING)
        if changes or (self._is_safe and (explains or not types <= {"SELECT", "EXPLAIN"})):
            raise UsageError(
                f"{self.folder}: SQL only reads a folder, so write SELECT; "
                f"`treesql load {self.folder} FILE... --replace` replaces corpora"
            )


def open_folder(folder: str, *, safe: bool = False, memory: int | None = None) -> DuckDBFolder:
    """An engine of a folder of Parquet. safe: SQL reaches no other files, and none for writing.

    memory: maximum number of bytes for DuckDB; None for `default_memory`. Raises DatabaseError where the folder is
    missing, of another version, or contradicts its manifests.
    """
    found = manifests.read_manifests(folder)
    connection = duckdb.connect(MEMORY, config=memory_config(memory or limits.duckdb_memory() or default_memory()))
    try:
        connect_to_parts(connection, parts_by_table(folder, found))
        if safe:
            if "://" not in folder:
                connection.execute(f"SET allowed_directories = [{literal(os.path.abspath(folder))}]")
            else:
                connection.execute(f"SET allowed_directories = [{literal(folder)}]")
            make_safe(connection)
    except duckdb.Error as error:
        connection.close()
        if failures.was_interrupted(error):
            raise KeyboardInterrupt from None
        raise DatabaseError(f"{folder}: {failures.describe_error(error)}") from None
    except BaseException:
        connection.close()
        raise
    return DuckDBFolder(connection, folder, found, is_safe=safe)


def default_memory() -> int:
    """Return the number of bytes for DuckDB where no limit is named: at most 80% of the machine's."""
    wanted = max(DEFAULT_MEMORY, MEMORY_PER_CORE * (os.cpu_count() or 1))
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows does not say it
        return wanted
    return min(wanted, machine * 4 // 5) if machine > 0 else wanted


def parts_by_table(folder: str, found: Sequence[Manifest], sentences: range | None = None) -> PartsByTable:
    """The files of all corpora by table. sentences: leave out files that have none of these."""
    root = folder if "://" in folder else os.path.abspath(folder)
    tables = dict.fromkeys(table for one in found for table in one.parts)
    return {table: [path for one in found for path in one.paths(root, table, sentences)] for table in tables}


def connect_to_parts(connection: Connection, parts: PartsByTable) -> None:
    """Give a new connection in memory the tables, views and functions of treesql, with the rows of parts."""
    connection.execute(_NO_VARIABLES)
    draw_no_progress(connection)
    install_functions(connection)
    for table in schemas.all_tables().values():
        if not _has_parts(table):
            connection.execute(table.ddl)
    show_parts(connection, parts)
    for view in schemas.all_views().values():
        connection.execute(f"CREATE VIEW {quote(view.name)} AS\n{view.body}")


def _has_parts(table: schemas.Table) -> bool:
    """Whether a view of parts stands for a table: not for `corpora`, which is small, and read by everything."""
    return ("corpus" in table.names or table.name == FEATURES) and table.name != CORPORA


def show_parts(connection: Connection, parts: PartsByTable) -> None:
    """Create or replace the views of parts, and fill `corpora`."""
    for table in schemas.all_tables().values():
        if _has_parts(table):
            connection.execute(view_of_parts(table, parts.get(table.name, ())))
    connection.execute(f"DELETE FROM {CORPORA}")
    if paths := parts.get(CORPORA):
        columns = ", ".join(_column(one.name) for one in schemas.table(CORPORA).columns)
        connection.execute(f"INSERT INTO {CORPORA} SELECT {columns} FROM {_files(paths)} AS t")


def _files(paths: Sequence[str]) -> str:
    """The rows of files in SQL. Filters by sentence leave out groups of rows."""
    listed = ", ".join(map(literal, paths))
    return f"read_parquet([{listed}], hive_partitioning = false, filename = true)"


def _column(name: str) -> str:
    """A column of `_files` AS t. The corpus is that of the file's folder: so filters by corpus leave out files."""
    return f"{_CORPUS} AS corpus" if name == "corpus" else f"t.{quote(name)}"


def view_of_parts(table: schemas.Table, paths: Sequence[str]) -> str:
    """The statement that makes a view of a table's files."""
    return f"CREATE OR REPLACE VIEW {quote(table.name)} AS {select_parts(table, paths)}"


def select_parts(table: schemas.Table, paths: Sequence[str]) -> str:
    """A SELECT of the rows of a table's files; of none where there are no files."""
    if not paths:
        columns = ", ".join(f"CAST(NULL AS {one.type}) AS {quote(one.name)}" for one in table.columns)
        return f"SELECT {columns} WHERE FALSE"
    columns = ", ".join(_column(one.name) for one in table.columns)
    rows = f"{_files(paths)} AS t"
    if table.name == FEATURES:  # corpora share strings
        key, *rest = (f"t.{quote(one.name)}" for one in table.columns)
        values = ", ".join(f"any_value({one}) AS {one.removeprefix('t.')}" for one in rest)
        several = len({os.path.dirname(path) for path in paths}) > 1
        return f"SELECT {key}, {values} FROM {rows} GROUP BY {key}" if several else f"SELECT {columns} FROM {rows}"
    return f"SELECT {columns} FROM {rows}"
