"""Sums against fractions, which are exact, and in every order."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treesql.kernels.arrays import Floats
from treesql.kernels.sampling import fixed_point, resampling

WHOLE = st.integers(-(2**60), 2**60).map(float) | st.integers(-9, 9).map(float)
ROUNDED = (st.floats(0, 1e6) | st.floats(-3, 3)).map(lambda x: round(x * fixed_point.UNITS) / fixed_point.UNITS)
"""Numbers as SQL sums them."""


def exact(numbers: Floats) -> float:
    return float(sum(map(Fraction, map(float, numbers)), Fraction(0)))


@given(st.lists(st.tuples(WHOLE, ROUNDED, st.just(0.0)), max_size=40))
def test_sums_are_those_of_fractions(rows: list[tuple[float, ...]]) -> None:
    columns = np.array(rows).reshape(-1, 3)
    assert fixed_point.total(columns)[0] == pytest.approx([exact(column) for column in columns.T], rel=3e-16, abs=0)


@given(st.lists(st.floats(-1e300, 1e300), max_size=20), st.randoms())
def test_sums_are_the_same_in_every_order(numbers: list[float], chance: random.Random) -> None:
    """Whatever numbers there are: their rounding follows from the greatest alone."""
    column = np.array(numbers).reshape(-1, 1)
    found = fixed_point.total(column)
    chance.shuffle(numbers)
    assert fixed_point.total(np.array(numbers).reshape(-1, 1)) == found
    greatest = np.abs(column).max(initial=0)
    assert found[0, 0] == pytest.approx(
        exact(column[:, 0]), abs=3 * len(numbers) * 2.0**-53 * greatest + 2.0**-940, rel=0
    )


def test_parts_are_whole_numbers_that_can_be_summed_in_any_order() -> None:
    column = np.random.default_rng(1).random(10_000) * 60
    parts = fixed_point.split(column[:, None])
    assert (parts.values == np.rint(parts.values)).all()
    assert np.abs(parts.values).max() * len(column) < fixed_point.LARGEST
    assert np.abs(parts.joined(parts.values)[:, 0] - column).max() <= 64 * 2.0**-54
    assert fixed_point.split(np.ones((5, 1))).values.tolist() == [[1.0]] * 5


def test_sums_by_group() -> None:
    chance = np.random.default_rng(2)
    rows, groups = chance.random((1000, 2)) * [1, 50], chance.integers(0, 7, 1000)
    found = fixed_point.total_by_group(rows, groups, 8)
    assert (found[7] == 0).all()
    for group in range(7):
        assert found[group] == pytest.approx([exact(column) for column in rows[groups == group].T], rel=1e-14)
    order = chance.permutation(1000)
    assert (fixed_point.total_by_group(rows[order], groups[order], 8) == found).all()


def test_resampled_sums_are_those_of_fractions() -> None:
    """And so the same for any order of additions, which a library of linear algebra and the blocks of runs choose."""
    chance = np.random.default_rng(3)
    rows = np.rint(chance.random((300, 2)) * [1, 40] * fixed_point.UNITS) / fixed_point.UNITS
    draws = chance.integers(0, 300, (5, 300))
    parts = fixed_point.split(rows)
    found = parts.joined(resampling.sums_of_draws(parts.values, draws))
    assert found.tolist() == [[exact(rows[one, column]) for column in (0, 1)] for one in draws]
    swaps = chance.integers(0, 2, (5, 300)).astype(np.uint8)
    chosen = resampling.sums_of_subsets(rows, np.packbits(swaps, axis=1, bitorder="little").T)
    assert chosen.tolist() == [[exact(rows[one == 1, column]) for column in (0, 1)] for one in swaps]


def test_resampling_is_the_same_for_any_size_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(4).random((200, 2))
    at_once = resampling.bootstrap_sums(rows, 50, 1)
    monkeypatch.setattr(resampling, "MAX_DRAWS", 200)
    assert (resampling.bootstrap_sums(rows, 50, 1) == at_once).all()
