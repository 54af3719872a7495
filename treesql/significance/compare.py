"""Systems compared by the scores of any metric, and intervals of scores, from counts that are summed per sentence."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from treesql.catalog import Query
from treesql.catalog.header import Score
from treesql.errors import Diagnostic, UsageError, Warn
from treesql.kernels.arrays import Floats
from treesql.results import signature_text
from treesql.results.result import Result
from treesql.scoring import scores as scoring_scores
from treesql.scoring import signatures
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
from treesql.significance.strata import Values, add_later_sentences, find_gold_corpus, number_strata
from treesql.significance.tests import (
    LEVEL,
    TIE,
    Counts,
    Method,
    Tested,
    correct_p_values,
    evaluate_scores,
    shuffling_test,
)

Look = Callable[[str, Counts], Iterable[Diagnostic]]

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


def compare(
    connection: duckdb.DuckDBPyConnection,
    chosen: Sequence[tuple[Query, Sequence[Score]]],
    systems: Mapping[str, Values],
    method: Method,
    *,
    where: str | None = None,
    look: Look = lambda system, counts: (),
    warn: Warn = lambda warning: None,
) -> Comparison:
    """Compare all pairs of systems by scores of metrics, as `choosing.choose` gives them.

    systems: by name the values of the metrics' parameters. where: an SQL condition on items. look: gives warnings about
    a system from what was counted of it for a metric. warn: called with what is worth a look. Raises UsageError,
    UnknownName, Incomparable, QueryError.
    """
    check_two_systems(systems)
    scored: dict[str, dict[str, Any]] = {name: {"system": name} for name in systems}
    rows: list[dict[str, Any]] = []
    remarks: dict[str, Diagnostic] = {}
    cited: dict[str, str] = {}
    for query, scores in chosen:
        gold = find_gold_corpus(query, systems)
        own = {name: _declared(query, values) for name, values in systems.items()}
        summed = {name: _sums(connection, query, values, where, gold) for name, values in own.items()}
        numbers = number_strata(connection, gold, method.stratum)
        if all(values[str(query.reference_corpus)] == gold for values in own.values()):
            numbers, summed = add_later_sentences(numbers, summed)
        sums = {name: Counts(query.counts, one.values[:, 0]) for name, one in summed.items()}
        _check_sentence_counts(query, {gold: len(numbers), **{name: len(one.values) for name, one in sums.items()}})
        counts = {name: one.strata(numbers) for name, one in sums.items()}
        sentences, strata = len(numbers), int(numbers.max(initial=-1)) + 1
        resampled = bootstrap_scores(connection, scores, list(counts.values()), runs=method.runs, seed=method.seed)
        observed = np.concatenate([_observed(connection, scores, one) for one in sums.values()])
        for at, score in enumerate(scores):
            for name, value, runs in zip(systems, observed[:, at], resampled[:, :, at], strict=True):
                low, high = percentile_interval(runs) if not np.isnan(value) else (None, None)
                scored[name] |= {score.name: _or_none(value), f"{score.name}_low": low, f"{score.name}_high": high}
        tested = {
            (a, b): _tested(connection, query, scores, method, counts, own, resampled, where, a, b)
            for a, b in itertools.combinations(systems, 2)
        }
        for at, score in enumerate(scores):
            found = [tests[at] for tests in tested.values()]
            corrected = correct_p_values([one.p for one in found], method.correction)
            for (a, b), one, p in zip(tested, found, corrected, strict=True):
                i, j = list(systems).index(a), list(systems).index(b)
                rows.append(
                    {
                        "metric": score.name, "system_a": a, "system_b": b,
                        "score_a": _or_none(observed[i, at]), "score_b": _or_none(observed[j, at]),
                        "difference": _apart(observed[i, at], observed[j, at]), "p": one.p, "p_corrected": p,
                        "test": one.test, **_difference(resampled[i, :, at], resampled[j, :, at], one, score),
                        "sentences": sentences, "strata": strata, "runs": method.runs, "seed": method.seed,
                        "correction": method.correction, "direction": score.direction,
                    }
                )  # fmt: skip
                among = own if method.correction != "none" and len(own) > 2 else {}
                cited[f"{score.name}:{a}:{b}"] = _signature(
                    connection, query, score, own[a], own[b], where, method, one, [*among.values()]
                )
        told = [look(name, one) for name, one in sums.items()]
        told.append(_remarks(gold, counts, strata, method))
        remarks |= {str(remark): remark for remark in itertools.chain.from_iterable(told)}
    for remark in remarks.values():
        warn(remark)
    _warn_of_missing_scores(rows, warn)
    if method.test in VARIANTS:
        warn(
            Diagnostic.warning(
                "McNemar's test", 0, CLUSTERING_WARNING, "the default test, shuffling, exchanges whole sentences"
            )
        )
    percent = [score.name for _, scores in chosen for score in scores if score.unit == "percent"]
    table = pa.Table.from_pylist(list(scored.values()))
    intervals = Result(table, percent=frozenset(f"{name}{end}" for name in percent for end in ("", "_low", "_high")))
    return Comparison(pa.Table.from_pylist(rows, _ROWS), cited, frozenset(), intervals, method)


def check_two_systems(systems: Collection[str]) -> None:
    """Raises UsageError where there are fewer systems than can be compared."""
    if len(systems) < 2:
        given = f"only {', '.join(systems)} is given" if systems else "none is given"
        raise UsageError(f"a comparison takes two systems at least, and {given}; `treesql score` scores one")


def _declared(query: Query, values: Values) -> dict[str, object]:
    return {name: value for name, value in values.items() if name in {p.name for p in query.parameters}}


def _sums(
    connection: duckdb.DuckDBPyConnection, query: Query, values: Values, where: str | None, gold: str
) -> SentenceSums:
    [summed] = scoring_scores.sentence_sums(connection, [query.name], values, where=where)
    return correspondence.renumbered(connection, query, summed, str(values[str(query.reference_corpus)]), gold)


def _check_sentence_counts(query: Query, lengths: Mapping[str, int]) -> None:
    """Raises UsageError where systems have other numbers of sentences."""
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise UsageError(f"{query.name} is compared sentence by sentence, and their numbers differ: {told}")


def _observed(connection: duckdb.DuckDBPyConnection, scores: Sequence[Score], counts: Counts) -> Floats:
    return evaluate_scores(connection, scores, counts.columns, counts.sums)


def _tested(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    scores: Sequence[Score],
    method: Method,
    counts: Mapping[str, Counts],
    values: Mapping[str, Values],
    resampled: Floats,
    where: str | None,
    a: str,
    b: str,
) -> list[Tested]:
    """The p-value of every score for one pair."""
    if method.test == "bootstrap":
        i, j = list(counts).index(a), list(counts).index(b)
        pairs = zip(resampled[i].T, resampled[j].T, strict=True)
        return [Tested(bootstrap_p(one, other), "paired bootstrap") for one, other in pairs]
    if method.test in VARIANTS:
        kind, name = VARIANTS[method.test]
        gold = find_gold_corpus(query, values)
        found = count_discordant(connection, query, scores, values[a], values[b], where, gold)
        return [Tested(mcnemar.mcnemar_p(*one, kind), name) for one in found]
    return shuffling_test(connection, scores, counts[a], counts[b], runs=method.runs, seed=method.seed)


def _difference(a: Floats, b: Floats, tested: Tested, score: Score) -> dict[str, float | int | None]:
    """The interval of the difference, and who has the better score how often, over resamples; the higher one where
    neither is better.
    """
    keys = ("difference_low", "difference_high", "wins_a", "ties", "wins_b")
    if tested.p is None:
        return dict.fromkeys(keys)
    wins = count_wins(b, a) if score.direction == "lower" else count_wins(a, b)
    return dict(zip(keys, (*percentile_interval(a - b), *wins), strict=True))


def _signature(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    score: Score,
    a: Values,
    b: Values,
    where: str | None,
    method: Method,
    tested: Tested,
    among: Sequence[Values],
) -> str:
    """The signature of a score with both systems in it, and the test before the query's digest.

    among: all systems, if p is corrected for the number of their pairs.
    """
    one, other = (signatures.signature(connection, query, score.name, query.values(side), where) for side in (a, b))
    how = [f"test:{tested.test}", f"runs:{method.runs}", f"seed:{method.seed}", f"correction:{method.correction}"]
    how += [f"among:{signatures.digest_of(connection, query, among)}"] * bool(among)
    how += [f"stratum:{method.stratum}"] * (method.stratum is not None)
    return signature_text.both(one, other, how)


def _remarks(gold: str, counts: Mapping[str, Counts], strata: int, method: Method) -> Iterator[Diagnostic]:
    """What is worth a warning about the number of sentences."""
    unit = "sentences" if method.stratum is None else "strata"
    few = few_sentences_warning(gold, [np.any(one.values, axis=1) for one in counts.values()], unit)
    if few:
        yield few
    for a, b in itertools.combinations(counts, 2):
        differ = int(np.count_nonzero(np.any(counts[a].values != counts[b].values, axis=1)))
        if method.test == "shuffling" and differ > 0 and 2 ** (1 - differ) > LEVEL:
            what = (
                f"{a} and {b} differ in {differ} of {strata} {unit}, and no p below {2 ** (1 - differ):g} is possible"
            )
            yield Diagnostic.warning(gold, 0, what, "compare them on more text")


def _warn_of_missing_scores(rows: Sequence[Mapping[str, Any]], warn: Warn) -> None:
    """Warn of scores without a value. Raises UsageError if none has one."""
    empty: dict[str, list[str]] = {}
    for row in rows:
        for side in ("a", "b"):
            if row[f"score_{side}"] is None and row[f"system_{side}"] not in empty.setdefault(row["metric"], []):
                empty[row["metric"]].append(row[f"system_{side}"])
    told = [f"{metric} has no value for {', '.join(systems)}" for metric, systems in empty.items() if systems]
    if rows and all(row["score_a"] is None or row["score_b"] is None for row in rows):
        raise UsageError(f"nothing can be compared: {'; '.join(told)}, as nothing is counted there")
    for one in told:
        warn(Diagnostic.warning("comparison", 0, one, "it is not compared there"))


def _apart(a: float, b: float) -> float | None:
    """How far a score is above another: 0 where only rounding is between them, None where one of them has no value."""
    return 0.0 if abs(a - b) <= TIE * max(abs(a), abs(b)) else _or_none(a - b)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
