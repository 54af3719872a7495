"""Words aligned by their characters: by hand, then against the same idea over every alignment of characters."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treesql
from tests.house.rules import in_turn
from treesql.kernels.alignments import word_alignment as kernel

Sentence = tuple[str, ...]


def aligned(left: Sentence, right: Sentence) -> list[tuple[int, int]]:
    """The aligned words of two sentences, 0-based."""
    distinct = sorted({*left, *right})
    numbers = {word: at for at, word in enumerate(distinct)}
    characters = np.array([ord(c) + 1 for word in distinct for c in word], dtype=np.int64)
    ends = np.append(0, np.cumsum([len(word) for word in distinct], dtype=np.int64))
    one, other = (np.array([numbers[word] for word in side], dtype=np.int64) for side in (left, right))
    first, second, offsets = kernel.align_words(
        one, np.array([0, len(one)]), other, np.array([0, len(other)]), characters, ends
    )
    assert offsets.tolist() == [0, len(first)]
    return list(zip(first.tolist(), second.tolist(), strict=True))


@in_turn(
    ("left", "right", "expected"),
    [
        ("", "", []),
        ("a", "", []),
        ("a b c", "a b c", [(0, 0), (1, 1), (2, 2)]),
        ("the cat", "the the cat", [(0, 0), (1, 2)]),  # an inserted word
        ("cat", "c the cat", [(0, 2)]),  # not by a character further in front
        ("I can not go", "I cannot go now", [(0, 0), (3, 2)]),  # other tokens have no counterpart
        ("ab c", "a bc", []),
        ("say teh word", "say the word", [(0, 0), (1, 1), (2, 2)]),  # corrected
        ("he is here", "he was here", [(0, 0), (1, 1), (2, 2)]),  # replaced: the only words between others
        ("a b c d", "a x y d", [(0, 0), (3, 3)]),  # two words for two: which is whose is open
        ("x", "y", [(0, 0)]),
        ("x a", "a", [(1, 0)]),
        ("漢 字", "漢 é 字", [(0, 0), (1, 2)]),
    ],
)
def test_by_hand(left: str, right: str, expected: list[tuple[int, int]]) -> None:
    one, other = tuple(left.split()), tuple(right.split())
    assert aligned(one, other) == expected
    assert aligned(other, one) == [(second, first) for first, second in expected]


def test_sentences_of_a_call_do_not_mix(db: treesql.Database) -> None:
    rows = "(VALUES (1, ['a'], ['b', 'a']), (2, [], ['a']), (3, ['a', 'b'], ['a'])) AS t(n, one, other)"
    found = db.sql(f"SELECT n, align_words(one, other) AS pairs FROM {rows} ORDER BY n").rows()
    one = {"left_position": 1, "right_position": 2}
    assert [row["pairs"] for row in found] == [[one], [], [{"left_position": 1, "right_position": 1}]]


def test_null_words_are_refused(db: treesql.Database) -> None:
    with pytest.raises((treesql.TreesqlError, duckdb.Error), match=r"align_words.*NULL"):
        db.sql("SELECT align_words(['a', NULL], ['a'])")


def best_value(one: str, other: str) -> int:
    """The highest value of an alignment: 2 for a character, 1 for a boundary, 1 more where those before are matched."""

    @cache
    def value(i: int, j: int, neighbour: bool) -> int:
        if i == len(one) or j == len(other):
            return 0
        found = max(value(i + 1, j, False), value(i, j + 1, False))
        if one[i] == other[j]:
            found = max(found, (1 if one[i] == "_" else 2) + neighbour + value(i + 1, j + 1, True))
        return found

    return value(0, 0, False)


@given(st.text("ab_", max_size=8), st.text("ab_", max_size=8))
def test_characters_are_matched_with_the_highest_value(one: str, other: str) -> None:
    left, right = (np.array([0 if c == "_" else ord(c) for c in text], dtype=np.int64) for text in (one, other))
    matched = kernel._match(left, right).tolist()
    pairs = [(at, place) for at, place in enumerate(matched) if place >= 0]
    assert all(one[i] == other[j] for i, j in pairs)
    assert pairs == sorted(pairs)
    assert len({j for _, j in pairs}) == len(pairs)
    neighbours = sum((i - 1, j - 1) in pairs for i, j in pairs)
    boundaries = sum(one[i] == "_" for i, _ in pairs)
    assert 2 * len(pairs) - boundaries + neighbours == best_value(one, other)


WORDS = st.lists(st.sampled_from(["a", "b", "ab", "ba", "abc", "c"]), max_size=7).map(tuple)


@given(WORDS, WORDS)
def test_alignments_are_in_order_and_equal_sentences_whole(one: Sentence, other: Sentence) -> None:
    found = aligned(one, other)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(found))
    assert aligned(one, one) == [(at, at) for at in range(len(one))]


@given(WORDS, WORDS, WORDS)
def test_equal_words_at_both_ends_are_aligned(start: Sentence, middle: Sentence, end: Sentence) -> None:
    found = aligned((*start, *middle, *end), (*start, *end))
    assert len(found) == len(start) + len(end)


def test_very_long_sentences_are_aligned_by_whole_words_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    long = tuple(f"word{at}" for at in range(900))
    found = aligned(long, (*long[400:], *long[:400]))  # 7,000 characters: more than MAX_CELLS
    assert found == [(at + 400, at) for at in range(500)]
    longer = tuple(f"{at}" for at in range(5000))
    assert aligned(longer, longer[::-1]) == []
