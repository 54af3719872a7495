"""The Python API of a database: a DuckDB connection with treesql's tables, views and macros."""

from __future__ import annotations

import itertools
import re
import warnings
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import duckdb
import pyarrow as pa

from treesql import catalog
from treesql.engines.duckdb import MEMORY, make_macros, missing_macros, open_connection
from treesql.errors import Diagnostic, QueryError, TreesqlWarning, UnknownName, UsageError, Warn
from treesql.readers import Notation, Options, sentence_limits
from treesql.results.result import Result
from treesql.runtime import limits
from treesql.runtime.failures import convert_errors, convert_errors_of_class, statement_error, was_interrupted
from treesql.runtime.workers import Found
from treesql.scoring import selection, statistics
from treesql.scoring.scores import score
from treesql.search import preparation, running
from treesql.sentences import bitext, lookup
from treesql.sentences.sentence import Sentence, Translation
from treesql.significance import compare, intervals, tests
from treesql.significance.comparison import Comparison
from treesql.storage import changes, exporting, loading
from treesql.storage.loading import Loaded, Progress


@convert_errors
def connect(
    path: str | Path = MEMORY,
    *,
    read_only: bool = False,
    existing: bool = False,
    safe: bool = False,
    timeout: float | None = None,
    memory: str | int | None = None,
) -> Database:
    """Open a database, and create its file unless it exists, or `read_only` or `existing` is set.

    path: a DuckDB file, or `:memory:`. read_only: any number of processes may read a file at a time. safe: SQL changes
    no settings and reaches neither the network nor files, except the file of a writable database. timeout: maximum
    number of seconds of `sql`, `query`, `score`, `compare` and `find`, None or 0 for no limit. memory: maximum memory
    of DuckDB, and of each of these calls, in bytes or as `500MB`, `2GB`, `1GiB`; if left out, DuckDB's limit, 80% of
    the machine's memory.

    Calls beyond a limit raise TimeLimit or MemoryLimit within about a second. What cannot be interrupted, such as
    `repeat('x', 4000000000)`, goes on in a thread and writes nothing; until it ends, other calls of this database raise
    DatabaseError. For SQL of strangers, run `treesql sql`, or a process that you can end. Raises DatabaseError,
    UsageError.
    """
    max_memory = None if memory is None else limits.parse_size(memory)
    if timeout is not None and not 0 <= timeout < float("inf"):
        raise UsageError(f"timeout={timeout:g}: write a number of seconds, 0 for any number")
    sealed = safe and (read_only or str(path) == MEMORY)
    connection = open_connection(
        str(path), read_only=read_only, existing=existing, safe=safe, sealed=sealed, memory=max_memory
    )
    return Database(connection, missing_macros(str(path)), timeout=timeout, memory=max_memory)


_CORPORA = """
SELECT c.corpus, c.kind, c.treebank, c.language, c.format, c.reading, c.n_sentences AS sentences, c.n_words AS words,
       len(c.files) AS files, left(c.sha256, 12) AS sha256, c.treesql_version AS treesql,
       strftime(c.loaded_at, '%Y-%m-%d %H:%M') AS loaded, strftime(c.changed_at, '%Y-%m-%d %H:%M') AS changed
FROM corpora AS c ORDER BY c.loaded_at, c.corpus
"""


