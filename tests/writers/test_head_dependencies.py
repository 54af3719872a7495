"""Constituency trees written as CoNLL-U, by head rules."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES

RAISED = "(S (NP-SBJ-1 (NNP Ann)) (VP (VBD wanted) (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB go))))))"
HEADED_BY_A_TRACE = "(X (Y (-NONE- a) (-NONE- b)) (Z-TMP-2 (NN c) (NN d)) (. e))"
ONLY_INDEX = "(S (NP-2 (NN f)) (VP (VB g)))"


def rows(path: Path) -> list[list[tuple[str, str, str]]]:
    """Of each word of each sentence its form, head and relation."""
    return [
        [(cells[1], cells[6], cells[7]) for line in block.split("\n") if (cells := line.split("\t"))[0].isdigit()]
        for block in path.read_text("utf-8").strip().split("\n\n")
    ]


def exported(db: treesql.Database, folder: Path, *trees: str, **how: str) -> list[list[tuple[str, str, str]]]:
    (folder / "trees.mrg").write_text("".join(f"({tree})\n" for tree in trees))
    db.load(folder / "trees.mrg", corpus="trees")
    db.export(folder / "trees.conllu", corpus="trees", to="conllu", **how)
    return rows(folder / "trees.conllu")


def test_traces_are_left_out(db: treesql.Database, tmp_path: Path) -> None:
    raised, headed, only = exported(db, tmp_path, RAISED, HEADED_BY_A_TRACE, ONLY_INDEX)
    assert raised == [("Ann", "2", "SBJ"), ("wanted", "0", "root"), ("to", "2", "dep"), ("go", "3", "dep")]
    assert headed == [("c", "0", "root"), ("d", "1", "dep"), ("e", "1", "dep")]
    assert only == [("f", "2", "dep"), ("g", "0", "root")]
    db.load(tmp_path / "trees.conllu", corpus="words", strict=True)


def test_edge_labels_and_gaps(db: treesql.Database, tmp_path: Path) -> None:
    db.load(FIXTURES / "discontinuous.export", corpus="trees")
    db.export(tmp_path / "out.conllu", corpus="trees")
    db.load(tmp_path / "out.conllu", corpus="words")
    sql = """SELECT count(*) AS n FROM words AS w JOIN head_dependencies('trees', head_rules := 'negra') AS h
             ON h.sentence = w.sentence AND h.word = w.word AND h.head = w.head WHERE w.corpus = 'words'"""
    [found] = db.sql(sql).rows()
    [words] = db.sql("SELECT count(*) AS n FROM words AS w WHERE w.corpus = 'trees'").rows()
    assert found == words != {"n": 0}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        pytest.param({"corpus": "trees", "head_rules": "other"}, "unknown set of head rules 'other'", id="rules"),
        pytest.param({"corpus": "gold", "head_rules": "collins"}, "head_rules= does not apply", id="dependencies"),
        pytest.param({"corpus": "trees"}, "trees.mrg:2: the sentence has no words", id="no-words"),
    ],
)
def test_what_is_refused(db: treesql.Database, tmp_path: Path, how: dict[str, str], message: str) -> None:
    (tmp_path / "trees.mrg").write_text("((S (NN a)))\n(())\n")
    db.load(tmp_path / "trees.mrg", corpus="trees")
    db.load(FIXTURES / "gold.conllu", corpus="gold")
    with pytest.raises(treesql.TreesqlError, match=message):
        db.export(tmp_path / "out.conllu", to="conllu", **how)
    assert not (tmp_path / "out.conllu").exists()
