"""Averages over treebanks: macro, the mean of the treebanks' scores, and micro, the scores of their summed counts.

Sentences are resampled within treebanks. The runs of the first treebank keep their order; those of every other one are
put into a random order of its own, because equal seeds draw the same rows from treebanks of the same size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treesql.catalog.header import Column, Score
from treesql.kernels import resampling
from treesql.kernels.arrays import Floats, Ints
from treesql.significance.methods import MICRO, RUNS, SEED
from treesql.significance.tests import (
    Counts,
    TestedScore,
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
            found: Floats = self._scores / self._known
        return found


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
    differences = [one.values - other.values for one, other in zip(a, b, strict=True)]
    differences = [rows[np.any(rows != 0, axis=1)] for rows in differences]
    exact = 2 ** sum(map(len, differences)) <= runs
    moved = _sums_of_all_exchanges(differences) if exact else _sums_of_random_exchanges(differences, runs, seed)
    observed = mean_of_scores(
        [
            evaluate_scores(scores, one.columns, np.concatenate([one.sums, other.sums]))
            for one, other in zip(a, b, strict=True)
        ]
    )
    after = [exchanged_scores(scores, *treebank) for treebank in zip(a, b, moved, strict=True)]
    p = share_as_far_apart(observed, [mean_of_scores(sides) for sides in zip(*after, strict=True)], exact=exact)
    name = "exact shuffling" if exact else "stratified shuffling"
    return [TestedScore(None if np.isnan(one) else float(one), name) for one in p]


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
