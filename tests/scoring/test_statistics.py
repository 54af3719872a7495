"""Opening treebanks: what is one, what it is called, what is read of it."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from treesql import catalog
from treesql.errors import DatabaseError, Diagnostic, InvalidInput, UnknownName, UsageError
from treesql.evaluation.hooks.dependency import find_warnings
from treesql.scoring import scores, treebank_inputs

STATISTICS = ("treebank_statistics", "unclassified_relations", "word_entropy", "relation_profile", "missing_lemmas")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two treebanks, one of them a folder of three files, other files among them."""
    (tmp_path / "A" / "deep").mkdir(parents=True)
    (tmp_path / "A" / "dev.conllu").write_bytes(conllu("a:0:root"))
    (tmp_path / "A" / "test.conllu.gz").write_bytes(gzip.compress(conllu("b:0:root c:1:obj")))
    (tmp_path / "A" / "deep" / "x.conllu").write_bytes(conllu("d:0:root"))
    (tmp_path / "A" / "README").write_text("not a treebank")
    (tmp_path / "A" / "old.txt").write_text("not a treebank")
    (tmp_path / "b.conllu").write_bytes(conllu("a:0:root b:1:odd"))
    return tmp_path


def words(*paths: Path | str, **options: object) -> dict[str, int]:
    with treebank_inputs.open_treebanks(
        [str(path) for path in paths], ["treebank_statistics"], **options
    ) as connection:  # type: ignore[arg-type]
        return {row["treebank"]: row["words"] for row in scores.run_statistic(connection, "treebank_statistics").rows()}


def test_files_and_folders_are_treebanks(folder: Path) -> None:
    assert words(folder / "A", folder / "b.conllu") == {"A": 4, "b.conllu": 2}


def test_each_file_or_folder_is_a_treebank_named_as_by_load(folder: Path) -> None:
    """A treebank's name of Universal Dependencies is that of one of them; of several, none has it."""
    for name in ("en_ewt-ud-dev", "en_ewt-ud-test"):
        (folder / "UD_English-EWT").mkdir(exist_ok=True)
        (folder / "UD_English-EWT" / f"{name}.conllu").write_bytes(conllu("a:0:root"))
    (folder / "UD_German-GSD").mkdir()
    (folder / "UD_German-GSD" / "de_gsd-ud-dev.conllu").write_bytes(conllu("a:0:root b:1:obj c:1:obj"))
    found = {"dev": 1, "test": 2, "x": 1, "b": 2, "en_ewt-ud-dev": 1, "en_ewt-ud-test": 1, "German-GSD": 3}
    assert words(folder, each="file") == found
    with treesql.connect() as db:
        loaded = db.load(folder)
    assert {corpus.corpus for corpus in loaded} == {*found, "de_gsd-ud-dev"} - {"German-GSD"}
    named = {"A": 3, "deep": 1, folder.name: 2, "English-EWT": 2, "German-GSD": 3}
    assert words(folder, each="folder") == named
    assert words(folder / "A", folder / "UD_German-GSD", each="file") == {"dev": 1, "test": 2, "x": 1, "German-GSD": 3}
    assert words(folder, each="file", corpora=["en_*", "x"]) == {"en_ewt-ud-dev": 1, "en_ewt-ud-test": 1, "x": 1}
    assert words(folder / "A", folder / "b.conllu", corpora=["b*"]) == {"b.conllu": 2}
    rows = treesql.find(folder, "pattern { H -> V }", by="language, treebank", each="file", corpus=["de_*", "b"]).rows()
    assert rows == [
        {"language": "German", "treebank": "German-GSD", "count": 3}, {"language": "b", "treebank": "b", "count": 2}
    ]  # fmt: skip
    with pytest.raises(UnknownName, match="corpus"):
        words(folder, each="file", corpora=["none*"])
    with pytest.raises(UnknownName, match="file"):
        words(folder, each="files")
    with pytest.raises(UsageError, match="not in a file"):
        treesql.find(conllu("a:0:root"), "pattern { V [] }", each="file")


def test_names_that_would_be_the_same_are_paths(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder / "A", folder / "other" / "A")
    assert words(folder / "A", folder / "other" / "A") == {str(folder / "A"): 4, str(folder / "other" / "A"): 4}
    monkeypatch.chdir(folder / "A")
    assert words(".") == {"A": 4}


def test_the_treebanks_of_a_database_are_those_of_its_corpora(folder: Path) -> None:
    with treesql.connect(folder / "t.duckdb") as db:
        db.load(folder / "A" / "dev.conllu", corpus="dev", treebank="T")
        db.load(folder / "A" / "test.conllu.gz", corpus="test", treebank="T")
        db.load(folder / "b.conllu", corpus="b")
    assert words(folder / "t.duckdb") == {"T": 3, "b": 2}
    for options in ({"permissive": True}, {"strict": True}):
        with pytest.raises(UsageError, match="do not apply to a database"):
            words(folder / "t.duckdb", **options)
    with pytest.raises(UsageError, match="a database is the only input"):
        words(folder / "t.duckdb", folder / "A")
    with pytest.raises(UsageError, match="--each"):
        words(folder / "t.duckdb", each="file")
    for source in (folder / "t.duckdb", [folder / "t.duckdb"]):
        assert treesql.find(source, "pattern { H -> V }", by="treebank", corpus="d*").rows() == [
            {"treebank": "T", "count": 1}
        ]
    with pytest.raises(DatabaseError, match="there is no such database"):
        words(folder / "none.duckdb")


