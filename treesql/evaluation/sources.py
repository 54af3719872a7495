"""Large files as a source of blocks of whole sentences: only sums of the counts are kept of a block.

Sentences are independent of each other and sums add up, so the scores are those of the whole files, to the last digit.
The files of a system and those that it shares with others are cut at equal numbers of sentences; once its words are not
gold's, where a sentence of both sides ends at the same character. What all systems share is read once.
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
from treesql.engines.duckdb import DuckDB
from treesql.errors import Diagnostic, Incomparable, InvalidInput
from treesql.evaluation.inputs import (
    check_ids,
    check_kind,
    check_options,
    expect_kernels,
    options_of,
    plan_loads,
    warn_of_empty_references,
    with_own_options,
    words_run,
)
from treesql.evaluation.task import (
    Input,
    Inputs,
    ScoredSystem,
    Task,
    Unscored,
    corpus_names,
)
from treesql.kernels.arrays import Ints
from treesql.readers import Options
from treesql.readers.source import size_of
from treesql.runtime import steps
from treesql.runtime.arrays import array_of, differs_from_previous, integers
from treesql.scoring import scores, sums
from treesql.scoring.items import (
    COMPARED_TEXTS,
    ScoringPlan,
    align_block,
    check_audit,
    correspond_by_id,
    execute,
    have_same_words,
    pair_of,
    plan_scores,
)
from treesql.scoring.sums import SumAccumulator, keys_of_relation, keys_of_sums, sums_by_key
from treesql.storage import loading
from treesql.storage.corpus_plans import CorpusFiles
from treesql.storage.loading import CorpusSummary, RowsByTable

MIN_BLOCK_WORDS = 180_000
"""Minimum number of words of a corpus in a block, except in the last one; of links or edges where it has no words."""

FIRST_BLOCK_WORDS = 10_000
"""The same of the first block of corpora whose words may differ, so that this is seen early."""

SUMS = "partial sums of "
"""Begins the name of a system's table of partial sums."""

SENTENCE = "sentence"
"""The column of the number of a sentence."""

SENTENCE_COLUMNS = ("sentence", "sent_id", "n_words")
"""Columns of sentences that are kept where they are groups or resampled, or may begin with ids."""

KNOWN_AT_THE_END = ("reading", "files", "layouts", "global_columns", "sha256", "n_sentences")
"""Columns of corpora that have their value once a corpus has been read."""

Rows = dict[str, pa.Table]
"""Rows of a corpus by table."""


@contextmanager
def open_in_blocks(task: Task) -> Iterator[Inputs]:
    """Read the files of a task block by block, and yield an engine with the sums from which its systems are scored.

    Raises what `open_inputs` raises; Incomparable at the first block in which something cannot be compared.
    """
    queries = task.queries
    check_options(task, queries)
    hook = task.hook
    hook.check(task)
    names = corpus_names(task)
    files = plan_loads(task, names)
    for task_input, corpus_files in zip(task.inputs, files, strict=True):
        check_kind(corpus_files.corpus, readers.kind(corpus_files.form), task_input.role)
    prepared = task.prepared or hook.prepare(task)
    differing: set[str] = set()
    n_bytes = sum(size_of(file) for corpus_files in files for file in corpus_files.files)
    inputs = None
    while inputs is None:
        with steps.reading(n_bytes):
            inputs = _read_blocks(task, names, files, prepared, differing)
    with inputs.engine:
        check_ids(inputs, queries)
        warn_of_empty_references(inputs, queries)
        hook.warn(inputs, queries)
        yield inputs


class _OtherWords(Exception):
    """The words of a system are not gold's, and the blocks before were not aligned: it is read again from its begin."""

    def __init__(self, system: str) -> None:
        super().__init__(system)
        self.system = system


