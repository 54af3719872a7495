"""Longest common subsequences of many pairs at once against a table filled cell by cell for one pair."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from treesql.kernels.alignments import alignment as kernel

Pair = tuple[Sequence[int], Sequence[int]]
Match = tuple[int, int, int]

items = st.lists(st.integers(0, 2), max_size=9)
pairs = st.tuples(items, items)


def flat(sequences: Sequence[Sequence[int]]) -> tuple[kernel.Ints, kernel.Ints]:
    """The items of sequences one after the other, and where each begins and ends."""
    offsets = np.cumsum([0, *map(len, sequences)], dtype=np.int64)
    return np.array([item for sequence in sequences for item in sequence], dtype=np.int64), offsets


def found(given: Sequence[Pair]) -> list[Match]:
    matches = kernel.longest_common_subsequences(
        *flat([left for left, _ in given]), *flat([right for _, right in given])
    )
    assert [part.dtype for part in matches] == [np.int64] * 3
    return list(zip(*(part.tolist() for part in matches), strict=True))


def twin(left: Sequence[int], right: Sequence[int]) -> list[tuple[int, int]]:
    """L(i, j) of the docstring, and the walk from the front."""
    longest = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            best = max(longest[i + 1][j], longest[i][j + 1])
            longest[i][j] = 1 + longest[i + 1][j + 1] if left[i] == right[j] else best
    i = j = 0
    matches = []
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            matches.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return matches


def expected(given: Sequence[Pair]) -> list[Match]:
    return [(number, i, j) for number, pair in enumerate(given) for i, j in twin(*pair)]


def longest(left: Sequence[int], right: Sequence[int]) -> int:
    """By trying all subsequences."""
    for length in range(len(left), 0, -1):
        for chosen in combinations(left, length):
            rest = iter(right)
            if all(item in rest for item in chosen):
                return length
    return 0


@in_turn(
    ("left", "right", "matches"),
    [
        ("", "", []),
        ("a", "", []),
        ("", "a", []),
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
        ("abc", "def", []),
        ("a", "a", [(0, 0)]),
        ("abcd", "bd", [(1, 0), (3, 1)]),
        ("bd", "abcd", [(0, 1), (1, 3)]),
        ("ab", "ba", [(1, 0)]),  # a tie: the left one steps, which loses nothing
        ("ba", "ab", [(1, 0)]),
        ("aa", "a", [(0, 0)]),  # the first equal items are matched at once
        ("a", "aa", [(0, 0)]),
        ("aab", "ab", [(0, 0), (2, 1)]),
        ("abcb", "bcab", [(1, 0), (2, 1), (3, 3)]),
    ],
)
def test_by_hand(left: str, right: str, matches: list[tuple[int, int]]) -> None:
    pair = ([ord(item) for item in left], [ord(item) for item in right])
    assert found([pair]) == [(0, i, j) for i, j in matches]


def test_no_pairs_at_all() -> None:
    assert found([]) == []


def test_pairs_without_items_keep_their_number() -> None:
    assert found([([], []), ([1], []), ([1], [1]), ([], [1]), ([2, 1], [1])]) == [(2, 0, 0), (4, 1, 0)]


def test_negative_and_large_items() -> None:
    """What fills sequences up must match nothing."""
    large = 1 << 60
    given = [([-1, 5], [-1]), ([-2], [-2, large]), ([large], [large + 1]), ([-1], [-2]), ([7] * 4, [7])]
    assert found(given) == [(0, 0, 0), (1, 0, 0), (4, 0, 0)]


@given(st.lists(pairs, max_size=30))
@example([])
@example([([], [])])
@example([([0], [0]), ([0, 1] * 4, [1, 0] * 4), ([], [0])])
def test_many_pairs(given: list[Pair]) -> None:
    assert found(given) == expected(given)


@given(pairs)
def test_it_is_a_longest_one(pair: Pair) -> None:
    matches = [(i, j) for _, i, j in found([pair])]
    assert all(pair[0][i] == pair[1][j] for i, j in matches)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(matches))
    assert len(matches) == longest(*pair)


@given(st.lists(pairs, min_size=1, max_size=20), st.sampled_from([1, 5, 16, 100, 1000]))
def test_tables_filled_a_few_cells_at_once(given: list[Pair], cells: int) -> None:
    """Down to one pair at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "MAX_CELLS", cells)
        assert found(given) == expected(given)


@pytest.mark.parametrize("cells", [1, 500, 1 << 22])
def test_one_long_pair_among_short_ones(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    """Sizes of all orders, in no order, and pairs whose sides differ in size."""
    monkeypatch.setattr(kernel, "MAX_CELLS", cells)
    chance = random.Random(7)
    sizes = [(chance.randrange(4), chance.randrange(4)) for _ in range(200)]
    sizes += [(90, 80), (1, 70), (60, 0), (33, 1), (8, 9), (16, 2), (2, 31)]
    chance.shuffle(sizes)
    given = [([chance.randrange(3) for _ in range(m)], [chance.randrange(3) for _ in range(n)]) for m, n in sizes]
    assert found(given) == expected(given)


def test_memory_is_bounded_by_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table has rows of another order of size than its own, and none exceeds the bound unless it is of one pair."""
    shapes = []
    real = kernel._match_similar_sizes

    def watched(
        numbers: kernel.Ints, left: kernel.Ints, right: kernel.Ints, *sizes: kernel.Ints
    ) -> kernel.MatchedItems:
        shapes.append((len(numbers), left.shape[1], right.shape[1], int(np.maximum(*sizes).min())))
        return real(numbers, left, right, *sizes)

    monkeypatch.setattr(kernel, "_match_similar_sizes", watched)
    monkeypatch.setattr(kernel, "MAX_CELLS", 400)
    given = [([1] * size, [1] * size) for size in (*[2] * 300, *[5] * 30, 40, 41)]
    assert len(found(given)) == 2 * 300 + 5 * 30 + 81
    assert len(shapes) > 10
    for n, height, width, smallest in shapes:
        assert n == 1 or n * height * width <= 400
        assert max(height, width) < 2 * smallest
