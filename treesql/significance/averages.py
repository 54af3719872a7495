"""Averages over treebanks: macro, the mean of the treebanks' scores, and micro, the scores of their summed counts;
scores of several systems in buckets of items, with intervals and tests, from one resampling of sentences.

Sentences are resampled within treebanks. The runs of the first treebank keep their order; those of every other one are
put into a random order of its own, because equal seeds draw the same rows from treebanks of the same size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treesql.catalog.header import Column, Score
from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.sampling import resampling
from treesql.significance.intervals import percentile_interval, resample_together
from treesql.significance.methods import LEVEL, MICRO, RUNS, SEED, Method
from treesql.significance.tests import (
    Counts,
    TestedScore,
    correct_p_values,
    evaluate_scores,
    exchanged_scores,
    share_as_far_apart,
    shuffling_test,
)


def order_of_runs(runs: int, seed: int, treebank: int) -> Ints:
    """Return the order in which the runs of a treebank, by its number, are added to those of others: int64[runs]."""
    if treebank == 0:
        return np.arange(runs)
    raw: npt.NDArray[np.uint64] = np.asarray(np.random.PCG64(np.random.SeedSequence([seed, treebank])).random_raw(runs))
    return np.argsort(raw, kind="stable")


def mean_of_scores(scores: Sequence[Floats]) -> Floats:
    """Return the means over treebanks of arrays of scores, of those that have a value; NaN where none has."""
    stacked = np.stack(scores)
    known = ~np.isnan(stacked)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.where(known, stacked, 0.0).sum(axis=0) / known.sum(axis=0)
    return means


class ResampledAverages:
    """Macro and micro of the resampled sums of one system, added treebank by treebank.

    scores: of one metric; columns: its counts; runs, seed: those of the resampling.
    """

    def __init__(self, scores: Sequence[Score], columns: Sequence[Column], *, runs: int, seed: int) -> None:
        self.scores, self.columns, self.runs, self.seed = scores, columns, runs, seed
        self._sums = np.zeros((runs, len(columns)))
        self._scores = np.zeros((runs, len(scores)))
        self._known = np.zeros((runs, len(scores)), np.int64)

    def add(self, treebank: int, sums: Floats) -> None:
        """Add the resampled sums of a treebank, by its number: float64[runs, counts]."""
        ordered = sums[order_of_runs(self.runs, self.seed, treebank)]
        scores = evaluate_scores(self.scores, self.columns, ordered)
        self._sums += ordered
        self._known += ~np.isnan(scores)
        self._scores += np.nan_to_num(scores)

    def runs_of(self, average: str) -> Floats:
        """Return the scores of all runs, NaN where one has no value: float64[runs, scores]."""
        if average == MICRO:
            return evaluate_scores(self.scores, self.columns, self._sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            runs: Floats = self._scores / self._known
        return runs


def macro_shuffling_test(
    scores: Sequence[Score], a: Sequence[Counts], b: Sequence[Counts], *, runs: int = RUNS, seed: int = SEED
) -> list[TestedScore]:
    """Return a two-sided p per macro-average by shuffling: equally good systems can exchange their rows of a treebank.

    a, b: counts of two systems, by treebank. After every exchange of rows within treebanks, the means over treebanks of
    the scores are compared, as `shuffling_test` compares scores: all exchanges if no more than `runs` differ, else
    `runs` random ones.
    """
    if len(a) == 1:
        return shuffling_test(scores, a[0], b[0], runs=runs, seed=seed)
    differences = [counts_a.values - counts_b.values for counts_a, counts_b in zip(a, b, strict=True)]
    differences = [rows[np.any(rows != 0, axis=1)] for rows in differences]
    exact = 2 ** sum(map(len, differences)) <= runs
    exchanged = _sums_of_all_exchanges(differences) if exact else _sums_of_random_exchanges(differences, runs, seed)
    observed = mean_of_scores(
        [
            evaluate_scores(scores, counts_a.columns, np.concatenate([counts_a.sums, counts_b.sums]))
            for counts_a, counts_b in zip(a, b, strict=True)
        ]
    )
    after = [exchanged_scores(scores, *treebank) for treebank in zip(a, b, exchanged, strict=True)]
    p = share_as_far_apart(observed, [mean_of_scores(sides) for sides in zip(*after, strict=True)], exact=exact)
    name = "exact shuffling" if exact else "stratified shuffling"
    return [TestedScore(None if np.isnan(value) else float(value), name) for value in p]


def _sums_of_all_exchanges(differences: Sequence[Floats]) -> list[Floats]:
    """Return by treebank the sums of all subsets of the rows of all: float64[2**n, columns]."""
    width = differences[0].shape[1]
    whole = np.zeros((sum(map(len, differences)), width * len(differences)))
    first = 0
    for at, rows in enumerate(differences):
        whole[first : first + len(rows), at * width : (at + 1) * width] = rows
        first += len(rows)
    return list(np.split(resampling.sums_of_all_subsets(whole), len(differences), axis=1))


def _sums_of_random_exchanges(differences: Sequence[Floats], runs: int, seed: int) -> list[Floats]:
    """Return by treebank the sums of random subsets of its rows, in an order of its own: float64[runs, columns]."""
    return [
        resampling.sums_of_random_subsets(rows, runs, seed)[order_of_runs(runs, seed, at)]
        for at, rows in enumerate(differences)
    ]


@dataclass(frozen=True)
class BucketScore:
    """The score of a system in a bucket, with its 95% interval; None where it has no value.

    p: of the difference from the first system, by shuffling; p_corrected: for all buckets and systems. None for the
    first system, and where a score has no value.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None = None
    p_corrected: float | None = None

    @property
    def differs(self) -> bool:
        """Whether it differs from the first system's by more than chance explains."""
        return self.p_corrected is not None and self.p_corrected < LEVEL


