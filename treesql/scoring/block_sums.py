"""Counts over two files of the same text, block by block, so that the memory needed does not grow with the files.

A block ends where sentences of both files end at the same character. What a statistic needs of every block is one row
of counts; the blocks' rows are summed.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np
import pyarrow as pa

from treesql import catalog, functions, readers
from treesql.catalog import Query, schemas
from treesql.engines.duckdb import MEMORY
from treesql.errors import Warn
from treesql.kernels.arrays import Ints
from treesql.readers import Options, State
from treesql.readers.reading import reading as reading_of
from treesql.readers.source import Source
from treesql.scoring.audits import add_defaults, check_audit
from treesql.scoring.sql import with_clause
from treesql.storage import feature_lists, in_memory
from treesql.storage.loading import CorpusFiles, CorpusSummary

WORDS = 130_000
"""A block has at least so many words of either file, unless the files end before."""

FILLED = {"feature_lists"}
"""Tables that are made from a block's rows. What one has of former blocks is of use for the next, and harms none."""

Rows = dict[str, pa.Table]
"""By table, rows of a corpus."""


def sum_blocks(
    gold: CorpusFiles,
    system: CorpusFiles,
    statistics: Sequence[Query],
    options: Options,
    warn: Warn,
) -> tuple[list[dict[str, int]], tuple[CorpusSummary, CorpusSummary]]:
    """For each statistic its row of counts for two corpora, summed over blocks, whose audits find nothing in any; and
    what was read of the corpora.

    Raises InvalidInput, Incomparable.
    """
    sides = [_Side(*_batches(request, options, warn)) for request in (gold, system)]
    values = {"gold_corpus": gold.corpus, "system_corpus": system.corpus}
    queries = [catalog.query(statistic.sums or "") for statistic in statistics]
    totals = [dict.fromkeys((column.name for column in query.columns), 0) for query in queries]
    audits = list({audit.name: audit for statistic in statistics for audit in statistic.audit_queries}.values())
    expressions, names = catalog.expand_together([*queries, *audits])
    faults = " + ".join(f"(SELECT count(*) FROM {name})" for name in names[len(queries) :])
    columns = [f"c{at}.{column}" for at, total in enumerate(totals) for column in total]
    joined = ", ".join(f"{name} AS c{at}" for at, name in enumerate(names[: len(queries)]))
    sql = f"{with_clause(expressions)}SELECT {faults}, {', '.join(columns)}\nFROM {joined}"
    whole = catalog.Statement((), sql)
    bound = whole.bind(add_defaults(audits, values))
    with duckdb.connect(MEMORY) as connection:
        [statement] = connection.extract_statements(sql)  # parsed once: a fifth of what a block takes whatever its size
        _create_tables(connection, whole.identifiers | catalog.tables_of(whole.identifiers) | FILLED)
        for held in _blocks((gold.corpus, system.corpus), sides):
            _register_rows(connection, held, options)
            wrong, *row = connection.execute(statement, bound).fetchall()[0]
            if wrong:
                for audit in audits:
                    check_audit(connection, audit, values)
            found = iter(row)
            totals = [{name: value + (next(found) or 0) for name, value in total.items()} for total in totals]
            in_memory.unregister_rows(connection, held)
            del held  # so that one block is gone before the next is read
    [of_gold, of_system] = (side.reading() for side in sides)
    return totals, (of_gold, of_system)


def statistic_table(connection: duckdb.DuckDBPyConnection, query: Query, totals: Mapping[str, int]) -> pa.Table:
    """The rows of a statistic that is made from sums."""
    literals = ", ".join(f"CAST({value} AS BIGINT) AS {name}" for name, value in totals.items())
    return connection.sql(f"WITH {query.sums} AS (SELECT {literals})\n{query.body}").to_arrow_table()


def _create_tables(connection: duckdb.DuckDBPyConnection, named: Container[str]) -> None:
    """What all blocks share: functions and views that are named, and tables, which views of a block will hide."""
    functions.install(connection, named)
    for entry in schemas.all_tables().values():
        if entry.name in named:
            connection.execute(entry.ddl)
    for view in schemas.all_views().values():
        if view.name in named:
            connection.execute(f"CREATE TEMP VIEW {schemas.quote(view.name)} AS\n{view.body}")


