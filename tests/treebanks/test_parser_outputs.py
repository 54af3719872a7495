"""Which file of a folder of outputs belongs to which gold treebank."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.treebanks.folders import GOLD, PARSED, put
from treesql.errors import Diagnostic, InvalidInput, TreesqlError, UnknownName, UsageError
from treesql.treebanks.parser_outputs import Pair, find_pairs


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
