"""Tables -> a Parquet data set: OUT/TABLE/corpus=NAME/TABLE.parquet, each file with its provenance in its metadata."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote as escape

from treesql._version import __version__
from treesql.catalog import schemas
from treesql.catalog.schemas import Table, quote
from treesql.engines.duckdb import DuckDB
from treesql.errors import UsageError

SUFFIXES = (".parquet",)
KIND = "any"

FEATURES = "feature_lists"
LONGEST_NAME = 255
"""Maximum number of bytes of the name of a folder."""


def write(engine: DuckDB, corpora: Sequence[str], out: Path) -> list[Path]:
    """Write every table that has rows of these corpora, and the features that they use; returns the files.

    Metadata of each file: `treesql` (version), `schema_version`, `table`, and `signature`, `corpus@sha256`.
    """
    written = []
    for corpus in corpora:
        for table in schemas.corpus_tables():
            path = out / table.name / _folder(corpus) / f"{table.name}.parquet"
            columns = ", ".join(quote(name) for name in table.names)
            order = [name for name in table.key if name != "corpus"]
            sql = f"SELECT {columns} FROM {quote(table.name)} WHERE corpus = {_literal(corpus)}"
            if order:
                sql += f" ORDER BY {', '.join(map(quote, order))}"
            written += _copy(engine, sql, path, table, [corpus])
    listed = ", ".join(map(_literal, corpora))
    used = " UNION ".join(
        f"SELECT {column} FROM {table} WHERE corpus IN ({listed})"
        for table in ("words", "tokens", "empty_nodes")
        for column in ("feats", "misc")
    )
    sql = (
        f"SELECT f.feats, f.name_list, f.value_list FROM feature_lists AS f WHERE f.feats IN ({used}) ORDER BY f.feats"
    )
    return written + _copy(engine, sql, out / FEATURES / f"{FEATURES}.parquet", schemas.table(FEATURES), corpora)


def _folder(corpus: str) -> str:
    """The name of a corpus's folder. Raises UsageError."""
    name = f"corpus={escape(corpus, safe='')}"
    if len(name) > LONGEST_NAME:
        raise UsageError(
            f"the name {corpus[:30]!r}... is too long for a folder of its own; load the corpus under a shorter one"
        )
    return name


def _copy(engine: DuckDB, sql: str, path: Path, table: Table, corpora: Sequence[str]) -> list[Path]:
    """Write the rows of a statement, if there are any."""
    if not engine.rows(f"SELECT 1 FROM ({sql}) AS r LIMIT 1"):
        return []
    path.parent.mkdir(parents=True)
    metadata = {
        "treesql": __version__,
        "schema_version": str(schemas.SCHEMA_VERSION),
        "table": table.name,
        "signature": "|".join(f"{name}@{_sha256(engine, name)}" for name in corpora),
    }
    pairs = ", ".join(f"{quote(key)}: {_literal(value)}" for key, value in metadata.items())
    engine.connection.execute(
        f"COPY ({sql}) TO {_literal(str(path))} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{pairs}}})"
    )
    return [path]


def _sha256(engine: DuckDB, corpus: str) -> str:
    [(sha256,)] = engine.rows("SELECT sha256 FROM corpora WHERE corpus = $corpus", {"corpus": corpus})
    return str(sha256)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
