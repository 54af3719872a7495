"""Inputs of files, scored with one block of sentences in memory at a time: only sums of the counts are kept.

Sentences are independent of each other and sums add up, so the scores are those of the whole files, to the last digit.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from treesql import catalog, readers
from treesql.catalog import documents, kinds
from treesql.engines.duckdb import DuckDB
from treesql.errors import Diagnostic, Incomparable, InvalidInput
from treesql.evaluation import hooks
from treesql.evaluation.inputs import (
    check_ids,
    check_kind,
    check_options,
    options_of,
    plan_loads,
    warn_of_empty_references,
    with_own_options,
    words_run,
)
from treesql.evaluation.roles import Inputs
from treesql.evaluation.task import (
    Input,
    Task,
    columns_named,
    corpus_names,
    names_feature,
    with_attributes,
    words_named,
)
from treesql.readers import Options
from treesql.readers.source import PACKED_ENDINGS
from treesql.scoring import statistics
from treesql.scoring.added_rows import AddedRows
from treesql.scoring.plans import ScoringPlan, plan_scores
from treesql.scoring.ranges import correspond_by_id
from treesql.scoring.word_alignments import check_block
from treesql.storage import file_blocks, in_memory, loading, precompiling
from treesql.storage.file_blocks import BufferedCorpus
from treesql.storage.in_memory import RowsByTable
from treesql.storage.loading import CorpusFiles, CorpusSummary

MIN_BYTES = 1 << 26
"""Size of files below which all of them are read before they are scored, which takes fewer statements."""

PACKED = 8
"""How many times smaller a packed file is, about."""

SUMS = "partial sums of "
"""Begins the name of a system's table of partial sums."""

SENTENCE_COLUMNS = ("sentence", "sent_id", "n_words")
"""Columns of sentences that are kept where they are groups or resampled, or may begin with ids."""

KNOWN_AT_THE_END = ("reading", "files", "layouts", "global_columns", "sha256", "n_sentences")
"""Columns of corpora that have their value once a corpus has been read."""


def can_score(task: Task) -> bool:
    """Whether a task reads files that are large, and its scores are sums over independent sentences."""
    if task.database is not None or task.tables or task.reads_standard_input:
        return False
    if _size(task) < MIN_BYTES or hooks.of_kind(task.kind).held(task.queries) is None:
        return False
    if catalog.contains_query(task.where) or task.parameters.get("match") == "sent_id":
        return False
    queries = with_attributes(task, task.queries)
    given = {name for name, value in task.parameters.items() if value} | hooks.of_kind(task.kind).installs
    audits = [audit for query in queries for audit in query.audit_queries]
    if catalog.reads_whole_corpora([*queries, *audits], given):
        return False
    # A later block may have the key of a comment.
    names_comment = any(documents.comment_key(name) is not None for name in columns_named(task))
    named_in_blocks = words_named(task).isdisjoint({*documents.MARKS, *KNOWN_AT_THE_END})
    return named_in_blocks and not names_feature(task, queries) and not names_comment


@contextmanager
def open_sums(task: Task) -> Iterator[Inputs]:
    """Read the files of a task block by block, and open an engine with the sums from which its systems are scored.

    Raises what `open_inputs` raises; Incomparable at the first block in which something cannot be compared.
    """
    queries = task.queries
    check_options(task, queries)
    hook = hooks.of_kind(task.kind)
    hook.check(task)
    names = corpus_names(task)
    files = plan_loads(task, names)
    for one, of in zip(task.inputs, files, strict=True):
        check_kind(of.corpus, readers.kind(of.form), one.role)
    options = options_of(task, queries, aligning=False)  # files whose words differ are read whole
    words = words_run(task, queries, aligning=False)
    precompiling.expect(words, {of.form for of in files})
    gold = [of for one, of in zip(task.inputs, files, strict=True) if one.role.side == kinds.GOLD]
    prepared = hook.prepare(task)
    try:
        if before := hook.held_before(queries, prepared):
            with _open(_read(gold, options, words, before), options, words) as engine:
                prepared = hook.prepare_from(Inputs(task, engine, names))
        read = _read(files, options, words, hook.held(queries) or (), _Scoring(task, names, prepared))
    except InvalidInput as error:
        raise with_own_options(_all_faults(files, options) or error, task) from None
    for warning in file_blocks.distinct_warnings(read.sides):
        task.warn(warning)
    with _open(read, options, words) as engine:
        inputs = Inputs(task, engine, names, plans=read.plans, unscored=read.unscored)
        check_ids(inputs, queries)
        warn_of_empty_references(inputs, queries)
        inputs = replace(inputs, installed=hook.install(inputs, queries, prepared))
        hook.warn(inputs, queries)
        yield inputs


