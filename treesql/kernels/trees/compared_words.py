"""Trees of both sides of a comparison, and which of their words count.

Source: Sekine & Collins 1997, EVALB.

Phrases with gaps as sets of words: their keys, gaps and crossings.

Sources: Zobrist 1970, A new hashing method with application for game playing; Maier & Lichte 2011, Characterizing
discontinuity in constituent treebanks (gap degree).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Flags, Ints, Keys, SmallInts
from treesql.kernels.compiling import compiled, copy, inlined, read_only

LEFT_OUT, DELETED, QUOTE, UNCOUNTED = 1, 2, 4, 8
"""Bits of Labels.kinds. Of a label: its brackets are ignored (LEFT_OUT). Of a tag: its words are deleted (DELETED), may
be quotation marks with a wrong tag (QUOTE), or do not count towards the sentence length (UNCOUNTED)."""

OK, ERROR, SKIP = 0, 1, 2
"""Whether two trees can be compared: the counted words differ (ERROR), or the test tree has none (SKIP)."""


class ParsedTrees(NamedTuple):
    """Trees of one side.

    node_offsets, word_offsets: (trees + 1,), the start and end of each tree's phrases and words. Per phrase, in
    preorder: parents (counted from 1, 0 for none) and labels. Per word: phrases (the parent, 0 for none), tags and
    forms. Labels and tags are numbers, counted from 1.
    """

    node_offsets: Ints
    parents: SmallInts
    labels: SmallInts
    word_offsets: Ints
    phrases: SmallInts
    tags: SmallInts
    forms: Keys


class LabelClasses(NamedTuple):
    """Meaning of the label and tag numbers of one side: their classes, which are the same on both sides, and their
    kinds."""

    classes: SmallInts
    kinds: Bytes


Pairs = tuple[ParsedTrees, ParsedTrees, LabelClasses, LabelClasses, Keys]
"""Both batches of trees, the meaning of their labels, and the forms of quotation marks."""

NO_TREE = "the phrases of a tree must be in preorder, and its words below them"
"""What is wrong with trees that kernels refuse."""


def check_pairs(
    gold: ParsedTrees, test: ParsedTrees, gold_labels: LabelClasses, test_labels: LabelClasses, quotes: Keys
) -> Pairs:
    """Return the arguments of a kernel, read-only.

    Raises ValueError if the batches differ in size or have numbers of labels that do not exist.
    """
    for side, labels in ((gold, gold_labels), (test, test_labels)):
        for numbers in (side.labels, side.tags):
            if len(numbers) and not 1 <= numbers.min() <= numbers.max() <= len(labels.kinds):
                raise ValueError("labels and tags of a tree must be numbers of labels")
    if len(gold.word_offsets) != len(test.word_offsets):
        raise ValueError("both batches must have the same number of trees")
    return (
        ParsedTrees(*read_only(*gold)), ParsedTrees(*read_only(*test)), LabelClasses(*read_only(*gold_labels)),
        LabelClasses(*read_only(*test_labels)), read_only(quotes)[0],
    )  # fmt: skip


@compiled
def keep_words(
    gold: ParsedTrees,
    test: ParsedTrees,
    pair: int,
    gold_labels: LabelClasses,
    test_labels: LabelClasses,
    quotes: Keys,
    by_gold: bool,
    places: Ints,
    test_places: Ints,
) -> tuple[int, int]:
    """Write how many of the first i words of both trees of a pair count; return the outcome, and gold's number."""
    words = slice(gold.word_offsets[pair], gold.word_offsets[pair + 1])
    test_words = slice(test.word_offsets[pair], test.word_offsets[pair + 1])
    tags, test_tags = gold.tags[words], test.tags[test_words]
    forms, test_forms = gold.forms[words], test.forms[test_words]
    n, m = (
        _count_kept_words(tags, forms, gold_labels.kinds, places),
        _count_kept_words(test_tags, test_forms, test_labels.kinds, test_places),
    )
    if by_gold and len(tags) == len(test_tags):
        copy(places, test_places, len(tags) + 1)
        m = n
    elif n != m and m > 0:
        _keep_mismatched_quotes(
            tags, forms, gold_labels.kinds, test_tags, test_forms, test_labels.kinds, quotes, places, test_places
        )
        n, m = places[len(tags)], test_places[len(test_tags)]
    return _outcome(forms, places, test_forms, test_places, n, m, by_gold), n


