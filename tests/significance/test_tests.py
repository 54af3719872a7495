"""Shuffling tests and corrections on bare counts, and how often a test rejects what is true."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from tests.significance.counts import ACCURACY, F1, PRECISION, counts
from treesql.catalog.header import Score
from treesql.errors import UsageError
from treesql.significance import mcnemar, tests
from treesql.significance.methods import Method
from treesql.significance.tests import Counts


def test_exact_shuffling_by_hand() -> None:
    # differences 2, 1, -1 sum to 2; of the 8 signs' sums at least 2 apart: 2+1+1, 2+1-1, 2-1+1, and these mirrored
    a, b = counts([4, 3, 1], [5, 5, 5]), counts([2, 2, 2], [5, 5, 5])
    assert tests.shuffling_test([ACCURACY], a, b) == [tests.TestedScore(6 / 8, "exact shuffling")]


def test_all_exchanges_are_tried_where_they_are_few() -> None:
    """Against fractions, where denominators differ, so that nothing can be convolved."""
    chance = np.random.default_rng(3)
    n = 7
    a, b = (chance.integers(1, 9, (n, 3)) for _ in "ab")
    expected = 0

    def f1(rows: list[tuple[int, ...]]) -> Fraction:
        hits, words, found = (sum(column) for column in zip(*rows, strict=True))
        return Fraction(2 * hits, found + words)

    pairs = [(tuple(map(int, x)), tuple(map(int, y))) for x, y in zip(a, b, strict=True)]
    observed = abs(f1([x for x, _ in pairs]) - f1([y for _, y in pairs]))
    for swaps in itertools.product((False, True), repeat=n):
        mixed = [(y, x) if swap else (x, y) for swap, (x, y) in zip(swaps, pairs, strict=True)]
        expected += abs(f1([x for x, _ in mixed]) - f1([y for _, y in mixed])) >= observed
    [found] = tests.shuffling_test([F1], counts(*a.T), counts(*b.T))
    assert found == tests.TestedScore(expected / 2**n, "exact shuffling")


def test_as_many_exchanges_as_runs_are_all_tried() -> None:
    """F1 of three sentences that differ, 2 * hits / (words + found): of 8 exchanges those of none and of all are as far
    apart as the observed 18/21 and 6/18, of which no other comes near."""
    a, b = counts([3, 3, 3], [4, 4, 4], [3, 3, 3]), counts([1, 1, 1], [4, 4, 4], [2, 2, 2])
    for runs, name in {8: "exact shuffling", 9: "exact shuffling", 7: "stratified shuffling"}.items():
        [found] = tests.shuffling_test([F1], a, b, runs=runs, seed=1)
        assert found.test == name, runs
        assert name != "exact shuffling" or found.p == 2 / 8


def test_systems_that_are_the_same() -> None:
    a = counts([1, 2, 3], [4, 4, 4], [2, 2, 3])
    assert [one.p for one in tests.shuffling_test([ACCURACY, F1], a, a)] == [1, 1]


def test_a_score_without_a_value_has_no_p() -> None:
    a, b = counts([1, 2], [4, 4], [2, 2]), counts([0, 0], [4, 4], [0, 0])
    precision, f1 = tests.shuffling_test([PRECISION, F1], a, b)
    assert precision.p is None
    assert f1.p == 0.5


def test_exchanges_without_a_value_count_as_far_apart() -> None:
    # whoever has the first sentence alone has a precision: every exchange is as far apart, or has no value
    a, b = counts([3, 0], [9, 9], [4, 0]), counts([0, 1], [9, 9], [0, 4])
    assert tests.shuffling_test([PRECISION], a, b)[0].p == 1


def test_sampled_shuffling_adds_one_and_keeps_its_seed() -> None:
    n = 40
    a, b = counts([5] * n, [9] * n, [6] * n), counts([1] * n, [9] * n, [9] * n)
    [one] = tests.shuffling_test([F1], a, b, runs=999, seed=1)
    assert one == tests.TestedScore(1 / 1000, "stratified shuffling")
    chance = np.random.default_rng(0)
    a, b = (counts(chance.integers(0, 5, n), [9] * n, chance.integers(5, 9, n)) for _ in "ab")
    p = [tests.shuffling_test([F1], a, b, runs=999, seed=seed)[0].p for seed in (1, 1, 2)]
    assert p[0] == p[1] != p[2]


def test_weights_are_not_whole_numbers() -> None:
    """Differences that no lattice holds are sampled; halves and quarters of a weight in the score are still exact."""
    n = 30
    chance = np.random.default_rng(1)
    hits = [chance.integers(0, 5, n) for _ in "ab"]
    weighted = Score("weighted", "percent", "0.25 * sum(hits) / nullif(sum(words), 0)", "")
    whole = [counts(one, [5] * n) for one in hits]
    real = [counts(one * 0.37, [5] * n) for one in hits]
    [expected] = tests.shuffling_test([ACCURACY], *whole)
    assert tests.shuffling_test([weighted], *whole) == [expected]
    [sampled] = tests.shuffling_test([ACCURACY], *real, runs=20_000)
    assert sampled.test == "stratified shuffling"
    assert sampled.p == pytest.approx(expected.p, abs=0.015)


def test_corrections_by_hand() -> None:
    p = [0.01, None, 0.04, 0.03, 0.5]
    assert tests.correct_p_values(p, "none") == p
    assert tests.correct_p_values(p, "bonferroni") == pytest.approx([0.04, None, 0.16, 0.12, 1.0])
    assert tests.correct_p_values(p, "holm") == pytest.approx([0.04, None, 0.09, 0.09, 0.5])
    assert tests.correct_p_values(p, "bh") == pytest.approx([0.04, None, 0.16 / 3, 0.16 / 3, 0.5])
    by = 1 + 1 / 2 + 1 / 3 + 1 / 4
    assert tests.correct_p_values(p, "by") == pytest.approx([0.04 * by, None, 0.16 / 3 * by, 0.16 / 3 * by, 1.0])
    assert tests.correct_p_values([], "holm") == []
    with pytest.raises(UsageError, match="choose one of"):
        tests.correct_p_values(p, "sidak")


def test_counts_are_arrays_of_one_length() -> None:
    with pytest.raises(UsageError, match="one length"):
        Counts.of({"a": [1, 2], "b": [1]})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"test": "t"}, "no test 't'"),
        ({"correction": "sidak"}, "no correction"),
        ({"runs": 0}, "at least 1 run"),
        ({"seed": -1}, "from 0 on"),
        ({"test": "mcnemar", "stratum": "newdoc"}, "strata are for shuffling"),
    ],
)
def test_methods_that_there_are_not(given: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Method(**given)  # type: ignore[arg-type]


def clustered(chance: np.random.Generator, n: int) -> list[np.ndarray]:
    """The right words of two equally good systems: how hard a sentence is for each is drawn, so that errors cluster."""
    words = chance.integers(5, 41, n)
    ease = 1 / (1 + np.exp(-(1.75 + chance.standard_normal((2, n)))))
    return [words, *chance.binomial(words, ease)]


@pytest.mark.slow
def test_the_default_test_rejects_one_true_hypothesis_in_twenty() -> None:
    """Under the null, with clustered errors: 5% +- 2 points; exactly for accuracy, by sampling for F1."""
    chance = np.random.default_rng(20)
    exact, naive = [], []
    for _ in range(800):
        words, one, other = clustered(chance, 60)
        [found] = tests.shuffling_test([ACCURACY], counts(one, words), counts(other, words))
        exact.append(found.p < 0.05)
        naive.append(mcnemar.mcnemar_p(*independent(one, other, words)) < 0.05)
    assert np.mean(exact) == pytest.approx(0.05, abs=0.02)
    assert np.mean(naive) > 0.15  # McNemar's test, which takes the words for independent
    sampled = []
    for seed in range(400):
        words, one, other = clustered(chance, 60)
        more = [side + chance.integers(0, 4, 60) for side in (one, other)]
        sides = [counts(hits, words, found) for hits, found in zip((one, other), more, strict=True)]
        [found] = tests.shuffling_test([F1], *sides, runs=400, seed=seed)
        assert found.test == "stratified shuffling"
        sampled.append(found.p < 0.05)
    assert np.mean(sampled) == pytest.approx(0.05, abs=0.025)


def independent(one: np.ndarray, other: np.ndarray, words: np.ndarray) -> tuple[int, int]:
    """The words that each system alone has right, if within a sentence they fall as they like."""
    both = np.rint(one * other / words)
    return int((one - both).sum()), int((other - both).sum())
