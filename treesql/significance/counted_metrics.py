"""Counts of metrics for all systems of one gold corpus: what comparisons need of an engine."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treesql.catalog import Query
from treesql.catalog.header import Column, Score
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError
from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.sampling import fixed_point
from treesql.results import signature_text
from treesql.scoring import scores as scoring_scores
from treesql.scoring.items import ReadOnce, ScoringPlan, declared_values, scored_values
from treesql.scoring.scores import GroupSums, SentenceSums
from treesql.significance import correspondence
from treesql.significance.mcnemar import VARIANTS, count_discordant
from treesql.significance.methods import Method
from treesql.significance.strata import Values, add_later_sentences, find_gold_corpus, number_strata
from treesql.significance.tests import Counts

FindWarnings = Callable[[str, Counts], Iterable[Diagnostic]]
"""Returns warnings about a system, from its name and its counts of a metric per sentence."""


@dataclass(frozen=True)
class CountedMetric:
    """The counts of a metric by system, of sentences and of strata.

    gold: the corpus that systems are compared on. cited: signatures by score and system; among: a digest of all
    systems. discordant: for McNemar's test, by pair of systems and score the numbers of items that only one has right.
    warnings: about the systems.
    """

    query: Query
    scores: Sequence[Score]
    gold: str
    by_sentence: Mapping[str, Counts]
    by_stratum: Mapping[str, Counts]
    cited: Mapping[tuple[str, str], str]
    among: str
    discordant: Mapping[tuple[str, str], Sequence[tuple[int, int]]]
    warnings: Sequence[Diagnostic] = ()

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.by_sentence)


def count_metric(
    engine: Engine,
    query: Query,
    scores: Sequence[Score],
    systems: Mapping[str, Values],
    method: Method,
    *,
    where: str | None = None,
    find_warnings: FindWarnings = lambda system, counts: (),
    plans: Mapping[str, ScoringPlan] = {},
) -> CountedMetric:
    """Count a metric for all systems, sentence by sentence. Parameters as for `compare`.

    plans: by system, how metrics, perhaps this one, are scored over sums that are known already. Raises UsageError,
    UnknownName, Incomparable, QueryError.
    """
    gold = find_gold_corpus(query, systems)
    values = {name: scored_values(query, system_values) for name, system_values in systems.items()}
    summed = {
        name: _sum_by_sentence(engine, query, parameters, where, gold, plans.get(name))
        for name, parameters in values.items()
    }
    numbers = number_strata(engine, gold, method.stratum)
    if all(parameters[str(query.reference_corpus)] == gold for parameters in values.values()):
        numbers, summed = add_later_sentences(numbers, summed)
    by_sentence = {name: Counts(query.counts, sums.values[:, 0]) for name, sums in summed.items()}
    _check_sentence_counts(
        query, {gold: len(numbers), **{name: len(counts.values) for name, counts in by_sentence.items()}}
    )
    origins, among = _cite(engine, query, values, where)
    cited = {(score.name, name): f"{score.name}|{origin}" for score in scores for name, origin in origins.items()}
    discordant = {
        (a, b): count_discordant(engine, query, scores, values[a], values[b], where, gold)
        for a, b in (itertools.combinations(values, 2) if method.test in VARIANTS else ())
    }
    return CountedMetric(
        query, scores, gold, by_sentence, {name: counts.strata(numbers) for name, counts in by_sentence.items()}, cited,
        among, discordant, [warning for name, counts in by_sentence.items() for warning in find_warnings(name, counts)],
    )  # fmt: skip


@dataclass(frozen=True)
class GroupedCounts:
    """The counts of a score's metric by system, per group and sentence.

    sums: by system; cited: the signature of each; others as of CountedMetric.
    """

    score: Score
    gold: str
    sums: Mapping[str, GroupSums]
    cited: Mapping[str, str]
    among: str

    @property
    def columns(self) -> tuple[Column, ...]:
        """The counts."""
        return next(iter(self.sums.values())).query.counts

    @property
    def keys(self) -> list[tuple[Any, ...]]:
        """The values of the groups that any system has."""
        return list(dict.fromkeys(key for sums in self.sums.values() for key in sums.numbers))

    def of_group(self, key: tuple[Any, ...]) -> dict[str, Counts]:
        """The counts of a group by system, of the sentences where any system has items of it."""
        chosen = {}
        for name, sums in self.sums.items():
            number = sums.numbers.get(key, len(sums.numbers))
            first, end = np.searchsorted(sums.groups, (number, number + 1)).tolist()
            chosen[name] = (sums.sentences[first:end], sums.values[first:end])
        return self._aligned(chosen)

    def of_all(self) -> dict[str, Counts]:
        """The counts of all groups together by system, likewise."""
        return self._aligned({name: (sums.sentences, sums.values) for name, sums in self.sums.items()})

    def _aligned(self, rows: Mapping[str, tuple[Ints, Floats]]) -> dict[str, Counts]:
        """Counts of the same sentences by system, from rows of their numbers and counts, which are added up."""
        sentences = functools.reduce(np.union1d, (numbers for numbers, _ in rows.values()))
        return {
            name: Counts(
                self.columns, fixed_point.total_by_group(values, np.searchsorted(sentences, numbers), len(sentences))
            )
            for name, (numbers, values) in rows.items()
        }


def count_groups(
    engine: Engine,
    query: Query,
    score: Score,
    systems: Mapping[str, Values],
    *,
    by: Sequence[str] = (),
    where: str | None = None,
    plans: Mapping[str, ScoringPlan] = {},
) -> GroupedCounts:
    """Count the metric of a score for all systems, by group and sentence.

    by: the columns of groups; other parameters and errors as for `count_metric`.
    """
    gold = find_gold_corpus(query, systems)
    values = {name: scored_values(query, system_values) for name, system_values in systems.items()}
    sums = {}
    for name, parameters in values.items():
        summed = scoring_scores.group_sums(engine, query.name, parameters, by=by, where=where, plan=plans.get(name))
        corpus = str(parameters[str(query.reference_corpus)])
        place = correspondence.corresponding_numbers(engine, query, corpus, gold)
        sums[name] = summed if place is None else replace(summed, sentences=place[summed.sentences])
    references = {name: str(parameters[str(query.reference_corpus)]) for name, parameters in values.items()}
    if set(references.values()) != {gold}:
        lengths = {gold: gold, **references}
        _check_sentence_counts(
            query, {name: len(scoring_scores.sentence_numbers(engine, corpus)) for name, corpus in lengths.items()}
        )
    origins, among = _cite(engine, query, values, where, by)
    cited = {name: f"{score.name}|{origin}" for name, origin in origins.items()}
    return GroupedCounts(score, gold, sums, cited, among)


def _cite(
    engine: Engine, query: Query, systems: Mapping[str, Values], where: str | None, by: Sequence[str] = ()
) -> tuple[dict[str, str], str]:
    """The part of signatures after the score's name, by system, and a digest of all systems."""
    once = ReadOnce(engine)
    origins = {name: scoring_scores.origin(once, query, values, where, by) for name, values in systems.items()}
    declared = [declared_values(query, values) for values in systems.values()]
    return origins, scoring_scores.digest_systems(once, query, declared)


