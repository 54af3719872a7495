"""Paths from one word to another in dependency trees, as the words whose labels encode them.

A path from word n to word m goes up from n to their lowest common ancestor p and down to m. It is encoded as the labels
on the way up, whether n precedes m, and the labels on the way down; p's own label is in neither part, and an artificial
root dominates all roots. Source: McCaffery 2017.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.compiling import compiled
from treesql.kernels.dependency_trees import CYCLE, FAULT_MESSAGES, GOOD, NO_HEAD, NO_WORD


class PathEncodings(NamedTuple):
    """A batch of encoded paths.

    ascending, descending: the words whose labels a path has on its way up and down, counted from 0 in the whole batch;
    their offsets: (paths + 1,); rightwards: (paths,), whether the first word precedes the last.
    """

    ascending_offsets: Ints
    ascending: Ints
    rightwards: Flags
    descending_offsets: Ints
    descending: Ints


def path_encodings(offsets: Ints, heads: Ints, first: Ints, last: Ints) -> PathEncodings:
    """Return the path from one word to another in every tree of a batch.

    offsets, heads: as in DependencyTrees; first, last: (trees,), positions, counted from 1. O(depth) per path.

    ValueError: a head or a word outside its sentence, or a cycle.
    """
    fault, tree, up_offsets, up, rightwards, down_offsets, down = _path_encodings(offsets, heads, first, last)
    if fault != GOOD:
        if fault == NO_WORD:
            n = offsets[tree + 1] - offsets[tree]
            word = last[tree] if 1 <= first[tree] <= n else first[tree]
            what = f"there is no word {word} in the sentence, which has {n}"
        else:
            what = FAULT_MESSAGES[fault]
        raise ValueError(f"path {tree} of the batch, counted from 0: {what}")
    return PathEncodings(up_offsets, up, rightwards, down_offsets, down)


@compiled
def _path_encodings(
    offsets: Ints, heads: Ints, first: Ints, last: Ints
) -> tuple[int, int, Ints, Ints, Flags, Ints, Ints]:
    trees = len(offsets) - 1
    up_offsets, down_offsets = np.zeros(trees + 1, np.int64), np.zeros(trees + 1, np.int64)
    rightwards = first < last
    up, down = np.empty(0, np.int64), np.empty(0, np.int64)
    for tree in range(trees):
        start, n = offsets[tree], offsets[tree + 1] - offsets[tree]
        fault = GOOD
        depths = [0, 0]
        for side in range(2):
            word = first[tree] if side == 0 else last[tree]
            if word < 1 or word > n:
                fault = NO_WORD
                break
            while word > 0:
                depths[side] += 1
                word = heads[start + word - 1]
                if word < 0 or word > n or depths[side] > n:
                    fault = NO_HEAD if word < 0 or word > n else CYCLE
                    break
            if fault != GOOD:
                break
        if fault != GOOD:
            return fault, tree, up_offsets, up, rightwards, down_offsets, down
        n_up, n_down = _steps_to_ancestor(heads[start : start + n], first[tree], depths[0], last[tree], depths[1])
        up_offsets[tree + 1], down_offsets[tree + 1] = up_offsets[tree] + n_up, down_offsets[tree] + n_down
    up, down = np.empty(up_offsets[trees], np.int64), np.empty(down_offsets[trees], np.int64)
    for tree in range(trees):
        start = offsets[tree]
        word = first[tree]
        for at in range(up_offsets[tree], up_offsets[tree + 1]):
            up[at] = start + word - 1
            word = heads[start + word - 1]
        word = last[tree]
        for at in range(down_offsets[tree + 1] - 1, down_offsets[tree] - 1, -1):
            down[at] = start + word - 1
            word = heads[start + word - 1]
    return GOOD, -1, up_offsets, up, rightwards, down_offsets, down


@compiled
def _steps_to_ancestor(heads: Ints, one: int, depth: int, other: int, other_depth: int) -> tuple[int, int]:
    """Return how many steps two words are below their lowest common ancestor."""
    up, down = 0, 0
    while depth > other_depth:
        one, depth, up = heads[one - 1], depth - 1, up + 1
    while other_depth > depth:
        other, other_depth, down = heads[other - 1], other_depth - 1, down + 1
    while one != other:
        one, other, up, down = heads[one - 1], heads[other - 1], up + 1, down + 1
    return up, down
