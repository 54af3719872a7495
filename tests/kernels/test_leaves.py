"""Which leaves of two trees are the same, against lists and dictionaries."""

from __future__ import annotations

from itertools import accumulate
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.kernels.leaves import Numbers, Words, number_by_hand
from tests.kernels.nested import ints
from treesql.kernels.trees.skeletons import COMMON, LEFT_OUT, NAME, ORDER, TRACE, WORD, Leaves, number_leaves

FAR = 2**64 - 1


def leaves(several: list[Words]) -> Leaves:
    offsets = ints([0, *accumulate(map(len, several))])
    names = np.array([name for words in several for name, _ in words], dtype=np.uint64)
    return Leaves(offsets, names, np.array([kind for words in several for _, kind in words], dtype=np.uint8))


def found_in(cases: list[tuple[Words, Words]], by: int) -> list[Numbers]:
    gold, test = leaves([one for one, _ in cases]), leaves([other for _, other in cases])
    found = number_leaves(gold, test, by)
    sides = zip(
        np.split(found.gold, gold.offsets[1:-1]) if cases else [],
        np.split(found.test, test.offsets[1:-1]) if cases else [],
        found.comparable.tolist(),
        strict=True,
    )
    return [(one.tolist(), other.tolist(), same) for one, other, same in sides]


kinds = st.sampled_from([WORD, WORD, WORD, LEFT_OUT])


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Words, Words]:
    """Two trees whose leaves are mostly the same, in their order or another; traces anywhere, each of another name."""
    names = draw(st.lists(st.sampled_from([0, 1, 2, 3, 4, 5, FAR]), max_size=6, unique=draw(st.booleans())))
    others = list(draw(st.permutations(names))) if draw(st.booleans()) else list(names)
    if others and not draw(st.integers(0, 2)):
        others[draw(st.integers(0, len(others) - 1))] = draw(st.integers(5, 7))
    if not draw(st.integers(0, 2)):
        others = others[draw(st.integers(0, 2)) :]
    sides = [[(name, draw(kinds)) for name in side] for side in (names, others)]
    for side in sides:
        for trace in range(draw(st.integers(0, 2))):
            side.insert(draw(st.integers(0, len(side))), (10 + trace, TRACE))
    return sides[0], sides[1]


@pytest.mark.parametrize("by", [ORDER, NAME, COMMON])
@given(cases=st.lists(pairs(), max_size=4))
@example(cases=[([], []), ([], [(1, WORD)]), ([(1, WORD)], []), ([(1, TRACE)], []), ([], [(1, TRACE)])])
def test_numbers(by: int, cases: list[tuple[Words, Words]]) -> None:
    assert found_in(cases, by) == [number_by_hand(*case, by) for case in cases]


@in_turn(
    ("gold", "test", "by", "expected"),
    [
        ([(7, WORD), (7, WORD)], [(7, WORD), (7, WORD)], ORDER, ([0, 1], [0, 1], True)),
        ([(7, WORD), (8, WORD)], [(8, WORD), (7, WORD)], ORDER, ([-1, -1], [-1, -1], False)),
        ([(7, WORD), (8, WORD)], [(8, WORD), (7, WORD)], NAME, ([0, 1], [1, 0], True)),
        ([(7, WORD), (7, WORD)], [(7, WORD), (7, WORD)], NAME, ([-1, -1], [-1, -1], False)),
        ([(7, WORD), (7, WORD)], [(8, WORD)], COMMON, ([-1, -1], [-1], False)),
        ([(7, WORD), (8, WORD)], [(7, WORD)], ORDER, ([-1, -1], [-1], False)),
        ([(7, WORD), (8, WORD)], [(7, WORD)], NAME, ([-1, -1], [-1], False)),
        ([(7, WORD), (8, WORD)], [(8, WORD), (9, WORD)], COMMON, ([-1, 0], [0, -1], True)),
        ([(7, WORD)], [(8, WORD)], COMMON, ([-1], [-1], True)),
        ([(FAR, WORD), (0, WORD)], [(0, WORD), (FAR, WORD)], NAME, ([0, 1], [1, 0], True)),
        ([(7, LEFT_OUT), (8, WORD)], [(7, WORD), (8, LEFT_OUT)], ORDER, ([-1, 0], [-1, 0], True)),
        ([(7, LEFT_OUT), (8, WORD)], [(8, LEFT_OUT), (7, WORD)], NAME, ([-1, 0], [0, -1], True)),
        ([(7, LEFT_OUT)], [], ORDER, ([-1], [], False)),
        ([(7, LEFT_OUT)], [], COMMON, ([-1], [], True)),
        ([(9, TRACE), (7, WORD), (9, TRACE)], [(7, WORD)], ORDER, ([-1, 0, -1], [0], True)),
        ([(7, TRACE), (7, WORD)], [(7, WORD), (7, TRACE), (7, TRACE)], ORDER, ([-1, 0], [0, -1, -1], True)),
        ([(7, TRACE)], [(7, WORD)], ORDER, ([-1], [-1], False)),
        ([(7, TRACE)], [(7, WORD)], NAME, ([-1], [-1], False)),
        ([(7, TRACE)], [(7, WORD)], COMMON, ([-1], [-1], True)),
        ([(7, TRACE), (8, TRACE)], [(9, TRACE)], NAME, ([-1, -1], [-1], True)),
    ],
)
def test_small_trees(gold: Words, test: Words, by: int, expected: Numbers) -> None:
    assert found_in([(gold, test)], by) == [expected]
    assert number_by_hand(gold, test, by) == expected


@in_turn("by", [NAME, COMMON])
@in_turn(
    ("gold", "test"),
    [
        ([(9, TRACE), (7, WORD), (9, TRACE)], [(7, WORD)]),
        ([(7, WORD)], [(9, TRACE), (9, TRACE), (7, WORD)]),
        ([(7, WORD), (7, TRACE)], [(7, WORD)]),
    ],
)
def test_traces_are_passed_over_by_name(gold: Words, test: Words, by: int) -> None:
    assert found_in([(gold, test)], by) == [number_by_hand(gold, test, by)]


def test_a_pair_that_cannot_be_compared_leaves_the_others_alone() -> None:
    good = ([(1, WORD), (2, WORD)], [(2, WORD), (1, WORD)])
    twice = ([(1, WORD), (1, WORD), (3, WORD)], [(3, WORD), (1, WORD), (1, WORD)])
    expected = [([0, 1], [1, 0], True), ([-1] * 3, [-1] * 3, False), ([0, 1], [1, 0], True)]
    for by in (NAME, COMMON):
        assert found_in([good, twice, good], by) == expected


@pytest.mark.parametrize("by", [NAME, COMMON])
def test_many_leaves(by: int) -> None:
    chance = Random(5)
    names = list({chance.getrandbits(64) for _ in range(5000)})
    gold = [(name, WORD) for name in names]
    test = chance.sample(gold, len(gold))
    places = {name: i for i, name in enumerate(names)}
    assert found_in([(gold, test)], by) == [(list(range(len(names))), [places[name] for name, _ in test], True)]


def test_batches_of_different_lengths() -> None:
    with pytest.raises(ValueError, match="same number of trees"):
        number_leaves(leaves([[]]), leaves([[], []]), ORDER)
    assert [len(column) for column in number_leaves(leaves([]), leaves([]), NAME)] == [0, 0, 0]
