"""Files -> rows -> tables of DuckDB: corpora that were planned, each whole or not at all, or all in one transaction.

Files are read ahead in threads, and one thread writes. Small corpora are read together, and inserted in one transaction
with one INSERT for each table: a file, a transaction and an INSERT take milliseconds, whatever the number of rows. What
stays of a load that fails or is interrupted is whole corpora, in the order of the plan.

Or the corpora stay in memory: Arrow tables registered as views under the names of the tables. Nothing is copied,
compressed or checked again then; computed columns are computed where a query reads them. A view is planned anew
wherever a statement names it, so few rows of a task are copied into temporary tables of a connection that is lent.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from operator import attrgetter
from typing import Any, NoReturn

import duckdb
import pyarrow as pa

from treesql import catalog, readers
from treesql._version import __version__
from treesql.catalog import schemas
from treesql.catalog.queries import CORPORA_OF_WORDS, JOINED_BY_ID
from treesql.catalog.schemas import literal, quote
from treesql.catalog.sql_text import words
from treesql.engines import Engine, connections
from treesql.engines.connections import MEMORY, draw_no_progress
from treesql.engines.duckdb import (
    WORDS_OF_LINES,
    DuckDB,
    delete_pairs,
    many_inserts,
    memory_setting,
    release_blocks,
    transaction,
)
from treesql.engines.duckdb_files import open_database, open_or_make
from treesql.errors import Diagnostic, InvalidCorpora, InvalidInput, TreesqlError, UnknownName, UsageError, Warn, plural
from treesql.readers import ALIGNMENT, GROUP_BYTES, GROUP_FILES, LATTICE, NBEST, PARQUET, TEXT, Options, State
from treesql.readers import reading as reading_of
from treesql.readers.fields import chosen
from treesql.readers.frames import Frames
from treesql.readers.source import (
    PACKED_ENDINGS,
    STANDARD_INPUT,
    Content,
    FileLayout,
    Source,
    is_readable_file,
    size_of,
    stored_layouts,
)
from treesql.runtime import atomic_files, failures, interrupts, steps
from treesql.runtime.read_ahead import Production, in_threads, put_all
from treesql.runtime.threads import n_cores
from treesql.storage import data_sets, frames, link_checks
from treesql.storage.corpus_plans import CorpusFiles, CorpusPlan

MAX_THREADS = 4
"""Maximum number of files that are read at a time. Writing takes longer than reading, so more would wait."""

ROWS_WAITING = 6
"""Maximum number of Arrow tables of a corpus that wait for an INSERT: about one for each table of the schema."""

ROWS_AT_ONCE = 122_880
"""Rows of one INSERT: a row group of DuckDB."""

MIN_ROWS_OF_CHUNK = 2048
"""Mean number of rows of the chunks of an Arrow table below which they are joined: a vector of DuckDB."""

Progress = Callable[[int], object]
"""Called with the number of bytes read since the last call."""

Rows = tuple[schemas.Table, pa.Table]
"""Rows of a table."""


@dataclass(frozen=True)
class Loaded:
    """A corpus that was loaded."""

    corpus: str
    n_sentences: int
    n_words: int
    warnings: tuple[Diagnostic, ...]
    n_links: int | None = None
    """Number of links of an alignment, None of other corpora."""
    n_edges: int | None = None
    """Number of edges of lattices, None of other corpora."""
    n_hypotheses: int | None = None
    """Number of hypotheses of n-best lists, None of other corpora."""


def warn_once(warn: Warn, corpora: Iterable[Loaded | CorpusSummary]) -> None:
    """Warn of what is wrong with corpora, once of each: a file may be read twice, as gold and as a system."""
    for warning in {str(warning): warning for corpus in corpora for warning in corpus.warnings}.values():
        warn(warning)


@dataclass(frozen=True)
class CorpusSummary:
    """What was read of a corpus: its size, the digests of its files, and warnings.

    how: the options that changed its rows, as in `corpora.reading`; layouts: of its files. record: columns of `corpora`
    that say something else of it than of files.
    """

    n_sentences: int
    n_words: int
    digests: tuple[str, ...]
    warnings: tuple[Diagnostic, ...]
    how: str
    n_links: int = 0
    n_edges: int = 0
    n_hypotheses: int = 0
    layouts: tuple[FileLayout, ...] = ()
    record: Mapping[str, object] | None = None


Files = tuple[CorpusFiles, ...]
"""Those of one corpus, or of several small ones."""


class Direct:
    """Work without a thread, done as its items are used: for small files, and what may wait for ever, as a terminal."""

    def __init__(self, work: Generator[Any, None, Any]) -> None:
        self._work = work
        self.result: Any = None
        """What the work has returned, once all its items were used."""

    def items(self) -> Iterator[Any]:
        """The items, as they come. Raises what the work raises."""
        self.result = yield from self._work


Reading = Production[Any, Any] | Direct
"""Yields the rows of one corpus, table by table; once the `SmallCorpora` of a group."""


def load_into_engine(
    engine: DuckDB, plan: CorpusPlan, options: Options, *, replace: bool = False, progress: Progress | None = None
) -> list[Loaded]:
    """Load planned corpora into a database that is open, together or each whole or not at all.

    Raises the error of a single corpus, or of those that are loaded together, when nothing has changed; InvalidCorpora
    once the others are loaded. Other errors and KeyboardInterrupt have a note of which were loaded.
    """
    loads = CorpusLoads(plan.corpora, options, replace, progress)
    return loads.load_together(engine) if plan.together else loads.load_each(engine)


def load_into_file(
    path: str, plan: CorpusPlan, options: Options, *, replace: bool = False, progress: Progress | None = None
) -> list[Loaded]:
    """Load planned corpora into a database file, which is made with the first of them that can be loaded.

    Raises as `load_into_engine` does, and DatabaseError.
    """
    loads = CorpusLoads(plan.corpora, options, replace, progress)
    if plan.together:
        with open_or_make(path) as engine:
            loads.begin_alone(engine)
            return loads.load_together(engine)
    if path == MEMORY or os.path.lexists(path):
        with open_database(path) as engine:
            return loads.load_each(engine, alone=True)
    with loads.reading(in_groups(plan.corpora)) as readings:
        with open_or_make(path) as engine, many_inserts(engine.connection):
            loads.begin_alone(engine)
            if not any(loads.load_group(engine, group, reading) for group, reading in readings):
                loads.raise_refused()
        with open_database(path) as engine:
            loads.load_groups(engine, readings, alone=True)
    return loads.result()


class CorpusLoads:
    """Corpora that are loaded one after the other, into tables here: which were loaded, and which were refused.

    rows_waiting: maximum number of Arrow tables of a corpus that wait to be written.
    """

    rows_waiting = ROWS_WAITING

    def __init__(
        self, corpora: Sequence[CorpusFiles], options: Options, replace: bool, progress: Progress | None
    ) -> None:
        self._corpora, self._options, self._replace = corpora, options, replace
        self._loaded: list[Loaded] = []
        self._refused: dict[str, TreesqlError] = {}
        self._replaced = False
        self._bytes = _BytesRead(progress)
        self._limit = ""

    def begin_alone(self, engine: DuckDB) -> None:
        """Note that nothing else uses a database, whose blocks are released as corpora are loaded."""
        self._limit = memory_setting(engine.connection)

    def load_together(self, engine: DuckDB) -> list[Loaded]:
        """Load all corpora, or none. Raises the first error."""
        with many_inserts(engine.connection), transaction(engine.connection):
            for corpus in self._corpora:
                self._make_room(engine, corpus, corpus_names(engine))
            with self.reading([(corpus,) for corpus in self._corpora]) as readings:
                loaded = [self.insert(engine, corpus, reading) for (corpus,), reading in readings]
            check_stored_links(engine, self._corpora)
            if self._replaced:
                delete_unused_features(engine)
        return loaded

    def load_each(self, engine: DuckDB, *, alone: bool = False) -> list[Loaded]:
        """Load each corpus whole or not at all. Raises the errors of those that were refused.

        alone: whether nothing else uses the database meanwhile, which takes less memory.
        """
        taken = set() if self._replace else set(self.names(engine))
        for corpus in self._corpora:
            if corpus.corpus in taken:
                self.refuse(corpus, exists_already(corpus.corpus))
        with self.reading(in_groups(corpus for corpus in self._corpora if corpus.corpus not in taken)) as readings:
            self.load_groups(engine, readings, alone=alone)
        return self.result()

    def names(self, engine: DuckDB) -> Collection[str]:
        """The corpora that are there."""
        return corpus_names(engine)

    @contextmanager
    def reading(self, groups: Iterable[Files]) -> Iterator[Iterator[tuple[Files, Reading]]]:
        """Yield an iterator of groups of corpora and what threads have read of them. Standard input is read by none,
        as it may wait for ever.

        Errors of the block, and the report where the process is ended in it, get a note of what was loaded.
        """
        groups = list(groups)
        try:
            with interrupts.noting(self._progress_in_words):
                if any(STANDARD_INPUT in corpus.files for group in groups for corpus in group):
                    yield ((group, Direct(self._rows_of(group[0]))) for group in groups)
                    return
                threads = min(MAX_THREADS, n_cores())
                with in_threads(map(self._work, groups), threads=threads, waiting=self.rows_waiting) as readings:
                    yield zip(groups, readings, strict=True)
        except BaseException as error:
            known_error = failures.as_treesql_error(error) or error
            if (note := self._progress_in_words()) and not isinstance(known_error, atomic_files.NotKept):
                known_error.add_note(note)
            if known_error is error:
                raise
            raise known_error from error

    def _work(self, group: Files) -> Callable[[Callable[[Any], object]], Any]:
        if len(group) > 1:
            return lambda put: put(read_small(group, self._options, self._bytes.of))
        return partial(put_all, self._rows_of(group[0]))

    def _rows_of(self, corpus: CorpusFiles) -> Generator[Rows, None, CorpusSummary]:
        return rows_of_corpus(corpus, self._options, self._bytes.of(corpus))

    def load_groups(self, engine: DuckDB, readings: Iterable[tuple[Files, Reading]], *, alone: bool) -> None:
        """Load the corpora that are left. alone: as for `load_each`."""
        if alone:
            self.begin_alone(engine)
        with many_inserts(engine.connection):
            for group, reading in readings:
                self.load_group(engine, group, reading)
                self._release_blocks(engine)
            if self._replaced:
                with transaction(engine.connection):
                    delete_unused_features(engine)

    def load_group(self, engine: DuckDB, group: Files, reading: Reading) -> bool:
        """Load one corpus, or a group of small ones, and return whether some were not refused."""
        interrupts.resume()
        if len(group) > 1:
            loaded = self.load_small(engine, reading)
        else:
            try:
                loaded = [self.load_one(engine, group[0], reading)]
            except (InvalidInput, UnknownName, UsageError) as error:
                self.refuse(group[0], error)
                return False
        self._loaded += loaded
        return bool(loaded)

    def load_one(self, engine: DuckDB, corpus: CorpusFiles, reading: Reading) -> Loaded:
        """Load a corpus in one transaction. Raises InvalidInput, UnknownName, UsageError."""
        with transaction(engine.connection):
            self._make_room(engine, corpus, corpus_names(engine))
            return self.insert(engine, corpus, reading)

    def load_small(self, engine: DuckDB, reading: Reading) -> list[Loaded]:
        """Load a group of corpora in one transaction, without those that are refused."""
        with transaction(engine.connection):
            return self.insert_group(engine, reading, set(corpus_names(engine)))

    def insert(self, engine: DuckDB, corpus: CorpusFiles, reading: Reading) -> Loaded:
        """Insert the rows of a corpus, in a transaction. Raises InvalidInput, UnknownName."""
        for table, rows in reading.items():
            insert_rows(engine, table, rows, corpus.corpus, self._options)
            self._bytes.report()
            self._release_blocks(engine)
        [loaded] = finish_corpora(engine, [(corpus, reading.result)], self._options)
        return loaded

    def _release_blocks(self, engine: DuckDB) -> None:
        if self._limit:
            release_blocks(engine.connection, self._limit)

    def insert_group(self, engine: DuckDB, reading: Reading, taken: Collection[str]) -> list[Loaded]:
        """Insert a group of corpora into tables, but those that are refused. taken: names of corpora that are there."""
        [group] = reading.items()
        self._bytes.report()
        for corpus in group.corpora:
            try:
                if isinstance(summary := group.found[corpus.corpus], TreesqlError):
                    raise summary
                self._make_room(engine, corpus, taken)
            except (InvalidInput, UnknownName, UsageError) as error:
                self.refuse(corpus, error)
        return insert_small(engine, group, self._refused.keys(), self._options)

    def _make_room(self, engine: DuckDB, corpus: CorpusFiles, names: Collection[str]) -> None:
        """Delete the corpus that another one replaces, in a transaction. Raises UsageError, UnknownName."""
        check_room(corpus, names, replaces=self._replace)
        if corpus.corpus in names:
            _delete(engine, corpus.corpus)
            self._replaced = True

    def refuse(self, corpus: CorpusFiles, error: TreesqlError) -> None:
        """Go on without a corpus."""
        self._refused[corpus.corpus] = error
        self._bytes.leave_out(corpus)

    def result(self) -> list[Loaded]:
        """The corpora that were loaded. Raises the errors of the others."""
        if self._refused:
            self.raise_refused()
        return self._loaded

    def raise_refused(self) -> NoReturn:
        """Raise the error of a single corpus, InvalidCorpora of several."""
        if len(self._corpora) == 1:
            raise self._refused[self._corpora[0].corpus]
        in_order = {
            corpus.corpus: self._refused[corpus.corpus] for corpus in self._corpora if corpus.corpus in self._refused
        }
        raise InvalidCorpora(in_order, self._loaded)

    def _progress_in_words(self) -> str:
        """How many corpora were loaded; empty if none was."""
        if not self._loaded:
            return ""
        n_loaded, n = len(self._loaded), len(self._corpora)
        verb = plural(n_loaded, "was", "were")
        return f"{n_loaded} of {n} corpora {verb} loaded, the last one is {self._loaded[-1].corpus!r}"


class _BytesRead:
    """The bytes that threads have read, reported by the thread that writes."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._waiting: deque[tuple[str, int]] = deque()
        self._read: Counter[str] = Counter()
        self._left_out: set[str] = set()

    def of(self, corpus: CorpusFiles) -> Progress:
        """What the thread that reads a corpus calls."""
        return lambda n_bytes: self._waiting.append((corpus.corpus, n_bytes))

    def report(self) -> None:
        """Report the bytes that were read since the last call."""
        if self._progress is None:
            return
        n_new = 0
        while self._waiting:
            corpus, n_bytes = self._waiting.popleft()
            if corpus not in self._left_out:
                self._read[corpus] += n_bytes
                n_new += n_bytes
        self._progress(n_new)

    def leave_out(self, corpus: CorpusFiles) -> None:
        """Report all the bytes of a corpus that is not read to the end."""
        self.report()
        self._left_out.add(corpus.corpus)
        if self._progress is not None:
            n_bytes = sum(map(size_of, corpus.files))
            self._progress(max(n_bytes - self._read[corpus.corpus], 0))


