"""A corpus per file or folder: names, refused corpora, formats, progress, interrupts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.house.rules import in_turn
from treesql.errors import InvalidCorpora, InvalidInput, UnknownName, UsageError
from treesql.storage import loading

BAD = conllu("a:0:root") + b"1\tb\n\n"
TREE = b"(S (N a) (V b))\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with three treebanks of Universal Dependencies, notes and a hidden file."""
    monkeypatch.chdir(tmp_path)
    files = {
        "ud/UD_English-EWT/en_ewt-ud-dev.conllu": conllu("a:0:root"),
        "ud/UD_English-EWT/en_ewt-ud-train.conllu": conllu("a:0:root b:1:obj", "c:0:root"),
        "ud/UD_English-EWT/LICENSE.txt": b"notes",
        "ud/UD_English-EWT/README.md": b"notes",
        "ud/UD_Old_French-X/fro_x-ud-dev.conllu": conllu("a:0:root b:1:obj c:1:obj"),
        "ud/UD_Old_French-X/.hidden.conllu": BAD,
        "ud/UD_Old_French-X/LICENSE.txt": b"notes",
        "ud/other/dev.conllu": conllu("x:0:root"),
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path


def corpora(db: treesql.Database) -> dict[str, tuple[Any, ...]]:
    """By name, the treebank, the language, and the words as the tables have them."""
    rows = db.sql("""
        SELECT c.corpus, c.treebank, c.language, string_agg(w.form, ' ' ORDER BY w.sentence, w.word) AS words
        FROM corpora AS c JOIN words AS w ON w.corpus = c.corpus
        GROUP BY c.corpus, c.treebank, c.language, c.loaded_at ORDER BY c.loaded_at
    """).rows()
    return {row["corpus"]: (row["treebank"], row["language"], row["words"]) for row in rows}


RELEASE = {
    "en_ewt-ud-dev": ("English-EWT", "English", "a"),
    "en_ewt-ud-train": ("English-EWT", "English", "a b c"),
    "fro_x-ud-dev": ("Old_French-X", "Old French", "a b c"),
    "dev": (None, None, "x"),
}


def test_a_corpus_per_file(db: treesql.Database, folder: Path) -> None:
    loaded = db.load("ud")
    assert [(one.corpus, one.n_sentences, one.n_words) for one in loaded] == [
        ("en_ewt-ud-dev", 1, 1), ("en_ewt-ud-train", 2, 3), ("fro_x-ud-dev", 1, 3), ("dev", 1, 1),
    ]  # fmt: skip
    assert loaded.left_out == 3
    assert corpora(db) == RELEASE
    [row] = db.sql("FROM corpora WHERE corpus = 'dev'").rows()
    assert [file["path"] for file in row["files"]] == ["ud/other/dev.conllu"]


def test_a_corpus_per_folder(db: treesql.Database, folder: Path) -> None:
    assert [one.n_words for one in db.load("ud", each="folder")] == [4, 3, 1]
    assert corpora(db) == {
        "UD_English-EWT": ("English-EWT", "English", "a a b c"),
        "UD_Old_French-X": ("Old_French-X", "Old French", "a b c"),
        "other": (None, None, "x"),
    }
    db.load("ud/UD_English-EWT", corpus="same")
    [row] = db.sql("""SELECT count(DISTINCT c.sha256) AS digests, count(*) AS n FROM corpora AS c
                      WHERE c.corpus IN ('same', 'UD_English-EWT')""").rows()
    assert row == {"digests": 1, "n": 2}, "the same as of one name"


def test_a_single_file_and_what_is_given_instead_of_names(db: treesql.Database, folder: Path) -> None:
    db.load("ud/UD_English-EWT/en_ewt-ud-dev.conllu", treebank="T", language="xx")
    assert corpora(db) == {"en_ewt-ud-dev": ("T", "xx", "a")}


@pytest.mark.parametrize(
    ("paths", "expected", "left_out"),
    [
        (["ud/UD_*/*-dev.conllu"], ["en_ewt-ud-dev", "fro_x-ud-dev"], 0),
        (["ud/*/*"], list(RELEASE), 3),
        (["ud/**"], list(RELEASE), 3),
        (["ud/other", "ud/UD_*/*-dev.conllu", "ud/other/dev.conllu"], ["dev", "en_ewt-ud-dev", "fro_x-ud-dev"], 0),
        (["ud/*/*.txt"], ["UD_English-EWT/LICENSE", "UD_Old_French-X/LICENSE"], 0),
        (["ud/UD_English-EWT/LICENSE.txt"], ["LICENSE"], 0),
        (["./ud/other/dev.conllu", "ud/other"], ["dev"], 0),
    ],
)
def test_patterns(db: treesql.Database, folder: Path, paths: list[str], expected: list[str], left_out: int) -> None:
    loaded = db.load(*paths)
    assert sorted(one.corpus for one in loaded) == sorted(expected)
    assert loaded.left_out == left_out


def test_bad_corpora_are_listed_at_the_end_and_the_others_loaded(db: treesql.Database, folder: Path) -> None:
    (folder / "ud/UD_English-EWT/bad.conllu").write_bytes(BAD * 3)
    (folder / "ud/z.conllu").write_bytes(b"")
    with pytest.raises(InvalidCorpora) as caught:
        db.load("ud")
    assert corpora(db) == RELEASE
    assert list(caught.value.refused) == ["bad", "z"]
    assert [one.corpus for one in caught.value.loaded] == list(RELEASE)
    assert [(Path(fault.path).name, fault.line) for fault in caught.value.faults] == [
        ("bad.conllu", 3), ("bad.conllu", 7), ("bad.conllu", 11), ("z.conllu", 0)
    ]  # fmt: skip
    first, *lines = str(caught.value).splitlines()
    assert first == "2 of 6 corpora are not loaded:"
    assert [line.split(": ")[0] for line in lines] == ["ud/UD_English-EWT/bad.conllu:3", "ud/z.conllu"]
    assert lines[0].endswith("(and 2 more)")
    assert isinstance(caught.value, InvalidInput)


def test_the_error_of_a_single_corpus_is_as_with_a_name(db: treesql.Database, folder: Path) -> None:
    (folder / "bad.conllu").write_bytes(BAD * 2)
    messages = []
    for corpus in ("x", None):
        with pytest.raises(InvalidInput) as caught:
            db.load("bad.conllu", corpus=corpus)
        assert type(caught.value) is InvalidInput
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert db.corpora == []


def test_corpora_that_are_loaded_already(db: treesql.Database, folder: Path) -> None:
    db.load("ud/UD_Old_French-X", "ud/other")
    (folder / "ud/other/dev.conllu").write_bytes(conllu("new:0:root"))
    with pytest.raises(InvalidCorpora) as caught:
        db.load("ud")
    assert list(caught.value.refused) == ["fro_x-ud-dev", "dev"]
    assert str(caught.value).splitlines()[1:] == [
        f"corpus {name!r} is loaded already; choose another name, or load with --replace"
        for name in ("fro_x-ud-dev", "dev")
    ]
    assert corpora(db)["dev"] == (None, None, "x")
    assert list(corpora(db)) == ["fro_x-ud-dev", "dev", "en_ewt-ud-dev", "en_ewt-ud-train"]
    db.load("ud", replace=True)
    assert corpora(db) == RELEASE | {"dev": (None, None, "new")}
    (folder / "ud/other/dev.conllu").write_bytes(BAD)
    with pytest.raises(InvalidCorpora):
        db.load("ud", replace=True)
    assert corpora(db)["dev"] == (None, None, "new"), "a replacement that fails leaves what was there"


def test_strings_of_replaced_corpora_are_deleted(db: treesql.Database, tmp_path: Path) -> None:
    for value in ("A=1", "B=1"):
        for name in ("a", "b"):
            (tmp_path / f"{name}.conllu").write_text(f"1\ta\t_\t_\t_\t{value}\t0\troot\t_\t_\n\n")
        db.load(tmp_path, replace=True)
    assert db.sql("SELECT feats FROM feature_lists").rows() == [{"feats": "B=1"}]


def test_several_kinds_in_a_folder(db: treesql.Database, tmp_path: Path) -> None:
    for name, content in {
        "a.conllu": conllu("a:0:root"),
        "a.mrg": TREE,
        "b.mrg": TREE,
        "l.pharaoh": b"0-0 1-1\n",
    }.items():
        (tmp_path / name).write_bytes(content)
    db.load(tmp_path, reverse=True)
    db.load(tmp_path, each="folder")
    rows = db.sql("SELECT corpus, format, reading FROM corpora ORDER BY loaded_at").rows()
    name = tmp_path.name
    assert [tuple(row.values()) for row in rows] == [
        ("a.conllu", "conllu", ""), ("a.mrg", "penn", ""), ("b", "penn", ""), ("l", "pharaoh", "reverse"),
        (f"{name}.conllu", "conllu", ""), (f"{name}.penn", "penn", ""), (f"{name}.pharaoh", "pharaoh", ""),
    ]  # fmt: skip


def test_one_format_for_all(db: treesql.Database, tmp_path: Path) -> None:
    for name in ("a.mrg", "b.trees"):
        (tmp_path / name).write_bytes(TREE)
    (tmp_path / "c.conllu").write_bytes(conllu("a:0:root"))
    assert [one.corpus for one in db.load(tmp_path, format="penn")] == ["a"]
    assert [one.corpus for one in db.load(tmp_path / "b.trees", format="penn")] == ["b.trees"]


def test_links_to_corpora_of_the_same_command(db: treesql.Database, tmp_path: Path) -> None:
    for name in ("de", "en"):
        (tmp_path / f"{name}.conllu").write_bytes(conllu("a:0:root b:1:obj"))
    (tmp_path / "good.pharaoh").write_text("0-1\n")
    (tmp_path / "long.pharaoh").write_text("0-2\n")
    with pytest.raises(InvalidCorpora) as caught:
        db.load(tmp_path, source_corpus="en", target_corpus="de")
    assert list(caught.value.refused) == ["long"]
    assert sorted(db.corpora) == ["de", "en", "good"]
    with pytest.raises(InvalidCorpora) as caught:
        db.load(tmp_path, source_corpus="fr", replace=True)
    assert [type(error) for error in caught.value.refused.values()] == [UnknownName, UnknownName]


@in_turn(
    ("options", "message"),
    [
        ({"each": "sentence"}, "unknown kind of corpora 'sentence'"),
        ({"each": "file", "corpus": "x"}, "leave out corpus=, or each="),
        ({"reverse": True}, "these files have no links"),
        ({"source_corpus": "x"}, "these files have no links"),
        ({"ids": "first"}, "is for plain texts"),
        ({"scores": "cost"}, "is for lattices"),
        ({"format": "conlu"}, "unknown format 'conlu'; did you mean conllu"),
        ({"format": "plf"}, "no .plf or .plf.gz file is in this folder"),
    ],
)
def test_bad_usage_changes_nothing(db: treesql.Database, folder: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, UnknownName, InvalidInput), match=message):
        db.load("ud", **options)
    assert db.corpora == []


