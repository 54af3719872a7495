"""Scores: the sums of a metric's counts over its items, in all or per group, and score expressions over the sums.

A score is evaluated in two steps: the counts are summed per group, then the expression is evaluated over the sums.
Tests repeat the second step on resampled sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from treesql.catalog import Query
from treesql.engines import Engine
from treesql.kernels.arrays import Floats, Ints
from treesql.results.result import Result
from treesql.scoring import signatures
from treesql.scoring.audits import declared_values, scored_values
from treesql.scoring.plans import ScoringPlan, plan_scores
from treesql.scoring.ranges import evaluating
from treesql.scoring.sql import (
    FAULTS,
    scores_statement,
    selected_items,
    sentence_sums_statement,
    sum_columns,
    with_clause,
)


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
    sums of all counts, as columns named by `sql.sum_name`. Raises UsageError, UnknownName, Incomparable, QueryError.
    """
    plan = plan or plan_scores(engine, metrics, parameters, by, where)
    if sums:
        plan = replace(plan, parts=tuple(replace(part, sums=True) for part in plan.parts))
    with evaluating(engine, plan, by_sentence=False) as (evaluator, plan):
        sql = with_clause(plan.expressions) + scores_statement(plan.parts, plan.faults)
        found = plan.execute(evaluator, sql)
    if plan.audits and (not len(found) or found[FAULTS][0].as_py()):
        plan.check_audits(engine)
    queries = [part.query for part in plan.parts]
    cited: dict[str, str] = {}
    once = signatures.ReadOnce(engine)
    for query in queries:
        values = scored_values(query, parameters) | query.values(declared_values(query, parameters))
        origin = signatures.origin(once, query, values, where, by)
        for name in (*(count.name for count in query.shown_counts), *(one.name for one in query.ratios)):
            cited.setdefault(name, f"{name}|{origin}")
    percent = frozenset(s.name for query in queries for s in query.scores if s.unit == "percent")
    directions = {s.name: s.direction for query in queries for s in query.ratios}
    return Result(found.drop_columns([FAULTS]) if plan.audits else found, cited, percent, directions)


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
    with evaluating(engine, plan, by_sentence=True) as (evaluator, plan):
        found = plan.execute(evaluator, sentence_sums_statement(plan.expressions, plan.parts, plan.faults))
    part, sentence, group = (found[name].to_numpy() for name in ("part", "sentence", "group_number"))
    sums = np.stack([found[name].to_numpy() for name in sum_columns(plan.parts)], axis=1)
    if any(sums[part == len(plan.parts), 0]):
        plan.check_audits(engine)
    gold = sentence_numbers(engine, str(plan.values[str(plan.parts[0].query.reference_corpus)]))
    sentences = np.union1d(gold, sentence[part < len(plan.parts)])
    n_groups = 1 if not by else int(group.max(initial=-1)) + 1
    of_parts = []
    for at, one in enumerate(plan.parts):
        counts = np.zeros((len(sentences), n_groups, len(one.query.counts)))
        of_part = part == at
        place = np.searchsorted(sentences, sentence[of_part])
        counts[place, group[of_part]] = sums[of_part, : len(one.query.counts)]
        of_parts.append(SentenceSums(one.query, counts, sentences))
    return of_parts


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
    return plan.execute(engine, with_clause(plan.expressions) + sql, aggregated=False)