def rows_of_corpus(
    wanted: CorpusFiles, options: Options, progress: Progress | None = None
) -> Generator[Rows, None, CorpusSummary]:
    """The rows of a corpus, table by table; returns its summary. Raises InvalidInput with the faults of all its files.

    Rows of several chunks, and of several files, come together, as many as are worth an INSERT.
    """
    reading = Direct(batches_of_corpus(wanted, options, state_of(wanted), progress))
    yield from _worth_an_insert(reading.items())
    summary: CorpusSummary = reading.result
    return summary


def state_of(wanted: CorpusFiles) -> State:
    """The state of reading a corpus before its first file."""
    return State(warnings=wanted.find_misnamed(), stored_corpus=wanted.shared_name)


def batches_of_corpus(
    wanted: CorpusFiles, options: Options, state: State, progress: Progress | None = None
) -> Generator[readers.Batch, None, CorpusSummary]:
    """The rows of a corpus as its readers yield them; returns its summary. Raises as `rows_of_corpus` does.

    state: from `state_of`. Once its number of sentences has changed, the rows of all sentences that it counted before
    have been yielded.
    """
    options = options_of(wanted, options)
    faults = [] if wanted.stored is None else wanted.stored.find_damage()
    if faults:
        raise InvalidInput(faults)
    counts: Counter[str] = Counter()
    digests: list[str] = []
    record: dict[str, object] = {}
    if wanted.form == PARQUET:
        for batch in data_sets.rows_of_data_set(wanted.files, state, options):
            counts.update({name: rows.num_rows for name, rows in batch.items()})
            yield batch
    framed = [path for path in wanted.files if isinstance(path, Frames)]
    for path in framed:
        tables = frames.rows_of_frames(path, state, options)
        counts.update({name: rows.num_rows for name, rows in tables.items()})
        record.update(frames.record_of(path, tables, state, options))
        digests.append(path.sha256)
        yield from ({name: batch} for name in tables for batch in data_sets.wanted_rows(name, tables[name], options))
    files = () if framed or wanted.form == PARQUET else wanted.files
    for sources, batches in readers.read_files(files, wanted.form, state, options, progress):
        try:
            for batch in batches:
                counts.update({name: rows.num_rows for name, rows in batch.items()})
                if not faults:
                    yield without_ids(batch) if options.ids == readers.NONE else batch
        except InvalidInput as error:
            faults.extend(error.faults)
        digests += [source.sha256 for source in sources]
    if faults:
        raise InvalidInput(faults)
    readers.check_corpus(wanted.form, wanted.files[0], state)
    return CorpusSummary(
        state.sentences,
        counts["words"],
        tuple(digests),
        tuple(state.warnings),
        reading_of(wanted.form, options, state),
        counts["alignments"],
        counts["lattice_edges"],
        counts["hypotheses"],
        tuple(state.layouts),
        record,
    )


