"""In-memory corpora: Arrow tables registered as views under the names of the tables.

Nothing is copied, compressed or checked again; computed columns are computed where a query reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb
import pyarrow as pa

from treesql import catalog, readers
from treesql.catalog import macros, schemas
from treesql.catalog.schemas import literal, quote
from treesql.engines.duckdb import MEMORY, install_functions, make_safe, memory_config
from treesql.readers import Options
from treesql.storage import loading
from treesql.storage.loading import CorpusFiles, Loaded

RowsByTable = Mapping[str, Sequence[tuple[str, pa.Table]]]
"""By table, the rows of every corpus."""

_ALWAYS_NEEDED = frozenset({"corpora", "sentences", "words", "feature_lists", "features"})
"""Tables and views that are needed for groups, names and faults, whatever the SQL reads."""


def load_into_memory(
    wanted: Sequence[CorpusFiles], options: Options, named: frozenset[str] | None = None
) -> tuple[duckdb.DuckDBPyConnection, list[Loaded]]:
    """A connection in memory with the corpora of files, and what was read. Its SQL reaches no files.

    named: the words of the SQL that will run, if it is known; empty tables, views, functions and macros are created
    only if they are among these. Raises InvalidInput.
    """
    held: dict[str, list[tuple[str, pa.Table]]] = {}

    def keep(table: schemas.Table, rows: pa.Table, corpus: str) -> None:
        held.setdefault(table.name, []).append((corpus, rows))

    readings = [loading.read_corpus(one, options, keep) for one in wanted]
    connection = connect_to_rows(held, options, named)
    try:
        loaded = [
            loading.finish_corpus(connection, one, options, reading)
            for one, reading in zip(wanted, readings, strict=True)
        ]
        for one in wanted:
            if one.form == readers.PARQUET and options.columns is None:
                loading.check_links(connection, one.corpus)
        make_safe(connection)
    except BaseException:
        connection.close()
        raise
    return connection, loaded


def connect_to_rows(
    held: RowsByTable, options: Options, named: frozenset[str] | None = None
) -> duckdb.DuckDBPyConnection:
    """A connection in memory with these rows, which the caller closes. named: as for `load_into_memory`."""
    wanted = None if named is None else _ALWAYS_NEEDED | catalog.tables_of(named)
    connection = duckdb.connect(MEMORY, config=memory_config())
    try:
        shortened = named is None or not named.isdisjoint(macros.all_macros())
        install_functions(connection, None if shortened else named)
        for table in schemas.all_tables().values():
            if table.name in held and table.name != "corpora":
                register_rows(connection, table, held, options)
            elif wanted is None or table.name in wanted:
                connection.execute(table.ddl)
        for corpus, rows in held.get("corpora", []):
            loading.insert_rows(connection, schemas.table("corpora"), rows, corpus, options)
        for view in schemas.all_views().values():
            if named is None or view.name in named | _ALWAYS_NEEDED:
                connection.execute(f"CREATE TEMP VIEW {quote(view.name)} AS\n{view.body}")
        for statement in macros.statements(temporary=True) if shortened else ():
            connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return connection


def register_rows(
    connection: duckdb.DuckDBPyConnection, table: schemas.Table, held: RowsByTable, options: Options
) -> None:
    """Create or replace the view of a table's rows, under the table's name."""
    corpora: dict[str, list[pa.Table]] = {}
    for corpus, rows in held[table.name]:
        corpora.setdefault(corpus, []).append(rows)
    parts = []
    for corpus, pieces in corpora.items():
        rows = pa.concat_tables(pieces)
        name = _name(table.name, corpus)
        connection.register(name, rows)
        columns = [f"{literal(corpus)} AS corpus"]
        columns += [f"{_source(table, column, rows, options)} AS {quote(column.name)}" for column in table.columns[1:]]
        parts.append(f"SELECT {', '.join(columns)} FROM {quote(name)}")
    connection.execute(f"CREATE OR REPLACE TEMP VIEW {quote(table.name)} AS\n" + "\nUNION ALL\n".join(parts))


def unregister_rows(connection: duckdb.DuckDBPyConnection, held: RowsByTable) -> None:
    """Release registered rows; their views fail until other rows are registered."""
    for table, corpora in held.items():
        for corpus in dict.fromkeys(corpus for corpus, _ in corpora):
            connection.unregister(_name(table, corpus))


def _name(table: str, corpus: str) -> str:
    return f"{table} of {corpus}"


def _source(table: schemas.Table, column: schemas.TableColumn, rows: pa.Table, options: Options) -> str:
    """Where a column's values come from: the rows, other columns, or nowhere."""
    if column.name in rows.schema.names:
        return quote(column.name)
    if column.computed and options.wants(table.name, column.name):
        return column.computed
    return f"CAST(NULL AS {column.type})"
