"""Versions that are read side by side give what they give as wholes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import treesql
from tests.conftest import thorough_but
from treesql import readers
from treesql.errors import InvalidInput
from treesql.treebanks import version_blocks

FIRST = "1 The the DET 2 det|2 cat cat NOUN 3 nsubj|3 sat sit VERB 0 root"
SECOND = "1 can can AUX 3 aux|2 not not PART 3 advmod|3 go go VERB 0 root"
THIRD = "1 Gone go VERB 0 root"
FOURTH = "1 Go go VERB 0 root|2 home home ADV 1 advmod"
OLD = [("a", FIRST), ("b", SECOND), ("c", THIRD), ("d", FOURTH)]

NEW = {
    "equal": OLD,
    "changed": [("a", FIRST.replace("NOUN", "PROPN")), ("b", SECOND.replace("3 aux", "2 aux")), *OLD[2:]],
    "other order": [OLD[3], OLD[1], OLD[0], OLD[2]],
    "deleted and added": [OLD[0], ("x", "1 New new ADJ 0 root"), OLD[2], OLD[3]],
    "other id": [OLD[0], ("x", SECOND), OLD[2], ("y", FOURTH.replace("home", "out"))],
    "without ids": [OLD[0], (None, SECOND), (None, "1 Go go VERB 0 root"), OLD[3]],
    "repeated id": [OLD[0], ("a", SECOND), OLD[2], ("a", FOURTH)],
    "id repeated later": [OLD[0], OLD[1], OLD[2], ("a", FOURTH)],
    "joined words": [("a", FIRST), ("b", "1 cannot can AUX 2 aux|2 go go VERB 0 root"), *OLD[2:]],
}
"""The sentences of new versions, with their ids; a file each."""

OPTIONS: list[dict[str, Any]] = [{}, {"changes": True, "by": "deprel"}]


def write(folder: Path, sentences: Sequence[tuple[str | None, str]]) -> Path:
    folder.mkdir()
    for at, (name, text) in enumerate(sentences):
        lines = [f"# sent_id = {name}"] * (name is not None)
        for word in text.split("|"):
            number, form, lemma, upos, head, deprel = word.split(" ")
            lines.append("\t".join([number, form, lemma, upos, "_", "_", head, deprel, f"{head}:{deprel}", "_"]))
        (folder / f"{at}.conllu").write_text("\n".join([*lines, "", ""]), "utf-8")
    return folder


def compare(old: Path, new: Path, options: dict[str, Any]) -> tuple[Any, ...]:
    """Rows, signatures, unpaired sentences and warnings, or the error."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            differences = treesql.diff(old, new, **options)
        except InvalidInput as error:
            return (str(error),)
    return differences.rows(), differences.signatures, differences.unpaired, [str(one.message) for one in said]


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of the pairs of sentences in every block: files are read one by one, and compared as soon as they are."""
    sizes: list[int] = []
    add = version_blocks._Comparison._add

    def counted(comparison: Any, rows: Any, pairs: pa.Table) -> None:
        sizes.append(len(pairs))
        add(comparison, rows, pairs)

    monkeypatch.setattr(version_blocks._Comparison, "_add", counted)
    monkeypatch.setattr(version_blocks, "WORDS_OF_BLOCK", 1)
    monkeypatch.setattr(readers, "GROUP_FILES", 1)
    return sizes


@pytest.mark.spread(8, rest="slow")
@pytest.mark.parametrize(
    "name",
    thorough_but(NEW, "changed", "equal", "joined words", "other order", "repeated id", "without ids"),
)
def test_what_blocks_add_up_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks: list[int], name: str) -> None:
    old, new = write(tmp_path / "old", OLD), write(tmp_path / "new", NEW[name])
    for options in [*OPTIONS, *[{"match": "text"}][: name == "equal"]]:
        monkeypatch.setattr(version_blocks, "MIN_BYTES", 1 << 40)
        whole = compare(old, new, options)
        assert not blocks
        monkeypatch.setattr(version_blocks, "MIN_BYTES", 0)
        assert compare(old, new, options) == whole
        if name in ("equal", "changed", "joined words"):
            assert blocks == ([4] if options.get("match") == "text" else [1, 1, 1, 1, 0])
        blocks.clear()


def test_faults_are_those_of_the_first_version_that_has_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version_blocks, "MIN_BYTES", 0)
    folders = [write(tmp_path / name, OLD[:1]) for name in ("old", "new")]
    for name, folder in (("new", folders[1]), ("old", folders[0])):
        (folder / "2.conllu").write_text("1\tx\n\n")
        [message] = compare(folders[0], folders[1], {})
        assert f"{name}/2.conllu:1" in message
        assert len(message.splitlines()) == 1