@compiled
def _count_kept_words(tags: SmallInts, forms: Keys, kinds: Bytes, places: Ints) -> int:
    """Write into `places` how many of the first i words count; return the total."""
    places[0] = 0
    for word in range(len(tags)):
        places[word + 1] = places[word] + ((kinds[tags[word] - 1] & DELETED) == 0 and forms[word] != 0)
    return int(places[len(tags)])


@compiled
def _keep_mismatched_quotes(
    tags: SmallInts, forms: Keys, kinds: Bytes, test_tags: SmallInts, test_forms: Keys, test_kinds: Bytes, quotes: Keys,
    places: Ints, test_places: Ints,
) -> None:  # fmt: skip
    """Keep in both trees the quotation marks that only one of them deletes.

    Of the words that count or may be quotation marks, the i-th of one tree corresponds to the i-th of the other.
    """
    deleted, quote = _deleted_and_quotes(tags, forms, kinds, quotes)
    test_deleted, test_quote = _deleted_and_quotes(test_tags, test_forms, test_kinds, quotes)
    added, test_added, j = 0, 0, 0
    for i in range(len(deleted)):
        if not deleted[i] or quote[i]:
            while j < len(test_deleted) and test_deleted[j] and not test_quote[j]:
                test_places[j + 1] += test_added
                j += 1
            if j < len(test_deleted):
                if quote[i] and test_quote[j] and deleted[i] != test_deleted[j]:
                    added += deleted[i]
                    test_added += test_deleted[j]
                test_places[j + 1] += test_added
                j += 1
        places[i + 1] += added
    while j < len(test_deleted):
        test_places[j + 1] += test_added
        j += 1


@compiled
def _deleted_and_quotes(tags: SmallInts, forms: Keys, kinds: Bytes, quotes: Keys) -> tuple[Flags, Flags]:
    deleted, quote = np.zeros(len(tags), np.bool_), np.zeros(len(tags), np.bool_)
    for word in range(len(tags)):
        kind = kinds[tags[word] - 1]
        deleted[word] = (kind & DELETED) > 0
        if kind & QUOTE:
            for mark in quotes:
                quote[word] |= forms[word] == mark
    return deleted, quote


@compiled
def _outcome(forms: Keys, places: Ints, test_forms: Keys, test_places: Ints, n: int, m: int, by_gold: bool) -> int:
    if m == 0 and not (by_gold and n == 0 and len(forms) > 0):
        return SKIP
    if n != m:
        return ERROR
    j = 0
    for i in range(len(forms)):
        if places[i + 1] > places[i]:
            while test_places[j + 1] == test_places[j]:
                j += 1
            if forms[i] != test_forms[j]:
                return ERROR
            j += 1
    return OK


@inlined
def tree_of(side: ParsedTrees, pair: int) -> tuple[SmallInts, SmallInts, SmallInts]:
    """The parents and labels of the phrases of a tree, and the parents of its words."""
    nodes = slice(side.node_offsets[pair], side.node_offsets[pair + 1])
    words = slice(side.word_offsets[pair], side.word_offsets[pair + 1])
    return side.parents[nodes], side.labels[nodes], side.phrases[words]


