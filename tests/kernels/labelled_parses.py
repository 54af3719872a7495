"""Trees with labels, tags and forms, and what labels mean, for kernels that compare parses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from tests.kernels import phrases
from tests.kernels.phrases import Parse
from treesql.kernels.trees.compared_words import DELETED, LEFT_OUT, QUOTE, UNCOUNTED, ParsedTrees

KINDS = (0, LEFT_OUT, DELETED, DELETED | QUOTE, QUOTE, UNCOUNTED | DELETED)
CLASSES = ((1, 2, 3, 4, 5, 0), (3, 2, 1, 2, 5, 6))
"""What labels 1 to 6 mean on each side; the second and fourth are one class on the other."""


class Case(NamedTuple):
    """A tree with the labels of its phrases, and the tags and forms of its words."""

    tree: Parse
    labels: list[int]
    tags: list[int]
    forms: list[int]


def left(one: Case) -> list[int]:
    """The words left."""
    return [word for word, tag in enumerate(one.tags) if not KINDS[tag - 1] & DELETED]


def parses(cases: list[Case]) -> ParsedTrees:
    def joined(lists: list[list[int]], kind: type[np.generic]) -> np.ndarray:
        return np.array([value for one in lists for value in one], dtype=kind)

    def offsets(lists: list[list[int]]) -> np.ndarray:
        return np.cumsum([0, *map(len, lists)])

    parents, phrases = [one.tree.parents for one in cases], [one.tree.phrases for one in cases]
    return ParsedTrees(
        offsets(parents), joined(parents, np.int32), joined([one.labels for one in cases], np.int32),
        offsets(phrases), joined(phrases, np.int32), joined([one.tags for one in cases], np.int32),
        joined([one.forms for one in cases], np.uint64),
    )  # fmt: skip


@st.composite
def sides(draw: st.DrawFn) -> tuple[Case, Case]:
    """Two trees over the same words, some of which are deleted."""
    n = draw(st.integers(0, 7))
    tags = draw(st.lists(st.sampled_from([1, 1, 1, 3]), min_size=n, max_size=n))
    assert KINDS[2] & DELETED
    found = []
    for _ in range(2):
        tree = draw(phrases.parses(smallest=n, largest=n))
        size = len(tree.parents)
        found.append(
            Case(tree, draw(st.lists(st.sampled_from([1, 1, 2, 4, 5]), min_size=size, max_size=size)), tags, [1] * n)
        )
    return found[0], found[1]
