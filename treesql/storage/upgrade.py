"""Bring a database of an older treesql to the present tables."""

from __future__ import annotations

import duckdb

from treesql import functions, readers
from treesql.catalog import schemas
from treesql.engines.duckdb import (
    connect_file,
    drop_views_and_macros,
    has_table,
    install_views_and_macros,
    newer_message,
    schema_version,
    stamp_installation,
    transaction,
)
from treesql.errors import DatabaseError
from treesql.readers import Options
from treesql.storage import feature_lists, loading, packed_trees


def upgrade(path: str) -> tuple[int, int]:
    """Bring a database file to this treesql's tables, in one transaction; returns the version before and after.

    Columns that are new are NULL, or computed from others where schemas/ says how; what the scores of edges are is told
    from their format. Raises DatabaseError where rows are
    there and a new column must have a value: then the corpora have to be loaded again.
    """
    with connect_file(path, read_only=False, existing=True) as connection:
        before = schema_version(connection, path)
        if before > schemas.SCHEMA_VERSION:
            raise DatabaseError(newer_message(path, before))
        with transaction(connection):
            with_features = has_table(connection, "features")  # a view since version 5
            if with_features:
                connection.execute("DROP TABLE features")
            drop_views_and_macros(connection)
            connection.execute("DROP TABLE installation")
            for table in schemas.all_tables().values():
                _rebuild(connection, table, path, older=before < schemas.SCHEMA_VERSION)
            _fill_score_senses(connection)
            functions.install(connection)
            packed_trees.pack_constituents(connection)
            if with_features:
                feature_lists.fill_feature_lists(connection, loading.corpus_names(connection), Options())
            install_views_and_macros(connection)
            stamp_installation(connection)
        return before, schemas.SCHEMA_VERSION


def _fill_score_senses(connection: duckdb.DuckDBPyConnection) -> None:
    """What the scores of lattices are, which an older treesql did not keep."""
    for form in filter(readers.score_sense, readers.formats()):
        sql = "UPDATE corpora SET score_sense = ? WHERE score_sense IS NULL AND kind = 'lattice' AND format = ?"
        connection.execute(sql, [readers.score_sense(form), form])


def _rebuild(connection: duckdb.DuckDBPyConnection, table: schemas.Table, path: str, older: bool) -> None:
    """Give a table the columns, types and checks of schemas/, its rows kept; nothing where all is as it should be."""
    if not has_table(connection, table.name):
        connection.execute(table.ddl)
        return
    sql = "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ?"
    found = dict(connection.execute(sql, [table.name]).fetchall())
    if not older and found == {column.name: column.type for column in table.columns}:
        return
    values = {c.name: schemas.quote(c.name) if c.name in found else c.computed or "NULL" for c in table.columns}
    names = ", ".join(map(schemas.quote, values))
    connection.execute(f'ALTER TABLE {schemas.quote(table.name)} RENAME TO "{table.name} before upgrade"')
    connection.execute(table.ddl)
    try:
        select = f'SELECT {", ".join(values.values())} FROM "{table.name} before upgrade"'
        connection.execute(f"INSERT INTO {schemas.quote(table.name)} ({names}) {select}")
    except (duckdb.ConstraintException, duckdb.ConversionException):
        raise DatabaseError(
            f"{path}: its rows of {table.name} lack what this treesql needs; load its corpora again"
        ) from None
    connection.execute(f'DROP TABLE "{table.name} before upgrade"')