def _worth_an_insert(batches: Iterable[readers.Batch]) -> Iterator[Rows]:
    """Rows of as many batches of the same columns as fill a row group: an INSERT for every chunk or file is slower."""
    waiting: list[readers.Batch] = []
    n_rows = 0
    for batch in batches:
        if waiting and (n_rows >= ROWS_AT_ONCE or _columns(batch) != _columns(waiting[-1])):
            yield from _joined(waiting)
            waiting, n_rows = [], 0
        waiting.append(batch)
        n_rows += max(rows.num_rows for rows in batch.values())
    yield from _joined(waiting)


def _joined(batches: Sequence[readers.Batch]) -> Iterator[Rows]:
    """The rows of batches, table by table."""
    for name in batches[0] if batches else ():
        rows = pa.Table.from_batches([batch[name] for batch in batches])
        few = rows.num_rows < MIN_ROWS_OF_CHUNK * len(batches)
        yield schemas.table(name), rows.combine_chunks() if few else rows


def _columns(batch: readers.Batch) -> list[tuple[str, pa.Schema]]:
    return [(name, rows.schema) for name, rows in batch.items()]


def without_ids(batch: readers.Batch) -> readers.Batch:
    """Rows by table, of which those of sentences are without their ids."""
    sentences = batch.get("sentences")
    if sentences is None or "sent_id" not in sentences.schema.names:
        return batch
    return {**batch, "sentences": sentences.drop_columns(["sent_id"])}


