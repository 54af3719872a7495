"""Shared n-grams and matchings of runs, against slow definitions."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.lattices import ints, offsets
from treesql.kernels.texts.n_gram_overlaps import n_gram_overlaps
from treesql.kernels.texts.translation_edits import match_sizes

Texts = list[tuple[list[int], list[int]]]
texts = st.lists(
    st.tuples(st.lists(st.integers(0, 3), max_size=8), st.lists(st.integers(0, 3), max_size=8)), max_size=4
)


def flat(pairs: Texts):  # type: ignore[no-untyped-def]
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    return (
        ints([word for one in left for word in one]), offsets([len(one) for one in left]),
        ints([word for one in right for word in one]), offsets([len(one) for one in right]),
    )  # fmt: skip


def n_grams(text: list[int], order: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(text[at : at + order]) for at in range(len(text) - order + 1))


@given(texts, st.integers(0, 4))
def test_shared_n_grams(pairs: Texts, longest: int) -> None:
    wanted = [
        [
            [a.total(), b.total(), (a & b).total()]
            for a, b in ((n_grams(one, order), n_grams(other, order)) for order in range(1, longest + 1))
        ]
        for one, other in pairs
    ]
    assert n_gram_overlaps(*flat(pairs), longest).tolist() == wanted


def slow_size(one: list[int], other: list[int], exponent: float) -> float:
    """The longest run first, the leftmost of several."""
    free, other_free, total = [True] * len(one), [True] * len(other), 0.0
    while True:
        runs = [
            (length, -i, -j)
            for length in range(1, min(len(one), len(other)) + 1)
            for i in range(len(one) - length + 1)
            for j in range(len(other) - length + 1)
            if all(free[i : i + length]) and all(other_free[j : j + length])
            if one[i : i + length] == other[j : j + length]
        ]
        if not runs:
            return float(total ** (1 / exponent))
        length, i, j = max(runs)
        total += float(length) ** exponent
        free[-i : -i + length] = other_free[-j : -j + length] = [False] * length


@given(texts, st.sampled_from([1.0, 2.0, 1.5]))
def test_sizes_of_matchings(pairs: Texts, exponent: float) -> None:
    sizes = match_sizes(*flat(pairs), exponent).tolist()
    assert sizes == pytest.approx([slow_size(one, other, exponent) for one, other in pairs])
    if exponent == 1:
        assert sizes == [(Counter(one) & Counter(other)).total() for one, other in pairs]


def test_two_runs_weigh_more_than_their_words() -> None:
    """Melamed, Green & Turian 2003: of the same words, longer runs are better."""
    pairs = [([1, 2, 3, 4], [1, 2, 3, 4]), ([1, 2, 3, 4], [3, 4, 1, 2]), ([1, 2, 3, 4], [4, 3, 2, 1])]
    assert match_sizes(*flat(pairs), 2).tolist() == pytest.approx([4, 8**0.5, 2])