def _read_blocks(
    task: Task, names: Mapping[Input, str], files: Sequence[CorpusFiles], prepared: Any, differing: set[str]
) -> Inputs | None:
    """Return an engine, which the caller closes, with what is kept of all blocks of files.

    prepared: by the kind's hook. differing: systems whose words are not gold's; None is returned once a further one is
    found, which is one of them then. Raises InvalidInput, Incomparable, QueryError.
    """
    aligning, warnings = bool(differing), list[Diagnostic]()
    queries, hook = task.queries, task.hook
    relations = [catalog.query(name) for name in hook.precomputed(queries) or ()]
    options = options_of(task, queries, aligning=aligning)
    words = words_run(task, queries, aligning=aligning)
    if words is not None:
        words = words.union(*(relation.statement.identifiers for relation in relations))
        words |= catalog.query("same_words").statement.identifiers
    expect_kernels(words, {corpus_files.form for corpus_files in files})
    engine = loading.connect_to_rows({}, options, words)
    try:
        inputs = Inputs(task, engine, names)
        _write_records(
            engine,
            [(corpus_files, CorpusSummary(0, 0, ("",) * len(corpus_files.files), (), "")) for corpus_files in files],
            options,
        )
        quiet = replace(inputs, task=replace(task, warn=warnings.append))
        inputs = replace(inputs, installed=hook.install(quiet, queries, prepared))
        inputs = _BlockReader(inputs, files, options, relations, frozenset(differing)).read()
    except _OtherWords as error:
        engine.close()
        differing.add(error.system)
        return None
    except InvalidInput as error:
        engine.close()
        raise with_own_options(_all_faults(files, options) or error, task) from None
    except BaseException:
        engine.close()
        raise
    for warning in warnings:
        task.warn(warning)
    return inputs


def _write_records(engine: DuckDB, corpora: Sequence[tuple[CorpusFiles, CorpusSummary]], options: Options) -> None:
    """Write the records of corpora, in place of those that were written before they were read."""
    engine.connection.execute("DELETE FROM corpora")
    loading.write_records(engine, corpora, options)


