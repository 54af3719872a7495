"""Heads of phrases and dependencies by head rules, found by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql


@pytest.mark.parametrize(
    ("rules", "tree", "expected"),
    [
        pytest.param("collins", "(S (NP (DT The) (NN cat)) (VP (VBD sat)))", [2, 3, 0], id="clause"),
        pytest.param("collins", "(NP (NNS cats) (CC and) (NNS dogs))", [0, 1, 1], id="first-conjunct"),
        pytest.param("collins", "(NP (NN a) (, ,) (NN b) (, ,) (CC and) (NN c))", [3, 3, 0, 3, 3, 3], id="commas"),
        pytest.param("collins", "(NP (NP (NNP Ann) (POS 's)) (NN hat))", [2, 3, 0], id="possessive"),
        pytest.param("collins", "(S (NP-SBJ (-NONE- *)) (VP (TO to) (VP (VB go))))", [2, 0, 2], id="trace"),
        pytest.param("collins", "(UNKNOWN (A a) (B b))", [0, 1], id="no-rule-for-the-label"),
        pytest.param("collins", "(NP (. .))", [0], id="punctuation-alone"),
        pytest.param("negra", "(PP (APPR-AC in) (ART-NK der) (NN-NK Stadt))", [0, 1, 1], id="adposition"),
        pytest.param("negra", "(S (NP-SB (ART-NK der) (NN-NK Hund)) (VVFIN-HD bellt))", [2, 3, 0], id="edge-label"),
        pytest.param("negra", "(CNP (NN-CJ Hund) (KON-CD und) (NN-CJ Katze))", [0, 1, 1], id="conjuncts"),
    ],
)
def test_dependencies_of_a_tree(
    db: treesql.Database, tmp_path: Path, rules: str, tree: str, expected: list[int]
) -> None:
    (tmp_path / "tree.mrg").write_text(f"({tree})\n")
    if rules == "negra":  # the format whose tags have functions
        indexed = iter(range(100))
        words = " ".join(
            f"{next(indexed)}={part}" if part.endswith(")") else part for part in f"(ROOT {tree})".split(" ")
        )
        (tmp_path / "tree.discbracket").write_text(f"{words}\n")
    db.load(tmp_path / ("tree.discbracket" if rules == "negra" else "tree.mrg"), corpus="trees")
    sql = "SELECT h.head FROM head_dependencies('trees', head_rules := $rules) AS h ORDER BY h.word"
    assert [row["head"] for row in db.sql(sql, {"rules": rules}).rows()] == expected


def test_dependencies_without_traces(db: treesql.Database, tmp_path: Path) -> None:
    """Positions count the words that are none, and so do heads; functions lose their indices."""
    (tmp_path / "t.mrg").write_text("(S (NP-SBJ-1 (PRP We)) (VP (TO to) (VP (-NONE- *) (VB go) (PRT (RP up)))))\n")
    db.load(tmp_path / "t.mrg", corpus="t")
    rows = db.sql("SELECT position, head, relation FROM word_dependencies('t') ORDER BY position").rows()
    assert [tuple(row.values()) for row in rows] == [(1, 2, "SBJ"), (2, 0, "root"), (3, 2, "dep"), (4, 3, "dep")]


def test_an_unknown_set_of_rules_is_refused(examples: treesql.Database) -> None:
    with pytest.raises(treesql.TreesqlError, match="no rule set unknown; it has collins, negra"):
        examples.sql("FROM head_children('gold', head_rules := 'unknown')").rows()
