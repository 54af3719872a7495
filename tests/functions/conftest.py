"""Databases of every kind, with corpora of fixtures/, and one of constituency trees."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import treesql
from tests.conftest import FIXTURES, bare


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with gold and parser-a, parses, links and links-a, reference, hypothesis and their alignment.

    Lattices, and the texts references and hypotheses.
    """
    path = tmp_path_factory.mktemp("functions") / "t.duckdb"
    with treesql.connect(path) as db:
        for corpus in ("gold", "parser-a", "reference", "hypothesis"):
            db.load(FIXTURES / f"{corpus}.conllu", corpus=corpus)
        for side in ("gold", "test"):
            db.load(FIXTURES / f"{side}.mrg", corpus=f"{side} parses")
        for corpus in ("links", "links-a"):
            db.load(FIXTURES / f"{corpus}.pharaoh", corpus=corpus)
        db.load(FIXTURES / "reference-hypothesis.align", corpus="alignment")
        db.load(FIXTURES / "lattices.plf", corpus="lattices", phrases=True)
        db.load(FIXTURES / "lattices.txt", corpus="references")
        db.load(FIXTURES / "hypotheses.txt", corpus="hypotheses")
    return path


@pytest.fixture(scope="session")
def db() -> Iterator[treesql.Database]:
    """An empty database in memory, in which nothing is written."""
    with treesql.connect() as empty:
        yield empty


@pytest.fixture(scope="module", params=["memory", "file", "read-only", "safe"])
def connection(request: pytest.FixtureRequest, file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of every kind, to be read."""
    how = {"file": {}, "read-only": {"read_only": True}, "safe": {"read_only": True, "safe": True}}.get(request.param)
    with treesql.connect() if how is None else treesql.connect(file, **how) as db:
        yield bare(db)


@pytest.fixture(scope="session")
def treebank() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with constituency trees: fixtures as corpora of their names, without their suffixes; to be read."""
    with treesql.connect() as db, warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*secondary edge")
        for name in ("gold.mrg", "test.mrg", "trees.nwk", "discontinuous.export"):
            db.load(FIXTURES / name, corpus=name.split(".")[0])
        db.engine.make_macros({"packed_trees", "labelled_trees"})
        yield bare(db)
