"""Random trees, with and without crossing branches, loaded and as nodes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.search.constituents.matcher import Node, read_tree

LABELS = ["S", "NP", "VP", "PP"]
TAGS = ["N", "V", "P"]


def random_tree(rng: random.Random, *, crossing: bool) -> str:
    """A tree in brackets with up to eight words; with crossing branches, words change places."""
    n = rng.randint(1, 8)
    places = list(range(n))
    if crossing:
        for _ in range(rng.randint(0, 3)):
            a, b = rng.randrange(n), rng.randrange(n)
            places[a], places[b] = places[b], places[a]

    def below(words: list[int]) -> tuple[int, str]:
        if len(words) == 1 and rng.random() < 0.7:
            return words[0], f"({rng.choice(TAGS)} {words[0]}={rng.choice('abc')})"
        parts = []
        rest = words
        while rest:
            size = rng.randint(1, max(1, len(rest) - (not parts and len(words) > 1)))
            parts.append(below(rest[:size]) if size < len(words) or rng.random() < 0.5 else leaf_or_phrase(rest[:size]))
            rest = rest[size:]
        parts.sort()
        return parts[0][0], f"({rng.choice(LABELS)} {' '.join(text for _, text in parts)})"

    def leaf_or_phrase(words: list[int]) -> tuple[int, str]:
        parts = sorted((word, f"({rng.choice(TAGS)} {word}={rng.choice('abc')})") for word in words)
        return parts[0][0], f"({rng.choice(LABELS)} {' '.join(text for _, text in parts)})"

    return f"(S {below(places)[1]})"


@pytest.fixture(scope="package")
def trees() -> list[str]:
    rng = random.Random(26)
    return [random_tree(rng, crossing=number % 2 == 1) for number in range(40)]


@pytest.fixture(scope="package")
def nodes(trees: list[str]) -> list[list[Node]]:
    return [read_tree(tree) for tree in trees]


@pytest.fixture(scope="package")
def treebank(trees: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    path: Path = tmp_path_factory.mktemp("trees") / "trees.discbracket"
    path.write_text("\n".join(trees) + "\n")
    with treesql.connect() as db:
        db.load(path, corpus="trees")
        yield db
