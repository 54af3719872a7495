"""Scores of batches that come one after another: sums of counts are kept of each, from which the scores of all are
computed.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import pyarrow as pa

from treesql import catalog, readers
from treesql._version import __version__
from treesql.catalog import documents, kinds, schemas
from treesql.catalog.queries import attributes_named, attributes_of
from treesql.catalog.schemas import BY_CHARACTERS, quote
from treesql.engines.duckdb import DuckDB
from treesql.errors import MAX_NAMED, Diagnostic, Issued, UnknownName, UsageError, collecting, issue, plural
from treesql.evaluation.evaluate import evaluate_inputs, join_systems, open_and_run
from treesql.evaluation.files import Names, make_task, with_inputs
from treesql.evaluation.inputs import check_options, words_run
from treesql.evaluation.paired_files import split_by_treebank
from treesql.evaluation.sources import KNOWN_AT_THE_END, SUMS, sums_of_block
from treesql.evaluation.task import (
    Input,
    Inputs,
    Task,
    check_parameters,
    check_task,
    choose_columns,
    columns_named,
    words_named,
)
from treesql.readers import Options
from treesql.results.result import Result
from treesql.runtime.arrays import compute as pc
from treesql.runtime.failures import convert_errors_of_class
from treesql.scoring.items import (
    FEATURE_PREFIX,
    Record,
    ScoringPlan,
    column_of,
    is_aligned,
    is_feature,
    plan_scores,
    records_of,
)
from treesql.scoring.sums import SumAccumulator, keys_of_sums
from treesql.storage import corpus_plans, loading

SENTENCE, CORPUS = "sentence", "corpus"
"""Columns of the number of a sentence, and of the corpus that it is of."""

_OF_FILES = frozenset({*documents.MARKS, *KNOWN_AT_THE_END, "loaded_at", "line", "span_start", "span_end"})
"""Columns of words, sentences and corpora that depend on where a sentence stands among others."""

_SENTENCES = "SELECT s.corpus, s.sentence, s.sent_id FROM sentences AS s"

_DIGEST_VALUES = 1 << 256
"""Number of values of a digest."""


@dataclass
class _CorpusRecord:
    """What signatures cite of the corpora of all batches in one role: the first file, and sums of the others.

    digest: the sum of those of the batches, which is the same for any order of these. notes: the format of the first
    batch, then the ways in which others were read, each once.
    """

    kind: str
    path: str | None
    n_files: int
    digest: int
    n_sentences: int
    notes: tuple[str, ...]

    @classmethod
    def of(cls, record: Record) -> _CorpusRecord:
        """What is kept of a corpus of one batch."""
        notes = (record.format, *(record.reading or "").split())
        return cls(record.kind, record.path, record.n_files, int(record.sha256, 16), record.n_sentences, notes)

    def add(self, other: _CorpusRecord) -> None:
        """Add what is kept of further batches."""
        self.n_files += other.n_files
        self.digest = (self.digest + other.digest) % _DIGEST_VALUES
        self.n_sentences += other.n_sentences
        self.notes = tuple(dict.fromkeys([*self.notes, *other.notes]))

    def row(self) -> pa.Table:
        """The row of the table `corpora`."""
        digest, (form, *notes) = f"{self.digest:064x}", self.notes
        row = {
            "kind": self.kind, "format": form, "reading": " ".join(notes), "sha256": digest,
            "files": [{"path": self.path, "sha256": digest}] * self.n_files,
            "n_sentences": self.n_sentences, "n_words": 0, "treesql_version": __version__,
            "loaded_at": datetime.now(UTC).replace(tzinfo=None),
        }  # fmt: skip
        schema = schemas.table("corpora").arrow_schema()
        return pa.Table.from_pylist([row], schema=pa.schema([schema.field(name) for name in row]))


@dataclass
class _Seen:
    """What is kept of batches, of one or of all of them.

    records: by role, and number of those that may have several corpora. sums: partial sums, as of a block of files;
    numbered: those of their columns that are numbers of sentences. sentences: where sums are per sentence, those of all
    corpora. n_sentences: after how many the next batch begins. aligned: whether words of a batch were aligned by their
    characters. unscored: by reason, the number of sentences that count for no score, and the first MAX_NAMED of them.
    """

    records: dict[str, _CorpusRecord]
    sums: SumAccumulator
    numbered: tuple[str, ...]
    sentences: SumAccumulator
    n_sentences: int
    n_batches: int = 1
    aligned: bool = False
    unscored: dict[tuple[str, str], tuple[int, list[int]]] = field(default_factory=dict)

    def add(self, other: _Seen) -> None:
        """Add what is kept of further batches, whose sentences come after those before."""
        if other.records.keys() != self.records.keys():
            before, now = (", ".join(seen.records) for seen in (self, other))
            raise UsageError(f"every batch has the same roles, and these have {before}, and {now}")
        shift = self.n_sentences
        for rows in list(other.sums.parts):
            self.sums.add(_shifted(rows, other.numbered, shift))
        for rows in list(other.sentences.parts):
            self.sentences.add(_shifted(rows, (SENTENCE,), shift))
        for name, record in list(other.records.items()):
            self.records[name].add(record)
        for reason, (n_unscored, first) in list(other.unscored.items()):
            n_before, named = self.unscored.get(reason, (0, []))
            numbers = [*named, *(number + shift for number in first)][:MAX_NAMED]
            self.unscored[reason] = (n_before + n_unscored, numbers)
        self.aligned |= other.aligned
        self.n_sentences, self.n_batches = shift + other.n_sentences, self.n_batches + other.n_batches

    def rows(self) -> loading.RowsByTable:
        """The rows of corpora and sentences by table, of every corpus."""
        records = [(name, record.row()) for name, record in self.records.items()]
        if not self.sentences.parts:
            return {"corpora": records}
        rows = self.sentences.table()
        of_corpora = [(name, rows.filter(pc.equal(rows[CORPUS], name)).drop_columns(CORPUS)) for name in self.records]
        return {"corpora": records, "sentences": of_corpora}

    def joined(self) -> _Seen:
        """The same with all sums in one table, which no other object has."""
        sums, sentences = (
            SumAccumulator(added.keys, [added.table()] if added.parts else [], n_added=1 if added.parts else 0)
            for added in (self.sums, self.sentences)
        )
        records = {name: replace(record) for name, record in self.records.items()}
        return replace(self, sums=sums, sentences=sentences, records=records, unscored=dict(self.unscored))


def _shifted(rows: pa.Table, columns: tuple[str, ...], shift: int) -> pa.Table:
    """Rows with numbers of sentences that come after others."""
    for name in columns if shift else ():
        numbers = pc.add(rows[name], pa.scalar(shift, rows[name].type))
        rows = rows.set_column(rows.column_names.index(name), rows.schema.field(name), numbers)
    return rows


_NUMBER_OF_THINGS = re.compile(r"\d[\d,.]*(?: (?P<noun>\w+?)s?\b)?")


def _kind_of(warning: object) -> str:
    """What a warning is about, without numbers and the names of what it counts, which differ between batches."""
    text = warning.what.partition(":")[0] + warning.hint if isinstance(warning, Diagnostic) else str(warning)
    return _NUMBER_OF_THINGS.sub(r"\g<noun>", text)


@convert_errors_of_class
class Scorer:
    """Scores of one system that is seen batch by batch, as while a parser is trained.

    >>> scorer = treesql.Scorer("dependency", metric="las")
    >>> for gold, predicted in batches:
    ...     scorer.update(gold=gold, system=predicted)
    >>> scorer.compute()["las"]

    Scores are ratios of sums over sentences, and sums add up: those of all batches are what `treesql.score` returns for
    the whole, to the last digit. Only sums are kept, a row for every metric and group of `by`; with `ci` one for every
    sentence.

    A scorer is pickled with what it has seen, so that processes score their batches and one adds their scorers up:
    `merge`. Several threads may update one; sentences are then in the order in which batches were scored.
    """

    def __init__(
        self,
        kind: str,
        metric: Names = (),
        *,
        with_: Names = (),
        by: Names | None = (),
        where: str | None = None,
        ci: bool = False,
        max_sentence: int | str | None = None,
        **given: Any,
    ) -> None:
        """Make a scorer that has seen nothing.

        kind, metric, with_, by, where, ci, max_sentence: as for `treesql.score`. given: parameters of the metrics
        (`punctuation="form"`), and options of the kind and of how batches are read (`format="conllu"`), but no inputs.
        Features and comments are named with their prefixes, `feats.Case` and `meta.speaker`: a batch need not have
        them. Files that `weights` and `rules` name are read now; those of other options at every update.

        What depends on other sentences has no sums that add up: word dependency entropies as weights of relations,
        information of n-grams (NIST), frequencies of words, `match="sent_id"`, documents, lines of files. Raises
        UsageError where that is named; metrics that are not named are left out, with a TreesqlWarning. Raises
        UnknownName, InvalidInput.
        """
        self._kind = kind
        self._request: dict[str, Any] = {"metric": metric, "with_": with_, "by": by, "where": where, "ci": ci}
        self._given = {name: value for name, value in given.items() if value is not None}
        self._max_sentence = max_sentence
        self._seen: _Seen | None = None
        self._warned: set[str] = set()
        self._lock = threading.Lock()
        self._prepared: Any = None
        task = self._template
        if not task.kind.alternatives:  # else the inputs choose the metric
            check_parameters(task)
            check_options(task, task.queries)
        hook = task.hook
        hook.check(task)
        self._prepared = hook.prepare(task)
        for name in self._left_out:
            why, _, hint = self._crossing[name].partition("; ")
            issue(Diagnostic.warning(kind, 0, f"{name} is left out: {why}", hint))

    def update(self, **batch: Any) -> None:
        """Add a batch of sentences: `update(gold=..., system=...)`, by the roles of the kind.

        Everything that `treesql.score` takes for a role: a path, bytes, an open file, a list of sentences, data frames.
        Every batch has the same roles. Where what is scored is a list, all lists have sentences: no file is looked for
        that has the name of one, nor standard input. Warns as `score` does, but of each kind of finding for the first
        batch that has it. Raises what `score` raises, and UsageError; the scorer is then as it was before.
        """
        roles = [role.name for role in self._template.kind.roles]
        for name in batch:
            if name not in roles:
                raise UnknownName(f"role of the kind {self._kind}", name, roles)
        own = [role.name for role in self._template.kind.own]
        if batch.keys().isdisjoint(own):
            raise UsageError(f"update also needs what is scored: {own[0]}=...")
        if any(isinstance(batch.get(name), list | tuple) for name in own):
            batch = {name: corpus_plans.as_sentences(value) for name, value in batch.items()}
        with readers.max_sentence(self._max_sentence):
            task = self._task(batch)
            check_task(task)
            if task.may_hold_treebanks and split_by_treebank(task) is not None:
                raise UsageError("a batch is a file for each role; update with each file of a folder or pattern")
            with self._new_warnings():
                scored = open_and_run(task, _scored, sums=True)
            self._add(scored)

    def merge(self, other: Scorer) -> None:
        """Add what another scorer has seen, which stays as it is; its sentences come after those seen here.

        Raises UsageError unless it was made with the same arguments.
        """
        for name, value in self._arguments.items():
            if other._arguments.get(name) != value or other._arguments.keys() != self._arguments.keys():
                raise UsageError("only scorers that were made with the same arguments are merged")
        seen = other._joined()
        if seen is not None:
            self._add(seen)

    def compute(self) -> Result:
        """The scores of all that was seen, with the columns that `treesql.score` has.

        `system` is named by its role: `system`, `hypothesis`. Signatures cite what was scored in a role as they cite
        files that are one corpus: `gold:list+7@5d0c11` is a list of sentences, and seven batches more. The digest of
        several depends neither on their order nor on how scorers were merged; that of one is the same as in `score`.

        May be called at any time, and again after further updates. Warns as `score` does. Raises UsageError if nothing
        was seen.
        """
        seen = self._joined()
        if seen is None:
            raise UsageError("nothing has been scored; call update with a batch first")
        with self._open(seen) as inputs:
            return join_systems(evaluate_inputs(inputs))

    def reset(self) -> None:
        """Forget what was seen, and of what `update` has warned."""
        self._seen = None
        self._warned = set()

    def __repr__(self) -> str:
        n, n_batches = (self._seen.n_sentences, self._seen.n_batches) if self._seen else (0, 0)
        sentences, batches = plural(n, "sentence"), plural(n_batches, "batch", "batches")
        return f"<treesql.Scorer {self._kind}: {n} {sentences} in {n_batches} {batches}>"

    def __getstate__(self) -> dict[str, Any]:
        state = {
            "version": __version__, "prepared": self._prepared, "seen": self._joined(), "warned": set(self._warned)
        }  # fmt: skip
        return {**state, "arguments": (self._kind, self._request, self._given, self._max_sentence)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state["version"] != __version__:
            raise UsageError(f"treesql {state['version']} made this scorer, and this is {__version__}; score again")
        self._kind, self._request, self._given, self._max_sentence = state["arguments"]
        self._prepared, self._seen, self._warned = state["prepared"], state["seen"], state["warned"]
        self._lock = threading.Lock()

    @property
    def _arguments(self) -> dict[str, Any]:
        return {"kind": self._kind, "prepared": self._prepared, **self._request, **self._given}

    @contextmanager
    def _new_warnings(self) -> Iterator[None]:
        """Issue the warnings of this block whose kinds no batch before had."""
        issued: list[Issued] = []
        try:
            with collecting(issued):
                yield
        finally:
            kinds_of_findings = [_kind_of(warning) for warning, _ in issued]
            with self._lock:
                before = set(self._warned)
                self._warned.update(kinds_of_findings)
            for kind, (warning, category) in zip(kinds_of_findings, issued, strict=True):
                if kind not in before:
                    issue(warning, category)

    def _add(self, seen: _Seen) -> None:
        with self._lock:
            if self._seen is None:
                self._seen = seen
            else:
                self._seen.add(seen)

    def _joined(self) -> _Seen | None:
        """What was seen until now, which no other object has."""
        with self._lock:
            return self._seen and self._seen.joined()

    @cached_property
    def _made(self) -> Task:
        """The task of the arguments, with the roles that every batch has in place of inputs.

        Raises UsageError, UnknownName.
        """
        kind = kinds.kind(self._kind)
        for name in self._given:
            if name in {role.name for role in kind.roles}:
                raise UsageError(f"{name} is an input; give it to update, with each batch")
        roles = {role.name: role.name for role in kind.roles if not role.option}
        task = make_task(kind, (), {**self._given, **roles}, **self._request)
        if task.tables:
            raise UsageError("a scorer computes scores, not tables; leave out what chooses a table")
        if task.ci and SENTENCE in task.by:
            raise UsageError("ci resamples sentences; a row per sentence leaves nothing to resample")
        return task

    @cached_property
    def _crossing(self) -> dict[str, str]:
        """By metric, why it cannot be scored batch by batch. Raises UsageError for groups and conditions."""
        task = self._made
        metrics = list(task.kind.all_metrics) if task.kind.alternatives else task.choice.metrics
        _check_columns(task, list(map(catalog.query, metrics)))
        reasons = {name: _why_crossing(task, catalog.query(name)) for name in metrics}
        return {name: why for name, why in reasons.items() if why}

    @cached_property
    def _left_out(self) -> list[str]:
        """The metrics that cannot be scored batch by batch. Raises UsageError where they are named, or none is left."""
        task, crossing = self._made, self._crossing
        named = choose_columns(task.kind, task.metrics, task.added).metrics if crossing else []
        none_left = bool(crossing) and not set(task.choice.metrics) - crossing.keys()
        for name, why in crossing.items():
            if name in named or none_left:
                raise UsageError(f"{name} cannot be scored batch by batch: {why}")
        return list(crossing)

    @cached_property
    def _template(self) -> Task:
        """The same without the metrics that are left out."""
        task = self._made
        if not self._left_out:
            return task
        of_names = {name: choose_columns(task.kind, [name]).metrics for name in task.default_names}
        kept = [name for name, metrics in of_names.items() if set(self._left_out).isdisjoint(metrics)]
        return replace(task, default_metrics=kept)

    def _task(self, batch: Mapping[str, Any]) -> Task:
        """The task of a batch."""
        return replace(with_inputs(self._template, self._system, batch, self._given), prepared=self._prepared)

    @property
    def _system(self) -> str:
        """The name of the system: that of its role, as where it is given in memory."""
        kind = self._template.kind
        return " + ".join(kind.named_by or [kind.own[0].name])

    @contextmanager
    def _open(self, seen: _Seen) -> Iterator[Inputs]:
        """Yield an engine with the sums of all batches, as `sources.open_in_blocks` does with those of blocks."""
        inputs = _inputs_of(self._template, self._system, seen.records)
        task, queries = inputs.task, inputs.task.queries
        with loading.connect_to_rows(seen.rows(), Options(), words_run(task, queries, aligning=False)) as engine:
            inputs = replace(inputs, engine=engine)
            quiet = replace(inputs, task=replace(task, warn=lambda warning: None))
            installed = task.hook.install(quiet, queries, self._prepared)
            inputs = replace(inputs, installed=installed)
            values = inputs.values(self._system, queries)
            plan = plan_scores(
                engine, task.choice.metrics, values, task.by, task.where, of_blocks=True, absent_keys=True
            )
            _hold_sums(engine, self._system, plan, seen)
            yield replace(
                inputs, plans={self._system: plan.over_sums(SUMS + self._system)},
                unscored={self._system: {reason: _numbers(*found) for reason, found in seen.unscored.items()}},
                aligned=frozenset({self._system} if seen.aligned else ()),
            )  # fmt: skip


def _scored(inputs: Inputs) -> _Seen:
    """What is kept of the inputs of a batch, whose system is the only one."""
    task, engine = inputs.task, inputs.engine
    [system] = inputs.systems
    values = inputs.values(system, task.queries)
    plan = inputs.plans.get(system)
    if plan is None:
        plan = plan_scores(engine, task.choice.metrics, values, task.by, task.where, absent_keys=True)
        sums, unscored = sums_of_block(inputs, system, plan)
    else:  # a large file, in blocks
        sums, unscored = engine.table(f"SELECT s.* FROM {quote(str(plan.table))} AS s"), inputs.unscored[system]
    by_sentence = [key for key, column in zip(plan.parts[0].keys, plan.parts[0].by, strict=True) if column.is_sentence]
    labels = dict(zip(inputs.corpora.values(), _labels(task), strict=True))
    stored = records_of(engine)
    records = {labels[corpus]: _CorpusRecord.of(record) for corpus, record in stored.items()}
    n_sentences = max(record.n_sentences for record in stored.values())
    seen = _Seen(
        records, SumAccumulator(keys_of_sums(plan, by_sentence=task.ci)), (*[SENTENCE] * task.ci, *by_sentence),
        SumAccumulator((CORPUS, SENTENCE, "sent_id")), n_sentences,
        aligned=system in inputs.aligned or is_aligned(engine, task.queries, values),
        unscored={reason: (len(numbers), numbers[:MAX_NAMED]) for reason, numbers in unscored.items()},
    )  # fmt: skip
    seen.sums.add(sums)
    if seen.numbered:
        rows = engine.table(_SENTENCES)
        names = pa.array([labels[corpus] for corpus in rows[CORPUS].to_pylist()], pa.string())
        seen.sentences.add(rows.set_column(0, CORPUS, names))
        seen.n_sentences = max(n_sentences, 1 + (pc.max(rows[SENTENCE]).as_py() or 0))
    return seen


def _labels(task: Task) -> list[str]:
    """What the inputs of a task are called beside those of other batches: their role, from the second on a number."""
    labels: list[str] = []
    for task_input in task.inputs:
        role = task_input.role.name
        number = sum(label.partition(" ")[0] == role for label in labels)
        labels.append(f"{role} {number + 1}" if number else role)
    return labels


def _inputs_of(task: Task, system: str, labels: Mapping[str, object]) -> Inputs:
    """The task whose inputs are the corpora of all batches, still without an engine."""
    corpora = {}
    for label in labels:
        role = task.kind.role(label.partition(" ")[0])
        corpora[Input(role, label, system if role.side == kinds.SYSTEM else None)] = label
    shared = {
        role.name: tuple(label for label in labels if label.partition(" ")[0] == role.name) for role in task.kind.shared
    }
    own = {role.name: role.name for role in task.kind.own if role.name in labels}
    named = replace(task, systems={system: own}, shared={role: names for role, names in shared.items() if names})
    return Inputs(named, None, corpora)  # type: ignore[arg-type]


def _hold_sums(engine: DuckDB, system: str, plan: ScoringPlan, seen: _Seen) -> None:
    """Make the table of sums; once words of a batch were aligned, scores are those of aligned words in all batches."""
    table = SUMS + system
    loading.hold_rows(engine, table, seen.sums.table())
    for at, part in enumerate(plan.parts if seen.aligned else ()):
        names = [count.name for count in part.query.counts]
        if BY_CHARACTERS in names:
            column = plan.sum_columns[names.index(BY_CHARACTERS)]
            engine.connection.execute(f"UPDATE {quote(table)} SET {column} = 1 WHERE part = {at} AND {column} = 0")


def _numbers(n: int, first: list[int]) -> list[int]:
    """As many numbers of sentences as there were, of which only the first ones are known, and named."""
    return [*first, *[-1] * (n - len(first))]


def _check_columns(task: Task, queries: list[catalog.Query]) -> None:
    """Raise UsageError for groups and conditions that name what depends on other sentences; UnknownName for features
    without their prefix, which a batch may not have."""
    if catalog.reads_tables(task.where):
        raise UsageError("where has a query in it, which depends on more than a batch; name columns alone")
    known = {column.name for query in queries for column in query.columns}
    known.update(name for query in queries for name in attributes_of(query))
    known.update(name for table in ("words", "sentences", "corpora") for name in schemas.table(table).names)
    for name in columns_named(task):
        column = column_of(name).lower()
        is_number = column == SENTENCE and name not in task.by
        if column in _OF_FILES or column.endswith(f"_{SENTENCE}") or is_number:
            raise UsageError(f"{name} depends on other sentences than those of a batch; group and select by others")
        if is_feature(name, known) and column not in known and not name.startswith(FEATURE_PREFIX):
            raise UnknownName("column", name, known, f"a feature is written {FEATURE_PREFIX}{name}")
    for query in queries:
        for attribute in attributes_named(query, words_named(task)):
            summed = {
                shown.name
                for other in catalog.crossing_queries([attribute.query], task.parameters)
                for shown in other.columns
                if shown.shown or not other.adds_up
            }
            if attribute.column.name in summed:
                raise UsageError(f"{attribute.name} depends on other sentences than those of a batch; group by others")


def _why_crossing(task: Task, metric: catalog.Query) -> str:
    """Why the items of a metric, or its audits, need other sentences than their own; empty where they do not."""
    given = {name: value for name, value in task.options.items() if value}
    values = {**task.kind.parameters, **task.parameters, **given}
    for query in catalog.crossing_queries([metric, *metric.audit_queries], values):
        if query.unless is None:
            why = query.crosses_sentences or f"{query.name} counts over all sentences"
            return f"{why}; score the whole with treesql.score"
        name, value = query.unless
        return f"{query.crosses_sentences}; give {name}" + ("" if value is None else f"={value!r}")
    return ""
