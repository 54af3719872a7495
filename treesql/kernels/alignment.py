"""Longest common subsequences of many short pairs of sequences at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

CELLS_AT_ONCE = 1 << 22
"""So many cells of tables are filled in one go."""


class Matches(NamedTuple):
    """Matched items: the pair of sequences they are of, and their 0-based positions in its left and right sequence."""

    pair: Ints
    left: Ints
    right: Ints


def common_subsequences(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints) -> Matches:
    """The longest common subsequence of every pair of sequences of integers, in order of pair and position.

    left, right: the items of all sequences one after the other; offsets: (pairs + 1,) where each begins and ends. Of
    several longest ones the first is taken that a walk from the front finds which matches equal items at once, and else
    steps on the left if that loses nothing. L(i, j) = 1 + L(i+1, j+1) where the items are equal, else
    max(L(i+1, j), L(i, j+1)), row by row: O(longest left) rounds over all pairs of about one size.

    Source: Wagner & Fischer 1974; ties as in conll18_ud_eval.py (Zeman et al. 2018).
    """
    rows, columns = np.diff(left_offsets), np.diff(right_offsets)
    found: list[Matches] = []
    order = np.argsort(np.maximum(rows, columns), kind="stable")
    order = order[(rows[order] > 0) & (columns[order] > 0)]
    at = 0
    while at < len(order):
        size = int(max(rows[order[at]], columns[order[at]]))
        end = int(np.searchsorted(np.maximum(rows, columns)[order], 2 * size, side="left"))
        end = min(max(end, at + 1), at + max(CELLS_AT_ONCE // (4 * size * size), 1))
        pairs = order[at:end]
        found.append(
            _of_one_size(
                pairs,
                _padded(left, left_offsets, pairs, -1),
                _padded(right, right_offsets, pairs, -2),
                rows[pairs],
                columns[pairs],
            )
        )
        at = end
    if not found:
        nothing = np.zeros(0, dtype=np.int64)
        return Matches(nothing, nothing, nothing)
    pair, first, second = (np.concatenate(parts) for parts in zip(*found, strict=True))
    ordered = np.lexsort((first, pair))
    return Matches(pair[ordered], first[ordered], second[ordered])


def _padded(items: Ints, offsets: Ints, pairs: Ints, filler: int) -> Ints:
    """The sequences of some pairs as the rows of a table, filled up behind."""
    lengths = offsets[pairs + 1] - offsets[pairs]
    table = np.full((len(pairs), int(lengths.max())), filler, dtype=np.int64)
    inside = np.arange(table.shape[1]) < lengths[:, None]
    table[inside] = items[np.repeat(offsets[pairs], lengths) + _counted(lengths)]
    return table


def _counted(lengths: Ints) -> Ints:
    """0, 1, 2, ... for each length in turn."""
    return np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _of_one_size(pairs: Ints, left: Ints, right: Ints, rows: Ints, columns: Ints) -> Matches:
    n, height = left.shape
    width = right.shape[1]
    longest = np.zeros((n, height + 1, width + 1), dtype=np.int32)
    for i in range(height - 1, -1, -1):
        below = longest[:, i + 1]
        here = np.where(left[:, i : i + 1] == right, below[:, 1:] + 1, below[:, :-1])
        longest[:, i, :-1] = np.maximum.accumulate(here[:, ::-1], axis=1)[:, ::-1]
    down, across, here = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.arange(n)
    found: list[Matches] = []
    while len(here := here[(down[here] < rows[here]) & (across[here] < columns[here])]):
        a, b = down[here], across[here]
        equal = left[here, a] == right[here, b]
        lossless = ~equal & (longest[here, a, b] == longest[here, a + 1, b])
        found.append(Matches(pairs[here[equal]], a[equal], b[equal]))
        down[here] += equal | lossless
        across[here] += equal | ~lossless
    return Matches(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
