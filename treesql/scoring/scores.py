"""Partial sums -> scores: the sums of a metric's counts, in all or per group, and score expressions over the sums.

A score is evaluated in two steps: the counts are summed per group, then the expression is evaluated over the sums.
Tests repeat the second step on resampled sums. Statistics are queries whose rows are a table of their own. Every score
has a signature: the inputs, options and versions that it was computed from.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from treesql import catalog, readers
from treesql._version import __version__
from treesql.catalog import Query, schemas
from treesql.catalog.header import NAMED_TERM, SUM, Parameter
from treesql.catalog.queries import OF_WORDS, further_corpora
from treesql.catalog.schemas import quote
from treesql.catalog.sql_text import with_clause
from treesql.engines import Engine
from treesql.engines.spark.types import KEY_TYPE, with_keys
from treesql.errors import Diagnostic, Warn
from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.sampling.fixed_point import UNITS
from treesql.readers import describe_kind
from treesql.results.result import Result
from treesql.scoring.items import (
    NO_ITEMS,
    MetricPart,
    Record,
    ScoringPlan,
    check_audit,
    check_corpora,
    column_of,
    declared_values,
    execute,
    pair_words,
    plan_scores,
    record_of,
    records_of,
    scored_values,
    selected_items,
    sum_name,
)
from treesql.scoring.sums import reduce_to_sums

FAULTS = "faults found"
"""Column of the number of faults that audits find. The blank keeps it apart from any score's name."""


@dataclass(frozen=True)
class SentenceSums:
    """The counts of a metric, float64[sentences, groups, counts], and the numbers of the sentences in order."""

    query: Query
    values: Floats
    sentences: Ints

    def extend_to(self, sentences: Ints) -> SentenceSums:
        """Return the counts for a superset of the sentences, 0 for the additional ones."""
        values = np.zeros((len(sentences), *self.values.shape[1:]))
        values[np.searchsorted(sentences, self.sentences)] = self.values
        return SentenceSums(self.query, values, sentences)


@dataclass(frozen=True)
class GroupSums:
    """The counts of a metric per group and sentence, a row for each sentence of a group that has items.

    numbers: by the values of a group, its number; groups, sentences: int64[rows], numbers in order; values:
    float64[rows, counts].
    """

    query: Query
    numbers: Mapping[tuple[Any, ...], int]
    groups: Ints
    sentences: Ints
    values: Floats


def score(
    engine: Engine,
    metrics: Sequence[str],
    parameters: Mapping[str, object],
    *,
    by: Sequence[str] = (),
    where: str | None = None,
    sums: bool = False,
    plan: ScoringPlan | None = None,
) -> Result:
    """Return the scores of one or several metrics of the same corpora, side by side, one row per group.

    parameters: values; each metric takes those that it declares. by: columns whose combinations are the groups, each
    `sentence`, or a column of the items, of the gold words, of the gold sentences or of the gold corpus, an attribute,
    or a morphological feature of the gold words, in this order, or a comment of the gold sentences; of numbers also
    bins, `n_words/10`. The groups of the first metric are the rows; other metrics are NULL where their items lack a
    column. where: an SQL condition on the same columns; metrics whose items lack a column of it are NULL. sums: add the
    sums of all counts, as columns named by `items.sum_name`. Raises UsageError, UnknownName, Incomparable, QueryError.
    """
    plan = plan or plan_scores(engine, metrics, parameters, by, where)
    if sums:
        plan = replace(plan, parts=tuple(replace(part, sums=True) for part in plan.parts))
    with _reduced_to_sums(engine, plan, by_sentence=False) as (evaluator, plan):
        rows = plan.execute(evaluator, scores_statement(plan))
    if plan.audits and (not len(rows) or rows[FAULTS][0].as_py()):
        plan.check_audits(engine)
    queries = [part.query for part in plan.parts]
    cited: dict[str, str] = {}
    once = ReadOnce(engine)
    for query in queries:
        inputs = origin(once, query, parameters, where, by)
        for name in (*(count.name for count in query.shown_counts), *(ratio.name for ratio in query.ratios)):
            cited.setdefault(name, f"{name}|{inputs}")
    percent = frozenset(s.name for query in queries for s in query.scores if s.unit == "percent")
    directions = {s.name: s.direction for query in queries for s in query.ratios}
    return Result(rows.drop_columns([FAULTS]) if plan.audits else rows, cited, percent, directions)


