"""Coefficients of correlation: by hand, against slow definitions and all orders, and at the edges."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from treesql.errors import UsageError
from treesql.significance.coefficients import (
    METHODS,
    OrderedPairs,
    correlate_columns,
    count_ordered_pairs,
    find_interval,
)

RANKS = ("spearman", "kendall")
columns = st.integers(3, 6).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)])
)


def signs(a: Sequence[float], b: Sequence[float]) -> tuple[int, int, int, int]:
    """Pairs in the same order, in opposite order, those not tied in a, and not in b."""
    same = opposite = of_a = of_b = 0
    for i, j in itertools.combinations(range(len(a)), 2):
        product = (a[i] - a[j]) * (b[i] - b[j])
        same, opposite = same + (product > 0), opposite + (product < 0)
        of_a, of_b = of_a + (a[i] != a[j]), of_b + (b[i] != b[j])
    return same, opposite, of_a, of_b


def kendall(a: Sequence[float], b: Sequence[float]) -> float:
    same, opposite, of_a, of_b = signs(a, b)
    return (same - opposite) / math.sqrt(of_a * of_b)


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    ranks = [[sum(y < x for y in column) + (sum(y == x for y in column) + 1) / 2 for x in column] for column in (a, b)]
    centred = [[rank - (len(a) + 1) / 2 for rank in column] for column in ranks]
    products = sum(x * y for x, y in zip(*centred, strict=True))
    return products / math.sqrt(math.prod(sum(x * x for x in column) for column in centred))


def test_by_hand() -> None:
    # ranks 1 2 3 4 and 1 3 2 4: rho = 1 - 6 * 2 / (4 * 15), tau = (5 - 1) / 6
    a, b = [0.1, 0.2, 5, 100], [1, 30, 3, 1000]
    assert correlate_columns("spearman", a, b).value == pytest.approx(0.8)
    assert correlate_columns("kendall", a, b).value == pytest.approx(2 / 3)
    # of the 24 orders, rho is at least 0.8 for the same and three neighbours exchanged, and their reversals
    assert correlate_columns("spearman", a, b).p == pytest.approx(8 / 24)
    assert correlate_columns("kendall", a, b).p == pytest.approx(8 / 24)
    # one tie: 5 pairs differ in the first column, 6 in the second, all in order
    assert correlate_columns("kendall", [1, 1, 2, 3], [1, 2, 3, 4]).value == pytest.approx(5 / math.sqrt(5 * 6))


def test_intervals() -> None:
    from scipy import stats

    # z = .5493; half widths 1.96 / 5 = .3920, 1.96 * sqrt(1.125) / 5 = .4158, 1.96 * sqrt(.437 / 24) = .2645
    assert find_interval("pearson", 0.5, 28) == pytest.approx((0.1560, 0.7358), abs=1e-4)
    assert find_interval("spearman", 0.5, 28) == pytest.approx((0.1327, 0.7466), abs=1e-4)
    assert find_interval("kendall", 0.5, 28) == pytest.approx((0.2774, 0.6717), abs=1e-4)
    assert find_interval("pearson", 0.5, 3) == find_interval("kendall", 0.5, 4) == (None, None)
    assert find_interval("spearman", -1.0, 30) == (None, None)
    for method in METHODS:  # which computes .9999999999999999 of some
        for n in range(5, 12):
            found = correlate_columns(method, range(n), [3 * row + 0.1 for row in range(n)])
            assert (found.value, found.low, found.high) == (pytest.approx(1), None, None)
    a, b = [0.1, 0.2, 5, 100, 7], [1, 30, 3, 1000, 4]
    found = correlate_columns("pearson", a, b)
    assert (found.low, found.high) == pytest.approx(stats.pearsonr(a, b).confidence_interval(0.95))


@pytest.mark.parametrize("method", RANKS)
def test_three_rows_in_order_prove_little(method: str) -> None:
    found = correlate_columns(method, [1, 2, 3], [4, 5, 9])
    assert found.value == pytest.approx(1)
    assert found.p == pytest.approx(1 / 3)


@in_turn("method", METHODS)
@in_turn(("a", "b"), [([], []), ([1.0], [2.0]), ([1, 2], [2, 1]), ([1, 1, 1], [1, 2, 3])])
def test_undefined(method: str, a: list[float], b: list[float]) -> None:
    found = correlate_columns(method, a, b)
    assert (found.value, found.p) == (None, None)


@given(columns)
def test_ranks_agree_with_their_definitions(pair: tuple[list[int], list[int]]) -> None:
    a, b = pair
    for method, definition in (("spearman", spearman), ("kendall", kendall)):
        found = correlate_columns(method, a, b)
        if len(set(a)) < 2 or len(set(b)) < 2:
            assert found.value is None
            continue
        own = definition(a, b)
        orders = [definition(a, order) for order in itertools.permutations(b)]
        assert found.value == pytest.approx(own)
        assert found.p == pytest.approx(sum(abs(one) >= abs(own) - 1e-12 for one in orders) / len(orders))


@given(columns)
def test_pairs_agree_with_counting(pair: tuple[list[int], list[int]]) -> None:
    same, opposite, _, _ = signs(*pair)
    assert count_ordered_pairs(*pair) == OrderedPairs(same + opposite, same)


@in_turn("n", [10, 40, 300])
@in_turn("levels", [7, 10**6])
def test_many_rows(n: int, levels: int) -> None:
    from scipy import stats

    a = [one * one * 7919 % 10007 % levels for one in range(n)]
    b = [(one * 104729 + 3 * one * one) % 10007 % levels for one in range(n)]
    for method, definition, peer in (("spearman", spearman, stats.spearmanr), ("kendall", kendall, stats.kendalltau)):
        found = correlate_columns(method, a, b)
        assert found.value == pytest.approx(definition(a, b))
        assert found.p == pytest.approx(peer(a, b).pvalue)
    same, opposite, _, _ = signs(a, b)
    assert count_ordered_pairs(a, b) == OrderedPairs(same + opposite, same)


def test_shares_of_pairs() -> None:
    assert count_ordered_pairs([], []).share is None
    assert count_ordered_pairs([1, 1], [1, 2]) == OrderedPairs(0, 0)
    assert count_ordered_pairs([1, 2, 3], [3, 2, 1]).share == 0
    assert count_ordered_pairs([1, 2, 3, 4], [1, 3, 2, 4]).share == pytest.approx(5 / 6)


def test_bad_input() -> None:
    with pytest.raises(UsageError, match="there is no method 'tau'; choose one of pearson, spearman, kendall"):
        correlate_columns("tau", [1, 2, 3], [1, 2, 3])
    with pytest.raises(UsageError, match="here are 3 and 2"):
        correlate_columns("kendall", [1, 2, 3], [1, 2])
