"""Two versions of a treebank, read side by side: of the sentences that both have only sums and names are kept.

Sentences with the same sent_id are compared as soon as both are read, and dropped. Those without a counterpart wait,
and are paired by their texts and places at the end, when it is known as well whether each sent_id is the only one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from treesql import catalog, readers
from treesql.catalog import schemas
from treesql.engines.duckdb import DuckDB
from treesql.errors import InvalidInput, Warn
from treesql.kernels.arrays import Ints
from treesql.readers import PARQUET, Options
from treesql.readers.source import PACKED_ENDINGS, is_readable_file, size_of
from treesql.runtime import interrupts, steps
from treesql.runtime.arrays import compute as pc
from treesql.runtime.read_ahead import Production, put_all
from treesql.scoring.items import declared_values, execute
from treesql.scoring.sums import SumAccumulator
from treesql.storage import loading
from treesql.storage.corpus_plans import CorpusFiles
from treesql.storage.loading import CorpusSummary

MIN_BYTES = 1 << 23
"""Size of both versions together below which they are compared whole, which takes fewer statements."""

WORDS_OF_BLOCK = 30_000
"""Minimum number of words that are read of each version before sentences are compared."""

BATCHES_WAITING = 1
"""Maximum number of chunks of a version that wait to be compared."""

PACKED = 8
"""How many times smaller a packed file is, about."""

SENTENCES, SUMS = "version_sentences", "version_sums"
COUNTS, UNITS = "version_counts", "version_units"

_PAIRED = "paired sentences"
_KEYS = ("unit", "group_value", "column_number", "column_name", "old_label", "new_label")
_NAMES = ("sentence", "sent_id", "file")
"""Columns of sentences that are kept: what says whether a sent_id is the only one."""


def are_large(versions: Sequence[CorpusFiles]) -> bool:
    """Whether two versions are files that are large enough to be compared block by block."""
    files = [file for version in versions for file in version.files]
    if any(version.form == PARQUET or version.is_framed for version in versions):
        return False
    if any(version.kind in readers.WITHOUT_WORDS for version in versions) or not all(map(is_readable_file, files)):
        return False
    return sum(size_of(file) * (PACKED if file.endswith(PACKED_ENDINGS) else 1) for file in files) >= MIN_BYTES


def read_in_blocks(
    versions: Sequence[CorpusFiles], queries: Sequence[str], values: Mapping[str, object], options: Options, warn: Warn
) -> DuckDB | None:
    """Read an old and a new version block by block; return an engine, which the caller closes, with sums of them.

    Statistics are evaluated over these sums. None where something in a version is wrong. queries: names of those that
    run; values: of their parameters. Raises QueryError.
    """
    queries_run = [catalog.query(name) for name in queries]
    options = replace(options, columns=catalog.columns_read(queries_run))
    engine = loading.connect_to_rows({}, options, catalog.words_of_queries(queries_run))
    try:
        engine.connection.execute("SET threads = 1")
        try:
            summaries = _Comparison(engine, versions, options, values).read()
        except _Repeated:
            # Which sentences of a repeated sent_id correspond depends on all of them: they are paired at the end.
            summaries = _Comparison(engine, versions, options, values, at_end=True).read()
        loading.write_records(engine, list(zip(versions, summaries, strict=True)), options)
    except InvalidInput:
        engine.close()
        return None
    except BaseException:
        engine.close()
        raise
    for warning in {str(warning): warning for summary in summaries for warning in summary.warnings}.values():
        warn(warning)
    return engine


class _Repeated(Exception):
    """Sentences were compared that do not correspond, as their sent_id is repeated."""


@dataclass
class _Version:
    """A version that is read chunk by chunk.

    rows: by table, those of sentences that were not compared yet; sentences: the names of all. filled: by table and
    column, the first row that has a value.
    """

    files: CorpusFiles
    reading: Production[readers.Batch, CorpusSummary]
    rows: dict[str, pa.Table] = field(default_factory=dict)
    sentences: list[pa.Table] = field(default_factory=list)
    filled: dict[tuple[str, str], pa.Table] = field(default_factory=dict)
    ended: bool = False

    def __post_init__(self) -> None:
        self._batches = self.reading.items()

    def read(self, n_words: int) -> None:
        """Read some more words, unless the version ends before."""
        n = 0
        while n < n_words and not self.ended:
            batch = next(self._batches, None)
            if batch is None:
                self.ended = True
                return
            n += batch["words"].num_rows
            for name, new in batch.items():
                self._add(name, pa.Table.from_batches([new]))

    def _add(self, name: str, rows: pa.Table) -> None:
        if name in self.rows:
            left = self.rows[name]
            self.rows[name] = pa.concat_tables([left.cast(rows.schema), rows]) if len(left) else rows
        else:
            self.rows[name] = rows
        if name == "sentences":
            names = rows.select([column for column in _NAMES if column in rows.column_names])
            self.sentences.append(_plain(names))
        for column in rows.column_names:
            if (name, column) not in self.filled and rows[column].null_count < len(rows):
                first = int(pc.index(pc.is_valid(rows[column]), pa.scalar(True)).as_py())
                self.filled[name, column] = _plain(rows.slice(first, 1))

    def ids(self) -> pa.Array:
        """The sent_id of every sentence that was not compared yet."""
        sentences = self.rows["sentences"]
        known = "sent_id" in sentences.column_names
        return (
            sentences["sent_id"].cast(pa.string()).combine_chunks() if known else pa.nulls(len(sentences), pa.string())
        )

    def names(self) -> pa.Table:
        """The names of all sentences, and the text of the first that has one."""
        rows = pa.concat_tables(self.sentences)
        if ("sentences", "text") not in self.filled:
            return rows
        first = self.filled["sentences", "text"]
        has_text = pc.equal(rows["sentence"], first["sentence"][0])
        return rows.append_column("text", pc.if_else(has_text, first["text"][0], pa.scalar(None, pa.string())))

    def kept(self) -> dict[str, pa.Table]:
        """The names of all sentences, and of other tables rows that say which columns have values."""
        rows = {name: _plain(table.slice(0, 0)) for name, table in self.rows.items()}
        for (name, _), row in self.filled.items():
            rows[name] = pa.concat_tables([rows[name], row])
        return {**rows, "sentences": self.names()}

    def take(self, at: Ints) -> dict[str, pa.Table]:
        """Remove sentences by their places among those that were not compared yet, and return their rows."""
        numbers = _numbers(self.rows["sentences"])
        taken = np.zeros(len(numbers), bool)
        taken[at] = True
        n_first = int(taken.sum())
        removed = {}
        for name, rows in self.rows.items():
            if taken[:n_first].all():  # the first ones, as in versions with the same sentences
                n = n_first if name == "sentences" else _first_after(rows, numbers, n_first)
                removed[name], self.rows[name] = rows.slice(0, n), rows.slice(n)
            else:
                rows, chosen = _plain(rows), taken[np.searchsorted(numbers, _numbers(rows))]
                removed[name], self.rows[name] = rows.filter(chosen), rows.filter(~chosen).combine_chunks()
        return removed


class _Comparison:
    """The sums of two versions. at_end: whether no sentences are compared before all are read."""

    def __init__(
        self,
        engine: DuckDB,
        versions: Sequence[CorpusFiles],
        options: Options,
        values: Mapping[str, object],
        *,
        at_end: bool = False,
    ) -> None:
        self._engine, self._files, self._options = engine, versions, options
        self._values = _values(SUMS, values)
        self._at_end = at_end or self._values["match"] != "sent_id"
        self._sums = SumAccumulator(_KEYS)
        self._pairs: list[pa.Table] = []

    def read(self) -> list[CorpusSummary]:
        """Read and compare both versions; the engine then has what is kept of them. Raises InvalidInput."""
        n_bytes = sum(size_of(file) for files in self._files for file in files.files)
        with steps.reading(n_bytes), _reading(self._files, self._options) as readings:
            versions = [_Version(files, reading) for files, reading in zip(self._files, readings, strict=True)]
            old, new = versions
            while not (old.ended and new.ended):
                for version in versions:
                    version.read(WORDS_OF_BLOCK)
                if not self._at_end:
                    self._compare_ids(old, new)
            self._compare_rest(versions)
            self._keep(versions)
            return [version.reading.result for version in versions]

    def _compare_ids(self, old: _Version, new: _Version) -> None:
        """Compare the sentences with the same sent_id. Raises _Repeated."""
        if not (old.rows and new.rows):
            return
        found = pc.index_in(new.ids(), value_set=old.ids(), skip_nulls=True)
        at_new = np.flatnonzero(np.asarray(pc.is_valid(found)))
        at_old = np.asarray(found.drop_null(), dtype=np.int64)
        if len(np.unique(at_old)) < len(at_old):
            raise _Repeated
        pairs = _pairs_of(_numbers(old.rows["sentences"])[at_old], _numbers(new.rows["sentences"])[at_new])
        if len(pairs):
            self._add([old.take(at_old), new.take(at_new)], pairs)
            self._pairs.append(pairs)

    def _compare_rest(self, versions: Sequence[_Version]) -> None:
        """Pair all sentences, and compare those that were not compared. Raises _Repeated."""
        query, compared = catalog.query(SENTENCES), pa.concat_tables([_no_pairs(), *self._pairs])
        with self._showing([{**version.rows, "sentences": version.names()} for version in versions]):
            pairs = execute(
                self._engine, query.statement.sql, query.name, _values(SENTENCES, self._values), aggregated=True
            )
        keys = ["old_sentence", "new_sentence"]
        joined = pairs.join(compared.append_column("compared", pa.repeat(True, len(compared))), keys,
                            right_suffix=" before", use_threads=False)  # fmt: skip
        was_compared = np.asarray(pc.is_valid(joined["compared"]))
        if was_compared.sum() < len(compared):
            raise _Repeated
        self._pairs = [pairs]
        self._add([version.rows for version in versions], joined.filter(~was_compared).select(pairs.column_names))

    def _add(self, rows: Sequence[Mapping[str, pa.Table]], pairs: pa.Table) -> None:
        """Add the sums of sentences that correspond, and of others among the rows."""
        query = catalog.query(SUMS)
        paired = f'SELECT p.old_sentence, p.new_sentence, p.paired_by FROM "{_PAIRED}" AS p'
        sql = query.statement.replacing({SENTENCES: paired}).sql
        with self._showing(rows), self._engine.with_tables({_PAIRED: pairs}):
            self._sums.add(execute(self._engine, sql, query.name, self._values, aggregated=True))

    @contextmanager
    def _showing(self, rows: Sequence[Mapping[str, pa.Table]]) -> Iterator[None]:
        """Show rows of both versions under the names of their tables."""
        corpora = [files.corpus for files in self._files]
        held = {
            name: [(corpus, tables[name]) for corpus, tables in zip(corpora, rows, strict=True) if name in tables]
            for name in dict.fromkeys(name for tables in rows for name in tables)
        }
        for name in held:
            loading.register_rows(self._engine, schemas.table(name), held, self._options)
        yield
        loading.unregister_rows(self._engine, held)

    def _keep(self, versions: Sequence[_Version]) -> None:
        """Give the engine the sums, and what is kept of the versions."""
        corpora = [files.corpus for files in self._files]
        kept = [version.kept() for version in versions]
        held = {
            name: [(corpus, tables[name]) for corpus, tables in zip(corpora, kept, strict=True) if name in tables]
            for name in dict.fromkeys(name for tables in kept for name in tables)
        }
        for name in held:
            loading.register_rows(self._engine, schemas.table(name), held, self._options)
        sums = self._sums.table()
        are_counts = pc.is_valid(sums["old_label"])
        [pairs] = self._pairs
        of_relations = {SENTENCES: pairs, COUNTS: sums.filter(are_counts), UNITS: sums.filter(pc.invert(are_counts))}
        for name, rows in of_relations.items():
            loading.hold_rows(self._engine, name, _rows_of_relation(name, rows, corpora))
        self._engine.precomputed = frozenset(of_relations)


def _rows_of_relation(name: str, rows: pa.Table, corpora: Sequence[str]) -> pa.Table:
    """Rows with all columns of a relation, NULL where they have no value, and those that name the versions."""
    of_sums = {
        "pairs": lambda: pc.add(rows["same"], rows["changed"]),
        "same_values": lambda: rows["same"],
        "upos": lambda: rows["group_value"],
        "deprel": lambda: rows["group_value"],
    }
    columns: dict[str, Any] = {}
    for column in catalog.query(name).columns:
        known = rows[column.name] if column.name in rows.column_names else None
        made = known if known is not None else of_sums.get(column.name, lambda: pa.nulls(len(rows), pa.string()))()
        columns[column.name] = made
    named = zip(("old_corpus", "new_corpus"), corpora, strict=True)
    return pa.table(columns | {name: pa.repeat(pa.scalar(corpus, pa.string()), len(rows)) for name, corpus in named})


@contextmanager
def _reading(
    versions: Sequence[CorpusFiles], options: Options
) -> Iterator[list[Production[readers.Batch, CorpusSummary]]]:
    """Yield the versions as threads read them."""
    readings = [
        Production(
            functools.partial(put_all, loading.batches_of_corpus(files, options, loading.state_of(files))),
            BATCHES_WAITING,
        )
        for files in versions
    ]
    try:
        for reading in readings:
            reading.start()
        yield readings
    finally:
        with interrupts.deferred():
            for reading in readings:
                reading.stop()
            for reading in readings:
                reading.join()


def _plain(rows: pa.Table) -> pa.Table:
    """Rows with strings in place of views of strings, of which Arrow 26 selects none."""
    columns = [
        column.cast(pa.list_(pa.string())) if pa.types.is_list(column.type)
        else column.cast(pa.string()) if column.type == pa.string_view()
        else column
        for column in rows.columns
    ]  # fmt: skip
    return pa.table(columns, rows.column_names)


def _first_after(rows: pa.Table, numbers: Ints, n: int) -> int:
    """The place of the first row after some of the first sentences, whose numbers are given."""
    return len(rows) if n == len(numbers) else int(np.searchsorted(_numbers(rows), numbers[n]))


def _numbers(rows: pa.Table) -> Ints:
    """The number of the sentence of every row."""
    numbers: Ints = rows["sentence"].to_numpy().astype(np.int64)
    return numbers


def _pairs_of(old: Ints, new: Ints) -> pa.Table:
    """Pairs of sentences with the same sent_id, as rows of version_sentences."""
    return pa.table(
        {
            "old_sentence": pa.array(old, pa.int32()), "new_sentence": pa.array(new, pa.int32()),
            "paired_by": pa.repeat(pa.scalar("sent_id", pa.string()), len(old)),
        }
    )  # fmt: skip


def _no_pairs() -> pa.Table:
    nothing = np.zeros(0, np.int64)
    return _pairs_of(nothing, nothing)


def _values(relation: str, values: Mapping[str, object]) -> dict[str, object]:
    """The values of those parameters that a relation declares."""
    query = catalog.query(relation)
    return query.values(declared_values(query, values))