def sentence_sums(
    engine: Engine,
    metrics: Sequence[str],
    parameters: Mapping[str, object],
    *,
    by: Sequence[str] = (),
    where: str | None = None,
    plan: ScoringPlan | None = None,
) -> list[SentenceSums]:
    """Return the counts of metrics summed per sentence, from which scores can be computed. Parameters as for `score`.

    Groups are in the order of the rows of `score`; without `by` there is one. Sentences are those of the gold corpus,
    then those that only a system has, which a gold WPT file allows. Raises what `score` raises.
    """
    plan = plan or plan_scores(engine, metrics, parameters, by, where)
    rows, sums = _sentence_rows(engine, plan)
    part, sentence, group = (rows[name].to_numpy() for name in ("part", "sentence", "group_number"))
    gold = sentence_numbers(engine, str(plan.values[str(plan.parts[0].query.reference_corpus)]))
    sentences = np.union1d(gold, sentence[part < len(plan.parts)])
    n_groups = 1 if not by else int(group.max(initial=-1)) + 1
    of_parts = []
    for at, metric_part in enumerate(plan.parts):
        counts = np.zeros((len(sentences), n_groups, len(metric_part.query.counts)))
        of_part = part == at
        place = np.searchsorted(sentences, sentence[of_part])
        counts[place, group[of_part]] = sums[of_part, : len(metric_part.query.counts)]
        of_parts.append(SentenceSums(metric_part.query, counts, sentences))
    return of_parts


def group_sums(
    engine: Engine,
    metric: str,
    parameters: Mapping[str, object],
    *,
    by: Sequence[str] = (),
    where: str | None = None,
    plan: ScoringPlan | None = None,
) -> GroupSums:
    """Return the counts of a metric summed per group and sentence. Parameters and errors as for `sentence_sums`."""
    plan = plan or plan_scores(engine, [metric], parameters, by, where)
    rows, sums = _sentence_rows(engine, plan, labelled=True)
    part, sentence, group = (rows[name].to_numpy() for name in ("part", "sentence", "group_number"))
    counted = np.flatnonzero(part == 0)
    order = counted[np.lexsort((sentence[counted], group[counted]))]
    first = np.unique(group[order], return_index=True)[1]
    names = [grouping.name for grouping in plan.parts[0].by]
    labels = rows.select([_label_column(name) for name in names]).take(order[first])
    keys = list(zip(*(column.to_pylist() for column in labels.columns), strict=True)) if names else [()]
    numbers = {key: number for number, key in enumerate(keys)}
    return GroupSums(plan.parts[0].query, numbers, group[order], sentence[order], sums[order])


def _sentence_rows(engine: Engine, plan: ScoringPlan, *, labelled: bool = False) -> tuple[pa.Table, Floats]:
    """Return the rows of sums of all parts per sentence and group, and the sums: float64[rows, counts].

    Raises Incomparable, QueryError.
    """
    with _reduced_to_sums(engine, plan, by_sentence=True) as (evaluator, reduced):
        rows = reduced.execute(evaluator, sentence_sums_statement(reduced, labelled=labelled))
    sums = np.stack([rows[name].to_numpy() for name in plan.sum_columns], axis=1)
    if any(sums[rows["part"].to_numpy() == len(plan.parts), 0]):
        plan.check_audits(engine)
    return rows, sums


def _reduced_to_sums(
    engine: Engine, plan: ScoringPlan, *, by_sentence: bool
) -> AbstractContextManager[tuple[Engine, ScoringPlan]]:
    """The engine that evaluates a plan's scores, and the plan for it: over sums, unless the corpora are small."""
    if engine.is_small or plan.table is not None:
        return nullcontext((engine, plan))
    return reduce_to_sums(engine, plan, by_sentence=by_sentence)


