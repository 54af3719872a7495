"""Findings that are accepted: written, read, left out, and known again in other files and orders."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.annotated_words import sentence
from tests.conftest import FIXTURES, heard
from treesql.errors import InvalidInput, UsageError

GOLD = FIXTURES / "gold.conllu"

SENTENCES = [
    sentence("the/DET/2/det cat/NOUN/3/nsubj sat/VERB/0/root", "s1"),
    sentence("the/DET/2/det cat/VERB/3/nsubj sat/VERB/0/root", "s10"),
    sentence("the/DET/2/det cat/VERB/3/nsubj sat/VERB/0/root", "s2"),
    sentence("v/VERB/0/root b/NOUN/1/obj c/NOUN/1/obj", "s3"),
]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """All findings of a treebank, accepted."""
    path = tmp_path / "accepted.tsv"
    treesql.stats(GOLD, table="all_checks", accept=path)
    return path


def test_the_file_has_the_rows_shown(tmp_path: Path) -> None:
    path = tmp_path / "accepted.tsv"
    shown = treesql.stats(GOLD, table="all_checks", limit=2, accept=path)
    assert path.read_text("utf-8") == (
        "name\tsent_id\tword\tform\twhat\n"
        "non_projective_words\thearing\t7\tissue\tnmod of hearing is not projective\n"
        "single_relations\thearing\t2\thearing\tnsubj:pass once\n"
    )
    assert len(shown) == 2
    left = treesql.stats(GOLD, table="all_checks", accepted=path)
    assert [row["word"] for row in left] == [row["word"] for row in treesql.stats(GOLD, table="all_checks")][2:]


def test_nothing_is_left_of_what_is_accepted(written: Path) -> None:
    assert len(treesql.stats(GOLD, table="all_checks", accepted=written)) == 0
    with treesql.connect() as db:
        db.load(GOLD, corpus="other name")
        assert len(db.stats(table="all_checks", accepted=written)) == 0


def test_sentences_may_stand_in_other_files_and_orders(tmp_path: Path) -> None:
    path, accepted = tmp_path / "all.conllu", tmp_path / "accepted.tsv"
    path.write_text("".join(SENTENCES), "utf-8")
    findings = treesql.stats(path, table="all_checks", accept=accepted)
    assert [(row["sent_id"], row["word"]) for row in findings if row["name"] == "variation_tags"] == [
        ("s1", 2), ("s2", 2),
    ]  # fmt: skip
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, part in enumerate(reversed(SENTENCES)):
        (folder / f"{number}.conllu").write_text(part, "utf-8")
    assert len(treesql.stats(folder, table="all_checks")) == len(findings) == 3
    assert len(treesql.stats(folder, table="all_checks", accepted=accepted)) == 0


def test_what_no_longer_occurs_is_counted(tmp_path: Path, written: Path) -> None:
    with heard() as warnings:
        treesql.stats(sentence("v/VERB/0/root").encode(), table="all_checks", accepted=written)
    n = len(treesql.stats(GOLD, table="all_checks"))
    assert warnings == [f"{written}:2: {n} accepted rows no longer occur; delete what is mended"]
    one = tmp_path / "one.tsv"
    one.write_text("".join(written.read_text("utf-8").splitlines(keepends=True)[:1]) + "x\ts\t1\tf\t\n", "utf-8")
    with heard() as warnings:
        treesql.stats(GOLD, table="all_checks", accepted=one)
    assert warnings == [f"{one}:2: 1 accepted row no longer occurs; delete what is mended"]


def test_a_word_that_has_changed_is_looked_at_again(tmp_path: Path, written: Path) -> None:
    changed = tmp_path / "changed.conllu"
    changed.write_bytes(GOLD.read_bytes().replace(b"\tissue\t", b"\tissues\t", 1))
    with heard() as warnings:
        left = treesql.stats(changed, table="all_checks", accepted=written)
    assert {row["form"] for row in left} == {"issues"}
    assert len(warnings) == 1


def test_other_columns_comments_and_line_ends(tmp_path: Path, written: Path) -> None:
    table = tmp_path / "table.tsv"
    treesql.write(treesql.stats(GOLD, table="all_checks"), table)
    text = table.read_text("utf-8")
    table.write_bytes(("\ufeff# seen in May\n" + text).replace("\n", "\r\n").encode())
    assert len(treesql.stats(GOLD, table="all_checks", accepted=table)) == 0


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "the columns name, sent_id, word, form are missing"),
        (b"name\tsent_id\tword\n", "the columns form are missing"),
        (b"name\tsent_id\tword\tform\nx\ty\t1\n", ":2: this line has 3 cells, and the first 4"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_files_that_are_no_such_list(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "accepted.tsv"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=what):
        treesql.stats(GOLD, table="all_checks", accepted=path)
    with pytest.raises(InvalidInput, match="there is no such file; name a file that can be read"):
        treesql.stats(GOLD, table="all_checks", accepted=tmp_path / "none.tsv")


def test_what_is_refused(written: Path) -> None:
    with pytest.raises(UsageError, match="would replace the rows"):
        treesql.stats(GOLD, table="all_checks", accepted=written, accept=str(written))
    with pytest.raises(UsageError, match="accepted"):
        treesql.stats(GOLD, table="variation_tags", accepted=written)
    assert written.read_text("utf-8").count("\n") > 5