class _BlockReader:
    """What is kept of the blocks of a task's files.

    The partial sums of every system; the rows of relations that add up; of every table but words one row, and all of
    sentences, where they are groups or resampled.
    """

    def __init__(
        self,
        inputs: Inputs,
        files: Sequence[CorpusFiles],
        options: Options,
        relations: Sequence[catalog.Query],
        differing: frozenset[str],
    ) -> None:
        self._inputs, self._files, self._options, self._relations = inputs, files, options, relations
        self._differing = differing
        self._task, self._hook = inputs.task, inputs.task.hook
        self._engine: DuckDB = inputs.engine  # type: ignore[assignment]
        self._by_id = correspond_by_id(self._task.queries)
        self._plans: dict[str, ScoringPlan] = {}
        self._sums: dict[str, SumAccumulator] = {}
        self._precomputed: dict[str, SumAccumulator] = {}
        self._kept: dict[str, list[tuple[str, pa.Table]]] = {}
        self._without_rows: dict[str, list[tuple[str, pa.Table]]] = {}
        self._unscored: dict[str, dict[tuple[str, str], list[int]]] = {name: {} for name in inputs.systems}

    def read(self) -> Inputs:
        """Read all blocks; the inputs then have what is kept. Raises InvalidInput, Incomparable, QueryError."""
        if self._task.tables:
            corpora = [_Corpus(corpus_files, self._options) for corpus_files in self._files]
            for system in self._blocks(corpora):
                self._add_tables(system)
        else:
            corpora = self._add_up()
        read = [(corpus.files, corpus.summary) for corpus in corpora]
        loading.warn_once(self._task.warn, [summary for _, summary in read])
        _write_records(self._engine, read, self._options)
        for name, rows in self._kept.items():
            shown = {name: rows or self._without_rows[name]}
            loading.register_rows(self._engine, catalog.schemas.table(name), shown, self._options)
        for name, sums_of_relation in self._precomputed.items():
            loading.hold_rows(self._engine, name, sums_of_relation.table())
        for system, added in self._sums.items():
            loading.hold_rows(self._engine, SUMS + system, added.table())
        self._engine.precomputed = frozenset(self._precomputed)
        plans = {name: plan.over_sums(SUMS + name) for name, plan in self._plans.items()}
        return replace(self._inputs, plans=plans, unscored=self._unscored, aligned=self._differing)

    def _add_up(self) -> list[_Corpus]:
        """Add up the partial sums of all systems, and return the corpora, which have been read."""
        task, queries = replace(self._task, warn=lambda warning: None), self._task.queries
        inputs = replace(self._inputs, task=task)
        for name in inputs.systems:
            values = inputs.values(name, queries)
            plan = plan_scores(self._engine, task.choice.metrics, values, task.by, task.where, of_blocks=True)
            self._plans[name] = plan
            self._sums[name] = SumAccumulator(keys_of_sums(plan, by_sentence=task.ci))
        with sums.PrecomputedSums(self._engine) as precomputed_sums:
            self._plans = {name: precomputed_sums.plan(plan, self._blocks_for) for name, plan in self._plans.items()}
            corpora = [_Corpus(corpus_files, self._options) for corpus_files in self._files]
            for name in self._blocks(corpora):
                partial, unscored = sums_of_block(inputs, name, self._plans[name])
                self._sums[name].add(partial)
                for reason, numbers in unscored.items():
                    self._unscored[name].setdefault(reason, []).extend(numbers)
        return corpora

    def _add_tables(self, system: str) -> None:
        """Add up the relations that the tables of a system read. Raises Incomparable, QueryError."""
        values = self._inputs.values(system)
        for query in self._task.queries:
            for audit in query.audit_queries:
                if system not in self._differing or audit.name not in COMPARED_TEXTS:
                    check_audit(self._engine, audit, values)
        expressions = [expression for query in self._task.queries for expression in query.statement.expressions]
        for name in dict.fromkeys(catalog.query_of(name).name for name in sums_by_key(expressions)):
            self._precompute(catalog.query(name), values)

    def _blocks_for(self, corpora: Sequence[str]) -> Iterator[None]:
        """Show some corpora block by block."""
        read = [_Corpus(corpus_files, self._options) for corpus_files in self._files if corpus_files.corpus in corpora]
        cuts = _Cuts([corpus.side() for corpus in read])
        while not cuts.ended:
            block = cuts.next_block()
            loading.register_block(self._engine, block, self._options)
            yield
            loading.unregister_rows(self._engine, block)
            cuts.drop()

    def _blocks(self, corpora: Sequence[_Corpus]) -> Iterator[str]:
        """Show every system's corpora block by block, and yield its name; what is kept of a block is kept then.

        Raises InvalidInput, Incomparable.
        """
        by_name = {corpus.files.corpus: corpus for corpus in corpora}
        waiting = {}
        for system in self._inputs.systems:
            names = [name for task_input, name in self._inputs.corpora.items() if task_input.system in (None, system)]
            may_differ = bool(pair_of(self._task.queries, self._inputs.values(system)))
            sides = [by_name[name].side() for name in names]
            waiting[system] = _Cuts(sides, may_differ=may_differ, by_text=system in self._differing)
        first = self._inputs.systems[0]
        while waiting:
            # That which is furthest behind, so that what others have read of shared corpora does not wait for it.
            system = max(waiting, key=lambda name: waiting[name].n_waiting)
            cuts = waiting[system]
            block = self._show_block(system, cuts)
            yield system
            shown = (system, None) if system == first else (system,)
            self._keep(block, [name for task_input, name in self._inputs.corpora.items() if task_input.system in shown])
            loading.unregister_rows(self._engine, block)
            del block  # free its memory before the next block is read
            cuts.drop()
            if cuts.ended:
                del waiting[system]

    def _show_block(self, system: str, cuts: _Cuts) -> RowsByTable:
        """Show the next block of a system's corpora, with its words aligned where they are not gold's."""
        block = cuts.next_block()
        loading.register_block(self._engine, block, self._options)
        pair = pair_of(self._task.queries, self._inputs.values(system))
        if cuts.by_text:
            align_block(self._engine, pair)
        elif pair and not have_same_words(self._engine, pair):
            raise _OtherWords(system)
        else:
            self._check_sentences(block)
        return block

    def _check_sentences(self, block: RowsByTable) -> None:
        """Raise Incomparable if a corpus has ended before another, or has ids where it may not.

        The whole files are compared then: audits of a block see nothing of corpora without sentences in it.
        """
        corpora = block.get("sentences", [])
        ended = [corpus for corpus, rows in corpora if not len(rows)]
        if 0 < len(ended) < len(corpora):
            raise Incomparable([Diagnostic.error(ended[0], 0, "fewer sentences than others have", "")], 0)
        for corpus, rows in corpora if self._by_id else ():
            if "sent_id" in rows.schema.names and rows["sent_id"].null_count < len(rows):
                raise Incomparable([Diagnostic.error(corpus, 0, "sentences correspond by their ids", "")], 0)

    def _keep(self, block: RowsByTable, corpora: Sequence[str]) -> None:
        """Keep what is needed of some corpora of a block once it is gone."""
        by_sentence = self._task.ci or "sentence" in self._task.by or self._by_id
        for corpus in corpora:
            for query in self._relations:
                self._precompute(query, {scores.CORPUS: corpus})
        for table, of_corpora in block.items():
            kept = self._kept.setdefault(table, [])
            self._without_rows[table] = [(corpus, rows.slice(0, 0)) for corpus, rows in of_corpora[:1]]
            for corpus, rows in of_corpora:
                if corpus not in corpora:
                    continue
                if table == "words":
                    kept += [(corpus, _at_ends(rows))] * self._by_id
                elif table == "sentences" and by_sentence:
                    kept.append(
                        (corpus, rows.select([column for column in SENTENCE_COLUMNS if column in rows.schema.names]))
                    )
                elif len(rows) and corpus not in {name for name, _ in kept}:
                    kept.append((corpus, rows.slice(0, 1)))

    def _precompute(self, query: catalog.Query, values: Mapping[str, object]) -> None:
        """Add up the rows of a relation, which has further columns with the values of its parameters that name corpora.

        Raises QueryError.
        """
        named = {name: str(values[name]) for name in scores.corpora_named(query)}
        rows = execute(self._engine, query.statement.sql, query.name, query.values(named), aggregated=True)
        for name, corpus in named.items():
            rows = rows.append_column(name, pa.array([corpus] * len(rows), pa.string()))
        keys = [*keys_of_relation(query.name), *named]
        self._precomputed.setdefault(query.name, SumAccumulator(keys)).add(rows)


