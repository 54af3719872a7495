"""Lengths, frames and shapes of dependencies of real treebanks, against a few lines over the files."""

from __future__ import annotations

import gzip
from collections import Counter
from itertools import combinations

import pytest

import treesql
from tests.conformance.cases import DATA, needs

PUD = DATA / "ud/r2/Czech-PUD/cs_pud-ud-test.conllu.gz"
CORE = {"nsubj", "csubj", "obj", "iobj", "ccomp", "xcomp"}


def sentences() -> list[list[list[str]]]:
    text = gzip.decompress(PUD.read_bytes()).decode()
    fields = [[line.split("\t") for line in part.split("\n") if line[:1].isdigit()] for part in text.split("\n\n")]
    return [[word for word in words if word[0].isdigit()] for words in fields if words]


@needs(PUD)
@pytest.mark.parametrize("punctuation", [pytest.param("keep", marks=pytest.mark.slow), "drop"])
def test_lengths(punctuation: str) -> None:
    length = sixths = thirds = n = 0
    for words in sentences():
        heads = {int(word[0]): int(word[6]) for word in words}
        dropped = {int(w[0]) for w in words if punctuation == "drop" and (w[3] == "PUNCT" or w[7] == "punct")}
        for word in heads:
            while heads[word] in dropped:
                heads[word] = heads[heads[word]]
        places = {word: place for place, word in enumerate(word for word in heads if word not in dropped)}
        sizes = Counter[int]()
        for word in places:
            above = word
            while above:
                sizes[above] += 1
                above = heads[above]
        n += len(places)
        for word in places:
            if heads[word]:
                length += abs(places[word] - places[heads[word]])
                sixths += sizes[word] + 2 * sizes[heads[word]] + 1
                thirds += len(places) + 1
    [row] = treesql.stats(PUD, table="dependency_lengths", punctuation=punctuation).rows()
    assert (row["words"], row["length"]) == (n, length)
    assert row["random_projective"] == pytest.approx(sixths / 6)
    assert row["random"] == pytest.approx(thirds / 3)
    assert row["ratio"] == pytest.approx(6 * length / sixths)


@needs(PUD)
def test_frames() -> None:
    frames = Counter[str]()
    for words in sentences():
        for word in words:
            if word[3].startswith("V"):
                relations = sorted(w[7].partition(":")[0] for w in words if w[6] == word[0])
                frames[" ".join(relation for relation in relations if relation in CORE) or "-"] += 1
    rows = treesql.stats(PUD, table="dependency_frames").rows()
    assert {row["frame"]: row["words"] for row in rows} == frames


@needs(PUD)
def test_planar_trees() -> None:
    planar = 0
    for words in sentences():
        edges = [sorted((int(word[0]), int(word[6]))) for word in words if word[6] != "0"]
        planar += not any(a < c < b < d or c < a < d < b for (a, b), (c, d) in combinations(edges, 2))
    [row] = treesql.stats(PUD, table="tree_shapes").rows()
    assert row["planar_share"] == pytest.approx(planar / row["sentences"])
    assert row["projective_share"] == row["edge_degree_0_share"] <= row["planar_share"] < row["well_nested_share"]
