"""SQL functions of translations."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import treesql
from tests.house.rules import in_turn
from treesql.functions import translation


@pytest.mark.parametrize("few", [translation.MAX_SMALL_ROWS, 0])
def test_edit_steps(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same whether words are numbered by Arrow or, of a few rows, without it."""
    monkeypatch.setattr(translation, "MAX_SMALL_ROWS", few)
    with treesql.connect() as db:
        [row] = db.sql("SELECT edit_steps(['a', 'b', 'c'], ['a', 'x', 'c', 'd']) AS steps").rows()
    assert [tuple(step.values()) for step in row["steps"]] == [
        ("match", 1, 1), ("substitution", 2, 2), ("match", 3, 3), ("deletion", None, 4),
    ]  # fmt: skip


def test_word_texts() -> None:
    """Edits by kind, and n-grams of the reference that has most of each; blanks and tabs separate words."""
    with treesql.connect() as db:
        [row] = db.sql(
            """SELECT edit_counts('a b  c', 'a x\tc d', false) AS equal,
                      edit_counts('b c a', 'a b c d', true) AS sclite, edit_counts('', 'a', false) AS empty,
                      shared_word_n_grams('a a b', ['a b', 'a a c b', ''], 2) AS shared,
                      shared_word_n_grams('a', [''], 1) AS none"""
        ).rows()
    assert row == {
        "equal": [2, 1, 0, 1], "sclite": [2, 1, 0, 1], "empty": [0, 0, 0, 1], "shared": [3, 2, 3, 2], "none": [1, 0, 0],
    }  # fmt: skip


def test_totals_are_the_sums_of_edit_operations(tmp_path: Path) -> None:
    """Those of the nearest of two references, by both weights; a sentence without words has no operations."""
    chance, texts = Random(3), ("h", "r", "s")
    for name in texts:
        lines = (" ".join(chance.choices("abcdé", k=chance.randint(0, 9))) for _ in range(60))
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    names = "hits, substitutions, insertions, deletions, edits, hypothesis_words, reference_words"
    sums = ", ".join(f"CAST(sum({name}) AS BIGINT) AS {name}" for name in names.split(", "))
    with treesql.connect() as db:
        for name in texts:
            db.load(tmp_path / f"{name}.txt", corpus=name)
        for others in ("", "s"):
            for weights in ("equal", "sclite"):
                given = f"('h', 'r', other_corpora := '{others}', edit_weights := '{weights}')"
                keys = "sentence, reference, reference_length"
                items = db.sql(f"SELECT {keys}, {sums} FROM edit_operations{given} GROUP BY {keys} ORDER BY sentence")
                totals = db.sql(f"SELECT {keys}, {names} FROM edit_totals{given} ORDER BY sentence")
                assert totals.rows() == items.rows()


@in_turn(
    "call",
    [
        "shared_n_grams(['a'], ['a'], {})",
        "shared_character_n_grams('a', 'a', {}, true)",
        "shared_word_n_grams('a', ['a'], {})",
    ],
)
@in_turn("longest", [-1, 1001, 1_000_000_000])
def test_lengths_of_n_grams_are_bounded(db: treesql.Database, call: str, longest: int) -> None:
    """What is counted takes memory for every length, up to that of the longest n-grams asked for."""
    with pytest.raises(treesql.TreesqlError, match=f"longest is {longest}; it is a number from 0 to 1000"):
        db.sql(f"SELECT {call.format(longest)} AS found")
