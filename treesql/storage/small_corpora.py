"""Loading small corpora: several in one transaction, with one INSERT for each table.

A transaction and an INSERT take milliseconds, whatever the number of rows. Those corpora of a group that cannot be read
are left out before anything is inserted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from treesql.catalog import schemas
from treesql.engines.duckdb import DuckDB
from treesql.errors import InvalidInput, TreesqlError, UnknownName, UsageError
from treesql.readers import PARQUET, Options, packing
from treesql.readers.source import STANDARD_INPUT
from treesql.storage import feature_lists, loading
from treesql.storage.loading import CorpusFiles, CorpusSummary, Loaded, Progress, Rows

GROUP_BYTES = 1 << 20
"""Maximum size of the files of a group together. Their rows wait in memory until all are read."""

GROUP_CORPORA = 256
"""Maximum number of corpora of a group."""


@dataclass(frozen=True)
class SmallCorpus:
    """A corpus that was read: its rows and summary, or the error that refuses it."""

    files: CorpusFiles
    rows: tuple[Rows, ...] = ()
    summary: CorpusSummary | None = None
    error: TreesqlError | None = None


def in_groups(corpora: Iterable[CorpusFiles]) -> Iterator[tuple[CorpusFiles, ...]]:
    """Corpora in groups, in their order: small ones together, each of the others alone."""
    group: list[CorpusFiles] = []
    size = 0
    for one in corpora:
        n_bytes = _bytes_of(one)
        if n_bytes is None or size + n_bytes > GROUP_BYTES or len(group) == GROUP_CORPORA:
            if group:
                yield tuple(group)
            group, size = [], 0
        if n_bytes is None or n_bytes > GROUP_BYTES:
            yield (one,)
            continue
        group.append(one)
        size += n_bytes
    if group:
        yield tuple(group)


def _bytes_of(one: CorpusFiles) -> int | None:
    """The size of the files of a corpus; None where it is loaded alone: it needs others, is compressed, or no file."""
    if one.form == PARQUET or loading.linked_corpora(one):
        return None
    if any(file == STANDARD_INPUT or file.endswith(packing.ENDINGS) or not os.path.isfile(file) for file in one.files):
        return None
    return sum(map(os.path.getsize, one.files))


def read_small(
    group: Sequence[CorpusFiles], options: Options, progress_of: Callable[[CorpusFiles], Progress]
) -> list[SmallCorpus]:
    """Read the corpora of a group."""
    return [_read(one, options, progress_of(one)) for one in group]


def _read(one: CorpusFiles, options: Options, progress: Progress) -> SmallCorpus:
    rows: list[Rows] = []
    try:
        summary = loading.read_corpus(one, options, lambda table, some, _: rows.append((table, some)), progress)
    except (InvalidInput, UnknownName, UsageError) as error:
        return SmallCorpus(one, error=error)
    return SmallCorpus(one, tuple(rows), summary)


def insert_small(engine: DuckDB, group: Sequence[SmallCorpus], options: Options) -> list[Loaded]:
    """Insert the corpora of a group that could be read, in a transaction, into which all of them fit by their names."""
    read = [(one.files, one.summary) for one in group if one.summary is not None]
    if not read:
        return []
    together: dict[tuple[str, pa.Schema], list[pa.Table]] = {}
    for one in group:
        for table, rows in one.rows:
            names = pa.repeat(pa.scalar(one.files.corpus, pa.string_view()), rows.num_rows)
            together.setdefault((table.name, rows.schema), []).append(rows.append_column("corpus", names))
    for (name, _), parts in together.items():
        rows = pa.concat_tables(parts).combine_chunks()
        loading.insert_rows(engine, schemas.table(name), rows, None, options)
    if options.wants("feature_lists"):
        feature_lists.fill_feature_lists(engine.connection, [files.corpus for files, _ in read], options)
    loading.write_records(engine, read, options)
    return [loading.loaded_of(files, summary) for files, summary in read]
