"""Loading small corpora: several are read at once, and inserted in one transaction with one INSERT for each table.

Reading a file, a transaction and an INSERT take milliseconds, whatever the number of rows. Those corpora of a group
that cannot be read are left out before anything is inserted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from treesql import readers
from treesql.catalog import schemas
from treesql.engines.duckdb import DuckDB
from treesql.errors import InvalidInput, TreesqlError, UnknownName, UsageError
from treesql.readers import PARQUET, Options, State
from treesql.readers import reading as reading_of
from treesql.readers.fields import chosen
from treesql.readers.source import PACKED_ENDINGS, STANDARD_INPUT, Source
from treesql.storage import feature_lists, loading
from treesql.storage.loading import CorpusFiles, CorpusSummary, Loaded, Progress
from treesql.storage.waiting_batches import Rows

GROUP_BYTES = 1 << 20
"""Maximum size of the files of a group together. Their rows wait in memory until all are read."""

GROUP_CORPORA = 256
"""Maximum number of corpora of a group."""


@dataclass(frozen=True)
class SmallCorpus:
    """A corpus that was read: its summary, or the error that refuses it."""

    files: CorpusFiles
    summary: CorpusSummary | None = None
    error: TreesqlError | None = None


@dataclass(frozen=True)
class SmallCorpora:
    """Corpora of a group, in their order, and the rows of those that could be read, each with its corpus."""

    corpora: tuple[SmallCorpus, ...]
    rows: tuple[Rows, ...]


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
    if any(file == STANDARD_INPUT or file.endswith(PACKED_ENDINGS) or not os.path.isfile(file) for file in one.files):
        return None
    return sum(map(os.path.getsize, one.files))


def read_small(
    group: Sequence[CorpusFiles], options: Options, progress_of: Callable[[CorpusFiles], Progress]
) -> SmallCorpora:
    """Read the corpora of a group."""
    read, rows = _read_together(group, options, progress_of)
    for one in group:
        if one.corpus not in read:
            read[one.corpus], some = _read_alone(one, options, progress_of(one))
            rows += some
    return SmallCorpora(tuple(read[one.corpus] for one in group), tuple(rows))


def _read_together(
    group: Sequence[CorpusFiles], options: Options, progress_of: Callable[[CorpusFiles], Progress]
) -> tuple[dict[str, SmallCorpus], list[Rows]]:
    """Those corpora of a group, by name, whose files can be read at once: of one file each, with nothing to report."""
    sources: dict[str, Source] = {}
    texts: dict[str, bytes] = {}
    wanted = {one.files[0]: one for one in group if len(one.files) == 1 and one.form == group[0].form}
    reader = readers.reader_module(group[0].form)
    if len(wanted) < 2 or not hasattr(reader, "read_together"):
        return {}, []
    for path in wanted:
        source = Source(path)
        try:
            text = reader.text_to_join(source, options)
        except InvalidInput:  # which is reported when the file is read alone
            continue
        if text is not None:
            sources[path], texts[path] = source, text
    joined = reader.read_together(texts, options)
    if joined is None:
        return {}, []
    read = {}
    for at, path in enumerate(joined.names):
        one = wanted[path]
        n_sentences, n_words = int(joined.n_sentences[at]), int(joined.n_words[at])
        how = reading_of(one.form, options, State())
        layouts = (sources[path].layout,)
        summary = CorpusSummary(n_sentences, n_words, (sources[path].sha256,), (), how, layouts=layouts)
        read[one.corpus] = SmallCorpus(one, summary)
        progress_of(one)(len(texts[path]))
    batch = loading.without_ids(joined.rows) if options.ids == readers.NONE else joined.rows
    names = [wanted[path].corpus for path in joined.names]
    rows = [
        (schemas.table(table), pa.Table.from_batches([of_table]).append_column("corpus", chosen(names, file)))
        for table, of_table in batch.items()
        for file in [joined.file_of[table]]
    ]
    return read, rows


def _read_alone(one: CorpusFiles, options: Options, progress: Progress) -> tuple[SmallCorpus, list[Rows]]:
    rows: list[Rows] = []

    def store(table: schemas.Table, some: pa.Table, corpus: str) -> None:
        names = pa.repeat(pa.scalar(corpus, pa.string_view()), some.num_rows)
        rows.append((table, some.append_column("corpus", names)))

    try:
        summary = loading.read_corpus(one, options, store, progress)
    except (InvalidInput, UnknownName, UsageError) as error:
        return SmallCorpus(one, error=error), []
    return SmallCorpus(one, summary), rows


def insert_small(engine: DuckDB, group: SmallCorpora, left_out: Collection[str], options: Options) -> list[Loaded]:
    """Insert the corpora of a group in a transaction, into which all of them fit by their names.

    left_out: the names of those that are refused.
    """
    read = [
        (one.files, one.summary)
        for one in group.corpora
        if one.summary is not None and one.files.corpus not in left_out
    ]
    if not read:
        return []
    together: dict[tuple[str, pa.Schema], list[pa.Table]] = {}
    for table, rows in group.rows:
        together.setdefault((table.name, rows.schema), []).append(rows)
    for (name, _), parts in together.items():
        rows = pa.concat_tables(parts).combine_chunks()
        loading.insert_rows(engine, schemas.table(name), rows, None, options, left_out)
    if options.wants("feature_lists"):
        feature_lists.fill_feature_lists(engine.connection, [files.corpus for files, _ in read], options)
    loading.write_records(engine, read, options)
    return [loading.loaded_of(files, summary) for files, summary in read]
