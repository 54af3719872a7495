"""Constituency trees that are written without traces and unary chains, with leaves named by position."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import FIXTURES
from tests.readers import trees
from treesql.errors import InvalidInput, UnknownName, UsageError

REDUCED: dict[str, Any] = {"leaves": "numbered", "delete_traces": True, "collapse_unary": True}
METRICS = ("robinson_foulds", "generalised_robinson_foulds", "quartets", "constituent_tree_edit")


def exported(db: treesql.Database, tmp_path: Path, text: str, name: str = "out.nwk", **how: Any) -> list[str]:
    """The lines that a corpus of trees in Penn brackets is written as."""
    (tmp_path / "in.mrg").write_text(text, "utf-8")
    db.load(tmp_path / "in.mrg", corpus="trees")
    db.export(tmp_path / name, corpus="trees", **how)
    return (tmp_path / name).read_text("utf-8").splitlines()


def test_reduced_trees(db: treesql.Database, tmp_path: Path) -> None:
    lines = {
        "(S (NP (A a) (B b)) (VP (C c) (NP (A a) (B b))))": "((a-1,b-2)NP,(c-3,(a-4,b-5)NP)VP)S;",
        "(TOP (S (VP (VB go) (RB on))))": "(go-1,on-2)TOP+S+VP;",
        "(S (NP-SBJ (-NONE- *)) (VP (TO to) (VP (VB go))))": "(to-1,go-2)S+VP;",
        "(S (NP (NN a)) (VP (V b) (NP (-NONE- *T*-1))) (. .))": "(a-1,b-2,.-3)S;",
        "(S (NP (NN rain)))": "rain-1;",
        "(S (NP (-NONE- *)))": ";",
        "(())": ";",
        "((S (A a) (B b)) (. .))": "((a-1,b-2)S,.-3);",
        "((A a) (B b))": "(a-1,b-2);",
        "(S (A a,b) (-LRB- -LRB-))": "('a,b-1',-LRB--2)S;",
    }
    assert exported(db, tmp_path, "".join(f"{tree}\n" for tree in lines), **REDUCED) == list(lines.values())


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("how", "line"),
    [
        ({"leaves": "position"}, "((1)NP-SBJ,((2,3)VP)VP)S;"),
        ({"leaves": "position", "collapse_unary": True}, "(1,(2,3)VP+VP)S;"),
        ({"leaves": "position", "delete_traces": True}, "(((1,2)VP)VP)S;"),
        ({"delete_traces": True}, "(((go,on)VP)VP)S;"),
        ({"collapse_unary": True}, "(*,(go,on)VP+VP)S;"),
    ],
)
def test_each_option(db: treesql.Database, tmp_path: Path, how: dict[str, Any], line: str) -> None:
    tree = "(S (NP-SBJ (-NONE- *)) (VP (VP (VB go) (RB on))))\n"
    assert exported(db, tmp_path, tree, **how) == [line]


def test_penn_brackets_without_traces(db: treesql.Database, tmp_path: Path) -> None:
    text = "(S (NP (-NONE- *)) (VP (VB go) (NP (NP (-NONE- *)))))\n(S (-NONE- 0))\n((A a) (-NONE- b))\n"
    assert exported(db, tmp_path, text, "out.mrg", delete_traces=True) == ["(S (VP (VB go)))", "(())", "(A a)"]


def test_options_that_do_not_apply(db: treesql.Database, tmp_path: Path) -> None:
    db.load(FIXTURES / "gold.mrg", corpus="gold")
    for form, how, error, message in (
        ("penn", {"leaves": "position"}, UsageError, "leaves= does not apply to the format penn"),
        ("conllu", REDUCED, UsageError, "leaves=, delete_traces=True, collapse_unary=True do not apply"),
        ("parquet", {"delete_traces": True}, UsageError, "delete_traces=True does not apply to the format parquet"),
        ("newick", {"leaves": "places"}, UnknownName, "unknown name of leaves 'places'; "),
        ("newick", {"delete_traces": "yes"}, UsageError, "delete_traces takes True or False, not 'yes'"),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            db.export(tmp_path / "out", corpus="gold", to=form, **how)
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:.*secondary edge")
def test_discontinuous_trees_are_refused_in_words(db: treesql.Database, tmp_path: Path) -> None:
    db.load(FIXTURES / "discontinuous.export", corpus="gaps")
    with pytest.raises(
        InvalidInput, match="export:3: the tree is discontinuous: the words of phrase 2, NP, have gaps;"
    ):
        db.export(tmp_path / "out.nwk", corpus="gaps", **REDUCED)
    assert not (tmp_path / "out.nwk").exists()


def distances(db: treesql.Database, gold: str, system: str, leaves: str) -> list[list[dict[str, Any]]]:
    """Distances of two corpora by sentence; of tree edit distances that of skeletons, which have no labels."""
    found = []
    for metric in METRICS:
        rows = db.query(metric, gold_corpus=gold, system_corpus=system, leaves=leaves).rows()
        found.append(
            [{key: value for key, value in row.items() if key not in ("edits", "compared_nodes")} for row in rows]
        )
    return found


@given(st.lists(st.tuples(trees.sentences(), trees.sentences()), min_size=2, max_size=6))
@settings(deadline=None, max_examples=2)
@pytest.mark.slow
def test_distances_of_written_trees_are_those_of_the_trees(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[list[trees.Tree], list[trees.Tree]]]
) -> None:
    folder = tmp_path_factory.mktemp("newick")
    with treesql.connect() as db:
        for side, sentences in zip(("gold", "system"), zip(*pairs, strict=True), strict=True):
            (folder / f"{side}.mrg").write_text("".join(trees.line(one) + "\n" for one in sentences), "utf-8")
            db.load(folder / f"{side}.mrg", corpus=side)
            db.export(folder / f"{side}.nwk", corpus=side, **REDUCED)
            db.load(folder / f"{side}.nwk", corpus=f"{side} newick")
        assert distances(db, "gold newick", "system newick", "name") == distances(db, "gold", "system", "order")


def test_scores_of_written_trees_are_those_of_the_trees(tmp_path: Path) -> None:
    sides = []
    for name in ("gold", "test"):
        with treesql.connect() as db:
            db.load(FIXTURES / f"{name}.mrg", corpus=name)
            db.export(tmp_path / f"{name}.nwk", **REDUCED)
            sides.append(tmp_path / f"{name}.nwk")
    names = ["rfd", "rfd_micro", "grfd", "grfd_micro", "grfd_exchanged", "qd", "qd_micro", "gqd", "gqd_micro"]
    written = treesql.score("newick", gold=sides[0], systems=sides[1:]).rows()[0]
    whole = treesql.score("constituency", gold=FIXTURES / "gold.mrg", systems=[FIXTURES / "test.mrg"]).rows()[0]
    assert {name: written[name] for name in names} == {name: whole[name] for name in names}
    assert written["rfd"] == pytest.approx(0.12222222)
