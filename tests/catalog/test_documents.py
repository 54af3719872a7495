"""Documents and paragraphs against a plain loop over marks, and the scores and tests that go by them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treesql
from tests.conftest import conllu, heard
from treesql.catalog import documents
from treesql.significance.strata import number_strata

MARK = st.sampled_from([None, None, "", "a", "b"])
Mark = str | None


def walked(marks: list[tuple[Mark, Mark]], column: str) -> list[tuple[int, Mark]]:
    """For every sentence the number and the id, as it is written, of what it stands in."""
    found: list[tuple[int, Mark]] = []
    number, current = 0, {"newdoc": None, "newpar": None}
    for newdoc, newpar in marks:
        begins = newdoc is not None and (newdoc == "" or newdoc != current["newdoc"])
        if begins:
            current = {"newdoc": newdoc, "newpar": None}
        if column == "newpar" and newpar is not None and (newpar == "" or newpar != current["newpar"]):
            begins, current["newpar"] = True, newpar
        number += begins
        found.append((number, current[column]))
    return found


@pytest.mark.slow
@given(st.lists(st.tuples(MARK, MARK), max_size=12), st.sampled_from(documents.MARKS))
def test_they_reach_to_the_next_mark(marks: list[tuple[Mark, Mark]], column: str) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE sentences (corpus TEXT, sentence INTEGER, newdoc TEXT, newpar TEXT)")
        rows = [("c", at, *mark) for at, mark in enumerate(marks)]
        for row in [*rows[::-1], ("other", 0, "x", "x")]:
            connection.execute("INSERT INTO sentences VALUES (?, ?, ?, ?)", row)
        found = connection.execute(f"{documents.reaching(column, '$c')}\nORDER BY sentence", {"c": "c"}).fetchall()
    expected = walked(marks, column)
    width = len(str(max((number for number, _ in expected), default=0)))
    named = [(number, f"#{number:0{width}}" if name == "" else name) for number, name in expected]
    assert [(number, name) for _, number, name in found] == named


@pytest.fixture
def marked(db: treesql.Database, tmp_path: Path) -> treesql.Database:
    """Sentences of 1 to 6 words: in front of the first document, three in d1, one in d2, one in one without an id."""
    marks = ["", "# newdoc id = d1\n", "# newpar id = p1\n", "", "# newdoc id = d2\n# newpar\n", "# newdoc\n"]
    text = b""
    for at, mark in enumerate(marks):
        text += mark.encode() + conllu(" ".join(f"w:{word}:x" for word in range(at + 1)))
    (tmp_path / "t.conllu").write_bytes(text)
    db.load(tmp_path / "t.conllu", corpus="t")
    return db


@pytest.mark.spread(2, rest="slow")
@pytest.mark.filterwarnings("ignore:.*only 6 sentences")
@pytest.mark.parametrize(
    ("by", "words"),
    [("newdoc", {"#3": 6, "d1": 9, "d2": 5, None: 1}), ("newpar", {"p1": 7, "#3": 5, None: 9})],
)
def test_scores_by_what_sentences_stand_in(marked: treesql.Database, by: str, words: dict[Mark, int]) -> None:
    rows = marked.score("attachment", "exact_match", by=by, gold_corpus="t", system_corpus="t", ci=True).rows()
    assert {row[by]: row["words"] for row in rows} == words
    assert [row[by] for row in rows] == [*sorted(name for name in words if name), None]
    assert all(row["las"] == row["las_low"] == row["exact_match"] == 1 for row in rows)


def test_strata_are_the_same_documents(marked: treesql.Database) -> None:
    strata = number_strata(marked.engine, "t", "newdoc").tolist()
    assert strata == [0, 1, 1, 1, 2, 3]
    assert number_strata(marked.engine, "t", "newpar").tolist() == [0, 1, 2, 2, 3, 4]


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize(("by", "words"), [("newdoc", [6, 9, 5, 1]), ("newpar", [5, 7, 9])])
def test_both_columns_are_read_of_files(tmp_path: Path, marked: treesql.Database, by: str, words: list[int]) -> None:
    gold = str(tmp_path / "t.conllu")
    found = treesql.score("dependency", gold=gold, systems=[gold], metric="attachment", by=by).rows()
    assert [row["words"] for row in found] == words
    systems = {"a": gold, "b": gold}
    with heard():
        [row] = treesql.compare("dependency", gold=gold, systems=systems, metric="las", stratum=by, runs=2).rows()
    assert row["strata"] == {"newdoc": 4, "newpar": 5}[by]