def options_of(wanted: CorpusFiles, options: Options) -> Options:
    """The options of reading with the notation of links and the segments of a corpus, where it has its own."""
    if wanted.segments is not None:
        options = replace(options, segments=wanted.segments)
    return options if wanted.notation is None else replace(options, notation=wanted.notation)


@dataclass(frozen=True)
class SmallCorpora:
    """Corpora of a group that were read together. found: by name, what was read of each, or the error that refuses it;
    rows: of those that could be read, each with its corpus.
    """

    corpora: Files
    found: Mapping[str, CorpusSummary | TreesqlError]
    rows: Sequence[Rows]


def in_groups(corpora: Iterable[CorpusFiles]) -> Iterator[Files]:
    """Corpora in groups, in their order: small ones together, each of the others alone."""
    group: list[CorpusFiles] = []
    size = 0
    for corpus in corpora:
        n_bytes = _bytes_of(corpus)
        if n_bytes is None or size + n_bytes > GROUP_BYTES or len(group) == GROUP_FILES:
            if group:
                yield tuple(group)
            group, size = [], 0
        if n_bytes is None or n_bytes > GROUP_BYTES:
            yield (corpus,)
            continue
        group.append(corpus)
        size += n_bytes
    if group:
        yield tuple(group)


def _bytes_of(corpus: CorpusFiles) -> int | None:
    """The size of the files of a corpus; None where it is loaded alone: it needs others, is compressed, or no file."""
    if corpus.form == PARQUET or corpus.linked or corpus.is_framed:
        return None
    if not all(is_readable_file(file) and not file.endswith(PACKED_ENDINGS) for file in corpus.files):
        return None
    return sum(map(size_of, corpus.files))


def read_small(group: Files, options: Options, progress_of: Callable[[CorpusFiles], Progress]) -> SmallCorpora:
    """Read the corpora of a group: those at once whose files can be, the others one by one."""
    summaries, rows = _read_together(group, options, progress_of)
    for corpus in group:
        if corpus.corpus in summaries:
            continue
        reading = Direct(rows_of_corpus(corpus, options, progress_of(corpus)))
        try:
            corpus_rows = [(table, _with_corpus(some, corpus.corpus)) for table, some in reading.items()]
            summaries[corpus.corpus] = reading.result
        except (InvalidInput, UnknownName, UsageError) as error:
            summaries[corpus.corpus] = error
        else:
            rows += corpus_rows
    return SmallCorpora(group, summaries, rows)


def _with_corpus(rows: pa.Table, corpus: str) -> pa.Table:
    """Rows of a reader with the name of their corpus."""
    return rows.append_column("corpus", pa.repeat(pa.scalar(corpus, pa.string_view()), len(rows)))


