"""DuckDB as an engine, and its transactions."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import lru_cache
from types import TracebackType
from typing import Any, Self, TypeVar

import duckdb
import pyarrow as pa

from treesql import catalog
from treesql.catalog import Statement, macro_calls, schemas
from treesql.catalog.queries import table_macro
from treesql.catalog.schemas import quote
from treesql.catalog.sql_text import relations_of
from treesql.engines import conditions, connections, relations
from treesql.engines.connections import FEW_ROWS, ROWS, Connection, Lent
from treesql.errors import Interrupted, NumberTooLarge, StatementError, UnknownColumn
from treesql.runtime import failures, interrupts, limits, steps

Found = TypeVar("Found")

_UNKNOWN_COLUMN = re.compile(r'(?:Referenced column|does not have a column named) "([^"]+)"')
"""Matches the message of a statement with an unknown column."""

_TOO_LARGE = "INT128"
"""Type in the message of a statement in which a number does not fit a HUGEINT."""

_NEW_ROWS = "rows that replace others"
"""Name of a view of rows while they are inserted."""


_QUERY = "percent of a query"
"""Steps of a statement, of which DuckDB tells how many are done."""

WORDS_OF_LINES = "words of lines"
"""Stands for the table of words where it has words of lines of texts alone, which few statements need."""

_REPLACE = "CREATE OR REPLACE MACRO "
"""Begins statements that install macros."""

_LOG_BYTES = "64MB"
"""Maximum size of the log of a database during many transactions, after which a checkpoint empties it. Until then its
rows stay in memory."""

MAX_STATEMENTS = 64
"""Maximum number of parsed statements that a process keeps; the largest takes some 500 kB."""

_statements: dict[str, duckdb.Statement] = {}
"""Parsed statements by their text, the oldest first."""

_schemas: dict[tuple[tuple[str, str], ...], pa.Schema] = {}
"""Arrow types of results by the names and DuckDB types of their columns."""

_PLAIN = frozenset({"BIGINT", "BOOLEAN", "DECIMAL(38,0)", "DOUBLE", "HUGEINT", "INTEGER", "VARCHAR"})
"""Names of the types whose values are the same in tuples and in Arrow; those of UUID and BIT are not."""

MAX_TUPLES = 100
"""Number of rows of a result from which on they are not fetched as tuples."""

_CACHE_BYTES = 16_000_000
"""Maximum number of bytes of blocks of a database that stay in memory while corpora are loaded, by whose size they grow
otherwise. Where there are more, half as many stay."""


class DuckDB:
    """A connection to DuckDB as an `Engine`.

    connection: for storage, which loads and changes rows. missing_macros: the queries, and macros of macros/, that are
    made once a statement names them. caches_lists: whether lists of corpora are cached for further statements; where
    rows change, so must their corpus's record. lent: the connection as it was borrowed; it goes back at the end of the
    block of this context manager, unless that fails. empty: tables of a small engine, and relations of the catalogue,
    that have no rows; settled: tables that have the rows with which they are made.
    """

    name = "duckdb"
    version = duckdb.__version__
    only_sums = False

    def __init__(self, connection: Connection, missing_macros: Iterable[str] = (), *, lent: Lent | None = None) -> None:
        self.connection = connection
        self._lent = lent
        self._written: list[Callable[[], object]] = []
        self._waiting: dict[str, list[Callable[[], object]]] = {}
        self.empty = frozenset[str]() if lent is None else frozenset({schemas.ALIGNMENTS})
        self.settled = frozenset[str]() if lent is None else schemas.tables_with_rows()
        self._read: dict[str, Any] = {}
        self._comes_again: dict[str, bool] = {}
        self._n_rows = 0
        self._missing_macros = set(missing_macros)
        self.precomputed: frozenset[str] = frozenset()
        self.caches_lists = False
        self.paired: dict[tuple[str, str], tuple[str, bool]] = {}
        self.records: list[dict[str, Any]] = []
        self.rows_read: Mapping[str, Sequence[tuple[str | None, pa.Table]]] = {}

    def table(
        self, statement: str, values: Mapping[str, object] | None = None, *, aggregated: bool = False
    ) -> pa.Table:
        """Return the rows of a SELECT; as for `Engine`."""
        used = _used(statement, values)
        try:
            self._make_macros_of(statement)
            if not (aggregated or self.is_small):
                return self._while_interruptible(lambda: self.connection.sql(statement, params=used).to_arrow_table())
            if self.caches_lists and used:
                statement = relations.reading_cached(self.rows, statement, used)
            return self._once("table", statement, used, lambda: _as_table(self._execute(statement, used)))
        except duckdb.Error as error:
            self._restore()
            raise _as_engine_error(error, statement, used) from error

    def _once(self, form: str, statement: str, used: dict[str, object] | None, work: Callable[[], Found]) -> Found:
        """Return what a statement returns; of a small engine it is read once in a form, as long as no rows change."""
        if not self.is_small:
            return self._while_interruptible(work)
        key = f"{form} {statement}{used}"
        if key not in self._read:
            self._read[key] = work()
        found: Found = self._read[key]
        return found

    def _while_interruptible(self, work: Callable[[], Found]) -> Found:
        """Return what a statement returns, which Ctrl-C interrupts where it raises KeyboardInterrupt in this thread."""
        with steps.working(_QUERY, 100, self.query_progress):
            return limits.run_beside(work, self.interrupt) if interrupts.raises_here() else work()

    def parsed(self, statement: str) -> duckdb.Statement:
        """A statement parsed, which for long ones takes a third of its time: once for all engines of the process."""
        parsed = _statements.get(statement)
        if parsed is None:
            [parsed] = self.connection.extract_statements(statement)
            with suppress(KeyError, RuntimeError):  # where another thread has dropped it
                while len(_statements) >= MAX_STATEMENTS:
                    del _statements[next(iter(_statements))]
            _statements[statement] = parsed
        return parsed

    def _execute(self, statement: str, used: dict[str, object] | None) -> Connection:
        """Run a SELECT, planned once; `sql` plans a statement for its columns and again for its rows.

        On few rows planning takes longer than running, so that the plan of what comes again is kept.
        """
        if statement not in self._comes_again:
            self._comes_again[statement] = self._lent is not None and next(_uses(statement)) > 0
        comes_again = self._comes_again[statement]
        self._insert_words_of_lines(statement)
        written = macro_calls.write_in(statement, used or {}, self.empty, self.settled) if comes_again else None
        if written is not None:
            self._make_settled(written.settled)
        self._insert_named(statement if written is None else written.sql)
        if self._lent is None or written is None:
            if used and _macros_named(statement):
                statement = macro_calls.write_out(statement, used)
                used = _used(statement, used)
            return self.connection.execute(self.parsed(statement), used)
        if self._n_rows <= FEW_ROWS:
            return self._lent.execute_prepared(written.sql, written.sql, list(map(schemas.literal, written.arguments)))
        return self.connection.execute(self.parsed(written.sql), written.arguments)

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a small SELECT as tuples; as for `Engine`."""
        used = _used(statement, values)
        try:
            self._make_macros_of(statement)
            return self._once("rows", statement, used, lambda: self._execute(statement, used).fetchall())
        except duckdb.Error as error:
            self._restore()
            raise _as_engine_error(error, statement, used) from error

    @property
    def is_small(self) -> bool:
        """Whether it has few rows, of one task, in temporary tables of a connection that is lent."""
        return self._lent is not None

    def insert_when_read(self, table: str, insert: Callable[[], object]) -> None:
        """Have rows inserted into a table of a small engine before the first statement that names it, if there is one.

        An INSERT takes as long as a statement. table: or WORDS_OF_LINES. insert: calls `insert`.
        """
        self._waiting.setdefault(table, []).append(insert)

    def _insert_waiting(self, tables: Iterable[str]) -> None:
        """Insert the rows that wait for one of some tables to be read."""
        for table in self._waiting.keys() & set(tables):
            for insert in self._waiting.pop(table):
                insert()

    def insert(self, table: str, rows: pa.Table, columns: Mapping[str, str]) -> None:
        """Insert rows into a table of a small engine. columns: SQL for columns of the table, by their identifiers."""
        names, values = ", ".join(columns), ", ".join(columns.values())
        lent, sql = self._lent, f"INSERT INTO {quote(table)} ({names})\nSELECT {values} FROM {quote(ROWS)}"
        assert lent is not None

        def insert() -> None:
            lent.rows.shown = rows
            lent.execute_prepared(sql, (sql, rows.schema))
            lent.rows.shown = None

        self._n_rows += len(rows)
        self._has_other_rows(table)
        self._written.append(insert)
        insert()

    def write(self, change: Callable[[], object], tables: Iterable[str] = ()) -> None:
        """Change rows, and once more where an error of a statement has undone the transaction of a lent connection.

        tables: those that the change reads or changes, of a small engine.
        """
        self._read.clear()
        self._insert_waiting(tables)
        change()
        if self._lent is not None:
            self._written.append(change)

    def _has_other_rows(self, table: str) -> None:
        """Note that a table has rows, which are not those with which it was made."""
        self.empty -= {table}
        self.settled -= {table}

    def _restore(self, between: Callable[[], object] = lambda: None) -> None:
        """Begin the transaction of a lent connection anew, with all that was written in it.

        between: what is called outside of transactions.
        """
        if self._lent is not None:
            self.connection.rollback()
            try:
                between()
            finally:
                self.connection.begin()
                for change in self._written:
                    change()

    def _make_settled(self, settled: Iterable[tuple[str, str]]) -> None:
        """Make relations that are the same in every call, which stay in a lent connection. settled: their SELECTs by
        their names."""
        assert self._lent is not None
        made = self._lent.made
        new = {name: select for name, select in settled if name not in made}

        def make() -> None:
            for name, select in new.items():
                self.connection.execute(f"CREATE TEMP TABLE {quote(name)} AS\n{select}")
                made.add(name)

        if new:
            self._restore(make)

    def select_range(self, table: str, sentences: range, columns: Sequence[str]) -> str:
        """Return a SELECT of rows of a range of sentences; as for `Engine`."""
        return select_within(quote(table), sentences, columns)

    def replace_rows(
        self, table: str, rows: pa.Table, *, where: str | None = None, is_value: str | None = None
    ) -> None:
        """Replace rows of a small table; as for `Engine`. A temporary table shadows that of a database file."""
        self._shadow(table)
        self._has_other_rows(table)
        condition = "" if where is None else f" WHERE {quote(where)} = $value"
        columns = ", ".join(map(quote, rows.column_names))

        def replace() -> None:
            self.connection.execute(
                f"DELETE FROM {quote(table)}{condition}", None if where is None else {"value": is_value}
            )
            self.connection.register(_NEW_ROWS, rows)
            try:
                self.connection.execute(
                    f"INSERT INTO {quote(table)} ({columns}) SELECT {columns} FROM {quote(_NEW_ROWS)}"
                )
            finally:
                _unregister(self.connection, _NEW_ROWS)

        self.write(replace, [table])

    def fill_table(
        self, table: str, keys: Mapping[str, str], statement: str | None, values: Mapping[str, object], *,
        stored: bool = False,
    ) -> None:  # fmt: skip
        """Replace rows of a table by those of a SELECT; as for `Engine`. A temporary table shadows that of a file."""
        is_stored = stored and _is_writable_file(self.connection)
        if not is_stored:
            self._shadow(table)
        if statement is not None:
            self._make_named(statement)
        self._has_other_rows(table)
        condition = " AND ".join(f"{quote(name)} = ${name}" for name in keys)
        columns = ", ".join(map(quote, schemas.table(table).names))

        def fill() -> None:
            for name in _places_of(self.connection, table) if is_stored else [quote(table)]:
                self.connection.execute(f"DELETE FROM {name} WHERE {condition}", dict(keys))
                if statement is not None:
                    self.connection.execute(f"INSERT INTO {name} ({columns})\n{statement}", _used(statement, values))

        one = transaction(self.connection) if is_stored else nullcontext()
        with steps.working(_QUERY, 100, self.query_progress), one:
            self.write(fill, [table])

    def _shadow(self, table: str) -> None:
        """Hide a table of a database file behind a temporary copy; all tables of lent connections are temporary."""
        if self._lent is None:
            shadow_table(self.connection, table)

    @contextmanager
    def with_tables(self, tables: Mapping[str, pa.Table]) -> Iterator[Self]:
        """Yield this engine with further tables in a block; as for `Engine`."""

        def register() -> None:
            for name, rows in tables.items():
                self.connection.register(name, rows)

        try:
            self.write(register)
            yield self
        finally:
            self._read.clear()
            self._written = [change for change in self._written if change is not register]
            for name in tables:
                _unregister(self.connection, name)

    @contextmanager
    def restoring(self) -> Iterator[None]:
        """Undo at the end of the block what `replace_rows` does in it; as for `Engine`."""
        with rolled_back(self.connection):
            yield

    def check_condition(self, condition: str) -> None:
        """Raise UsageError for a condition that is no function of a row; as for `Engine`."""
        conditions.check_condition(self.connection, condition)

    def interrupt(self) -> None:
        """Stop the statement that runs; as for `Engine`."""
        self.connection.interrupt()

    def roll_back(self) -> None:
        """End the transaction that is open, without its changes; raises where none is."""
        self.connection.execute("ROLLBACK")

    @property
    def local(self) -> DuckDB:
        """DuckDB on the rows of this engine: itself."""
        return self

    def refresh(self) -> None:
        """Show the rows that were loaded: nothing is to be done, but for folders."""

    def check_parts(self) -> None:
        """Compare what was stored with what was written: nothing is to be done, but for folders."""

    def explaining_changes(self) -> AbstractContextManager[None]:
        """A block in which others may have replaced the files that are read: not those of a locked database."""
        return nullcontext()

    def make_macros(self, named: Iterable[str]) -> None:
        """Make those of the named macros that are missing, and those of macros/ that they call: of queries temporary.

        What is made in a transaction that is open may be rolled back with it, and is made again where it is named.
        """
        queries = [catalog.query(name) for name in self._missing_macros.intersection(named) & set(catalog.names())]
        named = {*named, *(word for query in queries for word in query.statement.identifiers)}
        called = [
            macro for macro in schemas.macros_called(self._missing_macros & named) if macro.name in self._missing_macros
        ]
        if not queries and not called:
            return
        for statement in schemas.statements(called, temporary=False):
            with suppress(duckdb.Error):  # SQL has made another database the current one, which has no macros
                self.connection.execute(statement.replace(_REPLACE, "CREATE MACRO IF NOT EXISTS memory.main.", 1))
        for query in queries:
            self.connection.execute(table_macro(query).replace(_REPLACE, "CREATE TEMP MACRO IF NOT EXISTS ", 1))
        if not in_transaction(self.connection):
            self._missing_macros -= {called_macro.name for called_macro in (*queries, *called)}

    def _make_named(self, statement: str) -> None:
        """Make the missing macros of macros/ that a statement names, and insert what waits for it."""
        self._insert_words_of_lines(statement)
        self._insert_named(statement)
        self._make_macros_of(statement)

    def _insert_named(self, statement: str) -> None:
        """Insert the rows that wait for a table that a statement reads."""
        if self._waiting:
            self._insert_waiting(_tables_named(statement))

    def _insert_words_of_lines(self, statement: str) -> None:
        """Insert words of lines that wait, where a statement needs them; their table is not empty then."""
        if WORDS_OF_LINES in self._waiting and _needs_words_of_lines(statement):
            self._insert_waiting([WORDS_OF_LINES])

    def _make_macros_of(self, statement: str) -> None:
        """Make the missing macros of macros/ that a statement names."""
        if self._missing_macros and not self._missing_macros.isdisjoint(named := _macros_named(statement)):
            self.make_macros(named)

    def query_progress(self) -> float:
        """Return the percentage of the running statement that is done; below 0 if it is not known."""
        return self.connection.query_progress()

    def close(self) -> None:
        """Close the connection."""
        self._let_go()
        self.connection.close()

    def _let_go(self) -> None:
        """Drop what holds rows, and this engine, so that both would stay until cycles are collected."""
        self._written.clear()
        self._waiting.clear()
        self.rows_read = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lent is not None and error is None:
            self._let_go()
            connections.give_back(self._lent)
        else:
            self.close()


