"""Phrases whose words have gaps: numbers, spans and bracket order against trees walked by hand."""

from __future__ import annotations

import random

import numpy as np

from tests.house.rules import in_turn
from treesql.kernels.trees.discontinuous_trees import ENDLESS, WORDLESS, number_phrases, words_in_brackets


def numbered(above: list[int], parents: list[int]):  # type: ignore[no-untyped-def]
    offsets = (np.array([0, len(above)]), np.array([0, len(parents)]))
    return number_phrases(*offsets, np.array(above, dtype=np.int64), np.array(parents, dtype=np.int64))


@in_turn(
    ("above", "parents", "kind", "place"),
    [
        ([1], [2, 1], ENDLESS, 0),
        ([0], [1], ENDLESS, 0),
        ([3], [0, 3, 2], ENDLESS, 1),
        ([1], [0, 1], WORDLESS, 1),
        ([], [0], WORDLESS, 0),
        ([0], [0, 1, 1], WORDLESS, 0),
    ],
)
def test_faults(above: list[int], parents: list[int], kind: int, place: int) -> None:
    assert numbered(above, parents).faults.tolist() == [[0, kind, place]]


def test_no_trees_and_no_phrases() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert len(number_phrases(np.zeros(1, np.int64), np.zeros(1, np.int64), none, none).order) == 0
    assert numbered([0, 0], []).phrase.tolist() == [0, 0]


@in_turn("seed", range(60))
def test_random_trees_against_a_walk(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randint(1, 7)
    shuffled = rng.sample(range(1, n + 1), n)  # the name of every phrase, those above others first
    up = {name: rng.choice([0, *shuffled[:at]]) for at, name in enumerate(shuffled)}
    above = [rng.choice([0, *shuffled]) for _ in range(rng.randint(0, 8))]
    above += [name for name in shuffled if name not in above]
    rng.shuffle(above)
    found = numbered(above, [up[name] for name in range(1, n + 1)])

    def path(name: int) -> list[int]:
        return [name, *path(up[name])] if name else []

    below = {name: [i for i, one in enumerate(above, 1) if name in path(one)] for name in up}
    preorder: list[int] = []
    postorder: list[int] = []
    text: list[str] = []

    def walk(name: int) -> None:
        children = [(below[one][0], one, 0) for one in up if up[one] == name]
        children += [(i, 0, i) for i, one in enumerate(above, 1) if one == name]
        for _, phrase, word in sorted(children):
            if word:
                text.append(str(word))
                continue
            preorder.append(phrase)
            text.append("(")
            walk(phrase)
            text.append(")")
            postorder.append(phrase)

    walk(0)
    assert (found.order + 1).tolist() == preorder
    assert found.postorder.tolist() == [postorder.index(name) for name in preorder]
    assert found.first.tolist() == [below[name][0] for name in preorder]
    assert found.last.tolist() == [below[name][-1] for name in preorder]
    assert found.depth.tolist() == [len(path(name)) for name in preorder]
    assert found.continuous.tolist() == [len(below[x]) == below[x][-1] - below[x][0] + 1 for x in preorder]
    assert found.phrase.tolist() == [preorder.index(name) + 1 if name else 0 for name in above]
    offsets = np.array([0, len(above)]), np.array([0, n])
    brackets = words_in_brackets(*offsets, found.phrase, found.parent, found.first, found.depth, found.postorder)
    made, opened = [], 0
    for word, so_far, closed in zip(*(values.tolist() for values in brackets), strict=True):
        made += ["("] * (so_far - opened) + [str(word + 1)] + [")"] * closed
        opened = so_far
    assert made == text