def sentence_numbers(engine: Engine, corpus: str) -> Ints:
    """Return the numbers of a corpus's sentences in order."""
    sql = (
        "SELECT CAST(l.sentence AS BIGINT) AS sentence FROM sentences AS l WHERE l.corpus = $corpus ORDER BY l.sentence"
    )
    numbers: Ints = engine.table(sql, {"corpus": corpus})["sentence"].to_numpy()
    return numbers


def select_items(
    engine: Engine,
    name: str,
    parameters: Mapping[str, object],
    columns: Sequence[str],
    *,
    where: str | None = None,
) -> pa.Table:
    """Return columns of the items of a metric that meet a condition.

    Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    plan = plan_scores(engine, [name], parameters, (), where, columns)
    plan.check_audits(engine)
    [part] = plan.parts
    sql = f"SELECT {', '.join(f'i.{column}' for column in columns)}\nFROM {selected_items(part)} AS i"
    return plan.execute(engine, plan.prefix + sql, aggregated=False)


def scores_statement(plan: ScoringPlan) -> str:
    """Return SQL for the scores of all parts joined on their groups, each column once, with `sent_id` after `sentence`.

    The number of faults that audits find is in a further column, where there are audits.
    """
    first = plan.parts[0]
    columns = [f"{plan.faults} AS {quote(FAULTS)}"] if plan.faults else []
    joined = f"(\n{_scores_of_part(plan, 0)}\n) AS p0"
    names = {grouping.name for grouping in first.by}
    for grouping, key in zip(first.by, first.keys, strict=True):
        columns.append(f"{grouping.label(f'p0.{key}')} AS {quote(grouping.name)}")
        if grouping.is_sentence and "sent_id" not in names:
            columns.append("l.sent_id")
            condition = f"l.corpus = ${first.query.reference_corpus} AND l.sentence = p0.{key}"
            joined += f"\n{'' if first.is_by_sentence else 'LEFT '}JOIN sentences AS l ON {condition}"
    for at, part in enumerate(plan.parts):
        columns += [f"p{at}.{name}" for name in part.columns if name not in names]
        names.update(part.columns)
        if at:
            same = [f"(p{at}.{key} IS NOT DISTINCT FROM p0.{key})" for key in first.keys]
            joined += f"\nLEFT JOIN (\n{_scores_of_part(plan, at)}\n) AS p{at} ON {' AND '.join(same) or 'TRUE'}"
    order = "\nORDER BY " + ", ".join(f"p0.{key} NULLS LAST" for key in first.keys) if first.by else ""
    return f"{plan.prefix}SELECT {', '.join(columns)}\nFROM {joined}{order}"


def _scores_of_part(plan: ScoringPlan, at: int) -> str:
    """Return SQL for one metric's groups with the counts that are shown and the scores.

    Every term is computed once in a SELECT below those that name it: expressions with their terms expanded are long,
    and an engine needs more time to plan them than to run them.
    """
    part, terms = plan.parts[at], _terms_of_part(plan.parts[at])
    sql = _added_up(plan, at)
    columns = [*part.keys, *(_sum_column(count.name) for count in part.query.counts)]
    levels: dict[str, int] = {}
    for name, written in terms.items():
        levels[name] = 1 + max((levels[term] for term in NAMED_TERM.findall(written)), default=0)
    for level in sorted(set(levels.values())):
        new = [name for name in terms if levels[name] == level]
        computed = [f"{_by_columns(terms[name])} AS {_term_column(name)}" for name in new]
        sql = f"SELECT {', '.join([*(f't.{column}' for column in columns), *computed])}\nFROM (\n{sql}\n) AS t"
        columns += map(_term_column, new)
    shown = [f"t.{key}" for key in part.keys]
    shown += [f"CAST(t.{_sum_column(c.name)} AS {c.type}) AS {c.name}" for c in part.query.counts if c.shown]
    for score in part.scores:
        written = score.written if terms and score.written else score.expression
        shown.append(f"{_by_columns(written)} AS {score.name}")
    if part.sums:
        of_counts = part.query.counts
        shown += [f"CAST(t.{_sum_column(c.name)} AS {c.type}) AS {sum_name(part.query, c)}" for c in of_counts]
    return f"SELECT {', '.join(shown)}\nFROM (\n{sql}\n) AS t"


def _added_up(plan: ScoringPlan, at: int) -> str:
    """Return SQL for the sums of a part's counts per group. A sentence without items is a group, too."""
    part, rows = plan.parts[at], plan.rows_of(at)
    columns = []
    for summed, count in zip(plan.added_up, part.query.counts, strict=False):
        if part.where != NO_ITEMS:  # scores of a part without items are NULL
            summed = f"coalesce({summed}, 0)"
        if count.type == "DOUBLE":
            summed = f"CAST({summed} AS DOUBLE) / {UNITS}"
        columns.append(f"{summed} AS {_sum_column(count.name)}")
    if part.is_by_sentence:
        [key] = part.keys
        return (
            f"SELECT l.sentence AS {key}, {', '.join(columns)}\nFROM sentences AS l\n"
            f"LEFT JOIN {rows} AS s ON s.{key} = l.sentence\n"
            f"WHERE l.corpus = ${part.query.reference_corpus}\nGROUP BY l.sentence"
        )
    keys = [f"s.{key}" for key in part.keys]
    group = f"\nGROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join([*keys, *columns])}\nFROM {rows} AS s{group}"