class _Scoring:
    """The partial sums of all systems of a task. prepared: by its hook."""

    def __init__(self, task: Task, names: Mapping[Input, str], prepared: Any) -> None:
        self._task, self._names, self._prepared = task, names, prepared
        self.by_id = correspond_by_id(task.queries)
        self.by_sentence = task.ci or "sentence" in task.by or self.by_id
        self.unscored: dict[str, dict[tuple[str, str], list[int]]] = {name: {} for name in task.systems}
        self._plans: dict[str, ScoringPlan] = {}
        self._sums: dict[str, AddedRows] = {}

    def begin(self, engine: DuckDB) -> None:
        """Make the plans on the engine that will hold one block after another."""
        task, queries = replace(self._task, warn=lambda warning: None), self._task.queries
        inputs = Inputs(task, engine, self._names)
        inputs = replace(inputs, installed=hooks.of_kind(task.kind).install(inputs, queries, self._prepared))
        self._inputs = inputs
        for name in inputs.systems:
            values = inputs.values(name, queries)
            self._plans[name] = plan_scores(engine, task.choice.metrics, values, task.by, task.where, of_blocks=True)
            self._sums[name] = AddedRows(1 + task.ci + len(task.by))

    def add_block(self, engine: DuckDB) -> None:
        """Add the sums of the block that the engine holds. Raises Incomparable, QueryError."""
        hook, metrics = hooks.of_kind(self._task.kind), self._task.choice.metrics
        for name, plan in self._plans.items():
            check_block(engine, self._task.queries, plan.values)
            sums = plan.partial_sums(engine, by_sentence=self._task.ci)
            found = hook.find_unscored(self._inputs, name, metrics, plan.counts_of(sums))
            for reason, numbers in found.items():
                self.unscored[name].setdefault(reason, []).extend(numbers)
            self._sums[name].add(sums)

    def plans(self) -> dict[str, ScoringPlan]:
        """The plans over the tables of sums."""
        return {
            name: plan.over_partial_sums(SUMS + name, by_sentence=self._task.ci) for name, plan in self._plans.items()
        }

    def tables(self) -> dict[str, pa.Table]:
        """The tables of sums."""
        return {SUMS + name: sums.table() for name, sums in self._sums.items()}


@dataclass
class _Read:
    """What is kept of corpora that were read.

    held: the rows of relations by name. rows: by table, all rows of sentences if they are groups or resampled, and one
    of every other table but words. plans, sums: by system, how it is scored, and the table of its partial sums.
    """

    sides: Sequence[BufferedCorpus]
    held: Mapping[str, AddedRows]
    rows: dict[str, list[tuple[str, pa.Table]]] = field(default_factory=dict)
    plans: Mapping[str, ScoringPlan] = field(default_factory=dict)
    sums: Mapping[str, pa.Table] = field(default_factory=dict)
    unscored: Mapping[str, hooks.Unscored] = field(default_factory=dict)

    def keep(self, block: RowsByTable, *, sentences: bool, ends: bool) -> None:
        """Keep rows of a block. ends: keep the first and last words of sentences."""
        if ends and "words" in block:
            self.rows.setdefault("words", []).extend((corpus, _at_ends(rows)) for corpus, rows in block["words"])
        for name in block.keys() - {"words"}:
            kept = self.rows.setdefault(name, [])
            if name == "sentences" and sentences:
                kept += [
                    (corpus, rows.select([one for one in SENTENCE_COLUMNS if one in rows.schema.names]))
                    for corpus, rows in block[name]
                ]
            else:
                known = {corpus for corpus, _ in kept}
                kept += [
                    (corpus, rows.slice(0, 1)) for corpus, rows in block[name] if corpus not in known and len(rows)
                ]