@contextmanager
def summed_once(inputs: Inputs) -> Iterator[Inputs]:
    """Yield inputs that are scored, resampled and compared from sums per sentence, each system's computed once.

    Large corpora are left as they are: their scores are summed range by range. Raises Incomparable, QueryError.
    """
    task, engine = inputs.task, inputs.engine
    if not engine.is_small:
        yield inputs
        return
    plans: dict[str, ScoringPlan] = {}
    tables: dict[str, pa.Table] = {}
    unscored: dict[str, Unscored] = {}
    for system in inputs.systems:
        plan = plan_scores(engine, task.choice.metrics, inputs.values(system, task.queries), task.by, task.where)
        tables[SUMS + system], unscored[system] = sums_of_block(inputs, system, plan)
        plans[system] = plan.over_sums(SUMS + system)
    with engine.with_tables(tables):
        yield replace(inputs, plans=plans, unscored=unscored)


def sums_of_block(inputs: Inputs, system: str, plan: ScoringPlan) -> tuple[pa.Table, Unscored]:
    """The partial sums of a system in what the engine shows, and its sentences there that count for no score.

    Raises Incomparable, QueryError.
    """
    task, hook = inputs.task, inputs.task.hook
    asks_again = task.by or task.where or inputs.engine.is_small  # for sentences, where any count for no score
    by_sentence = task.ci or (hook.names_sentences and not asks_again)
    rows = plan.partial_sums(inputs.engine, by_sentence=by_sentence)
    assert rows is not None
    sentences_with = functools.partial(plan.sentences_with, rows) if by_sentence else None
    unscored = hook.find_unscored(
        inputs, ScoredSystem(system, task.choice.metrics, plan.counts_of(rows), sentences_with)
    )
    if by_sentence and not task.ci:
        rows = SumAccumulator(keys_of_sums(plan, by_sentence=False), [rows.drop_columns([SENTENCE])]).table()
    return rows, unscored


class _Corpus:
    """A corpus whose files are read chunk by chunk, once for all blocks that have some of it."""

    def __init__(self, files: CorpusFiles, options: Options) -> None:
        self.files, self.ended = files, False
        self._reading = loading.Direct(loading.batches_of_corpus(files, options, loading.state_of(files)))
        self._batches, self._sides = self._reading.items(), list[_Side]()

    @property
    def summary(self) -> CorpusSummary:
        """What was read, after the last row."""
        summary: CorpusSummary = self._reading.result
        return summary

    def side(self) -> _Side:
        """The corpus in the blocks of a system."""
        self._sides.append(_Side(self))
        return self._sides[-1]

    def advance(self) -> None:
        """Read the next chunk."""
        batch = next(self._batches, None)
        if batch is None:
            self.ended = True
            return
        for side in self._sides:
            side.add(batch)


