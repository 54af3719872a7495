"""Upgrade a database of an older treesql to the current tables."""

from __future__ import annotations

from pathlib import Path

import duckdb

from treesql import readers
from treesql.catalog import schemas
from treesql.engines import manifests
from treesql.engines.connections import install_functions
from treesql.engines.duckdb import DuckDB, transaction
from treesql.engines.duckdb_files import (
    connect_file,
    drop_views_and_macros,
    has_table,
    install_views_and_macros,
    newer_message,
    schema_version,
    stamp_installation,
)
from treesql.errors import DatabaseError, UsageError
from treesql.readers import Options
from treesql.runtime.failures import convert_errors
from treesql.storage import derived_rows, loading


@convert_errors
def upgrade(db: str | Path) -> tuple[int, int]:
    """Upgrade a database file in one transaction; returns the versions of its tables before and after.

    New columns are NULL, or computed from others where schemas/ says how; senses of scores come from the formats.
    Raises DatabaseError where existing rows need a value that cannot be computed: the corpora have to be loaded again,
    as those of a folder of Parquet of an older layout have to be. Raises UsageError for a folder that needs no upgrade.
    """
    path = str(db)
    if manifests.is_folder(path):
        manifests.read_manifest(path)
        raise UsageError(f"{path}: a folder of Parquet has no upgrade, and this one needs none")
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
            install_functions(connection)
            derived_rows.fill_constituent_lists(connection)
            if with_features:
                engine = DuckDB(connection)
                loading.fill_feature_lists(engine, loading.corpus_names(engine), Options())
            install_views_and_macros(connection)
            stamp_installation(connection)
        return before, schemas.SCHEMA_VERSION


def _fill_score_senses(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the senses of the scores of lattices, which older versions did not record."""
    for form in filter(readers.score_sense, readers.formats()):
        sql = "UPDATE corpora SET score_sense = ? WHERE score_sense IS NULL AND kind = 'lattice' AND format = ?"
        connection.execute(sql, [readers.score_sense(form), form])


def _rebuild(connection: duckdb.DuckDBPyConnection, table: schemas.Table, path: str, older: bool) -> None:
    """Recreate a table with the columns, types and checks of schemas/ and its rows, unless it has them already."""
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
