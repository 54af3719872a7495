"""The front door: a DuckDB connection with treesql's tables, views and macros in it."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import duckdb
import pyarrow as pa

from treesql import (
    bitexts,
    catalog,
    choosing,
    comparison,
    exporting,
    loading,
    scoring,
    sentences,
    significance,
    storage,
)
from treesql.bitexts import Translation
from treesql.compared import Comparison
from treesql.errors import DatabaseError, FormatError, QueryError, TreesqlWarning, UnknownName, UsageError
from treesql.loading import Loaded, Progress
from treesql.patterns import finding
from treesql.readers import Notation, Options
from treesql.results import Result
from treesql.sentences import Sentence


def connect(
    path: str | Path = storage.MEMORY, *, read_only: bool = False, existing: bool = False, safe: bool = False
) -> Database:
    """Open a database, or make one where the file is not there yet, unless `read_only` or `existing`.

    path: a DuckDB file, or `:memory:`. read_only: any number of processes may read a file at a time. safe: SQL reaches
    neither files nor the network and changes no settings. Raises DatabaseError.
    """
    connection = storage.open_connection(str(path), read_only=read_only, existing=existing, safe=safe)
    return Database(connection, storage.unmade_macros(str(path)))


_CORPORA = """
SELECT c.corpus, c.kind, c.treebank, c.language, c.format, c.n_sentences AS sentences, c.n_words AS words,
       len(c.files) AS files, left(c.sha256, 12) AS sha256, c.treesql_version AS treesql,
       strftime(c.loaded_at, '%Y-%m-%d %H:%M') AS loaded
