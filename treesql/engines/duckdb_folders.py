"""Folders of Parquet as databases: DuckDB in memory, with views of the parts in place of the tables."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from treesql import catalog
from treesql.catalog import Statement, schemas
from treesql.catalog.schemas import literal, quote
from treesql.engines import manifests, parquet_parts
from treesql.engines.connections import (
    MEMORY,
    Connection,
    create,
    draw_no_progress,
    install_functions,
    make_safe,
    memory_config,
)
from treesql.engines.corpus_groups import FEATURES, CorpusGroup
from treesql.engines.duckdb import DuckDB, select_within
from treesql.engines.parquet_parts import Reads, StoredPart, reads_of
from treesql.errors import DatabaseError, Interrupted, QueryError, StatementError, UsageError
from treesql.runtime import failures, limits


class Paths(NamedTuple):
    """The files of a table: those of one corpus each, and those that several corpora share."""

    own: list[str]
    shared: list[str]


NO_PATHS = Paths([], [])

PartsByTable = Mapping[str, Paths]
"""By table, its files: FOLDER/TABLE/NAME/FILE."""

DEFAULT_MEMORY = 1_500_000_000
"""Maximum number of bytes for DuckDB unless another is named: beyond it, joins and groups are written to disk."""

MEMORY_PER_CORE = 250_000_000
"""Number of bytes for each core, where all of them together need more than DEFAULT_MEMORY."""

CORPORA = "corpora"
"""The table with a row per corpus."""

_CORPUS = "url_decode(parse_filename(parse_dirpath(t.filename)))"
"""The corpus of a row of files of one corpus: the name of their folder, so that filters by corpus leave out files."""

MIN_BYTES_FOR_PLAN = 5_000_000
"""Number of bytes from which planning a statement, for the columns that it reads, is faster than comparing all."""

_NAME = re.compile(r"\w+")

_COMPUTING_NAMES = frozenset({"query", "query_table", "json_execute_serialized_sql"})
"""Functions that read tables whose names they compute."""

_KEEPS_ORDER = "SELECT current_setting('preserve_insertion_order')"

_NO_VARIABLES = "SET python_enable_replacements = false"

_CHANGES = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE_INTO", "ALTER", "DROP"})
"""Types of statements that change tables."""

_BLANK = r"(?:\s|--[^\n]*\n|/\*.*?\*/)*+"

_EXPLAIN = re.compile(rf"(?is){_BLANK}EXPLAIN\b(?:{_BLANK}ANALY[ZS]E\b)?")
"""What is before the statement that EXPLAIN explains, or before its options."""

_OPTIONS = re.compile(r"\s*\([^()]*\)")


class DuckDBFolder(DuckDB):
    """A folder of Parquet as an engine: SQL reads its parts in place, and changes none.

    folder: as the user names it. is_safe: whether SQL may do nothing but read the folder. memory: as for `open_folder`.
    groups: the corpora that it had when it was opened or refreshed.
    """

    def __init__(self, folder: str, *, is_safe: bool, memory: int | None) -> None:
        self._identity = manifests.identity_of(folder)
        groups = read_checked(folder)
        super().__init__(_connected(folder, groups, is_safe, memory), {*catalog.names(), *schemas.all_macros()})
        self.folder = folder
        self.groups = groups
        self._parts = list(parquet_parts.parts_of(folder, groups))
        self._is_safe, self._memory = is_safe, memory
        self._defined: frozenset[str] = frozenset()
        self._stopped = False

    def refresh(self) -> None:
        """Read the manifest again, and show the corpora that the folder has now. Raises DatabaseError.

        A safe connection may read no other parts, so that there is a new one where some were added: without what SQL
        has made on the old one.
        """
        manifests.retry_changed(self.folder, self._refresh)

    def _refresh(self) -> None:
        identity = manifests.identity_of(self.folder)
        groups = read_checked(self.folder)
        if self._is_safe and groups != self.groups:
            connection = _connected(self.folder, groups, self._is_safe, self._memory)
            self.connection.close()
            self.connection = connection
            self._missing_macros = {*catalog.names(), *schemas.all_macros()}
        else:
            with _named_errors(self.folder):
                show_parts(self.connection, parts_by_table(self.folder, groups))
        parts = list(parquet_parts.parts_of(self.folder, groups))
        kept = {part.path for part in parts}
        parquet_parts.forget(part for part in self._parts if part.path not in kept)
        self._identity, self.groups, self._parts = identity, groups, parts

    def has_changed(self) -> bool:
        """Whether the folder has another manifest than when it was opened or refreshed; object stores are not asked."""
        return manifests.identity_of(self.folder) != self._identity

    @contextmanager
    def explaining_changes(self) -> Iterator[None]:
        """Raise an error that says so where parts are not as listed in the block because the folder has changed."""
        try:
            yield
        except (DatabaseError, StatementError, QueryError) as error:
            cause = error.__cause__ or error.__context__
            of_part = isinstance(error, DatabaseError) or isinstance(cause, duckdb.IOException)
            if of_part and self.has_changed():
                what = "the folder has changed since it was opened; connect again"
                raise DatabaseError(f"{self.folder}: {what}") from None
            raise

    def table(
        self, statement: str, values: Mapping[str, object] | None = None, *, aggregated: bool = False
    ) -> pa.Table:
        """Return the rows of a SELECT; as for `Engine`. Raises DatabaseError where a part is damaged."""
        with self.explaining_changes():
            self._check_parts(statement, values)
            return super().table(statement, values, aggregated=aggregated)

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a small SELECT as tuples; as for `Engine`. Raises DatabaseError, Interrupted."""
        with self.explaining_changes():
            self._check_parts(statement, values)
            return super().rows(statement, values)

    def interrupt(self) -> None:
        """Stop the statement that runs; as for `Engine`."""
        self._stopped = True
        super().interrupt()

    def check_parts(self, statement: str | None = None, values: Mapping[str, object] | None = None) -> None:
        """Compare what a statement reads of parts with the manifest, all of them if it is left out.

        Raises DatabaseError where a part is damaged or replaced, Interrupted.
        """
        with self.explaining_changes():
            self._check_parts(statement, values)

    def _check_parts(self, statement: str | None, values: Mapping[str, object] | None) -> None:
        tables = None if statement is None else tables_named(statement) | self._defined
        left = self.parts_left(tables)
        if not left:
            return
        reads = None
        if statement is not None and sum(part.part.bytes for part in left) >= MIN_BYTES_FOR_PLAN:
            reads = self._planned_reads(statement, values)
        columns, read = None, left
        if reads is not None:
            paths = {part.path for scan in reads.scans for part in parquet_parts.read_by(self._parts, scan)}
            columns, read = reads.columns, [part for part in left if part.path in paths]
        self._stopped = False
        if len(read) < len(left):  # planning reads the footers of all
            parquet_parts.check_parts(left, (), lambda: self._stopped)
        parquet_parts.check_parts(read, columns, lambda: self._stopped)
        if self._stopped:
            raise Interrupted("stopped while parts were compared with the manifest")

    def parts_left(self, tables: Collection[str] | None = None) -> list[StoredPart]:
        """The parts of tables, if left out of all, of which something was not compared; none in object stores."""
        if "://" in self.folder:
            return []
        return parquet_parts.unchecked(part for part in self._parts if tables is None or part.table in tables)

    def _planned_reads(self, statement: str, values: Mapping[str, object] | None) -> Reads | None:
        """What DuckDB plans to read of parts; None where it plans nothing."""
        try:
            self._make_named(statement)
            if len(self.connection.extract_statements(statement)) == 1:
                used = Statement((), statement).bind(values) if values else None
                [(_, plan)] = self.connection.execute(f"EXPLAIN (FORMAT json) {statement}", used).fetchall()
                [(keeps_order,)] = self.connection.execute(_KEEPS_ORDER).fetchall()
                return reads_of(plan, keeps_order=keeps_order)
        except (duckdb.Error, ValueError):  # running it reports what is wrong
            pass
        return None

    def select_range(self, table: str, sentences: range, columns: Sequence[str]) -> str:
        """Return a SELECT of rows of a range of sentences, which opens the parts that have some; as for `Engine`."""
        rows = select_parts(schemas.table(table), _paths(self.folder, self.groups, table, sentences))
        return select_within(f"({rows})", sentences, columns)

    def check_statement(self, sql: str, parameters: Mapping[str, object]) -> None:
        """Raise UsageError for SQL that would change the rows of corpora, or write to the folder of a safe engine.

        DuckDB cannot read some files and write none, so only SELECT and EXPLAIN run if the engine is safe. Raises
        DatabaseError where a part that it reads is damaged.
        """
        words = catalog.words(sql.lower())
        try:
            types = _types(self.connection, sql)
        except (duckdb.Error, ValueError, TypeError):  # running it reports what is wrong
            return
        changes = not types.isdisjoint(_CHANGES) and not words.isdisjoint(schemas.all_tables())
        if changes or (self._is_safe and not types <= {"SELECT", "EXPLAIN"}):
            raise UsageError(
                f"{self.folder}: SQL only reads a folder, so write SELECT; "
                f"`treesql load {self.folder} FILE... --replace` replaces corpora"
            )
        if not types <= {"SELECT", "EXPLAIN"}:
            self._defined |= tables_named(sql)
        self.check_parts(sql, parameters)


