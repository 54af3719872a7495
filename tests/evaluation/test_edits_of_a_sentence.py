"""A sentence aligned with what a system has in its place: the row of the table of all sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from treesql.errors import Incomparable, UnknownName


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize(
    ("kind", "system", "table"),
    [("translation", "hypotheses", "translation_errors"), ("lattice", "lattices", "nearest_path_steps")],
)
def test_it_is_the_row_of_its_sentence(kind: str, system: str, table: str, examples: treesql.Database) -> None:
    rows = examples.score(kind, reference="references", systems=[system], table=table).rows()
    wrong = {row["sentence"]: {name: row[name] for name in row if name != "system"} for row in rows}
    assert wrong
    for row in examples.sentences("references").rows.rows():
        sentence = examples.sentence(row["sentence"], corpus="references")
        expected = [wrong[row["sentence"]]] if row["sentence"] in wrong else []
        assert examples.edits(sentence, system=system).rows() == expected


def test_sentences_correspond_by_their_ids(tmp_path: Path) -> None:
    with treesql.connect() as db:
        for name, text in (("gold", "a the cat\nb yes it is\n"), ("system", "b yes it was\na the cat\n")):
            (tmp_path / f"{name}.txt").write_text(text, "utf-8")
            db.load(tmp_path / f"{name}.txt", corpus=name, ids="first")
        [row] = db.edits(db.sentence("b", corpus="gold"), system="system").rows()
        assert (row["sent_id"], row["hypothesis_words"]) == ("b", ["yes", "it", "was"])
        assert db.edits(db.sentence("a", corpus="gold"), system="system").rows() == []


def test_what_cannot_be_aligned_is_refused(examples: treesql.Database) -> None:
    sentence = examples.sentence(0, corpus="references")
    with pytest.raises(UnknownName, match="or hypotheses"):
        examples.edits(sentence, system="hypothesis-es")
    with pytest.raises(Incomparable):
        examples.edits(examples.sentence(0, corpus="gold"), system="hypotheses")
