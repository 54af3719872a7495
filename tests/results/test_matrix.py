"""Matrices of counts by hand, concordances, and aligned references and translations on a screen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from rich.cells import cell_len

import treesql
from treesql.errors import UsageError
from treesql.results.concordance import Concordance
from treesql.results.edits_layout import layout
from treesql.results.matrix import MAX_VALUES, MatrixLayout, make_matrix
from treesql.results.result import Result, render

SIGNATURE = "pairs|gold:g|q:1|v:2|duckdb:3"

PAIRS = [("a", "x", "x", 6), ("a", "x", "y", 2), ("a", "z", "x", 1), ("b", "y", "y", 4), ("b", "x", "z", 3)]
"""System, row, column and count: x counts 6 + 2 + 3 and 6 + 1, y 4 and 2 + 4, z 1 and 3."""


def matrix(pairs: list[tuple[str, str, str, int]] = PAIRS, **how: Any) -> Result:
    names = ("system", "gold", "found", "n")
    table = Result.of([dict(zip(names, one, strict=True)) for one in pairs])
    given = Result(table.arrow(), {"pairs": SIGNATURE})
    return make_matrix(given, "gold", "found", "n", MatrixLayout(**how), by="system")


def cells(found: Result) -> list[list[object]]:
    return [list(row.values()) for row in found.rows()]


def test_counts_with_totals() -> None:
    found = matrix()
    assert found.columns == ["system", "gold", "x", "y", "z", "total"]
    assert cells(found) == [
        ["a", "x", 6, 2, 0, 8],
        ["a", "y", 0, 0, 0, 0],
        ["a", "z", 1, 0, 0, 1],
        ["a", "total", 7, 2, 0, 9],
        ["b", "x", 0, 0, 3, 3],
        ["b", "y", 0, 4, 0, 4],
        ["b", "z", 0, 0, 0, 0],
        ["b", "total", 0, 4, 3, 7],
    ]
    assert found.percent == frozenset()
    assert found.signature == "pairs|gold:g|matrix:counts|q:1|v:2|duckdb:3"


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        ("row", [[6 / 8, 2 / 8, 0, 1], [None] * 4, [1, 0, 0, 1], [7 / 9, 2 / 9, 0, 1]]),
        ("column", [[6 / 7, 1, None, 8 / 9], [0, 0, None, 0], [1 / 7, 0, None, 1 / 9], [1, 1, None, 1]]),
        ("all", [[6 / 9, 2 / 9, 0, 8 / 9], [0, 0, 0, 0], [1 / 9, 0, 0, 1 / 9], [7 / 9, 2 / 9, 0, 1]]),
    ],
)
def test_shares(share: str, expected: list[list[float | None]]) -> None:
    found = matrix(share=share)
    assert [row[2:] for row in cells(found)[:4]] == expected
    assert found.percent == {"x", "y", "z", "total"}
    assert f"|matrix:{share}|q:" in found.signature


def test_values_beyond_the_limit_are_summed() -> None:
    found = matrix(limit=1)
    assert found.columns == ["system", "gold", "x", "other", "total"]
    assert cells(found)[:3] == [["a", "x", 6, 2, 8], ["a", "other", 1, 0, 1], ["a", "total", 7, 2, 9]]
    assert "|matrix:counts|limit:1|q:" in found.signature
    assert cells(matrix(limit=3)) == cells(matrix(limit=100)) == cells(matrix())


def test_values_with_the_names_of_totals() -> None:
    found = matrix([("a", "total", "gold", 3), ("a", "other", "system", 2), ("a", "(total)", "other", 1)], limit=4)
    assert found.columns == ["(system)", "(gold)", "gold", "other", "total", "system", "(other)", "(total)"]
    assert cells(found)[-1] == ["a", "(total)", 3, 1, 0, 2, 0, 6]


def test_one_pair_and_none() -> None:
    assert cells(matrix([("a", "x", "x", 1)])) == [["a", "x", 1, 1], ["a", "total", 1, 1]]
    assert cells(matrix([("a", "x", "x", 0)], share="all")) == [["a", "x", None, None], ["a", "total", None, None]]
    empty = Result(matrix().arrow().schema.empty_table())
    assert cells(make_matrix(empty, "gold", "gold", "x", MatrixLayout(), by="system")) == []


def test_what_is_refused() -> None:
    many = [("a", f"{at:04}", "x", 1) for at in range(MAX_VALUES + 1)]
    with pytest.raises(UsageError, match="1,002 values are too many for a matrix; name --limit N"):
        matrix(many)
    assert len(matrix(many, limit=2)) == 4
    for how in ({"share": "rows"}, {"limit": 0}, {"limit": True}, {"limit": 2.5}):
        with pytest.raises(UsageError, match=f"{next(iter(how))} (is|cannot be)"):
            matrix(**how)


ROWS = [
    {"sent_id": "a", "left": "", "match": "< V:one>", "right": "two three four five six seven eight nine ten eleven"},
    {
        "sent_id": "b",
        "left": "alpha beta gamma delta epsilon zeta eta",
        "match": "< V:th> iota < N O:ka>",
        "right": ".",
    },
    {"sent_id": None, "left": "日本語日本語日本語日本語日本語日本語", "match": "語", "right": "x"},
]


def concordance() -> Concordance:
    return Concordance.of_marked(pa.Table.from_pylist(ROWS), ("<", ":", ">"))


def plain(text: str) -> list[str]:
    return re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()


def test_contexts_are_cut_to_the_screen_where_they_are_far_from_the_match() -> None:
    lines = plain(render(concordance(), screen=60))
    assert lines[0].split() == ["sent_id", "left", "match", "right"]
    assert all(cell_len(line) <= 60 for line in lines)
    assert lines[2].endswith("…")
    assert lines[3].split()[1].startswith("…")
    assert lines[4].split()[1].startswith("…")
    starts = [lines[0].index("match"), lines[2].index("one"), lines[3].index("th iota ka")]
    assert starts == [starts[0]] * 3
    assert cell_len(lines[4].split("   語")[0]) + 3 == starts[0]


def test_a_context_has_the_room_that_the_other_leaves() -> None:
    table = pa.table({"left": ["a b"], "match": ["m"], "right": ["c" * 36]})
    lines = plain(render(Concordance.of_marked(table, ("<", ":", ">")), screen=60))
    assert lines[2].endswith("c" * 36)


def test_matched_words_are_bold() -> None:
    lines = render(concordance(), screen=80).splitlines()
    assert "\x1b[1mone\x1b[0m" in lines[2]
    assert "\x1b[1mth\x1b[0m iota \x1b[1mka\x1b[0m" in lines[3]
    assert "\x1b" not in lines[4]


def test_long_matches_are_folded() -> None:
    long = " ".join(f"word{number}" for number in range(30))
    table = pa.table({"left": ["a"], "match": [long], "right": ["b"]})
    lines = plain(render(Concordance.of_marked(table, ("<", ":", ">")), screen=50))
    assert all(len(line) <= 50 for line in lines)
    assert all(word in "".join(lines) for word in long.split())


def test_narrow_screens_and_empty_concordances() -> None:
    assert len(plain(render(concordance(), screen=5))) >= 5
    empty = concordance().head(0)
    assert plain(render(empty, screen=60))[0].split() == ["sent_id", "left", "match", "right"]
    assert len(empty) == 0


def test_the_first_rows_keep_their_marks() -> None:
    first = concordance().head(1)
    assert len(first) == 1
    assert isinstance(first, Concordance)
    assert first.pieces() == [[("one", "V")]]
    assert first.rows()[0]["match"] == "one"
    assert "\x1b[1mone" in render(first, screen=80)


def test_the_last_rows_keep_their_marks() -> None:
    last = concordance().tail(1)
    assert isinstance(last, Concordance)
    assert last.pieces() == concordance().pieces()[-1:]
    assert concordance().pieces()[1] == [("th", "V"), (" iota ", ""), ("ka", "N O")]


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
