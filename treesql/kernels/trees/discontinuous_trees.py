"""Phrases of any order, whose words may have gaps, numbered in preorder: spans, depths and faults of a batch of trees.

A tree is given as the parents of its words and phrases alone, as treebanks with crossing branches have it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.compiling import compiled, read_only

ENDLESS, WORDLESS = 0, 1
"""Kinds of faults: a phrase that is below itself, and one without words."""


class NumberedPhrases(NamedTuple):
    """Phrases in preorder, children in the order of their first words. The arrays of a tree with a fault are undefined.

    order: (phrases,), the place of each among those that were given; parent, first, last, depth, all counted from 1,
    parent 0 for a root; continuous: whether a phrase dominates all words from its first to its last. phrase: (words,),
    the number of the phrase above each, 0 for none. postorder: (phrases,), the 0-based rank of each in postorder.
    faults: (n, 3), at most one of a tree: the tree, the kind, and the phrase's place among those that were given.
    """

    order: Ints
    parent: Ints
    first: Ints
    last: Ints
    depth: Ints
    continuous: Flags
    phrase: Ints
    postorder: Ints
    faults: Ints


def number_phrases(leaf_offsets: Ints, node_offsets: Ints, above: Ints, parents: Ints) -> NumberedPhrases:
    """Number the phrases of a batch of trees in preorder. O(words + phrases).

    leaf_offsets, node_offsets: (trees + 1,), where the words and phrases of each begin and end. above: (words,),
    parents: (phrases,), the phrase above, counted from 1 in its tree as given, 0 for none.
    """
    return NumberedPhrases(*_number_phrases(*read_only(leaf_offsets, node_offsets, above, parents)))


@compiled
def _number_phrases(
    leaf_offsets: Ints, node_offsets: Ints, above: Ints, parents: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints, Flags, Ints, Ints, Ints]:
    n_trees, n = len(leaf_offsets) - 1, len(parents)
    columns = np.zeros((7, n), np.int64)  # order, parent, first, last, depth, postorder; then the words below
    continuous, phrase = np.zeros(n, np.bool_), np.zeros(len(above), np.int64)
    faults, n_faults = np.empty((n_trees, 3), np.int64), 0
    for tree in range(n_trees):
        a, b = node_offsets[tree], node_offsets[tree + 1]
        words = above[leaf_offsets[tree] : leaf_offsets[tree + 1]]
        first, last, below = np.zeros(b - a, np.int64), np.zeros(b - a, np.int64), np.zeros(b - a, np.int64)
        for word in range(len(words)):
            if words[word] > 0:
                _widen(first, last, below, words[word] - 1, word + 1, word + 1, 1)
        fault, place = _add_up(parents[a:b], first, last, below)
        if fault >= 0:
            faults[n_faults, 0], faults[n_faults, 1], faults[n_faults, 2] = tree, fault, place
            n_faults += 1
            continue
        _walk(parents[a:b], first, len(words), columns[:, a:b])
        for rank in range(b - a):
            node = columns[0, a + rank]
            columns[2, a + rank], columns[3, a + rank] = first[node], last[node]
            continuous[a + rank] = last[node] - first[node] + 1 == below[node]
        for word in range(len(words)):
            if words[word] > 0:
                phrase[leaf_offsets[tree] + word] = columns[6, a + words[word] - 1]
    return (
        columns[0], columns[1], columns[2], columns[3], columns[4], continuous, phrase, columns[5], faults[:n_faults]
    )  # fmt: skip


@compiled
def _widen(first: Ints, last: Ints, below: Ints, node: int, start: int, end: int, n: int) -> None:
    """Add n words, the first and the last at these positions, to a phrase."""
    first[node] = start if first[node] == 0 else min(first[node], start)
    last[node] = max(last[node], end)
    below[node] += n


@compiled
def _add_up(parents: Ints, first: Ints, last: Ints, below: Ints) -> tuple[int, int]:
    """Add the words of every phrase to those above it. Return the kind and place of the first fault, -1 for none."""
    n = len(parents)
    waiting, ready, n_ready = np.zeros(n, np.int64), np.empty(n, np.int64), 0
    for node in range(n):
        if parents[node] > 0:
            waiting[parents[node] - 1] += 1
    for node in range(n):
        if waiting[node] == 0:
            ready[n_ready] = node
            n_ready += 1
    done = 0
    while done < n_ready:
        node = ready[done]
        up = parents[node] - 1
        if up >= 0:
            if below[node] > 0:
                _widen(first, last, below, up, first[node], last[node], below[node])
            waiting[up] -= 1
            if waiting[up] == 0:
                ready[n_ready] = up
                n_ready += 1
        done += 1
    for node in range(n):
        if waiting[node] > 0:
            return ENDLESS, node
    for node in range(n):
        if below[node] == 0:
            return WORDLESS, node
    return -1, 0


@compiled
def _walk(parents: Ints, first: Ints, n_words: int, columns: Ints) -> None:
    """Fill order, parent, depth and postorder of `columns`, and in its last row the number of every phrase as given."""
    n = len(parents)
    heads, following = np.full(n_words + 2, -1, np.int64), np.full(n, -1, np.int64)
    for node in range(n):  # lists of the phrases that begin at each word
        following[node] = heads[first[node]]
        heads[first[node]] = node
    children, sisters = np.full(n + 1, -1, np.int64), np.full(n, -1, np.int64)
    for word in range(n_words, 0, -1):
        node = heads[word]
        while node >= 0:
            sisters[node] = children[parents[node]]
            children[parents[node]] = node
            node = following[node]
    stack, depth, rank, finished = np.empty(n + 1, np.int64), 0, 0, 0
    stack[0] = children[0]
    while depth >= 0:
        node = stack[depth]
        if node < 0:  # all children of the phrase below it on the stack are numbered
            depth -= 1
            if depth >= 0:
                columns[5, columns[6, stack[depth]] - 1] = finished
                finished += 1
                stack[depth] = sisters[stack[depth]]
            continue
        columns[0, rank], columns[4, rank] = node, depth + 1
        columns[1, rank] = columns[6, parents[node] - 1] if parents[node] > 0 else 0
        rank += 1
        columns[6, node] = rank
        depth += 1
        stack[depth] = children[node + 1]


class WordsInBrackets(NamedTuple):
    """Words in the order of a bracketed notation, children of a phrase in the order of their first words.

    order: (words,), indices of the words; opened: (words,), the number of phrases of the sentence whose brackets are
    open or closed before each; closed: (words,), the number of brackets that close behind it.
    """

    order: Ints
    opened: Ints
    closed: Ints


def words_in_brackets(
    leaf_offsets: Ints, node_offsets: Ints, phrase: Ints, parent: Ints, first: Ints, depth: Ints, postorder: Ints
) -> WordsInBrackets:
    """Return the words of a batch of trees in the order in which brackets have them. O(n log n).

    Arguments as the results of `number_phrases`, phrases being in preorder.
    """
    rows = read_only(leaf_offsets, node_offsets, phrase, parent, first, depth, postorder)
    return WordsInBrackets(*_words_in_brackets(*rows))


@compiled
def _words_in_brackets(
    leaf_offsets: Ints, node_offsets: Ints, phrase: Ints, parent: Ints, first: Ints, depth: Ints, postorder: Ints
) -> tuple[Ints, Ints, Ints]:
    order, opened = np.empty(len(phrase), np.int64), np.empty(len(phrase), np.int64)
    closed = np.empty(len(phrase), np.int64)
    for tree in range(len(leaf_offsets) - 1):
        a, start = node_offsets[tree], leaf_offsets[tree]
        n, n_words = node_offsets[tree + 1] - a, leaf_offsets[tree + 1] - start
        # Of every phrase, and of the root: the next child, and the last phrase below the children passed so far.
        following, passed = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
        for node in range(n + 1):
            following[node], passed[node] = node + 1, node
        keys, deepest = np.empty(n_words, np.int64), n + 1
        for word in range(n_words):
            up = phrase[start + word]
            while following[up] <= n and parent[a + following[up] - 1] == up and first[a + following[up] - 1] <= word:
                child = following[up]
                passed[up] = postorder[a + child - 1] + depth[a + child - 1]
                following[up] = passed[up] + 1
            # by what is opened before it; at the same place words of deeper phrases, whose brackets close, are first
            keys[word] = passed[up] * (deepest + 1) + deepest - (depth[a + up - 1] if up > 0 else 0)
        ranks = np.argsort(keys, kind="mergesort")
        for place in range(n_words):
            order[start + place] = start + ranks[place]
            opened[start + place] = keys[ranks[place]] // (deepest + 1)
        for place in range(start, start + n_words):
            up = phrase[order[place]]
            closed[place] = depth[a + up - 1] if up > 0 else 0
            if place + 1 < start + n_words:
                up = phrase[order[place + 1]]
                closed[place] += opened[place + 1] - opened[place] - (depth[a + up - 1] if up > 0 else 0)
    return order, opened, closed
