"""Tables -> a folder of Parquet: OUT/TABLE/NAME/part-00000.parquet by blocks of sentences, and manifests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from treesql._version import __version__
from treesql.catalog import schemas
from treesql.catalog.schemas import Table, literal, quote
from treesql.engines.duckdb import DuckDB
from treesql.engines.manifests import (
    BLOCK_SENTENCES,
    FEATURES,
    MANIFESTS,
    Manifest,
    Part,
    folder_name,
    manifest_path,
    write_manifest,
)
from treesql.engines.part_files import part_name, sorted_by, write_part

SUFFIXES = (".parquet",)
KIND = "any"

_RECORD = """
SELECT c.kind, c.format, c.reading, c.sha256, c.n_sentences, c.n_words, c.loaded_at
FROM corpora AS c WHERE c.corpus = $corpus
"""


def write(engine: DuckDB, corpora: Sequence[str], out: Path) -> list[Path]:
    """Write every table that has rows of these corpora, and the features that they use; returns the files.

    Metadata of each part: `treesql` (version), `schema_version`, `table`, and `signature`, `corpus@sha256`.
    """
    written: list[Path] = []
    for corpus in corpora:
        folder_name(corpus)  # raises before anything is written
    (out / MANIFESTS).mkdir(parents=True)
    for corpus in corpora:
        parts: dict[str, tuple[Part, ...]] = {}
        for table in [*schemas.corpus_tables(), schemas.table(FEATURES)]:
            folder = out / table.name / folder_name(corpus)
            listed = _write_table(engine, table, corpus, folder)
            if listed:
                parts[table.name] = listed
                written += [folder / part.file for part in listed]
        path = manifest_path(out, corpus)
        write_manifest(path, manifest_of(engine, corpus, parts))
        written.append(path)
    return written


def manifest_of(engine: DuckDB, corpus: str, parts: dict[str, tuple[Part, ...]]) -> Manifest:
    """The manifest of a corpus with these parts, whose record is in `corpora`."""
    [(kind, form, reading, sha256, n_sentences, n_words, loaded_at)] = engine.rows(_RECORD, {"corpus": corpus})
    return Manifest(
        corpus, kind, form, reading, sha256, n_sentences, n_words, loaded_at.isoformat(), schemas.SCHEMA_VERSION,
        __version__, parts,
    )  # fmt: skip


def select_features(corpus: str, tables: Sequence[str] = ("words", "tokens", "empty_nodes")) -> str:
    """The SELECT of the rows of feature_lists that a corpus uses."""
    used = " UNION ".join(
        f"SELECT {column} FROM {table} WHERE corpus = {literal(corpus)}"
        for table in tables
        for column in ("feats", "misc")
    )
    return f"SELECT f.feats, f.name_list, f.value_list FROM {FEATURES} AS f WHERE f.feats IN ({used}) ORDER BY f.feats"


def _write_table(engine: DuckDB, table: Table, corpus: str, folder: Path) -> tuple[Part, ...]:
    """The parts of a corpus in a table: one for each block of sentences that has rows."""
    [(sha256,)] = engine.rows("SELECT sha256 FROM corpora WHERE corpus = $corpus", {"corpus": corpus})
    found = []
    for block, sql in _selects(engine, table, corpus):
        path = folder / part_name(block or 0)
        part = write_part(engine.connection, sql, path, table, f"{corpus}@{sha256}", block)
        if part is not None:
            found.append(part)
    if not found and folder.is_dir():
        folder.rmdir()
    return tuple(found)


def _selects(engine: DuckDB, table: Table, corpus: str) -> Iterator[tuple[int | None, str]]:
    """The number of each block of sentences and the SELECT of its rows; None for a table without sentences."""
    if table.name == FEATURES:
        yield None, select_features(corpus)
        return
    columns = ", ".join(quote(name) for name in table.names)
    sql = f"SELECT {columns} FROM {quote(table.name)} WHERE corpus = {literal(corpus)}"
    if "sentence" not in table.names:
        yield None, sql + sorted_by(table)
        return
    statement = f"SELECT min(t.sentence), max(t.sentence) FROM {quote(table.name)} AS t WHERE t.corpus = $corpus"
    [(first, last)] = engine.rows(statement, {"corpus": corpus})
    for block in range(
        0 if first is None else first // BLOCK_SENTENCES, -1 if last is None else last // BLOCK_SENTENCES + 1
    ):
        start = block * BLOCK_SENTENCES
        yield block, f"{sql} AND sentence BETWEEN {start} AND {start + BLOCK_SENTENCES - 1}{sorted_by(table)}"
