"""Trees as the tables have them, whose phrases may have gaps, in plain Python: the sets of leaves of their phrases."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from hypothesis import strategies as st

from tests.kernels.nested import Leaves, Tree, below, trees
from tests.kernels.ordered_trees import Forest

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


class Names(NamedTuple):
    """What phrases and words of a tree are called, and which words stay."""

    labels: list[int]
    tags: list[int]
    words: list[int]
    kept: list[bool]


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
