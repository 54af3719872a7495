"""Brackets compared as EVALB compares them, against lists and counters."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.kernels import phrases
from tests.kernels.labelled_parses import CLASSES, KINDS, Case, left, parses
from tests.kernels.phrases import Parse, leaf_sets
from treesql.kernels.trees import parseval
from treesql.kernels.trees.compared_words import ERROR, LEFT_OUT, OK, QUOTE, SKIP, UNCOUNTED, LabelClasses

MARKS = (7, 8)
"""The forms of quotation marks."""

Bracket = tuple[int, int, int]


class Known(NamedTuple):
    """What there is to be found: counts, and of every bracket how often it is in each tree and crosses; its height."""

    counts: tuple[int, ...]
    brackets: dict[Bracket, tuple[int, int, int, int]]


def is_mark(one: Case, word: int) -> bool:
    return bool(KINDS[one.tags[word] - 1] & QUOTE) and one.forms[word] in MARKS


def mended(gold: Case, test: Case) -> tuple[list[int], list[int]]:
    """The words left of both, with quotation marks that only one tree deletes if the numbers are else not the same."""
    kept = [left(gold), left(test)]
    if len(kept[0]) != len(kept[1]) and kept[1]:
        listed = [
            [word for word in range(len(one.tags)) if word in own or is_mark(one, word)]
            for one, own in zip((gold, test), kept, strict=True)
        ]
        added: list[list[int]] = [[], []]
        for i, j in zip(*listed, strict=False):
            if is_mark(gold, i) and is_mark(test, j) and (i in kept[0]) != (j in kept[1]):
                added[0 if j in kept[1] else 1].append(i if j in kept[1] else j)
        kept = [sorted(own + more) for own, more in zip(kept, added, strict=True)]
    return kept[0], kept[1]


def brackets(one: Case, kept: list[int], classes: tuple[int, ...], labelled: bool) -> Counter[Bracket]:
    found: Counter[Bracket] = Counter()
    below = leaf_sets(one.tree, list(range(len(one.forms))))
    for label, words in zip(one.labels, below, strict=True):
        places = [place for place, word in enumerate(kept, 1) if words and min(words) <= word <= max(words)]
        if places and not KINDS[label - 1] & LEFT_OUT:
            found[classes[label - 1] if labelled else 0, places[0], places[-1]] += 1
    return found


def heights(one: Case, kept: list[int], classes: tuple[int, ...], labelled: bool) -> dict[Bracket, int]:
    """The longest way from each bracket down to a word, in brackets."""
    below = leaf_sets(one.tree, list(range(len(one.forms))))
    keys: dict[int, Bracket] = {}
    for node, (label, words) in enumerate(zip(one.labels, below, strict=True), 1):
        places = [place for place, word in enumerate(kept, 1) if words and min(words) <= word <= max(words)]
        if places and not KINDS[label - 1] & LEFT_OUT:
            keys[node] = (classes[label - 1] if labelled else 0, places[0], places[-1])

    found = dict.fromkeys(keys.values(), 0)
    for node in keys:
        passed, above = 0, node
        while above:
            passed += above in keys
            if above in keys:
                found[keys[above]] = max(found[keys[above]], passed)
            above = one.tree.parents[above - 1]
    return found


def twin(gold: Case, test: Case, labelled: bool) -> Known:
    length = sum(not KINDS[tag - 1] & UNCOUNTED for tag in gold.tags)
    kept, test_kept = mended(gold, test)
    if not test_kept:
        return Known((length, SKIP, 0, 0, 0, 0, 0, 0), {})
    if [gold.forms[word] for word in kept] != [test.forms[word] for word in test_kept]:
        return Known((length, ERROR, 0, 0, 0, 0, 0, 0), {})
    one = brackets(gold, kept, CLASSES[0], labelled)
    other = brackets(test, test_kept, CLASSES[1], labelled)
    across = {
        key: number
        for key, number in other.items()
        if any(key[1] < first <= key[2] < last or first < key[1] <= last < key[2] for _, first, last in one)
    }
    tags = sum(
        CLASSES[0][gold.tags[i] - 1] == CLASSES[1][test.tags[j] - 1] for i, j in zip(kept, test_kept, strict=True)
    )
    totals = (one & other).total(), one.total(), other.total(), sum(across.values())
    height = heights(test, test_kept, CLASSES[1], labelled) | heights(gold, kept, CLASSES[0], labelled)
    return Known(
        (length, OK, *totals, len(kept), tags),
        {key: (one[key], other[key], across.get(key, 0), height[key]) for key in one | other},
    )


def compared(pairs: list[tuple[Case, Case]], labelled: bool = True) -> list[Known]:
    """What the kernel says of each pair; brackets stand once, in order, behind the sentence's own row."""
    labels = [LabelClasses(np.array(own, np.int32), np.array(KINDS, np.uint8)) for own in CLASSES]
    sides = [parses([pair[side] for pair in pairs]) for side in (0, 1)]
    found = parseval.compare_brackets(*sides, *labels, np.array(MARKS, np.uint64), labelled)
    result = []
    for pair, (start, end) in enumerate(zip(found.offsets[:-1].tolist(), found.offsets[1:].tolist(), strict=True)):
        keys = [
            (label, first, last)
            for label, (first, last) in zip(found.labels.tolist(), found.spans.tolist(), strict=True)
        ][start:end]
        numbers = [(*row, height) for row, height in zip(found.numbers.tolist(), found.heights.tolist(), strict=True)][
            start:end
        ]
        assert (keys[0], numbers[0]) == ((0, 0, 0), (0, 0, 0, 0))
        assert keys[1:] == sorted(set(keys[1:]), key=lambda key: (key[1], -key[2], key[0]))
        result.append(Known(tuple(found.counts[pair].tolist()), dict(zip(keys[1:], numbers[1:], strict=True))))
    return result


