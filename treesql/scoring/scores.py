"""Scores: the sums of a metric's counts over its items, in all or per group, and score expressions over the sums.

A score is evaluated in two steps: the counts are summed per group, then the expression is evaluated over the sums.
Tests repeat the second step on resampled sums.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb
import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query
from treesql.errors import QueryError, UnknownName, UsageError
from treesql.kernels.arrays import Floats, Ints
from treesql.results.result import Result
from treesql.scoring import signatures
from treesql.scoring.audits import add_defaults, check_audit, check_corpora, check_distinct_scores, declared_values
from treesql.scoring.grouping import Grouping, find_grouping
from treesql.scoring.item_conditions import check_condition
from treesql.scoring.sql import (
    FAULTS,
    GROUPED_SUMS,
    MAX_COUNT,
    NO_ITEMS,
    OVERFLOW,
    SUMS,
    MetricPart,
    execute,
    scores_statement,
    selected_items,
    sentence_sums_statement,
    with_clause,
)

_MISSING = re.compile(r'Referenced column "([^"]+)" not found')
"""Matches DuckDB's message of an unknown column."""


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
class _ScoringPlan:
    """The SQL of several metrics of the same corpora, with their audits and the values of their parameters."""

    parts: tuple[MetricPart, ...]
    values: Mapping[str, object]
    audits: tuple[Query, ...]
    expressions: Sequence[tuple[str, str]]
    faults: str

    def check_audits(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Raise Incomparable if an audit finds anything."""
        for audit in self.audits:
            check_audit(connection, audit, self.values)

    def execute(self, connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
        """Return the rows of a statement. Raises Incomparable, UnknownName, QueryError."""
        try:
            return execute(connection, sql, ", ".join(part.query.name for part in self.parts), self.values)
        except QueryError as error:
            self.check_audits(connection)  # a fault that stops a kernel may be one that an audit names
            first = self.parts[0]
            missing = _MISSING.search(str(error))
            if first.where and missing and missing[1].lower() in catalog.words(first.where.lower()):
                known = [column.name for column in first.query.columns]
                raise UnknownName(f"column of the items of {first.query.name}", missing[1], known) from None
            if OVERFLOW in error.message:
                self._check_sizes(connection)
            raise

    def _check_sizes(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Raise UsageError if a fractional count cannot be summed: it is infinite, NaN or huge."""
        for part in self.parts:
            for count in part.query.counts:
                if count.type != "DOUBLE":
                    continue
                sql = (
                    f"{with_clause(self.expressions)}SELECT i.sentence, i.{count.name}\n"
                    f"FROM {selected_items(part)} AS i\n"
                    f"WHERE NOT abs(i.{count.name}) < {MAX_COUNT}\nORDER BY i.sentence, i.{count.name} LIMIT 1"
                )
                for row in execute(connection, sql, part.query.name, self.values).to_pylist():
                    value = f"{count.name} of sentence {row['sentence']} is {row[count.name]:g}"
                    raise UsageError(f"{part.query.name}: {value}, and only numbers below {MAX_COUNT:g} are summed")


def score(
    connection: duckdb.DuckDBPyConnection,
    metrics: Sequence[str],
    parameters: Mapping[str, object],
    *,
    by: str | None = None,
    where: str | None = None,
) -> Result:
    """Return the scores of one or several metrics of the same corpora, side by side, one row per group.

    parameters: values; each metric takes those that it declares. by: `sentence`, or a column of the items, of
    the gold words, of the gold sentences or of the gold corpus, or a morphological feature of the gold words, in this
    order. The groups of the first metric are the rows; other metrics are NULL where their items lack the column. where:
    an SQL condition on items; metrics whose items lack a column of it are NULL. Raises UsageError, UnknownName,
    Incomparable, QueryError.
    """
    plan = _plan(connection, metrics, parameters, by, where)
    sql = with_clause(plan.expressions) + scores_statement(plan.parts, plan.faults)
    found = plan.execute(connection, sql)
    if plan.audits and (not len(found) or any(found[FAULTS][0].as_py())):
        plan.check_audits(connection)
    queries = [part.query for part in plan.parts]
    cited: dict[str, str] = {}
    for query in queries:
        origin = signatures.origin(connection, query, query.values(declared_values(query, parameters)), where, by)
        for name in (*(count.name for count in query.counts if count.shown), *(one.name for one in query.ratios)):
            cited.setdefault(name, f"{name}|{origin}")
    percent = frozenset(s.name for query in queries for s in query.scores if s.unit == "percent")
    return Result(found.drop_columns([FAULTS]) if plan.audits else found, cited, percent)


def sentence_sums(
    connection: duckdb.DuckDBPyConnection,
    metrics: Sequence[str],
    parameters: Mapping[str, object],
    *,
    by: str | None = None,
    where: str | None = None,
) -> list[SentenceSums]:
    """Return the counts of metrics summed per sentence, from which scores can be computed. Parameters as for `score`.

    Groups are in the order of the rows of `score`; without `by` there is one. Sentences are those of the gold corpus,
    then those that only a system has, which a gold WPT file allows. Raises what `score` raises.
    """
    plan = _plan(connection, metrics, parameters, by, where)
    sql = with_clause([*plan.expressions, ("counted", sentence_sums_statement(plan.parts))]) + (
        SUMS if by is None else GROUPED_SUMS
    )
    if plan.audits:
        sql += f"\nUNION ALL SELECT {len(plan.parts)}, 0, 0, [{plan.faults}]"
    found = plan.execute(connection, sql)
    part, sentence, group = (found[name].to_numpy() for name in ("part", "sentence", "group_number"))
    lists = found["sums"].combine_chunks()
    counted, lengths = lists.flatten().to_numpy(), lists.value_lengths().to_numpy()
    values = [counted[np.repeat(part == at, lengths)] for at in range(len(plan.parts) + 1)]
    if any(values[-1]):
        plan.check_audits(connection)
    gold = sentence_numbers(connection, str(plan.values[str(plan.parts[0].query.reference_corpus)]))
    sentences = np.union1d(gold, sentence[part < len(plan.parts)])
    n_groups = 1 if by is None else int(group.max(initial=-1)) + 1
    summed = []
    for at, one in enumerate(plan.parts):
        counts = np.zeros((len(sentences), n_groups, len(one.query.counts)))
        place = np.searchsorted(sentences, sentence[part == at])
        counts[place, group[part == at]] = values[at].reshape(-1, len(one.query.counts))
        summed.append(SentenceSums(one.query, counts, sentences))
    return summed


def sentence_numbers(connection: duckdb.DuckDBPyConnection, corpus: str) -> Ints:
    """Return the numbers of a corpus's sentences in order."""
    sql = "SELECT CAST(l.sentence AS BIGINT) AS sentence FROM sentences AS l WHERE l.corpus = ? ORDER BY l.sentence"
    numbers: Ints = connection.sql(sql, params=[corpus]).to_arrow_table()["sentence"].to_numpy()
    return numbers


def select_items(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    parameters: Mapping[str, object],
    columns: Sequence[str],
    *,
    where: str | None = None,
) -> pa.Table:
    """Return columns of the items of a metric that meet a condition.

    Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    plan = _plan(connection, [name], parameters, None, where)
    plan.check_audits(connection)
    [part] = plan.parts
    sql = f"SELECT {', '.join(f'i.{column}' for column in columns)}\nFROM {selected_items(part)} AS i"
    return plan.execute(connection, with_clause(plan.expressions) + sql)


def find_metric(name: str) -> Query:
    """Return the metric of a name. Raises UnknownName, UsageError."""
    if name not in catalog.names():
        of = [one.name for one in catalog.all_queries().values() if name in {score.name for score in one.scores}]
        if of:
            raise UsageError(f"{name} is a score; name its metric, {' or '.join(of)}")
    query = catalog.query(name)
    if query.kind != "metric":
        metrics = [entry.name for entry in catalog.all_queries().values() if entry.kind == "metric"]
        raise UsageError(f"{name} is a {query.kind} and has no scores; metrics are {', '.join(metrics)}")
    return query


def _plan(
    connection: duckdb.DuckDBPyConnection,
    metrics: Sequence[str],
    parameters: Mapping[str, object],
    by: str | None,
    where: str | None,
) -> _ScoringPlan:
    """Return what `score` runs. Raises UsageError, UnknownName."""
    if not metrics:
        raise UsageError("name at least one metric")
    queries = [find_metric(name) for name in metrics]
    check_distinct_scores({query.name: [score.name for score in query.scores] for query in queries})
    if where is not None:
        check_condition(connection, where)
    values = _values(queries, parameters)
    check_corpora(connection, queries[0], values)
    audits = tuple({audit.name: audit for query in queries for audit in query.audit_queries}.values())
    values = add_defaults(audits, values)
    expressions, names = catalog.expand_together([*queries, *audits])
    grouping = None if by is None else find_grouping(connection, queries[0], by)
    first = MetricPart(queries[0], names[0], grouping, where)
    others = [
        _further_part(connection, first, query, name) for query, name in zip(queries[1:], names[1:], strict=False)
    ]
    faults = ", ".join(f"(SELECT count(*) FROM {name})" for name in names[len(queries) :])
    return _ScoringPlan((first, *others), values, audits, expressions, faults)


def _values(queries: Sequence[Query], parameters: Mapping[str, object]) -> dict[str, object]:
    """Return a value for every parameter of several queries. Raises UnknownName, UsageError."""
    names = {p.name for query in queries for p in query.parameters}
    for name in parameters:
        if name not in names:
            raise UnknownName(f"parameter of {', '.join(query.name for query in queries)}", name, names)
    return {
        name: value for query in queries for name, value in query.values(declared_values(query, parameters)).items()
    }


def _further_part(connection: duckdb.DuckDBPyConnection, first: MetricPart, query: Query, items: str) -> MetricPart:
    """Return a further metric of the same table.

    It has no items, so that its scores are NULL, if its items lack the grouping column or a column of the condition.
    """
    part = MetricPart(query, items, first.grouping, first.where)
    without_items = replace(part, grouping=first.grouping and Grouping(first.grouping.column, "NULL"), where=NO_ITEMS)
    lacking = {column.name for column in first.query.columns} - {column.name for column in query.columns}
    if first.where and lacking.intersection(catalog.words(first.where.lower())):
        return without_items
    if first.grouping is None:
        return part
    try:
        grouping = find_grouping(connection, query, first.grouping.column)
    except UnknownName:
        return without_items
    same = grouping.table == first.grouping.table or (first.grouping.table is None and grouping.table == "words")
    return replace(part, grouping=grouping) if same else without_items