def _read_together(
    group: Files, options: Options, progress_of: Callable[[CorpusFiles], Progress]
) -> tuple[dict[str, CorpusSummary | TreesqlError], list[Rows]]:
    """Those corpora of a group, by name, whose files can be read at once: of one file each, with nothing to report."""
    sources: dict[str, Source] = {}
    texts: dict[str, bytes] = {}
    wanted = {corpus.files[0]: corpus for corpus in group if len(corpus.files) == 1 and corpus.form == group[0].form}
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
    summaries: dict[str, CorpusSummary | TreesqlError] = {}
    reading = reading_of(group[0].form, options, State())
    for path, n_sentences, n_words in zip(joined.names, joined.n_sentences, joined.n_words, strict=True):
        source, corpus = sources[path], wanted[path]
        summaries[corpus.corpus] = CorpusSummary(
            int(n_sentences),
            int(n_words),
            (source.sha256,),
            tuple(corpus.find_misnamed()),
            reading,
            layouts=(source.layout,),
        )
        progress_of(corpus)(len(texts[path]))
    names = [wanted[path].corpus for path in joined.names]
    batch = without_ids(joined.rows) if options.ids == readers.NONE else joined.rows
    return summaries, [
        (schemas.table(table), pa.Table.from_batches([rows]).append_column("corpus", chosen(names, file)))
        for table, rows in batch.items()
        for file in [joined.file_of[table]]
    ]


def insert_small(engine: DuckDB, group: SmallCorpora, left_out: Collection[str], options: Options) -> list[Loaded]:
    """Insert the corpora of a group in a transaction, into which all of them fit by their names.

    left_out: the names of those that are refused.
    """
    read = [
        (corpus, summary)
        for corpus in group.corpora
        if isinstance(summary := group.found[corpus.corpus], CorpusSummary) and corpus.corpus not in left_out
    ]
    if not read:
        return []
    together: dict[tuple[str, pa.Schema], list[pa.Table]] = {}
    for table, rows in group.rows:
        together.setdefault((table.name, rows.schema), []).append(rows)
    for (name, _), parts in together.items():
        rows = pa.concat_tables(parts).combine_chunks()
        insert_rows(engine, schemas.table(name), rows, None, options, left_out)
    return finish_corpora(engine, read, options)


def insert_rows(
    engine: DuckDB,
    table: schemas.Table,
    rows: pa.Table,
    corpus: str | None,
    options: Options,
    left_out: Collection[str] = (),
) -> None:
    """Add rows of a corpus to a table and fill its computed columns.

    corpus: None where the rows name theirs, of which those `left_out` are not added.
    """
    if not rows.num_rows:
        return
    if engine.is_small:
        add_rows(engine, table, [(corpus, rows)], options)
        return
    # Not a registered view: DuckDB would keep its rows in memory until the transaction ends.
    relation = engine.connection.from_arrow(rows)
    if left_out:
        names = map(duckdb.ConstantExpression, sorted(left_out))
        relation = relation.filter(duckdb.ColumnExpression("corpus").isnotin(*names))
    relation.project(select_list(table, rows, options, corpus)).insert_into(table.name)


def select_list(table: schemas.Table, rows: pa.Table, options: Options, corpus: str | None) -> str:
    """SQL for the columns of a table, each from the rows, from other columns, or NULL. corpus: as for `insert_rows`."""
    values = _values(table, rows, options)
    if corpus is not None:
        values[table.identifiers["corpus"]] = literal(corpus)
    columns = ((table.identifiers[column.name], column.type) for column in table.columns)
    return ", ".join(f"{values.get(name, f'CAST(NULL AS {kind})')} AS {name}" for name, kind in columns)


def _values(table: schemas.Table, rows: pa.Table, options: Options) -> dict[str, str]:
    """SQL for those columns of a table that rows have, or that are computed from them, by their identifiers."""
    values, names, identifiers = {}, frozenset(rows.schema.names), table.identifiers
    for column in table.columns:
        if column.name in names:
            values[identifiers[column.name]] = identifiers[column.name]
        elif column.computed and options.wants(table.name, column.name):
            values[identifiers[column.name]] = column.computed
    return values


def finish_corpora(engine: DuckDB, read: Sequence[tuple[CorpusFiles, CorpusSummary]], options: Options) -> list[Loaded]:
    """Fill feature_lists, write the records of corpora that were read, and check their links. Raises InvalidInput."""
    if options.wants("feature_lists"):
        fill_feature_lists(engine, [wanted.corpus for wanted, _ in read], options)
    write_records(engine, [corpus for corpus in read if corpus[0].form != PARQUET], options)
    for wanted, _ in read:
        if wanted.notation is not None and wanted.linked:
            source, target = wanted.notation.source_corpus, wanted.notation.target_corpus
            others = link_checks.other_readings(wanted.form, wanted.notation)
            link_checks.check_links(engine, wanted.corpus, source, target, others)
    return [_loaded(wanted, summary) for wanted, summary in read]


def _loaded(wanted: CorpusFiles, summary: CorpusSummary) -> Loaded:
    n_links = summary.n_links if wanted.kind == ALIGNMENT else None
    n_edges = summary.n_edges if wanted.kind == LATTICE else None
    n_hypotheses = summary.n_hypotheses if wanted.kind == NBEST else None
    return Loaded(wanted.corpus, summary.n_sentences, summary.n_words, summary.warnings, n_links, n_edges, n_hypotheses)


def check_stored_links(engine: Engine, corpora: Iterable[CorpusFiles]) -> None:
    """Check the links of alignments from data sets against the corpora that they name, as far as these are loaded.

    Raises InvalidInput where links lie outside of their sentences.
    """
    for corpus in corpora:
        if corpus.form == PARQUET:
            source, target = link_checks.linked_texts(engine, corpus.corpus)
            if source is not None or target is not None:
                link_checks.check_links(engine, corpus.corpus, source, target, {})


