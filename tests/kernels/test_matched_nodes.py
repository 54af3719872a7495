"""Phrases and words that two trees share, against sets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.labelled_parses import CLASSES, KINDS, Case, left, parses, sides
from tests.kernels.phrases import Parse, leaf_sets
from treesql.kernels.trees.compared_words import LEFT_OUT, LabelClasses
from treesql.kernels.trees.matched_nodes import match_nodes

Node = tuple[int, int, int, int, int, int, int]
"""Side, phrase, word, class, first, last and gaps."""


def brackets(one: Case, classes: tuple[int, ...]) -> list[tuple[int, int, tuple[int, ...]]]:
    """The counted phrases: number, class, and places of their counted words, from 1."""
    kept = left(one)
    found = []
    for number, words in enumerate(leaf_sets(one.tree, list(range(len(one.forms)))), 1):
        places = tuple(at for at, word in enumerate(kept, 1) if word in words)
        if places and not KINDS[one.labels[number - 1] - 1] & LEFT_OUT:
            found.append((number, classes[one.labels[number - 1] - 1], places))
    return found


def twin(gold: Case, test: Case) -> list[Node]:
    """Nodes of both trees; gold tags delete, and test's are the same."""
    both = [brackets(one, classes) for one, classes in zip((gold, test), CLASSES, strict=True)]
    found = [
        (side, number, 0, label, places[0], places[-1], sum(b - a > 1 for a, b in pairwise(places)))
        for side in (0, 1)
        for number, label, places in both[side]
        if any(other[1:] == (label, places) for other in both[1 - side])
    ]
    for at, word in enumerate(left(gold), 1):
        label, other = (classes[one.tags[word] - 1] for one, classes in zip((gold, test), CLASSES, strict=True))
        found += [(side, 0, word + 1, label, at, at, 0) for side in (0, 1) if label == other]
    return found


def matched(pairs: list[tuple[Case, Case]], labelled: bool = True) -> list[list[Node]]:
    labels = [LabelClasses(np.array(own, np.int32), np.array(KINDS, np.uint8)) for own in CLASSES]
    both = [parses([pair[side] for pair in pairs]) for side in (0, 1)]
    found = match_nodes(*both, *labels, np.zeros(0, np.uint64), labelled, True)
    return [[tuple(row) for row in found.places[start:end].tolist()] for start, end in pairwise(found.offsets)]


@given(st.lists(sides(), max_size=4))
def test_random_trees(pairs: list[tuple[Case, Case]]) -> None:
    assert matched(pairs) == [twin(*pair) for pair in pairs]


def test_a_phrase_twice_has_one_key() -> None:
    """X over X over a and c, b beside it; X over a and c alone: three phrases are shared."""
    twice = Case(Parse([0, 1], [2, 0, 2]), [5, 5], [2, 5, 5], [1, 2, 3])
    once = Case(Parse([0], [1, 0, 1]), [5], [2, 5, 6], [1, 2, 3])
    [found] = matched([(twice, once)])
    phrases = [(0, 1, 0, 5, 1, 3, 1), (0, 2, 0, 5, 1, 3, 1), (1, 1, 0, 5, 1, 3, 1)]
    words = [(0, 0, 1, 2, 1, 1, 0), (1, 0, 1, 2, 1, 1, 0), (0, 0, 2, 5, 2, 2, 0), (1, 0, 2, 5, 2, 2, 0)]
    assert found in (phrases + words, phrases + words[2:])
    assert [row for row in matched([(twice, once)], labelled=False)[0] if row[1]] == []


def test_what_is_no_tree() -> None:
    good = Case(Parse([0], [1, 1]), [1], [1, 1], [1, 2])
    bad = Case(Parse([0], [1, 2]), [1], [1, 1], [1, 2])
    with pytest.raises(ValueError, match="preorder"):
        matched([(good, good), (bad, good)])