def stack_treebanks(treebanks: Sequence[CountedMetric], average: str) -> CountedMetric:
    """Return the counts of all treebanks, one below the other, with the signatures of an average over them."""
    first = treebanks[0]
    cited = {
        key: signature_text.over([treebank.cited[key] for treebank in treebanks], [f"average:{average}"])
        for key in first.cited
    }
    among = first.among if len(treebanks) == 1 else signature_text.digest_of([treebank.among for treebank in treebanks])
    by_sentence, by_stratum = (
        {
            name: Counts(
                first.query.counts, np.concatenate([treebank_counts[name].values for treebank_counts in counts])
            )
            for name in first.systems
        }
        for counts in (
            [treebank.by_sentence for treebank in treebanks],
            [treebank.by_stratum for treebank in treebanks],
        )
    )
    return CountedMetric(first.query, first.scores, first.gold, by_sentence, by_stratum, cited, among, {})


def _sum_by_sentence(
    engine: Engine, query: Query, values: Values, where: str | None, gold: str, plan: ScoringPlan | None
) -> SentenceSums:
    corpus = str(values[str(query.reference_corpus)])
    summed = _summed_already(engine, query, where, corpus, plan)
    if summed is None:
        [summed] = scoring_scores.sentence_sums(engine, [query.name], values, where=where)
    return correspondence.renumber_sums(engine, query, summed, corpus, gold)


def _summed_already(
    engine: Engine, query: Query, where: str | None, corpus: str, plan: ScoringPlan | None
) -> SentenceSums | None:
    """The sums that a plan has of a metric; None unless they are of the sentences of the reference corpus, all items.

    A condition is an error of a metric that lacks its columns, where other metrics have no value beside the first.
    """
    if plan is None or where is not None or plan.values.get(str(plan.parts[0].query.reference_corpus)) != corpus:
        return None
    names = [part.query.name for part in plan.parts]
    if query.name not in names:
        return None
    summed = scoring_scores.sentence_sums(engine, names, plan.values, plan=plan)[names.index(query.name)]
    return summed if len(summed.sentences) == len(scoring_scores.sentence_numbers(engine, corpus)) else None


def _check_sentence_counts(query: Query, lengths: Mapping[str, int]) -> None:
    """Raise UsageError if the numbers of sentences differ."""
    if len(set(lengths.values())) > 1:
        numbers = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise UsageError(f"{query.name} is compared sentence by sentence, and their numbers differ: {numbers}")
