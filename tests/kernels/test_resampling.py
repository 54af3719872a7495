"""Exchanges and draws against every one of them written out, and against plain loops."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from treesql.kernels.sampling import resampling

DIFFERENCES = st.lists(st.integers(-9, 9) | st.sampled_from([40, -1000]), max_size=9)


def every_sum(differences: list[int]) -> list[int]:
    return [sum(chosen) for chosen in itertools.product(*((0, abs(one)) for one in differences))]


@given(DIFFERENCES)
def test_the_distribution_is_that_of_all_exchanges(differences: list[int]) -> None:
    least, found = resampling.exchange_distribution(np.array(differences, np.int64))
    sums = Counter(every_sum(differences))
    expected = [sums[least + at] / sums.total() for at in range(len(found))]
    assert found == pytest.approx(expected, rel=1e-13)
    assert sum(expected) == pytest.approx(1)


@given(DIFFERENCES)
def test_p_is_the_share_of_exchanges_at_least_as_far_apart(differences: list[int]) -> None:
    signed = [sum(one) for one in itertools.product(*((d, -d) for d in differences))]
    expected = sum(abs(one) >= abs(sum(differences)) for one in signed) / len(signed)
    assert resampling.exchange_p_value(np.array(differences, np.int64)) == pytest.approx(expected, rel=1e-13)


@in_turn("n", [1, 2, 7, 100, 1001])
def test_coin_throws(n: int) -> None:
    expected = [float(Fraction(math.comb(n, k), 2**n)) for k in range(n + 1)]
    assert resampling.coin_toss_probabilities(n) == pytest.approx(expected, rel=1e-13, abs=1e-320)


def test_far_tails_have_their_relative_accuracy() -> None:
    # all 300 sentences are won by one system: two of 2**300 exchanges are as far apart
    assert resampling.exchange_p_value(np.ones(300, np.int64)) == pytest.approx(2.0**-299, rel=1e-12)
    # 7 is chosen or not, beside 100 differences of 1
    ones = [math.comb(100, k) for k in range(101)]
    expected = 2 * Fraction(sum(ones[k] for k in range(101) if k + 7 >= 103), 2**101)
    differences = np.array([1] * 96 + [-1] * 4 + [7], np.int64)
    assert resampling.exchange_p_value(differences) == pytest.approx(float(expected), rel=1e-12)


@given(st.integers(0, 2**32), st.integers(0, 20), st.integers(1, 6), st.integers(1, 12))
def test_chosen_rows_are_summed(seed: int, n: int, k: int, runs: int) -> None:
    chance = np.random.default_rng(seed)
    rows = chance.integers(-50, 50, (n, k)) * 10.0 ** chance.integers(0, 13, k)
    rows[:, chance.random(k) < 0.3] *= 0.1
    swaps = chance.integers(0, 2, (runs, n)).astype(np.uint8)
    choices = np.packbits(swaps, axis=1, bitorder="little").T
    expected = swaps @ rows
    assert resampling.sums_of_subsets(rows, choices) == pytest.approx(expected, rel=1e-12, abs=1e-6)


def test_choices_are_the_same_however_many_are_drawn_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(0)
    rows = np.concatenate([chance.integers(-9, 9, (500, 2)), chance.standard_normal((500, 1))], axis=1)
    at_once = resampling.sums_of_random_subsets(rows, 1003, 5)
    monkeypatch.setattr(resampling, "RANDOM_WORDS", 1)
    assert (resampling.sums_of_random_subsets(rows, 1003, 5) == at_once).all()


@in_turn("n", [0, 1, 8, 9, 700])
def test_random_choices_take_each_row_half_of_the_time(n: int) -> None:
    rows = np.eye(n, 3) if n < 3 else np.array([[1.0, 2.5, at] for at in range(n)])
    runs = 20_001
    found = resampling.sums_of_random_subsets(rows, runs, 7)
    assert found.shape == (runs, 3)
    spread = np.sqrt((rows**2).sum(axis=0)) / 2
    assert found.mean(axis=0) == pytest.approx(rows.sum(axis=0) / 2, abs=5 * spread.max() / math.sqrt(runs) + 1e-9)
    assert found.std(axis=0) == pytest.approx(spread, rel=0.03, abs=1e-9)
    assert (found == resampling.sums_of_random_subsets(rows, runs, 7)).all()
    assert n < 2 or (found != resampling.sums_of_random_subsets(rows, runs, 8)).any()


def test_all_choices() -> None:
    rows = np.array([[1.0, 10], [2, 20], [4, 40]])
    assert sorted(map(tuple, resampling.sums_of_all_subsets(rows))) == [(k, 10.0 * k) for k in range(8)]


def test_a_seed_gives_the_same_numbers_for_ever() -> None:
    rows = np.arange(20.0)[:, None]
    assert resampling.sums_of_random_subsets(rows, 4, 12345)[:, 0].tolist() == [122, 122, 98, 83]
    assert resampling.bootstrap_sums(rows, 4, 12345)[:, 0].tolist() == [206, 182, 133, 245]


def test_drawn_rows_are_summed() -> None:
    rows = np.array([[1.0, 0.5], [10, 0], [100, 0]])
    draws = np.array([[0, 0, 2], [1, 1, 1]])
    assert resampling.sums_of_draws(rows, draws).tolist() == [[102, 1], [30, 0]]


@pytest.mark.parametrize(
    ("largest", "exact"), [((1 << 23) - 1, np.float32), (1 << 23, np.float64), (1 << 24, np.float64)]
)
def test_sums_of_two_draws_are_exact_whatever_their_size(largest: int, exact: type) -> None:
    rows, draws = np.array([[largest], [1]], float), np.array([[0, 0], [0, 1], [1, 1]])
    assert resampling._pack_drawn(rows, 2)[0].dtype == exact
    assert resampling.sums_of_draws(rows, draws).tolist() == [[2 * largest], [largest + 1], [2]]


@in_turn("largest", [1, 2.0**20, 2.0**45])
def test_columns_that_are_summed_together_are_those_of_each_alone(largest: float) -> None:
    rng = np.random.default_rng(5)
    rows = rng.integers(-3, 40, (30, 25)).astype(np.float64)
    rows[:, 3::5] = -rows[:, 3::5]
    rows[:, 4::7] *= largest
    rows[:, 20] = 0
    draws = rng.integers(0, 30, (50, 30))
    expected = [[sum(int(rows[at, column]) for at in drawn) for column in range(25)] for drawn in draws]
    assert resampling.sums_of_draws(rows, draws).tolist() == expected


@in_turn("n", [1, 3, 1000, 70_000])
def test_resamples_have_the_mean_and_spread_of_draws_with_replacement(n: int) -> None:
    rows = np.stack([np.ones(n), np.arange(n)], axis=1)
    runs = 2000 if n < 5000 else 40
    found = resampling.bootstrap_sums(rows, runs, 3)
    assert (found[:, 0] == n).all()
    spread = math.sqrt(n) * rows[:, 1].std()
    assert found[:, 1].mean() == pytest.approx(rows[:, 1].sum(), abs=5 * spread / math.sqrt(runs) + 1e-9)
    assert n < 2 or found[:, 1].std() == pytest.approx(spread, rel=0.1 if runs > 100 else 0.5)


def test_nothing_is_exchanged_of_nothing() -> None:
    assert resampling.exchange_p_value(np.zeros(4, np.int64)) == 1
    assert resampling.bootstrap_sums(np.zeros((0, 2)), 3, 1).tolist() == [[0, 0]] * 3


@in_turn("columns", [0, 1, 20, 117, 300, 1100])
@in_turn("rows", [0, 1, 700])
def test_products_in_parts(rows: int, columns: int) -> None:
    rng = np.random.default_rng(3)
    times, values = rng.integers(0, 5, (504, rows)), rng.integers(0, 20, (rows, columns))
    found = resampling._product(times.astype(np.float64), values.astype(np.float64))
    assert (found == times @ values).all()
