"""A database with corpora of every kind."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES


@pytest.fixture(scope="module")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with corpora of every kind, to be copied."""
    path = tmp_path_factory.mktemp("made") / "t.duckdb"
    with treesql.connect(path) as db, warnings.catch_warnings():
        warnings.simplefilter("ignore", treesql.TreesqlWarning)  # secondary edges are passed over
        db.load(FIXTURES / "gold.conllu", corpus="gold")
        db.load(FIXTURES / "parser-a.conllu", corpus="parser-a")
        db.load(FIXTURES / "discontinuous.export", corpus="phrases")
        db.load(FIXTURES / "gold.mrg", corpus="brackets")
        db.load(FIXTURES / "test.mrg", corpus="test brackets")
        db.load(FIXTURES / "trees.nwk", corpus="leaves")
        db.load(FIXTURES / "links.pharaoh", corpus="links", source_corpus="gold", target_corpus="gold")
        db.load(FIXTURES / "lattices.plf", corpus="lattices", phrases=True)
        db.load(FIXTURES / "lattices.txt", corpus="texts")
    return path