def _terms_of_part(part: MetricPart) -> dict[str, str]:
    """Return the terms of a metric's scores as they are written, each below those that it names; none if a name has two
    meanings."""
    named = [term for score in part.scores for term in score.terms]
    written_terms = dict(named)
    return written_terms if all(written_terms[name] == written for name, written in named) else {}


def _by_columns(written: str) -> str:
    """Return an expression with the columns of sums and terms in place of these."""
    with_terms = NAMED_TERM.sub(lambda named: f"t.{_term_column(named[1])}", written)
    return SUM.sub(lambda summed: f"t.{_sum_column(summed[1])}", with_terms)


def _sum_column(count: str) -> str:
    return f'"sum of {count}"'


def _term_column(term: str) -> str:
    return f'"term {term}"'


def _label_column(group: str) -> str:
    return f"label of {group}"


def sentence_sums_statement(plan: ScoringPlan, *, labelled: bool = False) -> str:
    """Return SQL for the counts of all parts summed per sentence and group, by numbers of parts and of groups.

    Groups are numbered in the order of the first part's; without grouping all have the number 0. labelled: with the
    values of the groups. The number of faults that audits find is in a further row with the part after the last one,
    where there are audits.
    """
    names, keys = plan.sum_columns, plan.parts[0].keys
    labels = [
        f", {grouping.label(f'c.{key}')} AS {quote(_label_column(grouping.name))}"
        for grouping, key in zip(plan.parts[0].by, keys, strict=True)
        if labelled
    ]
    counted = "\nUNION ALL\n".join(_sums_by_sentence(plan, at) for at in range(len(plan.parts)))
    sums = ", ".join(f"c.{name}" for name in names)
    if not keys:
        select = f"SELECT c.part, c.sentence, 0 AS group_number, {sums}\nFROM counted AS c"
    else:
        order = ", ".join(f"o.{key} NULLS LAST" for key in keys)
        distinct = f"SELECT DISTINCT {', '.join(f'f.{key}' for key in keys)} FROM counted AS f WHERE f.part = 0"
        same = " AND ".join(f"(g.{key} IS NOT DISTINCT FROM c.{key})" for key in keys)
        select = (
            f"SELECT c.part, c.sentence, CAST(g.number AS INTEGER) AS group_number, {sums}{''.join(labels)}\n"
            "FROM counted AS c\n"
            f"JOIN (SELECT {', '.join(f'o.{key}' for key in keys)},\n"
            f"             row_number() OVER (ORDER BY {order}) - 1 AS number\n"
            f"      FROM ({distinct}) AS o) AS g\n  ON {same}"
        )
    if plan.faults:
        row = [f"CAST({plan.faults} AS DOUBLE)", *["CAST(NULL AS DOUBLE)"] * (len(names) - 1), *["NULL"] * len(labels)]
        select += f"\nUNION ALL\nSELECT {len(plan.parts)}, 0, 0, {', '.join(row)}"
    return with_clause([*plan.expressions, ("counted", counted)]) + select