def _types(connection: Connection, sql: str) -> frozenset[str]:
    """The types of the statements of SQL, and of those that EXPLAIN ANALYZE would run. Raises duckdb.Error."""
    kinds: set[str] = set()
    for statement in connection.extract_statements(sql):
        kind = str(statement.type).rpartition(".")[2]
        kinds |= {kind} | (_explained(connection, statement.query) if kind == "EXPLAIN" else frozenset())
    return frozenset(kinds)


def _explained(connection: Connection, explain: str) -> frozenset[str]:
    """The types of the statement that EXPLAIN explains; an empty name where that is not clear."""
    before = _EXPLAIN.match(explain)
    rest = explain[before.end() :] if before else ""
    for statement in (rest, _OPTIONS.sub("", rest, count=1)):
        with suppress(duckdb.Error):
            if kinds := _types(connection, statement):
                return kinds
    return frozenset({""})


def open_folder(folder: str, *, safe: bool = False, memory: int | None = None) -> DuckDBFolder:
    """An engine of a folder of Parquet. safe: SQL reaches no files but the parts, and none for writing.

    memory: maximum number of bytes for DuckDB; None for `default_memory`. Raises DatabaseError where the folder is
    missing, of another version, or contradicts its manifest.
    """
    return manifests.retry_changed(folder, lambda: DuckDBFolder(folder, is_safe=safe, memory=memory))


