"""Counts over two files of the same text, summed block by block, so that memory does not grow with the files.

A block ends where sentences of both files end at the same character. A statistic takes one row of counts from every
block, and the rows are summed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from treesql import catalog, readers
from treesql.catalog import Query
from treesql.engines import Engine
from treesql.errors import Warn
from treesql.kernels.arrays import Ints
from treesql.readers import Options, State
from treesql.readers.reading import reading as reading_of
from treesql.readers.source import Source
from treesql.results.result import Result
from treesql.scoring import statistics, treebank_warnings
from treesql.scoring.audits import add_defaults, check_audit
from treesql.scoring.signatures import signature
from treesql.scoring.sql import with_clause
from treesql.storage import in_memory, loading
from treesql.storage.loading import CorpusFiles, CorpusSummary

MIN_BLOCK_WORDS = 130_000
"""Minimum number of words of either file in a block, except in the last one."""

Rows = dict[str, pa.Table]
"""Rows of a corpus by table."""


def score_blocks(
    gold: CorpusFiles, system: CorpusFiles, tables: Sequence[Query], options: Options, warn: Warn
) -> Result:
    """Return the rows of statistics of two corpora, computed with one block of their files in memory at a time.

    Raises what `sum_blocks` raises.
    """
    counted, summaries = sum_blocks(gold, system, tables, options, warn)
    values = {"gold_corpus": gold.corpus, "system_corpus": system.corpus}
    found, cited = [], {}
    with in_memory.connect_to_rows({}, options, frozenset()) as engine:
        for files, summary in zip((gold, system), summaries, strict=True):
            loading.write_record(engine, files, options, summary)
        for query, totals in zip(tables, counted, strict=True):
            found.append(statistic_table(engine, query, totals))
            cited[query.name] = signature(engine, query, query.name, query.values(values), None)
    return Result(pa.concat_tables(found), cited, statistics.share_columns(tables[0]))


def sum_blocks(
    gold: CorpusFiles,
    system: CorpusFiles,
    tables: Sequence[Query],
    options: Options,
    warn: Warn,
) -> tuple[list[dict[str, int]], tuple[CorpusSummary, CorpusSummary]]:
    """Return for each statistic its counts for two corpora, summed over blocks, and summaries of the corpora.

    The audits of the statistics run on every block. Warns of files without enhanced edges where these are scored.
    Raises InvalidInput, Incomparable.
    """
    sides = [_BufferedFile(*_batches(request, options, warn)) for request in (gold, system)]
    values = {"gold_corpus": gold.corpus, "system_corpus": system.corpus}
    queries = [catalog.query(statistic.sums or "") for statistic in tables]
    totals = [dict.fromkeys((column.name for column in query.columns), 0) for query in queries]
    audits = list({audit.name: audit for statistic in tables for audit in statistic.audit_queries}.values())
    expressions, names = catalog.expand_together([*queries, *audits])
    faults = " + ".join(f"(SELECT count(*) FROM {name})" for name in names[len(queries) :])
    columns = [f"c{at}.{column}" for at, total in enumerate(totals) for column in total]
    joined = ", ".join(f"{name} AS c{at}" for at, name in enumerate(names[: len(queries)]))
    sql = f"{with_clause(expressions)}SELECT {faults}, {', '.join(columns)}\nFROM {joined}"
    whole = catalog.Statement((), sql)
    bound = whole.bind(add_defaults(audits, values))
    # Rows of feature_lists stay for later blocks: no query counts them.
    with in_memory.connect_to_rows({}, options, whole.identifiers) as engine:
        for block in _blocks((gold.corpus, system.corpus), sides):
            in_memory.register_block(engine, block, options)
            [(n_faults, *row)] = engine.rows(sql, bound)
            if n_faults:
                for audit in audits:
                    check_audit(engine, audit, values)
            found = iter(row)
            totals = [{name: value + (next(found) or 0) for name, value in total.items()} for total in totals]
            in_memory.unregister_rows(engine, block)
            del block  # free its memory before the next block is read
    if "enhanced_edges" in whole.identifiers:
        for request, side in zip((gold, system), sides, strict=True):
            if "enhanced_edges" not in side.filled:
                warn(treebank_warnings.missing_enhanced_edges(request.corpus))
    [of_gold, of_system] = (side.reading() for side in sides)
    return totals, (of_gold, of_system)


def statistic_table(engine: Engine, query: Query, totals: Mapping[str, int]) -> pa.Table:
    """Return the rows of a statistic that is computed from sums."""
    literals = ", ".join(f"CAST({value} AS BIGINT) AS {name}" for name, value in totals.items())
    return engine.table(f"WITH {query.sums} AS (SELECT {literals})\n{query.body}")


@dataclass
class _BufferedFile:
    """A corpus that is read chunk by chunk, and its rows that are in no block yet."""

    batches: Iterator[readers.Batch]
    reading: Callable[[], CorpusSummary]
    rows: Rows = field(default_factory=dict)
    ended: bool = False
    filled: set[str] = field(default_factory=set)
    """The tables that the file has rows for, as far as it was read."""

    def advance(self) -> None:
        """Read the next chunk."""
        batch = next(self.batches, None)
        if batch is None:
            self.ended = True
            return
        for name, new in batch.items():
            more = pa.Table.from_batches([new])
            self.filled |= {name} if new.num_rows else set()
            self.rows[name] = pa.concat_tables([self.rows[name], more]) if name in self.rows else more

    @property
    def words(self) -> int:
        """Number of words that were read and are in no block yet."""
        return self.rows["words"].num_rows if self.rows else 0

    def ends(self) -> tuple[Ints, Ints]:
        """Return the numbers of the sentences, and the offset after the last character of each."""
        sentence, offset = (_integers(self.rows["words"][name]) for name in ("sentence", "span_end"))
        last = np.flatnonzero(np.append(sentence[1:] != sentence[:-1], True))
        return sentence[last], offset[last]

    def sentence_until(self, offset: int) -> int:
        """Return the number of the first sentence that ends at an offset."""
        sentence, ends = self.ends()
        return int(sentence[np.searchsorted(ends, offset)])

    def take(self, sentence: int | None) -> Rows:
        """Remove and return the rows up to a sentence, or all."""
        taken: Rows = {}
        for name, rows in self.rows.items():
            n = rows.num_rows
            if sentence is not None:
                n = int(np.searchsorted(_integers(rows["sentence"]), sentence, side="right"))
            taken[name], self.rows[name] = rows.slice(0, n), rows.slice(n)
        return taken


def _blocks(corpora: Sequence[str], sides: Sequence[_BufferedFile]) -> Iterator[in_memory.RowsByTable]:
    """Yield blocks: the rows of both corpora, by table, up to a common end of sentences."""
    min_words = MIN_BLOCK_WORDS
    while not all(side.ended for side in sides):
        for side in sides:
            while side.words < min_words and not side.ended:
                side.advance()
        cut: list[int] | list[None] = [None, None]
        if not all(side.ended for side in sides):
            one, other = (side.ends()[1] if side.words else np.zeros(0, dtype=np.int64) for side in sides)
            common = np.intersect1d(one, other)
            if not len(common):
                min_words *= 2
                continue
            cut = [side.sentence_until(int(common[-1])) for side in sides]
        min_words = MIN_BLOCK_WORDS
        taken = zip(corpora, sides, cut, strict=True)
        yield _by_table([(corpus, side.take(sentence)) for corpus, side, sentence in taken])


def _by_table(corpora: Sequence[tuple[str, Rows]]) -> in_memory.RowsByTable:
    names = dict.fromkeys(name for _, rows in corpora for name in rows)
    return {name: [(corpus, rows[name]) for corpus, rows in corpora if name in rows] for name in names}


def _batches(
    request: CorpusFiles, options: Options, warn: Warn
) -> tuple[Iterator[readers.Batch], Callable[[], CorpusSummary]]:
    """Return the rows of a corpus, and a function that returns its summary after the last row."""
    state, sources = State(), [Source(path) for path in request.files]

    def batches() -> Iterator[readers.Batch]:
        for source in sources:
            yield from readers.read(source, request.form, state, options)
        for warning in state.warnings:
            warn(warning)

    def reading() -> CorpusSummary:
        digests = tuple(source.sha256 for source in sources)
        how = reading_of(request.form, options, state)
        return CorpusSummary(state.sentences, 0, digests, tuple(state.warnings), how, layouts=tuple(state.layouts))

    return batches(), reading


def _integers(column: pa.ChunkedArray) -> Ints:
    """Return a column of integers without NULL as a NumPy array."""
    chunks = [
        np.frombuffer(chunk.buffers()[1], dtype=f"i{chunk.type.bit_width // 8}")[chunk.offset :][: len(chunk)]
        for chunk in column.chunks
    ]
    return np.concatenate(chunks).astype(np.int64) if chunks else np.zeros(0, dtype=np.int64)
