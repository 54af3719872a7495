"""Counts of metrics for all systems of one gold corpus: what comparisons need of an engine."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from treesql.catalog import Query
from treesql.catalog.header import Score
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError
from treesql.results import signature_text
from treesql.scoring import scores as scoring_scores
from treesql.scoring.items import ScoringPlan, declared_values, scored_values
from treesql.scoring.scores import SentenceSums
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


def count_metrics(
    engine: Engine,
    metrics: Sequence[tuple[Query, Sequence[Score]]],
    systems: Mapping[str, Values],
    method: Method,
    *,
    where: str | None = None,
    find_warnings: FindWarnings = lambda system, counts: (),
    plans: Mapping[str, ScoringPlan] = {},
) -> list[CountedMetric]:
    """Count metrics for all systems, sentence by sentence. Parameters as for `compare`.

    plans: by system, how metrics, perhaps these, are scored over sums that are known already. Raises UsageError,
    UnknownName, Incomparable, QueryError.
    """
    return [
        _count_metric(engine, query, scores, systems, method, where, find_warnings, plans) for query, scores in metrics
    ]


def _count_metric(
    engine: Engine,
    query: Query,
    scores: Sequence[Score],
    systems: Mapping[str, Values],
    method: Method,
    where: str | None,
    find_warnings: FindWarnings,
    plans: Mapping[str, ScoringPlan],
) -> CountedMetric:
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
    once = scoring_scores.ReadOnce(engine)
    origins = {name: scoring_scores.origin(once, query, parameters, where) for name, parameters in values.items()}
    cited = {(score.name, name): f"{score.name}|{origin}" for score in scores for name, origin in origins.items()}
    discordant = {
        (a, b): count_discordant(engine, query, scores, values[a], values[b], where, gold)
        for a, b in (itertools.combinations(values, 2) if method.test in VARIANTS else ())
    }
    return CountedMetric(
        query, scores, gold, by_sentence, {name: counts.strata(numbers) for name, counts in by_sentence.items()}, cited,
        scoring_scores.digest_systems(
            once, query, [declared_values(query, parameters) for parameters in values.values()]
        ), discordant, [warning for name, counts in by_sentence.items() for warning in find_warnings(name, counts)],
    )  # fmt: skip


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