def _as_table(result: Connection) -> pa.Table:
    """The rows of a statement that has run, copied once.

    DuckDB runs a further statement to make Arrow of a result, which takes longer than to make it of few tuples. So the
    Arrow types of results of plain values are found once for each of their kind, and few rows of these are fetched.
    """
    kind = tuple((name, str(type_of_column)) for name, type_of_column, *_ in result.description)
    schema = _schemas.get(kind)
    if schema is None:
        rows = _copied(result)
        if len(_schemas) < MAX_STATEMENTS and all(name in _PLAIN for _, name in kind):
            _schemas[kind] = rows.schema
        return rows
    first = result.fetchmany(MAX_TUPLES)
    columns = zip(*first, strict=True) if first else [()] * len(schema)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    few = pa.Table.from_arrays(arrays, schema=schema)
    return few if len(first) < MAX_TUPLES else pa.concat_tables([few, _copied(result)])


def _copied(result: Connection) -> pa.Table:
    """The rows of a result that have not been fetched."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Arrow output on a DB-API result", UserWarning)
        rows: pa.Table = result.to_arrow_table()
    return rows


def select_within(rows: str, sentences: range, columns: Sequence[str]) -> str:
    """A SELECT of those of the rows that are of a range of sentences."""
    selected = ", ".join(f"r.{quote(name)}" for name in columns)
    return f"SELECT {selected} FROM {rows} AS r WHERE r.sentence BETWEEN {sentences.start} AND {sentences.stop - 1}"


@lru_cache(maxsize=256)
def _uses(statement: str) -> Iterator[int]:
    """Yields how many small engines of this process have run a statement: 0, 1, ..."""
    return itertools.count()


@lru_cache(maxsize=256)
def _macros_named(statement: str) -> frozenset[str]:
    """The macros of macros/ among the words of a statement."""
    return frozenset(schemas.all_macros().keys() & catalog.words(statement.lower()))


_SCHEMA = re.compile(r'(?i)(\b(?:FROM|JOIN)\s+)(?:(?:\w+|"[^"]*")\s*\.\s*)+')
"""Matches the schema of a relation, with the word before it."""


@lru_cache(maxsize=256)
def _tables_named(statement: str) -> frozenset[str]:
    """The tables that a statement reads, also through macros and views; its columns may have names of others."""
    called = schemas.macros_called(catalog.words(statement.lower()))
    read = relations_of(_SCHEMA.sub(r"\1", statement))
    names = frozenset(name.strip('"').lower() for name in read)
    return catalog.tables_of(names.union(*(catalog.words(macro.body) for macro in called)))


_needs_words_of_lines = lru_cache(maxsize=256)(catalog.needs_words_of_lines)


def _used(statement: str, values: Mapping[str, object] | None) -> dict[str, object] | None:
    """Return the values that a statement uses: DuckDB refuses others."""
    return Statement((), statement).bind(values) if values else None


def _as_engine_error(error: duckdb.Error, statement: str, values: object) -> Exception:
    """Return an error of DuckDB as one of those that engines raise."""
    message = str(error)
    if failures.was_interrupted(error):
        return Interrupted(message)
    if limits.as_memory_limit(error):
        return MemoryError(message)
    text = failures.describe_error(error)
    if missing := _UNKNOWN_COLUMN.search(message):
        return UnknownColumn(text, message, statement, values, missing[1])
    kind = NumberTooLarge if _TOO_LARGE in message else StatementError
    return kind(text, message, statement, values)


def _unregister(connection: Connection, name: str) -> None:
    """Forget rows of Arrow. Where a transaction is aborted its end does so, and no other error hides that of it."""
    with suppress(duckdb.TransactionException):
        connection.unregister(name)


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Run the block in one transaction: nothing changes where it fails or is interrupted before the commit."""
    connection.execute("BEGIN")
    try:
        yield
        with interrupts.committing():
            connection.execute("COMMIT")
    except BaseException:
        with interrupts.deferred(), suppress(duckdb.Error):  # a failed commit has ended the transaction
            connection.execute("ROLLBACK")
        raise