@dataclass
class _Side:
    """The rows of a corpus that were read and are in no block of a system yet."""

    corpus: _Corpus
    rows: Rows = field(default_factory=dict)

    def add(self, batch: readers.Batch) -> None:
        """Add the rows of a chunk of a file."""
        for name, new in batch.items():
            more = pa.Table.from_batches([new])
            self.rows[name] = pa.concat_tables([self.rows[name], more]) if name in self.rows else more

    @property
    def n_waiting(self) -> int:
        """Number of words, links or edges."""
        return max((rows.num_rows for rows in self.rows.values() if SENTENCE in rows.schema.names), default=0)

    @property
    def last_sentence(self) -> int:
        """The number of the last sentence that was read; a chunk of a file ends with a sentence."""
        return int(self.rows["sentences"][SENTENCE][-1].as_py())

    def ends(self) -> tuple[Ints, Ints]:
        """Return the numbers of the sentences, and the offset after the last character of each."""
        if not self.n_waiting:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        sentence, offset = (integers(self.rows["words"][name]) for name in (SENTENCE, "span_end"))
        last = np.flatnonzero(np.append(sentence[1:] != sentence[:-1], True))
        return sentence[last], offset[last]

    def until(self, sentence: int | None) -> tuple[Rows, Rows]:
        """Return the rows up to a sentence, or all, and those after it; rows of no sentence, as labels, are in both."""
        before, after = dict(self.rows), dict(self.rows)
        for name, rows in self.rows.items():
            if SENTENCE in rows.schema.names:
                n = rows.num_rows
                if sentence is not None:
                    n = int(np.searchsorted(integers(rows[SENTENCE]), sentence, side="right"))
                before[name], after[name] = rows.slice(0, n), rows.slice(n)
        return before, after


class _Cuts:
    """Blocks of the corpora of a system: up to a sentence of the same number, or a common end of sentences.

    by_text: whether two corpora of one text have different words or sentences, so that numbers do not correspond.
    """

    def __init__(self, sides: Sequence[_Side], *, may_differ: bool = False, by_text: bool = False) -> None:
        self._sides = sides
        self._left: list[Rows] = []
        self._n_words = min(FIRST_BLOCK_WORDS, MIN_BLOCK_WORDS) if may_differ and not by_text else MIN_BLOCK_WORDS
        self.by_text, self.ended = by_text, False

    @property
    def n_waiting(self) -> int:
        """Number of words of the corpus of which most have been read and are in no block."""
        return max(side.n_waiting for side in self._sides)

    def next_block(self) -> RowsByTable:
        """Return the rows of the next block by table, of every corpus; they stay until `drop`. Raises InvalidInput."""
        cut = self._common_ends() if self.by_text else self._common_numbers()
        taken = [side.until(sentence) for side, sentence in zip(self._sides, cut, strict=True)]
        self.ended, self._left = not any(sentence is not None for sentence in cut), [after for _, after in taken]
        names = dict.fromkeys(name for rows, _ in taken for name in rows)
        of_sides = [(side.corpus.files.corpus, rows) for side, (rows, _) in zip(self._sides, taken, strict=True)]
        return {name: [(corpus, rows[name]) for corpus, rows in of_sides if name in rows] for name in names}

    def drop(self) -> None:
        """Drop the rows of the block."""
        for side, left in zip(self._sides, self._left, strict=True):
            side.rows = left
        self._n_words = MIN_BLOCK_WORDS

    def _fill(self, n_words: int) -> bool:
        """Read until all corpora have enough words or have ended, and return whether all have ended."""
        for side in self._sides:
            while side.n_waiting < n_words and not side.corpus.ended:
                side.corpus.advance()
        return all(side.corpus.ended for side in self._sides)

    def _common_numbers(self) -> list[int | None]:
        if self._fill(self._n_words):
            return [None] * len(self._sides)
        last = min(side.last_sentence for side in self._sides if not side.corpus.ended)
        return [last] * len(self._sides)

    def _common_ends(self) -> list[int | None]:
        n_words = MIN_BLOCK_WORDS
        while not self._fill(n_words):
            ends = [side.ends() for side in self._sides]
            common = functools.reduce(np.intersect1d, (offsets for _, offsets in ends))
            if len(common):
                return [int(sentences[np.searchsorted(offsets, common[-1])]) for sentences, offsets in ends]
            n_words *= 2
        return [None] * len(self._sides)


def _at_ends(words: pa.Table) -> pa.Table:
    """The first and last words of sentences."""
    first = differs_from_previous(integers(words[SENTENCE]))
    # Arrow 26 selects no views of strings.
    plain = [column.with_type(pa.string()) if column.type == pa.string_view() else column for column in words.schema]
    return words.cast(pa.schema(plain)).filter(array_of(first | np.append(first[1:], True)[: len(first)]))


def _all_faults(files: Sequence[CorpusFiles], options: Options) -> InvalidInput | None:
    """The faults of the first corpus that has some, as if its files were read before those of the others."""
    try:
        for corpus_files in files:
            for _ in loading.rows_of_corpus(corpus_files, options):
                pass
    except InvalidInput as error:
        return error
    return None
