"""Tables -> a folder of Parquet: OUT/TABLE/NAME/part-00000.parquet by blocks of sentences, and the manifest."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from treesql.catalog import schemas
from treesql.catalog.schemas import Table, literal, quote
from treesql.engines.corpus_groups import FEATURES, TOGETHER, CorpusGroup, Entry, Part, folder_name
from treesql.engines.duckdb import DuckDB
from treesql.engines.manifests import BLOCK_SENTENCES, MANIFESTS, manifest_path, write_manifest
from treesql.engines.parquet_parts import part_name, sorted_by, write_part
from treesql.runtime import steps

SUFFIXES = (".parquet",)
KIND = "any"

MIN_TOGETHER = 16
"""Number of small corpora from which they share parts: writing a part and opening it take a millisecond each."""

MAX_TOGETHER = 256
"""Maximum number of corpora that share parts."""

MAX_ROWS_TOGETHER = BLOCK_SENTENCES
"""Maximum number of rows of such corpora in all tables."""

_RECORDS = """
SELECT c.corpus, c.kind, c.format, c.reading, c.sha256, c.n_sentences, c.n_words, c.loaded_at
FROM corpora AS c WHERE list_contains($corpora, c.corpus) ORDER BY c.loaded_at, c.corpus
"""


def write(engine: DuckDB, corpora: Sequence[str], out: Path) -> list[Path]:
    """Write every table that has rows of these corpora, and the features that they use; returns the files.

    Metadata of each part: `treesql` (version), `schema_version`, `table`, and `signature`, `corpus@sha256`.
    """
    for corpus in corpora:
        folder_name(corpus)  # raises before anything is written
    engine.check_parts()
    (out / MANIFESTS).mkdir(parents=True)
    groups = write_groups(engine, corpora, out)
    path = manifest_path(out)
    write_manifest(path, groups)
    files = [Path(path) for group in groups for table in group.parts for path in group.paths(str(out), table)]
    return [*files, path]


def write_groups(engine: DuckDB, corpora: Sequence[str], out: Path) -> list[CorpusGroup]:
    """Write the parts of corpora: many small ones share some, each of the others has its own."""
    return [write_group(engine, group, out) for group in _grouped(engine, corpora)]


def write_group(engine: DuckDB, corpora: Sequence[str], out: Path) -> CorpusGroup:
    """Write the parts of one corpus, or of several small ones that share them."""
    entries = entries_of(engine, corpora)
    parts: dict[str, tuple[Part, ...]] = {}
    for table in [*schemas.corpus_tables(), schemas.table(FEATURES)]:
        listed = (
            _write_table(engine, table, entries[0], out)
            if len(entries) == 1
            else _write_shared(engine, table, entries, out)
        )
        if listed:
            parts[table.name] = listed
    return CorpusGroup(entries, parts)


def entries_of(engine: DuckDB, corpora: Sequence[str]) -> tuple[Entry, ...]:
    """What the manifest says of corpora, whose records are in `corpora`."""
    records = engine.table(_RECORDS, {"corpora": list(corpora)}).to_pylist()
    return tuple(Entry(**{**values, "loaded_at": values["loaded_at"].isoformat()}) for values in records)


def _grouped(engine: DuckDB, corpora: Sequence[str]) -> list[list[str]]:
    """Corpora in the groups that they are written in: several small ones together, each of the others alone."""
    counted = " UNION ALL ".join(
        f"SELECT t.corpus, count(*) AS n FROM {quote(table.name)} AS t GROUP BY t.corpus"
        for table in schemas.corpus_tables()
    )
    rows = dict(engine.rows(f"SELECT t.corpus, sum(t.n) FROM ({counted}) AS t GROUP BY t.corpus"))
    small = [corpus for corpus in corpora if rows[corpus] <= MAX_ROWS_TOGETHER]
    groups: list[list[str]] = [[corpus] for corpus in corpora if rows[corpus] > MAX_ROWS_TOGETHER]
    if len(small) < MIN_TOGETHER:
        return [[corpus] for corpus in corpora]
    n_rows = MAX_ROWS_TOGETHER + 1
    for corpus in small:
        if n_rows + rows[corpus] > MAX_ROWS_TOGETHER or len(groups[-1]) == MAX_TOGETHER:
            groups.append([])
            n_rows = 0
        groups[-1].append(corpus)
        n_rows += rows[corpus]
    return groups


def _select_features(corpora: Sequence[str]) -> str:
    """The SELECT of the rows of feature_lists that corpora use."""
    used = " UNION ".join(
        f"SELECT {column} FROM {table} WHERE corpus IN ({', '.join(map(literal, corpora))})"
        for table in ("words", "tokens", "empty_nodes")
        for column in ("feats", "misc")
    )
    return f"SELECT f.feats, f.name_list, f.value_list FROM {FEATURES} AS f WHERE f.feats IN ({used}) ORDER BY f.feats"


def _write_table(engine: DuckDB, table: Table, entry: Entry, out: Path) -> tuple[Part, ...]:
    """The parts of a corpus in a table: one for each block of sentences that has rows."""
    folder = out / table.name / folder_name(entry.corpus)
    parts = []
    for block, sql in steps.each(list(_selects(engine, table, entry.corpus)), f"parts of {table.name}"):
        path = folder / part_name(block or 0)
        part = write_part(engine.connection, sql, path, table, f"{entry.corpus}@{entry.sha256}", sentences_of(block))
        if part is not None:
            parts.append(part)
    if not parts and folder.is_dir():
        folder.rmdir()
    return tuple(parts)


def sentences_of(block: int | None) -> range | None:
    """The sentences of a block, by its number; None for a table without sentences."""
    return None if block is None else range(block * BLOCK_SENTENCES, (block + 1) * BLOCK_SENTENCES)


def _write_shared(engine: DuckDB, table: Table, entries: Sequence[Entry], out: Path) -> tuple[Part, ...]:
    """The part of several corpora in a table, if they have rows there. Its name is that of no other group."""
    corpora = [entry.corpus for entry in entries]
    path = out / table.name / TOGETHER / f"part-{os.urandom(4).hex()}.parquet"
    columns = ", ".join(map(quote, table.names))
    chosen = f"corpus IN ({', '.join(map(literal, corpora))})"
    sql = f"SELECT {columns} FROM {quote(table.name)} WHERE {chosen} ORDER BY {', '.join(map(quote, table.key))}"
    sentences = range(max(entry.n_sentences for entry in entries)) if "sentence" in table.names else None
    if table.name == FEATURES:
        sql = _select_features(corpora)
    part = write_part(engine.connection, sql, path, table, CorpusGroup(tuple(entries), {}).signature, sentences)
    return () if part is None else (part,)


def _selects(engine: DuckDB, table: Table, corpus: str) -> Iterator[tuple[int | None, str]]:
    """The number of each block of sentences and the SELECT of its rows; None for a table without sentences."""
    if table.name == FEATURES:
        yield None, _select_features([corpus])
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
