"""The pairs of cases/constituency/: counts that two other readers agree on, and trees that come back as they were."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conformance.cases import CASES, needs
from tests.readers.reading import Rows, read_rows

FOLDER = CASES / "constituency"
SETS = {"wsj": 300, "generated": 200, "hand": 28}
EACH = [pytest.param(name, marks=[pytest.mark.slow] * (name == "wsj")) for name in SETS]
"""Sets of trees; the generated ones have all that the treebank's have: unary chains, traces, functions, errors."""

pytestmark = needs(FOLDER)


def lines(name: str) -> list[dict[str, Any]]:
    with gzip.open(FOLDER / f"{name}.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


@pytest.mark.spread(2)
@pytest.mark.parametrize("size", [1 << 21, 777])
@pytest.mark.parametrize("side", ["gold", "test"])
@pytest.mark.parametrize("name", EACH)
def test_every_pair_has_its_trees(name: str, side: str, size: int) -> None:
    tables = read_rows(FOLDER / f"{name}.{side}.mrg.gz", "penn", size=size)
    assert [row["line"] for row in tables["sentences"]] == list(range(1, SETS[name] + 1))


@pytest.mark.parametrize("name", EACH)
def test_lengths_are_those_of_evalb(name: str) -> None:
    """Words of the gold tree without traces."""
    words = read_rows(FOLDER / f"{name}.gold.mrg.gz", "penn")["words"]
    expected = [row["evalb"]["length"] for row in lines(f"{name}.expected")]
    found = [0] * len(expected)
    for row in words:
        found[row["sentence"]] += row["xpos"] != "-NONE-"
    assert found == expected


@pytest.mark.parametrize("name", EACH)
def test_brackets_and_words_are_those_of_evalb(name: str) -> None:
    """Phrases over a word that is left, and the words left, of every sentence that EVALB scores."""
    deleted = {"TOP", "-NONE-", ",", ":", "``", "''", "."}
    expected = [row["evalb"] for row in lines(f"{name}.expected")]
    for side in ("gold", "test"):
        tables = read_rows(FOLDER / f"{name}.{side}.mrg.gz", "penn")
        left: list[set[int]] = [set() for _ in expected]
        for row in tables["words"]:
            if row["xpos"] not in deleted:
                left[row["sentence"]].add(row["word"])
        brackets = [0] * len(expected)
        for row in tables["constituents"]:
            if row["label"] not in deleted:
                brackets[row["sentence"]] += bool(
                    left[row["sentence"]].intersection(range(row["first"], row["last"] + 1))
                )
        scored = [at for at, row in enumerate(expected) if row["status"] == "ok"]
        assert len(scored) > len(expected) / 2
        assert [brackets[at] for at in scored] == [expected[at][side] for at in scored]
        assert [len(left[at]) for at in scored] == [expected[at]["words"] for at in scored]


@pytest.mark.parametrize("name", EACH)
def test_penn_brackets_come_back_byte_for_byte(db: treesql.Database, tmp_path: Path, name: str) -> None:
    path = FOLDER / f"{name}.gold.mrg.gz"
    db.load(path, corpus="gold")
    db.export(tmp_path / "out.mrg", corpus="gold")
    assert (tmp_path / "out.mrg").read_bytes() == gzip.decompress(path.read_bytes())


@pytest.mark.parametrize("side", ["a", pytest.param("b", marks=pytest.mark.thorough)])
def test_newick_trees(db: treesql.Database, tmp_path: Path, side: str) -> None:
    """Numbers of leaves and of clusters of 2 to n - 1 leaves; the trees come back as they were."""
    cases = lines("newick")
    assert len(cases) == 150
    text = "".join(f"{case[side]}\n" for case in cases)
    (tmp_path / "a.nwk").write_text(text)
    tables = read_rows(tmp_path / "a.nwk", "newick")
    assert [row["n_words"] for row in tables["sentences"]] == [case["n"] for case in cases]
    assert clusters(tables) == [case["expected"]["rooted"]["gold" if side == "a" else "test"] for case in cases]
    db.load(tmp_path / "a.nwk", corpus="a")
    db.export(tmp_path / "b.nwk", corpus="a")
    assert (tmp_path / "b.nwk").read_text() == text


def clusters(tables: dict[str, Rows]) -> list[int]:
    found: list[set[tuple[int, int]]] = [set() for _ in tables["sentences"]]
    for row in tables["constituents"]:
        n = tables["sentences"][row["sentence"]]["n_words"]
        if 2 <= row["last"] - row["first"] + 1 <= n - 1:
            found[row["sentence"]].add((row["first"], row["last"]))
    return [len(one) for one in found]
