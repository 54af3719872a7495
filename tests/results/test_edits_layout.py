"""Aligned references and translations on a screen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import treesql
from treesql.results.edits_layout import layout

ROW = {
    "system": "a", "sentence": 3, "sent_id": "utt", "edits": 3,
    "operations": ["match", "substitution", "deletion", "insertion"],
    "reference_words": ["the", "猫", "sat", "***"], "hypothesis_words": ["the", "dog", "***", "down\x1b"],
}  # fmt: skip


def test_words_stand_above_each_other() -> None:
    text = layout([ROW], 80)
    assert re.sub("\x1b\\[\\d+m", "", text).splitlines() == [
        "sentence 3 (utt): 3 edits",
        "REF: the 猫  sat ***",
        "HYP: the dog *** down\\x1b",
        "         ^^^ ^^^ ^^^^^^^^",
    ]
    assert "\x1b[33m猫\x1b[0m" in text
    assert "\x1b[31msat\x1b[0m" in text
    assert "\x1b[32mdown\\x1b\x1b[0m" in text


def test_long_sentences_take_several_lines() -> None:
    words = ["word"] * 20
    row = {**ROW, "operations": ["match"] * 19 + ["deletion"], "reference_words": words}
    lines = layout([{**row, "hypothesis_words": [*words[1:], "***"]}], 50).splitlines()
    assert [line[:4] for line in lines[1:]] == ["REF:", "HYP:"] * 2 + ["REF:", "HYP:", "    "]
    assert all(len(re.sub("\x1b\\[\\d+m", "", line)) <= 50 for line in lines)
    assert layout([], 50) == "no sentence has errors\n"


@pytest.mark.parametrize("limit", [None, 1])
def test_sentences_with_errors(limit: int | None, tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_text("a b\nx\na c\n", encoding="utf-8")
    (tmp_path / "r.txt").write_text("a b\na x\na b\n", encoding="utf-8")
    files: dict[str, Any] = {"systems": [tmp_path / "h.txt"], "reference": [tmp_path / "r.txt"]}
    rows = treesql.score("translation", errors=True, limit=limit, **files).rows()
    assert [(row["sentence"], row["edits"]) for row in rows] == [(1, 1), (2, 1)][:limit]
    assert rows[0]["operations"] == ["deletion", "match"]
    assert (rows[0]["reference_words"], rows[0]["hypothesis_words"]) == (["a", "x"], ["***", "x"])
