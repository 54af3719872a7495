"""Trees of both sides of a comparison, and which of their words count.

Source: Sekine & Collins 1997, EVALB.
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
