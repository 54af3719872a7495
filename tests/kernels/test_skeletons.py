"""Skeletons of trees whose phrases may have gaps, and their ordered trees, against sets of leaves in plain Python."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.kernels.nested import ints, of_spans
from tests.kernels.ordered_trees import ordered
from tests.kernels.phrases import Names, Parse, continuous, forest_of, inner_sets, leaf_sets, parses, still_in_order
from treesql.kernels.trees import skeletons
from treesql.kernels.trees.tree_edit import OrderedTrees, from_parses


def made_of(several: list[Parse], numbers: list[list[int]]) -> skeletons.Skeletons:
    return skeletons.from_phrases(
        ints([parent for tree in several for parent in tree.parents]),
        ints([0, *accumulate(len(tree.parents) for tree in several)]),
        ints([phrase for tree in several for phrase in tree.phrases]),
        ints([0, *accumulate(len(tree.phrases) for tree in several)]),
        ints([number for one in numbers for number in one]),
    )


Shape = tuple[list[tuple[int, int]], list[int]]
"""The spans of a skeleton and its leaves."""


def shapes(forest: skeletons.Skeletons) -> list[Shape]:
    spans = list(zip(forest.first.tolist(), forest.end.tolist(), strict=True))
    leaves = forest.leaves.tolist()
    at, words = forest.node_offsets.tolist(), forest.leaf_offsets.tolist()
    return [(spans[at[i] : at[i + 1]], leaves[words[i] : words[i + 1]]) for i in range(len(at) - 1)]


@st.composite
def with_numbers(draw: st.DrawFn, gaps: bool = True) -> tuple[Parse, list[int]]:
    """A tree and the numbers of its words in any order, some of which are left out."""
    tree = draw(parses(gaps=gaps))
    n = len(tree.phrases)
    gone = draw(st.sets(st.integers(0, n - 1), max_size=draw(st.sampled_from([0, 2, n])))) if n else set()
    kept = draw(st.permutations(range(n - len(gone))))
    left = iter(kept)
    return tree, [-1 if word in gone else next(left) for word in range(n)]


@given(st.lists(with_numbers(), max_size=4))
@settings(max_examples=20)
def test_leaf_sets_of_skeletons(cases: list[tuple[Parse, list[int]]]) -> None:
    """The spans are the sets of leaves, each once, the set of all in front; in preorder (see the test that fails)."""
    several, numbers = [tree for tree, _ in cases], [one for _, one in cases]
    for tree, known, (spans, leaves) in zip(several, numbers, shapes(made_of(several, numbers)), strict=True):
        kept = [number for number in known if number >= 0]
        assert sorted(leaves) == list(range(len(kept)))
        assert not continuous(tree, known) or leaves == kept
        found = [frozenset(leaves[first:end]) for first, end in spans]
        assert len(found) == len(set(found))
        assert set(found) == inner_sets(tree, known)
        if len(kept) >= 2:
            assert spans[0] == (0, len(kept))
        assert not still_in_order(tree, known) or spans == sorted(spans, key=lambda span: (span[0], -span[1]))


@given(st.lists(with_numbers(gaps=False), max_size=3))
@settings(deadline=None, max_examples=30)
@pytest.mark.slow
def test_skeletons_of_continuous_trees(cases: list[tuple[Parse, list[int]]]) -> None:
    """They are those of spans, which say the same in another way."""
    numbers: list[list[int]] = []
    spans: list[list[tuple[int, int]]] = []
    for tree, known in cases:
        left = iter(range(len(known)))
        numbers.append([-1 if number < 0 else next(left) for number in known])
        before = [0, *accumulate(number >= 0 for number in known)]
        words = leaf_sets(tree, list(range(len(known))))
        spans.append([(before[min(one)], before[max(one) + 1]) for one in words if one])
    expected = of_spans(spans, [[number for number in known if number >= 0] for known in numbers])
    found = made_of([tree for tree, _ in cases], numbers)
    for one, other in zip(found, expected, strict=True):
        assert one.tolist() == other.tolist()


BOOK = Parse([0, 1, 2], [2, 2, 1, 3, 3, 0])
"""A book arrived about bees . : a sentence, in it a noun phrase with a gap, in it a prepositional phrase."""


def test_a_gap() -> None:
    """Phrases are moved together, the inner ones in front; without the word in the gap all stays where it is."""
    assert shapes(made_of([BOOK], [[0, 1, 2, 3, 4, 5]])) == [([(0, 6), (0, 5), (0, 4), (0, 2)], [3, 4, 0, 1, 2, 5])]
    assert shapes(made_of([BOOK], [[0, 1, -1, 2, 3, 4]])) == [([(0, 5), (0, 4), (2, 4)], [0, 1, 2, 3, 4])]
    assert shapes(made_of([BOOK], [[3, 2, -1, -1, 1, 0]])) == [([(0, 4), (0, 3)], [3, 2, 1, 0])]


def test_few_leaves() -> None:
    for numbers, expected in (
        ([-1] * 6, ([], [])),
        ([-1, -1, -1, -1, 0, -1], ([], [0])),
        ([-1, -1, 0, -1, 1, -1], ([(0, 2)], [0, 1])),
        ([1, -1, -1, 0, -1, -1], ([(0, 2)], [1, 0])),
    ):
        assert shapes(made_of([BOOK], [numbers])) == [expected]
    assert shapes(made_of([Parse([], []), Parse([0, 1], [2]), Parse([0, 1], [])], [[], [0], []])) == [
        ([], []),
        ([], [0]),
        ([], []),
    ]
    assert shapes(made_of([], [])) == []


LATE = Parse([0, 0], [1, 2, 2, 1, 1])
"""Two phrases; without its first word, the first of them begins behind the second."""


@pytest.mark.parametrize(
    ("tree", "numbers", "expected"),
    [
        (LATE, [-1, 0, 1, 2, 3], ([(0, 4), (0, 2), (2, 4)], [0, 1, 2, 3])),
        (Parse([0, 0], [1, 2, 2, 1, 1, 0]), [-1, 4, 3, 2, 1, 0], ([(0, 5), (0, 2), (2, 4)], [4, 3, 2, 1, 0])),
        (Parse([0, 0], [0, 1, 2, 2, 1, 1]), [0, -1, 1, 2, 3, 4], ([(0, 5), (1, 3), (3, 5)], [0, 1, 2, 3, 4])),
    ],
)
def test_phrases_whose_first_word_is_left_out(tree: Parse, numbers: list[int], expected: Shape) -> None:
    assert not still_in_order(tree, numbers)
    assert shapes(made_of([tree], [numbers])) == [expected]


@in_turn(
    "bad", [Parse([1], [1]), Parse([2, 0], [1, 2]), Parse([0, 3, 1], [1, 2, 3]), Parse([-1], [1]), Parse([0, 3], [1])]
)
def test_phrases_that_are_not_in_preorder(bad: Parse) -> None:
    numbers = list(range(len(bad.phrases)))
    with pytest.raises(ValueError, match=r"tree 1 .* preorder"):
        made_of([BOOK, bad, BOOK], [[0, 1, 2, 3, 4, 5], numbers, [0, 1, 2, 3, 4, 5]])
    with pytest.raises(ValueError, match=r"tree 1 .* preorder"):
        ordered_trees([BOOK, bad, BOOK])


@pytest.mark.parametrize("phrase", [-1, 2, 9])
def test_words_of_phrases_that_are_not_there(phrase: int) -> None:
    bad = Parse([0], [1, phrase])
    with pytest.raises(ValueError, match=r"^tree 1 of the batch, counted from 0: "):
        made_of([BOOK, bad], [[0, 1, 2, 3, 4, 5], [0, 1]])
    with pytest.raises(ValueError, match=r"^tree 1 of the batch, counted from 0: "):
        ordered_trees([BOOK, bad])


def test_phrases_that_are_above_others_but_not_in_preorder() -> None:
    """The third is below the first, but the second is not: the spans would not be in preorder."""
    with pytest.raises(ValueError, match=r"tree 0 .* preorder"):
        made_of([Parse([0, 0, 1], [3, 3, 1, 2, 2])], [[0, 1, 2, 3, 4]])


def plain_names(tree: Parse) -> Names:
    n = len(tree.phrases)
    return Names([100 + i for i in range(len(tree.parents))], [200 + i for i in range(n)], list(range(n)), [True] * n)


def ordered_trees(several: list[Parse], names: list[Names] | None = None) -> OrderedTrees:
    called = [plain_names(tree) for tree in several] if names is None else names
    return from_parses(
        ints([0, *accumulate(len(tree.parents) for tree in several)]),
        ints([parent for tree in several for parent in tree.parents]),
        ints([label for one in called for label in one.labels]),
        ints([0, *accumulate(len(tree.phrases) for tree in several)]),
        ints([phrase for tree in several for phrase in tree.phrases]),
        ints([tag for one in called for tag in one.tags]),
        ints([word for one in called for word in one.words]),
        np.array([stays for one in called for stays in one.kept], dtype=np.bool_),
    )


@st.composite
def with_names(draw: st.DrawFn, largest: int = 8) -> tuple[Parse, Names]:
    tree = draw(parses(largest=largest))
    p, n = len(tree.parents), len(tree.phrases)
    small = st.integers(-1, 2)
    labels, tags, words = (draw(st.lists(small, min_size=k, max_size=k)) for k in (p, n, n))
    stays = st.sampled_from([True, True, True, False])
    return tree, Names(labels, tags, words, draw(st.lists(stays, min_size=n, max_size=n)))


@given(st.lists(with_names(), max_size=4))
@settings(max_examples=20)
def test_ordered_trees(cases: list[tuple[Parse, Names]]) -> None:
    found = ordered_trees([tree for tree, _ in cases], [names for _, names in cases])
    expected = ordered([forest_of(tree, names) for tree, names in cases])
    for one, other in zip(found, expected, strict=True):
        assert one.tolist() == other.tolist()


def test_an_ordered_tree_with_a_gap() -> None:
    """Children are in the order of their first words, the verb behind all of its subject."""
    found = ordered_trees([BOOK])
    assert found.offsets.tolist() == [0, 15]
    assert found.labels.tolist() == [0, 200, 1, 201, 3, 203, 4, 204, 102, 101, 2, 202, 100, 5, 205]
    assert found.parents.tolist() == [1, 9, 3, 9, 5, 8, 7, 8, 9, 12, 11, 12, -1, 14, -1]
    late = ordered_trees([LATE], [plain_names(LATE)._replace(kept=[False, True, True, True, True])])
    assert late.labels.tolist() == [1, 201, 2, 202, 101, 3, 203, 4, 204, 100]


def test_deep_trees() -> None:
    n = 3000
    deep = Parse(list(range(n)), [n])
    found = ordered_trees([deep, Parse([], []), deep])
    one = [0, 200, *range(100 + n - 1, 99, -1)]
    assert found.offsets.tolist() == [0, n + 2, n + 2, 2 * n + 4]
    assert found.labels.tolist() == one * 2
    assert found.parents.tolist() == [*range(1, n + 2), -1] * 2
    assert shapes(made_of([deep], [[0]])) == [([], [0])]
    odd_behind_even = Parse([0, 0], [1 + i % 2 for i in range(n)])
    [(spans, leaves)] = shapes(made_of([odd_behind_even], [list(range(n))]))
    assert spans == [(0, n), (0, n // 2), (n // 2, n)]
    assert leaves == [*range(0, n, 2), *range(1, n, 2)]


def test_a_skeleton() -> None:
    """Unary nodes are contracted, one root is put above a forest."""
    found = made_of([Parse([0, 1, 2, 3, 0], [2, 4, 3, 5, 0]), Parse([0], [1])], [[0, 1, 2, 3, 4], [0]])
    assert shapes(found) == [([(0, 5), (0, 3), (1, 3)], [0, 1, 2, 3, 4]), ([], [0])]