@compiled
def has_gaps(parents: SmallInts, phrases: SmallInts, places: Ints, scratch: SmallInts) -> int:
    """Return 1 if a phrase of a tree lacks a word between its first and last, 0 if none does, -1 if it is no tree.

    parents: of phrases in preorder, from 1. phrases: the parents of words. places: the number of words that count
    before each word and in all. scratch: (3, phrases or more), overwritten. O(n).
    """
    begin, end, size = scratch[0], scratch[1], scratch[2]
    for node in range(len(parents)):
        begin[node], end[node], size[node] = len(phrases), 0, 0
    for word in range(len(phrases)):
        phrase = phrases[word]
        if not 0 <= phrase <= len(parents):
            return -1
        if phrase > 0 and places[word + 1] > places[word]:
            begin[phrase - 1] = min(begin[phrase - 1], places[word])
            end[phrase - 1] = places[word + 1]
            size[phrase - 1] += 1
    has_gap = False
    for node in range(len(parents) - 1, -1, -1):
        above = parents[node] - 1
        if not -1 <= above < node:
            return -1
        has_gap |= size[node] > 0 and size[node] < end[node] - begin[node]
        if above >= 0 and size[node] > 0:
            begin[above], end[above] = min(begin[above], begin[node]), max(end[above], end[node])
            size[above] += size[node]
    return int(has_gap)


@compiled(wraps=True)
def key_sets(parents: SmallInts, phrases: SmallInts, places: Ints) -> tuple[Ints, SmallInts]:
    """Return for every phrase a key of 64 bits of its set of words, and its number of gaps. O(words times depth)."""
    keys, blocks = np.zeros(len(parents), np.int64), np.zeros(len(parents), np.int32)
    before = 0
    for word in range(len(phrases)):
        if places[word + 1] > places[word]:
            phrase = phrases[word]
            if phrase > 0:
                keys[phrase - 1] += _mixed(places[word + 1])
                blocks[phrase - 1] += 1
            while phrase != before:  # the lowest phrase around this word and the last
                if phrase > before:
                    phrase = parents[phrase - 1]
                else:
                    before = parents[before - 1]
            if phrase > 0:
                blocks[phrase - 1] -= 1
            before = phrases[word]
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] > 0:
            keys[parents[node] - 1] += keys[node]
            blocks[parents[node] - 1] += blocks[node]
    return keys, np.maximum(blocks - 1, 0).astype(np.int32)


@inlined(wraps=True)
def _mixed(number: int) -> np.int64:
    """A number of 64 bits that looks random (the last steps of splitmix64, Steele et al. 2014)."""
    bits = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64(bits ^ (bits >> np.uint64(31)))


@compiled
def members(parents: SmallInts, phrases: SmallInts, places: Ints, node: int) -> Flags:
    """Return which of the words that count are in a phrase. O(n)."""
    below, is_member = np.zeros(len(parents) + 1, np.bool_), np.zeros(places[len(phrases)], np.bool_)
    below[node + 1] = True
    for other in range(node + 1, len(parents)):
        below[other + 1] = below[parents[other]]
    for word in range(len(phrases)):
        if places[word + 1] > places[word]:
            is_member[places[word]] = below[phrases[word]]
    return is_member


@compiled
def crosses(parents: SmallInts, phrases: SmallInts, places: Ints, counted: Flags, words: Flags) -> bool:
    """Return whether a set of words overlaps a counted phrase, and neither is within the other. O(n)."""
    shared, size = np.zeros(len(parents), np.int32), np.zeros(len(parents), np.int32)
    for word in range(len(phrases)):
        if places[word + 1] > places[word] and phrases[word] > 0:
            shared[phrases[word] - 1] += words[places[word]]
            size[phrases[word] - 1] += 1
    total = words.sum()
    for node in range(len(parents) - 1, -1, -1):
        if counted[node] and 0 < shared[node] < min(size[node], total):
            return True
        if parents[node] > 0:
            shared[parents[node] - 1] += shared[node]
            size[parents[node] - 1] += size[node]
    return False