def write_records(engine: DuckDB, read: Sequence[tuple[CorpusFiles, CorpusSummary]], options: Options) -> None:
    """Write the rows of `corpora` of corpora that were read, in their order."""
    records = _records_of(read, options)

    def insert() -> None:
        insert_rows(engine, schemas.table("corpora"), _as_rows(records), None, Options())

    if engine.is_small:
        engine.records += records
        engine.insert_when_read("corpora", insert)
    else:
        insert()


def records_of(read: Sequence[tuple[CorpusFiles, CorpusSummary]], options: Options) -> pa.Table:
    """The rows of `corpora` of corpora that were read, in their order."""
    return _as_rows(_records_of(read, options))


def _as_rows(records: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(records, schema=schemas.table("corpora").arrow_schema())


def _records_of(read: Sequence[tuple[CorpusFiles, CorpusSummary]], options: Options) -> list[dict[str, Any]]:
    now = datetime.now(UTC).replace(tzinfo=None)
    return [
        {**_record_of(wanted, options, summary), "loaded_at": now + at * timedelta.resolution}
        for at, (wanted, summary) in enumerate(read)
    ]


def _record_of(wanted: CorpusFiles, options: Options, summary: CorpusSummary) -> dict[str, object]:
    """The row of `corpora` of a corpus, without the time."""
    digests = summary.digests
    whole = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    return {
        "corpus": wanted.corpus,
        "kind": wanted.kind,
        "treebank": wanted.treebank,
        "language": wanted.language,
        "format": wanted.form,
        "reading": summary.how,
        "score_sense": readers.score_sense(
            wanted.form, options.scores if readers.formats()[wanted.form].score_senses else None
        ),
        "files": [
            {"path": path.origin if isinstance(path, Content) else path, "sha256": digest}
            for path, digest in zip(wanted.files, digests, strict=True)
        ],
        **stored_layouts(summary.layouts),
        "sha256": whole,
        "n_sentences": summary.n_sentences,
        "n_words": summary.n_words,
        "treesql_version": __version__,
        "changed_at": None,
        **(summary.record or {}),
    }


_FEATURE_SOURCES = tuple(
    (table, column) for table in ("words", "tokens", "empty_nodes") for column in ("feats", "misc")
)


def fill_feature_lists(engine: DuckDB, corpora: Sequence[str], options: Options) -> None:
    """Add the FEATS and MISC strings of corpora, as far as they were read, that feature_lists does not have yet.

    A string is stored once, whatever the number of its attributes: 180 kB of strings would be 8 GB as a row per
    attribute.
    """
    values = {f"corpus{at}": corpus for at, corpus in enumerate(corpora)}
    among = f"corpus IN ({', '.join(f'${name}' for name in values)})"
    strings = " UNION ".join(
        f"SELECT {column} AS feats FROM {table} WHERE {among}"
        for table, column in _FEATURE_SOURCES
        if options.wants(table, column)
    )
    if not strings:
        return
    sql = f"""
    INSERT INTO feature_lists
    SELECT p.feats, list_transform(p.parts, lambda part: split_part(part, '=', 1)),
           list_transform(p.parts, lambda part: CASE WHEN contains(part, '=')
                                                THEN substr(part, strpos(part, '=') + 1) END)
    FROM (SELECT s.feats, list_sort(list_distinct(list_filter(string_split(s.feats, '|'), lambda part: part <> '')))
                          AS parts
          FROM ({strings}) AS s
          WHERE s.feats IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM feature_lists AS f WHERE f.feats = s.feats)) AS p
    ORDER BY p.feats
    """
    engine.write(lambda: engine.connection.execute(sql, values), [table for table, _ in _FEATURE_SOURCES])


def delete_unused_features(engine: DuckDB) -> None:
    """Delete the FEATS and MISC strings that no row has any more."""
    used = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {table} AS t WHERE t.{column} = f.feats)" for table, column in _FEATURE_SOURCES
    )
    engine.connection.execute(f"DELETE FROM feature_lists AS f WHERE {used}")


