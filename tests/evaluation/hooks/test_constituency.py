"""Constituency trees: what is told of trees that cannot be compared, and EVALB's parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, bare, heard
from treesql.errors import UnknownName, UsageError
from treesql.kernels.trees import quartets

GOLD, TEST = str(FIXTURES / "gold.mrg"), str(FIXTURES / "test.mrg")


def test_trees_too_large_for_quartets_have_all_other_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quartets, "MAX_LEAVES", 10_000)
    large = " ".join(f"(N w{at})" for at in range(10_001))
    path = tmp_path / "a.mrg"
    path.write_text(f"(S {large})\n(S (A a) (B b) (C c) (D d))\n")
    with heard() as told:
        [row] = treesql.score("constituency", gold=path, systems=[path]).rows()
    assert (row["f1"], row["rfd"], row["qd"]) == (1, 0, 0)
    assert told == [
        "a.mrg: 1 sentence with other leaves than gold's, or too many for quartets: 0 (from 0); "
        "they count for no quartet score"
    ]


def test_sentences_that_cannot_be_compared_are_named(tmp_path: Path) -> None:
    for name, other in (("gold", "a"), ("system", "b")):
        (tmp_path / f"{name}.mrg").write_text(f"(S (X {other}))\n(S (X a))\n" * 6)
    given = {"gold": tmp_path / "gold.mrg", "systems": [tmp_path / "system.mrg"]}
    with heard() as told:
        treesql.score("constituency", **given)
    leaves, words = sorted(told)
    assert leaves.startswith("system.mrg: 6 sentences whose compared words differ: 0, 2, 4, 6, 8, ... (from 0); they")
    assert words.startswith("system.mrg: 6 sentences with other leaves than gold's: 0, 2, 4, 6, 8, ... (from 0); they")
    for how in ({"by": "sentence"}, {"where": "sentence >= 0"}):
        treesql.score("constituency", **given, **how)


def test_rules_are_a_file_or_a_name(tmp_path: Path) -> None:
    (tmp_path / "own.prm").write_text("LABELED 0\nDELETE_LABEL TOP\nDELETE_LABEL -NONE-\n")
    for rules, told in (("COLLINS", "COLLINS"), ("new", "new"), (str(tmp_path / "own.prm"), "own@")):
        found = treesql.score("constituency", gold=GOLD, systems=[TEST], metric="evalb", rules=rules)
        assert f"|rules:{told}" in found.signature
    with pytest.raises(UnknownName, match="did you mean COLLINS"):
        treesql.score("constituency", gold=GOLD, systems=[TEST], rules="COLINS")
    with pytest.raises(UsageError, match=r"none\.prm: there is no such file; name a parameter file, or one of COLLINS"):
        treesql.score("constituency", gold=GOLD, systems=[TEST], rules=str(tmp_path / "none.prm"))


def test_brackets_without_labels(tmp_path: Path) -> None:
    """Of three brackets, one has another label, and one another place."""
    (tmp_path / "gold.mrg").write_text("(S (NP (D the) (N cat)) (VP (V saw) (NP (N it))))\n")
    (tmp_path / "test.mrg").write_text("(S (NX (D the) (N cat)) (VP (V saw) (N it)))\n")
    how = {"gold": tmp_path / "gold.mrg", "systems": [tmp_path / "test.mrg"], "metric": "precision,recall"}
    found = {rules: treesql.score("constituency", rules=rules, **how).rows()[0] for rules in ("COLLINS", "unlabelled")}
    assert [found["COLLINS"][name] for name in ("precision", "recall")] == [2 / 3, 2 / 4]
    assert [found["unlabelled"][name] for name in ("precision", "recall")] == [3 / 3, 3 / 4]


def test_a_database_without_the_set_gets_it_for_the_score(tmp_path: Path) -> None:
    with treesql.connect(tmp_path / "t.duckdb") as db:
        db.load(GOLD, corpus="gold")
        bare(db).execute("DELETE FROM evalb_parameters WHERE parameter_set = 'unlabelled'")
        how = {"gold": "gold", "systems": ["gold"], "metric": "f1", "rules": "unlabelled"}
        assert db.score("constituency", **how).rows() == [{"system": "gold", "f1": 1}]


def test_sentences_too_small_for_quartets_are_counted(tmp_path: Path) -> None:
    (tmp_path / "gold.mrg").write_text(
        "(S (A a) (B b) (C c))\n(S (A a) (B b) (C c) (D d))\n(S (A a) (B b) (C c) (. .))\n"
    )
    how = {"gold": tmp_path / "gold.mrg", "systems": [tmp_path / "gold.mrg"], "metric": "quartets"}
    assert [
        treesql.score("constituency", punctuation=punctuation, **how).rows()[0]["without_quartets"]
        for punctuation in ("keep", "drop")
    ] == [1, 2]
