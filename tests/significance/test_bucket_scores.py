"""Scores in buckets: values by hand, intervals and tests as of single buckets, corrected for all."""

from __future__ import annotations

import numpy as np
import pytest

from treesql import catalog
from treesql.significance.averages import BucketScore, score_buckets
from treesql.significance.intervals import percentile_interval, resample_together
from treesql.significance.methods import LEVEL, Method
from treesql.significance.tests import Counts, correct_p_values, evaluate_scores, shuffling_test

ATTACHMENT = catalog.query("attachment")
LAS = next(score for score in ATTACHMENT.ratios if score.name == "las")
METHOD = Method(runs=200, seed=3)


def counts(words: list[int], right: list[int]) -> np.ndarray:
    """Counts of sentences: words, and words whose edge is right."""
    found = np.zeros((len(words), len(ATTACHMENT.counts)))
    names = [one.name for one in ATTACHMENT.counts]
    for side in ("gold_words", "system_words"):
        found[:, names.index(side)] = words
    found[:, names.index("correct_edge")] = right
    return found


def test_values_by_hand() -> None:
    bucket = [counts([4, 2, 0], [3, 2, 0]), counts([4, 2, 0], [1, 2, 0])]
    [[first, second]] = score_buckets(LAS, ATTACHMENT.counts, [bucket], METHOD)
    assert first.value == 5 / 6
    assert second.value == 3 / 6
    assert first.p is None
    assert second.p == 1.0  # one sentence differs: both exchanges are as far apart
    assert second.p_corrected == 1.0
    assert not second.differs


def test_differences_are_those_below_the_level() -> None:
    assert BucketScore(0.5, 0.4, 0.6, 0.01, LEVEL - 1e-9).differs
    assert not BucketScore(0.5, 0.4, 0.6, 0.01, LEVEL).differs


def test_a_bucket_without_items_has_no_value() -> None:
    empty = counts([0, 0], [0, 0])
    [[first, second]] = score_buckets(LAS, ATTACHMENT.counts, [[empty, empty]], METHOD)
    assert (first.value, first.low, first.high) == (None, None, None)
    assert (second.p, second.p_corrected) == (None, None)


def test_no_buckets() -> None:
    assert score_buckets(LAS, ATTACHMENT.counts, [], METHOD) == []


def test_p_is_corrected_for_all_buckets_and_systems() -> None:
    n = 12
    same = counts([3] * n, [1] * n)
    better = counts([3] * n, [2] * n)
    buckets = [[same, better, same], [same, same, better], [better, same, same]]
    found = score_buckets(LAS, ATTACHMENT.counts, buckets, METHOD)
    p = 2 / 2**n  # all sentences differ in one direction: only two of all exchanges are as far apart
    assert [one.p for row in found for one in row[1:]] == pytest.approx([p, 1.0, 1.0, p, p, p])
    corrected = correct_p_values([p, 1.0, 1.0, p, p, p], "holm")
    assert [one.p_corrected for row in found for one in row[1:]] == pytest.approx(corrected)
    assert corrected[0] == 6 * p
    assert [one.differs for row in found for one in row] == [False, True, False, False, False, True, False, True, True]


def test_intervals_and_p_are_those_of_single_buckets() -> None:
    random = np.random.default_rng(5)
    words = random.integers(0, 6, (2, 40))
    buckets = [[counts(list(one), list(random.binomial(one, 0.7))) for _ in range(2)] for one in words]
    for systems, found in zip(buckets, score_buckets(LAS, ATTACHMENT.counts, buckets, METHOD), strict=True):
        whole = [Counts(ATTACHMENT.counts, one) for one in systems]
        for sums, one in zip(resample_together(systems, 200, 3), found, strict=True):
            ends = percentile_interval(evaluate_scores([LAS], ATTACHMENT.counts, sums)[:, 0])
            assert (one.low, one.high) == ends
        [tested] = shuffling_test([LAS], *whole, runs=200, seed=3)
        assert found[1].p == tested.p


@pytest.mark.parametrize("shapes", [[], [2], [2, 0, 3], [600, 5]])
def test_sums_that_are_resampled_together_are_those_of_each(shapes: list[int]) -> None:
    random = np.random.default_rng(7)
    arrays = [random.integers(0, 4, (30, k)).astype(float) for k in shapes]
    together = list(resample_together([*arrays, *arrays[:1]], 50, 11))
    assert len(together) == len(arrays) + len(arrays[:1])
    for array, found in zip([*arrays, *arrays[:1]], together, strict=True):
        [alone] = resample_together([array], 50, 11)
        assert found.shape == (50, array.shape[1])
        assert np.array_equal(found, alone)