@pytest.mark.parametrize("form", ["folder", "database"])
def test_classes_of_the_users_own(folder: Path, form: str) -> None:
    (folder / "c.csv").write_text("relation,class\nroot,function\n")
    path = folder / "A"
    if form == "database":
        path = folder / "t.duckdb"
        with treesql.connect(path) as db:
            db.load(folder / "A" / "test.conllu.gz", corpus="test")
    classes_file = str(folder / "c.csv")
    with treebank_inputs.open_treebanks([str(path)], ["relation_shares"], classes_file=classes_file) as connection:
        [row] = scores.run_statistic(connection, "relation_shares").rows()
    assert row["function_share"] == (3 / 4 if form == "folder" else 1 / 2)


def test_bad_arguments(folder: Path) -> None:
    for paths, message in (
        ([], "at least one treebank"),
        ([folder / "A", folder / "A"], "is named twice"),
    ):
        with pytest.raises(UsageError, match=message):
            words(*paths)
    (folder / "empty").mkdir()
    for path in ("none.conllu", "empty"):
        with pytest.raises(InvalidInput, match=r"check the path"):
            words(folder / path)


def test_what_is_worth_a_look(folder: Path) -> None:
    (folder / "roots.conllu").write_bytes(conllu("a:0:root b:0:root"))
    heard: list[Diagnostic] = []
    paths = [str(folder / name) for name in ("A", "b.conllu", "roots.conllu")]
    with treebank_inputs.open_treebanks(paths, STATISTICS, warn=heard.append) as connection:
        remarks = [str(one) for one in find_warnings(connection)]
    assert ["1 sentence with several roots" in str(one) for one in heard] == [True]
    assert [one.split(";")[0] for one in remarks] == [
        "A: 4 words, fewer than the 1000 of a chunk",
        "b.conllu: 2 words, fewer than the 1000 of a chunk",
        "roots.conllu: 2 words, fewer than the 1000 of a chunk",
        "b.conllu: relations that belong to no class: odd (1)",
    ]
    with pytest.raises(InvalidInput, match="2 roots"):
        words(folder / "roots.conllu", strict=True)


def test_the_columns_that_are_read_suffice(db: treesql.Database) -> None:
    """The same rows as where everything was loaded."""
    db.load(FIXTURES / "gold.conllu", corpus="gold.conllu")
    for name in STATISTICS:
        with treebank_inputs.open_treebanks([str(FIXTURES / "gold.conllu")], [name]) as connection:
            assert scores.run_statistic(connection, name).rows() == db.query(name).rows(), name
        read = catalog.columns_read([catalog.query(name)])["words"]
        assert ("feats" in read) == (name == "treebank_statistics"), "which counts words with features"


def test_columns_behind_views_and_computed_columns_are_read() -> None:
    read = catalog.columns_read([catalog.query("treebank_statistics")])
    assert "trees" in catalog.query("treebank_statistics").statement.identifiers
    assert {"head", "projective", "depth", "deprel", "udeprel", "form"} <= read["words"]


@pytest.mark.slow
def test_a_database_of_any_name_is_one_and_hidden_files_are_not_read(tmp_path: Path) -> None:
    with treesql.connect(tmp_path / "any.name") as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold")
        db.load(FIXTURES / "parser-a.conllu", corpus="a")
    with treebank_inputs.open_treebanks(
        [str(tmp_path / "any.name")], ["relation_shares"], corpora=["gold"]
    ) as connection:
        assert [row["treebank"] for row in scores.run_statistic(connection, "relation_shares").rows()] == ["gold"]
    with (
        pytest.raises(UnknownName, match="unknown corpus 'b'"),
        treebank_inputs.open_treebanks([str(tmp_path / "any.name")], ["relation_shares"], corpora=["b"]),
    ):
        pass
    (tmp_path / "t" / ".hidden").mkdir(parents=True)
    (tmp_path / "t" / "a.conllu").write_bytes((FIXTURES / "gold.conllu").read_bytes())
    (tmp_path / "t" / "._a.conllu").write_bytes(b"junk")
    (tmp_path / "t" / ".hidden" / "a.conllu").write_bytes(b"junk")
    with treebank_inputs.open_treebanks([str(tmp_path / "t")], ["relation_shares"]) as connection:
        assert [row["words"] for row in scores.run_statistic(connection, "relation_shares").rows()] == [30]


def test_a_sentence_whose_heads_form_a_cycle_is_neither_projective_nor_not(tmp_path: Path) -> None:
    (tmp_path / "c.conllu").write_bytes(conllu("a:2:x b:1:x", "a:0:root b:1:x"))
    with treebank_inputs.open_treebanks(
        [str(tmp_path / "c.conllu")], ["treebank_statistics"], permissive=True
    ) as connection:
        [row] = scores.run_statistic(connection, "treebank_statistics").rows()
    assert (row["non_projective_sentence_share"], row["non_projective_edge_share"]) == (0, 0)