def chosen_corpora(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return the corpora of names and patterns ('de_*'), each once. Raises UnknownName."""
    chosen: dict[str, None] = {}
    for name in names:
        here = [name] if name in known else fnmatch.filter(known, name)
        if not here:
            raise UnknownName("corpus", name, known)
        chosen |= dict.fromkeys(here)
    return list(chosen)


def corpus_names(engine: Engine) -> list[str]:
    """The names of the corpora, in the order in which they were loaded."""
    return [name for (name,) in engine.rows("SELECT corpus FROM corpora ORDER BY loaded_at, corpus")]


def corpus_exists(engine: Engine, corpus: str) -> bool:
    """Whether a corpus of this name is loaded."""
    [(n,)] = engine.rows("SELECT count(*) FROM corpora WHERE corpus = $corpus", {"corpus": corpus})
    return bool(n)


def check_room(wanted: CorpusFiles, names: Collection[str], *, replaces: bool) -> None:
    """Raise UsageError where the name of a corpus is taken, UnknownName where a corpus that it links is missing.

    names: of the corpora that are there. replaces: whether one of this name is replaced.
    """
    if wanted.corpus in names and not replaces:
        raise exists_already(wanted.corpus)
    others = [name for name in names if name != wanted.corpus]
    for linked in wanted.linked:
        if linked not in others:
            raise UnknownName("corpus", linked, others)


def exists_already(corpus: str) -> UsageError:
    """The error of a corpus whose name is taken."""
    return UsageError(f"corpus {corpus!r} is loaded already; choose another name, or load with --replace")


def drop_corpora(engine: DuckDB, corpora: Iterable[str]) -> None:
    """Remove corpora from all tables. Raises UnknownName."""
    with transaction(engine.connection):
        for corpus in corpora:
            if not corpus_exists(engine, corpus):
                raise UnknownName("corpus", corpus, corpus_names(engine))
            _delete(engine, corpus)
        delete_unused_features(engine)


def _delete(engine: DuckDB, corpus: str) -> None:
    for table in schemas.corpus_tables():
        engine.connection.execute(f"DELETE FROM {quote(table.name)} WHERE corpus = ?", [corpus])
    delete_pairs(engine.connection, corpus)


RowsByTable = Mapping[str, Sequence[tuple[str, pa.Table]]]
"""By table, the rows of every corpus."""

HeldRows = Mapping[str, Sequence[tuple[str | None, pa.Table]]]
"""The same, with None for rows that name their corpora."""

MIN_BYTES_FOR_THREADS = 1 << 20
"""Size of files together from which several are read at a time."""

MAX_ROWS_COPIED = 100_000
"""Maximum number of rows of a task that are copied into tables of a lent connection."""

_HELD = "rows that are held"
"""Name of a view of rows while a table is made of them."""

UNBOUNDED = 0
"""Number of items that wait: any, as all rows stay in memory anyway."""

_ALWAYS_NEEDED = frozenset({"corpora", "sentences", "words", "feature_lists", "features"})
"""Tables and views that are needed for groups, names and faults, whatever the SQL reads."""


def load_into_memory(
    wanted: Sequence[CorpusFiles],
    options: Options,
    named: frozenset[str] | None = None,
    *,
    warn: Warn = lambda warning: None,
    allows_files: bool = False,
    lent: bool = False,
) -> tuple[DuckDB, list[Loaded]]:
    """An engine in memory with the corpora of files, and what was read.

    named: the words of the SQL that will run, if it is known; empty tables, views, functions and macros are created
    only if they are among these. warn: called once with every warning. allows_files: as for `connect_to_rows`. lent:
    whether the engine may be on a connection that is lent for a block of the engine as a context manager, with none of
    a user's SQL. Raises InvalidInput.
    """
    held, summaries = _read_corpora(wanted, options)
    if lent and "corpora" not in held and _n_rows(held) <= MAX_ROWS_COPIED:
        engine = copy_rows(held, options, named, of_lines=all(corpus.form == TEXT for corpus in wanted))
    else:
        engine = connect_to_rows(held, options, named, allows_files=allows_files)
    try:
        loaded = finish_corpora(engine, list(zip(wanted, summaries, strict=True)), options)
        if options.columns is None:
            check_stored_links(engine, wanted)
        warn_once(warn, loaded)
    except BaseException:
        engine.close()
        raise
    return engine, loaded


def _read_corpora(
    wanted: Sequence[CorpusFiles], options: Options
) -> tuple[dict[str, list[tuple[str | None, pa.Table]]], list[CorpusSummary]]:
    """Read corpora, small ones together, several large ones at a time: the rows of all tables, and the summaries.

    Raises the error of the first corpus that has one.
    """
    held: dict[str, list[tuple[str | None, pa.Table]]] = {}
    summaries: list[CorpusSummary] = []
    groups = list(in_groups(wanted))
    n_bytes = sum(size_of(file) for corpus in wanted for file in corpus.files)
    readings = (_rows_of_group(group, options) for group in groups)
    if len(groups) == 1 or n_bytes < MIN_BYTES_FOR_THREADS:
        reading_all: AbstractContextManager[Iterable[Reading]] = nullcontext(map(Direct, readings))
    else:
        works = (partial(put_all, rows) for rows in readings)
        reading_all = in_threads(works, threads=n_cores(), waiting=UNBOUNDED)
    noted = steps.reading(n_bytes) if steps.when_done else nullcontext()
    with noted, reading_all as running:
        for group, reading in zip(groups, running, strict=True):
            corpus = group[0].corpus if len(group) == 1 else None
            for table, rows in reading.items():
                held.setdefault(table.name, []).append((corpus, rows))
            summaries += reading.result
    return held, summaries


def _rows_of_group(group: Files, options: Options) -> Generator[Rows, None, list[CorpusSummary]]:
    """The rows of one corpus, or of several small ones, which name theirs; returns their summaries.

    Raises the error of the first corpus that has one.
    """
    if len(group) == 1:
        summary = yield from rows_of_corpus(group[0], options)
        return [summary]
    small = read_small(group, options, lambda corpus: lambda n_bytes: None)
    summaries = []
    for corpus in group:
        if isinstance(found := small.found[corpus.corpus], TreesqlError):
            raise found
        summaries.append(found)
    yield from small.rows
    return summaries


def _n_rows(held: HeldRows) -> int:
    return sum(len(rows) for of_corpora in held.values() for _, rows in of_corpora)


def connect_to_rows(
    held: HeldRows, options: Options, named: frozenset[str] | None = None, *, allows_files: bool = False
) -> DuckDB:
    """An engine in memory with these rows, which the caller closes.

    named: as for `load_into_memory`. allows_files: whether its SQL reaches files, for which it has a database of its
    own.
    """
    few = bool(held) and _n_rows(held) <= connections.FEW_ROWS  # there are none before the first of many blocks
    engine = DuckDB(connections.connect_alone(named) if allows_files else connections.connect(named, few=few))
    try:
        draw_no_progress(engine.connection)
        views = [table for table in schemas.all_tables().values() if held.get(table.name) and table.name != "corpora"]
        for table in views:
            register_rows(engine, table, held, options)
        _make_relations(engine.connection, named, {table.name for table in views}, attrgetter("ddl"))
        for corpus, rows in held.get("corpora", []):
            insert_rows(engine, schemas.table("corpora"), rows, corpus, options)
    except BaseException:
        engine.close()
        raise
    return engine


def copy_rows(held: HeldRows, options: Options, named: frozenset[str] | None, *, of_lines: bool) -> DuckDB:
    """An engine on a lent connection, with these rows in temporary tables. Parameters as for `load_into_memory`.

    of_lines: whether all corpora are lines of texts. Columns that were not read are NULL, whatever the schema says.
    """
    waiting = {"words": WORDS_OF_LINES} if of_lines else {}
    n_rows = _n_rows({name: of_corpora for name, of_corpora in held.items() if name not in waiting})
    lent = connections.borrow(named, few=n_rows <= connections.FEW_ROWS)
    engine = DuckDB(lent.connection, lent=lent)
    try:
        if not lent.made:
            draw_no_progress(lent.connection)
        _make_relations(lent.connection, named, lent.made, _unchecked_ddl)
        lent.connection.begin()
        engine.rows_read = held
        if not _have_ids(held):
            engine.empty |= {JOINED_BY_ID}
        if of_lines:
            engine.empty |= {CORPORA_OF_WORDS, "words"}
        for name, of_corpora in held.items():
            if name in lent.made:
                insert = partial(add_rows, engine, schemas.table(name), of_corpora, options)
                engine.insert_when_read(waiting.get(name, name), insert)
    except BaseException:
        engine.close()
        raise
    return engine


def _have_ids(held: HeldRows) -> bool:
    """Whether a sentence has an id."""
    columns = (rows["sent_id"] for _, rows in held.get("sentences", ()) if "sent_id" in rows.column_names)
    return any(column.null_count < len(column) for column in columns)


def _unchecked_ddl(table: schemas.Table) -> str:
    """The CREATE TABLE statement, without checks of rows that readers yield: those of corpora."""
    if table.columns[0].name != "corpus":
        return table.ddl
    columns = ", ".join(f"{table.identifiers[column.name]} {column.type}" for column in table.columns)
    return f"CREATE TABLE {quote(table.name)} ({columns})"


def _make_relations(
    connection: connections.Connection,
    named: frozenset[str] | None,
    made: set[str],
    ddl: Callable[[schemas.Table], str],
) -> None:
    """Create tables, views and macros that SQL names, all temporary, and add their names to those that are made.

    named: as for `load_into_memory`. ddl: the CREATE TABLE statement of a table.
    """
    shortcuts = schemas.macros_called(schemas.all_macros() if named is None else named)
    wanted = None
    if named is not None:
        wanted = _ALWAYS_NEEDED | catalog.tables_of(named.union(*(words(macro.body) for macro in shortcuts)))
    views = [
        view
        for view in schemas.all_views().values()
        if view.name not in made and (named is None or view.name in named | _ALWAYS_NEEDED)
    ]
    tables = [
        table
        for table in schemas.all_tables().values()
        if table.name not in made and (wanted is None or table.name in wanted)
    ]
    macros = [macro for macro in shortcuts if macro.name not in made]
    connections.create(
        connection,
        *(ddl(table).replace("CREATE ", "CREATE TEMP ", 1) for table in tables),
        *(f"CREATE TEMP VIEW {quote(view.name)} AS\n{view.body}" for view in views),
        *schemas.statements(macros, temporary=True),
    )
    made.update(relation.name for relations in (tables, views, macros) for relation in relations)


def add_rows(
    engine: DuckDB, table: schemas.Table, of_corpora: Sequence[tuple[str | None, pa.Table]], options: Options
) -> None:
    """Insert rows of corpora into a table of a lent connection: of equal columns together.

    of_corpora: None for rows that name theirs.
    """
    together: dict[pa.Schema, list[pa.Table]] = {}
    for corpus, rows in of_corpora:
        rows = rows if corpus is None else _with_corpus(rows, corpus)
        together.setdefault(rows.schema, []).append(rows)
    for parts in together.values():
        rows = pa.concat_tables(parts)
        engine.insert(table.name, rows, _values(table, rows, options))


def register_rows(engine: DuckDB, table: schemas.Table, held: HeldRows, options: Options) -> None:
    """Create or replace the view of a table's rows, under the table's name."""
    parts = []
    for name, corpus, pieces in _views(table.name, held):
        rows = pa.concat_tables(pieces)
        engine.connection.register(name, rows)
        parts.append(f"SELECT {select_list(table, rows, options, corpus)} FROM {quote(name)}")
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
        fill_feature_lists(engine, [corpus for corpus, _ in held["words"]], options)


def hold_rows(engine: DuckDB, name: str, rows: pa.Table) -> None:
    """Create a table of rows, which is none of the schemas."""
    engine.connection.register(_HELD, rows)
    engine.connection.execute(f"CREATE TEMP TABLE {quote(name)} AS FROM {quote(_HELD)}")
    engine.connection.unregister(_HELD)


def unregister_rows(engine: DuckDB, held: HeldRows) -> None:
    """Release registered rows; their views fail until other rows are registered."""
    for table in held:
        for name, _, _ in _views(table, held):
            engine.connection.unregister(name)


def _views(table: str, held: HeldRows) -> Iterator[tuple[str, str | None, list[pa.Table]]]:
    """The views that a table consists of: of each corpus, or of rows of equal columns that name theirs."""
    pieces: dict[tuple[str | None, pa.Schema | None], list[pa.Table]] = {}
    for corpus, rows in held[table]:
        pieces.setdefault((corpus, rows.schema if corpus is None else None), []).append(rows)
    for number, ((corpus, _), parts) in enumerate(pieces.items()):
        yield f"{table} {number}", corpus, parts
