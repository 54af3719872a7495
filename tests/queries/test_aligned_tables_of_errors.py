"""The tables of errors where words differ, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import conllu, heard

GOLD = "we:4:nsubj ca:4:aux n't:4:advmod go:0:root home:4:advmod .:4:punct"
SYSTEM = "we:3:nsubj can't:3:aux go:0:root home:3:obl .:4:punct"
"""`ca n't` is one word of the system, the relation of home is wrong, and the head of the full stop."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("aligned")
    paths = folder / "g.conllu", folder / "s.conllu"
    for path, sentence in zip(paths, (GOLD, SYSTEM), strict=True):
        path.write_bytes(conllu(sentence))
    return paths


@pytest.fixture(scope="module")
def loaded(files: tuple[Path, Path]) -> Iterator[treesql.Database]:
    """A database of both files, as g and s."""
    with treesql.connect() as db:
        db.load(*files, each="file")
        yield db


def table(db: treesql.Database, name: str) -> list[tuple[Any, ...]]:
    with heard() as told:
        found = db.score("dependency", gold="g", systems=["s"], table=name)
    return rows(told, found)


def rows(told: list[str], found: treesql.Result) -> list[tuple[Any, ...]]:
    assert len(told) == 1
    assert told[0].endswith("their characters; a word without a counterpart is an error of the side that has it")
    return [tuple(row.values())[1:] for row in found.rows()]


def test_errors(files: tuple[Path, Path]) -> None:
    with heard():
        found = treesql.score("dependency", gold=files[0], systems=[files[1]], errors=True)
    names = ("word", "system_word", "form", "system_form", "correct_head", "gold_head_form", "system_head_form")
    assert found.arrow()["sentence_errors"].to_pylist() == [5] * 5
    assert [tuple(row[name] for name in names) for row in found.rows()] == [
        (2, None, "ca", None, 0, "go", None),
        (3, None, "n't", None, 0, "go", None),
        (5, 4, "home", "home", 1, "go", "go"),
        (6, 5, ".", ".", 0, "go", "home"),
        (None, 2, None, "can't", 0, None, "go"),
    ]


def test_relations(loaded: treesql.Database) -> None:
    assert set(table(loaded, "relation_confusions")) == {
        ("nsubj", "nsubj", 1, 1, 1.0),
        ("root", "root", 1, 1, 1.0),
        ("punct", "punct", 1, 0, 1.0),
        ("advmod", "obl", 1, 1, 0.5),
        ("advmod", None, 1, 0, 0.5),
        ("aux", None, 1, 0, 1.0),
        (None, "aux", 1, 0, None),
    }
    assert set(table(loaded, "relation_agreement")) == {
        ("advmod", 2, 0, 0, 0, None, 0, 0, None),
        ("aux", 1, 1, 0, 0, 0, 0, 0, 0),
        ("nsubj", 1, 1, 1, 1, 1, 1, 1, 1),
        ("obl", 0, 1, 0, None, 0, 0, None, 0),
        ("punct", 1, 1, 1, 1, 1, 0, 0, 0),
        ("root", 1, 1, 1, 1, 1, 1, 1, 1),
    }


def test_heads(loaded: treesql.Database) -> None:
    """Each side in its own positions: from `we` to `go` there are 3 words in the gold tree, and 2 in the system's."""
    assert table(loaded, "head_directions") == [
        ("to_root", 1, 1, 1, 1, 1), ("left", 2, 2, 2, 1, 1), ("right", 3, 2, 1, 1 / 3, 1 / 2)
    ]  # fmt: skip
    assert table(loaded, "head_distances") == [
        ("to_root", 1, 1, 1, 1, 1), ("1", 2, 3, 1, 1 / 2, 1 / 3), ("2", 2, 1, 0, 0, 0), ("3-6", 1, 0, 0, 0, None)
    ]  # fmt: skip


def test_words_of_the_system_alone_have_no_part_of_speech(tmp_path: Path) -> None:
    """`c d` of the gold tree is one word of the system, which is no row."""
    files = tmp_path / "g.conllu", tmp_path / "s.conllu"
    for path, sentence in zip(
        files, ("a:0:root:X b:1:obj:Y c:1:obj:Y d:1:obj:Z", "a:0:root b:1:obj cd:1:obj"), strict=True
    ):
        path.write_bytes(conllu(sentence))
    with heard() as told:
        found = treesql.score("dependency", gold=files[0], systems=[files[1]], table="upos_accuracy")
    assert rows(told, found) == [
        ("Y", 2, 1, 1, 1, 1 / 2, 1 / 2, 1 / 2),
        ("X", 1, 1, 1, 1, 1, 1, 1),
        ("Z", 1, 0, 0, 0, 0, 0, 0),
    ]


def test_words_contexts_and_frames(loaded: treesql.Database) -> None:
    assert {row[0]: row[2:] for row in table(loaded, "error_words")} == {
        "ca": (1, 1, 1, 1, 1), "n't": (1, 1, 1, 1, 1), "home": (1, 1, 0, 1, 0), ".": (1, 1, 1, 0, 0)
    }  # fmt: skip
    assert {(row[0], row[1], row[3]) for row in table(loaded, "error_contexts")} == {
        ("before", "we", 1), ("before", "ca", 1), ("before", "go", 1), ("before", "home", 1),
        ("after", "n't", 1), ("after", "go", 1), ("after", ".", 1), ("after", ".E", 1),
    }  # fmt: skip
    assert set(table(loaded, "frame_confusions")) == {
        ("nsubj aux advmod *root* advmod punct", "nsubj aux *root* obl", 1),
        ("*advmod*", "*advmod* punct", 1),
        ("*aux*", "", 1),
        ("*advmod*", "", 1),
    }


def test_tables_of_files(loaded: treesql.Database, files: tuple[Path, Path]) -> None:
    with heard() as told:
        found = treesql.score("dependency", gold=files[0], systems=[files[1]], table="relation_confusions")
    assert rows(told, found) == table(loaded, "relation_confusions")


def test_other_texts_are_refused(tmp_path: Path, files: tuple[Path, Path]) -> None:
    (tmp_path / "other.conllu").write_bytes(conllu("you:0:root"))
    with pytest.raises(treesql.Incomparable):
        treesql.score("dependency", gold=files[0], systems=[tmp_path / "other.conllu"], errors=True)
