"""Comparison of the brackets of two trees over the same words, as in EVALB, for a batch of pairs.

A bracket is a phrase with at least one counted word, after deletion of the words that do not count. Its key consists of
its label and its first and last counted word. Both trees have a multiset of brackets.

Sources: Black et al. 1991, A procedure for quantitatively comparing the syntactic coverage of English grammars; Sekine
& Collins 1997, EVALB.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Ints, Keys, SmallInts
from treesql.kernels.compiling import YES, compiled, inlined
from treesql.kernels.trees.compared_words import (
    LEFT_OUT,
    NO_TREE,
    OK,
    UNCOUNTED,
    LabelClasses,
    NumberedSets,
    ParsedTrees,
    check_pairs,
    count_crossing_sets,
    has_gaps,
    keep_words,
    max_length,
    number_pair,
    tree_of,
)  # fmt: skip

LENGTH, OUTCOME, MATCHED, GOLD, TEST, CROSSING, TAGS, CORRECT_TAGS = range(8)
"""Columns of `Compared.counts`."""

_GOOD, _NO_TREE, _HAS_GAPS = 0, 1, 2

# Gap sequence of Ciura 2001 for Shell sort.
_GAPS = np.array([701, 301, 132, 57, 23, 10, 4, 1])


class BracketCounts(NamedTuple):
    """counts: (pairs, 8), zeros after an outcome that is not OK. offsets: (pairs + 1,), the start and end of each
    pair's brackets; the first entry represents the sentence and is all zeros. Per distinct bracket, in order: labels;
    first and last counted word, from 1; the number of times it occurs in the gold tree, in the test tree, and in the
    test tree while crossing gold brackets; its gaps; and its height, the largest number of brackets from it down to a
    word, itself included, in the gold tree if that has it. Brackets are equal if their labels and sets of words are."""

    counts: Ints
    offsets: Ints
    labels: SmallInts
    spans: SmallInts
    numbers: SmallInts
    gaps: SmallInts
    heights: SmallInts


def compare_brackets(
    gold: ParsedTrees,
    test: ParsedTrees,
    gold_labels: LabelClasses,
    test_labels: LabelClasses,
    quotes: Keys,
    labelled: bool = True,
    by_gold: bool = False,
) -> BracketCounts:
    """Compare the i-th tree of one batch with the i-th of the other.

    quotes: the forms of quotation marks. labelled: whether the labels of brackets are compared; otherwise all are 0.
    by_gold: whether the words that gold tags delete are deleted from both trees. Words with the form 0 are deleted. A
    test bracket crosses if some gold bracket overlaps it without nesting. O(n log n) in phrases and words of continuous
    trees. ValueError: phrases that are not in preorder, or words whose parent is no such phrase; label numbers that do
    not exist.
    """
    pairs = check_pairs(gold, test, gold_labels, test_labels, quotes)
    compared = _compare_brackets(*pairs, labelled, by_gold, _GAPS, None)
    if compared[0] == _HAS_GAPS:
        compared = _compare_brackets(*pairs, labelled, by_gold, _GAPS, YES)
    fault, counts, offsets, keys, spans, times, gaps = compared
    if fault:
        raise ValueError(NO_TREE)
    filled = offsets[-1]
    spans, heights = spans[:filled, :2], spans[:filled, 2]
    return BracketCounts(counts, offsets, keys[:filled], spans, times[:filled], gaps[:filled], heights)


@compiled
def _compare_brackets(
    gold: ParsedTrees,
    test: ParsedTrees,
    gold_labels: LabelClasses,
    test_labels: LabelClasses,
    quotes: Keys,
    labelled: bool,
    by_gold: bool,
    steps: Ints,
    with_gaps: bool | None,
) -> tuple[int, Ints, Ints, SmallInts, SmallInts, SmallInts, SmallInts]:
    """with_gaps: None ends at the first phrase with a gap, and what compares sets of words is not compiled."""
    pairs = len(gold.word_offsets) - 1
    room = len(gold.parents) + len(test.parents) + pairs
    counts, offsets = np.zeros((pairs, 8), np.int64), np.zeros(pairs + 1, np.int64)
    labels, spans, numbers = np.zeros(room, np.int32), np.zeros((room, 3), np.int32), np.zeros((room, 3), np.int32)
    gaps = np.zeros(room, np.int32)
    longest, most = max_length(gold.word_offsets, test.word_offsets), max_length(gold.node_offsets, test.node_offsets)
    places, test_places = np.empty(longest + 1, np.int64), np.empty(longest + 1, np.int64)
    gold_brackets, gold_spans = np.empty(most, np.int32), np.empty((most, 3), np.int32)
    test_brackets, test_spans = np.empty(most, np.int32), np.empty((most, 3), np.int32)
    scratch, none = np.empty((3, most), np.int32), np.empty(0, np.int32)
    no_sets = NumberedSets(none, none, none, none, none, none)
    borders, stack = np.empty((2, longest + 1), np.int32), np.empty(most, np.int64)
    filled = 0
    for pair in range(pairs):
        tags, test_tags = _tags(gold, pair), _tags(test, pair)
        outcome, n = keep_words(gold, test, pair, gold_labels, test_labels, quotes, by_gold, places, test_places)
        counts[pair, OUTCOME] = outcome
        for tag in tags:
            counts[pair, LENGTH] += (gold_labels.kinds[tag - 1] & UNCOUNTED) == 0
        filled += 1  # the entry of the sentence
        if outcome == OK:
            counts[pair, TAGS] = n
            counts[pair, CORRECT_TAGS] = _count_same_tags(
                tags, gold_labels.classes, places, test_tags, test_labels.classes, test_places
            )
            gold_tree, test_tree = tree_of(gold, pair), tree_of(test, pair)
            in_gold = has_gaps(gold_tree[0], gold_tree[2], places, scratch)
            in_test = has_gaps(test_tree[0], test_tree[2], test_places, scratch)
            if in_gold < 0 or in_test < 0:
                return _NO_TREE, counts, offsets, labels, spans, numbers, gaps
            apart = in_gold + in_test > 0
            sets = no_sets
            if with_gaps is None:
                if apart:
                    return _HAS_GAPS, counts, offsets, labels, spans, numbers, gaps
            elif apart:
                sets = number_pair(
                    gold_tree, test_tree, gold_labels.classes, test_labels.classes, places, test_places, labelled
                )
            a = _write_brackets(gold, pair, gold_labels, places, labelled, sets.gold, gold_brackets, gold_spans, steps)
            b = _write_brackets(
                test, pair, test_labels, test_places, labelled, sets.test, test_brackets, test_spans, steps
            )
            if a < 0 or b < 0:
                return _NO_TREE, counts, offsets, labels, spans, numbers, gaps
            start = filled
            filled = _merge_brackets(
                gold_brackets[:a], gold_spans[:a], test_brackets[:b], test_spans[:b], filled, labels, spans, numbers
            )
            if with_gaps is not None and apart:
                count_crossing_sets(
                    gold_tree, test_tree, (gold_labels.kinds[gold_tree[1] - 1] & LEFT_OUT) == 0, places, test_places,
                    sets, labels[start:filled], spans[start:filled],
                    numbers[start:filled], gaps[start:filled],
                )  # fmt: skip
            else:
                _count_crossing(gold_spans[:a], n, borders, stack, spans[start:filled], numbers[start:filled])
            counts[pair, GOLD], counts[pair, TEST] = a, b
            for at in range(start, filled):
                counts[pair, MATCHED] += min(numbers[at, 0], numbers[at, 1])
                counts[pair, CROSSING] += numbers[at, 2]
        offsets[pair + 1] = filled
    return _GOOD, counts, offsets, labels, spans, numbers, gaps


@compiled
def _tags(side: ParsedTrees, pair: int) -> SmallInts:
    return side.tags[side.word_offsets[pair] : side.word_offsets[pair + 1]]


@compiled
def _count_same_tags(
    tags: SmallInts, classes: SmallInts, places: Ints, others: SmallInts, other_classes: SmallInts, other_places: Ints
) -> int:
    """Return how many of the counted words have the same tag in both trees, which have equally many."""
    same, j = 0, 0
    for i in range(len(tags)):
        if places[i + 1] > places[i]:
            while other_places[j + 1] == other_places[j]:
                j += 1
            same += classes[tags[i] - 1] == other_classes[others[j] - 1]
            j += 1
    return same


@compiled
def _write_brackets(
    side: ParsedTrees,
    pair: int,
    known: LabelClasses,
    places: Ints,
    labelled: bool,
    sets: SmallInts,
    labels: SmallInts,
    spans: SmallInts,
    steps: Ints,
) -> int:
    """Write a tree's brackets, ordered by first word, then longest first, then label; return their number, or -1.

    sets: as in NumberedSets, whose numbers stand for labels; or empty. spans: the number of counted words before the
    beginning and before the end of each bracket, and its height.
    """
    start = side.node_offsets[pair]
    nodes = side.node_offsets[pair + 1] - start
    first_word, n_words = side.word_offsets[pair], side.word_offsets[pair + 1] - side.word_offsets[pair]
    for node in range(nodes):
        spans[node, 0], spans[node, 1], spans[node, 2] = n_words, 0, 0
    for word in range(n_words):
        phrase = side.phrases[first_word + word]
        if not 0 <= phrase <= nodes:
            return -1
        if phrase > 0 and places[word + 1] > places[word]:
            spans[phrase - 1, 0], spans[phrase - 1, 1] = min(spans[phrase - 1, 0], word), word + 1
    for node in range(nodes - 1, -1, -1):
        above = side.parents[start + node]
        if not 0 <= above <= node:
            return -1
        begin, end = spans[node, 0], spans[node, 1]
        counts = begin < end and places[begin] < places[end]
        spans[node, 2] += counts and not known.kinds[side.labels[start + node] - 1] & LEFT_OUT
        if above > 0:
            spans[above - 1, 0], spans[above - 1, 1] = min(spans[above - 1, 0], begin), max(spans[above - 1, 1], end)
            spans[above - 1, 2] = max(spans[above - 1, 2], spans[node, 2])
    n_brackets = 0
    for node in range(nodes):
        begin, end = spans[node, 0], spans[node, 1]
        number = side.labels[start + node] - 1
        if begin < end and not known.kinds[number] & LEFT_OUT and places[begin] < places[end]:
            labels[n_brackets] = known.classes[number] if labelled else 0
            if len(sets) and sets[node] < 0:
                labels[n_brackets] = sets[node]
            spans[n_brackets, 0], spans[n_brackets, 1], spans[n_brackets, 2] = (
                places[begin],
                places[end],
                spans[node, 2],
            )
            n_brackets += 1
    for step in steps:  # preorder is nearly sorted, which Shell sort exploits
        for k in range(step, n_brackets):
            label, begin, end, height = labels[k], spans[k, 0], spans[k, 1], spans[k, 2]
            at = k
            while at >= step and _precedes(
                begin, end, label, spans[at - step, 0], spans[at - step, 1], labels[at - step]
            ):
                labels[at], spans[at, 2] = labels[at - step], spans[at - step, 2]
                spans[at, 0], spans[at, 1] = spans[at - step, 0], spans[at - step, 1]
                at -= step
            labels[at], spans[at, 0], spans[at, 1], spans[at, 2] = label, begin, end, height
    return n_brackets


@inlined
def _precedes(begin: int, end: int, label: int, other: int, other_end: int, other_label: int) -> bool:
    if begin != other:
        return begin < other
    return end > other_end if end != other_end else label < other_label


@compiled
def _merge_brackets(
    gold_labels: SmallInts,
    gold_spans: SmallInts,
    test_labels: SmallInts,
    test_spans: SmallInts,
    filled: int,
    labels: SmallInts,
    spans: SmallInts,
    numbers: SmallInts,
) -> int:
    """Append every distinct bracket, its first word counted from 1, and its height; return the number of entries."""
    i, j, start = 0, 0, filled
    while i < len(gold_labels) or j < len(test_labels):
        from_gold = j == len(test_labels) or (
            i < len(gold_labels)
            and not _precedes(
                test_spans[j, 0], test_spans[j, 1], test_labels[j], gold_spans[i, 0], gold_spans[i, 1], gold_labels[i]
            )
        )
        if from_gold:
            label, begin, end, height = gold_labels[i], gold_spans[i, 0], gold_spans[i, 1], gold_spans[i, 2]
            i += 1
        else:
            label, begin, end, height = test_labels[j], test_spans[j, 0], test_spans[j, 1], test_spans[j, 2]
            j += 1
        last = filled - 1
        if last < start or labels[last] != label or spans[last, 0] != begin + 1 or spans[last, 1] != end:
            last = filled
            labels[last], spans[last, 0], spans[last, 1] = label, begin + 1, end
            filled += 1
        if from_gold or numbers[last, 0] == 0:  # gold brackets come first
            spans[last, 2] = max(spans[last, 2], height)
        numbers[last, 0 if from_gold else 1] += 1
    return filled


@compiled
def _count_crossing(
    gold: SmallInts, n: int, borders: SmallInts, stack: Ints, spans: SmallInts, numbers: SmallInts
) -> None:
    """Count the test brackets that cross gold ones.

    A bracket crosses if the lowest gold bracket around the border before it ends within it, or if the lowest one around
    the border after it begins within it. O(n).
    """
    ends, begins = borders[0], borders[1]
    depth, k = 0, 0
    for border in range(1, n):
        while k < len(gold) and gold[k, 0] < border:
            stack[depth] = k
            depth += 1
            k += 1
        while depth > 0 and gold[stack[depth - 1], 1] <= border:
            depth -= 1
        ends[border] = gold[stack[depth - 1], 1] if depth > 0 else n
        begins[border] = gold[stack[depth - 1], 0] if depth > 0 else 0
    for at in range(len(spans)):
        begin, end = spans[at, 0] - 1, spans[at, 1]
        if numbers[at, 0] == 0 and ((begin > 0 and ends[begin] < end) or (end < n and begins[end] > begin)):
            numbers[at, 2] = numbers[at, 1]
