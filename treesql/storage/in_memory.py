"""In-memory corpora: Arrow tables registered as views under the names of the tables.

Nothing is copied, compressed or checked again; computed columns are computed where a query reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

import duckdb
import pyarrow as pa

from treesql import catalog
from treesql.catalog import schemas
from treesql.catalog.schemas import quote
from treesql.catalog.sql_text import words
from treesql.engines import connections
from treesql.engines.connections import draw_no_progress
from treesql.engines.duckdb import DuckDB
from treesql.readers import Options
from treesql.readers.source import size_of
from treesql.runtime.read_ahead import Direct, in_threads, put_all
from treesql.runtime.threads import n_cores
from treesql.storage import loading
from treesql.storage.corpus_plans import CorpusFiles
from treesql.storage.loading import CorpusSummary, Loaded

RowsByTable = Mapping[str, Sequence[tuple[str, pa.Table]]]
"""By table, the rows of every corpus."""

MIN_BYTES_FOR_THREADS = 1 << 20
"""Size of files together from which several are read at a time."""

_HELD = "rows that are held"
"""Name of a view of rows while a table is made of them."""

UNBOUNDED = 0
"""Number of items that wait: any, as all rows stay in memory anyway."""

_ALWAYS_NEEDED = frozenset({"corpora", "sentences", "words", "feature_lists", "features"})
"""Tables and views that are needed for groups, names and faults, whatever the SQL reads."""


def load_into_memory(
    wanted: Sequence[CorpusFiles], options: Options, named: frozenset[str] | None = None
) -> tuple[DuckDB, list[Loaded]]:
    """An engine in memory with the corpora of files, and what was read. Its SQL reaches no files.

    named: the words of the SQL that will run, if it is known; empty tables, views, functions and macros are created
    only if they are among these. Raises InvalidInput.
    """
    held, summaries = _read_corpora(wanted, options)
    engine = connect_to_rows(held, options, named)
    try:
        loaded = loading.finish_corpora(engine, list(zip(wanted, summaries, strict=True)), options)
        if options.columns is None:
            loading.check_stored_links(engine, wanted)
    except BaseException:
        engine.close()
        raise
    return engine, loaded


def _read_corpora(
    wanted: Sequence[CorpusFiles], options: Options
) -> tuple[dict[str, list[tuple[str, pa.Table]]], list[CorpusSummary]]:
    """Read corpora, several large ones at a time: the rows of all tables, and a summary of each corpus.

    Raises InvalidInput with the faults of the first corpus that has some.
    """
    held: dict[str, list[tuple[str, pa.Table]]] = {}
    summaries: list[CorpusSummary] = []
    n_bytes = sum(size_of(file) for one in wanted for file in one.files)
    readings = (loading.rows_of_corpus(one, options) for one in wanted)
    if len(wanted) == 1 or n_bytes < MIN_BYTES_FOR_THREADS:
        reading_all: AbstractContextManager[Iterable[loading.Reading]] = nullcontext(map(Direct, readings))
    else:
        works = (partial(put_all, rows) for rows in readings)
        reading_all = in_threads(works, threads=n_cores(), waiting=UNBOUNDED)
    with reading_all as running:
        for one, reading in zip(wanted, running, strict=True):
            for table, rows in reading.items():
                held.setdefault(table.name, []).append((one.corpus, rows))
            summaries.append(reading.result)
    return held, summaries


def connect_to_rows(
    held: RowsByTable, options: Options, named: frozenset[str] | None = None, *, allows_files: bool = False
) -> DuckDB:
    """An engine in memory with these rows, which the caller closes.

    named: as for `load_into_memory`. allows_files: whether its SQL reaches files, for which it has a database of its
    own.
    """
    shortcuts = schemas.macros_called(schemas.all_macros() if named is None else named)
    wanted = None
    if named is not None:
        wanted = _ALWAYS_NEEDED | catalog.tables_of(named.union(*(words(one.body) for one in shortcuts)))
    engine = DuckDB(connections.connect_alone(named) if allows_files else connections.connect(named))
    connection = engine.connection
    try:
        draw_no_progress(connection)
        for table in schemas.all_tables().values():
            if held.get(table.name) and table.name != "corpora":
                register_rows(engine, table, held, options)
            elif wanted is None or table.name in wanted:
                connection.execute(table.ddl.replace("CREATE ", "CREATE TEMP ", 1))
        for corpus, rows in held.get("corpora", []):
            loading.insert_rows(engine, schemas.table("corpora"), rows, corpus, options)
        for view in schemas.all_views().values():
            if named is None or view.name in named | _ALWAYS_NEEDED:
                connection.execute(f"CREATE TEMP VIEW {quote(view.name)} AS\n{view.body}")
        for statement in schemas.statements(shortcuts, temporary=True):
            connection.execute(statement)
    except BaseException:
        engine.close()
        raise
    return engine


def register_rows(engine: DuckDB, table: schemas.Table, held: RowsByTable, options: Options) -> None:
    """Create or replace the view of a table's rows, under the table's name."""
    corpora: dict[str, list[pa.Table]] = {}
    for corpus, rows in held[table.name]:
        corpora.setdefault(corpus, []).append(rows)
    parts = []
    for corpus, pieces in corpora.items():
        rows = pa.concat_tables(pieces)
        name = _name(table.name, corpus)
        engine.connection.register(name, rows)
        parts.append(f"SELECT {loading.select_list(table, rows, options, corpus)} FROM {quote(name)}")
    view = f"CREATE OR REPLACE TEMP VIEW {quote(table.name)} AS\n" + "\nUNION ALL\n".join(parts)
    try:
        engine.connection.execute(view)
    except duckdb.CatalogException:  # a table without rows, before the first block
        engine.connection.execute(f"DROP TABLE {quote(table.name)}")
        engine.connection.execute(view)


def register_block(engine: DuckDB, held: RowsByTable, options: Options) -> None:
    """Create or replace the views of the tables of a block of rows, and fill feature_lists."""
    for name in held:
        register_rows(engine, schemas.table(name), held, options)
    if options.wants("feature_lists"):
        loading.fill_feature_lists(engine, [corpus for corpus, _ in held["words"]], options)


def hold_rows(engine: DuckDB, name: str, rows: pa.Table) -> None:
    """Create a table of rows, which is none of the schemas."""
    engine.connection.register(_HELD, rows)
    engine.connection.execute(f"CREATE TEMP TABLE {quote(name)} AS FROM {quote(_HELD)}")
    engine.connection.unregister(_HELD)


def unregister_rows(engine: DuckDB, held: RowsByTable) -> None:
    """Release registered rows; their views fail until other rows are registered."""
    for table, corpora in held.items():
        for corpus in dict.fromkeys(corpus for corpus, _ in corpora):
            engine.connection.unregister(_name(table, corpus))


def _name(table: str, corpus: str) -> str:
    return f"{table} of {corpus}"
