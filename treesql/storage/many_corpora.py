"""Loading corpora, together or each in a transaction: files are read ahead in threads, and one thread writes.

What stays of a load that fails or is interrupted is whole corpora, in the order of the plan.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, NoReturn

from treesql import readers
from treesql.engines.connections import MEMORY
from treesql.engines.duckdb import DuckDB, many_inserts, memory_setting, release_blocks, transaction
from treesql.engines.duckdb_files import open_database, open_or_make
from treesql.errors import InvalidCorpora, InvalidInput, TreesqlError, UnknownName, UsageError, plural
from treesql.readers import PARQUET, Options
from treesql.readers.source import STANDARD_INPUT
from treesql.runtime import atomic_files, failures, interrupts
from treesql.runtime.read_ahead import Direct, Found, Item, Production, Work, in_threads, put_all
from treesql.runtime.threads import n_cores
from treesql.storage import feature_lists, loading, small_corpora
from treesql.storage.loading import CorpusFiles, CorpusSummary, Loaded, Progress
from treesql.storage.waiting_batches import Rows

MAX_THREADS = 4
"""Maximum number of files that are read at a time. Writing takes longer than reading, so more would wait."""

ROWS_WAITING = 6
"""Maximum number of Arrow tables of a corpus that wait for an INSERT: about one for each table of the schema."""

Reading = Production[Rows, CorpusSummary] | Direct[Rows, CorpusSummary]

Files = tuple[CorpusFiles, ...]
"""Those of one corpus, or of several small ones."""

GroupReading = Production[Any, Any]
"""Yields the rows of one corpus, table by table; once a list of all small ones."""


def load_together(
    engine: DuckDB,
    corpora: Sequence[CorpusFiles],
    options: Options,
    *,
    replace: bool = False,
    progress: Progress | None = None,
) -> list[Loaded]:
    """Load corpora in one transaction. Raises InvalidInput, UsageError; then nothing has changed."""
    for one in corpora:
        readers.check_options(one.form, options)
    loads = CorpusLoads(corpora, options, replace, progress)
    with many_inserts(engine.connection), transaction(engine.connection):
        for one in corpora:
            loading.make_room(engine, one, replace=replace)
        with loads.reading(corpora) as readings:
            loaded = [loads.insert(engine, one, reading) for one, reading in readings]
        for one in corpora:
            if one.form == PARQUET:
                loading.check_links(engine, one.corpus)
        return loaded


def load_into_file(
    path: str,
    corpora: Sequence[CorpusFiles],
    options: Options,
    *,
    replace: bool = False,
    progress: Progress | None = None,
) -> list[Loaded]:
    """Load corpora into a database file, which is made with the first of them; if none can be loaded, it is not made.

    Raises as `load_each` does, and DatabaseError.
    """
    if path == MEMORY or os.path.lexists(path):
        with open_database(path) as engine:
            return load_each(engine, corpora, options, replace=replace, progress=progress, alone=True)
    loads = CorpusLoads(corpora, options, replace, progress)
    with loads.reading_groups(corpora) as readings:
        with open_or_make(path) as engine, many_inserts(engine.connection):
            if not any(loads.load_group(engine, group, reading) for group, reading in readings):
                loads.raise_refused()
        with open_database(path) as engine:
            loads.load_all(engine, readings, alone=True)
    return loads.result()


def load_each(
    engine: DuckDB,
    corpora: Sequence[CorpusFiles],
    options: Options,
    *,
    replace: bool = False,
    progress: Progress | None = None,
    alone: bool = False,
) -> list[Loaded]:
    """Load corpora, each whole or not at all.

    alone: whether nothing else uses the database meanwhile, which takes less memory. Raises the error of a single
    corpus; InvalidCorpora once the others are loaded. Other errors and KeyboardInterrupt have a note of which were
    loaded.
    """
    loads = CorpusLoads(corpora, options, replace, progress)
    known = set() if replace else set(loading.corpus_names(engine))
    for one in corpora:
        if one.corpus in known:
            loads.refuse(one, loading.exists_already(one.corpus))
    with loads.reading_groups([one for one in corpora if one.corpus not in known]) as readings:
        loads.load_all(engine, readings, alone=alone)
    return loads.result()


class CorpusLoads:
    """Corpora that are loaded one after the other: which were loaded, and which were refused.

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

    @contextmanager
    def reading(self, corpora: Sequence[CorpusFiles]) -> Iterator[Iterator[tuple[CorpusFiles, Reading]]]:
        """Yield an iterator of corpora and their rows, which threads read. Errors get a note of what was loaded."""
        with self._noted():
            if any(STANDARD_INPUT in one.files for one in corpora):
                yield ((one, Direct(self._rows_of(one))) for one in corpora)
                return
            with _ahead(map(self._work, corpora), self.rows_waiting) as readings:
                yield zip(corpora, readings, strict=True)

    @contextmanager
    def reading_groups(self, corpora: Sequence[CorpusFiles]) -> Iterator[Iterator[tuple[Files, GroupReading]]]:
        """Yield an iterator of groups of corpora and what threads have read of them, as `load_group` takes them."""
        groups = list(small_corpora.in_groups(corpora))
        with self._noted(), _ahead(map(self._work_of_group, groups), self.rows_waiting) as readings:
            yield zip(groups, readings, strict=True)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Add a note of what was loaded to errors of the block, and to the report where the process is ended in it."""
        try:
            with interrupts.noting(self._progress_in_words):
                yield
        except BaseException as error:
            found = failures.as_treesql_error(error) or error
            if (note := self._progress_in_words()) and not isinstance(found, atomic_files.NotKept):
                found.add_note(note)
            if found is error:
                raise
            raise found from error

    def load_all(self, engine: DuckDB, readings: Iterable[tuple[Files, GroupReading]], *, alone: bool) -> None:
        """Load the corpora that are left. alone: as for `load_each`."""
        limit = memory_setting(engine.connection)
        with many_inserts(engine.connection):
            for group, reading in readings:
                self.load_group(engine, group, reading)
                if alone:
                    release_blocks(engine.connection, limit)
            if self._replaced:
                with transaction(engine.connection):
                    feature_lists.delete_unused(engine.connection)

    def load_group(self, engine: DuckDB, group: Files, reading: GroupReading) -> bool:
        """Load a group of corpora in one transaction, and return whether some of them were not refused."""
        if len(group) == 1:
            return self.load(engine, group[0], reading)
        interrupts.resume()
        with transaction(engine.connection):
            loaded = self.insert_group(engine, reading, set(loading.corpus_names(engine)))
        self._loaded += loaded
        return bool(loaded)

    def insert_group(self, engine: DuckDB, reading: GroupReading, taken: Collection[str]) -> list[Loaded]:
        """Insert a group of corpora into tables, but those that are refused. taken: names of corpora that are there."""
        [read] = reading.items()
        self._bytes.report()
        for one in read.corpora:
            if one.files.corpus in taken and self._replace and one.error is None:
                self._replaced = True
                loading.make_room(engine, one.files, replace=True, clean_up=False)
            elif one.files.corpus in taken or one.error is not None:
                self.refuse(one.files, one.error or loading.exists_already(one.files.corpus))
        return small_corpora.insert_small(engine, read, self._refused.keys(), self._options)

    def load(self, engine: DuckDB, one: CorpusFiles, reading: Reading) -> bool:
        """Load a corpus, and return whether it was not refused."""
        interrupts.resume()
        try:
            loaded = self.load_whole(engine, one, reading)
        except (InvalidInput, UnknownName, UsageError) as error:
            self.refuse(one, error)
            return False
        self._loaded.append(loaded)
        return True

    def load_whole(self, engine: DuckDB, one: CorpusFiles, reading: Reading) -> Loaded:
        """Load a corpus in one transaction. Raises InvalidInput, UnknownName, UsageError."""
        with transaction(engine.connection):
            self._replaced |= self._replace and loading.corpus_exists(engine, one.corpus)
            loading.make_room(engine, one, replace=self._replace, clean_up=False)
            return self.insert(engine, one, reading)

    def insert(self, engine: DuckDB, one: CorpusFiles, reading: Reading) -> Loaded:
        """Insert the rows of a corpus, in a transaction. Raises InvalidInput, UnknownName."""
        for table, rows in reading.items():
            loading.insert_rows(engine, table, rows, one.corpus, self._options)
            self._bytes.report()
        return loading.finish_corpus(engine, one, self._options, reading.result)

    def refuse(self, one: CorpusFiles, error: TreesqlError) -> None:
        """Go on without a corpus."""
        self._refused[one.corpus] = error
        self._bytes.leave_out(one)

    def result(self) -> list[Loaded]:
        """The corpora that were loaded. Raises the errors of the others."""
        if self._refused:
            self.raise_refused()
        return self._loaded

    def raise_refused(self) -> NoReturn:
        """Raise the error of a single corpus, InvalidCorpora of several."""
        if len(self._corpora) == 1:
            raise self._refused[self._corpora[0].corpus]
        in_order = {one.corpus: self._refused[one.corpus] for one in self._corpora if one.corpus in self._refused}
        raise InvalidCorpora(in_order, self._loaded)

    def _rows_of(self, one: CorpusFiles) -> Generator[Rows, None, CorpusSummary]:
        return loading.rows_of_corpus(one, self._options, self._bytes.of(one))

    def _work(self, one: CorpusFiles) -> Callable[[Callable[[Rows], object]], CorpusSummary]:
        return partial(put_all, self._rows_of(one))

    def _work_of_group(self, group: Files) -> Callable[[Callable[[Any], object]], CorpusSummary | None]:
        if len(group) == 1:
            return self._work(group[0])

        def read(put: Callable[[Any], object]) -> None:
            put(small_corpora.read_small(group, self._options, self._bytes.of))

        return read

    def _progress_in_words(self) -> str:
        """How many corpora were loaded; empty if none was."""
        if not self._loaded:
            return ""
        n_loaded, n = len(self._loaded), len(self._corpora)
        verb = plural(n_loaded, "was", "were")
        return f"{n_loaded} of {n} corpora {verb} loaded, the last one is {self._loaded[-1].corpus!r}"


def _ahead(
    works: Iterable[Work[Item, Found]], waiting: int
) -> AbstractContextManager[Iterator[Production[Item, Found]]]:
    return in_threads(works, threads=min(MAX_THREADS, n_cores()), waiting=waiting)


class _BytesRead:
    """The bytes that threads have read, reported by the thread that writes."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._waiting: deque[tuple[str, int]] = deque()
        self._read: Counter[str] = Counter()
        self._left_out: set[str] = set()

    def of(self, one: CorpusFiles) -> Progress:
        """What the thread that reads a corpus calls."""
        return lambda n_bytes: self._waiting.append((one.corpus, n_bytes))

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

    def leave_out(self, one: CorpusFiles) -> None:
        """Report all the bytes of a corpus that is not read to the end."""
        self.report()
        self._left_out.add(one.corpus)
        if self._progress is not None:
            n_bytes = sum(os.path.getsize(file) for file in one.files if os.path.isfile(file))
            self._progress(max(n_bytes - self._read[one.corpus], 0))
