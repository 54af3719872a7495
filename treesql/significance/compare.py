"""Comparisons of systems by the scores of any metric, from counts summed per sentence."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from treesql.catalog.header import Score
from treesql.errors import Diagnostic, QueryError, UnknownName, UsageError, Warn
from treesql.kernels.arrays import Floats
from treesql.results import signature_text
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors
from treesql.significance import mcnemar
from treesql.significance.averages import ResampledAverages, macro_shuffling_test, mean_of_scores
from treesql.significance.comparison import Comparison
from treesql.significance.counted_metrics import CountedMetric, stack_treebanks
from treesql.significance.intervals import (
    bootstrap_p,
    count_wins,
    few_sentences_warning,
    percentile_interval,
    resample_together,
)
from treesql.significance.mcnemar import CLUSTERING_WARNING, VARIANTS
from treesql.significance.methods import AVERAGES, LEVEL, MACRO, RUNS, SEED, Method
from treesql.significance.tests import TIE, Counts, TestedScore, correct_p_values, evaluate_scores, shuffling_test

_ROWS = pa.schema(
    [
        ("metric", pa.string()), ("treebank", pa.string()), ("system_a", pa.string()), ("system_b", pa.string()),
        ("score_a", pa.float64()), ("score_b", pa.float64()), ("difference", pa.float64()), ("p", pa.float64()),
        ("p_corrected", pa.float64()), ("test", pa.string()), ("difference_low", pa.float64()),
        ("difference_high", pa.float64()), ("wins_a", pa.int64()), ("ties", pa.int64()), ("wins_b", pa.int64()),
        ("sentences", pa.int64()), ("strata", pa.int64()), ("runs", pa.int64()), ("seed", pa.int64()),
        ("correction", pa.string()), ("direction", pa.string()),
    ]
)  # fmt: skip


@dataclass(frozen=True)
class _ScoredMetric:
    """A metric of all systems with its scores, in the order of the systems.

    observed: float64[systems, scores]; resampled: float64[systems, runs, scores]. treebank: its name, or that of an
    average over `treebanks`; None for a single corpus.
    """

    counted: CountedMetric
    observed: Floats
    resampled: Floats
    treebank: str | None = None
    treebanks: Sequence[CountedMetric] = ()

    @property
    def scores(self) -> Sequence[Score]:
        """The scores that are compared."""
        return self.counted.scores

    @property
    def pairs(self) -> Iterator[tuple[int, int, str, str]]:
        """All pairs of systems: their numbers and their names."""
        for (i, a), (j, b) in itertools.combinations(enumerate(self.counted.systems), 2):
            yield i, j, a, b


def compare_counted(
    counted: Sequence[CountedMetric], method: Method, warn: Warn = lambda warning: None, order: Sequence[str] = ()
) -> Comparison:
    """Compare all pairs of systems by their counts. Raises UsageError."""
    return _comparison([_score_metric(metric, _resample(metric, method)) for metric in counted], method, warn, order)


def compare_treebanks(
    treebanks: Mapping[str, Sequence[CountedMetric]], method: Method, warn: Warn = lambda warning: None,
    order: Sequence[str] = (),
) -> Comparison:  # fmt: skip
    """Compare all pairs of systems on every treebank, and by the macro- and micro-averages of their scores.

    treebanks: by name the counts of the same metrics and systems. Sentences are exchanged and resampled within
    treebanks. Raises UsageError.
    """
    check_treebank_test(method)
    by_metric = list(zip(*treebanks.values(), strict=True))
    averages = [
        [
            ResampledAverages(metric.scores, metric.query.counts, runs=method.resamples, seed=method.seed)
            for _ in metric.systems
        ]
        for metric, *_ in by_metric
    ]
    scored = []
    for number, (treebank, metrics) in enumerate(treebanks.items()):
        for metric, system_averages in zip(metrics, averages, strict=True):
            resampled = _resample(metric, method)
            scored.append(_score_metric(metric, resampled, treebank))
            for average, sums in zip(system_averages, resampled, strict=True):
                average.add(number, sums)
    for name in AVERAGES:
        for metrics, system_averages in zip(by_metric, averages, strict=True):
            runs = np.stack([average.runs_of(name) for average in system_averages])
            scored.append(_average(metrics, name, runs))
    return _comparison(scored, method, warn, order)


def without_rows() -> Comparison:
    """Return the comparison of a single system: no rows, with the columns of any other."""
    return Comparison(_ROWS.empty_table().drop_columns(["treebank"]))


def check_treebank_test(method: Method) -> None:
    """Raise UsageError for a test that averages over treebanks cannot have."""
    if method.test in VARIANTS:
        raise UsageError(
            "McNemar's test counts the items of one treebank; --test shuffling and --test bootstrap are for several"
        )


def check_two_systems(systems: Collection[str]) -> None:
    """Raise UsageError if there are fewer than two systems."""
    if len(systems) < 2:
        given = f"only {', '.join(systems)} is given" if systems else "none is given"
        raise UsageError(f"a comparison takes two systems at least, and {given}; `treesql score` scores one")


def _comparison(metrics: Sequence[_ScoredMetric], method: Method, warn: Warn, order: Sequence[str]) -> Comparison:
    """Test all pairs of systems by the scores of all metrics and treebanks, and warn. order: of the scores' names."""
    has_treebanks = metrics[0].treebank is not None
    scores: dict[tuple[str | None, str], dict[str, Any]] = {}
    rows: list[dict[str, Any]] = []
    cited: dict[str, str] = {}
    warnings: list[Diagnostic] = []
    for metric in metrics:
        names = {"treebank": metric.treebank} if has_treebanks else {}
        for name, values in zip(metric.counted.systems, _scores_shown(metric, method), strict=True):
            scores.setdefault((metric.treebank, name), {"system": name, **names}).update(values)
        tested = [_test_pair(metric, i, j, method) for i, j, _, _ in metric.pairs]
        rows += _rows(metric, tested, method)
        cited |= _signatures(metric, tested, method)
        warnings += [*metric.counted.warnings, *(() if metric.treebanks else _few_sentences_warnings(metric, method))]
    for warning in {str(warning): warning for warning in warnings}.values():
        warn(warning)
    rows, score_rows = _in_order(rows, list(scores.values()), order)
    _warn_of_missing_scores(rows, warn)
    if method.test in VARIANTS:
        hint = "the default test, shuffling, exchanges whole sentences"
        warn(Diagnostic.warning("McNemar's test", 0, CLUSTERING_WARNING, hint))
    percent = [score.name for metric in metrics for score in metric.scores if score.unit == "percent"]
    table = pa.Table.from_pylist(score_rows)
    bounded = frozenset(f"{name}{end}" for name in percent for end in ("", "_low", "_high"))
    directions = {score.name: score.direction for metric in metrics for score in metric.scores}
    intervals = Result(table, percent=bounded, directions=directions)
    compared = pa.Table.from_pylist(rows, _ROWS)
    shown = compared if has_treebanks else compared.drop_columns(["treebank"])
    return Comparison(shown, cited, scores=intervals, method=method)