def read_checked(folder: str) -> list[CorpusGroup]:
    """The corpora of a folder, whose rows of `corpora` are as they were written. Raises DatabaseError."""
    groups = manifests.read_manifest(folder)
    if "://" not in folder:
        parquet_parts.check_parts(parquet_parts.parts_of(folder, groups, {CORPORA}))
    return groups


def _connected(folder: str, groups: Sequence[CorpusGroup], is_safe: bool, memory: int | None) -> Connection:
    """A connection in memory with the corpora of a folder. Raises DatabaseError."""
    connection = duckdb.connect(MEMORY, config=memory_config(memory or limits.duckdb_memory() or default_memory()))
    try:
        parts = parts_by_table(folder, groups)
        with _named_errors(folder):
            connect_to_parts(connection, parts)
            if is_safe:
                paths = ", ".join(
                    literal(path) for table_paths in parts.values() for path in (*table_paths.own, *table_paths.shared)
                )
                connection.execute(f"SET allowed_paths = [{paths}]")
                make_safe(connection)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _named_errors(folder: str) -> Iterator[None]:
    """Raise what DuckDB finds wrong with a folder as DatabaseError."""
    try:
        yield
    except duckdb.Error as error:
        if failures.was_interrupted(error):
            raise KeyboardInterrupt from None
        raise DatabaseError(f"{folder}: {failures.describe_error(error)}") from None


@lru_cache(maxsize=256)
def tables_named(statement: str) -> frozenset[str]:
    """The tables that SQL may read: of views, macros and queries, too, and all where it computes names."""
    words = frozenset(_NAME.findall(statement.lower()))
    if not words.isdisjoint(_COMPUTING_NAMES):
        return frozenset(schemas.all_tables())
    words |= {
        word for name in words.intersection(catalog.names()) for word in catalog.query(name).statement.identifiers
    }
    return catalog.tables_of(words.union(*(catalog.words(macro.body) for macro in schemas.macros_called(words))))