@contextmanager
def many_inserts(connection: Connection) -> Iterator[None]:
    """Run a block of many INSERTs, in one transaction or several: in one thread, and with fewer checkpoints.

    An INSERT takes less time and memory in one thread, and its row groups are full, so that they are compressed once
    and the database is smaller. A checkpoint takes longer the larger the database is.
    """
    settings = {"threads": 1, "checkpoint_threshold": _LOG_BYTES}
    before = {name: connection.execute(f"SELECT current_setting('{name}')").fetchall()[0][0] for name in settings}
    try:
        _set(connection, settings)
        yield
    finally:
        with interrupts.deferred():
            _set(connection, before)


def memory_setting(connection: Connection) -> str:
    """The maximum of memory of a connection as DuckDB says it, which is rounded."""
    return str(connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0])


def release_blocks(connection: Connection, limit: str) -> None:
    """Release blocks of the database in memory if they are more than _CACHE_BYTES: DuckDB keeps what it writes.

    limit: the maximum of memory then, as `memory_setting` has said it once. For databases that nothing else uses now:
    for a moment, statements may take no more memory than they have and half of _CACHE_BYTES.
    """
    sizes = dict(connection.execute("SELECT m.tag, m.memory_usage_bytes FROM duckdb_memory() AS m").fetchall())
    of_tables = sizes.get("BASE_TABLE", 0)
    if of_tables > _CACHE_BYTES:
        try:
            with suppress(duckdb.OutOfMemoryException):  # blocks that are not on disk yet stay
                _set(connection, {"memory_limit": f"{sum(sizes.values()) - of_tables + _CACHE_BYTES // 2}B"})
        finally:
            _set(connection, {"memory_limit": limit})


