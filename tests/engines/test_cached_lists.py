"""Lists that a database keeps for further statements."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, bare
from treesql import catalog
from treesql.engines import relations

GER = {"lattice_corpus": "lattices", "reference_corpus": "references"}
LATTICES = {"lattice_corpus": "lattices"}
TREES = {"reference_corpus": "reference", "hypothesis_corpus": "hypothesis"}
PATHS = {**TREES, "alignment_corpus": "links"}


def load(db: treesql.Database) -> None:
    db.load(FIXTURES / "lattices.plf", corpus="lattices", phrases=True)
    db.load(FIXTURES / "lattices.txt", corpus="references")
    db.load(FIXTURES / "reference.conllu", corpus="reference")
    db.load(FIXTURES / "hypothesis.conllu", corpus="hypothesis")
    db.load(FIXTURES / "reference-hypothesis.align", corpus="links")


def cached(db: treesql.Database) -> list[tuple[str, str]]:
    """The views and corpora whose lists are cached, in the order in which they were made."""
    rows = bare(db).execute("SELECT k.list_view, k.corpus FROM cached_lists AS k ORDER BY k.made").fetchall()
    return [(view, corpus) for view, corpus in rows]


def scores(db: treesql.Database) -> str:
    asked = (("graph_error", GER), ("path_density", LATTICES), ("path_disparities", PATHS),
             ("dependency_tree_edit", TREES))  # fmt: skip
    return repr([db.score(name, **values).rows() for name, values in asked])  # type: ignore[arg-type]


@pytest.mark.slow
def test_cached_lists_give_the_same_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as db:
        load(db)
        with monkeypatch.context() as patch:
            patch.setattr(relations, "reading_cached", lambda execute, statement, values: statement)
            expected = scores(db)
        db.export(tmp_path / "folder", to="parquet")
    for place in (path, tmp_path / "folder"):
        with treesql.connect(place, read_only=True) as db:
            assert scores(db) == expected
            first = cached(db)
            assert ("lattice_lists", "lattices") in first
            assert ("tree_lists", "hypothesis") in first
            if place == path:
                assert scores(db) == expected
                assert cached(db) == first, "nothing is made a second time"


def test_lists_follow_the_rows() -> None:
    with treesql.connect() as db:
        load(db)
        before = db.score("graph_error", **GER).rows()  # type: ignore[arg-type]
        db.load(FIXTURES / "hypotheses.txt", corpus="references", replace=True)
        other = db.score("graph_error", **GER).rows()  # type: ignore[arg-type]
        assert other != before
        db.load(FIXTURES / "lattices.txt", corpus="references", replace=True)
        assert db.score("graph_error", **GER).rows() == before  # type: ignore[arg-type]
        trees = db.score("dependency_tree_edit", **TREES).rows()  # type: ignore[arg-type]
        db.sql("UPDATE words SET form = form || 'x' WHERE corpus = 'hypothesis' AND sentence = 0")
        db.sql("UPDATE words SET deprel = 'dep' WHERE corpus = 'hypothesis'")
        assert db.score("dependency_tree_edit", **TREES).rows() != trees  # type: ignore[arg-type]
        db.drop("lattices")
        db.load(FIXTURES / "lattices-2.txt", corpus="lattices", format="text")
        with pytest.raises(treesql.TreesqlError):
            db.score("graph_error", **GER)  # type: ignore[arg-type]


def test_a_transaction_takes_its_lists_with_it() -> None:
    with treesql.connect() as db:
        load(db)
        connection = bare(db)
        connection.execute("BEGIN")
        inside = db.score("path_density", **LATTICES).rows()  # type: ignore[arg-type]
        assert cached(db)
        connection.execute("ROLLBACK")
        assert db.score("path_density", **LATTICES).rows() == inside  # type: ignore[arg-type]


def test_what_is_too_large_is_not_cached_and_the_first_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    with treesql.connect() as db:
        load(db)
        db.load(FIXTURES / "lattices.plf", corpus="again", phrases=True)
        [[edges]] = bare(db).execute("SELECT sum(n_edges) FROM lattices WHERE corpus = 'again'").fetchall()
        size = max(edges, relations.WORDS_OF_SENTENCE * 3)
        monkeypatch.setattr(relations, "MAX_WORDS", size - 1)
        expected = db.score("path_density", lattice_corpus="lattices").rows()
        assert bare(db).execute("SELECT count(*) FROM duckdb_tables() WHERE temporary").fetchall() == [(0,)]
        monkeypatch.setattr(relations, "MAX_WORDS", size + 1)
        for corpus in ("lattices", "again"):
            assert db.score("path_density", lattice_corpus=corpus).rows() == expected
            assert cached(db) == [("lattice_lists", corpus)]
        [[left]] = bare(db).execute("SELECT count(*) FROM cached_lattice_lists WHERE corpus <> 'again'").fetchall()
        assert left == 0


@pytest.mark.parametrize("view", relations.list_views())
def test_lists_are_read_of_the_corpora_of_parameters(view: str) -> None:
    """Only these are cached."""
    for query in catalog.all_queries().values():
        for alias in re.findall(rf"\b(?:FROM|JOIN)\s+{view}\s+AS\s+(\w+)", query.body):
            assert re.search(rf"\b{alias}\.corpus = \$\w*corpus\b", query.body), f"{query.name} reads all of {view}"


def test_views_with_lists() -> None:
    assert relations.list_views() == ("lattice_lists", "link_lists", "tree_lists")
