"""Check of the tree index of words against their heads."""

from __future__ import annotations

import numpy as np

from treesql.kernels import trees
from treesql.kernels.arrays import Flags, Ints


def find_wrong_index(parents: Ints, there: Flags, offsets: Ints, columns: dict[str, Ints]) -> tuple[int, str] | None:
    """The first row whose enter, leave or projective is not that of its tree, and what is wrong; None where all are.

    parents: as trees.index_trees takes them, -1 where the sentence has no tree; there: which words are in a tree. The
    intervals are verified without sorting: in each sentence enter numbers the words, every word lies in the interval
    of its head and is as large as its subtrees and itself, and the next subtree of the same head is of a later word.
    """
    if "enter" not in columns:
        return None
    enter, leave = columns["enter"], columns["leave"]
    n = len(parents)
    counts = np.diff(offsets)
    start = np.repeat(offsets[:-1], counts)
    wrong = (enter < 0) == there
    wrong |= (leave < 0) == there
    for name in ("enter", "leave"):
        wrong |= there & (columns[name] > np.repeat(counts, counts))
    wrong |= there & ((enter < 1) | (leave < enter))
    if not wrong.any():
        own = np.flatnonzero(there)
        place = start[own] + enter[own] - 1
        at_place = np.full(n, -1, dtype=np.int64)
        at_place[place] = own
        below = np.flatnonzero(parents >= 0)
        above = parents[below]
        wrong[own] = at_place[place] != own  # a number that stands twice
        wrong[below] |= (enter[below] <= enter[above]) | (leave[below] > leave[above])
        size = leave - enter + 1
        sum_below = np.bincount(above, weights=size[below], minlength=n).astype(np.int64)
        wrong[own] |= size[own] != sum_below[own] + 1
        end = np.repeat(counts, counts)
        end[below] = leave[above]
        before = np.flatnonzero(there & (leave < end))
        after = at_place[start[before] + leave[before]]
        wrong[before] |= (after <= before) | (parents[after] != parents[before])
    if wrong.any():
        at = int(wrong.argmax())
        shown = ["NULL" if columns[name][at] < 0 else str(columns[name][at]) for name in ("enter", "leave")]
        return at, f"enter {shown[0]} and leave {shown[1]} are not those of the word in its tree"
    if "projective" in columns:
        expected = np.where(there, trees.projective_edges(parents, enter, leave), -1)
        odd = np.flatnonzero(columns["projective"] != expected)
        if len(odd):
            shown_flag = {-1: "NULL", 0: "false", 1: "true"}
            values = (shown_flag[int(found[odd[0]])] for found in (columns["projective"], expected))
            return int(odd[0]), "projective is {}, where it should be {}".format(*values)
    return None