def score_buckets(
    score: Score, columns: tuple[Column, ...], buckets: Sequence[Sequence[Floats]], method: Method,
    treebanks: Sequence[slice] = (),
) -> list[list[BucketScore]]:  # fmt: skip
    """Return the scores by bucket and system.

    buckets: by bucket and system, counts float64[sentences, columns]. treebanks: the rows of each, within which
    sentences are drawn, as for the intervals of its scores and of micro-averages; none for one corpus. p-values are
    corrected by Holm's method for all buckets and systems. Intervals and p-values are those of `score --by
    --ci` and `compare --where` for this bucket.
    """
    used = [at for at, column in enumerate(columns) if column.name in score.counts]
    reduced = tuple(columns[at] for at in used)
    counts = [[Counts(reduced, rows[:, used]) for rows in systems] for systems in buckets]
    bounds = _intervals(score, reduced, counts, method, treebanks)
    tested = [_test_bucket(score, systems, method) for systems in counts]
    corrected = iter(correct_p_values([p for p_values in tested for p in p_values], "holm"))
    scored = []
    for systems, p_values, bucket_bounds in zip(counts, tested, bounds, strict=True):
        values = [evaluate_scores([score], reduced, system_counts.sums)[0, 0] for system_counts in systems]
        tested_p = [(None, None), *((p, next(corrected)) for p in p_values)]
        scored.append(
            [
                BucketScore(None if np.isnan(value) else float(value), *ends, *p)
                for value, ends, p in zip(values, bucket_bounds, tested_p, strict=True)
            ]
        )
    return scored


def _intervals(
    score: Score, columns: tuple[Column, ...], buckets: Sequence[Sequence[Counts]], method: Method,
    treebanks: Sequence[slice],
) -> list[list[tuple[float | None, float | None]]]:  # fmt: skip
    """Return the ends of the intervals by bucket and system."""
    arrays = [counts.values for systems in buckets for counts in systems]
    resampled = _resample(arrays, method, treebanks)
    ends = iter([percentile_interval(evaluate_scores([score], columns, sums)[:, 0]) for sums in resampled])
    return [[next(ends) for _ in systems] for systems in buckets]


def _resample(arrays: Sequence[Floats], method: Method, treebanks: Sequence[slice]) -> Iterable[Floats]:
    """Return for each array the sums of rows drawn with replacement, within treebanks: float64[runs, columns]."""
    if not treebanks:
        return resample_together(arrays, method.runs, method.seed)
    sums = [np.zeros((array.shape[1], method.runs)).T for array in arrays]
    for number, rows in enumerate(treebanks):
        order = order_of_runs(method.runs, method.seed, number)
        drawn = resample_together([array[rows] for array in arrays], method.runs, method.seed)
        for total, of_treebank in zip(sums, drawn, strict=True):
            if of_treebank.any():  # most buckets are of few treebanks
                total += of_treebank.T[:, order].T
    return sums


def _test_bucket(score: Score, systems: Sequence[Counts], method: Method) -> list[float | None]:
    """Return the p-values of the differences of all other systems from the first."""
    tested = [shuffling_test([score], systems[0], counts, runs=method.runs, seed=method.seed) for counts in systems[1:]]
    return [result.p for [result] in tested]