def _register_rows(connection: duckdb.DuckDBPyConnection, held: in_memory.RowsByTable, options: Options) -> None:
    for name in held:
        in_memory.register_rows(connection, schemas.table(name), held, options)
    if options.wants("feature_lists"):
        feature_lists.fill_feature_lists(connection, [corpus for corpus, _ in held["words"]], options)


@dataclass
class _Side:
    """One file, of which a block is taken at a time."""

    batches: Iterator[readers.Batch]
    reading: Callable[[], CorpusSummary]
    rows: Rows = field(default_factory=dict)
    ended: bool = False

    def advance(self) -> None:
        """Read a chunk more."""
        batch = next(self.batches, None)
        if batch is None:
            self.ended = True
            return
        for name, new in batch.items():
            more = pa.Table.from_batches([new])
            self.rows[name] = pa.concat_tables([self.rows[name], more]) if name in self.rows else more

    @property
    def words(self) -> int:
        """Number of words that are waiting."""
        return self.rows["words"].num_rows if self.rows else 0

    def ends(self) -> tuple[Ints, Ints]:
        """The sentences, and the offset after the last character of each."""
        sentence, offset = (_integers(self.rows["words"][name]) for name in ("sentence", "span_end"))
        last = np.flatnonzero(np.append(sentence[1:] != sentence[:-1], True))
        return sentence[last], offset[last]

    def sentence_until(self, offset: int) -> int:
        """The first sentence that ends at an offset."""
        sentence, ends = self.ends()
        return int(sentence[np.searchsorted(ends, offset)])

    def take(self, sentence: int | None) -> Rows:
        """The rows up to a sentence, or all, which are not kept."""
        taken: Rows = {}
        for name, rows in self.rows.items():
            n = rows.num_rows
            if sentence is not None:
                n = int(np.searchsorted(_integers(rows["sentence"]), sentence, side="right"))
            taken[name], self.rows[name] = rows.slice(0, n), rows.slice(n)
        return taken


def _blocks(corpora: Sequence[str], sides: Sequence[_Side]) -> Iterator[in_memory.RowsByTable]:
    """The rows of both corpora, by table, up to a common end of sentences, again and again."""
    wanted = WORDS
    while not all(side.ended for side in sides):
        for side in sides:
            while side.words < wanted and not side.ended:
                side.advance()
        cut: list[int] | list[None] = [None, None]
        if not all(side.ended for side in sides):
            one, other = (side.ends()[1] if side.words else np.zeros(0, dtype=np.int64) for side in sides)
            common = np.intersect1d(one, other)
            if not len(common):
                wanted *= 2
                continue
            cut = [side.sentence_until(int(common[-1])) for side in sides]
        wanted = WORDS
        taken = zip(corpora, sides, cut, strict=True)
        yield _by_table([(corpus, side.take(sentence)) for corpus, side, sentence in taken])


def _by_table(corpora: Sequence[tuple[str, Rows]]) -> in_memory.RowsByTable:
    names = dict.fromkeys(name for _, rows in corpora for name in rows)
    return {name: [(corpus, rows[name]) for corpus, rows in corpora if name in rows] for name in names}


def _batches(
    request: CorpusFiles, options: Options, warn: Warn
) -> tuple[Iterator[readers.Batch], Callable[[], CorpusSummary]]:
    """The rows of a corpus, and a function that returns, when all were taken, what was read."""
    state, sources = State(), [Source(path) for path in request.files]

    def batches() -> Iterator[readers.Batch]:
        for source in sources:
            yield from readers.read(source, request.form, state, options)
        for warning in state.warnings:
            warn(warning)

    def reading() -> CorpusSummary:
        digests = tuple(source.sha256 for source in sources)
        how = reading_of(request.form, options, state)
        return CorpusSummary(state.sentences, 0, digests, tuple(state.warnings), how)

    return batches(), reading


def _integers(column: pa.ChunkedArray) -> Ints:
    """Integers without NULL as NumPy has them."""
    chunks = [
        np.frombuffer(chunk.buffers()[1], dtype=f"i{chunk.type.bit_width // 8}")[chunk.offset :][: len(chunk)]
        for chunk in column.chunks
    ]
    return np.concatenate(chunks).astype(np.int64) if chunks else np.zeros(0, dtype=np.int64)
