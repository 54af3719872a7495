"""Files -> rows, and rows -> tables."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa

from treesql import readers
from treesql._version import __version__
from treesql.catalog import schemas
from treesql.catalog.schemas import quote
from treesql.engines import Engine
from treesql.engines.duckdb import DuckDB, delete_pairs, transaction
from treesql.errors import Diagnostic, InvalidInput, UnknownName, UsageError
from treesql.readers import NBEST, PARQUET, Notation, Options, State
from treesql.readers.file_layout import FileLayout, stored
from treesql.readers.reading import reading as reading_of
from treesql.readers.source import Source, expand
from treesql.runtime.read_ahead import put_all
from treesql.storage import data_set_plans, feature_lists, link_checks
from treesql.storage.data_set_plans import StoredCorpus
from treesql.storage.waiting_batches import Rows, WaitingBatches

ALIGNMENT = "alignment"
LATTICE = "lattice"
Progress = Callable[[int], object]
"""Called with the number of bytes read since the last call."""

Store = Callable[[schemas.Table, pa.Table, str], object]
"""Called with rows of a table and the corpus that they are of."""


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


def distinct_warnings(loaded: Iterable[Loaded]) -> list[Diagnostic]:
    """The warnings, each once: a file may be read twice, as gold and as a system."""
    return list({str(warning): warning for one in loaded for warning in one.warnings}.values())


@dataclass(frozen=True)
class CorpusSummary:
    """What was read of a corpus: its size, the digests of its files, and warnings.

    how: the options that changed its rows, as in `corpora.reading`; layouts: of its files.
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


@dataclass(frozen=True)
class CorpusFiles:
    """Files to load as one corpus. notation: of the links in them; None where that of the options holds. segments: the
    `.stm` file that their words are cut by. named: whether the user has named the format. stored: the corpus of a data
    set."""

    files: tuple[str, ...]
    form: str
    corpus: str
    treebank: str | None = None
    language: str | None = None
    notation: Notation | None = None
    segments: str | None = None
    named: bool = False
    stored: StoredCorpus | None = None

    def find_misnamed(self) -> list[Diagnostic]:
        """A warning of files that are read as another format than their endings say, unless the user has named it."""
        if self.named:
            return []
        endings = {file: readers.format_of_ending(file) or self.form for file in self.files}
        other = {file: form for file, form in endings.items() if self.form not in (form, f"{form}_{self.kind}")}
        if not other:
            return []
        first, form = next(iter(other.items()))
        more = "" if len(other) == 1 else f", and {len(other) - 1:,} more file{'s' if len(other) > 2 else ''}"
        what = f"read as {self.form}, where its ending is that of {form}{more}"
        return [Diagnostic.warning(first, 0, what, f"name the format with --from {self.form}, or rename the file")]

    @property
    def shared_name(self) -> str | None:
        """The corpus of a data set whose rows are read from parts that hold others as well."""
        return self.stored.name if self.stored is not None and self.stored.shares_parts else None

    @property
    def kind(self) -> str:
        """The kind of corpus of the format."""
        return readers.kind(self.form)


def plan_loads(
    paths: Iterable[str | Path],
    corpus: str | None,
    form: str | None = None,
    treebank: str | None = None,
    language: str | None = None,
    *,
    notation: Notation | None = None,
    kind: str | None = None,
) -> list[CorpusFiles]:
    """Find the files behind paths, patterns and folders, and their format: one corpus, or those of a Parquet data set.

    corpus: its name; of a data set the corpus of this name, or the only one under this name; None for all of a data
    set, and for a corpus without a name. notation: how links are written, for alignments alone. kind: the expected kind
    of corpus, which determines the usual format. Raises InvalidInput, UnknownName, UsageError.
    """
    if corpus == "":
        raise UsageError("the name of a corpus cannot be empty")
    if corpus is not None and "\0" in corpus:
        raise UsageError("the name of a corpus cannot have a NUL character in it; leave it out")
    files = find_files(paths, form)
    named = form is not None
    form = readers.format_of(files, form, kind)
    if notation not in (None, Notation()) and readers.kind(form) != ALIGNMENT:
        raise UsageError(
            f"base, direction, null links and linked corpora are for alignments; {form} files have no links"
        )
    repeated = next((file for at, file in enumerate(files) if file in files[:at]), None)
    if repeated is not None:
        raise UsageError(f"{repeated} is named twice; a corpus takes each file once")
    if form == PARQUET:
        return _plan_data_set(files, corpus)
    return [CorpusFiles(tuple(files), form, corpus or "", treebank, language, notation, named=named)]