def test_paths_that_do_not_exist(db: treesql.Database, folder: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        db.load("ud", "none", "no*.conllu")
    assert [fault.path for fault in caught.value.faults] == ["none", "no*.conllu"]
    assert db.corpora == []
    with pytest.raises(UsageError, match="name at least one file"):
        db.load()


def test_a_data_set_has_its_own_names(db: treesql.Database, folder: Path) -> None:
    db.load("ud")
    db.export("set")
    with treesql.connect() as copy:
        copy.load("set")
        assert sorted(copy.corpora) == sorted(RELEASE)
        with pytest.raises(UsageError, match="does not apply to a data set"):
            copy.load("set", each="file")
        with pytest.raises(UsageError, match="a Parquet data set and other files"):
            copy.load("set", "ud")


def test_the_database_is_made_with_the_first_corpus_that_can_be_loaded(folder: Path) -> None:
    for name in ("0", "1"):
        (folder / f"ud/{name}.conllu").write_bytes(BAD)
    with pytest.raises(InvalidCorpora):
        treesql.load("made.duckdb", "ud/0.conllu", "ud/1.conllu")
    assert [path.name for path in folder.iterdir()] == ["ud"]
    with pytest.raises(InvalidCorpora):
        treesql.load("made.duckdb", "ud")
    assert sorted(path.name for path in folder.iterdir()) == ["made.duckdb", "ud"]
    with treesql.connect("made.duckdb") as db:
        assert corpora(db) == RELEASE


def test_progress_ends_with_all_bytes_also_of_bad_files(db: treesql.Database, folder: Path) -> None:
    db.load("ud/other")
    (folder / "ud/0.conllu").write_bytes(BAD * 50_000)
    seen: list[tuple[int, int | None]] = []
    with pytest.raises(InvalidCorpora):
        db.load("ud", progress=lambda done, total: seen.append((done, total)))
    total = sum(path.stat().st_size for path in (folder / "ud").rglob("[!.]*.conllu"))
    assert seen[0] == (0, total)
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_settings_are_put_back(db: treesql.Database, folder: Path) -> None:
    sql = "SELECT current_setting('threads') AS threads, current_setting('checkpoint_threshold') AS size"
    before = db.sql(sql).rows()
    db.load("ud")
    assert db.sql(sql).rows() == before


def test_a_safe_database(folder: Path) -> None:
    with treesql.connect("safe.duckdb", safe=True) as db:
        db.load("ud")
        assert corpora(db) == RELEASE


def before_corpus(monkeypatch: pytest.MonkeyPatch, corpus: str, act: Callable[[], None]) -> None:
    """Act before a corpus is finished."""
    usual = loading.finish_corpora

    def finish(engine: Any, read: Any, options: Any) -> Any:
        if read[0][0].corpus == corpus:
            act()
        return usual(engine, read, options)

    monkeypatch.setattr(loading, "finish_corpora", finish)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Query interrupted"), MemoryError()])
def test_whole_corpora_stay_and_the_error_says_which(
    db: treesql.Database, folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(loading, "GROUP_BYTES", 0)
    before_corpus(monkeypatch, "fro_x-ud-dev", fail)
    with pytest.raises((KeyboardInterrupt, UsageError)) as caught:
        db.load("ud")
    assert caught.value.__notes__ == ["2 of 4 corpora were loaded, the last one is 'en_ewt-ud-train'"]
    assert corpora(db) == {name: RELEASE[name] for name in ("en_ewt-ud-dev", "en_ewt-ud-train")}
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    with pytest.raises(InvalidCorpora):
        db.load("ud")
    assert corpora(db) == RELEASE, "the same command loads the others"


@pytest.mark.slow
def test_many_files_are_as_loaded_one_by_one(db: treesql.Database, tmp_path: Path) -> None:
    """The same rows and digests, whatever the number of threads."""
    names = ("gold", "parser-a", "parser-b")
    for at in range(8):
        for name in names:
            shutil.copy(FIXTURES / f"{name}.conllu", tmp_path / f"{name}-{at}.conllu")
    db.load(tmp_path)
    with treesql.connect() as other:
        for path in sorted(tmp_path.iterdir()):
            other.load(path, corpus=path.name.removesuffix(".conllu"))
        for table in ("corpora", "sentences", "words", "tokens", "enhanced_edges", "feature_lists"):
            sql = f"SELECT * {'EXCLUDE (loaded_at)' if table == 'corpora' else ''} FROM {table}"
            assert sorted(map(str, db.sql(sql).rows())) == sorted(map(str, other.sql(sql).rows())), table


def test_of_an_interrupted_group_of_small_corpora_nothing_stays(
    db: treesql.Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups of two here: the first two corpora were loaded, the others not, though their rows were inserted."""
    monkeypatch.setattr(loading, "GROUP_FILES", 2)
    usual = loading.write_records

    def fail_later(engine: Any, read: Any, options: Any) -> None:
        usual(engine, read, options)
        if read[0][0].corpus == "fro_x-ud-dev":
            raise KeyboardInterrupt

    monkeypatch.setattr(loading, "write_records", fail_later)
    with pytest.raises(KeyboardInterrupt) as caught:
        db.load("ud")
    assert caught.value.__notes__ == ["2 of 4 corpora were loaded, the last one is 'en_ewt-ud-train'"]
    assert db.corpora == ["en_ewt-ud-dev", "en_ewt-ud-train"]
    assert len(db.sql("SELECT DISTINCT w.corpus FROM words AS w").rows()) == 2
