"""Phrases with gaps as sets of words: their keys, gaps and crossings.

Sources: Zobrist 1970, A new hashing method with application for game playing; Maier & Lichte 2011, Characterizing
discontinuity in constituent treebanks (gap degree).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Flags, Ints, SmallInts
from treesql.kernels.compiling import compiled, inlined


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
    found = False
    for node in range(len(parents) - 1, -1, -1):
        above = parents[node] - 1
        if not -1 <= above < node:
            return -1
        found |= size[node] > 0 and size[node] < end[node] - begin[node]
        if above >= 0 and size[node] > 0:
            begin[above], end[above] = min(begin[above], begin[node]), max(end[above], end[node])
            size[above] += size[node]
    return int(found)


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
    below, found = np.zeros(len(parents) + 1, np.bool_), np.zeros(places[len(phrases)], np.bool_)
    below[node + 1] = True
    for other in range(node + 1, len(parents)):
        below[other + 1] = below[parents[other]]
    for word in range(len(phrases)):
        if places[word + 1] > places[word]:
            found[places[word]] = below[phrases[word]]
    return found


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
        own, own_keys, own_gaps = (gold, gold_keys, gold_gaps) if side == 0 else (test, test_keys, test_gaps)
        for node in range(len(own)):
            if own_gaps[node] > 0:
                at = 0
                while at < filled and (keys[at] != own_keys[node] or table[0, at] != own[node]):
                    at += 1
                if at == filled:
                    keys[at], table[0, at], table[1, at], table[2, at], table[3, at] = (
                        own_keys[node], own[node], own_gaps[node], side, node,
                    )  # fmt: skip
                    filled += 1
                (numbers if side == 0 else others)[node] = -1 - at
    return NumberedSets(numbers, others, table[0], table[1], table[2], table[3])


@compiled
def number_pair(
    one: tuple[SmallInts, SmallInts, SmallInts],
    other: tuple[SmallInts, SmallInts, SmallInts],
    classes: SmallInts,
    test_classes: SmallInts,
    places: Ints,
    test_places: Ints,
    labelled: bool,
) -> NumberedSets:
    """Number the sets with gaps of two trees: parents and labels of phrases, and parents of words."""
    own, others = classes[one[1] - 1], test_classes[other[1] - 1]
    if not labelled:
        own, others = np.zeros_like(own), np.zeros_like(others)
    keys, gaps = key_sets(one[0], one[2], places)
    other_keys, other_gaps = key_sets(other[0], other[2], test_places)
    return number_sets(own, keys, gaps, others, other_keys, other_gaps)


@compiled
def count_crossing_sets(
    one: tuple[SmallInts, SmallInts, SmallInts],
    other: tuple[SmallInts, SmallInts, SmallInts],
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
                words = np.zeros(places[len(one[2])], np.bool_)
                words[spans[at, 0] - 1 : spans[at, 1]] = True
            else:
                words = members(other[0], other[2], test_places, sets.nodes[number])
            if crosses(one[0], one[2], places, counted, words):
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