def default_memory() -> int:
    """Return the number of bytes for DuckDB where no limit is named: at most 80% of the machine's."""
    wanted = max(DEFAULT_MEMORY, MEMORY_PER_CORE * (os.cpu_count() or 1))
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows does not say it
        return wanted
    return min(wanted, machine * 4 // 5) if machine > 0 else wanted


def parts_by_table(folder: str, groups: Sequence[CorpusGroup]) -> PartsByTable:
    """The files of all corpora by table."""
    tables = dict.fromkeys(table for group in groups for table in group.parts)
    return {table: _paths(folder, groups, table) for table in tables}


def _paths(folder: str, groups: Sequence[CorpusGroup], table: str, sentences: range | None = None) -> Paths:
    """The files of a table. sentences: leave out files that have none of these."""
    root = folder if "://" in folder else os.path.abspath(folder)
    paths = Paths([], [])
    for group in groups:
        (paths.shared if group.is_shared else paths.own).extend(group.paths(root, table, sentences))
    return paths


def connect_to_parts(connection: Connection, parts: PartsByTable) -> None:
    """Give a new connection in memory the tables, views and functions of treesql, with the rows of parts."""
    connection.execute(_NO_VARIABLES)
    draw_no_progress(connection)
    install_functions(connection)
    create(connection, *(table.ddl for table in schemas.all_tables().values() if not _has_parts(table)))
    show_parts(connection, parts)
    views = schemas.all_views().values()
    create(connection, *(f"CREATE VIEW {quote(view.name)} AS\n{view.body}" for view in views))


def _has_parts(table: schemas.Table) -> bool:
    """Whether a view of parts stands for a table: not for `corpora`, which is small, and read by everything."""
    return ("corpus" in table.names or table.name == FEATURES) and table.name != CORPORA


def show_parts(connection: Connection, parts: PartsByTable) -> None:
    """Create or replace the views of parts, and fill `corpora`."""
    for table in schemas.all_tables().values():
        if _has_parts(table):
            connection.execute(view_of_parts(table, parts.get(table.name, NO_PATHS)))
    connection.execute(f"DELETE FROM {CORPORA}")
    connection.execute(f"INSERT INTO {CORPORA} {select_parts(schemas.table(CORPORA), parts.get(CORPORA, NO_PATHS))}")


def _files(paths: Sequence[str]) -> str:
    """The rows of files in SQL. Filters by sentence leave out groups of rows."""
    listed = ", ".join(map(literal, paths))
    return f"read_parquet([{listed}], hive_partitioning = false, filename = true)"


def view_of_parts(table: schemas.Table, paths: Paths) -> str:
    """The statement that makes a view of a table's files."""
    return f"CREATE OR REPLACE VIEW {quote(table.name)} AS {select_parts(table, paths)}"


def select_parts(table: schemas.Table, paths: Paths) -> str:
    """A SELECT of the rows of a table's files; of none where there are no files."""
    selects = [
        _select_files(table, files, corpus)
        for files, corpus in ((paths.own, _CORPUS), (paths.shared, "t.corpus"))
        if files
    ]
    if not selects:
        columns = ", ".join(f"CAST(NULL AS {column.type}) AS {quote(column.name)}" for column in table.columns)
        return f"SELECT {columns} WHERE FALSE"
    rows = " UNION ALL ".join(selects)
    if table.name == FEATURES and len({os.path.dirname(path) for path in paths.own}) + len(paths.shared) > 1:
        key, *rest = (f"f.{quote(column.name)}" for column in table.columns)  # corpora share strings
        values = ", ".join(f"any_value({name}) AS {name.removeprefix('f.')}" for name in rest)
        return f"SELECT {key}, {values} FROM ({rows}) AS f GROUP BY {key}"
    return rows


def _select_files(table: schemas.Table, files: Sequence[str], corpus: str) -> str:
    """A SELECT of the rows of files. corpus: their corpus in SQL."""
    columns = ", ".join(
        f"{corpus} AS corpus" if column.name == "corpus" else f"t.{quote(column.name)}" for column in table.columns
    )
    return f"SELECT {columns} FROM {_files(files)} AS t"
