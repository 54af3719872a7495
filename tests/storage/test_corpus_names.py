"""Names of corpora, treebanks and languages from those of files and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.rules import in_turn
from treesql.errors import UsageError
from treesql.storage.corpus_plans import (
    FileName,
    FolderName,
    names_of_files,
    names_of_folders,
    names_of_inputs,
    read_file,
    read_folder,
    treebank_and_language,
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("UD_English-EWT/en_ewt-ud-dev.conllu", ("English-EWT", "English")),
        ("ud-treebanks-v2.16/UD_Old_French-PROFITEROLE/fro_profiterole-ud-test.conllu.gz",
         ("Old_French-PROFITEROLE", "Old French")),
        ("UD_South_Levantine_Arabic-MADAR/a.conllu", ("South_Levantine_Arabic-MADAR", "South Levantine Arabic")),
        ("UD_Norwegian/no-ud-train.conllu", ("Norwegian", "Norwegian")),
        ("UD_English-EWT/not-to-release/sources/a.conllu", ("English-EWT", "English")),
        ("English-EWT/en_ewt-ud-dev.conllu", ("English-EWT", "English")),
        ("English-EWT/en_gum-ud-dev.conllu", (None, None)),
        ("My-Data/en_ewt-ud-dev.conllu", (None, None)),
        ("Downloads/en-ud-dev.conllu", (None, None)),
        ("Hindi-PUD/parser.conllu", (None, None)),
        ("UD_/a.conllu", (None, None)),
        ("UD_2-X/a.conllu", (None, None)),
    ],
)  # fmt: skip
def test_treebanks_and_languages_of_universal_dependencies(
    path: str, expected: tuple[str | None, str | None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert treebank_and_language(path) == expected


def test_a_folder_that_is_the_current_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "UD_English-EWT").mkdir()
    monkeypatch.chdir(tmp_path / "UD_English-EWT")
    assert treebank_and_language("en_ewt-ud-dev.conllu") == ("English-EWT", "English")
    assert names_of_folders(["en_ewt-ud-dev.conllu"]) == {"en_ewt-ud-dev.conllu": "UD_English-EWT"}


@in_turn(
    ("paths", "names"),
    [
        ([], []),
        (["/d/a.conllu"], ["a"]),
        (["/d/a.conllu.gz", "/d/b.mrg", "/d/c.fst.txt", "/d/d.txt", "/d/notes"], ["a", "b", "c", "d", "notes"]),
        (["/d/a.b.conllu"], ["a.b"]),
        (["/d/.conllu"], [".conllu"]),
        (["/x/a.conllu", "/y/a.conllu", "/y/b.conllu"], ["x/a", "y/a", "b"]),
        (["/1/x/a.conllu", "/2/x/a.conllu", "/2/y/a.conllu"], ["1/x/a", "2/x/a", "y/a"]),
        (["/a.conllu", "/x/a.conllu"], ["a", "x/a"]),
        (["/x/a.conllu", "/x/a.conllu.gz", "/x/a.mrg"], ["a.conllu", "a.conllu.gz", "a.mrg"]),
        (["/x/a.conllu", "/x/a.mrg", "/y/a.conllu"], ["a.conllu", "a.mrg", "a"]),
    ],
)  # fmt: skip
def test_names_of_files(paths: list[str], names: list[str]) -> None:
    assert list(names_of_files(paths).values()) == names


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["/d/UD_A-B/a.conllu", "/d/UD_A-B/b.conllu", "/d/UD_C-D/a.conllu"], ["UD_A-B", "UD_A-B", "UD_C-D"]),
        (["/1/x/a.conllu", "/2/x/a.conllu", "/2/x/b.conllu"], ["1/x", "2/x", "2/x"]),
        (["/x/x/a.conllu", "/x/a.conllu"], ["x/x", "x"]),
        (["/a.conllu"], ["/"]),
    ],
)
def test_names_of_folders(paths: list[str], names: list[str]) -> None:
    assert list(names_of_folders(paths).values()) == names


def test_names_that_cannot_differ() -> None:
    with pytest.raises(UsageError, match="several files would be the corpus"):
        names_of_files(["/x/a.conllu", "/x/a.mrg", "/x/a.conllu.conllu"])


@pytest.mark.parametrize(
    ("paths", "names", "before_stars"),
    [
        (["gold.conllu", "out/a", "-"], ["gold.conllu", "a", "stdin"], ["gold.conllu", "a", "stdin"]),
        (["a/x.conllu", "b/x.conllu"], ["a/x.conllu", "b/x.conllu"], ["a/x.conllu", "b/x.conllu"]),
        (["out/a/*.conllu"], ["*.conllu"], ["a"]),
        (["out/a/**/b-*/x.conllu"], ["x.conllu"], ["a"]),
        (["*.conllu"], ["*.conllu"], ["*.conllu"]),
        (["out/a/", "/"], ["a", "/"], ["a", "/"]),
        (["/data/ud/.."], ["data"], ["data"]),
    ],
)
def test_names_of_inputs(paths: list[str], names: list[str], before_stars: list[str]) -> None:
    assert names_of_inputs(paths) == names
    assert names_of_inputs(paths, before_stars=True) == before_stars


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("UD_English-EWT", FolderName("English-EWT", "English", "EWT", True)),
        ("UD_Old_French-PROFITEROLE", FolderName("Old_French-PROFITEROLE", "Old French", "PROFITEROLE", True)),
        ("UD_Norwegian", FolderName("Norwegian", "Norwegian", None, True)),
        ("English-EWT", FolderName("English-EWT", "English", "EWT", False)),
        ("English", None),
        ("UD_", None),
        ("UD_2-X", None),
        ("parser-a", None),
        ("Run2-b", None),
        ("", None),
    ],
)
def test_what_names_of_folders_say(name: str, expected: FolderName | None) -> None:
    assert read_folder(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("en_ewt-ud-dev.conllu.gz", FileName("en_ewt", "ewt", True, "dev", ".conllu.gz")),
        ("en_ewt-ud-dev", FileName("en_ewt", "ewt", True, "dev", "")),
        ("en_ewt-dev", FileName("en_ewt", "ewt", False, "dev", "")),
        ("en_ewt", FileName("en_ewt", "ewt", False, None, "")),
        ("no-ud-test", FileName("no", None, True, "test", "")),
        ("en_ewt-ud-devel", FileName("en_ewt", "ewt", True, None, "-devel")),
        ("de-fr", FileName("de", None, False, None, "-fr")),
        ("wsj_23_b", None),
        ("23", None),
        ("", None),
    ],
)
def test_what_names_of_files_say(name: str, expected: FileName | None) -> None:
    assert read_file(name) == expected
