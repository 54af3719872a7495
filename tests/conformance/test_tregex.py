"""Counts of patterns in constituency trees, against those of an independent tool."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import pytest

import treesql
from tests.conformance.cases import CASES, missing

PATTERNS = CASES / "tregex/patterns.tsv"
ROWS = (
    list(csv.DictReader(io.StringIO(PATTERNS.read_text("utf-8")), delimiter="\t", quoting=csv.QUOTE_NONE))
    if PATTERNS.exists()
    else []
)


@pytest.fixture(scope="module")
def treebank() -> Iterator[treesql.Database]:
    if not ROWS:
        pytest.skip(missing(PATTERNS))
    with treesql.connect() as db:
        db.load(CASES / "constituency" / ROWS[0]["file"], corpus="trees")
        yield db


def test_there_are_patterns() -> None:
    if not PATTERNS.exists():
        pytest.skip(missing(PATTERNS))
    assert len({row["file"] for row in ROWS}) == 1


@pytest.mark.parametrize("row", ROWS, ids=[row["pattern"] for row in ROWS])
def test_nodes_and_trees(treebank: treesql.Database, row: dict[str, str]) -> None:
    assert treebank.find(row["pattern"], count=True).rows() == [{"count": int(row["nodes"])}]
    assert len(treebank.find(row["pattern"], by="corpus,sentence").rows()) == int(row["trees"])
