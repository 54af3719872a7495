"""Word alignments: scores by hand, by groups and conditions, of files and of a database, and symmetrised."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import heard
from tests.evaluation.word_alignments import GOLD, LINKS, LINKS_A, score, written
from treesql.errors import Incomparable, UnknownName, UsageError


def test_scores_by_hand(tmp_path: Path) -> None:
    """S = {1-1, 2-2, 3-3}, P = S and {1-2, 4-4}, A = {1-1, 2-2, 4-4, 5-5}: |A and S| = 2, |A and P| = 3."""
    gold = written(tmp_path / "gold", "0-0 0p1 1-1\n2-2 3p3\n")
    [row] = score(gold, written(tmp_path / "system", "0-0 1-1\n3-3 4-4\n"))
    assert row == {
        "system": "system",
        "proposed": 4,
        "sure": 3,
        "possible": 5,
        "precision": 3 / 4,
        "recall": 2 / 3,
        "aer": 1 - 5 / 7,
        "sure_precision": 2 / 4,
        "sure_recall": 2 / 3,
        "sure_f1": 4 / 7,
        "possible_precision": 3 / 4,
        "possible_recall": 3 / 5,
        "possible_f1": 6 / 9,
    }


EDGES = {
    "same": ("0-0 1-1\n", "0-0 1-1\n", 1, 1, 0),
    "possible": ("0-0 1p1\n", "0-0 1-1\n", 1, 1, 0),
    "nothing in common": ("0-0\n", "1-1\n", 0, 0, 1),
    "empty system": ("0-0\n", "\n", None, 0, 1),
    "nothing sure": ("0p0\n", "0-0\n", 1, None, 0),
    "empty gold": ("\n", "0-0\n", 0, None, 1),
    "both empty": ("\n", "\n", None, None, None),
}
"""Links of gold and of a system, and their precision, recall and AER."""


def test_edges(tmp_path: Path) -> None:
    """Of the sentences of a file, and of an empty file."""
    gold, system, *_ = zip(*EDGES.values(), strict=True)
    files = written(tmp_path / "gold", "".join(gold)), written(tmp_path / "system", "".join(system))
    found = {row["sentence"]: row for row in score(*files, by="sentence")}
    found[len(EDGES)] = score(written(tmp_path / "no gold", "\n"), written(tmp_path / "no links", "\n"))[0]
    nothing = dict.fromkeys(("precision", "recall", "aer"))
    for at, (name, (*_, precision, recall, aer)) in enumerate([*EDGES.items(), ("empty file", EDGES["both empty"])]):
        row = found.get(at, nothing)
        assert (row["precision"], row["recall"], row["aer"]) == (precision, recall, aer), name


def test_letters_of_a_system_are_ignored(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold", "0-0 1-1\n")
    systems = [written(tmp_path / name, text) for name, text in (("a", "0-0 1p1\n"), ("b", "0-0 1-1\n"))]
    one, other = score(gold, *systems)
    assert {**one, "system": "b"} == other


def test_sentences_without_a_line_are_refused_but_in_wpt(tmp_path: Path) -> None:
    gold, short = written(tmp_path / "gold", "0-0\n1-1\n"), written(tmp_path / "short", "0-0\n")
    with pytest.raises(Incomparable, match="gold sentence 2 has no line in short, which has 1 of 2 sentences"):
        score(gold, short)
    [row] = score(gold, written(tmp_path / "short.wpt", "1 1 1\n"))
    assert (row["proposed"], row["sure"], row["recall"]) == (1, 2, 1 / 2)


def test_groups_and_conditions() -> None:
    rows = score(LINKS, LINKS_A, by="sentence")
    assert [(row["sentence"], row["proposed"], row["sure"], row["possible"]) for row in rows] == [
        (0, 5, 5, 6), (1, 1, 0, 0), (2, 5, 4, 5), (3, 2, 2, 2), (4, 2, 1, 2),
    ]  # fmt: skip
    assert rows[1]["aer"] == 1
    [row] = score(LINKS, LINKS_A, where="source = 1")
    assert (row["proposed"], row["sure"]) == (6, 3)
    [whole] = score(LINKS, LINKS_A)
    [row] = score(LINKS, LINKS_A, where="proposed = 1")  # leaves out the 3 sure links that are missed, of 12
    assert (row["sure"], row["recall"], row["precision"]) == (9, 1, whole["precision"])
    assert row["aer"] == 1 - (9 + 10) / (15 + 9) < whole["aer"] == 1 - (9 + 10) / (15 + 12)
    [row] = score(LINKS, LINKS_A, where="sure = 1")
    assert (row["proposed"], row["precision"], row["recall"]) == (9, 1, whole["recall"])
    with pytest.raises(UnknownName, match="column to group by"):
        score(LINKS, LINKS_A, by="colour")


@pytest.mark.slow
def test_a_database_gives_what_files_give(tmp_path: Path) -> None:
    path = str(tmp_path / "a.duckdb")
    with treesql.connect(path) as db:
        db.load(GOLD, corpus="text")
        db.load(LINKS, corpus="links")
        db.load(LINKS, corpus="gold", source_corpus="text", target_corpus="text")
        db.load(LINKS_A, corpus="links-a.pharaoh")
        assert db.score("agreement", gold_corpus="gold", system_corpus="links-a.pharaoh").rows()[0]["proposed"] == 15
    for by in (None, "sentence", "source"):
        assert score("links", "links-a.pharaoh", db=path, by=by) == score(LINKS, LINKS_A, by=by)
    named = score("gold", "links-a.pharaoh", db=path, by="sentence")
    assert [row["sent_id"] for row in named] == ["mat", "know", "hearing", "tea", "hello"]  # of the source text
    assert [row | {"sent_id": None} for row in named] == score(LINKS, LINKS_A, by="sentence")
    bounded = score("gold", "links-a.pharaoh", db=path, source="text", target="text")
    assert bounded == score(LINKS, LINKS_A)
    with pytest.raises(UnknownName, match="corpus 'golden'; did you mean gold"):
        score("golden", "links-a.pharaoh", db=path)
    with pytest.raises(UnknownName, match="corpus 'nobody'"):
        score("gold", "nobody", db=path)
    with pytest.raises(UnknownName, match="corpus 'txt'"):
        score("gold", "links-a.pharaoh", db=path, source="txt")
    with pytest.raises(UsageError, match="text has dependency trees, and system is for links between words"):
        score("gold", "text", db=path)
    with pytest.raises(UsageError, match="gold has links between words, and system is for dependency trees"):
        treesql.score("dependency", gold="text", systems=["gold"], db=path, metric="attachment")
    with pytest.raises(UsageError, match="agreement is not a metric of the kind dependency"):
        treesql.score("dependency", gold="gold", systems=["gold"], db=path, metric="agreement")


def test_symmetrised_by_hand(db: treesql.Database, tmp_path: Path) -> None:
    db.load(written(tmp_path / "forward.pharaoh", "0-1 1-2 4-0\n\n"), corpus="forward")
    db.load(written(tmp_path / "backward.pharaoh", "0-1 1-1 4-5\n2-2\n"), corpus="backward")
    expected = {
        "intersection": [(0, 1, 2)],
        "union": [(0, 1, 2), (0, 2, 2), (0, 2, 3), (0, 5, 1), (0, 5, 6), (1, 3, 3)],
        "grow-diag": [(0, 1, 2), (0, 2, 2), (0, 2, 3)],
        "grow-diag-final": [(0, 1, 2), (0, 2, 2), (0, 2, 3), (0, 5, 1), (0, 5, 6), (1, 3, 3)],
        "grow-diag-final-and": [(0, 1, 2), (0, 2, 2), (0, 2, 3), (0, 5, 1), (1, 3, 3)],
    }
    for method, links in expected.items():
        found = db.query("symmetrised", forward_corpus="forward", backward_corpus="backward", method=method)
        assert [tuple(row.values()) for row in found.rows()] == links
    found = db.sql("SELECT count(*) AS n FROM symmetrised('forward', 'backward', method := 'union')")
    assert found.rows() == [{"n": 6}]
    db.load(written(tmp_path / "null.wpt", "1 1 0\n1 1 2\n"), corpus="null", null_links=True)
    found = db.query("symmetrised", forward_corpus="null", backward_corpus="null", method="union").rows()
    assert [tuple(row.values()) for row in found] == [(0, 1, 2)]
    with pytest.raises(UsageError, match="method cannot be 'grow'"):
        db.query("symmetrised", forward_corpus="forward", backward_corpus="backward", method="grow")


def test_conditions_that_choose_little_or_nothing_are_told(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold", "0-0 1-1\n" * 60)
    score(gold, written(tmp_path / "system", "0-0 1-0\n" * 60), ci=True, where="sentence < 59")
    with heard() as told:
        score(gold, written(tmp_path / "system", "0-0 1-0\n" * 60), ci=True, where="sentence < 49")
    assert [one.split(": ")[1].split(",")[0] for one in told] == ["only 49 sentences of 60 have scored items"]
    with heard() as told:
        score(gold, written(tmp_path / "system", "0-0\n" * 60), where="sentence > 99")
    assert [one.split(": ")[1].split(";")[0] for one in told] == ["no item meets the condition"]
