"""Batches of dependency trees: depths of words, their lowest common ancestors, and labels on their way to the root."""

from __future__ import annotations

from typing import NamedTuple

from treesql.kernels.arrays import Ints
from treesql.kernels.compiling import compiled

GOOD, NO_HEAD, CYCLE, NO_WORD, TOO_DEEP = range(5)
FAULT_MESSAGES = {
    NO_HEAD: "a head is no word of the sentence",
    CYCLE: "its heads form a cycle",
    NO_WORD: "a link is to no word of the sentence",
    TOO_DEEP: "it has too many links for trees so deep",
}


class DependencyTrees(NamedTuple):
    """A batch of dependency trees.

    offsets: (trees + 1,), the start and end of each tree's words; heads: (words,), position of each word's head in its
    sentence, counted from 1, 0 for a root; labels: (words,), integers from 0 on.
    """

    offsets: Ints
    heads: Ints
    labels: Ints


@compiled
def sort_by_depth(heads: Ints, depth: Ints, order: Ints, starts: Ints) -> int:
    """Compute the depth of every word, 1 for a root, and the words sorted by depth. Words are counted from 1."""
    n = len(heads)
    deepest = 0
    depth[0] = 0
    for word in range(1, n + 1):
        depth[word] = -1
    for word in range(1, n + 1):
        above, steps = word, 0
        while depth[above] < 0:
            steps += 1
            if steps > n:
                return CYCLE
            above = heads[above - 1]
            if above < 0 or above > n:
                return NO_HEAD
        steps += depth[above]
        deepest = max(deepest, steps)
        above = word
        while depth[above] < 0:
            depth[above] = steps
            steps -= 1
            above = heads[above - 1]
    for level in range(deepest + 2):
        starts[level] = 0
    for word in range(1, n + 1):
        starts[depth[word] + 1] += 1
    for level in range(2, deepest + 2):
        starts[level] += starts[level - 1]
    for word in range(1, n + 1):
        order[starts[depth[word]]] = word
        starts[depth[word]] += 1
    return GOOD


@compiled
def common_depths(word: int, heads: Ints, depth: Ints, order: Ints, common: Ints) -> None:
    """Compute the depth of the lowest common ancestor of one word and each other word. O(words)."""
    n = len(heads)
    for other in range(n + 1):
        common[other] = 0
    above = word
    while above > 0:
        common[above] = depth[above]
        above = heads[above - 1]
    for i in range(n):
        other = order[i]
        if common[other] == 0:
            common[other] = common[heads[other - 1]]


@compiled
def labels_to_root(word: int, heads: Ints, labels: Ints, path: Ints) -> int:
    """Write the labels from a word up to its root; return their number."""
    length = 0
    while word > 0:
        path[length] = labels[word - 1]
        length += 1
        word = heads[word - 1]
    return length