@convert_errors_of_class
class Database:
    """Treebanks as tables. `treesql.connect` opens one; close it, or use it as a context manager."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        missing: Iterable[str] = (),
        *,
        timeout: float | None = None,
        memory: int | None = None,
    ) -> None:
        self._limits = limits.LimitedConnection(connection, timeout, memory)
        self._timeout = timeout
        self._missing_macros = set(missing)
        self._streams: weakref.WeakSet[pa.RecordBatchReader] = weakref.WeakSet()

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The DuckDB connection. It has the macros that need a kernel once `sql` has used them.

        Changes through it are not checked, and derived columns, digests and signatures become stale: change rows by
        `sql`.
        """
        self._make_macros(self._missing_macros - catalog.kernel_queries())
        return self._connection

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """The DuckDB connection as it is. Raises DatabaseError while a call that was stopped still runs."""
        return self._limits.connection

    def _run(self, work: Callable[[Callable[[object], object]], Found], limit: limits.Limit | None = None) -> Found:
        """Run work within the limits of `connect`; the warnings that it is given a function for come after it."""
        found: list[object] = []
        try:
            return self._limits.run(lambda: work(found.append), limit or self._limits.new_limit())
        finally:
            for warning in found:
                warnings.warn(str(warning), TreesqlWarning, stacklevel=4)

    def _make_macros(self, queries: Collection[str]) -> None:
        make_macros(self._connection, queries)
        self._missing_macros.difference_update(queries)

    def load(
        self,
        *paths: str | Path,
        corpus: str | None = None,
        format: str | None = None,
        treebank: str | None = None,
        language: str | None = None,
        replace: bool = False,
        permissive: bool = False,
        strict: bool = False,
        base: int | None = None,
        reverse: bool = False,
        null_links: bool = False,
        source_corpus: str | None = None,
        target_corpus: str | None = None,
        phrases: bool = False,
        symbols: str | Path | None = None,
        max_sentence: int | str | None = None,
        scores: str | None = None,
        ids: str | None = None,
        progress: Progress | None = None,
    ) -> list[Loaded]:
        """Load files as one corpus, or the corpora of a Parquet data set, in one transaction.

        paths: files (.gz too), patterns or folders, `-` for standard input. corpus: its name, optional only for a data
        set. format: a name that `treesql load --help` lists, such as conllu; by the files' endings if left out.
        replace: whether to replace a corpus of this name. permissive: whether to load sentences whose heads form a
        cycle, without a tree index. strict: whether to refuse sentences with several roots. Of word alignments: base,
        the number of a sentence's first word; reverse, whether the target word comes first; null_links, whether to keep
        links to the empty word; source_corpus, target_corpus, the loaded corpora whose words are linked. Of lattices:
        phrases, whether a label with blanks is several words; symbols, the table of the labels' numbers; scores, the
        kind of the scores of PLF and JSON lines, cost or log_likelihood. ids: first or last, the word of every line of
        a plain text that is its id; none for a text without ids. max_sentence: maximum number of bytes of a sentence,
        tree or lattice, a number or a size such as "64MB", with a word or edge for every 16 of them; 16 MB if left out.
        progress: called with the number of bytes read since the last call. Warns with TreesqlWarning. Raises
        InvalidInput, UsageError, UnknownName, DatabaseError.
        """
        notation = Notation(base, reverse, null_links, source_corpus, target_corpus)
        files = loading.plan_loads(paths, corpus, format, treebank, language, notation=notation)
        symbol_table = None if symbols is None else str(symbols)
        size = sentence_limits.default() if max_sentence is None else sentence_limits.parse(max_sentence)
        options = Options(
            permissive, strict, phrases=phrases, symbols=symbol_table, max_sentence=size, scores=scores, ids=ids
        )
        loaded = loading.load(self._connection, files, options, replace=replace, progress=progress)
        for warning in (warning for one in loaded for warning in one.warnings):
            warnings.warn(str(warning), TreesqlWarning, stacklevel=3)
        return loaded

    def drop(self, corpus: str) -> None:
        """Remove a corpus. Raises UnknownName."""
        loading.drop_corpus(self._connection, corpus)

    @property
    def corpora(self) -> list[str]:
        """Names of the corpora, in the order in which they were loaded."""
        return loading.corpus_names(self._connection)

    def info(self) -> Result:
        """Return a row per corpus: sizes, files, origin."""
        return self.sql(_CORPORA)

    def sql(self, sql: str, parameters: Mapping[str, object] | None = None) -> Result:
        """Return the rows of any SQL. Queries of the catalogue are table macros: `FROM attachment('gold', 'parser')`.

        parameters: values for `$name`. Statements that may change treesql's tables are one transaction: rows are
        checked as those of files are, derived columns are recomputed, and changed corpora are marked. Raises
        QueryError, TimeLimit, MemoryLimit; of changes also InvalidInput, UsageError. An error changes nothing. Warns
        with TreesqlWarning of changed sentences that a load would warn of.
        """
        return self._run(
            lambda warn: Result(self._with_distinct_names(self._open_stream(sql, parameters, warn), sql).read_all())
        )

    def stream(self, sql: str, parameters: Mapping[str, object] | None = None) -> pa.RecordBatchReader:
        """Return the rows of any SQL in batches, for results larger than memory. Time between them does not count."""
        limit = self._limits.new_limit()
        reader = self._run(lambda warn: self._open_stream(sql, parameters, warn), limit)
        return self._with_distinct_names(reader, sql, limit)

    def _open_stream(self, sql: str, parameters: Mapping[str, object] | None, warn: Warn) -> pa.RecordBatchReader:
        try:
            self._make_macros(self._missing_macros.intersection(re.findall(r"\w+", sql.lower())))
            if changes.may_change_rows(self._connection, sql):
                return changes.run(self._connection, sql, dict(parameters or {}), warn).to_reader()
            relation = self._connection.sql(sql, params=dict(parameters or {}))
            reader = pa.table({}).to_reader() if relation is None else relation.to_arrow_reader()
            self._streams.add(reader)
            return reader
        except (duckdb.Error, pa.ArrowException) as error:
            changes.roll_back_begun(self._connection, sql)
            if was_interrupted(error):
                raise
            raise statement_error(error, sql) from None

    def _with_distinct_names(
        self, reader: pa.RecordBatchReader, sql: str, limit: limits.Limit | None = None
    ) -> pa.RecordBatchReader:
        """Return the batches with distinct column names: `a`, `a_2`. Errors of the batches are QueryErrors.

        limit: of the work before the first batch; the batches have the rest of it. None within other work.
        """
        names: list[str] = []
        for column in reader.schema.names:
            numbered = (f"{column}_{number}" for number in itertools.count(2))
            names.append(next(name for name in itertools.chain([column], numbered) if name not in names))
        schema = pa.schema([field.with_name(name) for field, name in zip(reader.schema, names, strict=True)])

        def read() -> pa.RecordBatch | None:
            try:
                return next(reader, None)
            except (OSError, pa.ArrowException) as error:
                raise QueryError(str(error), sql) from None

        def batches() -> Iterator[pa.RecordBatch]:
            while (batch := read() if limit is None else self._limits.run(read, limit)) is not None:
                yield batch.rename_columns(names)

        return pa.RecordBatchReader.from_batches(schema, batches())

    def query(self, name: str, **parameters: object) -> Result:
        """Return the rows of a query of the catalogue, in the query's own order or else ordered by all columns.

        The signature is under the query's name. Raises UnknownName, UsageError, Incomparable, QueryError,
        TimeLimit, MemoryLimit.
        """
        return self._run(lambda warn: statistics.run_with_signature(self._connection, catalog.query(name), parameters))

    def score(
        self,
        *metrics: str,
        by: str | None = None,
        where: str | None = None,
        ci: bool = False,
        **parameters: object,
    ) -> Result:
        """Return the scores of metrics, for example `score("attachment", gold_corpus="gold", system_corpus="parser")`.

        by: `sentence`, or a column of the items, of the gold words, sentences or corpus; where: an SQL condition on the
        items; ci: whether to add the ends of the 95% bootstrap interval after every score. Raises UnknownName,
        UsageError, Incomparable, QueryError.
        """

        def work(warn: Warn) -> Result:
            result = score(self._connection, metrics, parameters, by=by, where=where)
            if not ci:
                return result
            [found] = intervals.add_intervals(
                self._connection, [result], metrics, [parameters], by=by, where=where, warn=warn
            )
            return found

        return self._run(work)

    def compare(
        self,
        *metrics: str,
        systems: Sequence[str] | Mapping[str, Mapping[str, object]],
        test: str = "shuffling",
        runs: int = tests.RUNS,
        seed: int = tests.SEED,
        correction: str = "holm",
        stratum: str | None = None,
        where: str | None = None,
        **parameters: object,
    ) -> Comparison:
        """Compare all pairs of systems by scores, for example
        `compare("attachment", systems=["parser-a", "parser-b"], gold_corpus="gold")`.

        metrics: of the catalogue, or their scores, such as `attachment.las`. systems: corpora, or by name the values of
        the parameters in which they differ. test: shuffling, bootstrap, mcnemar, mcnemar-chi2 or mcnemar-mid-p.
        correction: holm, bonferroni, bh, by or none. stratum: a column of sentences; those with one value are exchanged
        together. where: an SQL condition on the items. Raises UnknownName, UsageError, Incomparable, QueryError.
        """
        if not metrics:
            raise UsageError("name at least one metric")
        values_of = systems if isinstance(systems, Mapping) else {name: {"system_corpus": name} for name in systems}
        return self._run(
            lambda warn: compare.compare(
                self._connection,
                selection.select_scores((), metrics),
                {name: {**parameters, **values} for name, values in values_of.items()},
                tests.Method(test, runs, seed, correction, stratum),
                where=where,
                warn=warn,
            )
        )

    def find(
        self,
        request: str,
        *,
        columns: str | Sequence[str] = (),
        by: str | Sequence[str] = (),
        whether: str | Sequence[str] = (),
        count: bool = False,
        corpus: str | Sequence[str] | None = None,
        enhanced: bool = False,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Result:
        """Return a row per match of a Grew request, for example `find("pattern { V [upos=VERB]; V -[obj]-> O }")`.

        columns: of a match, `"V.form, e.label, text"`; if left out, every node with its form. by: keys, to count groups
        of matches instead; whether: clauses that split the matches into Yes and No; count: whether to return only the
        number of matches. corpus: those to search, else all. enhanced: whether to search the enhanced graph. limit:
        maximum number of rows. timeout: maximum number of seconds, 0 for no limit; if left out, that of `connect`, or
        60. Warns with TreesqlWarning. Raises RequestError, TimeLimit, MemoryLimit, UnknownName, UsageError,
        DatabaseError, QueryError.
        """
        default = running.DEFAULT_SECONDS if self._timeout is None else self._timeout
        within = self._limits.new_limit(default if timeout is None else timeout)
        corpora = [corpus] if isinstance(corpus, str) else corpus

        def work(warn: Callable[[object], object]) -> Result:
            prepared = preparation.prepare(
                self._connection, request, columns=columns, by=by, whether=whether, count=count, corpora=corpora,
                enhanced=enhanced, limit=limit,
            )  # fmt: skip
            table, why = running.find_matches_within(self._connection, prepared, within)
            for warning in (*prepared.warnings, *why):
                warn(warning)
            return Result(table)

        return self._run(work, within)

    def sentence(self, name: str | int, *, corpus: str | None = None) -> Sentence:
        """Return a sentence, which `print` and notebooks draw.

        name: its sent_id, or its number in the corpus, from 0. corpus: needed if several have the sentence.
        Raises UnknownName, UsageError.
        """
        return lookup.find_sentences(self._connection, [str(name)], corpus)[0]

    def translation(self, sentence: Sentence, *, corpus: str, alignment: str | None = None) -> Translation:
        """Return a sentence's translation with the links between the words: `sentence.svg(aligned=...)` draws both.

        corpus: of the translation, which has the same number. alignment: the corpus of the links; if left out, the one
        that was loaded with both corpora. Raises UnknownName, UsageError.
        """
        for name in filter(None, [corpus, alignment]):
            if name not in self.corpora:
                raise UnknownName("corpus", name, self.corpora)
        links = alignment or bitext.find_alignment(self._connection, sentence.corpus, corpus)
        return bitext.find_translations([sentence], (self._connection, corpus), (self._connection, links))[0]

    def export(self, out: str | Path, *, corpus: str | None = None, to: str | None = None) -> list[Path]:
        """Write corpora as a Parquet data set (`to="parquet"`) or a corpus in a file format (`to="conllu"`,
        "penn", "newick", "pharaoh", "wpt", "plf", "jsonl" or "openfst").

        out: a folder for Parquet; a file, or a folder for a corpus of several files, otherwise. An error leaves no
        partial output. Returns the files. Raises UnknownName, UsageError, InvalidInput.
        """
        found: list[Diagnostic] = []
        try:
            written = exporting.export(self._connection, Path(out), corpus, to, found.append)
        except duckdb.PermissionException:
            raise UsageError("DuckDB writes Parquet, and no files with safe=True; connect without it") from None
        for warning in found:
            warnings.warn(str(warning), TreesqlWarning, stacklevel=3)
        return written

    def close(self) -> None:
        """Close the connection, and streams that were not read to the end: when no stopped call runs any more."""
        self._limits.when_free(self._close)

    def _close(self) -> None:
        for stream in list(self._streams):  # an open stream blocks DuckDB forever when the file is opened again
            stream.close()
        self._connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