@st.composite
def sides(draw: st.DrawFn) -> tuple[Case, Case]:
    """Two trees over words that are mostly the same; tags that are often those that delete words."""
    forms = draw(st.lists(st.sampled_from([1, 1, 2, *MARKS]), max_size=7))
    tags = draw(st.lists(st.sampled_from([1, 1, 1, 3, 4, 5, 6]), min_size=len(forms), max_size=len(forms)))
    found = []
    for side in range(2):
        own_forms, own_tags = list(forms), list(tags)
        if side and forms and draw(st.booleans()):
            own_tags[draw(st.integers(0, len(forms) - 1))] = draw(st.sampled_from([1, 3, 4, 5]))
        if side and forms and not draw(st.integers(0, 5)):
            own_forms[draw(st.integers(0, len(forms) - 1))] = 3
        for _ in range(draw(st.sampled_from([0, 0, 0, 1]))):
            place = draw(st.integers(0, len(own_forms)))
            own_forms.insert(place, 9)
            own_tags.insert(place, 6)
        n = len(own_forms)
        tree = draw(phrases.parses(smallest=n, largest=n, gaps=False))
        labels = draw(
            st.lists(st.sampled_from([1, 1, 1, 2, 3, 4]), min_size=len(tree.parents), max_size=len(tree.parents))
        )
        found.append(Case(tree, labels, own_tags, own_forms))
    return found[0], found[1]


@pytest.mark.slow
@given(st.lists(sides(), max_size=6), st.booleans())
@settings(deadline=None, max_examples=40)
def test_random_trees(pairs: list[tuple[Case, Case]], labelled: bool) -> None:
    assert compared(pairs, labelled) == [twin(gold, test, labelled) for gold, test in pairs]


def test_a_mark_that_one_tree_deletes() -> None:
    """`cat " dog`: the mark's tag is a quotation mark's here and another there; it counts in both."""
    gold = Case(Parse([0, 1], [2, 2, 1]), [1, 1], [1, 4, 1], [1, 7, 2])
    test = Case(Parse([0, 1], [2, 2, 1]), [1, 1], [1, 5, 1], [1, 7, 2])
    [one, other] = compared([(gold, test), (test, gold)])
    assert one.counts == (3, OK, 0, 2, 2, 0, 3, 0)
    assert set(one.brackets) == {(1, 1, 3), (1, 1, 2), (3, 1, 3), (3, 1, 2)}
    assert other.counts[:2] == (3, OK)


@pytest.mark.slow
def test_a_chain_of_many_phrases_over_one_word() -> None:
    n = 1500
    chain = Parse([*range(n)], [n, 1])
    gold = Case(chain, [1 + i % 2 * 2 for i in range(n)], [1, 1], [1, 2])
    [found] = compared([(gold, gold)])
    assert found.counts == (2, OK, n - 2, n, n, 0, 2, 0)  # labels 1 and 3 are exchanged on the other side
    assert found.brackets == twin(gold, gold, True).brackets


def test_long_trees() -> None:
    """Branching to the right and to the left: all phrases of one cross one of the other, but the top."""
    n = 5000
    right = Parse([*range(n)], [*range(1, n), n, n])
    left = Parse([*range(n)], [n, n, *range(n - 1, 0, -1)])
    one, other = (Case(tree, [5] * n, [1] * (n + 1), [1] * (n + 1)) for tree in (right, left))
    [found] = compared([(one, other)])
    assert found.counts == (n + 1, OK, 1, n, n, n - 1, n + 1, 0)


@in_turn(
    "bad",
    [
        Case(Parse([2, 0], [1, 2]), [1, 1], [1, 1], [1, 2]),
        Case(Parse([0], [1, 2]), [1], [1, 1], [1, 2]),
        Case(Parse([-1], [1, 1]), [1], [1, 1], [1, 2]),
        Case(Parse([0], [1, 1]), [7], [1, 1], [1, 2]),
        Case(Parse([0], [1, 1]), [1], [1, 0], [1, 2]),
    ],
)
def test_what_is_no_tree(bad: Case) -> None:
    good = Case(Parse([0], [1, 1]), [1], [1, 1], [1, 2])
    for pair in ((good, bad), (bad, good)):
        with pytest.raises(ValueError, match=r"preorder|numbers of labels"):
            compared([(good, good), pair])


def test_no_trees() -> None:
    assert compared([]) == []
