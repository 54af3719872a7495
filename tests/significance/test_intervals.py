"""Intervals and p of the bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

from tests.significance.counts import ACCURACY, counts
from treesql.significance import intervals
from treesql.significance.tests import evaluate_scores


def test_bootstrap_intervals_hold_the_binomial_ones() -> None:
    chance = np.random.default_rng(2)
    hits = chance.integers(0, 2, 400)
    counted = counts(hits, [1] * 400)
    [drawn] = intervals.bootstrap_counts([counted])
    low, high = intervals.percentile_interval(evaluate_scores([ACCURACY], counted.columns, drawn)[:, 0])
    spread = 1.96 * np.sqrt(hits.mean() * (1 - hits.mean()) / 400)
    assert [low, high] == pytest.approx([hits.mean() - spread, hits.mean() + spread], abs=0.004)


def test_wins_ties_and_p_of_the_bootstrap() -> None:
    a, b = np.array([0.1 + 0.2, 0.5, 0.5, np.nan]), np.array([0.3, 0.4, 0.6, 0.1])
    assert intervals.count_wins(a, b) == (1, 1, 1)
    assert intervals.count_wins(np.zeros(2), np.array([0, 0.1])) == (0, 1, 1)
    assert intervals.bootstrap_p(a, b) == 1
    assert intervals.bootstrap_p(np.ones(99), np.zeros(99)) == 2 / 100
    assert intervals.bootstrap_p(np.ones(99), np.array([0] * 98 + [1])) == 2 * (1 + 1) / 100  # a tie is on neither side
    assert intervals.bootstrap_p(np.array([np.nan]), np.zeros(1)) is None
    assert intervals.percentile_interval(np.array([np.nan, 1])) == (1, 1)
    assert intervals.percentile_interval(np.array([np.nan])) == (None, None)
