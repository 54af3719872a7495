"""Trees as the tables have them, whose phrases may have gaps: as skeletons, as ordered trees, and as keys of names."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.nested import Leaves, Tree, batch, below, clusters, ints, trees
from tests.kernels.test_tree_edit import Forest, ordered
from treesql.kernels import skeletons, splits
from treesql.kernels.ordered_trees import OrderedTrees, from_parses
from treesql.kernels.splits import Ints, Keys

NEVER = 10**6


class Parse(NamedTuple):
    """A tree: of its phrases the phrase above each, of its words the phrase above each; from 1, 0 for none."""

    parents: list[int]
    phrases: list[int]


def parse(tree: Tree, whole: bool = True) -> Parse:
    """A tree whose leaves are the positions of words, from 0; without its outermost phrase if not `whole`."""
    parents: list[int] = []
    phrases: dict[int, int] = {}

    def visit(node: Tree, above: int) -> None:
        if not isinstance(node, list):
            phrases[node] = above
            return
        if whole or node is not tree:
            parents.append(above)
            above = len(parents)
        for child in sorted(node, key=lambda child: min(below(child), default=NEVER)):
            visit(child, above)

    visit(tree, 0)
    return Parse(parents, [phrases[word] for word in range(len(phrases))])


@st.composite
def parses(draw: st.DrawFn, smallest: int = 0, largest: int = 8, gaps: bool = True) -> Parse:
    """Trees of any shape, children in the order of their first words, phrases without words behind them."""
    n = draw(st.integers(smallest, largest))
    order = list(range(n))
    if gaps and n > 1:
        if draw(st.booleans()):
            order = list(draw(st.permutations(order)))
        for _ in range(draw(st.integers(0, 2))):
            i, j = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
            order[i], order[j] = order[j], order[i]
    tree = draw(trees(order))
    assert isinstance(tree, list)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        place = tree
        for child in tree:
            if isinstance(child, list) and draw(st.booleans()):
                place = child
        place.append([])
    return parse(tree, draw(st.booleans()))


def leaf_sets(tree: Parse, numbers: list[int]) -> list[Leaves]:
    """The numbers of the leaves below every phrase; -1 is none."""
    found: list[set[int]] = [set() for _ in tree.parents]
    for phrase, number in zip(tree.phrases, numbers, strict=True):
        while phrase > 0 and number >= 0:
            found[phrase - 1].add(number)
            phrase = tree.parents[phrase - 1]
    return [frozenset(one) for one in found]


def inner_sets(tree: Parse, numbers: list[int]) -> set[Leaves]:
    """The sets of two and more leaves that a skeleton has: those of phrases, and all."""
    everything = frozenset(numbers) - {-1}
    return {one for one in (*leaf_sets(tree, numbers), everything) if len(one) >= 2}


def words_below(tree: Parse, numbers: list[int]) -> list[list[int]]:
    """For every phrase its kept words, counted among those that are kept."""
    ranks = list(accumulate((number >= 0 for number in numbers), initial=0))
    kept = [ranks[word] if number >= 0 else -1 for word, number in enumerate(numbers)]
    return [sorted(one) for one in leaf_sets(tree, kept)]


def continuous(tree: Parse, numbers: list[int]) -> bool:
    return all(not one or one[-1] - one[0] + 1 == len(one) for one in words_below(tree, numbers))


def still_in_order(tree: Parse, numbers: list[int]) -> bool:
    """Whether children are in the order of their first words that are kept: they are in that of their first words."""
    firsts = [one[0] if one else None for one in words_below(tree, numbers)]
    for parent in range(len(firsts) + 1):
        below = [
            first for above, first in zip(tree.parents, firsts, strict=True) if above == parent and first is not None
        ]
        if below != sorted(below):
            return False
    return True


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
@settings(deadline=None, max_examples=100)
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
@settings(deadline=None, max_examples=60)
def test_skeletons_of_continuous_trees(cases: list[tuple[Parse, list[int]]]) -> None:
    """They are those of spans, which say the same in another way."""
    numbers: list[list[int]] = []
    spans: list[list[tuple[int, int]]] = []
    for tree, known in cases:
        left = iter(range(len(known)))
        numbers.append([-1 if number < 0 else next(left) for number in known])
        words = leaf_sets(tree, list(range(1, len(known) + 1)))
        spans.append([(min(one), max(one)) for one in words if one])
    flat = [span for one in spans for span in one]
    expected = skeletons.from_spans(
        ints([first for first, _ in flat]),
        ints([last for _, last in flat]),
        ints([0, *accumulate(map(len, spans))]),
        ints([len(known) for known in numbers]),
        np.array([number >= 0 for known in numbers for number in known], dtype=np.bool_),
    )
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


@pytest.mark.parametrize(
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


class Names(NamedTuple):
    """What phrases and words of a tree are called, and which words stay."""

    labels: list[int]
    tags: list[int]
    words: list[int]
    kept: list[bool]


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


def forest_of(tree: Parse, names: Names, node: int = 0) -> Forest:
    """The same trees as tuples: what is below a phrase, by its first word."""
    found: dict[int, tuple[int, Forest]] = {
        word: (names.tags[word], ((names.words[word], ()),))
        for word, phrase in enumerate(tree.phrases)
        if phrase == node and names.kept[word]
    }
    below = leaf_sets(tree, [word if names.kept[word] else -1 for word in range(len(tree.phrases))])
    for child, above in enumerate(tree.parents, 1):
        if above == node and below[child - 1]:
            found[min(below[child - 1])] = (names.labels[child - 1], forest_of(tree, names, child))
    return tuple(found[first] for first in sorted(found))


@st.composite
def with_names(draw: st.DrawFn, largest: int = 8) -> tuple[Parse, Names]:
    tree = draw(parses(largest=largest))
    p, n = len(tree.parents), len(tree.phrases)
    small = st.integers(-1, 2)
    labels, tags, words = (draw(st.lists(small, min_size=k, max_size=k)) for k in (p, n, n))
    stays = st.sampled_from([True, True, True, False])
    return tree, Names(labels, tags, words, draw(st.lists(stays, min_size=n, max_size=n)))


@given(st.lists(with_names(), max_size=4))
@settings(deadline=None, max_examples=100)
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


@st.composite
def named_trees(draw: st.DrawFn, subsets: bool) -> list[tuple[Tree, list[int]]]:
    """Trees over leaves 0..n-1, and the names of these, in other orders or, of all names, others."""
    greatest = draw(st.sampled_from([8, 2**64 - 1]))
    pool = draw(st.lists(st.integers(1, greatest), min_size=1, max_size=7, unique=True))
    found = []
    for _ in range(draw(st.integers(0, 5))):
        names = draw(st.permutations(pool))
        names = names[: draw(st.integers(0, len(pool)))] if subsets else names
        found.append((draw(trees(list(draw(st.permutations(range(len(names))))))), list(names)))
    return found


def keyed(several: list[tuple[Tree, list[int]]], unrooted: bool) -> splits.NamedSplits:
    forest = batch([tree for tree, _ in several])
    starts = np.repeat(forest.leaf_offsets[:-1], np.diff(forest.leaf_offsets))
    names = np.array([name for _, one in several for name in one], dtype=np.uint64)
    return splits.split_keys_by_names(forest._replace(leaves=forest.leaves + starts), names, unrooted)


@pytest.mark.parametrize("unrooted", [False, True])
@given(data=st.data())
@settings(deadline=None, max_examples=100)
def test_keys_by_names(data: st.DataObject, unrooted: bool) -> None:
    """Equal keys, equal names: of clusters of any trees, of splits where the trees have the same leaves."""
    several = data.draw(named_trees(subsets=not unrooted))
    found = keyed(several, unrooted)
    keys = [set(one) for one in split(found.keys, found.offsets)]
    members = [named_sets(tree, names, unrooted) for tree, names in several]
    assert np.diff(found.offsets).tolist() == [len(one) for one in keys] == [len(one) for one in members]
    assert [[len(a & b) for b in keys] for a in keys] == [[len(a & b) for b in members] for a in members]
    wholes = {(key, frozenset(names)) for key, (_, names) in zip(found.leaves.tolist(), several, strict=True)}
    assert len(wholes) == len({key for key, _ in wholes}) == len({names for _, names in wholes})
    for one, key, case in zip(split(found.keys, found.offsets), found.leaves.tolist(), several, strict=True):
        alone = keyed([case], unrooted)
        assert (alone.keys.tolist(), alone.leaves.tolist()) == (one, [key])


def named_sets(tree: Tree, names: list[int], unrooted: bool) -> set[frozenset[object]]:
    """Clusters as sets of names, splits as sets of two sets."""
    n = len(names)
    inner = [node for node in clusters(tree) if 2 <= len(node) < (n - 1 if unrooted else n)]
    sides = [frozenset(names[leaf] for leaf in node) for node in inner]
    return {frozenset([side, frozenset(names) - side]) for side in sides} if unrooted else {*sides}


def split(keys: Keys, offsets: Ints) -> list[list[int]]:
    return [keys[a:b].tolist() for a, b in pairwise(offsets.tolist())]
