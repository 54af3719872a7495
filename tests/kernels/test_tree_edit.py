"""Tree edit distances against the recurrence on forests, remembered."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.kernels import dependencies
from tests.kernels.dependencies import Aligned, dependency_trees
from tests.kernels.nested import batch, chain, ints
from tests.kernels.ordered_trees import Forest, edit_distance, forests, ordered, size
from treesql.kernels.trees import tree_edit


def distances(one: list[Forest], other: list[Forest], rename: int = tree_edit.LABELLED) -> list[int]:
    found: list[int] = tree_edit.tree_edit_distances(ordered(one), ordered(other), rename).tolist()
    return found


def line(labels: list[int]) -> Forest:
    forest: Forest = ()
    for label in reversed(labels):
        forest = ((label, forest),)
    return forest


@given(st.lists(st.tuples(forests, forests), max_size=5), st.sampled_from([0, 1, 2]))
@example([], 1)
def test_distances(cases: list[tuple[Forest, Forest]], rename: int) -> None:
    expected = [edit_distance(one, other, rename) for one, other in cases]
    assert distances([one for one, _ in cases], [other for _, other in cases], rename) == expected


@in_turn(
    ("one", "other", "expected"),
    [
        ((), (), 0),
        (((1, ()),), (), 1),
        (((1, ()),), ((1, ()),), 0),
        (((1, ()),), ((2, ()),), 1),
        (((0, ((1, ()), (2, ()))),), ((0, ((2, ()), (1, ()))),), 2),
        (  # f(d(a c(b)) e) and f(c(d(a b)) e): Zhang & Shasha 1989
            ((6, ((4, ((1, ()), (3, ((2, ()),)))), (5, ()))),),
            ((6, ((3, ((4, ((1, ()), (2, ()))),)), (5, ()))),),
            2,
        ),
    ],
)
def test_small_trees(one: Forest, other: Forest, expected: int) -> None:
    """Nothing, a node more, perfect, a node renamed, children exchanged, the example of the paper."""
    assert distances([one], [other]) == [expected]
    assert distances([other], [one]) == [expected]


def test_renaming() -> None:
    """kitten, sitting: 3 edits; renaming nothing but deleting and inserting, 5; by their shapes, 1."""
    one, other = (line([ord(letter) for letter in word]) for word in ("kitten", "sitting"))
    found = [
        distances([one], [other], mode)[0] for mode in (tree_edit.LABELLED, tree_edit.NO_RENAMING, tree_edit.SHAPE_ONLY)
    ]
    assert found == [3, 5, 1]


@pytest.mark.compiled
def test_long_trees() -> None:
    """Left- and right-branching: only one of the two ways to take them apart is quick for each pair."""
    n = 400
    left, right = batch([chain(list(range(n)))]), batch([chain(list(range(n))[::-1])])
    left, right = (tree_edit.from_skeletons(side) for side in (left, right))
    assert tree_edit.tree_edit_distances(left, left).tolist() == [0]
    assert tree_edit.tree_edit_distances(right, right).tolist() == [0]
    comb = ((0, tuple((1, ()) for _ in range(2000))),)
    assert distances([comb], [((0, ()),)]) == [2000]
    assert distances([line([1] * 2000)], [line([1] * 1990)]) == [10]


def test_skeletons() -> None:
    made = tree_edit.from_skeletons(batch([[[0, 1], 2], 0, [], [[2, 0], [[1, 3]]]]))
    assert made.offsets.tolist() == [0, 5, 6, 6, 13]
    assert made.labels.tolist() == [0, 1, -1, 2, -1, 0, 2, 0, -1, 1, 3, -1, -1]
    assert made.parents.tolist() == [2, 2, 4, 4, -1, -1, 2, 2, 6, 5, 5, 6, -1]


@in_turn("parents", [[0], [-1, 0], [2, 3, 3, -1], [4, 2, 4, 4, -1, 4], [1, 5]])
def test_nodes_that_are_not_in_postorder(parents: list[int]) -> None:
    bad = tree_edit.OrderedTrees(ints([0, 1, 1 + len(parents)]), ints([-1, *parents]), ints([0] * (1 + len(parents))))
    good = ordered([((0, ()),), ((0, ()),)])
    for pair in ((bad, good), (good, bad)):
        with pytest.raises(ValueError, match=r"pair 1 .* postorder"):
            tree_edit.tree_edit_distances(*pair)


def test_nodes_that_are_not_in_preorder() -> None:
    with pytest.raises(ValueError, match=r"tree 0 .* preorder"):
        tree_edit.to_postorder(ints([0, 4]), ints([-1, 0, 0, 1]), ints([0] * 4))


def test_batches_of_different_lengths() -> None:
    with pytest.raises(ValueError, match="same number of trees"):
        tree_edit.tree_edit_distances(ordered([()]), ordered([(), ()]))


def dependents(tree: list[tuple[int, int]], word: int = 0) -> Forest:
    """What hangs on a word, labelled by position."""
    below = tuple((other, dependents(tree, other)) for other, (head, _) in enumerate(tree, 1) if head == word)
    return below if word else ((0, below),)


@cache
def renamed(one: Forest, other: Forest, costs: tuple[tuple[int, ...], ...]) -> int:
    """The edit_distance of above, with a cost for every pair of nodes."""
    if not one or not other:
        return size(one) + size(other)
    (node, below), (other_node, other_below) = one[-1], other[-1]
    return min(
        renamed(one[:-1] + below, other, costs) + 1,
        renamed(one, other[:-1] + other_below, costs) + 1,
        renamed(one[:-1], other[:-1], costs) + renamed(below, other_below, costs) + costs[node][other_node],
    )


def of_dependencies(cases: list[Aligned], rename: int, *, linked: bool) -> list[int]:
    (one, places), (other, other_places) = (
        tree_edit.from_dependencies(*dependency_trees([case[side] for case in cases])) for side in range(2)
    )
    nodes: list[tuple[int, int]] = []
    offsets = [0]
    for at, case in enumerate(cases):
        start, other_start = int(one.offsets[at]) - at, int(other.offsets[at]) - at
        nodes += [(int(places[start + i - 1]), int(other_places[other_start + j - 1])) for i, j in case.links]
        nodes.append((len(case.reference), len(case.hypothesis)))
        offsets.append(len(nodes))
    counterparts = tree_edit.Counterparts(ints(offsets), ints([i for i, _ in nodes]), ints([j for _, j in nodes]))
    found: list[int] = tree_edit.tree_edit_distances(one, other, rename, counterparts if linked else None).tolist()
    return found


@given(st.lists(dependencies.aligned(), max_size=3), st.sampled_from([0, 1, 2]), st.booleans())
def test_dependency_trees(cases: list[Aligned], rename: int, linked: bool) -> None:
    expected = []
    for case in cases:
        one, other = ([-1, *(label for _, label in tree)] for tree in case[:2])
        equal = {(0, 0), *case.links}
        costs = tuple(
            tuple(
                0 if ((i, j) in equal if linked else label == counterpart) else rename
                for j, counterpart in enumerate(other)
            )
            for i, label in enumerate(one)
        )
        expected.append(renamed(dependents(case.reference), dependents(case.hypothesis), costs))
    assert of_dependencies(cases, rename, linked=linked) == expected


def test_dependency_trees_in_postorder() -> None:
    """The words of `the detective is becoming a Sherlock Holmes`, each behind its dependents."""
    heads = ints([2, 4, 4, 0, 7, 7, 4])
    made, places = tree_edit.from_dependencies(ints([0, 0, 7]), heads, ints(range(7)))
    assert made.offsets.tolist() == [0, 1, 9]
    assert made.labels.tolist() == [-1, 0, 1, 2, 4, 5, 6, 3, -1]
    assert made.parents.tolist() == [-1, 1, 6, 6, 5, 5, 6, 7, -1]
    assert places.tolist() == [0, 1, 2, 6, 3, 4, 5]


@in_turn("heads", [[1], [2, 1], [0, 3, 2], [3, 0], [-1]])
def test_what_is_no_dependency_tree(heads: list[int]) -> None:
    with pytest.raises(ValueError, match=r"tree 1 .* do not make a tree"):
        tree_edit.from_dependencies(ints([0, 1, 1 + len(heads)]), ints([0, *heads]), ints([0] * (1 + len(heads))))


@pytest.mark.parametrize("node", [-1, 1])
def test_counterparts_that_are_no_nodes(node: int) -> None:
    one = ordered([((0, ()),), ((0, ()),)])
    for gold, test in ((node, 0), (0, node)):
        wrong = tree_edit.Counterparts(ints([0, 1, 2]), ints([0, gold]), ints([0, test]))
        with pytest.raises(ValueError, match=r"pair 1 .*no node"):
            tree_edit.tree_edit_distances(one, one, 1, wrong)


@pytest.mark.compiled
def test_long_dependency_trees() -> None:
    """A chain of 5,000 words and one of 4,990, as much as that takes for the costs of every kind."""
    cases = [
        Aligned([(i, i % 3) for i in range(5000)], [(i, i % 3) for i in range(4990)], [(i, i) for i in range(1, 4991)])
    ]
    assert of_dependencies(cases, 1, linked=False) == of_dependencies(cases, 2, linked=True) == [10]


@pytest.mark.parametrize("linked", [False, True])
def test_large_trees_that_make_no_pair(monkeypatch: pytest.MonkeyPatch, linked: bool) -> None:
    """Where the largest trees of both sides need too large a table together, every pair has its own: the same."""
    one = ordered([(), ((0, ((1, ()), (2, ((1, ()),)))),), ((1, ()), (2, ())), ((0, ()),) * 5])
    other = ordered([((0, ()),) * 4, ((0, ((2, ()), (1, ()))),), ((2, ((1, ()),)),), ((0, ((0, ()),)),)])
    links = tree_edit.Counterparts(ints([0, 0, 2, 2, 3]), ints([0, 3, 4]), ints([1, 2, 0])) if linked else None
    expected = tree_edit.tree_edit_distances(one, other, 1, links).tolist()
    monkeypatch.setattr(tree_edit, "AT_ONCE", 6)
    assert tree_edit.tree_edit_distances(one, other, 1, links).tolist() == expected
