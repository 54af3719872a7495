"""n-grams of references in lattices, against all sequences of edges of small ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import treesql
from tests.small_lattices import Edge, all_paths, load, random_lattice

Places = tuple[tuple[int, int], ...]


def walks(edges: list[Edge], node: int, longest: int) -> Iterator[tuple[Places, tuple[str, ...]]]:
    """The first words of every sequence of edges from a node, `longest` at most, and where they stand."""
    yield (), ()
    for at, (start, end, words, *_) in enumerate(edges):
        if start == node:
            forms = [str(word) for word in words]  # type: ignore[attr-defined]
            places = tuple((at, position) for position in range(len(forms)))
            for rest, following in walks(edges, int(str(end)), longest):
                yield (places + rest)[:longest], (*forms, *following)[:longest]


def occurrences(n_nodes: int, edges: list[Edge], order: int) -> Counter[tuple[str, ...]]:
    """The n-grams of a lattice: each sequence of places of words once, whatever path it is on."""
    found = {}
    for node in range(n_nodes):
        for places, forms in walks(edges, node, order + 3):
            for first in range(len(forms) - order + 1):
                found[places[first : first + order]] = forms[first : first + order]
    return Counter(found.values())


@pytest.mark.filterwarnings("ignore:.*edges lie on no path")
def test_recall_against_all_sequences_of_edges(tmp_path: Path) -> None:
    chance = Random(3)
    lattices = [random_lattice(chance) for _ in range(40)]
    references = [[] for _ in lattices], [[chance.choice("ab") for _ in range(chance.randint(0, 6))] for _ in lattices]
    for (n, edges), text in zip(lattices, references[0], strict=True):
        path = chance.choice(all_paths(n, edges))
        text += [str(word) for edge in path for word in edges[edge][2]] + ["a"]  # type: ignore[attr-defined]
    seen: set[tuple[int, bool]] = set()
    with load(tmp_path, lattices, None) as db:
        for name, texts in zip("rs", references, strict=True):
            (tmp_path / f"{name}.txt").write_text("".join(" ".join(words) + "\n" for words in texts))
            db.load(tmp_path / f"{name}.txt", corpus=name)
        corpora = {"lattice_corpus": "lattices", "reference_corpus": "r", "other_corpora": "s"}
        rows = db.query("n_gram_recall", **corpora).rows()
        words = db.query("reference_coverage", **corpora).rows()
    for row in rows:
        n, edges = lattices[row["sentence"]]
        for order in range(1, 5):
            wanted: Counter[tuple[str, ...]] = Counter()
            for texts in references:
                text = texts[row["sentence"]]
                wanted |= Counter(tuple(text[at : at + order]) for at in range(len(text) - order + 1))
            recalled = wanted & occurrences(n, edges, order)
            assert row[f"reference_n_grams_{order}"] == wanted.total()
            assert row[f"recalled_n_grams_{order}"] == recalled.total(), (row["sentence"], order)
            seen.add((order, 0 < recalled.total() < wanted.total()))
    assert {(order, True) for order in range(1, 5)} <= seen
    of_words = {row["sentence"]: (row["covered_words"], row["words_of_references"]) for row in words}
    assert {row["sentence"]: (row["recalled_n_grams_1"], row["reference_n_grams_1"]) for row in rows} == of_words


def test_recall_by_hand(tmp_path: Path) -> None:
    """Of `a b c d a`: all words but the second a; `a b`, and `b c` across an edge without words; and `a b c`. Of `x b`
    both words, but b does not begin the edge behind x."""
    edges = '[[0, 1, ["a", "b"]], [1, 2, []], [2, 3, ["c"]], [2, 3, ["d"]]]'
    other = '{"n_nodes": 3, "edges": [[0, 1, ["x"]], [1, 2, ["a", "b"]]]}'
    (tmp_path / "l.jsonl").write_text(f'{{"n_nodes": 4, "edges": {edges}}}\n{other}\n')
    (tmp_path / "r.txt").write_text("a b c d a\nx b\n")
    found = treesql.score(
        "lattice", str(tmp_path / "l.jsonl"), reference=str(tmp_path / "r.txt"), metric="n_gram_recall"
    )
    assert [found[0][f"ngram_recall_{order}"] for order in range(1, 5)] == [6 / 7, 2 / 5, 1 / 3, 0]
