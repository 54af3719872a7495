"""The table word_alignments: which words it pairs, who fills it, and when its rows go."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import treesql
from tests.conftest import conllu, heard
from treesql.errors import Incomparable, QueryError, UnknownName

GOLD = ("we:4:nsubj ca:4:aux n't:4:advmod go:0:root", "home:0:root")
SYSTEM = ("we:3:nsubj can't:3:aux go:0:root home:3:obl",)
"""`ca n't` is one word of the system, and its sentence has both of the gold sentences."""

PAIRS = [
    (0, 1, 0, 1), (0, 2, None, None), (0, 3, None, None), (0, 4, 0, 3), (0, None, 0, 2), (1, 1, 0, 4),
]  # fmt: skip
"""Sentence and position of either side; the system's `can't` begins in the first gold sentence."""

RIGHT_HEADS = 2
"""Of `we` and `go`; that of `home` is a root in the gold tree, and `go` in the system's."""

HEADS = "SELECT CAST(sum(correct_head) AS BIGINT) AS n, count(*) AS words FROM attachment('gold', 'system')"


def load(db: treesql.Database, folder: Path, **corpora: tuple[str, ...]) -> None:
    for name, sentences in corpora.items():
        (folder / f"{name}.conllu").write_bytes(conllu(*sentences))
        db.load(folder / f"{name}.conllu", corpus=name, replace=name in db.corpora)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with both corpora, to be copied."""
    folder = tmp_path_factory.mktemp("made")
    with treesql.connect(folder / "x.duckdb") as db:
        load(db, folder, gold=GOLD, system=SYSTEM)
    return folder / "x.duckdb"


@pytest.fixture
def file(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "x.duckdb"))


@pytest.fixture
def opened(file: Path) -> Iterator[treesql.Database]:
    with treesql.connect(file) as db:
        yield db


def stored(db: treesql.Database) -> list[tuple[Any, ...]]:
    found = db.sql("FROM word_alignments ORDER BY sentence, word NULLS LAST").rows()
    assert all((row["gold"], row["system"]) == ("gold", "system") for row in found)
    return [tuple(row.values())[2:] for row in found]


@pytest.mark.slow
def test_what_is_stored_is_aligned_in_any_client(file: Path, opened: treesql.Database) -> None:
    assert opened.sql(HEADS).rows() == [{"n": 0, "words": 4}], "by position"
    assert opened.align_words("gold", "system") == len(PAIRS)
    assert stored(opened) == PAIRS
    opened.close()
    with duckdb.connect(str(file), read_only=True) as plain:
        assert plain.execute(HEADS).fetchall() == [(RIGHT_HEADS, len(PAIRS))]
        [(uas,)] = plain.execute(
            "SELECT 2 * sum(correct_head) / (sum(gold_words) + sum(system_words)) FROM attachment('gold', 'system')"
        ).fetchall()
    with treesql.connect(file) as db, heard():
        assert db.score("dependency", "gold", "system", metric="uas").rows() == [{"system": "system", "uas": uas}]
    assert uas == 2 * RIGHT_HEADS / (5 + 4)


def test_scoring_leaves_the_file_as_it_is(file: Path) -> None:
    before = file.read_bytes()
    for how in ({"read_only": True}, {"read_only": True, "safe": True}):
        with treesql.connect(file, **how) as db:
            with heard() as told:
                found = db.score("dependency", "gold", "system", metric="attachment").rows()
            assert (found[0]["gold_words"], found[0]["system_words"], found[0]["aligned_pairs"]) == (5, 4, 3)
            assert len(told) == 1
            assert db.align_words("gold", "system") == len(PAIRS)
            assert stored(db) == PAIRS, "for this connection"
        assert file.read_bytes() == before


def test_words_that_are_the_same_need_no_rows(opened: treesql.Database) -> None:
    assert opened.align_words("gold", "gold") == 0
    assert opened.score("attachment", gold_corpus="gold", system_corpus="gold").rows()[0]["words"] == 5
    assert stored(opened) == []


def test_corpora_that_cannot_be_aligned(opened: treesql.Database, tmp_path: Path) -> None:
    load(opened, tmp_path, other=("you:0:root",))
    for _ in range(2):
        with pytest.raises(Incomparable, match="the texts part here"):
            opened.align_words("gold", "other")
        with pytest.raises(Incomparable, match="the texts part here"):
            opened.score("attachment", gold_corpus="gold", system_corpus="other")
    with pytest.raises(UnknownName, match="systm"):
        opened.align_words("gold", "systm")
    assert stored(opened) == []


CHANGES: dict[str, Any] = {
    "replaced": lambda db, folder: load(db, folder, system=(*GOLD,)),
    "changed": lambda db, folder: db.sql("DELETE FROM words WHERE corpus = 'system' AND word = 4"),
    "dropped": lambda db, folder: db.drop("system"),
}


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize(
    ("is_stored", "change"),
    [(True, "replaced"), (True, "changed"), (True, "dropped"), (False, "changed")],
)
def test_rows_go_with_those_of_a_corpus(
    opened: treesql.Database, file: Path, tmp_path: Path, change: str, is_stored: bool
) -> None:
    if is_stored:
        opened.align_words("gold", "system")
    with heard():
        opened.score("dependency", "gold", "system", metric="las")
    assert stored(opened) == PAIRS
    with heard():
        CHANGES[change](opened, tmp_path)
    assert stored(opened) == []
    opened.close()
    with treesql.connect(file, read_only=True) as db:
        assert stored(db) == []


def test_a_corpus_that_was_replaced_is_scored_as_it_is(opened: treesql.Database, tmp_path: Path) -> None:
    with heard():
        first = opened.score("dependency", "gold", "system", metric="uas").rows()
    load(opened, tmp_path, system=GOLD)
    assert (
        opened.score("dependency", "gold", "system", metric="uas").rows() == [{"system": "system", "uas": 1}] != first
    )
    load(opened, tmp_path, system=SYSTEM)
    with heard() as told:
        assert opened.score("dependency", "gold", "system", metric="uas").rows() == first
    assert len(told) == 1


def test_a_change_that_is_undone(opened: treesql.Database, tmp_path: Path) -> None:
    """Classes of one's own are there for one scoring, with all that is filled for it."""
    (tmp_path / "classes.csv").write_text("relation,class\nnsubj,content\n")
    for _ in range(2):
        with heard():
            found = opened.score(
                "dependency", "gold", "system", metric="attachment,content_recall", classes=tmp_path / "classes.csv"
            ).rows()
        assert (found[0]["aligned_pairs"], found[0]["content_recall"]) == (3, 1)


def test_words_that_change_places_are_no_same_words(db: treesql.Database, tmp_path: Path) -> None:
    """Nor is one word that stands for another twice; both would cancel out in a plain sum of hashes."""
    load(db, tmp_path, gold=("a:0:root", "b:0:root", "a:0:root"), turned=("b:0:root", "a:0:root", "a:0:root"))
    load(db, tmp_path, other=("c:0:root", "b:0:root", "c:0:root"), same=("a:0:x", "b:0:y", "a:0:z"))
    found = {name: db.query("same_words", gold_corpus="gold", system_corpus=name).rows() for name in db.corpora}
    assert {name: one["has_gold_words"] for name, [one] in found.items()} == {
        "gold": 1, "turned": 0, "other": 0, "same": 1
    }  # fmt: skip


def test_queries_across_tokenisations_refuse_words_that_are_no_pairs(opened: treesql.Database) -> None:
    """In SQL, where nothing aligns words beforehand; other macros pair them by position."""
    aligned = opened.query("conll18", gold_corpus="gold", system_corpus="system").rows()
    for name in ("conll18", "tagging", "content_attachment", "enhanced_attachment", "iwpt20", "compared_words"):
        opened.engine.fill_table("word_alignments", {"gold": "gold", "system": "system"}, None, {})
        with pytest.raises(QueryError, match=f"{name}: the words of gold and system differ; align them first"):
            opened.sql(f"FROM {name}('gold', 'system')")
    opened.align_words("gold", "system")
    assert opened.sql("FROM conll18('gold', 'system')").rows() == aligned
    assert len(opened.sql("FROM tagging('gold', 'gold')")) == 5


@pytest.mark.parametrize("name", ["aligned_attachment", "aligned_class_scores", "aligned_word_pairs"])
def test_old_names_are_told_what_to_write(opened: treesql.Database, name: str) -> None:
    new = {"aligned_class_scores": "relation_class_scores"}.get(name, name.removeprefix("aligned_"))
    with pytest.raises(UnknownName, match=f"{new} aligns words that differ; write {new}$"):
        opened.query(name, gold_corpus="gold", system_corpus="system")
    with pytest.raises(QueryError, match=r"name the one without aligned_"):
        opened.sql(f"FROM {name}('gold', 'system')")


@pytest.mark.parametrize("name", ["aligned_attachment", "aligned_attachment.las"])
def test_old_metrics_are_told_what_to_write(opened: treesql.Database, name: str) -> None:
    with pytest.raises(UnknownName, match=r"attachment aligns words that differ; write attachment$"):
        opened.score("dependency", "gold", "system", metric=name)


@pytest.mark.slow
def test_a_folder_keeps_them_for_its_connection(file: Path, tmp_path: Path) -> None:
    with treesql.connect(file) as db:
        db.align_words("gold", "system")
        db.export(tmp_path / "folder")
    with treesql.connect(tmp_path / "folder") as db:
        assert stored(db) == []
        with heard():
            rows = db.score("dependency", "gold", "system", metric="attachment").rows()
        assert rows[0]["aligned_pairs"] == 3
        assert db.align_words("gold", "system") == len(PAIRS)
    assert not [path for path in (tmp_path / "folder").rglob("*") if "word_alignments" in path.name]
