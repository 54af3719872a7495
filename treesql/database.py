"""The Python API of a database: a DuckDB connection with treesql's tables, views and macros."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pyarrow as pa

from treesql import catalog
from treesql.catalog import kinds as catalog_kinds
from treesql.catalog import schemas
from treesql.engines.connections import MEMORY, Connection
from treesql.engines.duckdb import DuckDB
from treesql.engines.duckdb_files import list_tables, open_engine
from treesql.engines.duckdb_folders import DuckDBFolder
from treesql.engines.streams import ReportProgress, run_interruptibly
from treesql.errors import DatabaseError, issue
from treesql.readers import Notation
from treesql.reports import SENTENCES
from treesql.results import pages
from treesql.results.pages import Figure
from treesql.results.result import Result
from treesql.runtime import LazyModule, lazy_names, limits
from treesql.runtime.failures import convert_errors, convert_errors_of_class
from treesql.runtime.workers import Found
from treesql.significance import methods
from treesql.storage import corpus_plans, folders, loading
from treesql.storage.corpus_plans import File, plan_corpora
from treesql.storage.files import CORPORA, LoadedCorpora, Report, load_planned, reading_options
from treesql.storage.sql_streams import open_streams

if TYPE_CHECKING:
    from treesql.engines.spark.engine import SparkFolder
    from treesql.evaluation import candidates, databases
    from treesql.evaluation.candidates import Candidates
    from treesql.evaluation.files import Names, Systems
    from treesql.reports.evaluation import EvaluationReport
    from treesql.scoring import items, scores
    from treesql.search import planning, searches
    from treesql.search import question as questions
    from treesql.search.question import Asked
    from treesql.search.searches import Search
    from treesql.sentences import bitext, drawn_sentences, listing, lookup, sentence_names
    from treesql.sentences.drawn_sentences import DrawnSentences, DrawnWith
    from treesql.sentences.listing import ListedSentences
    from treesql.sentences.sentence import Sentence, Translation
    from treesql.significance.comparison import Comparison
    from treesql.treebanks import descriptions, versions
    from treesql.treebanks.descriptions import Entropies, TableParameters
else:
    # Imported when they are first used: a database that is open may never be scored, searched or described.
    candidates, databases = LazyModule("treesql.evaluation.candidates"), LazyModule("treesql.evaluation.databases")
    items, scores = LazyModule("treesql.scoring.items"), LazyModule("treesql.scoring.scores")
    planning, questions = LazyModule("treesql.search.planning"), LazyModule("treesql.search.question")
    searches = LazyModule("treesql.search.searches")
    bitext, drawn_sentences = LazyModule("treesql.sentences.bitext"), LazyModule("treesql.sentences.drawn_sentences")
    listing, lookup = LazyModule("treesql.sentences.listing"), LazyModule("treesql.sentences.lookup")
    sentence_names = LazyModule("treesql.sentences.sentence_names")
    descriptions, versions = LazyModule("treesql.treebanks.descriptions"), LazyModule("treesql.treebanks.versions")
    _NAMES = {  # arguments are compared with these types where a method takes them
        "treesql.engines.spark.engine": ("SparkFolder",), "treesql.evaluation.files": ("Names", "Systems"),
        "treesql.search.question": ("Asked",), "treesql.sentences.drawn_sentences": ("DrawnWith",),
        "treesql.sentences.sentence": ("Sentence",),
    }  # fmt: skip
    __getattr__, __dir__ = lazy_names(__name__, _NAMES)


@convert_errors
def connect(
    path: str | Path = MEMORY,
    *,
    read_only: bool = False,
    existing: bool = False,
    safe: bool = False,
    timeout: float | None = None,
    memory: str | int | None = None,
    spark: Any = None,
) -> Database:
    """Open a database, and create its file, or with `spark` its folder, unless `read_only` or `existing` is set.

    path: a DuckDB file, `:memory:`, or a folder of Parquet that `load` or `export` made, which is read in place.
    read_only: any number of processes may read a file at a time. safe: SQL changes no settings and reaches neither the
    network nor files, except the file of a writable database and the parts of a folder. timeout: maximum number of
    seconds of `sql`, `query`, `score`, `compare` and `find`, None or 0 for no limit. memory: maximum memory of DuckDB,
    and of each of these calls, in bytes or as `500MB`, `2GB`, `1GiB`; if left out, DuckDB's limit, 80% of the machine's
    memory, and for a folder 1.5 GB, or 250 MB a core where that is more. spark: a SparkSession, or a master's address,
    which runs the queries on a folder of Parquet, and loads files; needs treesql[spark].

    Calls beyond a limit raise TimeLimit or MemoryLimit within about a second. What cannot be interrupted, such as
    `repeat('x', 4000000000)`, goes on in a thread and writes nothing; until it ends, other calls of this database raise
    DatabaseError. For SQL of strangers, run `treesql sql`, or a process of its own. Raises DatabaseError, UsageError.
    """
    max_memory = None if memory is None else limits.parse_size(memory)
    limits.check_seconds(timeout)
    engine = open_engine(str(path), spark, read_only=read_only, existing=existing, safe=safe, memory=max_memory)
    return Database(engine, str(path), timeout=timeout, memory=max_memory)


@convert_errors_of_class
class Database:
    """Treebanks as tables. `treesql.connect` opens one; close it, or use it as a context manager."""

    def __init__(
        self, engine: DuckDB | SparkFolder, path: str = MEMORY, *, timeout: float | None = None,
        memory: int | None = None,
    ) -> None:  # fmt: skip
        self._limits: limits.LimitedEngine[Any] = limits.LimitedEngine(engine, timeout, memory)
        self._path, self._timeout = path, timeout
        self._streams = open_streams(self._limits)

    def __repr__(self) -> str:
        return f"<treesql.Database {self._path}>"

    def _repr_html_(self) -> str:
        with suppress(DatabaseError):
            return self.info()._repr_html_()
        return pages.notebook(Figure(text=repr(self)))

    @property
    def engine(self) -> DuckDB | SparkFolder:
        """What runs the statements of this database."""
        return self._engine

    @property
    def connection(self) -> Connection:
        """The DuckDB connection, on Spark the driver's. Of queries that need a kernel or that only others read,
        it has the macros once `sql` has used them.

        Changes through it are not checked, and leave derived columns, digests and signatures stale; `sql` does not.
        """
        engine = self._engine.local
        engine.check_parts()
        engine.make_macros({*catalog.names(), *schemas.all_macros()} - catalog.absent_from_files())
        return engine.connection

    @property
    def _engine(self) -> DuckDB | SparkFolder:
        """The engine. Raises DatabaseError while a call that was stopped still runs."""
        engine: DuckDB | SparkFolder = self._limits.engine
        return engine

    def _run(self, work: Callable[[], Found]) -> Found:
        """Run work within the limits of `connect`."""
        return self._limits.run(work, self._limits.new_limit())

    def load(
        self, *paths: File, corpus: str | None = None, each: str | None = None, format: str | None = None,
        treebank: str | None = None, language: str | None = None, replace: bool = False, permissive: bool = False,
        strict: bool = False, base: int | None = None, reverse: bool = False, null_links: bool = False,
        source_corpus: str | None = None, target_corpus: str | None = None, phrases: bool = False,
        symbols: str | Path | None = None, max_sentence: int | str | None = None, scores: str | None = None,
        ids: str | None = None, progress: Report | None = None,
    ) -> LoadedCorpora:  # fmt: skip
        """Load files as one corpus, each as a corpus, or the corpora of a Parquet data set.

        Parameters, result, warnings and errors as for `treesql.load`.
        """
        options = reading_options(permissive, strict, phrases, symbols, max_sentence, scores, ids)
        notation = Notation(base, reverse, null_links, source_corpus, target_corpus)
        plan = plan_corpora(
            corpus_plans.as_paths(paths, "file", form=format), options, corpus=corpus, each=each, form=format,
            treebank=treebank, language=language, notation=notation,
        )  # fmt: skip
        try:
            return load_planned(self._engine, plan, options, replace=replace, progress=progress)
        finally:  # some may be loaded where others are refused
            self._engine.refresh()

    def drop(self, *corpora: str) -> None:
        """Remove corpora, all or none. Raises UnknownName, and DatabaseError as `treesql.drop` does."""
        if isinstance(engine := self._engine.local, DuckDBFolder):
            folders.drop_corpora(engine.folder, dict.fromkeys(corpora))
            self._engine.refresh()
        else:
            loading.drop_corpora(engine, dict.fromkeys(corpora))

    @property
    def corpora(self) -> list[str]:
        """Names of the corpora, in the order in which they were loaded."""
        return loading.corpus_names(self._engine)

    def info(self) -> Result:
        """Return a row per corpus: sizes, files, origin."""
        return self._run(lambda: Result(self._engine.local.table(CORPORA)))

    def sql(
        self, sql: str, parameters: Mapping[str, object] | None = None, *, tables: Mapping[str, object] | None = None,
        progress: ReportProgress | None = None,
    ) -> Result:  # fmt: skip
        """Return the rows of any SQL. Queries of the catalogue are table macros: `FROM attachment('gold', 'parser')`.

        parameters: values for `$name`. tables: data frames, Arrow tables or results that the SQL reads by their names,
        `sql("SELECT * FROM words JOIN df USING (form)", tables={"df": df})`. progress: called ten times a second with
        the percentage that is done, and 100. Statements that may change treesql's tables are one transaction: rows are
        checked as those of files are, derived columns are recomputed, and changed corpora are marked. Raises
        QueryError, TimeLimit, MemoryLimit; of changes also InvalidInput, UsageError. An error changes nothing. Warns
        with TreesqlWarning of changed sentences that a load would warn of.
        """
        return Result(self._streams.read(sql, parameters, tables or {}, progress))

    def stream(
        self, sql: str, parameters: Mapping[str, object] | None = None, *, progress: ReportProgress | None = None
    ) -> pa.RecordBatchReader:
        """Return the rows of any SQL in batches, for results larger than memory. Time between them does not count."""
        return self._streams.stream(sql, parameters, progress)

    def stream_each(
        self, sql: str, parameters: Mapping[str, object] | None = None, *, progress: ReportProgress | None = None
    ) -> Iterator[pa.RecordBatchReader]:
        """Return the rows of every statement that has some, each read before the next; `stream` has the last alone."""
        yield from self._streams.stream_each(sql, parameters, progress)

    def query(self, name: str, **parameters: object) -> Result:
        """Return the rows of a query of the catalogue, in the query's own order or else ordered by all columns.

        Its signature has its name. Raises UnknownName, UsageError, Incomparable, QueryError, TimeLimit, MemoryLimit.
        """
        return self._run(lambda: scores.run_and_warn(self._engine, catalog.query(name), parameters, issue))

    def align_words(self, gold: str, system: str) -> int:
        """Store which words of two parses of one text are counterparts where they differ, for SQL in any client.

        Returns the number of rows of word_alignments, 0 where words are the same. Raises UnknownName, Incomparable.
        """
        return self._run(lambda: items.align_words(self._engine, gold, system))

    def score(
        self, *names: Systems, by: Names | None = (), where: str | None = None, ci: bool = False, **given: Any
    ) -> Result:
        """Score corpora: of a kind, a row per system, or by metrics with the parameters of their queries, in one row.

        `score("dependency", "gold", "parser-a", "parser-b")` takes what `treesql.score` takes, with names of corpora;
        `score("attachment", gold_corpus="gold", system_corpus="parser-a")` those of the table macro `attachment`. Where
        the words of gold and system differ, they are aligned by their characters, with a warning.

        by: a row for every combination of columns, `"upos,n_words/10"`: `sentence`, columns of the items, of the gold
        words, sentences or corpus, their attributes, morphological features, or comments (`meta.speaker`), of numbers
        also bins; where: an SQL condition on these; ci: whether to add the ends of the 95% bootstrap interval after
        every score. Warns with TreesqlWarning. Raises UnknownName, UsageError, Incomparable, QueryError.
        """
        return self._run(lambda: databases.score_loaded(self._engine, names, given, by=by, where=where, ci=ci))

    def candidates(self, *names: str) -> list[Candidates]:
        """Find the corpora that fit the roles of kinds of evaluation, and those that seem to be the same sentences.

        names: of kinds, by default those for which there are enough corpora. Raises UnknownName.
        """
        rows = self.info().rows()
        found = [candidates.find_candidates(kind, rows) for kind in catalog_kinds.kinds(*names)]
        return found if names else [of_kind for of_kind in found if of_kind.are_enough]

    def compare(
        self, *names: Systems, systems: Systems = (), test: str = "shuffling", runs: int = methods.RUNS,
        seed: int = methods.SEED, correction: str = "holm", stratum: str | None = None, ci: bool = True,
        where: str | None = None, **given: Any,
    ) -> Comparison:  # fmt: skip
        """Compare all pairs of systems by scores: of a kind, `compare("dependency", "gold", "a", "b")`,
        or by metrics or scores, `compare("attachment.las", systems=["a", "b"], gold_corpus="gold")`.

        systems: corpora, or by name: of a kind their roles, with metrics the values of the parameters in which they
        differ. test: shuffling, bootstrap, mcnemar, mcnemar-chi2 or mcnemar-mid-p. correction: holm, bonferroni, bh, by
        or none. stratum: a column of sentences, bins of one, or a comment; those with one value are exchanged together.
        ci: whether to draw 95% intervals. where: as for `score`. Warns with TreesqlWarning. Raises what `score` raises.
        """
        method = methods.Method(test, runs, seed, correction, stratum, ci)
        return self._run(lambda: databases.compare_loaded(self._engine, names, systems, given, method, where=where))

    def report(
        self, kind: str, *inputs: Systems, systems: Systems = (), metric: Names = (), with_: Names = (),
        where: str | None = None, out: str | Path | None = None, data: str | Path | None = None,
        sentences: int = SENTENCES, seed: int = methods.SEED, **given: Any,
    ) -> EvaluationReport:  # fmt: skip
        """Report on corpora in one HTML page: `report("dependency", "gold", "a", "b", out="a.html")`.

        Parameters, result, warnings and errors as for `treesql.report`.
        """
        from treesql.reports.evaluation import report_task  # here, for it takes as long to import as the rest

        return self._run(
            lambda: report_task(
                kind, systems, self._engine, given, inputs=inputs, metric=metric, with_=with_, where=where, out=out,
                data=data, sentences=sentences, seed=seed,
            )
        )  # fmt: skip

    def find(
        self, request: str | None = None, *, requests: Mapping[str, str] | None = None,
        columns: Names = (), by: Names = (), whether: Names = (), count: bool = False, kwic: int | None = None,
        sort: str | None = None, grid: bool = False, share: str | None = None, ci: bool = False,
        entropy: bool = False, per_million: bool = False, association: bool = False, reference: Names = (),
        min_count: int = 1, corpus: Names | None = None, enhanced: bool = False, limit: int | None = None,
        syntax: str | None = None, group: Mapping[str, str] | None = None, offset: int = 0, order: str | None = None,
        timeout: float | None = None, progress: ReportProgress | None = None,
    ) -> Result:  # fmt: skip
        """Return a row per match of a request: `find("pattern { V -[obj]-> O }")`, or `find("NP < (NN $.. PP)")`.

        request: Grew's for dependency trees; Tregex's, TGrep2's or TIGERSearch's for constituency trees, with a row per
        first node and named nodes. syntax: `grew`, `tregex` or `tiger`; if left out, what the text shows.

        columns: of a match, `"V.form, e.label, text"`; if left out, every node with its form. kwic: number of words of
        context, for a concordance: the columns `left`, `match` and `right`; sort: the one of them to sort by, or of
        groups a column, keys ascending and measures descending, `-COLUMN` the other way round.

        by: keys, to count groups of matches instead; whether: clauses that split the matches into Yes and No. grid:
        whether to show two keys as rows and columns. share: of the counts in their `row`, `column` or `all`;
        ci: with the ends of its 95% interval (Wilson). entropy: a row of a grid with those of its columns, in bits.
        per_million: whether to add rates per million words. association: whether to add PMI, logDice and G2 of two
        keys. reference: corpora that the others are compared with, by keyness (G2, log ratio). min_count: of the groups
        shown. count: whether to return only the number of matches.

        requests: several by name instead of one, for a row per request and corpus; with `by`, the request is a key.
        corpus: those to search, else all. enhanced: whether to search the enhanced graph. limit: maximum number of
        rows; offset: number of matches left out before the first. order: of matches, by the `length` of their sentences
        or `shuffled`, instead of that of the corpora. group: values of keys, to find only the matches of a group:
        `group={"V.lemma": "go"}`. timeout: maximum number of seconds, 0 for no limit; if left out, that of `connect`,
        or 60. progress: as for `sql`. Warns with TreesqlWarning, and with NothingFound of reasons why nothing matches.
        Raises RequestError, TimeLimit, MemoryLimit, UnknownName, UsageError, DatabaseError, QueryError.
        """
        question = questions.Question(
            request, requests=requests or {}, columns=columns, by=by, whether=whether, count=count, kwic=kwic,
            sort=sort, grid=grid, share=share, ci=ci, entropy=entropy, per_million=per_million,
            association=association, reference=reference, min_count=min_count, corpus=corpus, enhanced=enhanced,
            limit=limit, syntax=syntax, group=group or {},
            offset=offset, order=order,
        )  # fmt: skip
        seconds = self._timeout if timeout is None else timeout
        return searches.find_within(self._limits, question, timeout=seconds, progress=progress)

    def prepare(self, request: str | None = None, **asked: Unpack[Asked]) -> Search:
        """Prepare a request, for its sentences, drawings, SQL or costs. Parameters and errors as for `find`."""
        planned = self._run(lambda: planning.plan(self._engine, questions.Question(request, **asked)))
        return searches.Search(self._limits, planned, timeout=self._timeout)

    def stats(
        self, *, relations: bool = False, table: str | None = None, vocabulary: File | None = None,
        sort: str | None = None, limit: int | None = None, corpus: str | Sequence[str] | None = None,
        classes: str | Path | None = None, accepted: str | Path | None = None, accept: str | Path | None = None,
        **parameters: Unpack[TableParameters],
    ) -> Result:  # fmt: skip
        """Return sizes, ratios and shapes of the treebanks, or another statistic, as `treesql.stats` does."""
        return self._run(
            lambda: descriptions.stats_of(
                self._engine, relations, corpus, classes, table=table, sort=sort, limit=limit, vocabulary=vocabulary,
                accepted=accepted, accept=accept, **parameters,
            )
        )  # fmt: skip

    def wde(
        self, *, forms: str = "form", vocabulary: str = "treebank", absent: str = "half", long: bool = False,
        corpus: str | Sequence[str] | None = None, classes: str | Path | None = None,
    ) -> Entropies:  # fmt: skip
        """Return word dependency entropies, as `treesql.wde` does."""
        return self._run(lambda: descriptions.wde_of(self._engine, forms, vocabulary, absent, long, corpus, classes))

    def diff(
        self, old: str, new: str, *, by: str | None = None, changes: bool = False, list: bool = False,
        column: str | None = None, match: str = "sent_id", comments: bool = False, limit: int | None = None,
    ) -> Result:  # fmt: skip
        """Return what changed between two corpora, as `treesql.diff` does."""
        request = versions.VersionRequest(by, changes, list, column, match, comments, limit)
        return self._run(lambda: versions.diff_of(self._engine, old, new, request))

    def show(self, *names: str | int, **how: Unpack[DrawnWith]) -> DrawnSentences:
        """Draw sentences, as `treesql.show` does."""
        return drawn_sentences.show_of(self._engine, *names, **how)

    def sentence(self, name: str | int, *, corpus: str | None = None) -> Sentence:
        """Return a sentence, which `print` and notebooks draw.

        name: its sent_id, or its number from 0: 2 or "#2". corpus: for one of several. Raises UnknownName, UsageError.
        """
        return lookup.find_sentences(self._engine, [name], corpus)[0]

    def sentence_names(self, corpus: str, numbers: Sequence[int]) -> dict[int, str]:
        """Return names for `sentence` by number: the sent_id, or "#2" if that is missing, repeated or like a number."""
        return self._run(lambda: sentence_names.names_of(self._engine, corpus, numbers))

    def sentences(
        self, corpus: str, *, text: str = "", key: str = "", value: str = "", limit: int | None = None, offset: int = 0,
        progress: ReportProgress | None = None,
    ) -> ListedSentences:  # fmt: skip
        """List sentences by a text and a comment `# key = value`; progress: as for `sql`. Raises UnknownName."""
        engine = self._engine.local
        listed = functools.partial(listing.list_sentences, engine, corpus, text, key, value, limit, offset)
        return self._run(lambda: run_interruptibly(engine, listed, progress))

    def neighbours(self, sentence: Sentence) -> Result:
        """List the sentences before and after one in its corpus: `sentence, sent_id, text, words`."""
        return self._run(lambda: listing.list_neighbours(self._engine.local, sentence.corpus, sentence.sentence))

    def layers(self, sentence: Sentence) -> Result:
        """List what other corpora have of a sentence: `layer, corpus, kind, sentence, links`.

        layer: `same words`, a tree with its sent_id, else its number, and its text, without one as many words; of a
        text, `same number`, a text or lattice of a corpus with as many sentences; `translation`, what the alignment
        `links` links with it; of an alignment, `source` and `target`, the corpora that it links.
        """
        return self._run(lambda: listing.find_layers(self._engine, sentence.corpus, sentence.sentence))

    def edits(self, sentence: Sentence, *, system: str) -> Result:
        """Return a sentence's row of `translation_errors`, of lattices `nearest_path_steps`; none without edits."""
        return self._run(lambda: databases.align_loaded(self._engine, sentence, system))

    def tables(self) -> Result:
        """List the tables and views that SQL reads: `name, columns`. Queries are macros: `treesql.queries()`."""
        return self._run(lambda: Result(list_tables(self._engine.local)))

    def translation(self, sentence: Sentence, *, corpus: str, alignment: str | None = None) -> Translation:
        """Return a sentence's translation with the links between the words: `sentence.svg(aligned=...)` draws both.

        corpus: of the translation, which has the same number. alignment: the corpus of the links; if left out, the one
        that was loaded with both corpora. Raises UnknownName, UsageError.
        """
        return bitext.find_translation(self._engine, sentence, corpus, alignment)

    def export(
        self, out: str | Path, *, corpus: str | None = None, to: str | None = None, leaves: str = "form",
        delete_traces: bool = False, collapse_unary: bool = False, head_rules: str | None = None,
    ) -> list[Path]:  # fmt: skip
        """Write corpora as a Parquet data set (`to="parquet"`) or a corpus in a file format (`to="conllu"`,
        "penn", "newick", "pharaoh", "wpt", "plf", "jsonl" or "openfst").

        out: a folder for Parquet; a file, or a folder for a corpus of several files, otherwise. leaves: in Newick, the
        names of leaves: `form`, `position` (1, 2, ...) or `numbered` (`the-1`). delete_traces: Penn and Newick without
        traces (words with the tag -NONE-) and phrases that have no other words. collapse_unary: Newick with phrases of
        one child joined with it, `S+VP`, and without those of one word. head_rules: CoNLL-U of constituency trees
        by this set of head rules. An error leaves no partial output. Returns the files. Raises UnknownName, UsageError,
        InvalidInput.
        """
        from treesql.storage import exporting  # here, for it imports all writers

        options = exporting.tree_options(leaves, delete_traces, collapse_unary, head_rules)
        return exporting.export(self._engine.local, Path(out), corpus, to, issue, options)

    def close(self) -> None:
        """Close the connection, and streams that were not read to the end: when no stopped call runs any more."""
        self._limits.when_free(self._close)

    def _close(self) -> None:
        self._streams.close()
        self._engine.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        self.close()
