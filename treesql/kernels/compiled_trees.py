"""The tree index of treesql.kernels.trees, compiled: for files so large that loading or compiling it pays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.compiling import compiled, read_only
from treesql.kernels.trees import TreeIndex


def index_trees(parents: Ints, offsets: Ints) -> TreeIndex:
    """Return the tree index of trees without cycles.

    parents: (n,), head of each word as an index into the same array, -1 for a root; offsets: (sentences + 1,), the
    start and end of sentences. Children come in word order. O(n).
    """
    n = len(parents)
    found, projective = np.empty((3, n), np.int64), np.ones(n, np.bool_)
    parents, offsets = read_only(parents, offsets)
    _index(parents, offsets, found, projective)
    return TreeIndex(found[0], found[1], found[2], projective)


@compiled
def _index(parents: Ints, offsets: Ints, found: NDArray[np.int64], projective: Flags) -> None:
    depth, enter, leave = found[0], found[1], found[2]
    n = len(parents)
    child, sibling, order = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.empty(n, np.int64)
    for sentence in range(len(offsets) - 1):
        first, behind = offsets[sentence], offsets[sentence + 1]
        root = -1
        for word in range(behind - 1, first - 1, -1):
            parent = parents[word]
            if parent < 0:
                sibling[word], root = root, word
            else:
                sibling[word], child[parent] = child[parent], word
        word, n_entered = root, 0
        while word >= 0:
            depth[word] = 1 if parents[word] < 0 else depth[parents[word]] + 1
            order[first + n_entered] = word
            n_entered += 1
            enter[word] = leave[word] = n_entered
            following = child[word]
            while following < 0 and word >= 0:
                following, word = sibling[word], parents[word]
            word = following
        for at in range(behind - 1, first - 1, -1):
            parent = parents[order[at]]
            if parent >= 0:
                leave[parent] = max(leave[parent], leave[order[at]])
        _mark_projective(parents, first, behind, enter, leave, projective)


@compiled
def _mark_projective(
    parents: Ints, first: int, behind: int, enter: Ints, leave: Ints, projective: Flags
) -> None:  # fmt: skip
    """Note for the words of a sentence whether their heads dominate all words between.

    Every head has a run of words on either side, next to it, that it dominates, and an edge is projective if its word
    is in that run. A run is a row of runs of dominated words, each of which is passed in one step: O(words).
    """
    for side in (-1, 1):
        ends = np.empty(behind - first, np.int64)  # of the run of every word, the word itself included
        for at in range(behind - first):
            head = first + at if side < 0 else behind - 1 - at
            end = head
            while first <= end + side < behind and enter[head] <= enter[end + side] <= leave[head]:
                end = ends[end + side - first]
            ends[head - first] = end
        for word in range(first, behind):
            head = parents[word]
            if head >= 0 and (head - word) * side < 0:
                projective[word] = (ends[head - first] - word) * side >= 0
