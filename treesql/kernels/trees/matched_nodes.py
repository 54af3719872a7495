"""Phrases and words that two trees over the same words share, for a batch of pairs of trees.

A phrase is shared if the other tree has a phrase with its label and its set of counted words, a word if it has the same
tag in the other tree.

Source: Blaheta & Charniak 2000, Assigning function tags to parsed text (functions are compared on shared phrases).

Leaf-ancestor similarity: the labels above every word of two trees, compared, for a batch of pairs.

The lineage of a word lists the phrases above it from the top: the label of each, before it a mark if the word ends the
phrase or a part of it, after it one if the word begins it or a part. A lineage has each mark once, at the highest
phrase.

Sources: Sampson 2000, A proposal for improving the measurement of parse accuracy; van Cranenburgh, Scha & Bod 2016,
Data-oriented parsing with discontinuous constituents and function tags (marks of gaps, a substitution costs 1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Bytes, Flags, Ints, Keys, SmallInts
from treesql.kernels.compiling import compiled
from treesql.kernels.texts.edit_distance import edit_distance
from treesql.kernels.trees.compared_words import (
    LEFT_OUT,
    NO_TREE,
    OK,
    LabelClasses,
    ParsedTrees,
    check_pairs,
    has_gaps,
    keep_words,
    key_sets,
    max_length,
    tree_of,
)  # fmt: skip

SIDE, NODE, WORD, LABEL, FIRST, LAST, GAPS = range(7)
"""Columns of `MatchedNodes.places`."""


class MatchedNodes(NamedTuple):
    """offsets: (pairs + 1,), the start and end of each pair's shared nodes. places: (nodes, 7): the side, 0 for gold
    and 1 for test; the number of a phrase in its tree, from 1, 0 for a word; the position of a word in its tree, from
    1, 0 for a phrase; the class of the label or tag; first and last counted word, from 1; number of gaps. keys:
    (nodes,), of the counted words of a phrase, which are equal where the words are; 0 for a word."""

    offsets: Ints
    places: Ints
    keys: Ints


def match_nodes(
    gold: ParsedTrees,
    test: ParsedTrees,
    gold_labels: LabelClasses,
    test_labels: LabelClasses,
    quotes: Keys,
    labelled: bool = True,
    by_gold: bool = False,
) -> MatchedNodes:
    """Find the nodes that the i-th tree of one batch shares with the i-th of the other; none if the outcome is not OK.

    labelled: whether phrases have labels; without, none is shared. Words and phrases that do not count are those of
    compare_brackets, as are the other parameters and ValueError. O(n log n) in phrases, O(words times depth).
    """
    pairs = check_pairs(gold, test, gold_labels, test_labels, quotes)
    good, offsets, places, keys = _match_nodes(*pairs, labelled, by_gold)
    if not good:
        raise ValueError(NO_TREE)
    return MatchedNodes(offsets, places[: offsets[-1]], keys[: offsets[-1]])


@compiled
def _match_nodes(
    gold: ParsedTrees,
    test: ParsedTrees,
    gold_labels: LabelClasses,
    test_labels: LabelClasses,
    quotes: Keys,
    labelled: bool,
    by_gold: bool,
) -> tuple[bool, Ints, Ints, Ints]:
    pairs = len(gold.word_offsets) - 1
    room = len(gold.parents) + len(test.parents) + len(gold.phrases) + len(test.phrases)
    offsets, nodes, keys = np.zeros(pairs + 1, np.int64), np.zeros((room, 7), np.int64), np.zeros(room, np.int64)
    longest, most = max_length(gold.word_offsets, test.word_offsets), max_length(gold.node_offsets, test.node_offsets)
    places, test_places = np.empty(longest + 1, np.int64), np.empty(longest + 1, np.int64)
    extents, test_extents = np.empty((3, most), np.int32), np.empty((3, most), np.int32)
    filled = 0
    for pair in range(pairs):
        outcome, _ = keep_words(gold, test, pair, gold_labels, test_labels, quotes, by_gold, places, test_places)
        if outcome == OK:
            gold_tree, test_tree = tree_of(gold, pair), tree_of(test, pair)
            if (
                has_gaps(gold_tree[0], gold_tree[2], places, extents) < 0
                or has_gaps(test_tree[0], test_tree[2], test_places, test_extents) < 0
            ):
                return False, offsets, nodes, keys
            if labelled:
                sets, gaps = key_sets(gold_tree[0], gold_tree[2], places)
                test_sets, test_gaps = key_sets(test_tree[0], test_tree[2], test_places)
                classes, test_classes = gold_labels.classes[gold_tree[1] - 1], test_labels.classes[test_tree[1] - 1]
                counted = ((gold_labels.kinds[gold_tree[1] - 1] & LEFT_OUT) == 0) & (extents[2, : len(sets)] > 0)
                test_counted = ((test_labels.kinds[test_tree[1] - 1] & LEFT_OUT) == 0) & (
                    test_extents[2, : len(test_sets)] > 0
                )
                shared = _in_other(sets, classes, test_sets, test_classes, test_counted) & counted
                test_shared = _in_other(test_sets, test_classes, sets, classes, counted) & test_counted
                filled = _write_phrases(0, shared, sets, classes, extents, gaps, nodes, keys, filled)
                filled = _write_phrases(
                    1, test_shared, test_sets, test_classes, test_extents, test_gaps, nodes, keys, filled
                )
            filled = _write_words(
                gold.tags[gold.word_offsets[pair] : gold.word_offsets[pair + 1]], gold_labels.classes, places,
                test.tags[test.word_offsets[pair] : test.word_offsets[pair + 1]], test_labels.classes, test_places,
                nodes, filled,
            )  # fmt: skip
        offsets[pair + 1] = filled
    return True, offsets, nodes, keys


@compiled
def _in_other(sets: Ints, classes: SmallInts, others: Ints, other_classes: SmallInts, counted: Flags) -> Flags:
    """Return which phrases have the words and the label of a counted phrase of the other tree."""
    order = np.argsort(others)
    known = others[order]
    shared = np.zeros(len(sets), np.bool_)
    for node in range(len(sets)):
        at = np.searchsorted(known, sets[node])
        while at < len(known) and known[at] == sets[node] and not shared[node]:
            shared[node] = counted[order[at]] and other_classes[order[at]] == classes[node]
            at += 1
    return shared


@compiled
def _write_phrases(
    side: int,
    shared: Flags,
    sets: Ints,
    classes: SmallInts,
    extents: SmallInts,
    gaps: SmallInts,
    nodes: Ints,
    keys: Ints,
    filled: int,
) -> int:
    """Append the shared phrases of a tree; return the number of entries. extents: as has_gaps writes them."""
    for node in range(len(sets)):
        if shared[node]:
            nodes[filled, SIDE], nodes[filled, NODE], nodes[filled, LABEL] = side, node + 1, classes[node]
            nodes[filled, FIRST], nodes[filled, LAST] = extents[0, node] + 1, extents[1, node]
            nodes[filled, GAPS], keys[filled] = gaps[node], sets[node]
            filled += 1
    return filled


@compiled
def _write_words(
    tags: SmallInts,
    classes: SmallInts,
    places: Ints,
    others: SmallInts,
    other_classes: SmallInts,
    other_places: Ints,
    nodes: Ints,
    filled: int,
) -> int:
    """Append the counted words of both trees whose tags are the same; return the number of entries."""
    other = 0
    for word in range(len(tags)):
        if places[word + 1] > places[word]:
            while other_places[other + 1] == other_places[other]:
                other += 1
            label = classes[tags[word] - 1]
            if label == other_classes[others[other] - 1]:
                for side in range(2):
                    nodes[filled, SIDE], nodes[filled, LABEL] = side, label
                    nodes[filled, WORD] = (word if side == 0 else other) + 1
                    nodes[filled, FIRST], nodes[filled, LAST] = places[word + 1], places[word + 1]
                    filled += 1
            other += 1
    return filled


_BEGIN, _RESUME, _END, _PAUSE = -1, -2, -3, -4
"""Marks of a lineage: the word is the first of a phrase, the first after a gap, the last, or the last before a gap."""


class Similarities(NamedTuple):
    """Per pair: OK, ERROR or SKIP of compared_words (outcomes), its number of words that count (words), and
    the sum of their similarities, from 0 to 1 (similarity); zeros where the outcome is not OK."""

    outcomes: Ints
    words: Ints
    similarity: NDArray[np.float64]


def compare_lineages(
    gold: ParsedTrees,
    test: ParsedTrees,
    gold_labels: LabelClasses,
    test_labels: LabelClasses,
    quotes: Keys,
    labelled: bool = True,
    by_gold: bool = False,
) -> Similarities:
    """Compare the lineages of the words of the i-th tree of one batch with those of the i-th of the other.

    A word scores 1 - d / (m + n): d is the Levenshtein distance of its two lineages, m and n are their lengths. Words
    and brackets that do not count are those of compare_brackets, as are the parameters and ValueError. O(words times
    depth squared).
    """
    pairs = check_pairs(gold, test, gold_labels, test_labels, quotes)
    good, outcomes, words, similarity = _compare_lineages(*pairs, labelled, by_gold)
    if not good:
        raise ValueError(NO_TREE)
    return Similarities(outcomes, words, similarity)


@compiled
def _compare_lineages(
    gold: ParsedTrees,
    test: ParsedTrees,
    gold_labels: LabelClasses,
    test_labels: LabelClasses,
    quotes: Keys,
    labelled: bool,
    by_gold: bool,
) -> tuple[bool, Ints, Ints, NDArray[np.float64]]:
    pairs = len(gold.word_offsets) - 1
    outcomes, words, similarity = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64), np.zeros(pairs, np.float64)
    longest, most = max_length(gold.word_offsets, test.word_offsets), max_length(gold.node_offsets, test.node_offsets)
    places, test_places = np.empty(longest + 1, np.int64), np.empty(longest + 1, np.int64)
    row = np.empty(most + 5, np.int64)
    for pair in range(pairs):
        outcomes[pair], n = keep_words(gold, test, pair, gold_labels, test_labels, quotes, by_gold, places, test_places)
        if outcomes[pair] != OK:
            continue
        gold_tree, test_tree = tree_of(gold, pair), tree_of(test, pair)
        if not _is_tree(gold_tree[0], gold_tree[2]) or not _is_tree(test_tree[0], test_tree[2]):
            return False, outcomes, words, similarity
        left, left_offsets = _lineages(gold_tree, gold_labels.classes, gold_labels.kinds, labelled, places)
        right, right_offsets = _lineages(test_tree, test_labels.classes, test_labels.kinds, labelled, test_places)
        words[pair] = n
        for at in range(n):
            a = left[left_offsets[at] : left_offsets[at + 1]]
            b = right[right_offsets[at] : right_offsets[at + 1]]
            similarity[pair] += 1 - edit_distance(a, b, row) / max(len(a) + len(b), 1)
    return True, outcomes, words, similarity


@compiled
def _is_tree(parents: SmallInts, phrases: SmallInts) -> bool:
    for node in range(len(parents)):
        if not 0 <= parents[node] <= node:
            return False
    return len(phrases) == 0 or (phrases.min() >= 0 and phrases.max() <= len(parents))


@compiled
def _lineages(
    tree: tuple[SmallInts, SmallInts, SmallInts], classes: SmallInts, kinds: Bytes, labelled: bool, places: Ints
) -> tuple[Ints, Ints]:
    """Return the lineages of the words that count, and where each begins: marks, and classes of labels from 0."""
    parents, labels, phrases = tree
    kept = np.empty(places[len(phrases)], np.int64)
    for word in range(len(phrases)):
        if places[word + 1] > places[word]:
            kept[places[word]] = phrases[word]
    first, last, depth = _extents(parents, kept)
    room = 0
    for phrase in kept:
        room += depth[phrase] + 4
    items, offsets, filled = np.empty(room, np.int64), np.zeros(len(kept) + 1, np.int64), 0
    before, after = np.full(len(parents) + 1, -1), np.full(len(parents) + 1, -1)
    chain = np.empty(len(parents), np.int64)
    for at in range(len(kept)):
        if at > 0:
            _stamp(parents, kept[at - 1], at, before)
        if at + 1 < len(kept):
            _stamp(parents, kept[at + 1], at, after)
        length, node = 0, kept[at]
        while node > 0:
            chain[length] = node
            node = parents[node - 1]
            length += 1
        written = np.zeros(5, np.bool_)
        for step in range(length - 1, -1, -1):
            node = chain[step]
            number = labels[node - 1] - 1
            if kinds[number] & LEFT_OUT:
                continue
            if after[node] != at:
                filled = _write(_END if last[node] == at else _PAUSE, items, filled, written)
            items[filled] = classes[number] if labelled else 0
            filled += 1
            if before[node] != at:
                filled = _write(_BEGIN if first[node] == at else _RESUME, items, filled, written)
        offsets[at + 1] = filled
    return items[:filled], offsets


@compiled
def _extents(parents: SmallInts, kept: Ints) -> tuple[Ints, Ints, Ints]:
    """Return for every phrase, counted from 1, its first and last word in `kept`, and its depth."""
    first, last = np.full(len(parents) + 1, len(kept)), np.full(len(parents) + 1, -1)
    depth = np.zeros(len(parents) + 1, np.int64)
    for at in range(len(kept)):
        first[kept[at]], last[kept[at]] = min(first[kept[at]], at), at
    for node in range(len(parents), 0, -1):
        above = parents[node - 1]
        first[above], last[above] = min(first[above], first[node]), max(last[above], last[node])
    for node in range(1, len(parents) + 1):
        depth[node] = depth[parents[node - 1]] + 1
    return first, last, depth


@compiled
def _stamp(parents: SmallInts, phrase: int, number: int, stamps: Ints) -> None:
    """Write a number for a phrase and all above it."""
    while phrase > 0:
        stamps[phrase] = number
        phrase = parents[phrase - 1]


@compiled
def _write(mark: int, items: Ints, filled: int, written: Flags) -> int:
    """Append a mark that the lineage does not have yet; return the new length."""
    if written[-mark]:
        return filled
    written[-mark] = True
    items[filled] = mark
    return filled + 1
