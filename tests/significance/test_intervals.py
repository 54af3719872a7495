"""Intervals and p of the bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

from tests.significance.counts import ACCURACY, counts
from treesql.significance import intervals
from treesql.significance.methods import RUNS, SEED
from treesql.significance.tests import evaluate_scores


def test_bootstrap_intervals_hold_the_binomial_ones() -> None:
    chance = np.random.default_rng(2)
    hits = chance.integers(0, 2, 400)
    counted = counts(hits, [1] * 400)
    [drawn] = intervals.resample_together([counted.values], RUNS, SEED)
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


def test_equal_columns_are_drawn_once_in_a_block_and_their_sums_are_those_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = np.random.default_rng(4)
    first, second = (chance.integers(0, 9, (30, 3)).astype(float) for _ in range(2))
    both = np.column_stack([second[:, 1], first[:, 0]])
    apart = [list(intervals.resample_together([array], 50, 7)) for array in (first, second, both)]
    drawn: list[int] = []

    def draw(rows: np.ndarray, runs: int, seed: int) -> np.ndarray:
        drawn.append(rows.shape[1])
        return bootstrap_sums(rows, runs, seed)

    bootstrap_sums = intervals.resampling.bootstrap_sums
    monkeypatch.setattr(intervals.resampling, "bootstrap_sums", draw)
    with intervals.drawing_once():
        together = [list(intervals.resample_together([array], 50, 7)) for array in (first, second, both)]
        assert drawn == [3, 3]
        [other_seed], [other_runs] = (
            intervals.resample_together([both], 50, 8),
            intervals.resample_together([both], 40, 7),
        )
        assert drawn == [3, 3, 2, 2]
    assert [[sums.tolist() for sums in of] for of in together] == [[sums.tolist() for sums in of] for of in apart]
    assert other_seed.tolist() != apart[2][0].tolist()
    assert other_runs.shape == (40, 2)
    list(intervals.resample_together([first], 50, 7))
    assert drawn == [3, 3, 2, 2, 3]


def test_what_is_too_large_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "MAX_BYTES_KEPT", 2 * 50 * 8)
    with intervals.drawing_once():
        list(intervals.resample_together([np.eye(3)], 50, 7))
        assert not intervals._kept.get()
        list(intervals.resample_together([np.eye(3)[:, :2]], 50, 7))
        assert len(intervals._kept.get() or ()) == 2