def find_files(paths: Iterable[str | Path], form: str | None = None) -> list[str]:
    """The files behind paths, patterns and folders, of which those with endings of a format are taken, or of any.

    Raises InvalidInput where nothing is there, UnknownName, UsageError.
    """
    named = [str(path) for path in paths]
    if not named:
        raise UsageError("name at least one file")
    return expand(named, readers.endings_in_folders(form=form))


def _plan_data_set(files: Sequence[str], corpus: str | None) -> list[CorpusFiles]:
    corpora = data_set_plans.find_corpora(files)
    if corpus is None:
        chosen = list(corpora)
    elif corpus in corpora:
        chosen = [corpus]
    elif len(corpora) > 1:
        raise UnknownName("corpus of the data set", corpus, corpora)
    else:
        chosen = list(corpora)
    stored = [corpora[name] for name in chosen]
    return [CorpusFiles(one.files, PARQUET, corpus or one.name, stored=one) for one in stored]


def make_room(engine: DuckDB, wanted: CorpusFiles, *, replace: bool, clean_up: bool = True) -> None:
    """Delete the corpus that another one replaces, in a transaction. Raises UsageError if none may be replaced.

    clean_up: whether strings that no row has any more are deleted. Raises UnknownName where a linked corpus is missing.
    """
    if corpus_exists(engine, wanted.corpus):
        if not replace:
            raise exists_already(wanted.corpus)
        _delete(engine, wanted.corpus, clean_up=clean_up)
    for linked in linked_corpora(wanted):
        if not corpus_exists(engine, linked):
            raise UnknownName("corpus", linked, corpus_names(engine))


def exists_already(corpus: str) -> UsageError:
    """The error of a corpus whose name is taken."""
    return UsageError(f"corpus {corpus!r} is loaded already; choose another name, or load with --replace")


def check_links(engine: Engine, corpus: str) -> None:
    """Check the links of an alignment from a data set against the corpora that it names, as far as these are loaded.

    Raises InvalidInput where links lie outside of their sentences.
    """
    source, target = link_checks.linked_texts(engine, corpus)
    if source is not None or target is not None:
        link_checks.check_links(engine, corpus, source, target, {})


def drop_corpora(engine: DuckDB, corpora: Iterable[str]) -> None:
    """Remove corpora from all tables. Raises UnknownName."""
    with transaction(engine.connection):
        for corpus in corpora:
            if not corpus_exists(engine, corpus):
                raise UnknownName("corpus", corpus, corpus_names(engine))
            _delete(engine, corpus)


def corpus_names(engine: Engine) -> list[str]:
    """The names of the corpora, in the order in which they were loaded."""
    return [name for (name,) in engine.rows("SELECT corpus FROM corpora ORDER BY loaded_at, corpus")]


def linked_corpora(wanted: CorpusFiles) -> list[str]:
    """The corpora whose words an alignment links, as far as they are named."""
    notation = wanted.notation or Notation()
    return [corpus for corpus in (notation.source_corpus, notation.target_corpus) if corpus is not None]


def corpus_exists(engine: Engine, corpus: str) -> bool:
    """Whether a corpus of this name is loaded."""
    [(n,)] = engine.rows("SELECT count(*) FROM corpora WHERE corpus = $corpus", {"corpus": corpus})
    return bool(n)


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
    columns = [duckdb.ColumnExpression("corpus") if corpus is None else duckdb.ConstantExpression(corpus)]
    for column in table.columns[1:]:
        if column.name in rows.schema.names:
            columns.append(duckdb.ColumnExpression(column.name))
        elif column.computed and options.wants(table.name, column.name):
            columns.append(duckdb.SQLExpression(column.computed))
        else:
            columns.append(duckdb.ConstantExpression(None))
    # Not a registered view: DuckDB would keep its rows in memory until the transaction ends.
    relation = engine.connection.from_arrow(rows)
    if left_out:
        names = map(duckdb.ConstantExpression, sorted(left_out))
        relation = relation.filter(duckdb.ColumnExpression("corpus").isnotin(*names))
    relation.select(*columns).insert_into(table.name)


def read_corpus(wanted: CorpusFiles, options: Options, store: Store, progress: Progress | None = None) -> CorpusSummary:
    """Pass the rows of a corpus to `store`, table by table. Raises InvalidInput with the faults of all its files."""
    return put_all(rows_of_corpus(wanted, options, progress), lambda rows: store(*rows, wanted.corpus))