def _set(connection: Connection, settings: Mapping[str, object]) -> None:
    with suppress(duckdb.InvalidInputException):  # those of a safe connection are locked
        for name, value in settings.items():
            connection.execute(f"SET {name} = '{value}'")


@contextmanager
def rolled_back(connection: Connection) -> Iterator[None]:
    """Run the block in a transaction of which nothing stays."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        with interrupts.deferred():
            connection.execute("ROLLBACK")


def shadow_table(connection: Connection, table: str) -> None:
    """Hide a table behind a temporary copy, unless the database is in memory or the copy exists."""
    sql = "SELECT path IS NULL FROM duckdb_databases() WHERE database_name = current_database()"
    if not connection.execute(sql).fetchall()[0][0]:
        columns = ", ".join(map(quote, schemas.table(table).names))
        name = quote(table)
        connection.execute(f"CREATE TEMP TABLE IF NOT EXISTS {name} AS SELECT {columns} FROM {name}")


def _places_of(connection: Connection, table: str) -> list[str]:
    """The qualified names of a table of the database, and of a temporary one that hides it, if they exist."""
    sql = (
        "SELECT t.database_name FROM duckdb_tables() AS t\n"
        "WHERE t.table_name = $name AND t.database_name IN ('temp', current_database())"
    )
    databases = connection.execute(sql, {"name": table}).fetchall()
    return [f"{quote(database)}.main.{quote(table)}" for (database,) in databases]


def delete_pairs(connection: Connection, corpus: str) -> None:
    """Delete the alignments of the words of a corpus whose rows change or go."""
    for name in _places_of(connection, schemas.ALIGNMENTS):
        sql = f"DELETE FROM {name} WHERE gold = $corpus OR system = $corpus"
        connection.execute(sql, {"corpus": corpus})


def _is_writable_file(connection: Connection) -> bool:
    sql = (
        "SELECT count(*) FROM duckdb_databases() AS d\n"
        "WHERE d.database_name = current_database() AND d.path IS NOT NULL AND NOT d.readonly"
    )
    return bool(connection.execute(sql).fetchall()[0][0])


def in_transaction(connection: Connection) -> bool:
    """Whether a transaction is open on the connection: otherwise every statement is a transaction."""
    first, second = (connection.execute("SELECT txid_current()").fetchall() for _ in range(2))
    return first == second


def values_of_statement(
    statement: duckdb.Statement, parameters: Mapping[str, object], *, alone: bool
) -> dict[str, object]:
    """The parameters of a statement; all if it is alone, so that DuckDB reports those that it does not have."""
    return {name: value for name, value in parameters.items() if alone or name in statement.named_parameters}


def returns_rows(statement: duckdb.Statement, columns: list[str]) -> bool:
    """Whether a statement has rows of its own, not only DuckDB's note of its success."""
    return str(statement.type).endswith(".SELECT") or columns not in (["Count"], ["Success"])