FROM corpora AS c ORDER BY c.loaded_at, c.corpus
"""


class Database:
    """Treebanks as tables. Made by `treesql.connect`; close it, or use it as a context manager."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, unmade: Iterable[str] = ()) -> None:
        self._connection = connection
        self._unmade = set(unmade)

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The DuckDB connection itself. Macros that need a kernel are there when `sql` has named them."""
        self._make_macros(self._unmade - catalog.kernel_queries())
        return self._connection

    def _make_macros(self, queries: Collection[str]) -> None:
        storage.make_macros(self._connection, queries)
        self._unmade.difference_update(queries)

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
        progress: Progress | None = None,
    ) -> list[Loaded]:
        """Load files as one corpus, or the corpora of a Parquet data set, in one transaction.

        paths: files (.gz too), patterns or folders, `-` for standard input. corpus: its name, which only a data set can
        do without. format: conllu, conllx, penn, newick, export, text, pharaoh, talp, wpt, giza, plf, slf, openfst,
        kaldi, jsonl, parquet; told from the files' endings if left out. replace: a corpus of this name gives way.
        permissive: sentences whose heads form a cycle are taken, without a tree index. strict: sentences with several
        roots are refused. Of word alignments: base, the number of a sentence's first word; reverse, whether the target
        word stands first; null_links, whether links to the empty word are kept; source_corpus, target_corpus, the
        loaded corpora whose words are linked. Of lattices: phrases, whether a label with blanks stands for several
        words; symbols, the table of the labels' numbers. progress: called with the number of bytes read since the last
        call. What is worth a look comes as a TreesqlWarning. Raises InvalidInput, UsageError, UnknownName,
        DatabaseError.
        """
        notation = Notation(base, reverse, null_links, source_corpus, target_corpus)
        wanted = loading.requests(paths, corpus, format, treebank, language, notation=notation)
        table = None if symbols is None else str(symbols)
        options = Options(permissive=permissive, strict=strict, phrases=phrases, symbols=table)
        try:
            loaded = loading.load(self._connection, wanted, options, replace=replace, progress=progress)
        except duckdb.Error as error:
            raise DatabaseError(str(error)) from None
        for warning in (warning for one in loaded for warning in one.warnings):
            warnings.warn(str(warning), TreesqlWarning, stacklevel=2)
        return loaded

    def drop(self, corpus: str) -> None:
        """Remove a corpus. Raises UnknownName."""
        loading.drop(self._connection, corpus)

    @property
    def corpora(self) -> list[str]:
        """The names of the corpora, in the order in which they were loaded."""
        return loading.names(self._connection)

    def info(self) -> Result:
        """What is loaded, one row per corpus: sizes, files, origin."""
        return self.sql(_CORPORA)

    def sql(self, sql: str, parameters: Mapping[str, object] | None = None) -> Result:
        """The rows of any SQL. Queries of the catalogue are table macros: `FROM attachment('gold', 'parser')`.

        parameters: values for `$name`. Raises QueryError.
        """
        return Result(self.stream(sql, parameters).read_all())

    def stream(self, sql: str, parameters: Mapping[str, object] | None = None) -> pa.RecordBatchReader:
        """Like `sql`, in batches, for results that need not fit in memory."""
        try:
            self._make_macros(self._unmade.intersection(re.findall(r"\w+", sql.lower())))
            relation = self._connection.sql(sql, params=dict(parameters or {}))
            return pa.table({}).to_reader() if relation is None else _distinct(relation.to_arrow_reader(), sql)
        except duckdb.Error as error:
            raise QueryError(str(error), sql) from None

    def query(self, name: str, **parameters: object) -> Result:
        """The rows of a query of the catalogue, in its own order or that of its columns from the first on.

        Raises UnknownName, UsageError, Incomparable, QueryError.
        """
        return Result(scoring.run(self._connection, catalog.query(name), parameters))

    def score(
        self,
        *metrics: str,
        by: str | None = None,
        where: str | None = None,
        ci: bool = False,
        **parameters: object,
    ) -> Result:
        """The scores of metrics, for example `score("attachment", gold_corpus="gold", system_corpus="parser")`.

        by: `sentence`, or a column of the items, of the gold words, sentences or corpus; where: an SQL condition on the
        items; ci: the ends of the 95% bootstrap interval behind every score. Raises UnknownName, UsageError,
        Incomparable, QueryError.
        """
        result = scoring.score(self._connection, metrics, parameters, by=by, where=where)
        if not ci:
            return result
        [found] = comparison.with_intervals(
            self._connection, [result], metrics, [parameters], by=by, where=where, warn=_warn
        )
        return found

    def compare(
        self,
        *metrics: str,
        systems: Sequence[str] | Mapping[str, Mapping[str, object]],
        test: str = "shuffling",
        runs: int = significance.RUNS,
        seed: int = significance.SEED,
        correction: str = "holm",
        stratum: str | None = None,
        where: str | None = None,
        **parameters: object,
    ) -> Comparison:
        """All pairs of systems compared by scores, for example
        `compare("attachment", systems=["parser-a", "parser-b"], gold_corpus="gold")`.

        metrics: of the catalogue, or their scores, as `attachment.las`. systems: corpora, or by name the values of
        parameters that are their own. test: shuffling, bootstrap, mcnemar, mcnemar-chi2 or mcnemar-mid-p. correction:
        holm, bonferroni, bh, by or none. stratum: a column of sentences; those with one value are exchanged together.
        where: an SQL condition on the items. Raises UnknownName, UsageError, Incomparable, QueryError.
        """
        if not metrics:
            raise UsageError("name at least one metric")
        own = systems if isinstance(systems, Mapping) else {name: {"system_corpus": name} for name in systems}
        return comparison.compare(
            self._connection,
            choosing.choose((), metrics),
            {name: {**parameters, **values} for name, values in own.items()},
            significance.Method(test, runs, seed, correction, stratum),
            where=where,
            warn=_warn,
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
        timeout: float = finding.SECONDS,
    ) -> Result:
        """The matches of a Grew request, for example `find("pattern { V [upos=VERB]; V -[obj]-> O }")`, a row each.

        columns: what to show of a match, `"V.form, e.label, text"`; left out: every node with its form. by: keys, to
        count groups of matches instead; whether: clauses that split them into Yes and No; count: only their number.
        corpus: those to search, else all. enhanced: in the enhanced graph. limit: at most so many rows. timeout:
        seconds after which it is stopped; 0 for never. What is worth a look comes as a TreesqlWarning. Raises
        RequestError, TimeLimit, UnknownName, UsageError, DatabaseError, QueryError.
        """
        corpora = [corpus] if isinstance(corpus, str) else corpus
        question = finding.ask(
            self._connection, request, columns=columns, by=by, whether=whether, count=count, corpora=corpora,
            enhanced=enhanced, limit=limit,
        )  # fmt: skip
        table, why = finding.find(self._connection, question, timeout)
        for remark in (*question.remarks, *why):
            warnings.warn(remark, TreesqlWarning, stacklevel=2)
        return Result(table)

    def sentence(self, name: str | int, *, corpus: str | None = None) -> Sentence:
        """A sentence, which `print` and notebooks draw.

        name: its sent_id, or its number in the corpus, from 0. corpus: where it is; needed where several have it.
        Raises UnknownName, UsageError.
        """
        return sentences.find(self._connection, [str(name)], corpus)[0]

    def translation(self, sentence: Sentence, *, corpus: str, alignment: str | None = None) -> Translation:
        """A sentence's translation with the links between the words: `sentence.svg(aligned=...)` draws both.

        corpus: where it is, under the same number. alignment: the corpus of the links; the one that was loaded as that
        of both corpora if left out. Raises UnknownName, UsageError.
        """
        for name in filter(None, [corpus, alignment]):
            if name not in self.corpora:
                raise UnknownName("corpus", name, self.corpora)
        links = alignment or bitexts.alignment_of(self._connection, sentence.corpus, corpus)
        return bitexts.translations([sentence], (self._connection, corpus), (self._connection, links))[0]

    def export(self, out: str | Path, *, corpus: str | None = None, to: str | None = None) -> list[Path]:
        """Write corpora as a Parquet data set (`to="parquet"`) or a corpus in a file format (`to="conllu"`,
        `to="penn"`, `to="newick"`, `to="pharaoh"`, `to="wpt"`).

        out: a folder for Parquet; a file, or a folder for a corpus of several files, otherwise. It is written whole or
        not at all. Returns the files. Raises UnknownName, UsageError, InvalidInput.
        """
        found: list[FormatError] = []
        written = exporting.export(self._connection, Path(out), corpus, to, found.append)
        for warning in found:
            warnings.warn(str(warning), TreesqlWarning, stacklevel=2)
        return written

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _warn(warning: FormatError) -> None:
    warnings.warn(str(warning), TreesqlWarning, stacklevel=4)


def _distinct(reader: pa.RecordBatchReader, sql: str) -> pa.RecordBatchReader:
    """The same batches, columns of one name told apart by a number: `a`, `a_2`. What fails is a QueryError."""
    names: list[str] = []
    for own in reader.schema.names:
        numbered = (f"{own}_{number}" for number in itertools.count(2))
        names.append(next(name for name in itertools.chain([own], numbered) if name not in names))
    schema = pa.schema([field.with_name(name) for field, name in zip(reader.schema, names, strict=True)])

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            for batch in reader:
                yield batch.rename_columns(names)
        except (OSError, pa.ArrowException) as error:
            raise QueryError(str(error), sql) from None

    return pa.RecordBatchReader.from_batches(schema, batches())
