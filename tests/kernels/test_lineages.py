"""Leaf-ancestor similarity of trees with gaps, against sets and lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.labelled_parses import CLASSES, KINDS, Case, left, parses, sides
from tests.kernels.phrases import Parse, leaf_sets
from treesql.kernels.trees.compared_words import ERROR, LEFT_OUT, OK, SKIP, LabelClasses
from treesql.kernels.trees.matched_nodes import compare_lineages


def lineage(one: Case, kept: list[int], place: int, classes: tuple[int, ...]) -> list[str]:
    """The items above a kept word, from the top: phrases are in preorder."""
    found: list[str] = []
    for label, words in zip(one.labels, leaf_sets(one.tree, list(range(len(one.forms)))), strict=True):
        places = [at for at, word in enumerate(kept) if word in words]
        if place not in places or KINDS[label - 1] & LEFT_OUT:
            continue
        ending = ")" if place == max(places) else "]" if place + 1 not in places else ""
        beginning = "(" if place == min(places) else "[" if place - 1 not in places else ""
        found += [
            item
            for item in (ending, str(classes[label - 1]), beginning)
            if (item and item not in found) or item.isdigit()
        ]
    return found


def distance(one: list[str], other: list[str]) -> int:
    if not one or not other:
        return len(one) + len(other)
    table = [list(range(len(other) + 1))]
    for i, item in enumerate(one, 1):
        table.append([i])
        for j, beside in enumerate(other, 1):
            table[i].append(min(table[i - 1][j - 1] + (item != beside), table[i - 1][j] + 1, table[i][j - 1] + 1))
    return table[-1][-1]


def twin(gold: Case, test: Case) -> tuple[int, int, float]:
    """The outcome, number of words and sum of similarities; gold tags delete."""
    kept, total = left(gold), 0.0
    for place in range(len(kept)):
        a, b = lineage(gold, kept, place, CLASSES[0]), lineage(test, kept, place, CLASSES[1])
        total += 1 - distance(a, b) / max(len(a) + len(b), 1)
    return OK if gold.forms else SKIP, len(kept), total


def compared(pairs: list[tuple[Case, Case]], by_gold: bool = True) -> list[tuple[int, int, float]]:
    labels = [LabelClasses(np.array(own, np.int32), np.array(KINDS, np.uint8)) for own in CLASSES]
    sides = [parses([pair[side] for pair in pairs]) for side in (0, 1)]
    found = compare_lineages(*sides, *labels, np.zeros(0, np.uint64), True, by_gold)
    return list(zip(found.outcomes.tolist(), found.words.tolist(), found.similarity.tolist(), strict=True))


@given(st.lists(sides(), max_size=4))
def test_random_trees(pairs: list[tuple[Case, Case]]) -> None:
    for found, known in zip(compared(pairs), [twin(*pair) for pair in pairs], strict=True):
        assert found == pytest.approx(known)


def test_by_hand() -> None:
    """S over a and c, X over b; against one flat S: `) S (` of b against `S`, and the marks at the gap."""
    apart = Case(Parse([0, 0], [1, 2, 1]), [1, 5], [1, 1, 1], [1, 2, 3])
    flat = Case(Parse([0], [1, 1, 1]), [3], [1, 1, 1], [1, 2, 3])  # 3 is the class of 1 on the other side
    # a: ] 1 ( and 1 (, b: ) 5 ( and 1, c: ) 1 [ and ) 1
    assert compared([(apart, flat)]) == [(OK, 3, pytest.approx(4 / 5 + 1 / 4 + 4 / 5))]
    assert compared([(apart, Case(apart.tree, [3, 5], apart.tags, apart.forms))]) == [(OK, 3, 3.0)]


def test_what_has_no_similarity() -> None:
    empty, one = Case(Parse([], []), [], [], []), Case(Parse([0], [1]), [1], [1], [1])
    bare, other = Case(Parse([], [0]), [], [1], [1]), Case(Parse([0], [1]), [1], [1], [2])
    found = compared([(one, empty), (one, other), (bare, bare), (one, bare)], by_gold=False)
    assert found == [(SKIP, 0, 0.0), (ERROR, 0, 0.0), (OK, 1, 1.0), (OK, 1, 0.0)]
    assert compared([]) == []


def test_what_is_no_tree() -> None:
    good = Case(Parse([0], [1, 1]), [1], [1, 1], [1, 2])
    for bad in (Case(Parse([2, 0], [1, 2]), [1, 1], [1, 1], [1, 2]), Case(Parse([0], [1, 2]), [1], [1, 1], [1, 2])):
        with pytest.raises(ValueError, match="preorder"):
            compared([(good, good), (bad, good)])
