"""Longest common subsequences of many short pairs of sequences, computed in batches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Ints, positions_in_list

MAX_CELLS = 1 << 22
"""Maximum number of table cells filled in one batch."""


class MatchedItems(NamedTuple):
    """Matched items: the number of their pair of sequences, and their 0-based positions in the left and the right
    sequence."""

    pair: Ints
    left: Ints
    right: Ints


def longest_common_subsequences(left: Ints, left_offsets: Ints, right: Ints, right_offsets: Ints) -> MatchedItems:
    """Return the longest common subsequence of every pair of integer sequences, ordered by pair and position.

    left, right: the items of all sequences, concatenated; offsets: (pairs + 1,), the start and end of each sequence.
    Ties between longest subsequences are resolved by a walk from the front: it matches equal items at once, and
    otherwise advances on the left if this does not shorten the result. L(i, j) = 1 + L(i+1, j+1) where the items are
    equal, else max(L(i+1, j), L(i, j+1)), row by row: O(longest left) rounds over all pairs of similar size.

    Source: Wagner & Fischer 1974; ties as in conll18_ud_eval.py (Zeman et al. 2018).
    """
    rows, columns = np.diff(left_offsets), np.diff(right_offsets)
    found: list[MatchedItems] = []
    order = np.argsort(np.maximum(rows, columns), kind="stable")
    order = order[(rows[order] > 0) & (columns[order] > 0)]
    at = 0
    while at < len(order):
        size = int(max(rows[order[at]], columns[order[at]]))
        end = int(np.searchsorted(np.maximum(rows, columns)[order], 2 * size, side="left"))
        end = min(max(end, at + 1), at + max(MAX_CELLS // (4 * size * size), 1))
        pairs = order[at:end]
        found.append(
            _match_similar_sizes(
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
        return MatchedItems(nothing, nothing, nothing)
    pair, first, second = (np.concatenate(parts) for parts in zip(*found, strict=True))
    ordered = np.lexsort((first, pair))
    return MatchedItems(pair[ordered], first[ordered], second[ordered])


def _padded(items: Ints, offsets: Ints, pairs: Ints, filler: int) -> Ints:
    """Return the sequences of some pairs as rows of a table, padded at the end with `filler`."""
    lengths = offsets[pairs + 1] - offsets[pairs]
    table = np.full((len(pairs), int(lengths.max())), filler, dtype=np.int64)
    inside = np.arange(table.shape[1]) < lengths[:, None]
    table[inside] = items[np.repeat(offsets[pairs], lengths) + positions_in_list(lengths)]
    return table


def _match_similar_sizes(pairs: Ints, left: Ints, right: Ints, rows: Ints, columns: Ints) -> MatchedItems:
    """Return the longest common subsequences of pairs of similar size, one pair per row of the padded tables."""
    n, height = left.shape
    width = right.shape[1]
    longest = np.zeros((n, height + 1, width + 1), dtype=np.int32)
    for i in range(height - 1, -1, -1):
        below = longest[:, i + 1]
        here = np.where(left[:, i : i + 1] == right, below[:, 1:] + 1, below[:, :-1])
        longest[:, i, :-1] = np.maximum.accumulate(here[:, ::-1], axis=1)[:, ::-1]
    down, across, here = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.arange(n)
    found: list[MatchedItems] = []
    while len(here := here[(down[here] < rows[here]) & (across[here] < columns[here])]):
        a, b = down[here], across[here]
        equal = left[here, a] == right[here, b]
        lossless = ~equal & (longest[here, a, b] == longest[here, a + 1, b])
        found.append(MatchedItems(pairs[here[equal]], a[equal], b[equal]))
        down[here] += equal | lossless
        across[here] += equal | ~lossless
    return MatchedItems(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