def _sums_by_sentence(plan: ScoringPlan, at: int) -> str:
    """Return SQL for the sums of a part per sentence and group; columns beyond its counts are NULL."""
    part = plan.parts[at]
    columns = [f"{at} AS part", "s.sentence", *(f"s.{key}" for key in part.keys)]
    for number, name in enumerate(plan.sum_columns):
        if number >= len(part.query.counts):
            columns.append(f"CAST(NULL AS DOUBLE) AS {name}")
            continue
        fixed = f" / {UNITS}" if part.query.counts[number].type == "DOUBLE" else ""
        columns.append(f"CAST(coalesce(s.{name}, 0) AS DOUBLE){fixed} AS {name}")
    return f"SELECT {', '.join(columns)}\nFROM {plan.rows_of(at, by_sentence=True)} AS s"


_SHARE = re.compile(r"(^|_)(share|accuracy|agreement|precision|recall|f1|aer)$|^words_with_")
"""Matches the name of a column of shares."""

CORPUS = "corpus_name"
"""The parameter of the corpus that a relation is of, and the column of it in the table of a precomputed relation."""

_TABLES_OF_KINDS = {
    "constituency": frozenset({"constituents", "constituent_lists", "constituent_labels", "secondary_edges"}),
    "lattice": frozenset({"lattices", "lattice_edges", "lattice_words"}),
    "alignment": frozenset({"alignments"}),
    "nbest": frozenset({"hypotheses"}),
}
"""Tables that only corpora of a kind have, by kind."""

_OF_TREES = frozenset({"head", "deprel", "udeprel", "depth", "projective", "enhanced_edges"})
"""Columns and tables that say that words are those of dependency trees."""

_WITH_WORDS = frozenset({"dependency", "constituency", "text"})
"""Kinds of corpora that have words."""

_OF_KIND = re.compile(r"\.kind = '(dependency|constituency|text|lattice|alignment|nbest)'")
"""What a query says of the corpora that it is about."""

_HAVE = ("has", "have")
"""The verb of one corpus, and of several."""

_ORDERED = re.compile(r"\bORDER BY [^()]*$")
"""Matches a query that orders its rows; the ORDER BY of a window or a list is in parentheses."""


def run_statistic(engine: Engine, name: str, values: Mapping[str, object] = {}) -> Result:
    """Return the rows of a statistic, with its columns of shares marked, and its signature under its name.

    values: of parameters; those that the statistic does not declare are ignored. Raises UnknownName, UsageError,
    Incomparable, QueryError.
    """
    query = catalog.query(name)
    return run_with_signature(engine, query, declared_values(query, values), share_columns(query))


def run_for_sentence(engine: Engine, name: str, values: Mapping[str, object], sentence: int) -> pa.Table:
    """Return the rows of a statistic that are about one sentence, computed without the others where DuckDB can.

    Raises what `run_statistic` raises.
    """
    query = catalog.query(name)
    values = query.values(values)
    _check(engine, query, values)
    sql = f"SELECT r.* FROM (\n{query.statement.sql}\n) AS r WHERE r.sentence = {int(sentence)}"
    return execute(engine, sql, query.name, values, aggregated=True)


