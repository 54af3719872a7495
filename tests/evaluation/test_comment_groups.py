"""Scores by comments of sentences, whose keys are written as in requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import treesql
from treesql.errors import UnknownName
from treesql.evaluation import blocks
from treesql.readers import source
from treesql.scoring import ranges
from treesql.storage import file_blocks

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

SENTENCE = "{}1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t{}\tdep\t_\t_\n\n"
COMMENTS = (
    "# newdoc id = d1\n# speaker = Ann\n# text[phon] = x y\n# speaker = Bob\n", "# speaker\n# speaker = Bob\n", "",
    "# newdoc id = d2\n# text = a b\n# reviewed\n# a,b = late\n",
)  # fmt: skip

GROUPS = {
    "meta.speaker": [("Ann", 2, 0.5), ("Bob", 2, 1), (None, 4, 1)],
    'meta."text[phon]"': [("x y", 2, 0.5), (None, 6, 1)],
    'meta."newdoc id"': [("d1", 6, 5 / 6), ("d2", 2, 1)],
    'meta."speaker"': [("Ann", 2, 0.5), ("Bob", 2, 1), (None, 4, 1)],
    "meta.text": [("a b", 2, 1), (None, 6, 5 / 6)],
    "meta.reviewed": [(None, 8, 7 / 8)],
    'meta."a,b"': [("late", 2, 1), (None, 6, 5 / 6)],
}


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("comments")
    found = [folder / "gold.conllu", folder / "system.conllu"]
    found[0].write_text("".join(SENTENCE.format(comments, 1) for comments in COMMENTS))
    found[1].write_text("".join(SENTENCE.format("# speaker = Eve\n", 1 + (at == 0) * -1) for at in range(4)))
    return found


def rows(result: Any, by: str) -> list[tuple[Any, ...]]:
    return [(row[by], row["words"], row["uas"]) for row in result.rows()]


@pytest.mark.parametrize("by", GROUPS)
def test_groups_of_files_and_of_a_database(paths: list[Path], by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"metric": ["words", "uas"], "by": [by]}
    assert rows(treesql.score("dependency", *paths, **asked), by) == GROUPS[by]
    with monkeypatch.context() as small:
        small.setattr(blocks, "MIN_BYTES", 1)
        small.setattr(file_blocks, "MIN_BLOCK_WORDS", 1)
        small.setattr(source.Source.chunks, "__defaults__", (64, None, None))
        assert rows(treesql.score("dependency", *paths, **asked), by) == GROUPS[by]
    with treesql.connect() as db:
        for path in paths:
            db.load(path, corpus=path.stem)
        assert rows(db.score("dependency", "gold", "system", **asked), by) == GROUPS[by]
        for name, value in {"MAX_SIZE_AT_ONCE": -1, "SIZE_OF_RANGE": 1, "SENTENCES_OF_STEP": 1}.items():
            monkeypatch.setattr(ranges, name, value)
        assert rows(db.score("dependency", "gold", "system", **asked), by) == GROUPS[by]


def test_the_signature_names_the_group(paths: list[Path]) -> None:
    [signature] = treesql.score("dependency", *paths, metric="uas", by='meta."newdoc id"').signatures.values()
    assert '|by:meta."newdoc id"|' in signature


def test_an_error_lists_the_keys_and_says_how_they_are_written(paths: list[Path]) -> None:
    listed = r'most sentences have meta.speaker, meta."newdoc id", meta."a,b", meta.reviewed, meta.text$'
    with pytest.raises(UnknownName, match=f"unknown comment 'speakr'; did you mean speaker.*{listed}"):
        treesql.score("dependency", *paths, metric="uas", by="meta.speakr")
    with pytest.raises(UnknownName, match=r"unknown column to group by 'speaker'; .*; a comment is written meta.KEY"):
        treesql.score("dependency", *paths, metric="uas", by="speaker")