def rows_of_corpus(
    wanted: CorpusFiles, options: Options, progress: Progress | None = None
) -> Generator[Rows, None, CorpusSummary]:
    """The rows of a corpus, table by table; returns its summary. Raises InvalidInput with the faults of all its files.

    Rows of several chunks, and of several files, come together, as many as are worth an INSERT.
    """
    state = State(warnings=wanted.find_misnamed(), stored_corpus=wanted.shared_name)
    options = options_of(wanted, options)
    faults = [] if wanted.stored is None else wanted.stored.find_damage()
    if faults:
        raise InvalidInput(faults)
    counts: Counter[str] = Counter()
    digests: list[str] = []
    waiting = WaitingBatches()
    for path in wanted.files:
        source = Source(path, progress)
        try:
            for batch in readers.read(source, wanted.form, state, options):
                if not faults:
                    yield from waiting.add(without_ids(batch) if options.ids == readers.NONE else batch)
                counts.update({name: rows.num_rows for name, rows in batch.items()})
        except InvalidInput as error:
            faults += error.faults
        digests.append(source.sha256)
    if faults:
        raise InvalidInput(faults)
    yield from waiting.tables()
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
    )


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


def finish_corpus(engine: DuckDB, wanted: CorpusFiles, options: Options, reading: CorpusSummary) -> Loaded:
    """Fill feature_lists, write the corpus's row of `corpora` and check its links. Raises InvalidInput."""
    if options.wants("feature_lists"):
        feature_lists.fill_feature_lists(engine.connection, [wanted.corpus], options)
    if wanted.form == PARQUET:
        _check_against_record(engine, wanted, reading.n_sentences, reading.n_words)
    else:
        write_records(engine, [(wanted, reading)], options)
    notation = wanted.notation
    if notation is not None and linked_corpora(wanted):
        others = link_checks.other_readings(wanted.form, notation)
        link_checks.check_links(engine, wanted.corpus, notation.source_corpus, notation.target_corpus, others)
    return loaded_of(wanted, reading)


def loaded_of(wanted: CorpusFiles, reading: CorpusSummary) -> Loaded:
    """A corpus that was loaded, as it was read."""
    kind = readers.kind(wanted.form)
    n_links = reading.n_links if kind == ALIGNMENT else None
    n_edges = reading.n_edges if kind == LATTICE else None
    n_hypotheses = reading.n_hypotheses if kind == NBEST else None
    return Loaded(wanted.corpus, reading.n_sentences, reading.n_words, reading.warnings, n_links, n_edges, n_hypotheses)


def _check_against_record(engine: Engine, wanted: CorpusFiles, n_sentences: int, n_words: int) -> None:
    """Raises InvalidInput if a data set and its record in corpora differ."""
    sql = "SELECT n_sentences, n_words FROM corpora WHERE corpus = $corpus"
    if engine.rows(sql, {"corpus": wanted.corpus}) != [(n_sentences, n_words)]:
        what = f"{n_sentences} sentences and {n_words} words are not what its record says"
        raise InvalidInput([Diagnostic.error(wanted.files[0], 0, what, "export the data set again")])


def write_records(engine: DuckDB, read: Sequence[tuple[CorpusFiles, CorpusSummary]], options: Options) -> None:
    """Write the rows of `corpora` of corpora that were read, in their order."""
    now = datetime.now(UTC).replace(tzinfo=None)
    records = [
        {**_record_of(wanted, options, reading), "loaded_at": now + at * timedelta.resolution}
        for at, (wanted, reading) in enumerate(read)
    ]
    rows = pa.Table.from_pylist(records, schema=schemas.table("corpora").arrow_schema())
    insert_rows(engine, schemas.table("corpora"), rows, None, Options())


def _record_of(wanted: CorpusFiles, options: Options, reading: CorpusSummary) -> dict[str, object]:
    """The row of `corpora` of a corpus, without the time."""
    digests = reading.digests
    whole = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    return {
        "corpus": wanted.corpus,
        "kind": readers.kind(wanted.form),
        "treebank": wanted.treebank,
        "language": wanted.language,
        "format": wanted.form,
        "reading": reading.how,
        "score_sense": readers.score_sense(
            wanted.form, options.scores if readers.formats()[wanted.form].score_senses else None
        ),
        "files": [{"path": path, "sha256": digest} for path, digest in zip(wanted.files, digests, strict=True)],
        **stored(reading.layouts),
        "sha256": whole,
        "n_sentences": reading.n_sentences,
        "n_words": reading.n_words,
        "treesql_version": __version__,
        "changed_at": None,
    }


def _delete(engine: DuckDB, corpus: str, *, clean_up: bool = True) -> None:
    for table in schemas.corpus_tables():
        engine.connection.execute(f"DELETE FROM {quote(table.name)} WHERE corpus = ?", [corpus])
    delete_pairs(engine.connection, corpus)
    if clean_up:
        feature_lists.delete_unused(engine.connection)