def run_with_signature(
    engine: Engine,
    query: Query,
    values: Mapping[str, object],
    percent: frozenset[str] = frozenset(),
) -> Result:
    """Return the rows of any query of the catalogue, and one signature under its name.

    Raises what `run_query` raises.
    """
    rows = run_query(engine, query, values)
    return Result(rows, {query.name: signature(engine, query, query.name, values)}, percent)


def run_query(engine: Engine, query: Query, values: Mapping[str, object]) -> pa.Table:
    """Return the rows of any query of the catalogue, in the query's own order or else ordered by all columns.

    Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    values = query.values(values)
    _check(engine, query, values)
    sql = query.statement.replacing({name: precomputed_rows(name) for name in engine.precomputed}).sql
    if not _ORDERED.search(query.body):
        order = ", ".join(f"r.{quote(column.name)} NULLS LAST" for column in query.columns)
        sql = f"SELECT r.* FROM (\n{sql}\n) AS r ORDER BY {order}"
    rows = execute(engine, sql, query.name, values, aggregated=query.kind == "statistic")
    keys = {column.name: column.type for column in query.columns if KEY_TYPE in column.type}
    return with_keys(rows, keys) if keys else rows


def _check(engine: Engine, query: Query, values: Mapping[str, object]) -> None:
    """Align the words that a query pairs, if they differ, and run its audits. Raises UnknownName, Incomparable."""
    check_corpora(engine, query, values)
    done_audits = pair_words(engine, [query], values)
    for audit in query.audit_queries:
        if audit.name not in done_audits:
            check_audit(engine, audit, values)


def precomputed_rows(relation: str) -> str:
    """Return SQL for the rows of a relation that the engine holds, of the corpora that its parameters name."""
    query = catalog.query(relation)
    columns = ", ".join(f"h.{quote(column.name)}" for column in query.columns)
    same = " AND ".join(f"h.{name} = ${name}" for name in corpora_named(query))
    return f"SELECT {columns} FROM main.{quote(relation)} AS h WHERE {same}"


def corpora_named(query: Query) -> list[str]:
    """Return the parameters of a query that name a corpus."""
    return [
        parameter.name
        for parameter in query.parameters
        if parameter.name.endswith("_corpus") or parameter.name == CORPUS
    ]


def run_and_warn(engine: Engine, query: Query, values: Mapping[str, object], warn: Warn) -> Result:
    """Return what `run_with_signature` does; warn where there are no rows, as no corpus is of a kind that has some.

    Raises what `run_query` raises.
    """
    rows = run_with_signature(engine, query, values)
    mismatch = None if len(rows) or query.kind == "audit" else find_mismatch(engine, query, values)
    if mismatch:
        warn(Diagnostic.warning(query.name, 0, mismatch, "`treesql queries` lists the others"))
    return rows


def kinds_read(query: Query) -> frozenset[str]:
    """Return the kinds of corpora that a query is about, none if it is about any: those that it names, or else those
    of the tables that it reads.

    Of words, those of dependency trees if it reads heads or relations.
    """
    if named := frozenset[str](_OF_KIND.findall(query.body)):
        return named
    kinds = frozenset(kind for kind, tables in _TABLES_OF_KINDS.items() if not tables.isdisjoint(query.sources))
    if kinds or "words" not in query.sources:
        return kinds
    return frozenset({"dependency"}) if not _OF_TREES.isdisjoint(query.statement.identifiers) else _WITH_WORDS


def find_mismatch(engine: Engine, query: Query, values: Mapping[str, object]) -> str | None:
    """Return what is wrong if no corpus is of a kind that a query without rows is about; None where one is.

    values: of parameters; the corpora are those that these name, else all.
    """
    kinds = dict(engine.rows("SELECT c.corpus, c.kind FROM corpora AS c"))
    named = [str(value) for name, value in values.items() if name.endswith("_corpus") or name == CORPUS]
    corpora = [name for name in named if name in kinds] or list(kinds)
    kinds_of_query = kinds_read(query)
    if not kinds_of_query or not corpora or any(kinds[name] in kinds_of_query for name in corpora):
        return None
    read = " or ".join(describe_kind(kind) for kind in sorted(kinds_of_query))
    having = " and ".join(dict.fromkeys(describe_kind(kinds[name]) for name in corpora))
    return f"{query.name} is about {read}, and {', '.join(corpora[:3])} {_HAVE[len(corpora) > 1]} {having}"


def share_columns(query: Query) -> frozenset[str]:
    """Return the names of a statistic's columns that are shares."""
    return frozenset(column.name for column in query.columns if _SHARE.search(column.name))


