"""BLEU of paths by its definition, and random lattices with several references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from random import Random

from tests.kernels import lattices as slow

Item = tuple[slow.Lattice, Sequence[slow.Words]]


def counts(text: slow.Words, references: Sequence[slow.Words]) -> list[int]:
    """Matches and n-grams of each order, words, words of the closest reference."""

    def n_grams(words: slow.Words, n: int) -> Counter[slow.Words]:
        return Counter(words[at : at + n] for at in range(len(words) - n + 1))

    matches = []
    for n in range(1, 5):
        clipped: Counter[slow.Words] = Counter()
        for one in references:
            clipped |= n_grams(one, n)
        matches.append((n_grams(text, n) & clipped).total())
    closest = min(references, key=lambda one: (abs(len(one) - len(text)), len(one)))
    return [*matches, *(max(len(text) - n, 0) for n in range(4)), len(text), len(closest)]


def bleu(found: Sequence[int]) -> float:
    """Sentence BLEU with exponential smoothing, over the orders with n-grams."""
    words, closest = found[8:]
    if found[0] == 0:
        return 0.0
    product, halves = 1.0, 1.0
    for matched, there in zip(found[:4], found[4:8], strict=True):
        if there:
            halves /= 1 if matched else 2
            product *= matched / there if matched else halves / there
    return min(1.0, math.exp(1 - closest / words)) * product ** (1 / min(words, 4))


def random_items(seed: int, n: int) -> list[Item]:
    """Lattices with few words, so that many repeat; texts of up to nine words, some of none."""
    chance = Random(seed)
    found: list[Item] = []
    for _ in range(n):
        nodes, words = chance.randint(1, 8), chance.choice((2, 4, 8))

        def phrase(words: int = words) -> slow.Words:
            return tuple(chance.randrange(words) for _ in range(chance.choice((0, 1, 1, 1, 2, 3))))

        edges = [(node, node + 1, phrase()) for node in range(nodes - 1)]
        for _ in range(chance.randint(0, 9) if nodes > 1 else 0):
            start = chance.randrange(nodes - 1)
            edges.append((start, chance.randint(start + 1, nodes - 1), phrase()))
        chance.shuffle(edges)
        texts = [
            tuple(chance.randrange(words) for _ in range(chance.randint(0, 9))) for _ in range(chance.randint(1, 3))
        ]
        found.append(((nodes, tuple(edges)), texts))
    return found
