"""Averages over treebanks: means of scores, resampled runs, and the test of macro-averages against all exchanges."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from treesql.catalog.header import Score
from treesql.kernels.arrays import Floats
from treesql.significance.averages import (
    BucketScore,
    ResampledAverages,
    macro_shuffling_test,
    mean_of_scores,
    order_of_runs,
)
from treesql.significance.intervals import resample_together
from treesql.significance.methods import LEVEL, MACRO, MICRO
from treesql.significance.tests import Counts, shuffling_test

ACCURACY = Score("accuracy", "percent", "sum(hits) / nullif(sum(words), 0)", "", "higher")
F1 = Score("f1", "percent", "2 * sum(hits) / nullif(sum(words) + sum(found), 0)", "", "higher")


def counts(hits: list[int], words: list[int], found: list[int] | None = None) -> Counts:
    return Counts.of({"hits": hits, "words": words, "found": found or words})


def macro(treebanks: list[Floats]) -> float:
    """The mean of accuracies, of rows (hits, words, found)."""
    return float(np.mean([rows[:, 0].sum() / rows[:, 1].sum() for rows in treebanks]))


def brute_force(a: list[Counts], b: list[Counts]) -> float:
    """The share of all exchanges of rows within treebanks after which the means are as far apart."""
    sizes = [len(one.values) for one in a]
    observed = abs(macro([one.values for one in a]) - macro([one.values for one in b]))
    extreme = 0
    for choice in itertools.product((False, True), repeat=sum(sizes)):
        parts = np.split(np.array(choice), np.cumsum(sizes)[:-1])
        one = [np.where(p[:, None], y.values, x.values) for p, x, y in zip(parts, a, b, strict=True)]
        other = [np.where(p[:, None], x.values, y.values) for p, x, y in zip(parts, a, b, strict=True)]
        extreme += abs(macro(one) - macro(other)) >= observed - 1e-12
    return extreme / 2 ** sum(sizes)


A = [counts([3, 2, 4], [4, 4, 5]), counts([9, 7], [10, 10]), counts([1, 1, 0, 2], [2, 1, 3, 2])]
B = [counts([2, 2, 3], [4, 4, 5]), counts([6, 8], [10, 10]), counts([0, 1, 1, 1], [2, 1, 3, 2])]


def test_all_exchanges_are_tried_where_they_are_few() -> None:
    [tested] = macro_shuffling_test([ACCURACY], A, B)
    assert tested.test == "exact shuffling"
    assert tested.p == pytest.approx(brute_force(A, B))


def test_random_exchanges_come_close() -> None:
    [tested] = macro_shuffling_test([ACCURACY], A, B, runs=100, seed=3)
    assert tested.test == "stratified shuffling"
    assert tested.p == pytest.approx(brute_force(A, B), abs=0.15)
    assert macro_shuffling_test([ACCURACY], A, B, runs=100, seed=3) == [tested]
    assert macro_shuffling_test([ACCURACY], A, B, runs=100, seed=4) != [tested]


def test_one_treebank_is_tested_as_a_corpus_is() -> None:
    assert macro_shuffling_test([ACCURACY, F1], A[:1], B[:1]) == shuffling_test([ACCURACY, F1], A[0], B[0])


def test_equal_systems_and_treebanks_without_differences() -> None:
    assert [one.p for one in macro_shuffling_test([ACCURACY, F1], A, A)] == [1.0, 1.0]
    [only_first] = macro_shuffling_test([ACCURACY], A, [B[0], *A[1:]])
    assert only_first.p == pytest.approx(brute_force(A, [B[0], *A[1:]]))
    [tested] = macro_shuffling_test([ACCURACY], A, [B[0], *A[1:]], runs=3)
    assert tested.test == "stratified shuffling"


def test_a_score_without_a_value_in_any_treebank() -> None:
    nothing = [counts([0], [0]), counts([0, 0], [0, 0])]
    assert [one.p for one in macro_shuffling_test([ACCURACY], nothing, nothing)] == [None]
    [found] = macro_shuffling_test([ACCURACY], [A[0], nothing[0]], [B[0], nothing[0]])
    assert found.p == pytest.approx(brute_force(A[:1], B[:1]))


def test_the_mean_is_over_the_treebanks_that_have_a_value() -> None:
    found = mean_of_scores([np.array([[0.5, np.nan]]), np.array([[1.0, np.nan]]), np.array([[np.nan, np.nan]])])
    assert found[0, 0] == 0.75
    assert np.isnan(found[0, 1])


def test_runs_are_in_an_order_of_their_own() -> None:
    first, second, third = (order_of_runs(1000, 12345, at) for at in range(3))
    assert first.tolist() == list(range(1000))
    assert sorted(second.tolist()) == sorted(third.tolist()) == first.tolist()
    assert np.count_nonzero(second == third) < 10
    assert second[:3].tolist() == order_of_runs(1000, 12345, 1)[:3].tolist()


def test_resampled_averages() -> None:
    """Of every run, micro is the score of the sums, and macro the mean of the scores."""
    averages = ResampledAverages([ACCURACY], A[0].columns, runs=50, seed=7)
    resampled = [next(resample_together([one.values], 50, 7)) for one in A]
    for at, sums in enumerate(resampled):
        averages.add(at, sums)
    ordered = [sums[order_of_runs(50, 7, at)] for at, sums in enumerate(resampled)]
    total = sum(ordered)
    assert averages.runs_of(MICRO)[:, 0] == pytest.approx(total[:, 0] / total[:, 1])
    assert averages.runs_of(MACRO)[:, 0] == pytest.approx(np.mean([one[:, 0] / one[:, 1] for one in ordered], axis=0))


def test_treebanks_of_one_size_are_resampled_independently() -> None:
    """The variance of the mean of four equal treebanks is a quarter of that of one."""
    rng = np.random.default_rng(1)
    one = counts(rng.integers(0, 11, 300).tolist(), [10] * 300)
    single = ResampledAverages([ACCURACY], one.columns, runs=4000, seed=1)
    four = ResampledAverages([ACCURACY], one.columns, runs=4000, seed=1)
    [sums] = resample_together([one.values], 4000, 1)
    single.add(0, sums)
    for at in range(4):
        four.add(at, sums)
    assert four.runs_of(MACRO).var() == pytest.approx(single.runs_of(MACRO).var() / 4, rel=0.1)


@pytest.mark.parametrize(
    ("p_corrected", "differs"), [(None, False), (LEVEL - 1e-9, True), (LEVEL, False), (1.0, False)]
)
def test_a_bucket_differs_below_the_level(p_corrected: float | None, differs: bool) -> None:
    assert BucketScore(0.5, None, None, p_corrected, p_corrected).differs is differs
