"""Comparisons of systems by the scores of any metric, from counts summed per sentence."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from treesql.catalog import Query
from treesql.catalog.header import Score
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError, Warn
from treesql.kernels.arrays import Floats
from treesql.results import signature_text
from treesql.results.result import Result
from treesql.scoring import scores as scoring_scores
from treesql.scoring import signatures
from treesql.scoring.audits import declared_values
from treesql.scoring.scores import SentenceSums
from treesql.significance import correspondence, mcnemar
from treesql.significance.comparison import Comparison
from treesql.significance.intervals import (
    bootstrap_p,
    bootstrap_scores,
    count_wins,
    few_sentences_warning,
    percentile_interval,
)
from treesql.significance.mcnemar import CLUSTERING_WARNING, VARIANTS, count_discordant
from treesql.significance.methods import LEVEL, Method
from treesql.significance.strata import Values, add_later_sentences, find_gold_corpus, number_strata
from treesql.significance.tests import TIE, Counts, TestedScore, correct_p_values, evaluate_scores, shuffling_test

FindWarnings = Callable[[str, Counts], Iterable[Diagnostic]]
"""Returns warnings about a system, from its name and its counts of a metric per sentence."""

_ROWS = pa.schema(
    [
        ("metric", pa.string()), ("system_a", pa.string()), ("system_b", pa.string()), ("score_a", pa.float64()),
        ("score_b", pa.float64()), ("difference", pa.float64()), ("p", pa.float64()), ("p_corrected", pa.float64()),
        ("test", pa.string()), ("difference_low", pa.float64()), ("difference_high", pa.float64()),
        ("wins_a", pa.int64()), ("ties", pa.int64()), ("wins_b", pa.int64()), ("sentences", pa.int64()),
        ("strata", pa.int64()), ("runs", pa.int64()), ("seed", pa.int64()), ("correction", pa.string()),
        ("direction", pa.string()),
    ]
)  # fmt: skip


@dataclass(frozen=True)
class _ScoredMetric:
    """One metric of all systems: by system its parameters and counts; scores in the order of the systems.

    observed: float64[systems, scores]; resampled: float64[systems, runs, scores].
    """

    query: Query
    scores: Sequence[Score]
    gold: str
    values: Mapping[str, Values]
    by_sentence: Mapping[str, Counts]
    by_stratum: Mapping[str, Counts]
    observed: Floats
    resampled: Floats

    @property
    def pairs(self) -> Iterator[tuple[int, int, str, str]]:
        """All pairs of systems: their numbers and their names."""
        for (i, a), (j, b) in itertools.combinations(enumerate(self.values), 2):
            yield i, j, a, b


def compare(
    engine: Engine,
    metrics: Sequence[tuple[Query, Sequence[Score]]],
    systems: Mapping[str, Values],
    method: Method,
    *,
    where: str | None = None,
    find_warnings: FindWarnings = lambda system, counts: (),
    warn: Warn = lambda warning: None,
) -> Comparison:
    """Compare all pairs of systems by scores of metrics, as `selection.select_scores` returns them.

    systems: by name the values of the metrics' parameters. where: an SQL condition on items. find_warnings: called for
    every metric and system. warn: called with every warning once. Raises UsageError, UnknownName, Incomparable,
    QueryError.
    """
    check_two_systems(systems)
    scores: dict[str, dict[str, Any]] = {name: {"system": name} for name in systems}
    rows: list[dict[str, Any]] = []
    cited: dict[str, str] = {}
    warnings: list[Diagnostic] = []
    for query, chosen in metrics:
        metric = _score_metric(engine, query, chosen, systems, method, where)
        for name, found in zip(systems, _scores_with_intervals(metric), strict=True):
            scores[name] |= found
        tested = [_test_pair(engine, metric, i, j, method, where) for i, j, _, _ in metric.pairs]
        rows += _rows(metric, tested, method)
        cited |= _signatures(engine, metric, tested, method, where)
        for name, counts in metric.by_sentence.items():
            warnings += find_warnings(name, counts)
        warnings += _few_sentences_warnings(metric, method)
    for warning in {str(one): one for one in warnings}.values():
        warn(warning)
    _warn_of_missing_scores(rows, warn)
    if method.test in VARIANTS:
        hint = "the default test, shuffling, exchanges whole sentences"
        warn(Diagnostic.warning("McNemar's test", 0, CLUSTERING_WARNING, hint))
    percent = [score.name for _, chosen in metrics for score in chosen if score.unit == "percent"]
    table = pa.Table.from_pylist(list(scores.values()))
    bounded = frozenset(f"{name}{end}" for name in percent for end in ("", "_low", "_high"))
    directions = {score.name: score.direction for _, chosen in metrics for score in chosen}
    intervals = Result(table, percent=bounded, directions=directions)
    return Comparison(pa.Table.from_pylist(rows, _ROWS), cited, scores=intervals, method=method)


def check_two_systems(systems: Collection[str]) -> None:
    """Raise UsageError if there are fewer than two systems."""
    if len(systems) < 2:
        found = f"only {', '.join(systems)} is given" if systems else "none is given"
        raise UsageError(f"a comparison takes two systems at least, and {found}; `treesql score` scores one")


def _score_metric(
    engine: Engine,
    query: Query,
    scores: Sequence[Score],
    systems: Mapping[str, Values],
    method: Method,
    where: str | None,
) -> _ScoredMetric:
    """Count a metric for all systems, sentence by sentence, and compute the scores of the counts and of resamples."""
    gold = find_gold_corpus(query, systems)
    values = {name: declared_values(query, one) for name, one in systems.items()}
    summed = {name: _sum_by_sentence(engine, query, one, where, gold) for name, one in values.items()}
    numbers = number_strata(engine, gold, method.stratum)
    if all(one[str(query.reference_corpus)] == gold for one in values.values()):
        numbers, summed = add_later_sentences(numbers, summed)
    by_sentence = {name: Counts(query.counts, one.values[:, 0]) for name, one in summed.items()}
    _check_sentence_counts(query, {gold: len(numbers), **{name: len(one.values) for name, one in by_sentence.items()}})
    by_stratum = {name: one.strata(numbers) for name, one in by_sentence.items()}
    resampled = bootstrap_scores(scores, list(by_stratum.values()), runs=method.runs, seed=method.seed)
    observed = [evaluate_scores(scores, one.columns, one.sums) for one in by_sentence.values()]
    return _ScoredMetric(query, scores, gold, values, by_sentence, by_stratum, np.concatenate(observed), resampled)


def _sum_by_sentence(engine: Engine, query: Query, values: Values, where: str | None, gold: str) -> SentenceSums:
    [summed] = scoring_scores.sentence_sums(engine, [query.name], values, where=where)
    return correspondence.renumber_sums(engine, query, summed, str(values[str(query.reference_corpus)]), gold)


def _check_sentence_counts(query: Query, lengths: Mapping[str, int]) -> None:
    """Raise UsageError if the numbers of sentences differ."""
    if len(set(lengths.values())) > 1:
        numbers = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise UsageError(f"{query.name} is compared sentence by sentence, and their numbers differ: {numbers}")


def _scores_with_intervals(metric: _ScoredMetric) -> Iterator[dict[str, float | None]]:
    """Yield for every system its scores, each followed by the ends of its interval."""
    for observed, resampled in zip(metric.observed, metric.resampled, strict=True):
        found: dict[str, float | None] = {}
        for score, value, runs in zip(metric.scores, observed, resampled.T, strict=True):
            low, high = percentile_interval(runs) if not np.isnan(value) else (None, None)
            found |= {score.name: _or_none(value), f"{score.name}_low": low, f"{score.name}_high": high}
        yield found


def _test_pair(
    engine: Engine, metric: _ScoredMetric, i: int, j: int, method: Method, where: str | None
) -> list[TestedScore]:
    """Return the p-value of every score for the systems i and j."""
    if method.test == "bootstrap":
        runs = zip(metric.resampled[i].T, metric.resampled[j].T, strict=True)
        return [TestedScore(bootstrap_p(a, b), "paired bootstrap") for a, b in runs]
    if method.test in VARIANTS:
        kind, name = VARIANTS[method.test]
        values = list(metric.values.values())
        found = count_discordant(engine, metric.query, metric.scores, values[i], values[j], where, metric.gold)
        return [TestedScore(mcnemar.mcnemar_p(*one, kind), name) for one in found]
    counts = list(metric.by_stratum.values())
    return shuffling_test(metric.scores, counts[i], counts[j], runs=method.runs, seed=method.seed)


def _rows(metric: _ScoredMetric, tested: Sequence[Sequence[TestedScore]], method: Method) -> Iterator[dict[str, Any]]:
    """Yield a row per score and pair of systems. tested: by pair and score."""
    n_sentences, n_strata = (
        len(next(iter(counts.values())).values) for counts in (metric.by_sentence, metric.by_stratum)
    )
    for at, score in enumerate(metric.scores):
        found = [scores[at] for scores in tested]
        corrected = correct_p_values([one.p for one in found], method.correction)
        for (i, j, a, b), one, p in zip(metric.pairs, found, corrected, strict=True):
            score_a, score_b = metric.observed[i, at], metric.observed[j, at]
            yield {
                "metric": score.name, "system_a": a, "system_b": b,
                "score_a": _or_none(score_a), "score_b": _or_none(score_b),
                "difference": _difference(score_a, score_b), "p": one.p, "p_corrected": p, "test": one.test,
                **_interval_and_wins(metric.resampled[i, :, at], metric.resampled[j, :, at], one, score),
                "sentences": n_sentences, "strata": n_strata, "runs": method.runs, "seed": method.seed,
                "correction": method.correction, "direction": score.direction,
            }  # fmt: skip


def _interval_and_wins(a: Floats, b: Floats, tested: TestedScore, score: Score) -> dict[str, float | int | None]:
    """Return the interval of the difference, and the number of resamples in which each system has the better score.

    The higher score counts as the better one where the score has no direction.
    """
    keys = ("difference_low", "difference_high", "wins_a", "ties", "wins_b")
    if tested.p is None:
        return dict.fromkeys(keys)
    wins = count_wins(b, a) if score.direction == "lower" else count_wins(a, b)
    return dict(zip(keys, (*percentile_interval(a - b), *wins), strict=True))


def _signatures(
    engine: Engine,
    metric: _ScoredMetric,
    tested: Sequence[Sequence[TestedScore]],
    method: Method,
    where: str | None,
) -> dict[str, str]:
    """Return by `score:system:system` the signature of both, with the test before the query's digest.

    Where p is corrected for several pairs, the signature cites all systems.
    """
    query, among = metric.query, []
    if method.correction != "none" and len(metric.values) > 2:
        among = [f"among:{signatures.digest_systems(engine, query, list(metric.values.values()))}"]
    stratum = [] if method.stratum is None else [f"stratum:{method.stratum}"]
    cited: dict[str, str] = {}
    for at, score in enumerate(metric.scores):
        for (_, _, a, b), scores in zip(metric.pairs, tested, strict=True):
            one, other = (
                signatures.signature(engine, query, score.name, query.values(metric.values[name]), where)
                for name in (a, b)
            )
            how = [f"test:{scores[at].test}", f"runs:{method.runs}", f"seed:{method.seed}"]
            how.append(f"correction:{method.correction}")
            cited[f"{score.name}:{a}:{b}"] = signature_text.both(one, other, [*how, *among, *stratum])
    return cited


def _few_sentences_warnings(metric: _ScoredMetric, method: Method) -> Iterator[Diagnostic]:
    """Warn of few sentences with counts, and of pairs of systems that differ in few."""
    counts = metric.by_stratum
    unit = "sentences" if method.stratum is None else "strata"
    few = few_sentences_warning(metric.gold, [np.any(one.values, axis=1) for one in counts.values()], unit)
    if few:
        yield few
    for a, b in itertools.combinations(counts, 2):
        n_strata = len(counts[a].values)
        differ = int(np.count_nonzero(np.any(counts[a].values != counts[b].values, axis=1)))
        if method.test == "shuffling" and differ > 0 and 2 ** (1 - differ) > LEVEL:
            what = (
                f"{a} and {b} differ in {differ} of {n_strata} {unit}, and no p below {2 ** (1 - differ):g} is possible"
            )
            yield Diagnostic.warning(metric.gold, 0, what, "compare them on more text")


def _warn_of_missing_scores(rows: Sequence[Mapping[str, Any]], warn: Warn) -> None:
    """Warn of scores without a value. Raises UsageError if no pair of systems has one."""
    without: dict[str, list[str]] = {}
    for row in rows:
        for side in ("a", "b"):
            if row[f"score_{side}"] is None and row[f"system_{side}"] not in without.setdefault(row["metric"], []):
                without[row["metric"]].append(row[f"system_{side}"])
    missing = [f"{metric} has no value for {', '.join(systems)}" for metric, systems in without.items() if systems]
    if rows and all(row["score_a"] is None or row["score_b"] is None for row in rows):
        raise UsageError(f"nothing can be compared: {'; '.join(missing)}, as nothing is counted there")
    for what in missing:
        warn(Diagnostic.warning("comparison", 0, what, "it is not compared there"))


def _difference(a: float, b: float) -> float | None:
    """Return the difference of two scores: 0 if only rounding is between them, None if one of them has no value."""
    return 0.0 if abs(a - b) <= TIE * max(abs(a), abs(b)) else _or_none(a - b)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
