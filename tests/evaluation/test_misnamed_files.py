"""Files that are read as another format than their names say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, heard

HINT = "name the format with format={!r}, or rename the file"


@pytest.mark.parametrize(
    ("kind", "gold", "system", "form"),
    [
        ("dependency", "gold.conllu", "parser-a.conllu", "conllu"),
        ("alignment", "links.pharaoh", "links-a.pharaoh", "pharaoh"),
        ("constituency", "gold.mrg", "test.mrg", "penn"),
    ],
)
def test_the_format_is_told_unless_it_is_named(tmp_path: Path, kind: str, gold: str, system: str, form: str) -> None:
    other = shutil.copy(FIXTURES / system, tmp_path / "system.txt")
    metric = {"dependency": "uas", "alignment": "aer", "constituency": "f1"}[kind]
    with heard() as found:
        treesql.score(kind, FIXTURES / gold, other, metric=metric)
    assert found == [f"{other}: read as {form}, where its ending is that of text; {HINT.format(form)}"]
    with heard() as found:
        treesql.score(kind, FIXTURES / gold, other, metric=metric, format=form)
    assert found == []


def test_one_warning_for_all_files_of_a_corpus(tmp_path: Path, db: treesql.Database) -> None:
    text = "# global.columns = ID FORM HEAD DEPREL\n1\ta\t0\troot\n\n"
    for name in "ab":
        (tmp_path / f"{name}.conllu").write_text(text)
    with heard() as found:
        db.load(tmp_path, corpus="x")
    what = "read as conllup, where its ending is that of conllu, and 1 more file"
    assert found == [f"{tmp_path / 'a.conllu'}: {what}; {HINT.format('conllup')}"]


def test_a_format_that_is_named_is_not_told_of_by_any_command(tmp_path: Path, db: treesql.Database) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        shutil.copy(FIXTURES / "gold.mrg", tmp_path / folder / "trees.txt")
    with heard() as found:
        treesql.load(tmp_path / "t.duckdb", tmp_path / "a" / "trees.txt", format="penn")
        treesql.check(tmp_path / "a" / "trees.txt", format="penn")
    assert found == []


def test_names_of_another_kind_are_no_other_format() -> None:
    with heard() as found:
        lists = FIXTURES / "lists.nbest"
        treesql.score("lattice", lists, reference=FIXTURES / "lattices.txt", metric="ger", format="nbest_lattice")
        treesql.score("lattice", FIXTURES / "lattices.plf", reference=FIXTURES / "lattices.txt", metric="ger")
    assert [one for one in found if "read as" in one] == []
