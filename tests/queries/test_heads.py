"""Heads of phrases and dependencies by head rules, found by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql

HEADS: dict[str, dict[str, list[int]]] = {
    "collins": {
        "(S (NP (DT The) (NN cat)) (VP (VBD sat)))": [2, 3, 0],
        "(NP (NNS cats) (CC and) (NNS dogs))": [0, 1, 1],  # the first conjunct
        "(NP (NN a) (, ,) (NN b) (, ,) (CC and) (NN c))": [3, 3, 0, 3, 3, 3],
        "(NP (NP (NNP Ann) (POS 's)) (NN hat))": [2, 3, 0],
        "(S (NP-SBJ (-NONE- *)) (VP (TO to) (VP (VB go))))": [2, 0, 2],  # a trace
        "(UNKNOWN (A a) (B b))": [0, 1],  # no rule for the label
        "(NP (. .))": [0],
    },
    "negra": {
        "(PP (APPR-AC 0=in) (ART-NK 1=der) (NN-NK 2=Stadt))": [0, 1, 1],
        "(S (NP-SB (ART-NK 0=der) (NN-NK 1=Hund)) (VVFIN-HD 2=bellt))": [2, 3, 0],  # by labels of edges
        "(CNP (NN-CJ 0=Hund) (KON-CD 1=und) (NN-CJ 2=Katze))": [0, 1, 1],
    },
}
"""By rules trees and the heads of their words; those of negra are in the format whose tags have functions."""


@pytest.mark.parametrize(("rules", "name"), [("collins", "trees.mrg"), ("negra", "trees.discbracket")])
def test_dependencies_of_trees(db: treesql.Database, tmp_path: Path, rules: str, name: str) -> None:
    outer = "(ROOT {})\n" if rules == "negra" else "({})\n"
    (tmp_path / name).write_text("".join(map(outer.format, HEADS[rules])))
    db.load(tmp_path / name, corpus="trees")
    relation = "head_dependencies('trees', head_rules := $rules)"
    sql = f"SELECT h.sentence, h.head FROM {relation} AS h ORDER BY h.sentence, h.word"
    heads: list[list[int]] = [[] for _ in HEADS[rules]]
    for row in db.sql(sql, {"rules": rules}).rows():
        heads[row["sentence"]].append(row["head"])
    assert heads == list(HEADS[rules].values())


def test_dependencies_without_traces(db: treesql.Database, tmp_path: Path) -> None:
    """Positions count the words that are none, and so do heads; functions lose their indices."""
    (tmp_path / "t.mrg").write_text("(S (NP-SBJ-1 (PRP We)) (VP (TO to) (VP (-NONE- *) (VB go) (PRT (RP up)))))\n")
    db.load(tmp_path / "t.mrg", corpus="t")
    rows = db.sql("SELECT position, head, relation FROM word_dependencies('t') ORDER BY position").rows()
    assert [tuple(row.values()) for row in rows] == [(1, 2, "SBJ"), (2, 0, "root"), (3, 2, "dep"), (4, 3, "dep")]


def test_an_unknown_set_of_rules_is_refused(examples: treesql.Database) -> None:
    with pytest.raises(treesql.TreesqlError, match="no rule set unknown; it has collins, negra"):
        examples.sql("FROM head_children('gold', head_rules := 'unknown')").rows()
