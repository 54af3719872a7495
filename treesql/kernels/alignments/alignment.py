"""Word alignments, and sequences that are aligned: links that two alignments share but for a word, phrase pairs,
symmetrisation; longest common subsequences of many short pairs, computed in batches.

Links of two alignments that can be changed into each other: a maximum matching of links that share a word.

Phrase pairs that are consistent with a word alignment.

A pair of runs of words is consistent if a link is between them, and none is from a word of either to a word outside of
the other. Unlinked words at the ends of a target run belong to it or not. Source: Koehn, Och & Marcu 2003, Statistical
phrase-based translation.

Symmetrisation of two directional alignments, source to target and target to source: the grow-diag heuristics.

Links of both alignments are taken first, then links of either that neighbour a taken link, in eight directions, and
include a word not linked yet, in a variant two (grow-diag), then links of the forward and of the backward alignment
that include one unlinked word (final) or two (final-and).

Sources: Koehn et al. 2005, Edinburgh system description for the 2005 IWSLT speech translation evaluation. The result
depends on the order in which links are visited, which the paper leaves open: here, as in atools (Dyer, Chahuneau &
Smith 2013), links not taken yet are visited by source and target, each compared with all links taken so far, until none
is added.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Flags, Ints, positions_in_list
from treesql.kernels.compiling import NONE, ZERO, compiled, read_only

MAX_CELLS = 1 << 22
"""Maximum number of table cells filled in one batch."""

MAX_PAIRS = 1 << 24
"""Maximum number of consistent pairs of a sentence: half a gigabyte of positions."""


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
    matches: list[MatchedItems] = []
    order = np.argsort(np.maximum(rows, columns), kind="stable")
    order = order[(rows[order] > 0) & (columns[order] > 0)]
    at = 0
    while at < len(order):
        size = int(max(rows[order[at]], columns[order[at]]))
        end = int(np.searchsorted(np.maximum(rows, columns)[order], 2 * size, side="left"))
        end = min(max(end, at + 1), at + max(MAX_CELLS // (4 * size * size), 1))
        pairs = order[at:end]
        matches.append(
            _match_similar_sizes(
                pairs,
                _padded(left, left_offsets, pairs, -1),
                _padded(right, right_offsets, pairs, -2),
                rows[pairs],
                columns[pairs],
            )
        )
        at = end
    if not matches:
        nothing = np.zeros(0, dtype=np.int64)
        return MatchedItems(nothing, nothing, nothing)
    pair, first, second = (np.concatenate(parts) for parts in zip(*matches, strict=True))
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
    matches: list[MatchedItems] = []
    while len(here := here[(down[here] < rows[here]) & (across[here] < columns[here])]):
        a, b = down[here], across[here]
        equal = left[here, a] == right[here, b]
        lossless = ~equal & (longest[here, a, b] == longest[here, a + 1, b])
        matches.append(MatchedItems(pairs[here[equal]], a[equal], b[equal]))
        down[here] += equal | lossless
        across[here] += equal | ~lossless
    return MatchedItems(*(np.concatenate(parts) for parts in zip(*matches, strict=True)))


def match_links(words: Ints, other_words: Ints) -> Ints:
    """Return the partner of every link in a largest set of pairs that share a word; -1 for none.

    words, other_words: (2, links) and (2, others), the source and target words of two lists of links, numbered from 0
    over all sentences and both sides. A link is in one pair at most. Of several largest sets it is the one that takes
    links in their order, each by a shortest augmenting path: O(links) time per link in the worst case, in practice the
    number of links of a few words. Source: Kuhn 1955, The Hungarian method for the assignment problem.
    """
    n_words = int(max(words.max(initial=-1), other_words.max(initial=-1))) + 1
    ends = other_words.ravel()
    order = np.argsort(ends, kind="stable")
    starts = np.searchsorted(ends[order], np.arange(n_words + 1))
    partners = np.full(words.shape[1], -1, dtype=np.int64)
    if words.shape[1] and other_words.shape[1]:
        _match(np.ascontiguousarray(words), order % other_words.shape[1], starts, partners)
    return partners


@compiled
def _match(words: Ints, others: Ints, starts: Ints, partners: Ints) -> None:
    """Set the partners. others: the other links of every word, which begin at `starts`."""
    n = len(others) // 2
    taken_by = np.full(n, NONE, dtype=np.int64)  # by other link
    reached_from = np.full(n, NONE, dtype=np.int64)  # by other link, on the way of the search
    seen = np.full(len(starts) - 1, NONE, dtype=np.int64)  # by word, the round in which it was last searched
    reached = np.full(n, NONE, dtype=np.int64)  # by other link, that round
    queue = np.empty(words.shape[1], dtype=np.int64)
    rounds = 0
    for link in range(words.shape[1]):
        queue[0] = link
        first, last, free = 0, 1, -1
        while first < last and free < 0:
            at = queue[first]
            first += 1
            for side in range(2):
                word = words[side, at]
                if seen[word] == rounds:
                    continue
                seen[word] = rounds
                for place in range(starts[word], starts[word + 1]):
                    other = others[place]
                    if free >= 0 or reached[other] == rounds:
                        continue
                    reached[other], reached_from[other] = rounds, at
                    if taken_by[other] < 0:
                        free = other
                    else:
                        queue[last] = taken_by[other]
                        last += 1
        if free >= 0:  # words searched in vain stay so until links change partners
            rounds += 1
        while free >= 0:
            at = reached_from[free]
            before = partners[at]
            partners[at], taken_by[free] = free, at
            free = before


def consistent_pairs(
    source: Ints, target: Ints, offsets: Ints, n_source: Ints, n_target: Ints, longest: int
) -> tuple[Ints, Ints]:
    """Return the pairs, (4, pairs): first and last word of the source and of the target run, from 1, and their offsets.

    source, target: the words of links, from 1; offsets: (sentences + 1,) of links; n_source, n_target: words of every
    sentence; longest: maximum number of words of a run. O(words * longest + links + pairs) for every sentence.
    Raises ValueError for a sentence with more than MAX_PAIRS pairs.
    """
    arrays = read_only(source, target, offsets, n_source, n_target)
    counts = np.zeros(len(n_source) + 1, np.int64)
    _find_pairs(*(*arrays, longest, counts, np.zeros((4, 0), np.int64)))
    if len(too_many := np.flatnonzero(counts > MAX_PAIRS)):
        what = f"more than {MAX_PAIRS:,} pairs of runs of at most {longest:,} words; take shorter runs"
        raise ValueError(f"pair {too_many[0] - 1} of the batch, counted from 0: {what}")
    ends = np.cumsum(counts)
    pairs = np.zeros((4, int(ends[-1])), np.int64)
    _find_pairs(*(*arrays, longest, counts, pairs))
    return pairs, ends


def _cost(
    source: Ints, target: Ints, offsets: Ints, n_source: Ints, n_target: Ints, longest: int, *others: object
) -> float:
    return float(len(source) + n_target.sum() + (n_source * np.minimum(n_source, longest)).sum())


@compiled(cost=_cost)
def _find_pairs(
    source: Ints, target: Ints, offsets: Ints, n_source: Ints, n_target: Ints, longest: int, counts: Ints, pairs: Ints
) -> None:
    """Count the pairs of every sentence, MAX_PAIRS + 1 at most, and write them if there is room for any.

    No link leads out of a run if as many are of its words as of the target words from the first to the last of these.
    """
    written = ZERO
    for sentence in range(len(n_source)):
        n_left, n_right = n_source[sentence], n_target[sentence]
        lowest = np.full(n_left + 1, n_right + 1, np.int32)  # by source word, its first target word
        highest = np.zeros(n_left + 1, np.int32)
        of_source = np.zeros(n_left + 1, np.int32)  # number of links of a source word
        until = np.zeros(n_right + 2, np.int32)  # number of links of all target words until one
        for link in range(offsets[sentence], offsets[sentence + 1]):
            one, other = source[link], target[link]
            lowest[one], highest[one] = min(lowest[one], other), max(highest[one], other)
            of_source[one] += 1
            until[other] += 1
        for word in range(1, n_right + 1):
            until[word] += until[word - 1]
        n = ZERO
        for start in range(1, n_left + 1):
            low, high, n_links = n_right + 1, ZERO, ZERO
            for end in range(start, min(start + longest, n_left + 1)):
                low, high = min(low, lowest[end]), max(high, highest[end])
                n_links += of_source[end]
                if high - low >= longest or n > MAX_PAIRS:
                    break
                if high == 0 or until[high] - until[low - 1] != n_links:
                    continue
                left = low
                while left >= 1 and (left == low or until[left] == until[left - 1]) and high - left < longest:
                    right = high
                    while (
                        n <= MAX_PAIRS
                        and right <= n_right
                        and (right == high or until[right] == until[right - 1])
                        and right - left < longest
                    ):
                        if pairs.shape[1]:
                            pairs[0, written], pairs[1, written] = start, end
                            pairs[2, written], pairs[3, written] = left, right
                            written += 1
                        n += 1
                        right += 1
                    left -= 1
        counts[sentence + 1] = n


FORWARD, BACKWARD, BOTH = 1, 2, 3

NO_FINAL, FINAL, FINAL_AND = 0, 1, 2
"""Whether links with one unlinked word (FINAL) or two (FINAL_AND) are added at the end."""


def grow_diag(
    source: Ints, target: Ints, direction: Ints, offsets: Ints, final: int, *, both_new: bool = False
) -> Flags:
    """Return which links of the union of two alignments are taken.

    source, target: positions, sorted within every sentence, without repeats; direction: FORWARD, BACKWARD or BOTH;
    offsets: (sentences + 1,), the start and end of each sentence's links; both_new: whether a link beside a taken one
    is taken only if neither of its words is linked yet. O(rounds * links * log links) per sentence.
    """
    taken: Flags = direction == BOTH
    _grow_diag(taken, source, target, direction, offsets, final, both_new)
    return taken


@compiled
def _lower_bound(target: Ints, first: int, last: int, wanted: int) -> int:
    """Return the index of the first of the ascending targets that is at least `wanted`."""
    while first < last:
        middle = (first + last) // 2
        if target[middle] < wanted:
            first = middle + 1
        else:
            last = middle
    return first


@compiled
def _grow_diag(
    taken: Flags, source: Ints, target: Ints, direction: Ints, offsets: Ints, final: int, both_new: bool
) -> None:
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    row = np.empty(longest, dtype=np.int64)  # the rank of each link's source word
    column = np.empty(longest, dtype=np.int64)  # the rank of each link's target word
    begin = np.empty(longest + 1, dtype=np.int64)  # the first link of each source word
    row_linked = np.empty(longest, dtype=np.bool_)
    column_linked = np.empty(longest, dtype=np.bool_)
    for s in range(len(offsets) - 1):
        base, n = offsets[s], offsets[s + 1] - offsets[s]
        if n == 0:
            continue
        words = np.unique(target[base : base + n])
        n_rows = 0
        for k in range(n):
            if k == 0 or source[base + k] != source[base + k - 1]:
                begin[n_rows] = k
                n_rows += 1
            row[k] = n_rows - 1
            column[k] = _lower_bound(words, ZERO, len(words), target[base + k])
        begin[n_rows] = n
        row_linked[:n_rows] = False
        column_linked[: len(words)] = False
        for k in range(n):
            if taken[base + k]:
                row_linked[row[k]] = True
                column_linked[column[k]] = True

        growing = True
        while growing:
            growing = False
            for k in range(n):
                at = base + k
                linked = int(row_linked[row[k]]) + int(column_linked[column[k]])
                if taken[at] or linked == 2 or (linked == 1 and both_new):
                    continue
                beside = False
                for other in range(max(row[k] - 1, 0), min(row[k] + 2, n_rows)):
                    if abs(source[base + begin[other]] - source[at]) > 1:
                        continue
                    end = base + begin[other + 1]
                    i = _lower_bound(target, base + begin[other], end, target[at] - 1)
                    while i < end and target[i] <= target[at] + 1:
                        beside = beside or taken[i]
                        i += 1
                if beside:
                    taken[at] = growing = True
                    row_linked[row[k]] = True
                    column_linked[column[k]] = True

        if final == NO_FINAL:
            continue
        for way in (FORWARD, BACKWARD):
            for k in range(n):
                at = base + k
                if taken[at] or direction[at] != way:
                    continue
                linked = int(row_linked[row[k]]) + int(column_linked[column[k]])
                if linked == 0 or (linked == 1 and final == FINAL):
                    taken[at] = True
                    row_linked[row[k]] = True
                    column_linked[column[k]] = True