WDE = "wde"
"""Name of weights in signatures that are word dependency entropies: of the gold corpus, or of those in brackets."""

UNKNOWN_READING = "?"
"""Mark of corpora that an older treesql loaded without their options of reading."""

CHANGED = "changed"
"""Mark of corpora whose rows SQL has changed; their digest is that of the rows."""

_DIGITS = 6
"""Number of hexadecimal digits of a digest in signatures."""

_ONE_OR_ALL = "corpus_name"
"""Parameter of statistics that names one corpus, or is empty for all."""


class ReadOnce:
    """What signatures read from an engine, each statement once. For as long as its rows stay as they are."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.name, self.version, self.is_small = engine.name, engine.version, engine.is_small
        self.records = engine.records
        self._found: dict[str, list[tuple[Any, ...]]] = {}
        self._records: dict[str, Record] = {}

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a small SELECT, as an engine does."""
        key = f"{statement}{values}"
        if key not in self._found:
            self._found[key] = self._engine.rows(statement, values)
        return self._found[key]

    def record(self, corpus: str) -> Record:
        """The record of a corpus."""
        if corpus not in self._records:
            self._records[corpus] = record_of(self, corpus)
        return self._records[corpus]


def signature(engine: Engine, query: Query, score_name: str, parameters: Mapping[str, object]) -> str:
    """Return the signature of a score: its name, options, corpora and their files, query and versions."""
    return f"{score_name}|{origin(ReadOnce(engine), query, parameters)}"


def origin(
    engine: ReadOnce, query: Query, parameters: Mapping[str, object], where: str | None = None, by: Sequence[str] = ()
) -> str:
    """Return the part of signatures after the name, which all scores of a metric share."""
    values = scored_values(query, parameters) | query.values(declared_values(query, parameters))
    of_corpora = [p for p in query.parameters if p.name.endswith(("_corpus", "_corpora")) or p.name == _ONE_OR_ALL]
    others = [p for p in query.parameters if p not in of_corpora]
    named_words = {column_of(name) for name in by} | catalog.words((where or "").lower())
    further = [name for name in further_corpora(query, named_words) if name in values]
    parts = [f"{p.name}:{_value(engine, p, values[p.name])}" for p in others]
    if "relation_classes" in query.sources:
        parts.append(f"classes:{_classes(engine)}")
    if where:
        parts.append(f"where:{_escape(where)}")
    if by:
        parts.append(f"by:{_escape(','.join(by))}")
    named: list[str] = []
    for name in (*(parameter.name for parameter in of_corpora), *further):
        corpora = _corpora_of(name, str(values[name]))
        named += corpora
        if corpora:
            role = name.removesuffix("_corpora").removesuffix("_corpus").removesuffix("_name").removesuffix(OF_WORDS)
            parts.append(f"{role}:{'+'.join(_cite(engine.record(corpus)) for corpus in corpora)}")
    if not named and query.sources.intersection(table.name for table in schemas.corpus_tables()):
        parts += _cite_all(engine)
    elif catalog.contains_query(where):
        parts += _cite_others(engine, named)
    return "|".join([*parts, f"q:{query.sha256[:8]}", f"v:{__version__}", f"{engine.name}:{engine.version}"])


def cite_corpus(engine: Engine, corpus: str) -> str:
    """Return the name of a corpus's file, the first digits of its digest, and the ways in which its reading is unusual.

    `ewt.conllu@5d0c11`, `links@91be02(pharaoh,reverse)`, `ewt.conllu@70a3b1(changed)`: the format if the ending
    implies another, options that changed rows, the version of treesql if another loaded it, changes by SQL.
    """
    return _cite(record_of(engine, corpus))


