"""Random dependency trees, and their attributes computed slowly and obviously."""

from __future__ import annotations

import random
from collections.abc import Callable

Heads = list[int]
"""Heads of the words of a sentence, 0 for the root."""


def random_tree(rng: random.Random, n: int) -> Heads:
    """A tree of n words, projective or not: every word's head is one that was attached before."""
    order = rng.sample(range(1, n + 1), n)
    heads = [0] * n
    for at, word in enumerate(order[1:], 1):
        heads[word - 1] = rng.choice(order[:at])
    return heads


def path_up(heads: Heads, word: int) -> list[int]:
    """A word and all above it, without the root above the tree."""
    return [word, *path_up(heads, heads[word - 1])] if word else []


def is_projective(heads: Heads, word: int) -> bool:
    head = heads[word - 1]
    between = range(min(word, head) + 1, max(word, head))
    return head == 0 or all(head in path_up(heads, one) for one in between)


def direction(heads: Heads, word: int) -> str:
    head = heads[word - 1]
    return "to_root" if head == 0 else "left" if head < word else "right"


ATTRIBUTES: dict[str, Callable[[Heads, int], object]] = {
    "distance": lambda heads, word: abs(heads[word - 1] - word) if heads[word - 1] else None,
    "direction": direction,
    "depth": lambda heads, word: len(path_up(heads, word)),
    "root_distance": lambda heads, word: len(path_up(heads, word)) - 1,
    "projective": is_projective,
    "n_children": lambda heads, word: heads.count(word),
    "n_words": lambda heads, word: len(heads),
}