class NumberedSets(NamedTuple):
    """Brackets with gaps of two trees: gold, test: per phrase its number below 0, or 0 if it has no gap. labels, gaps,
    sides (0 gold, 1 test) and nodes: those of numbers -1, -2, ..."""

    gold: SmallInts
    test: SmallInts
    labels: SmallInts
    gaps: SmallInts
    sides: SmallInts
    nodes: SmallInts


@compiled
def number_sets(
    gold: SmallInts, gold_keys: Ints, gold_gaps: SmallInts, test: SmallInts, test_keys: Ints, test_gaps: SmallInts
) -> NumberedSets:
    """Number the sets of words with gaps that differ in label or words.

    gold, test: the label of each phrase; keys and gaps as key_sets returns them. O(phrases + sets with gaps squared).
    """
    room = (gold_gaps > 0).sum() + (test_gaps > 0).sum()
    keys, table = np.empty(room, np.int64), np.empty((4, room), np.int32)
    numbers, others, filled = np.zeros(len(gold), np.int32), np.zeros(len(test), np.int32), 0
    for side in range(2):
        side_labels, side_keys, side_gaps = (gold, gold_keys, gold_gaps) if side == 0 else (test, test_keys, test_gaps)
        for node in range(len(side_labels)):
            if side_gaps[node] > 0:
                at = 0
                while at < filled and (keys[at] != side_keys[node] or table[0, at] != side_labels[node]):
                    at += 1
                if at == filled:
                    keys[at], table[0, at], table[1, at], table[2, at], table[3, at] = (
                        side_keys[node], side_labels[node], side_gaps[node], side, node,
                    )  # fmt: skip
                    filled += 1
                (numbers if side == 0 else others)[node] = -1 - at
    return NumberedSets(numbers, others, table[0], table[1], table[2], table[3])


@compiled
def number_pair(
    gold_tree: tuple[SmallInts, SmallInts, SmallInts],
    test_tree: tuple[SmallInts, SmallInts, SmallInts],
    classes: SmallInts,
    test_classes: SmallInts,
    places: Ints,
    test_places: Ints,
    labelled: bool,
) -> NumberedSets:
    """Number the sets with gaps of two trees: parents and labels of phrases, and parents of words."""
    labels, test_labels = classes[gold_tree[1] - 1], test_classes[test_tree[1] - 1]
    if not labelled:
        labels, test_labels = np.zeros_like(labels), np.zeros_like(test_labels)
    keys, gaps = key_sets(gold_tree[0], gold_tree[2], places)
    test_keys, test_gaps = key_sets(test_tree[0], test_tree[2], test_places)
    return number_sets(labels, keys, gaps, test_labels, test_keys, test_gaps)


@compiled
def count_crossing_sets(
    gold_tree: tuple[SmallInts, SmallInts, SmallInts],
    test_tree: tuple[SmallInts, SmallInts, SmallInts],
    counted: Flags,
    places: Ints,
    test_places: Ints,
    sets: NumberedSets,
    labels: SmallInts,
    spans: SmallInts,
    numbers: SmallInts,
    gaps: SmallInts,
) -> None:
    """Count the test brackets that cross gold ones as sets of words, and write labels and gaps of numbered sets."""
    for at in range(len(labels)):
        number = -1 - labels[at]
        if numbers[at, 0] == 0:
            if number < 0:
                words = np.zeros(places[len(gold_tree[2])], np.bool_)
                words[spans[at, 0] - 1 : spans[at, 1]] = True
            else:
                words = members(test_tree[0], test_tree[2], test_places, sets.nodes[number])
            if crosses(gold_tree[0], gold_tree[2], places, counted, words):
                numbers[at, 2] = numbers[at, 1]
        if number >= 0:
            labels[at], gaps[at] = sets.labels[number], sets.gaps[number]


@compiled
def max_length(offsets: Ints, others: Ints) -> int:
    """Return the length of the longest list of two batches."""
    longest = 0
    for at in range(len(offsets) - 1):
        longest = max(longest, offsets[at + 1] - offsets[at], others[at + 1] - others[at])
    return longest
