"""Which file of a folder of outputs belongs to which gold treebank, and which names are of one treebank."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.treebanks.folders import GOLD, PARSED, put
from treesql.errors import Diagnostic, InvalidInput, TreesqlError, UnknownName, UsageError
from treesql.evaluation.paired_files import Pair, find_pairs, pair_names


def test_pairs(treebank_folders: tuple[str, str]) -> None:
    gold, out = map(Path, treebank_folders)
    heard: list[Diagnostic] = []
    assert find_pairs(*treebank_folders, warn=heard.append) == {"out": [
        Pair("X", (gold / "X/x-dev.conllu", gold / "X/x-test.conllu"), gold / "X/x-test.conllu", out / "X.p.conllu"),
        Pair("Y", (gold / "Y/y.conllu",), gold / "Y/y.conllu", out / "Y.conllu.gz"),
        Pair("Z", (gold / "Z.conllu.gz",), gold / "Z.conllu.gz", out / "Z/anything.conllu"),
    ]}  # fmt: skip
    assert not heard


def test_gold_files_among_outputs(tmp_path: Path) -> None:
    for name in ("A.gold", "A.p", "A.q", "B.gold", "B.q", "C.p"):
        put(tmp_path / f"{name}.conllu", "a:0:root")
    folder = str(tmp_path)
    heard: list[str] = []
    [pairs] = find_pairs(folder, folder, ["q"], lambda one: heard.append(one.what)).values()
    assert [(pair.treebank, pair.scored.name, pair.system.name) for pair in pairs] == [
        ("A", "A.gold.conllu", "A.q.conllu"),
        ("B", "B.gold.conllu", "B.q.conllu"),
    ]
    assert not heard
    both = find_pairs(folder, folder, warn=lambda one: heard.append(one.what))
    assert {name: [pair.system.name for pair in pairs] for name, pairs in both.items()} == {
        "p": ["A.p.conllu"], "q": ["A.q.conllu", "B.q.conllu"]
    }  # fmt: skip
    assert heard == [f"there is no gold treebank C in {folder}"]
    heard.clear()
    of_p = find_pairs(folder, folder, ["p"], lambda one: heard.append(one.what))
    assert {name: [pair.treebank for pair in pairs] for name, pairs in of_p.items()} == {"p": ["A"]}
    assert heard == [f"the treebank B has no output in {folder}", f"there is no gold treebank C in {folder}"]
    with pytest.raises(UnknownName, match="unknown system 'r'; known: p, q"):
        find_pairs(folder, folder, ["p", "r"])


def test_one_system_has_the_name_that_its_files_share(tmp_path: Path) -> None:
    for name in ("A", "B"):
        put(tmp_path / "gold" / f"{name}.conllu", "a:0:root")
        put(tmp_path / "out" / f"{name}.malt.conllu", "a:0:root")
        put(tmp_path / "plain" / f"{name}.conllu", "a:0:root")
    for folder, system in (("out", "malt"), ("plain", "plain")):
        assert list(find_pairs(str(tmp_path / "gold"), str(tmp_path / folder))) == [system]
    put(tmp_path / "out" / "A" / "malt.conllu", "a:0:root")
    with pytest.raises(UsageError, match=r"several outputs of malt for A: .*A/malt\.conllu, .*A\.malt\.conllu$"):
        find_pairs(str(tmp_path / "gold"), str(tmp_path / "out"))


def test_the_gold_file_that_was_parsed(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    put(tmp_path / "gold" / "Y" / "y2.conllu", *GOLD["Y"])
    with pytest.raises(UsageError, match=r"Y has several gold files \(y.conllu, y2.conllu\), none of which"):
        find_pairs(*treebank_folders)
    (tmp_path / "out" / "Y.conllu.gz").unlink()
    put(tmp_path / "out" / "Y" / "y2.conllu", *PARSED["Y"])
    assert find_pairs(*treebank_folders)["out"][1].scored.name == "y2.conllu"
    put(tmp_path / "gold" / "X" / "x-test2.conllu", *GOLD["X"])
    with pytest.raises(UsageError, match="X has several gold files"):
        find_pairs(*treebank_folders)


def test_folders_that_hold_nothing(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    cases: list[tuple[tuple[str, str], type[TreesqlError], str]] = [
        ((str(tmp_path / "none"), treebank_folders[1]), InvalidInput, "there is no such folder"),
        ((treebank_folders[0], str(tmp_path / "gold" / "Z.conllu.gz")), InvalidInput, "this is a file"),
        ((str(tmp_path / "empty"), treebank_folders[1]), UsageError, "has no treebank"),
    ]
    for (gold, out), kind, message in cases:
        with pytest.raises(kind, match=message):
            find_pairs(gold, out)
    put(tmp_path / "gold" / "X.conllu", "a:0:root")
    with pytest.raises(UsageError, match="several gold treebanks are called X"):
        find_pairs(*treebank_folders)


@pytest.mark.parametrize("packing", ["", ".gz"])
@pytest.mark.parametrize("ending", [".conllu", ".conllx", ".conll", ".conllup", ".cupt"])
def test_endings_of_dependency_treebanks(tmp_path: Path, ending: str, packing: str) -> None:
    gold = put(tmp_path / "gold" / f"A{ending}{packing}", "a:0:root")
    out = put(tmp_path / "out" / f"A.p{ending}{packing}", "a:0:root")
    assert find_pairs(str(tmp_path / "gold"), str(tmp_path / "out")) == {"p": [Pair("A", (gold,), gold, out)]}


def pair(gold: list[str], names: list[str]) -> dict[str, str]:
    return pair_names(gold, names, "out", "gold")


@pytest.mark.parametrize(
    ("gold", "name"),
    [
        ("en_ewt-ud-dev", "en_ewt"),
        ("en_ewt", "en_ewt-ud-dev"),
        ("UD_English-EWT/en_ewt-ud-dev", "en_ewt"),
        ("UD_English-EWT/en_ewt-ud-dev", "en_ewt-ud-dev"),
        ("UD_English-EWT/en_ewt-ud-dev", "en_ewt-dev"),
        ("UD_English-EWT/en_ewt-ud-dev", "UD_English-EWT"),
        ("UD_English-EWT/en_ewt-ud-dev", "English-EWT/out"),
        ("UD_English-EWT/en_ewt-ud-dev", "a/en_ewt-ud-dev.parsed"),
        ("UD_Norwegian/no-ud-test", "no"),
    ],
)
def test_names_of_one_treebank(gold: str, name: str) -> None:
    assert pair([gold], [name]) == {gold: name}


@pytest.mark.parametrize(
    ("gold", "name"),
    [
        ("en_ewt-ud-dev", "en_ewt-ud-test"),
        ("en_ewt-ud-dev", "en_gum-ud-dev"),
        ("UD_English-EWT/en_ewt-ud-dev", "UD_English-GUM/en_ewt-ud-dev"),
        ("UD_English-EWT/en_ewt-ud-dev", "UD_English-EWT/en_gum"),
        ("de-en", "de-fr"),
        ("de.en", "de.fr"),
        ("de", "dev"),
        ("wsj/23", "23"),
        ("1", "2"),
        ("", "en_ewt"),
    ],
)
def test_names_of_two_treebanks(gold: str, name: str) -> None:
    assert pair([gold], [name]) == {}


def test_nothing_is_paired_by_order() -> None:
    assert pair([], []) == {}
    assert pair(["a", "b", "c"], ["b", "c", "d"]) == {"b": "b", "c": "c"}
    assert pair(["en_ewt", "de_gsd-ud-test"], ["de_gsd", "fr_gsd"]) == {"de_gsd-ud-test": "de_gsd"}


def test_an_equal_name_comes_first() -> None:
    assert pair(["en_ewt-ud-dev"], ["en_ewt", "en_ewt-ud-dev"]) == {"en_ewt-ud-dev": "en_ewt-ud-dev"}


def test_several_candidates_are_an_error_that_names_them() -> None:
    both = ["en_ewt-ud-dev", "en_ewt-ud-test"]
    with pytest.raises(UsageError, match=r"out: en_ewt may be en_ewt-ud-dev or en_ewt-ud-test of gold; .* same name"):
        pair(both, ["en_ewt"])
    with pytest.raises(UsageError, match="out: en_ewt may be"):
        pair(both, ["en_ewt", "en_ewt-ud-dev"])  # and is not the other one because one is left
    with pytest.raises(UsageError, match="gold: en_ewt may be x/en_ewt-ud-dev or y/en_ewt-ud-dev of out"):
        pair(["en_ewt"], ["x/en_ewt-ud-dev", "y/en_ewt-ud-dev"])
