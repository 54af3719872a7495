"""Scores of several systems in buckets of items, with intervals and tests, from one resampling of sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treesql.catalog.header import Column, Score
from treesql.kernels.arrays import Floats
from treesql.significance.averages import order_of_runs
from treesql.significance.intervals import percentile_interval, resample_together
from treesql.significance.methods import LEVEL, Method
from treesql.significance.tests import Counts, correct_p_values, evaluate_scores, shuffling_test


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
    used = [at for at, one in enumerate(columns) if one.name in score.counts]
    reduced = tuple(columns[at] for at in used)
    counts = [[Counts(reduced, one[:, used]) for one in systems] for systems in buckets]
    bounds = _intervals(score, reduced, counts, method, treebanks)
    tested = [_test_bucket(score, systems, method) for systems in counts]
    corrected = iter(correct_p_values([p for of_bucket in tested for p in of_bucket], "holm"))
    found = []
    for systems, of_bucket, of_bounds in zip(counts, tested, bounds, strict=True):
        values = [evaluate_scores([score], reduced, one.sums)[0, 0] for one in systems]
        ps = [(None, None), *((p, next(corrected)) for p in of_bucket)]
        found.append(
            [
                BucketScore(None if np.isnan(value) else float(value), *ends, *p)
                for value, ends, p in zip(values, of_bounds, ps, strict=True)
            ]
        )
    return found


def _intervals(
    score: Score, columns: tuple[Column, ...], buckets: Sequence[Sequence[Counts]], method: Method,
    treebanks: Sequence[slice],
) -> list[list[tuple[float | None, float | None]]]:  # fmt: skip
    """Return the ends of the intervals by bucket and system."""
    arrays = [one.values for systems in buckets for one in systems]
    resampled = _resample(arrays, method, treebanks)
    ends = iter([percentile_interval(evaluate_scores([score], columns, sums)[:, 0]) for sums in resampled])
    return [[next(ends) for _ in systems] for systems in buckets]


def _resample(arrays: Sequence[Floats], method: Method, treebanks: Sequence[slice]) -> Iterable[Floats]:
    """Return for each array the sums of rows drawn with replacement, within treebanks: float64[runs, columns]."""
    if not treebanks:
        return resample_together(arrays, method.runs, method.seed)
    sums = [np.zeros((method.runs, array.shape[1])) for array in arrays]
    for number, rows in enumerate(treebanks):
        order = order_of_runs(method.runs, method.seed, number)
        drawn = resample_together([array[rows] for array in arrays], method.runs, method.seed)
        for total, of_treebank in zip(sums, drawn, strict=True):
            total += of_treebank[order]
    return sums


def _test_bucket(score: Score, systems: Sequence[Counts], method: Method) -> list[float | None]:
    """Return the p-values of the differences of all other systems from the first."""
    tested = [shuffling_test([score], systems[0], one, runs=method.runs, seed=method.seed) for one in systems[1:]]
    return [one.p for [one] in tested]
