"""Names of folders and files of Universal Dependencies."""

from __future__ import annotations

from tests.house.rules import in_turn
from treesql.storage.ud_names import FileName, FolderName, read_file, read_folder


@in_turn(
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
def test_folders(name: str, expected: FolderName | None) -> None:
    assert read_folder(name) == expected


@in_turn(
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
def test_files(name: str, expected: FileName | None) -> None:
    assert read_file(name) == expected