def _read(
    files: Sequence[CorpusFiles],
    options: Options,
    words: frozenset[str] | None,
    held: Sequence[str],
    scoring: _Scoring | None = None,
) -> _Read:
    """Read corpora block by block. held: relations to keep. Raises InvalidInput, Incomparable, QueryError."""
    relations = {name: catalog.query(name) for name in held}
    named = None if words is None else words.union(*(one.statement.identifiers for one in relations.values()))
    keys = {name: sum(column.type != "BIGINT" for column in one.columns) for name, one in relations.items()}
    found = _Read([file_blocks.open_corpus(one, options) for one in files], {n: AddedRows(1 + keys[n]) for n in keys})
    with in_memory.connect_to_rows({}, options, named) as engine:
        for one in files:
            loading.write_records(engine, [(one, CorpusSummary(0, 0, ("",) * len(one.files), (), ""))], options)
        for number, block in enumerate(file_blocks.blocks_of_sentences(found.sides)):
            _check_sentences(block, have_ids=scoring is None or not scoring.by_id)
            in_memory.register_block(engine, block, options)
            if scoring and not number:
                scoring.begin(engine)
            if scoring:
                scoring.add_block(engine)
            for (name, query), one in itertools.product(relations.items(), files):
                rows = statistics.run_query(engine, query, {statistics.CORPUS: one.corpus})
                corpus = pa.array([one.corpus] * len(rows), pa.string())
                found.held[name].add(rows.add_column(0, statistics.CORPUS, corpus))
            found.keep(
                block, sentences=scoring is not None and scoring.by_sentence, ends=scoring is not None and scoring.by_id
            )
            in_memory.unregister_rows(engine, block)
            del block  # free its memory before the next block is read
    if scoring is None:
        return found
    return replace(found, plans=scoring.plans(), sums=scoring.tables(), unscored=scoring.unscored)


def _check_sentences(block: RowsByTable, *, have_ids: bool) -> None:
    """Raises Incomparable if a corpus has ended before another, or has ids where it may not.

    The whole files are compared then: audits of a block see nothing of corpora without sentences in it.
    """
    corpora = block.get("sentences", [])
    ended = [corpus for corpus, rows in corpora if not len(rows)]
    if 0 < len(ended) < len(corpora):
        raise Incomparable([Diagnostic.error(ended[0], 0, "fewer sentences than others have", "")], 0)
    for corpus, rows in () if have_ids else corpora:
        if "sent_id" in rows.schema.names and rows["sent_id"].null_count < len(rows):
            raise Incomparable([Diagnostic.error(corpus, 0, "sentences correspond by their ids", "")], 0)


def _at_ends(words: pa.Table) -> pa.Table:
    """The first and last words of sentences."""
    numbers = words["sentence"].to_numpy()
    begins = np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)]
    # Arrow 26 selects no views of strings.
    plain = [one.with_type(pa.string()) if one.type == pa.string_view() else one for one in words.schema]
    return words.cast(pa.schema(plain)).filter(pa.array(begins | np.append(begins[1:], True)[: len(numbers)]))


@contextmanager
def _open(read: _Read, options: Options, words: frozenset[str] | None) -> Iterator[DuckDB]:
    """An engine with what is kept of corpora, for SQL with these words."""
    with in_memory.connect_to_rows(read.rows, options, words) as engine:
        for side in read.sides:
            loading.write_records(engine, [(side.files, side.summary())], options)
        for name, of_blocks in read.held.items():
            in_memory.hold_rows(engine, name, of_blocks.table())
        for name, sums in read.sums.items():
            in_memory.hold_rows(engine, name, sums)
        engine.held = frozenset(read.held)
        yield engine


def _all_faults(files: Sequence[CorpusFiles], options: Options) -> InvalidInput | None:
    """The faults of the first corpus that has some, as if its files were read before those of the others."""
    try:
        for one in files:
            loading.read_corpus(one, options, lambda table, rows, corpus: None)
    except InvalidInput as error:
        return error
    return None


def _size(task: Task) -> int:
    """The number of bytes of the files of a task, about; 0 where one is no single file."""
    paths = [Path(one.path) for one in task.inputs]
    if any(path.suffix == ".parquet" or not path.is_file() for path in paths):
        return 0
    return sum(path.stat().st_size * (PACKED if path.suffix in PACKED_ENDINGS else 1) for path in paths)