def _in_order(
    rows: Sequence[dict[str, Any]], scores: Sequence[dict[str, Any]], order: Sequence[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Sort the rows of each treebank, and the columns of scores, by the names of scores; others keep their places."""
    treebanks = list(dict.fromkeys(row["treebank"] for row in rows))
    places = {name: place for place, name in enumerate(order)}
    ends = {f"{name}{end}": place for name, place in places.items() for end in ("", "_low", "_high")}
    by_score = sorted(rows, key=lambda row: (treebanks.index(row["treebank"]), places.get(row["metric"], len(places))))
    columns = sorted(scores[0], key=lambda name: -1 if name in ("system", "treebank") else ends.get(name, len(places)))
    return by_score, [{name: row[name] for name in columns} for row in scores]


def _resample(counted: CountedMetric, method: Method) -> list[Floats]:
    """Return the resampled sums of every system."""
    by_stratum = [counts.values for counts in counted.by_stratum.values()]
    return list(resample_together(by_stratum, method.resamples, method.seed))


def _score_metric(counted: CountedMetric, resampled: Sequence[Floats], treebank: str | None = None) -> _ScoredMetric:
    """Compute the scores of the counts and of resampled sums."""
    sums = [counts.sums for counts in counted.by_sentence.values()]
    n = len(sums)  # all are evaluated at once: long expressions take long to plan
    evaluated = evaluate_scores(counted.scores, counted.query.counts, np.concatenate([*sums, *resampled]))
    observed, scores = evaluated[:n], evaluated[n:].reshape(n, -1, len(counted.scores))
    return _ScoredMetric(counted, observed, scores, treebank)


def _average(treebanks: Sequence[CountedMetric], name: str, resampled: Floats) -> _ScoredMetric:
    """Compute an average of a metric over treebanks."""
    counted = stack_treebanks(treebanks, name)
    averaged = treebanks if name == MACRO else [counted]
    observed = [
        mean_of_scores(
            [
                evaluate_scores(treebank.scores, treebank.query.counts, treebank.by_sentence[system].sums)
                for treebank in averaged
            ]
        )
        for system in counted.systems
    ]
    return _ScoredMetric(counted, np.concatenate(observed), resampled, name, averaged)


def _scores_shown(metric: _ScoredMetric, method: Method) -> Iterator[dict[str, float | None]]:
    """Yield for every system its scores, each followed by the ends of its interval if there are intervals."""
    for observed, resampled in zip(metric.observed, metric.resampled, strict=True):
        shown: dict[str, float | None] = {}
        for score, value, runs in zip(metric.scores, observed, resampled.T, strict=True):
            shown[score.name] = or_none(value)
            if method.ci:
                low, high = percentile_interval(runs) if not np.isnan(value) else (None, None)
                shown |= {f"{score.name}_low": low, f"{score.name}_high": high}
        yield shown


def _test_pair(metric: _ScoredMetric, i: int, j: int, method: Method) -> list[TestedScore]:
    """Return the p-value of every score for the systems i and j."""
    a, b = metric.counted.systems[i], metric.counted.systems[j]
    if method.test == "bootstrap":
        runs = zip(metric.resampled[i].T, metric.resampled[j].T, strict=True)
        return [TestedScore(bootstrap_p(*pair), "paired bootstrap") for pair in runs]
    if method.test in VARIANTS:
        kind, name = VARIANTS[method.test]
        return [TestedScore(mcnemar.mcnemar_p(*counts, kind), name) for counts in metric.counted.discordant[a, b]]
    strata = [treebank.by_stratum for treebank in metric.treebanks or [metric.counted]]
    return macro_shuffling_test(
        metric.scores,
        [counts[a] for counts in strata],
        [counts[b] for counts in strata],
        runs=method.runs,
        seed=method.seed,
    )


def _rows(metric: _ScoredMetric, tested: Sequence[Sequence[TestedScore]], method: Method) -> Iterator[dict[str, Any]]:
    """Yield a row per score and pair of systems. tested: by pair and score."""
    n_sentences, n_strata = (
        len(next(iter(counts.values())).values) for counts in (metric.counted.by_sentence, metric.counted.by_stratum)
    )
    for at, score in enumerate(metric.scores):
        results = [scores[at] for scores in tested]
        corrected = correct_p_values([result.p for result in results], method.correction)
        for (i, j, a, b), result, p in zip(metric.pairs, results, corrected, strict=True):
            score_a, score_b = metric.observed[i, at], metric.observed[j, at]
            yield {
                "metric": score.name, "treebank": metric.treebank, "system_a": a, "system_b": b,
                "score_a": or_none(score_a), "score_b": or_none(score_b),
                "difference": difference_of(score_a, score_b), "p": result.p, "p_corrected": p, "test": result.test,
                **_interval_and_wins(metric.resampled[i, :, at], metric.resampled[j, :, at], result, score, method),
                "sentences": n_sentences, "strata": n_strata, "runs": method.runs, "seed": method.seed,
                "correction": method.correction, "direction": score.direction,
            }  # fmt: skip


def _interval_and_wins(
    a: Floats, b: Floats, tested: TestedScore, score: Score, method: Method
) -> dict[str, float | int | None]:
    """Return the interval of the difference, and the number of resamples in which each system has the better score.

    The higher score counts as the better one where the score has no direction.
    """
    keys = ("difference_low", "difference_high", "wins_a", "ties", "wins_b")
    if tested.p is None or not method.ci:
        return dict.fromkeys(keys)
    wins = count_wins(b, a) if score.direction == "lower" else count_wins(a, b)
    return dict(zip(keys, (*percentile_interval(a - b), *wins), strict=True))


def _signatures(metric: _ScoredMetric, tested: Sequence[Sequence[TestedScore]], method: Method) -> dict[str, str]:
    """Return by `score:system:system`, or `score:treebank:system:system`, the signature of both, with the test before
    the query's digest.

    Where p is corrected for several pairs, the signature cites all systems.
    """
    counted = metric.counted
    among = [f"among:{counted.among}"] if method.correction != "none" and len(counted.systems) > 2 else []
    stratum = [] if method.stratum is None else [f"stratum:{method.stratum}"]
    treebank = "" if metric.treebank is None else f"{metric.treebank}:"
    cited: dict[str, str] = {}
    for at, score in enumerate(metric.scores):
        for (_, _, a, b), scores in zip(metric.pairs, tested, strict=True):
            options = [f"test:{scores[at].test}", f"runs:{method.runs}", f"seed:{method.seed}"]
            options.append(f"correction:{method.correction}")
            signature = signature_text.both(
                counted.cited[score.name, a], counted.cited[score.name, b], [*options, *among, *stratum]
            )
            cited[f"{score.name}:{treebank}{a}:{b}"] = signature
    return cited


def _few_sentences_warnings(metric: _ScoredMetric, method: Method) -> Iterator[Diagnostic]:
    """Warn of few sentences with counts, and of pairs of systems that differ in few."""
    counts = metric.counted.by_stratum
    unit = "sentences" if method.stratum is None else "strata"
    few = few_sentences_warning(
        metric.counted.gold,
        [np.any(system_counts.values, axis=1) for system_counts in counts.values()],
        unit,
        method.ci,
    )
    if few:
        yield few
    for a, b in itertools.combinations(counts, 2):
        n_strata = len(counts[a].values)
        differ = int(np.count_nonzero(np.any(counts[a].values != counts[b].values, axis=1)))
        if method.test == "shuffling" and differ > 0 and 2 ** (1 - differ) > LEVEL:
            what = (
                f"{a} and {b} differ in {differ} of {n_strata} {unit}, and no p below {2 ** (1 - differ):g} is possible"
            )
            yield Diagnostic.warning(metric.counted.gold, 0, what, "compare them on more text")


def _warn_of_missing_scores(rows: Sequence[Mapping[str, Any]], warn: Warn) -> None:
    """Warn of scores without a value. Raises UsageError if no pair of systems has one."""
    without: dict[str, list[str]] = {}
    for row in rows:
        for side in ("a", "b"):
            where = "" if row["treebank"] is None else f" on {row['treebank']}"
            name = f"{row[f'system_{side}']}{where}"
            if row[f"score_{side}"] is None and name not in without.setdefault(row["metric"], []):
                without[row["metric"]].append(name)
    missing = [f"{metric} has no value for {', '.join(systems)}" for metric, systems in without.items() if systems]
    if rows and all(row["score_a"] is None or row["score_b"] is None for row in rows):
        raise UsageError(f"nothing can be compared: {'; '.join(missing)}, as nothing is counted there")
    for what in missing:
        warn(Diagnostic.warning("comparison", 0, what, "it is not compared there"))


def difference_of(a: float, b: float) -> float | None:
    """Return the difference of two scores: 0 if only rounding is between them, None if one of them has no value."""
    return 0.0 if abs(a - b) <= TIE * max(abs(a), abs(b)) else or_none(a - b)


def or_none(value: float) -> float | None:
    """Return a number, None for NaN."""
    return None if np.isnan(value) else float(value)


_ROWS_OF_COUNTS = pa.schema(
    {"metric": pa.string(), "system_a": pa.string(), "system_b": pa.string()}
    | {name: pa.float64() for name in ("score_a", "score_b", "difference", "p")}
    | {"test": pa.string()}
)


@convert_errors
def compare_counts(
    systems: Mapping[str, Mapping[str, npt.ArrayLike]],
    scores: Mapping[str, str],
    *,
    runs: int = RUNS,
    seed: int = SEED,
) -> Result:
    """Test whether systems differ by more than chance, by shuffling counts per sentence: a row per score and pair.

    systems: by name, the counts by column, arrays with a number for every sentence. scores: by name, an SQL expression
    over sums of these columns, such as `2 * sum(hits) / nullif(sum(found) + sum(gold), 0)`. runs, seed: of random
    exchanges. Raises UsageError, UnknownName,
    QueryError.
    """
    if len(systems) < 2 or not scores:
        raise UsageError("a comparison takes two systems and a score at least")
    Method(runs=runs, seed=seed)  # checks both
    counts = {name: Counts.of(columns) for name, columns in systems.items()}
    shapes = {
        (tuple(column.name for column in system_counts.columns), len(system_counts.values))
        for system_counts in counts.values()
    }
    if len(shapes) > 1:
        raise UsageError("systems have the same columns and the same number of sentences")
    wanted = [Score(name, "number", expression, "") for name, expression in scores.items()]
    known = [column.name for column in next(iter(counts.values())).columns]
    for name in (name for score in wanted for name in score.counts if name not in known):
        raise UnknownName("count", name, known)
    try:
        values = {
            name: evaluate_scores(wanted, system_counts.columns, system_counts.sums)[0]
            for name, system_counts in counts.items()
        }
        tested = {
            (a, b): shuffling_test(wanted, counts[a], counts[b], runs=runs, seed=seed)
            for a, b in itertools.combinations(counts, 2)
        }
    except duckdb.Error as error:
        raise QueryError(str(error), ", ".join(scores.values())) from None
    rows = [
        {"metric": score.name, "system_a": a, "system_b": b, "p": results[at].p, "test": results[at].test}
        | {"score_a": or_none(values[a][at]), "score_b": or_none(values[b][at])}
        | {"difference": or_none(values[a][at] - values[b][at])}
        for at, score in enumerate(wanted)
        for (a, b), results in tested.items()
    ]
    return Result(pa.Table.from_pylist(rows, _ROWS_OF_COUNTS))
