"""Tree kernels against slow, obvious twins in plain Python."""

from __future__ import annotations

import random
from itertools import accumulate, count

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from treesql.kernels.trees import trees

Heads = list[int]
"""The heads of a sentence as files have them: 1-based, 0 for a root."""


@st.composite
def forests(draw: st.DrawFn) -> Heads:
    """Heads without cycles, of any shape: each word hangs below the root or a word that was drawn before."""
    order = draw(st.integers(0, 9).flatmap(lambda n: st.permutations(range(1, n + 1))))
    heads = [0] * len(order)
    for done, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:done]]))
    return heads


any_heads = st.integers(0, 7).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n))


def flat(sentences: list[Heads]) -> tuple[trees.Ints, trees.Ints, int]:
    """Sentences as the kernels take them: parents, offsets, longest."""
    offsets = [0, *accumulate(map(len, sentences))]
    parents = [
        start + head - 1 if head else -1 for start, heads in zip(offsets[:-1], sentences, strict=True) for head in heads
    ]
    return np.array(parents, dtype=np.int64), np.array(offsets), max(map(len, sentences), default=0)


def ancestors(heads: Heads, word: int, limit: int) -> list[int]:
    """The words above a word, nearest first, at most `limit` of them."""
    found: list[int] = []
    while (word := heads[word - 1]) and len(found) < limit:
        found.append(word)
    return found


def twin(heads: Heads) -> list[tuple[int, int, int, bool]]:
    """Depth, enter, leave and projectivity of the words of one sentence, by a walk over its tree."""
    number = count(1)
    found = {}

    def visit(word: int, depth: int) -> int:
        enter = leave = next(number)
        for child, head in enumerate(heads, 1):
            if head == word:
                leave = visit(child, depth + 1)
        found[word] = depth, enter, leave
        return leave

    for root, head in enumerate(heads, 1):
        if head == 0:
            visit(root, 1)
    return [(*found[word], is_projective(heads, word)) for word in range(1, len(heads) + 1)]


def is_projective(heads: Heads, word: int) -> bool:
    head = heads[word - 1]
    between = range(min(word, head) + 1, max(word, head)) if head else []
    return all(head in ancestors(heads, other, len(heads)) for other in between)


def indexed(sentences: list[Heads]) -> list[tuple[int, int, int, bool]]:
    parents, offsets, longest = flat(sentences)
    walks = trees.ancestor_jumps(parents, longest)
    assert not len(walks.endless)
    index = trees.index_trees(parents, offsets, walks.rounds)
    return list(zip(*(column.tolist() for column in index), strict=True))


@given(st.lists(forests(), max_size=4))
@example([])
@example([[0]])
@example([[0], [0, 0], [2, 0]])
def test_index(sentences: list[Heads]) -> None:
    assert indexed(sentences) == [row for heads in sentences for row in twin(heads)]


@pytest.mark.parametrize("seed", range(3))
def test_index_of_long_sentences(seed: int) -> None:
    """Long enough for range queries over hundreds of words."""
    chance = random.Random(seed)
    sentences = []
    for n in (400, 1, 300):
        order = chance.sample(range(1, n + 1), n)
        above = {word: chance.choice([0, *order[:done]][-8:]) for done, word in enumerate(order)}
        sentences.append([above[word] for word in range(1, n + 1)])
    assert indexed(sentences) == [row for heads in sentences for row in twin(heads)]


@given(st.lists(any_heads, max_size=4))
def test_jumps(sentences: list[Heads]) -> None:
    parents, offsets, longest = flat(sentences)
    walks = trees.ancestor_jumps(parents, longest)
    above = [
        [int(start) + word - 1 for word in ancestors(heads, word, limit=64)]
        for start, heads in zip(offsets[:-1], sentences, strict=True)
        for word in range(1, len(heads) + 1)
    ]
    endless = [word for word, line in enumerate(above) if len(line) == 64]
    assert walks.endless.tolist() == endless
    for step, (words, targets) in enumerate(walks.rounds):
        far = {word: line[2**step - 1] for word, line in enumerate(above) if len(line) >= 2**step}
        assert dict(zip(words.tolist(), targets.tolist(), strict=True)) == far
    deepest = max((len(line) for word, line in enumerate(above) if word not in endless), default=0)
    assert 2 ** len(walks.rounds) > deepest


@in_turn(
    ("heads", "endless"),
    [
        ([1], [1]),
        ([2, 1], [1, 2]),
        ([0, 3, 2], [2, 3]),
        ([2, 3, 1, 1, 4, 0, 6], [1, 2, 3, 4, 5]),
        ([0, 1, 2], []),
    ],
)
def test_endless_are_the_words_on_a_cycle_and_below(heads: Heads, endless: list[int]) -> None:
    """A good sentence on either side must not be touched."""
    parents, _, longest = flat([[0, 1], heads, [2, 0]])
    assert trees.ancestor_jumps(parents, longest).endless.tolist() == [word + 1 for word in endless]


@pytest.mark.parametrize("to_the_right", [True, False])
def test_a_long_chain(to_the_right: bool) -> None:
    n = 5000
    heads = [*range(2, n + 1), 0] if to_the_right else list(range(n))
    from_root = list(range(1, n + 1))
    depths = from_root[::-1] if to_the_right else from_root
    assert indexed([heads]) == [(depth, depth, n, True) for depth in depths]
    parents, _, longest = flat([heads])
    assert len(trees.ancestor_jumps(parents, longest).rounds) == 13


def test_a_long_cycle() -> None:
    n = 5000
    parents, _, longest = flat([[*range(2, n + 1), 1]])
    assert trees.ancestor_jumps(parents, longest).endless.tolist() == list(range(n))


def test_a_star() -> None:
    n = 2001
    middle = n // 2 + 1
    heads = [0 if word == middle else middle for word in range(1, n + 1)]
    before, after = range(2, middle + 1), range(middle + 1, n + 1)
    expected = [(2, i, i, True) for i in before] + [(1, 1, n, True)] + [(2, i, i, True) for i in after]
    assert indexed([heads]) == expected


@pytest.mark.parametrize(("sentences", "rows"), [([], []), ([[0]], [(1, 1, 1, True)])])
def test_nothing_and_one_word(sentences: list[Heads], rows: list[tuple[int, int, int, bool]]) -> None:
    assert indexed(sentences) == rows


def test_an_edge_that_crosses_another() -> None:
    """`A hearing is scheduled on the issue`: `issue` hangs on `hearing`, over the verb that is above both."""
    assert [row[3] for row in indexed([[2, 4, 4, 0, 7, 7, 2]])] == [True] * 6 + [False]