def _cite(record: Record) -> str:
    """Return what cites the corpus of a record."""
    notes = [record.format] if record.format != _usual_format(record.path) else []
    notes += [UNKNOWN_READING] if record.reading is None else record.reading.split()
    notes += [f"v:{record.version}"] if record.version != __version__ else []
    notes += [CHANGED] if record.changed else []
    name = Path(record.path).name if record.path else record.corpus
    more = f"+{record.n_files - 1}" if record.n_files > 1 else ""
    return _escape(f"{name}{more}@{record.sha256[:_DIGITS]}" + (f"({','.join(notes)})" if notes else ""))


def digest_systems(engine: ReadOnce, query: Query, systems: Sequence[Mapping[str, object]]) -> str:
    """Return the number of systems, given as values of parameters, and a digest of their origins: `3@5d0c11`."""
    origins = [(origin(engine, query, values),) for values in systems]
    return f"{len(systems)}@{_digest(sorted(origins))}"


def _corpora_of(parameter: str, value: str) -> list[str]:
    """Return the names of corpora in the value of a parameter."""
    if parameter.endswith("_corpora"):
        return [name for name in value.split(",") if name]
    return [value] if value or parameter != _ONE_OR_ALL else []


@lru_cache
def _usual_format(path: str | None) -> str | None:
    """Return the format that a file's ending implies, or None."""
    return readers.format_of_ending(path) if path else None


def _value(engine: ReadOnce, parameter: Parameter, value: object) -> str:
    """Return the value of a parameter; sets of weights and of rules with a digest of their rows."""
    if parameter.name == "weights":
        return _weights(engine, str(value))
    if parameter.name == "rules":
        sql = (
            "SELECT e.parameter, e.value, e.same_as FROM evalb_parameters AS e WHERE e.parameter_set = $rules\n"
            "ORDER BY e.parameter, e.value, e.same_as NULLS LAST"
        )
        return f"{_escape(value)}@{_digest(engine.rows(sql, {'rules': value}))}"
    return _escape(float(str(value)) if parameter.type == "DOUBLE" else value)


def _weights(engine: ReadOnce, name: str) -> str:
    """Return `wde`, or the set's name and a digest of its rows, rounded: entropies may differ in their last digits."""
    if not name:
        return WDE
    sql = "SELECT relation, weight FROM relation_weights WHERE weight_set = $name ORDER BY relation, weight"
    rows = [(relation, f"{weight:.9g}") for relation, weight in engine.rows(sql, {"name": name})]
    return f"{_escape(name)}@{_digest(rows)}"


def _classes(engine: ReadOnce) -> str:
    sql = "SELECT relation, class FROM relation_classes ORDER BY relation, class"
    return _digest(engine.rows(sql))


def _cite_others(engine: ReadOnce, named: Sequence[str]) -> list[str]:
    """Return a digest of the corpora that a condition with a subquery may read besides the scored ones."""
    others = [(name, _cite(record)) for name, record in sorted(records_of(engine).items()) if name not in named]
    return [f"others:{_digest(others)}"] if others else []


def _cite_all(engine: ReadOnce) -> list[str]:
    """Return the number of corpora, and a digest of them with their treebanks."""
    rows = engine.rows("SELECT coalesce(c.treebank, ''), c.corpus FROM corpora AS c")
    records = records_of(engine)
    cited = sorted((treebank, _cite(records[corpus])) for treebank, corpus in rows)
    return [f"corpora:{len(cited)}@{_digest(cited)}"]


def _digest(rows: Sequence[tuple[object, ...]]) -> str:
    """Return the first digits of a digest of rows."""
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:_DIGITS]


def _escape(value: object) -> str:
    """Return a value with the separators of signatures escaped."""
    return str(value).replace("|", "\\|")
